"""ZSL008 and ZSL009: how results were chosen, and what the prototypes were made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.checks.base import check, fail, info, passed, unknown, warn
from zslcore.leakage.context import AuditContext
from zslcore.leakage.report import Evidence, Finding
from zslcore.leakage.words import counted, how, listed

#: A few negative cells in an otherwise non-negative table stand for "missing".
FEW_CELLS = 0.01
CHOICES = {"hyperparameters": "hyper-parameters", "epochs": "epochs", "gamma": "gamma"}


@check(
    "ZSL008",
    "How hyper-parameters, epochs and gamma were chosen",
    "Nothing was chosen on the test set.",
)
def how_chosen(context: AuditContext) -> Iterator[Finding]:
    """Read the author's declaration, and how runs made here were chosen."""
    by_origin: dict[str, list[str]] = {}
    for what, name in CHOICES.items():
        by_origin.setdefault(getattr(context.provenance, what), []).append(name)
    for origin, say, text, advice in (
        (
            "test",
            fail,
            "Declared by the author: {} chosen on the test set.",
            "Choose on the validation classes of the folds; call this figure the oracle.",
        ),
        (
            "unknown",
            unknown,
            "Not declared by the author: how {} chosen.",
            f"Ask the author, or declare it {how('chosen')}.",
        ),
        ("given", info, "Declared by the author: {} given; how they were found is not stated.", ""),
        ("validation", passed, "Declared by the author: {} chosen on validation classes.", ""),
    ):
        if names := by_origin.get(origin):
            yield say(text.format(_were(names)), advice)
    if context.runs:
        yield _run_here(context)


def _were(names: list[str]) -> str:
    """Join names with the verb: "epochs and gamma were"."""
    if names == ["gamma"]:
        return "gamma was"
    *first, last = names
    return f"{', '.join(first)} and {last} were" if first else f"{last} were"


def _run_here(context: AuditContext) -> Finding:
    """Read how parameters were chosen, and what peeking would have gained, off the runs."""
    rows = [
        (
            run.spec.method,
            run.params_origin,
            run.gamma_origin or "none",
            *(round(gap[k], 4) if k in gap else None for k in ("zsl", "harmonic")),
        )
        for run in context.runs
        for gap in [run.oracle_gap]
    ]
    n_given = sum("given" in row[1:3] for row in rows)
    how_many = (
        f"parameters or gamma of {n_given} given"
        if n_given
        else "parameters and gamma validated on the folds"
    )
    gains = [100 * row[3] for row in rows if row[3] is not None]
    widest = (
        f"; parameters chosen on the test set would have gained up to {max(gains):.1f} points of "
        "ZSL accuracy."
        if gains
        else "."
    )
    columns = (
        "method",
        "parameters",
        "gamma",
        "gap of parameters, ZSL",
        "gap of parameters and gamma, H",
    )
    return info(
        "Runs made here, no evidence on the author's figures: "
        f"{counted(len(rows), 'run')}, {how_many}{widest}",
        evidence=Evidence.of("How each run was chosen", columns, rows),
    )


@check(
    "ZSL009",
    "Side information",
    "Prototypes are complete and distinct, and made without test images.",
    "prototypes",
)
def side_information(context: AuditContext) -> Iterator[Finding]:
    """Origin, missing values, empty, equal and constant prototypes."""
    faults = [*_origin(context), *_values(context)]
    yield from faults
    if not faults and not context.independent_prototypes:
        yield passed(
            "Prototypes are complete and distinct; declared by the author: made without "
            "test images."
        )


def _origin(context: AuditContext) -> Iterator[Finding]:
    if context.provenance.prototypes == "test images":
        text = "Prototypes are declared to be made with the help of test images."
        yield fail(text, "Make them from attributes or text alone.")
    elif context.provenance.prototypes == "unknown" and not context.independent_prototypes:
        text = "Not known whether prototypes were made with the help of test images."
        yield unknown(text, f"Ask the author, or declare it {how('prototypes')}.")


def _values(context: AuditContext) -> Iterator[Finding]:
    S = context.known_prototypes
    if (classes := np.flatnonzero(~np.isfinite(S).all(axis=1))).size:
        names = context.names(classes)
        text = f"Prototypes of {listed(names)} hold values that are not finite."
        yield fail(text, "Fill them in.", classes=names)
    S = np.nan_to_num(S)
    yield from _missing(context, S if context.raw_prototypes is None else context.raw_prototypes)
    if (classes := np.flatnonzero(~S.any(axis=1))).size:
        names = context.names(classes)
        text = f"Prototypes of {listed(names)} are all zero."
        yield fail(text, "Describe these classes.", classes=names)
    yield from _equal(context, S)
    if len(S) > 1 and (n := int((np.ptp(S, axis=0) == 0).sum())):
        text = f"The same for every class, so without use: {counted(n, 'attribute')}."
        yield info(text, figures={"attributes": n})


def _missing(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    """Cells below zero in a table that otherwise has none: -1, or -1 divided by a length."""
    cells = np.argwhere(S < 0)
    if not 0 < len(cells) <= FEW_CELLS * S.size:
        return
    names, values = context.names(np.unique(cells[:, 0])), S[S < 0]
    verb = "is" if len(cells) == 1 else "are"
    what = (
        "-1, the file's code for missing."
        if (values == -1).all()
        else "negative where all others are not, which looks like a code for missing."
    )
    table = zip(context.names(cells[:, 0]), cells[:, 1], values.astype(float).round(6), strict=True)
    yield warn(
        f"{counted(len(cells), 'attribute value')} of {listed(names)} {verb} {what}",
        "Replace them, for example by 0 or the attribute's mean, before any scaling.",
        Evidence.of("Cells, attribute 0-based", ("class", "attribute", "value"), table),
        classes=names,
    )


def _equal(context: AuditContext, S: np.ndarray) -> Iterator[Finding]:
    _, group, count = np.unique(S, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    alike = np.flatnonzero((count[group] > 1) & S.any(axis=1))
    if not alike.size:
        return
    tested = context.unseen_classes is not None and np.isin(alike, context.unseen_classes).any()
    names = context.names(alike)
    note = ", test classes among them, which no method can distinguish" if tested else ""
    yield (fail if tested else warn)(
        f"With the prototype of another class: {len(alike)} classes ({listed(names)}){note}.",
        "Describe them differently.",
        Evidence.of(
            "Equal prototypes", ("group", "class"), sorted(zip(group[alike], names, strict=True))
        ),
        classes=names,
    )
