"""ZSL001 and ZSL002: the same class on two sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.context import TRAIN_PARTS, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import counted, listed

__all__ = ["fold_classes", "seen_and_unseen"]

#: Share of rows beyond the last label up to which they are strays, and the labels are the split's.
STRAY_SHARE = 0.01
#: Advice where the labels cannot be those of the split, so that classes are not the fault.
OF_OTHERS = (
    "Give the labels of these images: the split has rows beyond the last label (ZSL003), and what "
    "class a row is of is not known before."
)


def seen_and_unseen(context: AuditContext) -> Iterator[Finding]:
    """ZSL001: an unseen class with rows of a training part or of test_seen."""
    seen = context.seen_classes
    if context.labels is not None:
        seen = context.classes(*TRAIN_PARTS, "test_seen")
    if seen is None:
        return
    both = np.intersect1d(seen, context.known_unseen_classes)
    if both.size:
        yield _both(context, both)
    yield from _declared(context)
    yield from _untrained(context)


def _both(context: AuditContext, both: np.ndarray) -> Finding:
    names = context.names(both)
    evidence: tuple[Evidence, ...] = ()
    rows: tuple[int, ...] = ()
    advice = "Take these classes out of training, or out of test_unseen."
    if context.labels is not None:
        parts = [
            part for part in (*TRAIN_PARTS, "test_seen", "test_unseen") if part in context.parts
        ]
        counts = {p: np.bincount(context.labels[context.rows(p)]) for p in parts}
        table = [
            (name, *(n[c] if c < len(n) else 0 for n in counts.values()))
            for c, name in zip(both, names, strict=True)
        ]
        evidence = (Evidence.of("Rows of these classes", ("class", *parts), table),)
        tested = context.rows("test_unseen")
        rows = tuple(tested[np.isin(context.labels[tested], both)].tolist())
        if _of_others(context):
            advice = OF_OTHERS
        elif _off_by_one(context):
            advice = "Row numbers look off by one: shifted by one, no class is on both sides."
    message = f"Both seen and unseen: {counted(len(both), 'class', 'classes')} ({listed(names)})."
    return Finding(
        "ZSL001", Severity.FAIL, message, advice, evidence, rows, names, {"classes": len(both)}
    )


def _of_others(context: AuditContext) -> bool:
    """Whether the split numbers rows that the labels do not have: they are of other images."""
    if context.labels is None or context.n_rows is None:
        return False
    rows = np.unique(np.concatenate([*context.parts.values(), np.empty(0, np.intp)]))
    return bool((rows >= context.n_rows).sum() > max(1, STRAY_SHARE * rows.size))


def _off_by_one(context: AuditContext) -> bool:
    """Whether shifting all row numbers by one takes every class off the other side."""
    labels = context.known_labels
    train, test = context.rows(*TRAIN_PARTS, "test_seen"), context.rows("test_unseen")
    for shift in (-1, 1):
        a, b = train + shift, test + shift
        a, b = (rows[(rows >= 0) & (rows < len(labels))] for rows in (a, b))
        if a.size and b.size and not np.intersect1d(labels[a], labels[b]).size:
            return True
    return False


def _declared(context: AuditContext) -> Iterator[Finding]:
    """Yield contradictions of the class lists with themselves or with the rows."""
    lists = context.class_lists
    if context.labels is None or not {"seen", "unseen"} <= set(lists):
        return
    both = np.intersect1d(lists["seen"], lists["unseen"])
    if both.size:
        names = context.names(both)
        message = f"The class lists call {listed(names)} both seen and unseen."
        yield Finding("ZSL001", Severity.FAIL, message, "Correct the lists.", classes=names)
    stray = np.setdiff1d(context.known_unseen_classes, lists["unseen"])
    if stray.size:
        names = context.names(stray)
        message = (
            f"test_unseen has rows of {listed(names)}, which the class lists do not name unseen."
        )
        advice = OF_OTHERS if _of_others(context) else "Correct the lists or the rows."
        yield Finding("ZSL001", Severity.WARN, message, advice, classes=names)


def _untrained(context: AuditContext) -> Iterator[Finding]:
    """Seen test images of classes that nothing was trained on."""
    if context.labels is None or not context.rows(*TRAIN_PARTS).size:
        return
    missing = np.setdiff1d(context.classes("test_seen"), context.classes(*TRAIN_PARTS))
    missing = np.setdiff1d(missing, context.known_unseen_classes)
    if missing.size:
        names = context.names(missing)
        message = f"Tested as seen, but without a single training row: {listed(names)}."
        advice = "Move these rows to test_unseen, or train on some of them."
        yield Finding("ZSL001", Severity.WARN, message, advice, classes=names)


def fold_classes(context: AuditContext) -> Iterator[Finding]:
    """ZSL002: validation classes that are tested or trained on."""
    unseen = context.known_unseen_classes
    for name, train, val in _folds(context):
        for severity, classes, what, advice in (
            (
                Severity.FAIL,
                np.intersect1d(val, unseen),
                "validates on test classes",
                "Choose validation classes among the seen classes.",
            ),
            (
                Severity.FAIL,
                np.intersect1d(train, unseen),
                "trains on test classes",
                "Choose training classes among the seen classes.",
            ),
            (
                Severity.FAIL,
                np.intersect1d(train, val),
                "trains and validates on the same classes",
                "Make the two lists of classes disjoint.",
            ),
        ):
            if classes.size:
                names = context.names(classes)
                message = f"{name} {what}: {listed(names)}."
                advice = OF_OTHERS if _of_others(context) else advice
                yield Finding("ZSL002", severity, message, advice, classes=names)


def _folds(context: AuditContext) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield (name, train classes, val classes) of folds and of the parts train and val."""
    if context.labels is not None and {"train", "val"} <= set(context.parts):
        yield "The pair train and val", context.classes("train"), context.classes("val")
    for k, (train, val) in enumerate(context.folds):
        yield f"Fold {k + 1}", train, val
