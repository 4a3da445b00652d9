"""What a check is, how it is registered, and the findings that it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from zslcore.exceptions import ZSLError
from zslcore.leakage.context import AuditContext
from zslcore.leakage.report import Evidence, Finding, Severity, how

Run = Callable[[AuditContext], Iterable[Finding]]

#: What a check may need of a split, by the attribute of the context: how a user provides it.
NEEDS = {
    "labels": f"the class of every image {how('labels')}",
    "unseen_classes": f"labels or lists of the classes {how('labels')}",
    "features": f"the features {how('features')}",
    "prototypes": "the prototypes (att)",
    "class_names": "the names of the classes",
    "photographs": f"the names of the image files, or which rows belong together {how('groups')}",
    "vocabularies": f"the extractor's classes {how('vocabularies')}",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One question to a split; ``passes`` is true when nothing was found.

    It cannot run without ``needs`` of the context; the findings' ``id`` is filled in.
    """

    id: str
    title: str
    passes: str
    needs: tuple[str, ...]
    run: Run


CHECKS: list[Check] = []


def check(id: str, title: str, passes: str, *needs: str) -> Callable[[Run], Run]:  # noqa: A002
    """Register the decorated function as a check."""

    def register(run: Run) -> Run:
        CHECKS.append(Check(id, title, passes, needs, run))
        CHECKS.sort(key=lambda each: each.id)
        return run

    return register


def found(
    severity: Severity,
    message: str,
    advice: str = "",
    evidence: Evidence | None = None,
    rows: Iterable[int] | np.ndarray = (),
    classes: Iterable[str] = (),
    figures: Mapping[str, float] | None = None,
) -> Finding:
    """Return a finding; its rows are sorted."""
    rows = tuple(np.sort(np.asarray(list(rows), dtype=np.intp)).tolist())
    tables = () if evidence is None else (evidence,)
    return Finding("", severity, message, advice, tables, rows, tuple(classes), figures or {})


fail, warn, unknown, info, passed = (
    partial(found, Severity[name]) for name in ("FAIL", "WARN", "UNKNOWN", "INFO", "PASS")
)


def did_not_run(why: str) -> Finding:
    """Return that a check could not look, for want of what it needs."""
    return found(Severity.DID_NOT_RUN, f"Did not run: {why}")


def run_check(check: Check, context: AuditContext) -> tuple[Finding, ...]:
    """Return what a check finds; that it passed or could not run is a finding, too."""
    missing = [NEEDS[name] for name in check.needs if context.lacks(name)]
    try:
        if missing:
            raise ZSLError(f"needs {' and '.join(missing)}.")
        findings = tuple(check.run(context)) or (passed(check.passes),)
    except ZSLError as error:
        findings = (did_not_run(str(error)),)
    return tuple(replace(finding, id=check.id) for finding in findings)
