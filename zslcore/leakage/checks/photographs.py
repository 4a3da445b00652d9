"""ZSL012: one photograph, or video, with rows on both sides of the split."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.context import PARTS, TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.photographs import Photographs
from zslcore.leakage.report import Finding, Severity

__all__ = ["same_photograph", "shared_rows_of"]

ADVICE = (
    "Separate photographs, not rows: the corrected split removes the training rows of these "
    "photographs and keeps the test set."
)
VAL_ADVICE = "Validate on photographs that are not trained on; the corrected split does so."


def same_photograph(context: AuditContext) -> Iterator[Finding]:
    """ZSL012: test rows, and validation rows, whose photograph also gave a training row."""
    photographs = context.known_photographs
    number, found = photographs.number, False
    for part in TEST_PARTS:
        rows = shared_rows_of(number, context.rows(part), context.rows(*TRAIN_PARTS))
        if rows.size:
            found = True
            yield _tested(context, photographs, part, rows)
    for name, train, val in _folds(context):
        rows = shared_rows_of(number, val, train)
        if rows.size:
            found = True
            message = (
                f"{name}: {rows.size:,} of {len(val):,} validation rows come from a photograph "
                f"that also gave a training row ({rows.size / len(val):.1%})."
            )
            yield Finding(
                "ZSL012", Severity.WARN, message, VAL_ADVICE, rows=tuple(rows.tolist()),
                figures={"rows": rows.size, "of": len(val)},
            )  # fmt: skip
    if not found:
        yield _no_leak(context, photographs)


def shared_rows_of(number: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return those of ``rows`` with the photograph of one of ``others``; rows in both are ZSL003's.

    Parameters
    ----------
    number : int array of shape (n_rows,), photograph of each row
    rows, others : int arrays of row numbers
    """
    rows = np.setdiff1d(rows, others)
    return rows[np.isin(number[rows], number[others])]


def _tested(
    context: AuditContext, photographs: Photographs, part: str, rows: np.ndarray
) -> Finding:
    number, n = photographs.number, len(context.rows(part))
    share = rows.size / n
    shared, tested = np.unique(number[rows], return_counts=True)
    trained = np.bincount(number[context.rows(*TRAIN_PARTS)], minlength=number.max(initial=0) + 1)[
        shared
    ]
    order = np.argsort(-tested, kind="stable")
    table = [(photographs.name(int(shared[k])), tested[k], trained[k]) for k in order]
    message = (
        f"From a photograph that also gave a training row: {rows.size:,} of {n:,} rows of {part} "
        f"({share:.1%}), known from {photographs.source}."
    )
    columns = ("photograph", f"rows of {part}", "training rows")
    return Finding(
        "ZSL012", Severity.FAIL if share > context.thresholds.share else Severity.WARN, message,
        ADVICE, (Evidence.of("Photographs on both sides", columns, table),), tuple(rows.tolist()),
        figures={"rows": rows.size, "of": n, "photographs": len(shared)},
    )  # fmt: skip


def _folds(context: AuditContext) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield (name, train rows, val rows) of the parts train and val, and of folds."""
    if {"train", "val"} <= set(context.parts):
        yield "The pair train and val", context.rows("train"), context.rows("val")
    for k, (train, val) in enumerate(context.fold_rows, start=1):
        yield f"Fold {k}", train, val


def _no_leak(context: AuditContext, photographs: Photographs) -> Finding:
    """Report that nothing was found, and what was compared."""
    if not photographs.by_name:
        message = f"No photograph is on both sides ({photographs.source})."
        return Finding("ZSL012", Severity.PASS, message)
    used = context.rows(*PARTS)
    n = len(np.unique(photographs.number[used]))
    names = "all different" if n == used.size else f"{n:,} different ones"
    message = (
        f"No photograph is on both sides, judging by file names: the names of {used.size:,} rows "
        f"were compared ({names}; {photographs.source}), not the pictures."
    )
    return Finding("ZSL012", Severity.PASS, message)
