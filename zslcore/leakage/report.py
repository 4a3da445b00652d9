"""What an audit reports: findings with their evidence, another split, a verdict; their phrases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import pandas as pd

from zslcore.exceptions import ParameterError, closest_name

#: How what a check needs is given, from Python and on the command line. A screen has controls in
#: their place, and puts their names where these stand.
HOW = {
    "labels": "labels=, --labels",
    "features": "features=, --features",
    "groups": "groups=, --groups",
    "vocabularies": "pretraining=, --pretraining",
    "accuracies": "runs= or accuracies=, --runs",
    "chosen": "provenance=, --hyperparameters-on and the like",
    "prototypes": "provenance=, --prototypes-from",
}

#: Most names that a sentence carries; the evidence has them all.
MOST_NAMES = 6


def how(what: str) -> str:
    """Return how something is given, in brackets: ``(labels=, --labels)``."""
    return f"({HOW[what]})"


def listed(names: Sequence[str]) -> str:
    """Join names: ``a, b and 7 more``."""
    shown = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def counted(n: int, one: str, many: str | None = None) -> str:
    """Count things: ``1 class``, ``3 classes``, ``1,764 rows``."""
    return f"{n:,} {one}" if n == 1 else f"{n:,} {many or one + 's'}"


def without_options(text: str) -> str:
    """Return a sentence without the options of Python and the command line that it names."""
    for what in HOW:
        text = text.replace(f" {how(what)}", "")
    return text


#: Most rows of a table of evidence; its total is always given.
MOST_ROWS = 100


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
class Evidence:
    """A table that shows what a finding rests on: at most 100 rows of ``total``."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Evidence:
        """Build a table from all its rows, keeping the first 100."""
        plain = [tuple(_plain(value) for value in row) for row in rows]
        return cls(title, tuple(columns), tuple(plain[:MOST_ROWS]), len(plain))

    def table(self) -> pd.DataFrame:
        """Return the rows as a data frame."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns))


def _plain(value: Any) -> Any:
    """Return NumPy scalars as Python's own, which JSON knows."""
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a check; message and advice are one sentence each, the advice may be empty.

    Attributes
    ----------
    id : stable identifier of the check, "ZSL003"
    rows : every affected image, 0-based, sorted
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


@dataclass(frozen=True, slots=True, eq=False)
class SplitComparison:
    """Agreement and differences of two splits.

    Attributes
    ----------
    given_once : parts that only the first, and only the second, gives
    moves : DataFrame of the parts that a row is in, and ``rows``; most rows first
    by_class : ``moves`` by class
    classes : DataFrame of the classes whose side changed ("seen", "unseen", "both", "none"); as
        ``by_class`` without rows where the classes are not known
    labelled : whether the class of each row is known
    """

    names: tuple[str, str]
    parts: tuple[str, ...]
    given_once: tuple[tuple[str, ...], tuple[str, ...]]
    moves: pd.DataFrame
    by_class: pd.DataFrame
    classes: pd.DataFrame
    labelled: bool

    @property
    def n_rows(self) -> int:
        """Number of rows that either split uses."""
        return int(self.moves["rows"].sum())

    @property
    def n_moved(self) -> int:
        """Number of rows that are in other parts of the second than of the first."""
        return int(self.moves.query("first != second")["rows"].sum())

    @property
    def headline(self) -> str:
        """What changed, in one sentence for the rows, one for the classes and one for the rest."""
        first, second = self.names
        sentences = [
            f"{first} against {second}: {self.n_moved:,} of {self.n_rows:,} rows changed their "
            f"part ({', '.join(self.parts)} compared)."
        ]
        if self.labelled:
            n = counted(len(self.classes), "class", "classes")
            sentences.append(f"{n} changed from seen to unseen or back.")
        for name, parts in zip(self.names, self.given_once, strict=True):
            if parts:
                sentences.append(f"Only {name} gives {' and '.join(parts)}.")
        return " ".join(sentences)

    def tables(self) -> tuple[Evidence, ...]:
        """Return the tables as a report shows them; those without rows are left out."""
        first, second = (f"in {name}" for name in self.names)
        tables = (
            ("Rows by part", (first, second, "rows"), self.moves),
            ("Classes that changed side", ("class", first, second), self.classes),
            ("Rows that moved, by class", ("class", first, second, "rows"), self.by_class),
        )
        return tuple(
            Evidence.of(title, columns, table.itertuples(index=False))
            for title, columns, table in tables
            if len(table)
        )


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The findings of an audit, in the order of the checks; every check has at least one.

    Attributes
    ----------
    titles : what each check looks for, by id
    provenance : what was read and assumed: digest, labels, vocabularies, version, time
    comparison : the split against another one, no part of the verdict
    """

    subject: str
    split: str
    findings: tuple[Finding, ...]
    titles: Mapping[str, str]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    comparison: SplitComparison | None = None

    @property
    def verdict(self) -> Verdict:
        """The first that holds of "failed", "incomplete", "warnings" and "passed".

        Incomplete is what a check could not look at; see also :attr:`open_questions`.
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
