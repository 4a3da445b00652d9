"""ZSL003: rows that are in two parts, repeated, or not there at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.leakage.context import PARTS, TEST_PARTS, TRAIN_PARTS, UNREAD, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.known import published_as
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import counted, listed

__all__ = ["is_ps_v1", "shared_rows"]

#: Names of lists that are trained or validated on.
TRAINS = re.compile(r"train|(?<![a-z])(trn|val)(?![a-z])", re.IGNORECASE)
#: Parts that may share rows: train and val are parts of trainval.
NESTED = ({"trainval", "train"}, {"trainval", "val"})
V1_ADVICE = (
    "Use the second version of the proposed split, or the corrected split; figures computed with "
    "train_loc or val_loc of this file are not comparable with the published tables."
)
LIKE_V1_ADVICE = (
    "Train on trainval alone and choose parameters on parts of it, or use the corrected split; "
    "figures computed with train or val of this file are not comparable with others."
)


def shared_rows(context: AuditContext) -> Iterator[Finding]:
    """ZSL003: out of range, repeated, in two parts, or outside trainval."""
    if not context.parts and context.class_lists:
        raise DatasetError("lists of classes have no rows.")
    yield from _missing_parts(context)
    yield from _out_of_range(context)
    yield from _repeated(context)
    if is_ps_v1(context):
        yield _ps_v1(context)
    else:
        yield from _in_two_parts(context)
        yield from _outside_trainval(context)
    yield from _folds(context)
    yield from _unused(context)
    yield from _other_lists(context)
    yield from _unread(context)


def _missing_parts(context: AuditContext) -> Iterator[Finding]:
    empty = [part for part in ("trainval", "test_unseen") if not context.rows(part).size]
    if empty:
        message = f"No rows in {' and '.join(empty)}."
        yield Finding("ZSL003", Severity.FAIL, message, "Zero-shot learning needs both parts.")


def _out_of_range(context: AuditContext) -> Iterator[Finding]:
    n = context.n_rows
    for part, rows in context.parts.items():
        outside = rows[(rows < 0) | ((rows >= n) if n is not None else False)]
        if not outside.size:
            continue
        limit = f"of {n} images" if n is not None else "of any data set"
        message = f"Outside the rows {limit}: {counted(outside.size, 'row')} of {part}."
        evidence = Evidence.of("Rows, 0-based", ("part", "row"), ((part, r) for r in outside))
        yield Finding(
            "ZSL003", Severity.FAIL, message, _range_advice(context), (evidence,),
            figures={"rows": outside.size},
        )  # fmt: skip


def _range_advice(context: AuditContext) -> str:
    """Report the direction of a shift, if all row numbers fit after one step."""
    rows = np.concatenate(list(context.parts.values()))
    low, high = rows.min(), rows.max()
    last = np.inf if context.n_rows is None else context.n_rows - 1
    if low == -1 and high < last:
        return "The numbers start at 0 where the layout starts at 1: add 1 to all of them."
    if low >= 1 and high == last + 1:
        return "The numbers are too large by one: the layout starts at 1, not at 2."
    return "Check that the split belongs to these features."


def _repeated(context: AuditContext) -> Iterator[Finding]:
    for part, rows in context.parts.items():
        unique, count = np.unique(rows, return_counts=True)
        again = unique[count > 1]
        if again.size:
            message = f"Listed more than once in {part}: {counted(again.size, 'row')}."
            evidence = Evidence.of(
                "Rows, 0-based",
                ("part", "row", "times"),
                zip([part] * again.size, again, count[count > 1], strict=True),
            )
            yield Finding(
                "ZSL003", Severity.WARN, message, "List every row once.", (evidence,),
                tuple(again.tolist()), figures={"rows": again.size},
            )  # fmt: skip


def is_ps_v1(context: AuditContext) -> bool:
    """Whether this is the first release of the proposed split.

    Its train and val together are trainval and every row of test_seen; everything else is right.
    """
    if not set(PARTS) <= set(context.parts):
        return False
    trainval, seen, unseen = (context.rows(p) for p in ("trainval", *TEST_PARTS))
    used = context.rows("train", "val")
    clean = not np.intersect1d(trainval, np.union1d(seen, unseen)).size
    return bool(clean and seen.size and np.array_equal(used, np.union1d(trainval, seen)))


def _ps_v1(context: AuditContext) -> Finding:
    seen = context.rows("test_seen")
    train, val = (np.isin(seen, context.rows(part)) for part in ("train", "val"))
    table = [
        (row, context.class_of(row), " and ".join(p for p, x in (("train", a), ("val", b)) if x))
        for row, a, b in zip(seen, train, val, strict=True)
    ]
    leak = (
        f"all {seen.size:,} rows of test_seen are also in train or val ({train.sum():,} in train, "
        f"{val.sum():,} in val)"
    )
    # Only the benchmark's own rows are called by the name of its split.
    message, advice = f"{leak.capitalize()}, while trainval is clean.", LIKE_V1_ADVICE
    if any(split.name == "PS v1" for split in published_as(context)):
        message, advice = f"PS v1, the first release of the proposed split: {leak}.", V1_ADVICE
    evidence = Evidence.of("Rows of test_seen, 0-based", ("row", "class", "also in"), table)
    figures = {"rows": seen.size, "in_train": int(train.sum()), "in_val": int(val.sum())}
    return Finding(
        "ZSL003", Severity.FAIL, message, advice, (evidence,), tuple(seen.tolist()),
        figures=figures,
    )  # fmt: skip


def _in_two_parts(context: AuditContext) -> Iterator[Finding]:
    present = [part for part in PARTS if part in context.parts]
    for a, b in combinations(present, 2):
        if {a, b} in NESTED:
            continue
        both = np.intersect1d(context.rows(a), context.rows(b))
        if both.size:
            yield _shared(context, a, b, both)


def _shared(context: AuditContext, a: str, b: str, both: np.ndarray) -> Finding:
    leaks = a in TRAIN_PARTS and b in TEST_PARTS
    what = f"Tested in {b} and trained on in {a}" if leaks else f"In {a} and in {b}"
    message = f"{what}: {counted(both.size, 'row')}."
    evidence = Evidence.of(
        "Rows, 0-based", ("row", "class"), ((row, context.class_of(row)) for row in both)
    )
    advice = "Keep each row in one part; the corrected split does."
    return Finding(
        "ZSL003", Severity.FAIL, message, advice, (evidence,), tuple(both.tolist()),
        figures={"rows": both.size},
    )  # fmt: skip


def _outside_trainval(context: AuditContext) -> Iterator[Finding]:
    if "trainval" not in context.parts or not {"train", "val"} & set(context.parts):
        return
    tested = context.rows("trainval", *TEST_PARTS)
    stray = np.setdiff1d(context.rows("train", "val"), tested)
    if stray.size:
        message = f"In train or val but not in trainval: {counted(stray.size, 'row')}."
        yield Finding(
            "ZSL003", Severity.WARN, message, "Let trainval be train and val together.",
            rows=tuple(stray.tolist()), figures={"rows": stray.size},
        )  # fmt: skip


def _folds(context: AuditContext) -> Iterator[Finding]:
    tested, trainval = context.rows(*TEST_PARTS), context.rows("trainval")
    for k, (train, val) in enumerate(context.fold_rows):
        used = np.union1d(train, val)
        for rows, what in (
            (np.intersect1d(used, tested), "tested"),
            (np.intersect1d(train, val), "both trained and validated on"),
            (np.setdiff1d(used, np.union1d(trainval, tested)), "not in trainval"),
        ):
            if rows.size:
                message = f"Fold {k + 1}, {what}: {counted(rows.size, 'row')}."
                yield Finding(
                    "ZSL003", Severity.FAIL, message, "Let folds part the rows of trainval.",
                    rows=tuple(rows.tolist()), figures={"rows": rows.size},
                )  # fmt: skip


def _unused(context: AuditContext) -> Iterator[Finding]:
    if context.n_rows is None:
        return
    unused = context.n_rows - context.rows(*PARTS).size
    if unused > 0:
        message = f"In no part: {counted(unused, 'image')}."
        yield Finding("ZSL003", Severity.INFO, message, figures={"rows": unused})


def _other_lists(context: AuditContext) -> Iterator[Finding]:
    """Compare the lists of a file that are no part of the split with the test parts.

    What a program trains on its file does not say: one that is named for training and holds test
    rows trains on the test.
    """
    tested, harmless = context.rows(*TEST_PARTS), []
    for name, rows in context.other_lists.items():
        both = np.intersect1d(rows, tested)
        if not (both.size and TRAINS.search(name)):
            harmless.append(name)
            continue
        held = [
            f"{n:,} of {context.rows(part).size:,} rows of {part}"
            for part in TEST_PARTS
            if (n := np.intersect1d(both, context.rows(part)).size)
        ]
        message = f"{name}, a list named for training, holds {' and '.join(held)}."
        advice = "Train on trainval, and ask which list the results were trained on."
        evidence = Evidence.of(
            "Rows, 0-based", ("row", "class"), ((row, context.class_of(row)) for row in both)
        )
        yield Finding(
            "ZSL003", Severity.FAIL, message, advice, (evidence,), tuple(both.tolist()),
            figures={"rows": both.size},
        )  # fmt: skip
    if harmless:
        message = f"No part of the split, and no training list with test rows: {listed(harmless)}."
        yield Finding("ZSL003", Severity.INFO, message)


def _unread(context: AuditContext) -> Iterator[Finding]:
    """Name the variables that no check has read."""
    if names := context.facts.get(UNREAD):
        message = f"Not read, and not checked: {names}."
        yield Finding("ZSL003", Severity.INFO, message)
