"""Checks of a folder of results: each file is assigned to its split, or refused.

The overlap with the pre-training set is *clean*, *overlapping* or *unknown*. Statements in a result
about its feature extractor are not verified. Metrics of ``x.json`` are recomputed from the
predictions in ``x.parquet`` next to it. The package has the predictions of its own results, and
stores the outcomes of their checks with a SHA-256 of both files.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from zslcore.board.entry import MAX_BYTES, BoardEntry, read_entry
from zslcore.datasets import load
from zslcore.datasets.base import part_digest
from zslcore.datasets.facts import benchmark_classes, unseen_classes
from zslcore.datasets.simulated import SIMULATED
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.predictions_file import read_packaged, read_predictions
from zslcore.evaluation.registry import on_board
from zslcore.evaluation.verification import State
from zslcore.exceptions import FileRefusedError, UnknownNameError
from zslcore.leakage.counts import find_trained_classes
from zslcore.leakage.published import KnownSplit, known_splits, verify_claims
from zslcore.leakage.report import KNOWN_CLASSES, Finding, Mark
from zslcore.leakage.vocabularies import get_vocabulary
from zslcore.names import class_key
from zslcore.results.shipped import FOLDER
from zslcore.storage.files import FACTS
from zslcore.texts import clean_text, refusal_of

#: Largest difference from a recomputed metric: ``ROUNDING`` for metrics with at most ``SIX``
#: decimals, ``EXACT`` for metrics with more.
SIX, ROUNDING, EXACT = 6, 1e-6, 1e-9
#: Outcomes of the checks of the package's own results.
STATES = FOLDER / "states.json"

#: Mark of the finding on the overlap with the pre-training set -> overlap in the board's table.
OVERLAPS: Mapping[Mark, str] = {"ok": "clean", "leak": "overlapping", "open": "unknown"}


def overlap_of(names: Sequence[str], pretraining: Sequence[str], benchmark: str = "") -> Finding:
    """Return the finding on unseen classes in the pre-training sets of a feature extractor.

    ``pretraining`` is ("none",) for no pre-training, and empty if unknown; the classes of
    ``benchmark`` resolve ambiguous names. The finding is open if nothing can be compared.
    """
    unlisted = [name for name in pretraining if not _has_list(name)]
    why = ""
    if not pretraining:
        why = "The result does not state the pre-training set of the extractor."
    elif unlisted:
        why = f"The classes of {unlisted[0]} are unknown."
    elif not names:
        why = "The result does not name its unseen classes."
    if why:
        return Finding(KNOWN_CLASSES, "open", why)
    return _match_unseen(tuple(names), tuple(pretraining), benchmark)


def _has_list(name: str) -> bool:
    try:
        return get_vocabulary(name).listed
    except UnknownNameError:
        return False


def unseen_classes_of(entry: BoardEntry) -> tuple[str, ...]:
    """Return the unseen classes that a result names, else those of its published split."""
    if entry.unseen_classes or not entry.data.benchmark:
        return entry.unseen_classes
    return unseen_classes(entry.data.benchmark, next(iter(entry.split.name.split()), ""))


@cache
def _match_unseen(names: tuple[str, ...], vocabularies: tuple[str, ...], benchmark: str) -> Finding:
    """Match class names; resolve ambiguous names with all class names of the benchmark."""
    all_names = benchmark_classes(benchmark) if benchmark else names
    return find_trained_classes(names, list(map(get_vocabulary, vocabularies)), all_names)


#: Largest number of results in a folder.
MAX_FILES = 5_000

#: Split of a result, in this order: a published split, by its rows; the first release of the
#: benchmark's splits, which leaks; rows that both releases share; a split with as many test images
#: as a published split; a split with some parts of a published split; unknown.
SplitKind = Literal["published", "v1", "v1 or 2.0", "by counts", "variant", "unknown"]
#: Title of the finding on the rows of the split.
ROWS = "Rows of the split"
_USE_PUBLISHED = "Use the rows of a published split."


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """Checked result: "verified" if its metrics were recomputed, else "stated".

    ``rows`` is the finding on the rows of its split, ``overlap`` the finding on unseen classes in
    the pre-training set.
    """

    file: str
    entry: BoardEntry
    split_kind: SplitKind
    rows: Finding
    overlap: Finding
    state: State = State.STATED

    @property
    def overlap_word(self) -> str:
        """Overlap as a word: "clean", "overlapping" or "unknown"."""
        return OVERLAPS[self.overlap.mark]


@dataclass(frozen=True, slots=True)
class Board:
    """Results of a folder, and reasons of refused files; ``digest`` covers names and contents."""

    results: tuple[CheckedEntry, ...]
    refused: Mapping[str, str]
    digest: str


def read_board(folder: Path, *, recompute: bool = False) -> Board:
    """Read and check every ``.json`` of a folder, sorted by name.

    With ``recompute``, metrics are recomputed from predictions if available; without it, only
    checked results of the package are *verified*. Raises FileRefusedError for a missing folder, or
    too many files.
    """
    if not folder.is_dir():
        raise FileRefusedError(f"{clean_text(folder)}: expected a folder of results as JSON.")
    paths = sorted(path for path in folder.glob("*.json") if path.is_file())
    if len(paths) > MAX_FILES:
        most = f"at most {MAX_FILES:,} results"
        raise refusal_of(clean_text(folder), most, f"{len(paths):,}")
    results: list[CheckedEntry] = []
    refused: dict[str, str] = {}
    first: dict[str, str] = {}
    sha = hashlib.sha256()
    for path in paths:
        name = clean_text(path.name)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        digest = hashlib.sha256(content).hexdigest()
        sha.update(f"{path.name}\n{digest}\n".encode("utf-8", "surrogateescape"))
        try:
            if first.setdefault(digest, name) != name:
                raise refusal_of(name, "a new result", f"the contents of {first[digest]}")
            result = checked_entry(read_entry(content, name), name)
            state = (recompute_state if recompute else known_state)(path, result.entry)
            results.append(replace(result, state=state))
        except FileRefusedError as error:
            refused[name] = str(error)
    return Board(tuple(results), refused, sha.hexdigest()[:16])


@cache
def packaged_board() -> Board:
    """Return the package's board; every file is checked, and states are read, not recomputed."""
    return read_board(FACTS / "board")


def checked_entry(entry: BoardEntry, file: str) -> CheckedEntry:
    """Return a result with the findings on its split and its extractor."""
    overlap = overlap_of(unseen_classes_of(entry), entry.data.pretraining, entry.data.benchmark)
    return CheckedEntry(file, entry, *check_rows(entry), overlap)


def check_rows(entry: BoardEntry) -> tuple[SplitKind, Finding]:
    """Identify the split of a result by the digests of its parts."""
    digests, split_name = entry.split.parts, entry.split.name
    published = [s for s in known_splits() if s.dataset == entry.data.benchmark]
    if not digests:
        return _by_counts(entry, published)
    shipped_parts = _shipped_parts(entry.data.name).get(split_name, {})
    if shipped_parts and all(shipped_parts.get(part) == digest for part, digest in digests.items()):
        why = f"{split_name} of {entry.data.name}, a data set of the package."
        return _rows_are("published", why)
    same = [s for s in published if all(s.parts.get(p) == d for p, d in digests.items())]
    if same:
        return _by_rows(same, split_name)
    partly = [(s, p) for s in published for p, d in digests.items() if s.parts.get(p) == d]
    if partly:
        split, _ = partly[0]
        agree = [part for split_of_part, part in partly if split_of_part is split]
        why = f"Only {' and '.join(agree)} {'has' if len(agree) == 1 else 'have'} the rows of"
        return _rows_are("variant", f"{why} {split}.", _USE_PUBLISHED)
    return _rows_are("unknown", "Its rows are not those of a published split.", _USE_PUBLISHED)


def _rows_are(
    kind: SplitKind, why: str, advice: str = "Add the digests of its rows."
) -> tuple[SplitKind, Finding]:
    """Return the finding on the rows of a split; ``advice`` is for rows that are not identified."""
    if kind == "published":
        return kind, Finding(ROWS, "ok", why)
    if kind == "v1":
        return kind, Finding(ROWS, "leak", why, "Use PS 2.0.")
    return kind, Finding(ROWS, "open", why, advice)


def _by_rows(same: list[KnownSplit], split_name: str) -> tuple[SplitKind, Finding]:
    """Distinguish releases with the same rows by the name of the split in the result."""
    old = [split for split in same if split.superseded]
    if not old:
        return _rows_are("published", f"{same[0]}, by its rows.")
    if len(old) == len(same):
        return _rows_are("v1", f"{old[0]}, by its rows. {old[0].superseded}")
    if "v1" in split_name.lower():
        return _rows_are("v1", f"{old[0]}, by its rows and its name. {old[0].superseded}")
    named = [split for split in same if split.name == split_name]
    if named:
        return _rows_are("published", f"{named[0]}, by its rows and its name.")
    names = " or ".join(split.name for split in same)
    why = f"{names}: both have these rows, and the result does not state the release."
    return _rows_are("v1 or 2.0", why, "State the release of the split.")


def _by_counts(entry: BoardEntry, published: list[KnownSplit]) -> tuple[SplitKind, Finding]:
    counts = entry.split.counts
    same = [s for s in published if counts and all(s.counts.get(p) == n for p, n in counts.items())]
    if "v1" in entry.split.name.lower():
        return _rows_are(
            "v1", "The result calls its split v1; the digests of its rows are not given."
        )
    if not same:
        return _rows_are("unknown", "The digests of its rows are not given.")
    why = (
        f"The result has as many test images as {same[-1]}; the digests of its rows are not given."
    )
    return _rows_are("by counts", why)


@cache
def _shipped_parts(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return part digests by split for a data set of the package; none for full-size data."""
    if name != "digits" and (name not in SIMULATED or name.endswith("-full")):
        return {}
    return {split.name: split.digests for split in load(name).splits.values()}


# --- Metrics recomputed from predictions ----------------------------------------------------------


def recompute_state(path: Path, entry: BoardEntry) -> State:
    """Recompute the metrics of the result at ``path`` from its predictions.

    The state is STATED without predictions, or without data to check them with. Raises
    FileRefusedError if predictions are unreadable, contradict the result, or give other metrics.
    """
    file = predictions_of_entry(path, entry)
    if file is None:
        return State.STATED
    predictions = read_predictions_of(file)
    check = verify_claims(predictions, file.name)
    wrong = next(_differences(entry, predictions), None)
    if wrong:
        raise FileRefusedError(f"{clean_text(path.name)}, {wrong}.")
    return check.state or State.STATED


def predictions_of_entry(path: Path, entry: BoardEntry) -> Path | None:
    """Return the predictions file of a result, or None.

    Raises FileRefusedError if the result names predictions that are not in the package, or if the
    ``.parquet`` next to it is not a regular file.
    """
    if not entry.predictions:
        return _file_next_to(path)
    file = FOLDER / f"{entry.predictions}.parquet"
    if not file.is_file():
        where = f"{clean_text(path.name)}, predictions"
        raise refusal_of(where, "a predictions file of the package", repr(entry.predictions))
    return file


def _file_next_to(path: Path) -> Path | None:
    """Return the predictions next to a JSON; links, devices, pipes and folders are not opened."""
    file = path.with_suffix(".parquet")
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refusal_of(file, "predictions", error.strerror) from None
    if stat.S_ISREG(mode):
        return file
    kinds = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder"}
    kind_of_file = kinds.get(stat.S_IFMT(mode), "a device")
    raise refusal_of(file, "a predictions file", kind_of_file)


def read_predictions_of(file: Path) -> Predictions:
    """Read the file of :func:`predictions_of_entry`; files of the package need no worker."""
    return read_packaged(file) if file.is_relative_to(FOLDER) else read_predictions(file)


def known_state(path: Path, entry: BoardEntry) -> State:
    """Return the stored state of a result of the package; STATED for any other result."""
    stored = _states().get(path.name)
    if stored is None or stored[0] != fingerprint(path, entry):
        return State.STATED
    return State(stored[1])


def fingerprint(path: Path, entry: BoardEntry) -> str:
    """Return the SHA-256 of a result and its predictions, 16 hex digits."""
    sha = hashlib.sha256(path.read_bytes())
    file = predictions_of_entry(path, entry)
    sha.update(b"" if file is None else file.read_bytes())
    return sha.hexdigest()[:16]


@cache
def _states() -> Mapping[str, tuple[str, str]]:
    if not STATES.is_file():
        return {}
    states: Mapping[str, tuple[str, str]] = json.loads(STATES.read_text(encoding="utf-8"))
    return states


def _differences(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Yield the differences between the JSON and its predictions."""
    yield from _data_differences(entry, predictions)
    yield from _run_differences(entry, predictions)
    test = predictions.test
    of_seen = test.seen[test.y]
    for part, rows in (("test_seen", test.rows[of_seen]), ("test_unseen", test.rows[~of_seen])):
        if part in entry.split.parts and part_digest(rows) != entry.split.parts[part]:
            yield f"split.parts.{part}: expected the rows of its predictions; got other rows"
    recomputed_metrics = metrics_of_predictions(predictions)
    for name, value in asdict(entry.figures).items():
        yield from _metric_difference(f"figures.{name}", value, recomputed_metrics[name])
    for metric, of_class in classes_of(predictions).items():
        for name, value in entry.per_class.get(metric, {}).items():
            field = clean_text(f"per_class.{metric}.{name}", 80)
            yield from _metric_difference(field, value, of_class.get(name))


def _data_differences(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Compare data, split and classes with the statements of the predictions.

    If rows are numbered as in a score file, name and benchmark of the data are not compared.
    """
    run, data, test = predictions.provenance, entry.data, predictions.test
    if run.rows == "benchmark" and (run.dataset or run.benchmark):
        yield from _difference("data.name", run.dataset or data.name, data.name)
        yield from _difference("data.benchmark", run.benchmark, data.benchmark)
        yield from _difference("data.simulated", run.simulated, data.simulated)
        family = [name.split()[:1] for name in (run.split, entry.split.name)]  # without the version
        if run.split and family[0] != family[1]:
            yield from _difference("split.name", run.split, entry.split.name)
    for part in sorted({*entry.split.parts} & {*run.parts} - {"test_seen", "test_unseen"}):
        yield from _difference(f"split.parts.{part}", run.parts[part], entry.split.parts[part])
    of_seen = test.seen[test.y]
    for part, n in (("test_seen", of_seen.sum()), ("test_unseen", (~of_seen).sum())):
        yield from _difference(f"split.counts.{part}", int(n), entry.split.counts.get(part, int(n)))
    if (missing := {*run.pretraining} - {*data.pretraining}) and data.pretraining:
        yield from _difference("data.pretraining", min(missing), ", ".join(data.pretraining))
    yield from _class_difference(entry, predictions)


def _class_difference(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Check that stated unseen classes are candidates, and include all unseen classes tested."""
    if not (stated := {class_key(clean_text(name)) for name in unseen_classes_of(entry)}):
        return
    test, names = predictions.test, predictions.class_names
    unseen = test.classes[~test.seen]
    tested = np.intersect1d(unseen, test.labels)
    candidates, with_images = (
        {class_key(clean_text(names[c])) for c in classes} for classes in (unseen, tested)
    )
    if not with_images <= stated <= candidates:
        odd_classes = sorted(stated - candidates) or sorted(with_images - stated)
        kind_of_class = "the extra class" if odd_classes[0] in stated else "a list without"
        yield (
            f"unseen_classes: expected the classes in its predictions; got {kind_of_class} "
            f"{clean_text(repr(odd_classes[0]), 60)}"
        )


def _run_differences(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Compare method, content, parameters, seed and gamma with the values in the predictions."""
    run = predictions.provenance
    if (entry.gamma.origin, entry.gamma.value) != (run.gamma_origin, run.gamma):
        yield (
            f"gamma: expected {run.gamma} ({run.gamma_origin}), as in its predictions; got "
            f"{entry.gamma.value} ({entry.gamma.origin})"
        )
    yield from _difference("method", run.method or entry.method, entry.method)
    yield from _difference("data.digest", run.digest or entry.data.digest, entry.data.digest)
    seed = (entry.spec or {}).get("seed", run.seed)
    yield from _difference("spec.seed", seed if run.seed is None else run.seed, seed)
    params = entry.parameters.params
    for name in sorted({*run.params} & {*params}):
        field = f"parameters.params.{clean_text(name, 60)}"
        yield from _difference(field, run.params[name], params[name])


def _difference(field: str, expected: object, got: object) -> Iterator[str]:
    if expected != got:
        expected_text, got_text = (clean_text(repr(value), 60) for value in (expected, got))
        yield f"{field}: expected {expected_text}, as in its predictions; got {got_text}"


def _metric_difference(
    name: str, value: float | None, recomputed_value: float | None
) -> Iterator[str]:
    """Compare a metric with the recomputed value, to the decimals of the metric."""
    if value is None:
        return
    most = ROUNDING if round(value, SIX) == value else EXACT
    if recomputed_value is None or not abs(recomputed_value - value) <= most:
        digits = SIX if most == ROUNDING else 12
        expected = "none" if recomputed_value is None else f"{recomputed_value:.{digits}f}"
        yield f"{name}: expected {expected}, from its predictions; got {value:.{digits}f}"


def metrics_of_predictions(predictions: Predictions) -> dict[str, float | None]:
    """Return every metric of the board by name."""
    no_gamma = predictions.gamma is None
    return {
        name: None if no_gamma and metric.at_gamma else metric.of(predictions.evaluation)
        for name, metric in on_board().items()
    }


def classes_of(predictions: Predictions) -> dict[str, dict[str, float]]:
    """Return the accuracy of every class by metric and class name."""
    e, names = predictions.evaluation, predictions.class_names
    of_metric = {"zsl": e.per_class_zsl, "plain": e.per_class_plain, "at_gamma": e.per_class}
    return {
        metric: {names[c]: value for c, value in of_class.items()}
        for metric, of_class in of_metric.items()
    }
