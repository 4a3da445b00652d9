"""Read the rows of the board off their predictions, and store what came of checking them."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path

from tools.shipped import BOARD, place_of, run_of, spec_of
from zslcore.board.checking import STATES, classes_of, figures_of, fingerprint, recomputed
from zslcore.board.entry import BoardEntry, Figures, Gamma, read_entry
from zslcore.board.making import DIGITS
from zslcore.evaluation import Predictions, predictions_file, write_predictions
from zslcore.evaluation.files import read_packaged
from zslcore.scores import interpreted, judge
from zslcore.scores.judging import predictions_of_scores
from zslcore.scores.reading import read_scores
from zslcore.storage.files import write_out

#: Score matrices of other people, and by how much a row may have been off.
FOLDER, SAME = Path("../shared/data/gzsl_scores"), 5e-5


def write_board(datasets: Collection[str]) -> None:
    """Write the rows whose predictions are there, and the state of every row."""
    states = {}
    for path in sorted(BOARD.glob("*.json")):
        entry = read_entry(path.read_bytes(), path.name)
        if entry.spec and (not datasets or entry.data.name in datasets):
            entry = _renewed(path, entry)
        elif not entry.spec:
            _write_scores(path, entry)
        states[path.name] = (fingerprint(path, entry), recomputed(path, entry).value)
    write_out(STATES, json.dumps(states, indent=0) + "\n")
    found = [state for _, state in states.values()]
    sys.stderr.write(f"{found.count('verified')} of {len(found)} rows verified\n")


def _renewed(path: Path, entry: BoardEntry) -> BoardEntry:
    """Write a row with all digits of its figures; return it as it was without predictions."""
    run = run_of(entry)
    places = [place_of(spec) for spec in (*([run.spec] if run else []), spec_of(entry))]
    file = next((place for place in places if place.exists()), None)
    if file is None:
        sys.stderr.write(f"{path.name}: no predictions yet\n")
        return entry
    predictions = read_packaged(file)
    before = asdict(entry.figures)
    figures = {k: v for k, v in figures_of(predictions).items() if before[k] is not None}
    off = {k: v - before[k] for k, v in figures.items() if v is not None}
    if (most := max(off, key=lambda k: abs(off[k]))) and abs(off[most]) > SAME:
        sys.stderr.write(f"{path.name}: {most} changes by {off[most]:+.6f}\n")
        run = predictions.provenance
        entry = replace(entry, versions={"zslcore": run.version, "commit": run.commit})
    said = predictions.provenance
    entry = replace(
        entry,
        figures=Figures(**figures),
        gamma=Gamma(said.gamma_origin, said.gamma) if entry.figures.H is not None else entry.gamma,
        per_class=_rounded(predictions),
        predictions=f"{file.parent.name}/{file.stem}",
    )
    write_out(path, entry.to_json())
    return entry


def _rounded(predictions: Predictions) -> dict[str, dict[str, float]]:
    at_gamma = predictions.gamma is not None
    return {
        figure: {name: round(float(value), DIGITS) for name, value in of_class.items()}
        for figure, of_class in classes_of(predictions).items()
        if of_class and (figure != "at_gamma" or at_gamma)
    }


def _write_scores(path: Path, entry: BoardEntry) -> None:
    """Write the predictions of a row that is somebody's score matrix, next to it."""
    file = FOLDER / entry.data.name
    if not file.exists():
        return
    matrix, _ = interpreted(read_scores(file), ["as-is"])
    if matrix is None:
        raise SystemExit(f"{file.name}: its scores are not understood.")
    predictions = predictions_of_scores(judge(matrix))
    place = path.with_suffix(".parquet")
    if not place.exists() or place.read_bytes() != predictions_file(predictions):
        write_predictions(place, predictions)
