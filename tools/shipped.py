"""Write the precomputed results: ``data/results`` and ``data/board``.

    python -m tools.shipped results STORE [DATASET ...]
    python -m tools.shipped predictions [DATASET ...]
    python -m tools.shipped board [DATASET ...]
    python -m tools.shipped studies

``results`` writes one JSON file per run in a store (``zslcore run``) on real data; runs of earlier
revisions are left out. ``predictions`` fits each of these runs again with its chosen parameters, on
trainval and on the folds, and writes ``KEY.parquet`` next to ``KEY.json``; rows of the board with
different parameters get separate files. To save bytes, rows are sorted, and margins are rounded to
the fewest bits that change no metric. ``board`` computes the metrics of each of our rows from its
predictions, and stores the result of the verification. Each command continues where it stopped and
needs imported data. No features are written; digests identify the data.

``studies`` writes ``data/results/jobs``, the results of long computations that views or tabs show
before a visitor makes a choice. They take some minutes; existing results with the same key are
kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from zslcore import jobs
from zslcore.analysis.actions import DRAWS
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import MapStudy
from zslcore.analysis.overlap import GAIN_METHODS, UNTRAINED, OverlapStudy
from zslcore.analysis.study import SHIPPED, Study, is_intact
from zslcore.analysis.transduction import TransductionStudy
from zslcore.board.checking import (
    STATES,
    classes_of,
    fingerprint,
    metrics_of_predictions,
    recompute_state,
)
from zslcore.board.entry import BoardEntry, Gamma, StatedMetrics, read_entry
from zslcore.board.making import DIGITS
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import action_facts, recognise_actions
from zslcore.evaluation.predicted_tests import Evaluation
from zslcore.evaluation.predictions import PredictedRows, Predictions
from zslcore.evaluation.predictions_file import predictions_bytes, read_packaged, write_predictions
from zslcore.evaluation.runs import RunResult, refit, run
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions
from zslcore.jobs.runner import PREVIEW
from zslcore.leakage import get_vocabulary
from zslcore.leakage.counts import overlaps
from zslcore.results.shipped import FOLDER, shipped_predictions, shipped_results
from zslcore.results.store import ResultStore
from zslcore.scores import interpret, judge
from zslcore.scores.judging import predictions_of_scores
from zslcore.scores.reading import read_scores
from zslcore.storage.files import FACTS, open_atomically, write_out

BOARD = FACTS / "board"
#: Tolerance between the metrics of a repeated fit and of the run.
FIT_TOLERANCE = 1e-9
#: Difference up to which the metrics of the repeated fit replace those of the run: with another
#: number of threads, iterations stop at other values.
ROUNDING = 5e-5
#: Approximate seconds per fit on CUB by method, and factors by data set, to run fast fits first.
SECONDS = {
    "LinearS2V": 1,
    "GFZSL": 1,
    "LinearV2S": 3,
    "ESZSL": 3,
    "CMT": 7,
    "CMT*": 7,
    "SJE": 6,
    "ALE": 9,
    "DEVISE": 9,
    "LATEM": 15,
    "SAE": 20,
    "SSE": 20,
    "BiDiLEL": 20,
    "CONSE": 40,
    "DAP": 40,
    "IAP": 40,
    "SYNC": 90,
}
SHARE = {"AWA1-phog": 0.2, "CUB-vgg_fc7": 1.0, "AWA1-lss": 1.1}


def main() -> None:
    """Write the results selected on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["results", "predictions", "board", "studies"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="STORE for results, data sets")
    args = parser.parse_args()
    if args.command == "results":
        write_results(Path(args.names[0]), args.names[1:])
    elif args.command == "predictions":
        write_all_predictions(args.names)
    elif args.command == "board":
        write_board(args.names)
    else:
        write_studies()


def write_results(store: Path, datasets: Collection[str]) -> None:
    """Write the runs of a store, one JSON file each."""
    for result in ResultStore(store).results():
        if _is_meant(result, datasets):
            # Keys of earlier versions may cover fields of the spec that do not change the metrics.
            _write_result(replace(result, key=result.spec.key))


def _write_result(result: RunResult) -> None:
    path = FOLDER / result.spec.dataset / f"{result.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomically(path) as file:
        file.write(result.to_json().encode() + b"\n")


def _is_meant(result: RunResult, datasets: Collection[str]) -> bool:
    current = result.spec.at_current_revision.revisions == result.spec.revisions
    named = result.spec.dataset in datasets if datasets else not result.simulated
    return current and named


# --- Predictions ----------------------------------------------------------------------------------


def write_all_predictions(datasets: Collection[str]) -> None:
    """Write the missing predictions, from fast to slow fits."""
    todo: list[tuple[RunSpec, RunResult | None]] = [(r.spec, r) for r in shipped_results()]
    todo += [(spec, None) for spec in board_specs()]
    missing = [
        (spec, result)
        for spec, result in todo
        if not predictions_path(spec).exists() and (spec.dataset in datasets or not datasets)
    ]
    for spec, result in sorted(missing, key=lambda pair: _order(pair[0])):
        predictions = _refit(result) if result else _of_board(spec)
        path = predictions_path(spec)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, predictions)
        words = f"{spec.dataset} {spec.split} {spec.method} {spec.select_for}"
        sys.stderr.write(f"{path.stem} {words}: {path.stat().st_size:,} bytes\n")


def predictions_path(spec: RunSpec) -> Path:
    """Return the path of the predictions of a run."""
    return FOLDER / spec.dataset / f"{spec.key}.parquet"


def board_specs() -> Iterator[RunSpec]:
    """Yield the specs, without duplicates, of the board rows without a precomputed run."""
    specs = {
        spec.key: spec
        for entry in board_entries()
        if not run_of(entry)
        for spec in [spec_of(entry)]
    }
    yield from specs.values()


def board_entries() -> list[BoardEntry]:
    """Return the rows of the board that are runs of this package."""
    entries = [read_entry(path.read_bytes(), path.name) for path in sorted(BOARD.glob("*.json"))]
    return [entry for entry in entries if entry.spec]


def run_of(entry: BoardEntry) -> RunResult | None:
    """Return the precomputed run with the data, split, method and parameters of a row.

    A run is left out if the repeated fits on its folds do not select its gamma to the last digit: a
    method that starts from its solution at the previous grid point ends at slightly different
    values if it is fitted alone.
    """
    for result in shipped_results():
        if not _verifies(result):
            continue
        same = result.spec, result.params
        if (same[0].digest, same[0].split, same[0].method, same[1]) == (
            entry.data.digest,
            _stated(entry)["split"],
            entry.method,
            dict(entry.parameters.params),
        ):
            return result
    return None


def _verifies(result: RunResult) -> bool:
    predictions = shipped_predictions(result.key)
    return (
        predictions is None
        or predictions.provenance.gamma_origin != "validated"
        or bool(predictions.folds)
    )


def spec_of(entry: BoardEntry) -> RunSpec:
    """Return the spec with the parameters of a row; gamma is chosen on the folds."""
    stated = _stated(entry)
    return RunSpec(
        stated["dataset"],
        stated["split"],
        entry.method,
        params=entry.parameters.params,
        features=stated["features"],
        prototypes=stated["prototypes"],
        seed=stated["seed"],
        digest=entry.data.digest,
    )


def _stated(entry: BoardEntry) -> dict[str, Any]:
    return dict(entry.spec or {})


def _order(spec: RunSpec) -> tuple[float, str]:
    return SECONDS.get(spec.method, 60) * SHARE.get(spec.dataset, 1.0), spec.key


def _refit(result: RunResult) -> Predictions:
    """Return the predictions of a precomputed run; its metrics must be reproduced."""
    dataset = load(result.spec.dataset)
    refitted = refit(result, dataset)
    refitted_result = refitted.result
    difference = largest_difference(refitted_result.evaluation, result.evaluation)
    if difference > ROUNDING:  # a single fit has no warm starts
        sys.stderr.write(
            f"{result.key}: repeats the whole run, as one fit differs by {difference:.2g}\n"
        )
        complete_run = run(result.spec, dataset, with_oracle=False)
        _write_result(complete_run.result)
        return _compact_checked(complete_run.predictions, dataset, result.key)
    if difference > FIT_TOLERANCE:
        sys.stderr.write(
            f"{result.key}: takes the metrics of this fit, which differ by {difference:.2g}\n"
        )
        _write_result(refitted_result)
    with_folds = replace(refitted, result=result).with_validation()
    return _compact_checked(with_folds.predictions, dataset, result.key)


def _of_board(spec: RunSpec) -> Predictions:
    dataset = load(spec.dataset)
    result = run(spec, dataset, with_oracle=False)
    return _compact_checked(result.predictions, dataset, spec.key)


def _compact_checked(predictions: Predictions, dataset: ZSLDataset, key: str) -> Predictions:
    """Compact predictions; raise an error if the folds do not select the gamma of the run."""
    small = compact(predictions)
    if reasons := verify_predictions(small).reasons:
        raise SystemExit(f"{key}: {reasons[0]}")
    if small.provenance.gamma_origin == "validated" and not small.folds:
        sys.stderr.write(f"{key}: no validation rows; {dataset.name}\n")
    return small


#: Numbers of bits to try for margins of test rows and of validation rows.
TEST_BITS, FOLD_BITS = (24, 32, 40), (12, 16, 24)
#: Tolerance for changes of a metric.
COMPACT_TOLERANCE = 1e-10
REMARK = "Margins of test rows are rounded to {} bits, of validation rows to {}."


def compact(predictions: Predictions) -> Predictions:
    """Return predictions with the same metrics and a fraction of the bytes.

    Each margin stays on its side of 0 and of gamma, so no prediction changes at these gammas;
    rounding keeps the order of margins, except for ties. Margins are not rounded if that would
    change a metric.
    """
    cuts = (0.0,) if predictions.gamma is None else (0.0, predictions.gamma)
    before, reasons = predictions.evaluation, verify_predictions(predictions).reasons
    smallest, format_used = predictions, ["53", "53"]
    for bits in TEST_BITS:
        tried = replace(smallest, test=_rounded(predictions.test, bits, cuts))
        if largest_difference(tried.evaluation, before) <= COMPACT_TOLERANCE:
            smallest, format_used[0] = tried, str(bits)
            break
    for bits in FOLD_BITS if smallest.folds else ():
        folds = tuple(_rounded(fold, bits, cuts) for fold in predictions.folds)
        tried = replace(smallest, folds=folds)
        if verify_predictions(tried).reasons == reasons:
            smallest, format_used[1] = tried, str(bits)
            break
    source = f"{smallest.provenance.source} {REMARK.format(*format_used)}".strip()
    return replace(smallest, provenance=replace(smallest.provenance, source=source))


def largest_difference(first: Evaluation, second: Evaluation) -> float:
    """Return the largest difference between two evaluations; infinity if a metric is missing.

    All fields are compared: ZSL, all points, AUSUC and the accuracies of all classes.
    """
    return max(
        _difference(getattr(first, name), getattr(second, name))
        for name in (field.name for field in fields(Evaluation))
    )


def _difference(first: object, second: object) -> float:
    if first is None or second is None:
        return 0.0 if first is second else np.inf
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return np.inf
        return max((_difference(first[key], second[key]) for key in first), default=0.0)
    if isinstance(first, bool | int | float) and isinstance(second, bool | int | float):
        return 0.0 if first == second else abs(float(first) - float(second))
    names = ("unseen", "seen", "harmonic")
    return max(_difference(getattr(first, name), getattr(second, name)) for name in names)


def _rounded(part: PredictedRows, bits: int, cuts: tuple[float, ...]) -> PredictedRows:
    """Return rows sorted by number, with the mantissas of margins rounded to ``bits`` bits."""
    rows = part.select(np.argsort(part.rows, kind="stable"))
    fraction, exponent = np.frexp(rows.margin)
    margin = np.ldexp(np.round(fraction * 2.0**bits) / 2.0**bits, exponent)
    for cut in cuts:
        crossed = (rows.margin > cut) != (margin > cut)
        margin = np.where(crossed, rows.margin, margin)
    return replace(rows, margin=margin)


#: Folder of third-party score matrices, and tolerance for the metrics of their rows.
SCORES, SAME_ROW = Path("../shared/data/gzsl_scores"), 5e-5


def write_board(datasets: Collection[str]) -> None:
    """Write the rows with predictions, and the state of all rows."""
    states = {}
    for path in sorted(BOARD.glob("*.json")):
        entry = read_entry(path.read_bytes(), path.name)
        if entry.spec and (not datasets or entry.data.name in datasets):
            entry = _update_row(path, entry)
        elif not entry.spec:
            _write_scores(path, entry)
        states[path.name] = (fingerprint(path, entry), recompute_state(path, entry).value)
    write_out(STATES, json.dumps(states, indent=0) + "\n")
    values = [state for _, state in states.values()]
    sys.stderr.write(f"{values.count('verified')} of {len(values)} rows verified\n")


def _update_row(path: Path, entry: BoardEntry) -> BoardEntry:
    """Write and return a row with metrics computed from its predictions, if it has any."""
    run = run_of(entry)
    paths = [predictions_path(spec) for spec in (*([run.spec] if run else []), spec_of(entry))]
    file = next((path for path in paths if path.exists()), None)
    if file is None:
        sys.stderr.write(f"{path.name}: no predictions yet\n")
        return entry
    predictions = read_packaged(file)
    before = asdict(entry.figures)
    figures = {
        k: v for k, v in metrics_of_predictions(predictions).items() if before[k] is not None
    }
    changes = {k: v - before[k] for k, v in figures.items() if v is not None}
    if (largest := max(changes, key=lambda k: abs(changes[k]))) and abs(
        changes[largest]
    ) > SAME_ROW:
        sys.stderr.write(f"{path.name}: {largest} changes by {changes[largest]:+.6f}\n")
        run = predictions.provenance
        entry = replace(entry, versions={"zslcore": run.version, "commit": run.commit})
    provenance = predictions.provenance
    entry = replace(
        entry,
        figures=StatedMetrics(**figures),
        gamma=Gamma(provenance.gamma_origin, provenance.gamma)
        if entry.figures.H is not None
        else entry.gamma,
        per_class=_class_metrics(predictions),
        predictions=f"{file.parent.name}/{file.stem}",
    )
    write_out(path, entry.to_json())
    return entry


def _class_metrics(predictions: Predictions) -> dict[str, dict[str, float]]:
    at_gamma = predictions.gamma is not None
    return {
        figure: {name: round(float(value), DIGITS) for name, value in of_class.items()}
        for figure, of_class in classes_of(predictions).items()
        if of_class and (figure != "at_gamma" or at_gamma)
    }


def _write_scores(path: Path, entry: BoardEntry) -> None:
    """Write the predictions of a row from a third-party score matrix, next to the row."""
    file = SCORES / entry.data.name
    if not file.exists():
        return
    matrix, _ = interpret(read_scores(file), ["as-is"])
    if matrix is None:
        raise SystemExit(f"{file.name}: its scores cannot be interpreted.")
    predictions = predictions_of_scores(judge(matrix))
    target = path.with_suffix(".parquet")
    if not target.exists() or target.read_bytes() != predictions_bytes(predictions):
        write_predictions(target, predictions)


#: Maximum bytes of one result.
MAX_BYTES = 5 << 18
CROSSED = ("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL")
#: Closed-form methods in the lesson on AWA1 and AWA2.
TAUGHT = ("LinearV2S", "LinearS2V", "ESZSL")
PAIR = ("simulated-AWA1", "simulated-AWA2")


def write_studies() -> None:
    """Compute and copy missing results, and remove obsolete ones."""
    studies = {study.key: study for study in shipped_studies()}
    for key, study in studies.items():
        if not is_intact(SHIPPED / key):
            shutil.rmtree(SHIPPED / key, ignore_errors=True)
            _copy(_result_folder(study), SHIPPED / key)
    for old in SHIPPED.iterdir():
        if old.name not in studies:
            shutil.rmtree(old)


def _result_folder(study: Study[Any]) -> Path:
    """Compute a study and return the folder of its result."""
    if jobs.finished(study) is None:
        jobs.submit(study)
        jobs.wait(study.key, 3600)
    folder = jobs.finished(study)
    if folder is None:
        raise RuntimeError(f"{study.title}: expected a result; got none.")
    return folder


def _copy(folder: Path, target: Path) -> None:
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != PREVIEW)
    sys.stderr.write(f"{folder.name}: {size:,} bytes\n")
    if size > MAX_BYTES:
        raise RuntimeError(f"{folder.name}: expected at most {MAX_BYTES:,} bytes; got {size:,}.")
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(".*", PREVIEW))


def shipped_studies() -> Iterator[Study[Any]]:
    """Yield the studies with precomputed results."""
    first, second = map(load, PAIR)
    for method in ("tsne", "umap"):
        yield MapStudy.of([first, second], MapSettings(method, n_samples=2000, threads=2))
    yield CrossStudy.of(first, second, "PS", CROSSED)
    for pair in (PAIR, tuple(f"{name}-unplanted" for name in PAIR)):
        yield CrossStudy.of(load(pair[0]), load(pair[1]), "PS", TAUGHT)
    digest = load("digits").digest
    for base in ("ESZSL", "LinearS2V"):
        yield TransductionStudy("digits", "PS", "Propagation", {"base": base}, digest=digest)
    for name, baseline in UNTRAINED.items():
        data = load(name)
        yield OverlapStudy.of(
            [data, load(baseline)], GAIN_METHODS, classes_in_pretraining(data), DRAWS
        )


def classes_in_pretraining(dataset: ZSLDataset) -> list[int]:
    """Return the classes of simulated data in the pre-training set of the extractor.

    For actions, these are the classes annotated by FAIR; otherwise, the classes that are certainly
    in ImageNet-1K.
    """
    if (actions := recognise_actions(dataset.class_names)) is not None:
        return np.flatnonzero(action_facts(actions).overlapping["Kinetics-400"]).tolist()
    names = dataset.class_names
    compared = overlaps(names, get_vocabulary("imagenet-1k"), names)
    return [row.number for row in compared if row.strength == "strong"]


if __name__ == "__main__":
    main()
