"""A result of the board computed again, from its predictions.

Predictions ``x.parquet`` lie next to ``x.json``; a result that comes with the package names one of
the package's own files. What came of checking these is stored with the SHA-256 of both files, so
that a page need not compute 129 results again to show them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

from zslcore.board.entry import BoardEntry
from zslcore.datasets.base import part_digest
from zslcore.evaluation import Predictions, State
from zslcore.evaluation.figures import on_board
from zslcore.evaluation.files import read_packaged, read_predictions
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.predicted import PredictedScores, checked, read_predicted
from zslcore.results.shipped import FOLDER
from zslcore.texts import clean_text

#: Figures may be stored with six digits behind the point; with more they are those of the file.
SIX, ROUNDING, EXACT = 6, 1e-6, 1e-9
#: What came of checking the results that come with the package.
STATES = FOLDER / "states.json"


def recomputed(path: Path, entry: BoardEntry) -> State:
    """Compute the figures of a result again and return how far it can be believed.

    Parameters
    ----------
    path : of the JSON, ``x.json``
    entry : its content

    Returns
    -------
    State.VERIFIED, or State.STATED without predictions or where nothing is known to check them with

    Raises
    ------
    FileRefusedError
        When the predictions cannot be read, claim what is not so, or give other figures.
    """
    file = predictions_of_entry(path, entry)
    if file is None:
        return State.STATED
    predicted = _checked(file)
    wrong = next(_differences(entry, predicted.predictions), None)
    if wrong:
        raise FileRefusedError(f"{clean_text(path.name)}, {wrong}.")
    return predicted.state


def predictions_of_entry(path: Path, entry: BoardEntry) -> Path | None:
    """Return the file of the predictions of a result, None without one.

    Raises
    ------
    FileRefusedError
        When it names predictions that do not come with the package.
    """
    if not entry.predictions:
        file = path.with_suffix(".parquet")
        return file if file.is_file() else None
    file = FOLDER / f"{entry.predictions}.parquet"
    if not file.is_file():
        raise FileRefusedError(
            f"{clean_text(path.name)}, predictions: expected some that come with the package; got "
            f"{entry.predictions!r}."
        )
    return file


def read_predictions_of(file: Path) -> Predictions:
    """Return what :func:`predictions_of_entry` found; the package's own need no other process."""
    return read_packaged(file) if file.is_relative_to(FOLDER) else read_predictions(file)


def _checked(file: Path) -> PredictedScores:
    """Read and check predictions; the package's own need no other process."""
    if file.is_relative_to(FOLDER):
        return checked(read_packaged(file), file.name)
    return read_predicted(file)


# --- What is known without computing --------------------------------------------------------------


def known_state(path: Path, entry: BoardEntry) -> State:
    """Return the stored state of a result that comes with the package; stated for any other."""
    stored = _states().get(path.name)
    if stored is None or stored[0] != fingerprint(path, entry):
        return State.STATED
    return State(stored[1])


def fingerprint(path: Path, entry: BoardEntry) -> str:
    """Return the SHA-256 of a result and of its predictions, 16 hex digits."""
    sha = hashlib.sha256(path.read_bytes())
    file = predictions_of_entry(path, entry)
    sha.update(b"" if file is None else file.read_bytes())
    return sha.hexdigest()[:16]


@cache
def _states() -> Mapping[str, tuple[str, str]]:
    if not STATES.is_file():
        return {}
    found: Mapping[str, tuple[str, str]] = json.loads(STATES.read_text(encoding="utf-8"))
    return found


# --- What differs ---------------------------------------------------------------------------------


def _differences(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Yield the differences between the JSON and its predictions."""
    yield from _of_run(entry, predictions)
    test = predictions.test
    of_seen = test.seen[test.y]
    for part, rows in (("test_seen", test.rows[of_seen]), ("test_unseen", test.rows[~of_seen])):
        if part in entry.split.parts and part_digest(rows) != entry.split.parts[part]:
            yield f"split.parts.{part}: expected the rows of its predictions; got others"
    found = figures_of(predictions)
    for name, value in asdict(entry.figures).items():
        yield from _of_figure(f"figures.{name}", value, found[name])
    for figure, of_class in classes_of(predictions).items():
        for name, value in entry.per_class.get(figure, {}).items():
            place = clean_text(f"per_class.{figure}.{name}", 80)
            yield from _of_figure(place, value, of_class.get(name))


def _of_run(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Compare method, data, parameters and gamma, as far as the predictions state them."""
    run = predictions.provenance
    if (entry.gamma.origin, entry.gamma.value) != (run.gamma_origin, run.gamma):
        yield (
            f"gamma: expected that of its predictions, {run.gamma} ({run.gamma_origin}); got "
            f"{entry.gamma.value} ({entry.gamma.origin})"
        )
    for name, expected, got in (
        ("method", run.method, entry.method),
        ("data.digest", run.digest, entry.data.digest),
    ):
        if expected and expected != got:
            what = clean_text(repr(expected), 60)
            yield f"{name}: expected that of its predictions, {what}; got {got!r}"
    params = entry.parameters.params
    for name in sorted(set(run.params) & set(params)):
        if run.params[name] != params[name]:
            yield (
                f"parameters.params.{clean_text(name, 60)}: expected that of its predictions, "
                f"{clean_text(repr(run.params[name]), 60)}; got {params[name]!r}"
            )


def _of_figure(name: str, value: float | None, found: float | None) -> Iterator[str]:
    """Compare a figure with what its predictions give, to the digits that it has."""
    if value is None:
        return
    most = ROUNDING if round(value, SIX) == value else EXACT
    if found is None or not abs(found - value) <= most:
        digits = SIX if most == ROUNDING else 12
        expected = "none" if found is None else f"{found:.{digits}f}"
        yield f"{name}: expected {expected}, from its predictions; got {value:.{digits}f}"


def figures_of(predictions: Predictions) -> dict[str, float | None]:
    """Return every figure of the board, by its name there."""
    without = predictions.gamma is None
    return {
        name: None if without and figure.at_gamma else figure.of(predictions.evaluation)
        for name, figure in on_board().items()
    }


def classes_of(predictions: Predictions) -> dict[str, dict[str, float]]:
    """Return the accuracy of every class, by the figure and the name of the class."""
    e, names = predictions.evaluation, predictions.class_names
    of_figure = {"zsl": e.per_class_zsl, "plain": e.per_class_plain, "at_gamma": e.per_class}
    return {
        figure: {names[c]: value for c, value in of_class.items()}
        for figure, of_class in of_figure.items()
    }
