"""Checks ZSL004 and ZSL005: equal and nearly equal images in training and test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.checks.base import check, finding, leak, ok, open_, warning
from zslcore.leakage.context import TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.neighbours import identical_rows, near_rows, normalised_side
from zslcore.leakage.report import Evidence, Finding, Mark
from zslcore.numbers import counted, percent

ADVICE = "Inspect the images; the corrected split removes such rows from training."
ADVICE_ON_TESTS = "Inspect the images: if they are the same, one of them has the wrong class."


@check(
    "ZSL004",
    "Identical feature rows across the parts",
    "No test image has exactly the features of a training image.",
    "features",
    compares=(TRAIN_PARTS, TEST_PARTS),
)
def identical_features(context: AuditContext) -> Iterator[Finding]:
    """Report rows of zeros, and rows of two parts that are equal, or equal up to scale."""
    group, zero = identical_rows(context.required_features)
    directions, _ = identical_rows(context.required_features, scaled=True)
    trained, used = context.rows(*TRAIN_PARTS), context.rows(*TRAIN_PARTS, *TEST_PARTS)
    if (empty := used[zero[used]]).size:
        text = (
            f"{counted(empty.size, 'image has', 'images have')} no features: all values are zero."
        )
        yield warning(text, "Extract the features of these images again.", rows=empty)
    for part in TEST_PARTS:
        # ZSL003 reports row numbers that are in both parts.
        tested = np.setdiff1d(context.rows(part), trained)
        for groups, how in ((group, "in all features"), (directions, "up to scale")):
            rows = tested[np.isin(groups[tested], groups_in(context, groups, *TRAIN_PARTS))]
            tested = np.setdiff1d(tested, rows)
            if rows.size:
                verb = "equals" if rows.size == 1 else "equal"
                share = rows.size / len(context.rows(part))
                equal_rows = trained[np.isin(groups[trained], groups[rows])]
                yield _finding_on_equal_rows(
                    context,
                    "leak",
                    f"{counted(rows.size, 'row')} of {part} ({percent(share, 2)}) {verb} a "
                    f"training row {how}.",
                    np.union1d(rows, equal_rows),
                    groups,
                    share,
                )
    seen, unseen = (groups_in(context, group, part) for part in TEST_PARTS)
    both = np.intersect1d(seen, unseen)
    if both.size:
        equal = counted(both.size, "group of equal rows is", "groups of equal rows are")
        text = f"{equal} in both test_seen and test_unseen."
        rows = np.flatnonzero(np.isin(group, both))
        yield _finding_on_equal_rows(context, "warning", text, rows, group, advice=ADVICE_ON_TESTS)
    n = groups_in(context, group, *TRAIN_PARTS, *TEST_PARTS).size
    if n and not both.size and not leaking_groups(context, group).size:
        equal = counted(n, "group of equal rows is", "groups of equal rows are each")
        text = f"{equal} within training or within one test part."
        yield ok(text, numbers={"groups": n})


def groups_in(context: AuditContext, group: np.ndarray, *parts: str) -> np.ndarray:
    """Return the groups of equal rows that have a row in one of the parts."""
    groups = np.unique(group[context.rows(*parts)])
    return groups[groups >= 0]


def leaking_groups(context: AuditContext, group: np.ndarray) -> np.ndarray:
    """Return the groups with a training row and a test row."""
    trained, tested = (groups_in(context, group, *parts) for parts in (TRAIN_PARTS, TEST_PARTS))
    return np.intersect1d(trained, tested)


def _finding_on_equal_rows(
    context: AuditContext,
    mark: Mark,
    sentence: str,
    rows: np.ndarray,
    group: np.ndarray,
    share: float | None = None,
    advice: str = ADVICE,
) -> Finding:
    parts = [p for p in (*TRAIN_PARTS, *TEST_PARTS) if p in context.parts]
    rows = rows[np.argsort(group[rows], kind="stable")]
    inside = {part: np.isin(rows, context.rows(part)) for part in parts}
    table = [
        (group[row], row, context.class_of(row), ", ".join(p for p in parts if inside[p][k]))
        for k, row in enumerate(rows)
    ]
    evidence = Evidence.of("Equal rows, 0-based", ("group", "row", "class", "parts"), table)
    return finding(mark, sentence, advice, evidence, rows, numbers={"rows": len(rows)}, value=share)


@check(
    "ZSL005",
    "Near-duplicates across the parts",
    "No test image is nearly equal to a training image.",
    "features",
    compares=(TRAIN_PARTS, TEST_PARTS),
)
def near_duplicates(context: AuditContext) -> Iterator[Finding]:
    """Report pairs of a test row and an unusually near training row."""
    train, limits = context.rows(*TRAIN_PARTS), context.thresholds
    test = np.setdiff1d(context.rows(*TEST_PARTS), train)
    if not train.size or not test.size:
        return
    if (side := normalised_side(context.required_features, train, test)) is not None:
        text = (
            f"Only the {side} rows all have the same Euclidean length, so no row is near a row of "
            "the other side."
        )
        yield open_(text, "Scale the features of all parts in the same way, and check again.")
        return
    near = near_rows(context.required_features, train, test, near=limits.near, alone=limits.alone)
    differ = near.distance > 0  # ZSL004 reports equal rows
    if not (n := int(differ.sum())):
        return
    a, b, distance = near.test[differ], near.train[differ], near.distance[differ]
    ratios = [np.round(distance / usual, 4) for usual in (near.median, near.crowd[differ])]
    table = zip(a, map(context.class_of, a), b, map(context.class_of, b), *ratios, strict=True)
    columns = (
        "test row",
        "class",
        "training row",
        "its class",
        "distance / median",
        "distance / tenth nearest",
    )
    share, verb = n / len(test), "is" if n == 1 else "are"
    yield leak(
        f"{counted(n, 'test row')} ({percent(share, 2)}) {verb} unusually close "
        f"to a training row: below {limits.near:g} times the median distance of {near.median:.4g}, "
        f"and {limits.alone:g} times the distance to the tenth nearest training row.",
        ADVICE,
        Evidence.of("Pairs, nearest first, rows 0-based", columns, table),
        a,
        numbers={"pairs": n, "median": near.median},
        value=share,
    )
