"""Registration of checks, and the findings that they yield."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from zslcore.exceptions import ZSLError
from zslcore.leakage.context import TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.report import MARKS, NOT_CHECKED, Evidence, Finding, Mark, options_hint

CheckFunction = Callable[[AuditContext], Iterable[Finding]]

#: Attribute of the context that a check may need -> its description, and how to provide it.
NEEDS = {
    "labels": f"the class of every image {options_hint('labels')}",
    "unseen_classes": f"labels or lists of the classes {options_hint('labels')}",
    "features": f"the features {options_hint('features')}",
    "prototypes": "the prototypes (att)",
    "class_names": "the class names",
    "photographs": f"the image file names, or groups of rows {options_hint('groups')}",
    "vocabularies": f"the extractor's classes {options_hint('vocabularies')}",
}


@dataclass(frozen=True, slots=True)
class Check:
    """Check of a split; ``passes`` is the sentence that reports success.

    The check cannot run unless the context has the attributes in ``needs``. If ``decides`` is
    false, its open findings do not change the verdict on the split. Each tuple in ``compares`` has
    the parts on one side of a comparison; the check cannot pass if a side has no rows.
    :func:`run_check` fills in the ``check`` of its findings.
    """

    id: str
    title: str
    passes: str
    needs: tuple[str, ...]
    run: CheckFunction
    decides: bool = True
    compares: tuple[tuple[str, ...], ...] = ()


CHECKS: list[Check] = []


def check(
    id: str,  # noqa: A002 - the usual name
    title: str,
    passes: str,
    *needs: str,
    decides: bool = True,
    compares: tuple[tuple[str, ...], ...] = (),
) -> Callable[[CheckFunction], CheckFunction]:
    """Register the decorated function as a check."""

    def register(run: CheckFunction) -> CheckFunction:
        CHECKS.append(Check(id, title, passes, needs, run, decides, compares))
        CHECKS.sort(key=lambda check: check.id)
        return run

    return register


def finding(
    mark: Mark,
    sentence: str,
    advice: str = "",
    evidence: Evidence | None = None,
    rows: Iterable[int] | np.ndarray = (),
    classes: Iterable[str] = (),
    numbers: Mapping[str, float] | None = None,
    value: float | None = None,
    title: str = "",
) -> Finding:
    """Return a finding with sorted rows; ``title`` replaces the title of the check."""
    rows = tuple(np.sort(np.asarray(list(rows), dtype=np.intp)).tolist())
    tables = () if evidence is None else (evidence,)
    return Finding(
        "", mark, sentence, advice, tables, value, rows, tuple(classes), numbers or {}, title
    )


leak, error, open_, warning, ok = (partial(finding, mark) for mark in MARKS)


def _side(parts: tuple[str, ...]) -> str:
    """Return the parts as words of a sentence: "for training"."""
    words = {TRAIN_PARTS: "for training", TEST_PARTS: "for the test"}
    return words.get(parts, f"in {' or '.join(parts)}")


def run_check(check: Check, context: AuditContext) -> tuple[Finding, ...]:
    """Return the findings of a check: at least one, even if it passed or could not run."""
    missing = [NEEDS[name] for name in check.needs if context.lacks(name)]
    try:
        if missing:
            raise ZSLError(f"this check needs {' and '.join(missing)}.")
        findings = tuple(check.run(context)) or (ok(check.passes),)
        empty = [parts for parts in check.compares if not context.rows(*parts).size]
        if context.parts and empty and all(f.mark == "ok" for f in findings):
            where = " or ".join(_side(parts) for parts in empty)
            raise ZSLError(f"no rows {where}, so nothing can be compared.")
    except ZSLError as refusal:
        findings = (open_(f"{NOT_CHECKED}{refusal}"),)
    named = (
        replace(
            f,
            check=check.id,
            title=f.title or check.title,
            decides=check.decides or f.mark != "open",
        )
        for f in findings
    )
    return tuple(f.with_limit(context.thresholds.share) for f in named)
