"""The report of an audit: findings with their evidence, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from zslcore.exceptions import ParameterError, closest_name
from zslcore.leakage.evidence import Evidence

if TYPE_CHECKING:
    from zslcore.leakage.comparison import SplitComparison


class Severity(StrEnum):
    """How much a finding matters, worst first; what did not run is never left out."""

    FAIL = "fail"
    WARN = "warn"
    UNKNOWN = "unknown"
    DID_NOT_RUN = "did not run"
    INFO = "info"
    PASS = "pass"  # noqa: S105 - no password

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


Verdict = Literal["failed", "incomplete", "warnings", "passed"]
FailOn = Literal["fail", "warn", "unknown"]
#: What ends a guarded build, by the value of ``--fail-on``.
FAIL_ON: dict[FailOn, frozenset[Severity]] = {
    "fail": frozenset({Severity.FAIL}),
    "warn": frozenset({Severity.FAIL, Severity.WARN}),
    "unknown": frozenset({Severity.FAIL, Severity.WARN, Severity.UNKNOWN, Severity.DID_NOT_RUN}),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a check.

    Attributes
    ----------
    id : stable identifier of the check, "ZSL003"
    severity : Severity
    message : one sentence
    advice : what to do about it, one sentence, empty when there is nothing to do
    evidence : tables
    rows : every affected image, 0-based, sorted
    classes : names of the affected classes
    figures : numbers that the message rests on, by name
    """

    id: str
    severity: Severity
    message: str
    advice: str = ""
    evidence: tuple[Evidence, ...] = ()
    rows: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The findings of an audit, in the order of the checks; every check has at least one.

    Attributes
    ----------
    subject : name of the data set or file
    split : name of the split
    findings : tuple of Finding
    titles : what each check looks for, by id
    provenance : what was read and assumed, by name: digest, labels, vocabularies, version, time
    comparison : the split against another one, if given; no part of the verdict
    """

    subject: str
    split: str
    findings: tuple[Finding, ...]
    titles: Mapping[str, str]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    comparison: SplitComparison | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the first that holds of "failed", "incomplete", "warnings" and "passed".

        Incomplete is what a check could not look at: nothing was found there, nor ruled out. See
        also :attr:`open_questions`.
        """
        found = {finding.severity for finding in self.findings}
        if Severity.FAIL in found:
            return "failed"
        if Severity.DID_NOT_RUN in found:
            return "incomplete"
        return "warnings" if Severity.WARN in found else "passed"

    @property
    def not_run(self) -> tuple[str, ...]:
        """Ids of the checks that could not run, for want of what they need."""
        return tuple(
            dict.fromkeys(f.id for f in self.findings if f.severity is Severity.DID_NOT_RUN)
        )

    @property
    def open_questions(self) -> tuple[Finding, ...]:
        """Findings of what is unknown or could not be looked at."""
        open_ = (Severity.UNKNOWN, Severity.DID_NOT_RUN)
        return tuple(finding for finding in self.findings if finding.severity in open_)

    @property
    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity, worst first."""
        return {s: sum(f.severity is s for f in self.findings) for s in Severity}

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        counts = [f"{n} {severity}" for severity, n in self.counts.items() if n]
        return f"{self.subject}{f' ({self.split})' if self.split else ''}: {self.verdict} - " + (
            ", ".join(counts) + "."
        )

    def of(self, check: str) -> tuple[Finding, ...]:
        """Return the findings of the check ``ZSL003``; a misspelt id gets the nearest one."""
        if check not in self.titles:
            raise closest_name("check", check, self.titles)
        return tuple(finding for finding in self.findings if finding.id == check)

    def severity(self, check: str) -> Severity:
        """Return the worst severity that a check found."""
        return min((finding.severity for finding in self.of(check)), key=lambda s: s.rank)

    def fails(self, fail_on: FailOn = "fail") -> bool:
        """Whether a build guarded with ``fail_on`` has to stop."""
        if fail_on not in FAIL_ON:
            choices = ", ".join(FAIL_ON)
            raise ParameterError(f"fail_on must be one of {choices}; got {fail_on!r}.")
        return any(finding.severity in FAIL_ON[fail_on] for finding in self.findings)

    def table(self) -> pd.DataFrame:
        """Return one row per finding: id, check, severity, message, advice."""
        columns = ["id", "check", "severity", "message", "advice"]
        rows = [
            (f.id, self.titles[f.id], str(f.severity), f.message, f.advice) for f in self.findings
        ]
        return pd.DataFrame(rows, columns=columns)
