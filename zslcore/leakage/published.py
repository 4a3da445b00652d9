"""Published splits and test sets: recognition, facts about their rows, and checks of predictions.

A split is recognised by the digest of its file, or by all rows of a part: parts of the known splits
have at least a thousand rows, so another split does not agree by chance. If only some classes have
changed sides, no part agrees, but the split may be near the known split (:func:`nearest_split`). A
test set is recognised by its numbers of images per class: it has all images of the unseen classes,
and a known number of images of each seen class. No two known test sets have the same numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.base import part_digest
from zslcore.datasets.facts import (
    RowFacts,
    benchmark_classes,
    class_columns,
    fact_sources,
    row_facts,
)
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.verification import Reference, Verification, verify_predictions
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage.context import SPLIT_PARTS, AuditContext
from zslcore.leakage.photographs import Photographs
from zslcore.names import class_key, positions_of
from zslcore.storage.files import FACTS
from zslcore.texts import clean_text

#: Limits for a split near a known split: largest share of test_unseen rows in incomplete classes,
#: and smallest Jaccard index of the rows on each side.
MAX_INCOMPLETE, MIN_JACCARD = 0.1, 0.5
#: Key in the facts of a context; its value lists the fields filled in from a benchmark.
FILLED_IN = "filled in from the benchmark"
#: Field of a context that may be filled in -> its name in messages.
TITLES_OF_FIELDS = {
    "labels": "class of each row",
    "class_names": "class names",
    "photographs": "photograph of each row",
}


@dataclass(frozen=True, slots=True, eq=False)
class KnownSplit:
    """Published split file, with its data set, such as "AWA1", and its name, such as "PS 2.0".

    ``parts`` has the digest of the rows of each part, ``counts`` the number of rows. ``superseded``
    is the reason not to use the split, if any.
    """

    dataset: str
    name: str
    sha256: str
    parts: Mapping[str, str]
    counts: Mapping[str, int]
    superseded: str = ""

    def __str__(self) -> str:
        return f"{self.dataset} {self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class NearSplit:
    """Known split that differs from the split under review by a few classes.

    ``shares`` has the Jaccard index of test_unseen, and of trainval and test_seen together;
    ``same`` is the share of all rows on the same side in both splits. ``now_unseen`` names the
    classes that became unseen, ``now_seen`` the classes that became seen.
    """

    dataset: str
    name: str
    shares: Mapping[str, float]
    same: float
    now_unseen: tuple[str, ...]
    now_seen: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.dataset} {self.name}"


@cache
def known_splits() -> tuple[KnownSplit, ...]:
    """Return the split files of ``data/known_splits.toml``."""
    entries = tomllib.loads((FACTS / "known_splits.toml").read_text(encoding="utf-8"))["split"]
    return tuple(KnownSplit(**entry) for entry in entries)


def find_published_splits(context: AuditContext) -> tuple[KnownSplit, ...]:
    """Return the known splits that agree in all given parts: several if they share these parts."""
    this_file = [s for s in known_splits() if s.sha256 and s.sha256 == context.file_digest]
    agree = match_parts(context)
    return tuple(this_file or [split for split, (_, differing) in agree.items() if not differing])


def match_parts(context: AuditContext) -> dict[KnownSplit, tuple[list[str], list[str]]]:
    """Map each known split with at least one equal part to (equal parts, different parts)."""
    parts = {part: context.parts[part] for part in SPLIT_PARTS if part in context.parts}
    own_digests = {part: part_digest(rows) for part, rows in parts.items() if rows.size}
    agree = {}
    for split in known_splits():
        same = [part for part in own_digests if split.parts.get(part) == own_digests[part]]
        if same:
            agree[split] = same, [part for part in own_digests if part not in same]
    return agree


def benchmark_of_rows(context: AuditContext) -> str | None:
    """Return the benchmark to which the row numbers of a split refer; None if unknown.

    It is known if the file is published, if one whole part agrees with a known split, or if the
    split is near a known split. An equal number of rows is not enough evidence.
    """
    if context.simulated:
        return None
    datasets = {split.dataset for split in (*find_published_splits(context), *match_parts(context))}
    if not datasets and (near := nearest_split(context)):
        return near.dataset
    return datasets.pop() if len(datasets) == 1 else None


# --- Near a known split ---------------------------------------------------------------------------


def nearest_split(context: AuditContext) -> NearSplit | None:
    """Return the nearest published split; None if no published split is near.

    By the labels of the benchmark, test_unseen must consist of whole classes, except for a few
    rows. Rows of another data set, or rows in another order, would be scattered over the classes.
    """
    if context.simulated or not all(context.rows(p).size for p in ("trainval", "test_unseen")):
        return None
    if find_shift(context):
        return None
    candidates = [
        near
        for dataset in dict.fromkeys(split.dataset for split in known_splits())
        for near in _near_splits(context, dataset)
    ]
    return max(candidates, key=lambda near: near.same, default=None)


def _near_splits(context: AuditContext, dataset: str) -> Iterator[NearSplit]:
    """Yield PS and SS of a benchmark, each only if the split is near it."""
    if dataset not in fact_sources():
        return
    facts, classes = row_facts(dataset), class_columns(dataset)
    names, y = benchmark_classes(dataset), facts.labels
    tested, seen = context.rows("test_unseen"), context.rows("trainval", "test_seen")
    if not _names_and_labels_fit(context, facts, names) or max(tested.max(), seen.max()) >= len(y):
        return
    share = np.bincount(y[tested], minlength=len(names)) / np.bincount(y, minlength=len(names))
    if (share[y[tested]] < 1).mean() > MAX_INCOMPLETE:
        return
    unseen = share > 0.5
    for name in ("PS", "SS"):
        published = classes[name.lower()] == "test"
        unseen_rows, seen_rows = np.flatnonzero(published[y]), np.flatnonzero(~published[y])
        shares = {
            "trainval and test_seen": _jaccard(seen, seen_rows),
            "test_unseen": _jaccard(tested, unseen_rows),
        }
        if min(shares.values()) < MIN_JACCARD:
            continue
        both = np.isin(tested, unseen_rows).sum() + np.isin(seen, seen_rows).sum()
        same = float(both / np.union1d(tested, seen).size)
        now_unseen, now_seen = (
            tuple(names[c] for c in np.flatnonzero(moved))
            for moved in (unseen & ~published, published & ~unseen)
        )
        yield NearSplit(dataset, name, shares, same, now_unseen, now_seen)


def _names_and_labels_fit(context: AuditContext, facts: RowFacts, names: tuple[str, ...]) -> bool:
    """Whether given names and labels agree with those of the benchmark."""
    differing_names = {class_key(name) for name in context.class_names} ^ {
        class_key(n) for n in names
    }
    return not (context.class_names and differing_names) and _labels_fit(context, facts)


def _jaccard(rows: np.ndarray, other_rows: np.ndarray) -> float:
    """Return the Jaccard index of two sets of rows, in [0, 1]."""
    n_common = np.intersect1d(rows, other_rows).size
    return n_common / max(1, rows.size + other_rows.size - n_common)


def find_shift(context: AuditContext) -> tuple[KnownSplit, int] | None:
    """Return the known split that agrees if all row numbers are shifted, and the shift, 1 or -1."""
    for shift in (1, -1):
        moved = {part: rows + shift for part, rows in context.parts.items()}
        if min((rows.min() for rows in moved.values() if rows.size), default=-1) >= 0:
            splits = [
                split
                for split, (_, differing) in match_parts(replace(context, parts=moved)).items()
                if not differing
            ]
            if splits:
                return splits[-1], shift
    return None


def fill_in_from_benchmark(context: AuditContext) -> AuditContext:
    """Fill in missing fields of a context from the known facts about the rows of its benchmark.

    Nothing is filled in if the given labels group the rows differently from the labels of the
    benchmark, because the images must then be different.
    """
    dataset = benchmark_of_rows(context)
    facts = row_facts(dataset) if dataset else None
    if facts is None or not _labels_fit(context, facts):
        return context
    names = benchmark_classes(facts.dataset)
    facts_of_field = {
        "labels": _labels(context, facts.labels, names),
        "class_names": _class_names(context, facts.labels, names),
        "photographs": _photographs(facts),
    }
    filled_in: dict[str, Any] = {
        field: value
        for field, value in facts_of_field.items()
        if value is not None and context.lacks(field)
    }
    if not filled_in:
        return context
    added = f"{facts.dataset}: {', '.join(TITLES_OF_FIELDS[field] for field in filled_in)}"
    all_facts = {**context.facts, FILLED_IN: added}
    return replace(context, n_rows=len(facts.labels), facts=all_facts, **filled_in)


def _labels_fit(context: AuditContext, facts: RowFacts) -> bool:
    """Whether the number of rows and the labels, if given, agree with the benchmark."""
    n = len(facts.labels)
    if context.n_rows not in (None, n):
        return False
    if context.labels is None:
        return True
    y = facts.labels
    pairs = np.unique(context.labels.astype(np.int64) * (y.max() + 1) + y)
    return len(pairs) == len(np.unique(context.labels)) == len(np.unique(y))


def _labels(context: AuditContext, y: np.ndarray, names: tuple[str, ...]) -> np.ndarray | None:
    """Return the benchmark's labels in the class order of the file; None if the classes differ."""
    if not context.class_names:
        return y
    order, keys = positions_of(names, context.class_names), {*map(class_key, context.class_names)}
    return None if -1 in order or len(keys) != len(names) else order[y]


def _class_names(
    context: AuditContext, y: np.ndarray, names: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return the class names in the order of the given labels; None if a class has no rows."""
    if context.labels is None:
        return names
    classes, first = np.unique(context.labels, return_index=True)
    if classes[-1] >= len(classes):
        return None
    return tuple(names[c] for c in y[first])


def _photographs(facts: RowFacts) -> Photographs | None:
    if facts.photographs is None:
        return None
    return Photographs(facts.photographs, f"names released with {facts.dataset}")


@dataclass(frozen=True, eq=False)
class KnownTest:
    """Test set of a published split; ``counts`` has the number of test images of each class."""

    benchmark: str
    split: str
    class_names: tuple[str, ...]
    counts: np.ndarray
    unseen: np.ndarray


@cache
def known_tests() -> tuple[KnownTest, ...]:
    """Return the test sets of the standard and proposed splits of the five benchmarks."""
    tests = []
    for benchmark in fact_sources():
        classes, names = class_columns(benchmark), benchmark_classes(benchmark)
        for split in ("PS", "SS"):
            unseen = classes[split.lower()] == "test"
            n_test_seen = classes["test_seen"] if split == "PS" else 0
            counts = np.where(unseen, classes["images"], n_test_seen)
            tests.append(KnownTest(benchmark, split, names, counts, unseen))
    return tuple(tests)


def recognise_test(y: np.ndarray, n_classes: int) -> KnownTest | None:
    """Return the published test set with the same number of images per class, if any.

    ``y`` is an int array of shape (n_images,), classes numbered as in the benchmark.
    """
    if len(y) and not 0 <= y.min() <= y.max() < n_classes:
        return None
    counts = np.bincount(y, minlength=n_classes)
    for test in known_tests():
        if np.array_equal(test.counts, counts):
            return test
    return None


def verify_claims(
    predictions: Predictions,
    name: str,
    load: Callable[[str], ZSLDataset] = load,
    *,
    refuse_wrong: bool = True,
) -> Verification:
    """Compare the claims of predictions with the data, if available.

    ``load`` raises ZSLError for data that must not be used for the comparison. With
    ``refuse_wrong``, a wrong claim raises FileRefusedError; its message begins with ``name``.
    """
    check = verify_predictions(predictions, _reference_for(predictions, load))
    if check.reasons and refuse_wrong:
        raise FileRefusedError(f"{clean_text(name)}, {check.reasons[0]}")
    return check


def _reference_for(predictions: Predictions, load: Callable[[str], ZSLDataset]) -> Reference | None:
    """Return the reference from data with the claimed digest, or from the named benchmark."""
    claimed = predictions.provenance
    if claimed.digest:
        with suppress(ZSLError):
            dataset = load(claimed.dataset).require_digest(claimed.digest)
            return Reference.of(dataset, dataset.split(claimed.split))
    return _reference_of_benchmark(predictions)


def _reference_of_benchmark(predictions: Predictions) -> Reference | None:
    """Return the reference for the benchmark and split named in predictions; None if unknown."""
    benchmark, split = predictions.provenance.benchmark, predictions.provenance.split
    tests = {(k.benchmark, k.split): k for k in known_tests()}
    released = {(s.dataset, s.name.split()[0]): s for s in known_splits() if not s.superseded}
    key = benchmark, split.split()[0] if split else ""
    if key not in tests or key not in released:
        return None
    test = tests[key]
    order = positions_of(test.class_names, predictions.class_names)
    if (order < 0).any() or len(order) != len(predictions.class_names):
        return None  # the class names are not those of the benchmark
    return Reference(
        name=f"{benchmark} {split}",
        labels=order[row_facts(benchmark).labels],
        class_names=predictions.class_names,
        unseen_classes=np.sort(order[test.unseen]),
        parts=released[key].parts,
    )
