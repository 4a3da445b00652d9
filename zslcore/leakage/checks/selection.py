"""ZSL008: whether anything was chosen with an eye on the test set."""

from __future__ import annotations

from collections.abc import Iterator

from zslcore.leakage.context import AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import counted, how

__all__ = ["how_chosen"]

_CHOICES = {"hyperparameters": "hyper-parameters", "epochs": "epochs", "gamma": "gamma"}


def how_chosen(context: AuditContext) -> Iterator[Finding]:
    """ZSL008: the author's declaration, and how runs made here were chosen.

    Our own runs are no evidence of how another author chose, so they never replace a declaration.
    """
    yield from _declared(context)
    if context.runs:
        yield _run_here(context)


def _declared(context: AuditContext) -> Iterator[Finding]:
    """Judge the author's declaration, and report what is missing from it."""
    origin = {what: getattr(context.provenance, what) for what in _CHOICES}

    def of(*origins: str) -> list[str]:
        return [_CHOICES[what] for what in _CHOICES if origin[what] in origins]

    if on_test := of("test"):
        message = f"Declared by the author: {_were(on_test)} chosen on the test set."
        advice = "Choose on the validation classes of the folds; call this figure the oracle."
        yield Finding("ZSL008", Severity.FAIL, message, advice)
    if unknown := of("unknown"):
        message = f"Not declared by the author: how {_were(unknown)} chosen."
        advice = f"Ask the author, or declare it {how('chosen')}."
        yield Finding("ZSL008", Severity.UNKNOWN, message, advice)
    if given := of("given"):
        message = (
            f"Declared by the author: {_were(given)} given; how they were found is not stated."
        )
        yield Finding("ZSL008", Severity.INFO, message)
    if validated := of("validation"):
        message = f"Declared by the author: {_were(validated)} chosen on validation classes."
        yield Finding("ZSL008", Severity.PASS, message)


def _were(names: list[str]) -> str:
    """Join the names of what was chosen, with the verb: "epochs and gamma were"."""
    if len(names) == 1:
        return f"{names[0]} {'was' if names[0] == 'gamma' else 'were'}"
    return f"{', '.join(names[:-1])} and {names[-1]} were"


def _run_here(context: AuditContext) -> Finding:
    """Read how parameters were chosen, and what peeking would have gained, off the runs."""
    rows = []
    for run in context.runs:
        gap = run.oracle_gap
        found = [round(gap[k], 4) if k in gap else None for k in ("zsl", "harmonic")]
        rows.append((run.spec.method, run.params_origin, run.gamma_origin or "none", *found))
    gaps = ("gap of parameters, ZSL", "gap of parameters and gamma, H")
    columns = ("method", "parameters", "gamma", *gaps)
    n_given = sum("given" in row[1:3] for row in rows)
    chosen = f"{counted(len(rows), 'run')}, parameters and gamma validated on the folds"
    if n_given:
        chosen = f"{counted(len(rows), 'run')}, parameters or gamma of {n_given} given"
    of_zsl = [100 * row[3] for row in rows if row[3] is not None]
    widest = "."
    if of_zsl:
        widest = (
            "; parameters chosen on the test set would have gained up to "
            f"{max(of_zsl):.1f} points of ZSL accuracy."
        )
    evidence = (Evidence.of("How each run was chosen", columns, rows),)
    message = f"Runs made here, no evidence on the author's figures: {chosen}{widest}"
    return Finding("ZSL008", Severity.INFO, message, "", evidence)
