"""ZSL004 and ZSL005: the same image, or nearly the same, in training and in the test set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.context import TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.neighbours import identical_rows, near_rows
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import counted

__all__ = ["identical_features", "leaking_groups", "near_duplicates"]

ADVICE = "Look at the images; the corrected split takes such rows out of training."


def identical_features(context: AuditContext) -> Iterator[Finding]:
    """ZSL004: rows of zeros, and groups of equal rows that reach over two parts."""
    group, zero = identical_rows(context.known_features)
    used = context.rows(*TRAIN_PARTS, *TEST_PARTS)
    empty = used[zero[used]]
    if empty.size:
        message = f"Without features, all zero: {counted(empty.size, 'image')}."
        advice = "Extract the features of these images again."
        yield Finding("ZSL004", Severity.WARN, message, advice, rows=tuple(empty.tolist()))
    for part in TEST_PARTS:
        yield from _trained_and_tested(context, group, part)
    both = _groups_of(context, group, "test_seen") & _groups_of(context, group, "test_unseen")
    if both:
        rows = np.flatnonzero(np.isin(group, list(both)))
        n = counted(len(both), "image")
        message = f"In test_seen and, under another number, in test_unseen: {n}."
        yield _finding(context, Severity.WARN, message, rows, group)
    within = len(_groups_of(context, group, *TRAIN_PARTS, *TEST_PARTS))
    if within and not both and not leaking_groups(context, group).size:
        message = f"More than once, but never in two parts: {counted(within, 'image')}."
        yield Finding("ZSL004", Severity.INFO, message, figures={"groups": within})


def _groups_of(context: AuditContext, group: np.ndarray, *parts: str) -> set[int]:
    return set(group[context.rows(*parts)].tolist()) - {-1}


def leaking_groups(context: AuditContext, group: np.ndarray) -> np.ndarray:
    """Return the numbers of groups with a training row and a test row."""
    trained = _groups_of(context, group, *TRAIN_PARTS)
    return np.array(sorted(trained & _groups_of(context, group, *TEST_PARTS)), dtype=np.intp)


def _trained_and_tested(context: AuditContext, group: np.ndarray, part: str) -> Iterator[Finding]:
    both = _groups_of(context, group, part) & _groups_of(context, group, *TRAIN_PARTS)
    # A row that is itself in both parts is ZSL003's.
    tested = np.setdiff1d(context.rows(part), context.rows(*TRAIN_PARTS))
    rows = tested[np.isin(group[tested], list(both))]
    if not rows.size:
        return
    share = rows.size / len(context.rows(part))
    severity = Severity.FAIL if share > context.thresholds.share else Severity.WARN
    message = (
        f"With exactly the features of a training row: {counted(rows.size, 'row')} of {part} "
        f"({share:.2%})."
    )
    trained = context.rows(*TRAIN_PARTS)
    trained = trained[np.isin(group[trained], group[rows])]
    yield _finding(context, severity, message, np.union1d(rows, trained), group)


def _finding(
    context: AuditContext, severity: Severity, message: str, rows: np.ndarray, group: np.ndarray
) -> Finding:
    parts = {p: context.rows(p) for p in (*TRAIN_PARTS, *TEST_PARTS) if p in context.parts}
    rows = rows[np.argsort(group[rows], kind="stable")]
    table = [
        (g, row, context.class_of(row), ", ".join(p for p, r in parts.items() if row in r))
        for g, row in zip(group[rows][:100], rows[:100], strict=True)
    ]
    evidence = Evidence(
        "Equal rows, 0-based", ("group", "row", "class", "parts"),
        Evidence.of("", (), table).rows, len(rows),
    )  # fmt: skip
    return Finding(
        "ZSL004", severity, message, ADVICE, (evidence,), tuple(np.sort(rows).tolist()),
        figures={"rows": len(rows)},
    )  # fmt: skip


def near_duplicates(context: AuditContext) -> Iterator[Finding]:
    """ZSL005: test rows far nearer to a training row than is usual, pairs listed."""
    train = context.rows(*TRAIN_PARTS)
    test = np.setdiff1d(context.rows(*TEST_PARTS), train)
    if not train.size or not test.size:
        return
    limits = context.thresholds
    near = near_rows(context.known_features, train, test, near=limits.near, alone=limits.alone)
    differ = near.distance > 0  # equal rows are ZSL004's
    if not differ.any():
        return
    share = differ.sum() / len(test)
    shares = np.round([near.distance / near.median, near.distance / near.crowd], 4).T
    table = [
        (a, context.class_of(a), b, context.class_of(b), *of_usual)
        for a, b, of_usual in zip(
            near.test[differ], near.train[differ], shares[differ], strict=True
        )
    ]
    message = (
        f"Nearer to a training row than {limits.near:g} times the usual distance (median "
        f"{near.median:.4g}) and {limits.alone:g} times that to the tenth nearest: "
        f"{counted(int(differ.sum()), 'test row')} ({share:.2%})."
    )
    columns = ("test row", "class", "training row", "its class", "distance / median",
               "distance / tenth")  # fmt: skip
    yield Finding(
        "ZSL005", Severity.FAIL if share > limits.share else Severity.WARN, message, ADVICE,
        (Evidence.of("Pairs, nearest first, rows 0-based", columns, table),),
        tuple(np.sort(near.test[differ]).tolist()),
        figures={"pairs": int(differ.sum()), "median": near.median},
    )  # fmt: skip
