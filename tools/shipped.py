"""Write ``data/results`` and ``data/board``: what comes with the package on real features.

    python -m tools.shipped results STORE [DATASET ...]
    python -m tools.shipped predictions [DATASET ...]
    python -m tools.shipped board [DATASET ...]

``results`` writes one JSON per run of a store (``zslcore run``) on real data; runs of other
revisions than today's are left out. ``predictions`` fits every one of them again with the
parameters it has chosen, on trainval and on the folds, and writes ``KEY.parquet`` next to
``KEY.json``; rows of the board with other parameters get a file of their own. ``board`` reads the
figures of every row of ours off its predictions. Each command goes on where it stopped, and the
data have to be imported. No features are written: digests name the data. Results of long work are
written by :mod:`tools.shipped_jobs`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.compact import compact, largest_difference
from zslcore.board.entry import BoardEntry, read_entry
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation import Predictions, check_predictions, write_predictions
from zslcore.evaluation.runs import (
    RunResult,
    execute_with_predictions,
    fit_again,
    predictions_of_run,
)
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import FOLDER, shipped_predictions, shipped_results
from zslcore.results.store import ResultStore
from zslcore.storage.files import FACTS, written_whole

BOARD = FACTS / "board"
#: By how much the figures of a fit made again may differ from those of the run.
SAME = 1e-9
#: Up to here the run takes the figures of that fit: iterations stop elsewhere on other threads.
ROUNDING = 5e-5
#: Seconds that one fit takes on CUB, about, by method and against CUB by data: what is fast first.
SECONDS = {"LinearS2V": 1, "GFZSL": 1, "LinearV2S": 3, "ESZSL": 3, "CMT": 7, "CMT*": 7, "SJE": 6,
           "ALE": 9, "DEVISE": 9, "LATEM": 15, "SAE": 20, "SSE": 20, "BiDiLEL": 20, "CONSE": 40,
           "DAP": 40, "IAP": 40, "SYNC": 90}  # fmt: skip
SHARE = {"AWA1-phog": 0.2, "CUB-vgg_fc7": 1.0, "AWA1-lss": 1.1}


def main() -> None:
    """Write what a command names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["results", "predictions", "board"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="STORE for results, data sets")
    args = parser.parse_args()
    if args.command == "results":
        write_results(Path(args.names[0]), args.names[1:])
    elif args.command == "predictions":
        write_all_predictions(args.names)
    else:
        from tools.shipped_board import write_board

        write_board(args.names)


def write_results(store: Path, datasets: Collection[str]) -> None:
    """Write the runs of a store, one JSON each."""
    for result in ResultStore(store).results():
        if _is_meant(result, datasets):
            # The key of the version that made it may have named more than what changes numbers.
            _write_result(replace(result, key=result.spec.key))


def _write_result(result: RunResult) -> None:
    path = FOLDER / result.spec.dataset / f"{result.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(result.to_json().encode() + b"\n")


def _is_meant(result: RunResult, datasets: Collection[str]) -> bool:
    current = result.spec.present.revisions == result.spec.revisions
    named = result.spec.dataset in datasets if datasets else not result.simulated
    return current and named


# --- Predictions ----------------------------------------------------------------------------------


def write_all_predictions(datasets: Collection[str]) -> None:
    """Write the predictions that are missing, a data set at a time, slow methods last."""
    todo: list[tuple[RunSpec, RunResult | None]] = [(r.spec, r) for r in shipped_results()]
    todo += [(spec, None) for spec in board_specs()]
    missing = [
        (spec, result)
        for spec, result in todo
        if not place_of(spec).exists() and (spec.dataset in datasets or not datasets)
    ]
    for spec, result in sorted(missing, key=lambda one: _order(one[0])):
        predictions = _again(result) if result else _of_board(spec)
        path = place_of(spec)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, predictions)
        words = f"{spec.dataset} {spec.split} {spec.method} {spec.select_for}"
        sys.stderr.write(f"{path.stem} {words}: {path.stat().st_size:,} bytes\n")


def place_of(spec: RunSpec) -> Path:
    """Return the file of the predictions of a run."""
    return FOLDER / spec.dataset / f"{spec.key}.parquet"


def board_specs() -> Iterator[RunSpec]:
    """Yield what fits again the rows of the board that are no shipped run, each once."""
    specs = {spec.key: spec for entry in board_entries() if not run_of(entry)
             for spec in [spec_of(entry)]}  # fmt: skip
    yield from specs.values()


def board_entries() -> list[BoardEntry]:
    """Return the rows of the board that this package has run."""
    entries = [read_entry(path.read_bytes(), path.name) for path in sorted(BOARD.glob("*.json"))]
    return [entry for entry in entries if entry.spec]


def run_of(entry: BoardEntry) -> RunResult | None:
    """Return the shipped run of a row: the same data, split, method and parameters.

    One whose gamma its own folds, fitted again, do not choose to the last digit verifies no row:
    methods with warm starts along their grid stop elsewhere without it.
    """
    for result in shipped_results():
        if not _verifies(result):
            continue
        same = result.spec, result.params
        if (same[0].digest, same[0].split, same[0].method, same[1]) == (
            entry.data.digest,
            _said(entry)["split"],
            entry.method,
            dict(entry.parameters.params),
        ):
            return result
    return None


def _verifies(result: RunResult) -> bool:
    found = shipped_predictions(result.key)
    return found is None or found.provenance.gamma_origin != "validated" or bool(found.folds)


def spec_of(entry: BoardEntry) -> RunSpec:
    """Return the run with the parameters of a row; the folds choose gamma."""
    said = _said(entry)
    return RunSpec(
        said["dataset"],
        said["split"],
        entry.method,
        params=entry.parameters.params,
        features=said["features"],
        prototypes=said["prototypes"],
        seed=said["seed"],
        digest=entry.data.digest,
    )


def _said(entry: BoardEntry) -> dict[str, Any]:
    return dict(entry.spec or {})


def _order(spec: RunSpec) -> tuple[float, str]:
    return SECONDS.get(spec.method, 60) * SHARE.get(spec.dataset, 1.0), spec.key


def _again(result: RunResult) -> Predictions:
    """Return the predictions of a shipped run; its figures have to come out again."""
    dataset = load(result.spec.dataset)
    again, scores = fit_again(result, dataset)
    difference = largest_difference(again.evaluation, result.evaluation)
    if difference > ROUNDING:  # warm starts of the whole path stop elsewhere than one fit does
        sys.stderr.write(f"{result.key}: is run whole, one fit is {difference:.2g} off\n")
        whole, predictions = execute_with_predictions(result.spec, dataset, with_oracle=False)
        _write_result(whole)
        return _checked(predictions, dataset, result.key)
    if difference > SAME:
        sys.stderr.write(f"{result.key}: takes the figures of this fit, {difference:.2g} off\n")
        _write_result(again)
    return _checked(predictions_of_run(result, scores, dataset, folds=True), dataset, result.key)


def _of_board(spec: RunSpec) -> Predictions:
    dataset = load(spec.dataset)
    _, predictions = execute_with_predictions(spec, dataset, with_oracle=False)
    return _checked(predictions, dataset, spec.key)


def _checked(predictions: Predictions, dataset: ZSLDataset, key: str) -> Predictions:
    """Return compact predictions; the gamma of the run has to be what the folds choose."""
    small = compact(predictions)
    if reasons := check_predictions(small).reasons:
        raise SystemExit(f"{key}: {reasons[0]}")
    if small.provenance.gamma_origin == "validated" and not small.folds:
        sys.stderr.write(f"{key}: no validation rows; {dataset.name}\n")
    return small


if __name__ == "__main__":
    main()
