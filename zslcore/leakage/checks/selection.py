"""ZSL008: whether anything was chosen with an eye on the test set."""

from __future__ import annotations

from collections.abc import Iterator

from zslcore.leakage.context import AuditContext
from zslcore.leakage.report import Evidence, Finding, Severity
from zslcore.leakage.words import counted

__all__ = ["how_chosen"]

_CHOICES = {"hyperparameters": "Hyper-parameters", "epochs": "Epochs", "gamma": "Gamma"}


def how_chosen(context: AuditContext) -> Iterator[Finding]:
    """ZSL008: what is declared, what stays unknown, and the oracle gap where runs exist."""
    if context.runs:
        yield _measured(context)
    declared = {what: getattr(context.provenance, what) for what in _CHOICES}
    for what, origin in declared.items():
        name = _CHOICES[what]
        if origin == "test":
            message = f"{name} {_were(what)} chosen on the test set."
            advice = "Choose on the validation classes of the folds; call this figure the oracle."
            yield Finding("ZSL008", Severity.FAIL, message, advice)
        elif origin == "given":
            message = f"{name} {_were(what)} given; nobody says what that rests on."
            yield Finding("ZSL008", Severity.INFO, message)
    unknown = [_CHOICES[what].lower() for what, origin in declared.items() if origin == "unknown"]
    if unknown and not context.runs:
        message = f"Not known how {_and(unknown)} were chosen."
        advice = "Ask the author, or declare it (provenance=, --hyperparameters-on and the like)."
        yield Finding("ZSL008", Severity.UNKNOWN, message, advice)


def _were(what: str) -> str:
    return "was" if what == "gamma" else "were"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _measured(context: AuditContext) -> Finding:
    """Read how parameters were chosen, and what peeking would have gained, off the runs."""
    rows = []
    for run in context.runs:
        gap = run.oracle_gap
        of_zsl, of_H = (round(gap[k], 4) if k in gap else None for k in ("zsl", "harmonic"))
        rows.append((run.spec.method, run.params_origin, run.gamma_origin or "none", of_zsl, of_H))
    columns = ("method", "parameters", "gamma", "oracle gap, ZSL", "oracle gap, H")
    given = list(dict.fromkeys(row[0] for row in rows if "given" in row[1:3]))
    gaps = [row[3] for row in rows if row[3] is not None]
    widest = f"; choosing on the test set would have gained up to {max(gaps):.1%}" if gaps else ""
    evidence = (Evidence.of("How each run was chosen", columns, rows),)
    if given:
        message = f"Parameters or gamma of {_and(given)} were given, not validated{widest}."
        return Finding("ZSL008", Severity.INFO, message, "", evidence)
    message = (
        f"Parameters and gamma of {counted(len(rows), 'run')} were validated on the folds{widest}."
    )
    return Finding("ZSL008", Severity.PASS, message, "", evidence)
