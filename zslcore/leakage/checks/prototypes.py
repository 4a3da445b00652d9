"""ZSL009: prototypes that are incomplete, alike, or made with test images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.context import AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import counted, how, listed

__all__ = ["side_information"]

#: A few negative cells in an otherwise non-negative table stand for "missing".
FEW_CELLS = 0.01


def side_information(context: AuditContext) -> Iterator[Finding]:
    """ZSL009: origin, missing values, empty, equal and constant prototypes."""
    found = tuple(_faults(context))
    yield from found
    if not (found or context.independent_prototypes):
        complete = "Prototypes are complete and distinct"
        message = f"{complete}; declared by the author: made without test images."
        yield Finding("ZSL009", Severity.PASS, message)


def _faults(context: AuditContext) -> Iterator[Finding]:
    if context.provenance.prototypes == "test images":
        message = "Prototypes are declared to be made with the help of test images."
        yield Finding("ZSL009", Severity.FAIL, message, "Make them from attributes or text alone.")
    elif context.provenance.prototypes == "unknown" and not context.independent_prototypes:
        message = "Not known whether prototypes were made with the help of test images."
        advice = f"Ask the author, or declare it {how('prototypes')}."
        yield Finding("ZSL009", Severity.UNKNOWN, message, advice)
    S = context.known_prototypes
    yield from _not_finite(context, S)
    S = np.nan_to_num(S)
    yield from _missing(context, S if context.raw_prototypes is None else context.raw_prototypes)
    yield from _empty(context, S)
    yield from _equal(context, S)
    constant = int((np.ptp(S, axis=0) == 0).sum()) if len(S) > 1 else 0
    if constant:
        message = f"The same for every class, so without use: {counted(constant, 'attribute')}."
        yield Finding("ZSL009", Severity.INFO, message, figures={"attributes": constant})


def _not_finite(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    classes = np.flatnonzero(~np.isfinite(S).all(axis=1))
    if classes.size:
        names = context.names(classes)
        message = f"Prototypes of {listed(names)} hold values that are not finite."
        yield Finding("ZSL009", Severity.FAIL, message, "Fill them in.", classes=names)


def _missing(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    """Cells below zero in a table that otherwise has none: -1, or -1 divided by a length."""
    cells = np.argwhere(S < 0)
    if not 0 < len(cells) <= FEW_CELLS * S.size:
        return
    names = context.names(np.unique(cells[:, 0]))
    values = S[tuple(cells.T)]
    table = [
        (context.class_name(c), a, round(float(v), 6))
        for (c, a), v in zip(cells, values, strict=True)
    ]
    cells_of = f"{counted(len(cells), 'attribute value')} of {listed(names)}"
    verb = "is" if len(cells) == 1 else "are"
    if (values == -1).all():
        message = f"{cells_of} {verb} -1, the file's code for missing."
    else:
        message = (
            f"{cells_of} {verb} negative where all others are not, which looks like a code for "
            "missing."
        )
    advice = "Replace them, for example by 0 or the attribute's mean, before any scaling."
    evidence = Evidence.of("Cells, attribute 0-based", ("class", "attribute", "value"), table)
    yield Finding("ZSL009", Severity.WARN, message, advice, (evidence,), classes=names)


def _empty(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    classes = np.flatnonzero(~S.any(axis=1))
    if classes.size:
        names = context.names(classes)
        message = f"Prototypes of {listed(names)} are all zero."
        yield Finding("ZSL009", Severity.FAIL, message, "Describe these classes.", classes=names)


def _equal(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    _, group, count = np.unique(S, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    alike = np.flatnonzero((count[group] > 1) & S.any(axis=1))
    if not alike.size:
        return
    tested = context.unseen_classes
    hits = tested is not None and np.isin(alike, tested).any()
    names = context.names(alike)
    table = sorted((int(group[c]), context.class_name(int(c))) for c in alike)
    note = ", test classes among them, which no method can distinguish" if hits else ""
    message = f"With the prototype of another class: {len(alike)} classes ({listed(names)}){note}."
    yield Finding(
        "ZSL009", Severity.FAIL if hits else Severity.WARN, message, "Describe them differently.",
        (Evidence.of("Equal prototypes", ("group", "class"), table),), classes=names,
    )  # fmt: skip
