"""Findings and reports, in one format for audits, scores, results and lists of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from zslcore.exceptions import ParameterError, closest_name
from zslcore.numbers import counted
from zslcore.storage.tables import frame
from zslcore.texts import html_of_frame

if TYPE_CHECKING:
    from pandas import DataFrame
else:
    DataFrame = Any  # pydantic needs a type for every field; no comparison is read

#: Input of a check -> its parameters in Python and on the command line. The app replaces these by
#: the names of its controls.
HOW = {
    "labels": "labels=, --labels",
    "features": "features=, --features",
    "groups": "groups=, --groups",
    "vocabularies": "pretraining=, --pretraining",
    "accuracies": "runs= or accuracies=, --runs",
    "chosen": "provenance=, --hyperparameters-on and the like",
    "prototypes": "provenance=, --prototypes-from",
}


def options_hint(name: str) -> str:
    """Return the parameters of an input in brackets: ``(labels=, --labels)``."""
    return f"({HOW[name]})"


def without_options(text: str) -> str:
    """Remove the parameters of Python and the command line from a sentence."""
    for name in HOW:
        text = text.replace(f" {options_hint(name)}", "")
    return text


#: Maximum number of rows of a table of evidence; ``total`` counts all rows.
MAX_ROWS = 100
#: Check for rows in two parts of a split; its findings also cause findings on classes.
ROWS_CHECK = "ZSL003"
#: Start of the finding of a check with missing input.
NOT_CHECKED = "Not checked: "
#: Marks of findings, worst first; "open" means that input was not read, matched or declared.
Mark = Literal["leak", "error", "open", "warning", "ok"]
MARKS: tuple[Mark, ...] = get_args(Mark)
#: Mark -> its plural.
PLURALS = dict(zip(MARKS, ("leaks", "errors", "open", "warnings", "ok"), strict=True))
#: Verdicts, worst first; "clean" means that everything was checked without a leak or error.
Verdict = Literal["leaks", "broken", "unknown", "clean"]
#: Verdict -> exit status of the command.
STATUS: dict[Verdict, int] = {"leaks": 1, "broken": 2, "unknown": 3, "clean": 0}
#: Worst mark of the findings on a subject -> verdict.
VERDICT_OF: dict[Mark, Verdict] = {
    "leak": "leaks",
    "error": "broken",
    "open": "unknown",
    "warning": "clean",
    "ok": "clean",
}
FailOn = Literal["leak", "warning", "open"]
#: Marks that fail a build (exit status 1), by the value of ``--fail-on``.
FAIL_ON: dict[FailOn, frozenset[Mark]] = {
    "leak": frozenset({"leak"}),
    "warning": frozenset({"leak", "warning"}),
    "open": frozenset({"leak", "warning", "open"}),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Table of evidence of a finding: at most 100 of its ``total`` rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Evidence:
        """Build a table from all its rows, keeping the first 100."""
        plain = [tuple(_plain(value) for value in row) for row in rows]
        return cls(title, tuple(columns), tuple(plain[:MAX_ROWS]), len(plain))

    def table(self) -> DataFrame:
        """Return the rows as a data frame."""
        return frame(list(self.rows), list(self.columns))


def _plain(value: Any) -> Any:
    """Convert NumPy scalars to Python scalars for JSON."""
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a check.

    Attributes
    ----------
    check : stable identifier of the check, "ZSL003", or its title if it has no identifier
    mark : "leak", "error", "open", "warning" or "ok"
    sentence, advice : one sentence each; the advice may be empty
    evidence : tables that support the sentence
    value : share of the test images that decides the mark, in [0, 1], or None
    rows : rows of all affected images, 0-based, sorted
    classes : names of the affected classes
    numbers : numbers in the sentence, by name
    title : title of the check
    decides : whether an open finding makes the verdict unknown; false for accepted findings and for
        findings on the origin of results
    """

    check: str
    mark: Mark
    sentence: str
    advice: str = ""
    evidence: tuple[Evidence, ...] = ()
    value: float | None = None
    rows: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    title: str = ""
    decides: bool = True

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.check)

    def with_limit(self, max_share: float) -> Finding:
        """Return the finding as a warning up to ``max_share`` of the test images, else as a leak.

        A finding without a share, or with another mark, is returned unchanged.
        """
        if self.value is None or self.mark not in ("leak", "warning"):
            return self
        return replace(self, mark="leak" if self.value > max_share else "warning")


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return the verdict of the worst mark; omit open findings that do not decide the verdict."""
    verdicts = (VERDICT_OF[f.mark] for f in findings if f.decides)
    return min(verdicts, key=list(STATUS).index, default="clean")


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by mark, worst first; open findings that do not decide follow warnings."""
    order = ("leak", "error", "open", "warning", "aside", "ok")
    return tuple(sorted(findings, key=lambda f: order.index(f.mark if f.decides else "aside")))


@dataclass(frozen=True, slots=True, eq=False)
class SplitComparison:
    """Agreement and differences of two splits.

    Attributes
    ----------
    own_parts : parts that only the first split has, and parts that only the second split has
    moves : DataFrame of parts in the ``first`` and the ``second`` split, with the number of
        ``rows``, largest first
    by_class : ``moves`` by class
    classes : DataFrame of the classes that changed sides ("seen", "unseen", "both", "none"); like
        ``by_class``, it is empty if classes are unknown
    labelled : whether the class of each row is known
    """

    names: tuple[str, str]
    parts: tuple[str, ...]
    own_parts: tuple[tuple[str, ...], tuple[str, ...]]
    moves: DataFrame
    by_class: DataFrame
    classes: DataFrame
    labelled: bool

    @property
    def n_rows(self) -> int:
        """Number of rows used by at least one split."""
        return int(self.moves["rows"].sum())

    @property
    def n_moved(self) -> int:
        """Number of rows in different parts of the two splits."""
        return int(self.moves.query("first != second")["rows"].sum())

    @property
    def headline(self) -> str:
        """Sentences on changed rows, changed classes and missing parts."""
        first, second = self.names
        sentences = [
            f"{first} against {second}: {self.n_moved:,} of {self.n_rows:,} rows are in "
            f"different parts ({', '.join(self.parts)} compared)."
        ]
        if self.labelled:
            n = counted(len(self.classes), "class", "classes")
            sentences.append(f"{n} changed from seen to unseen or back.")
        for name, parts in zip(self.names, self.own_parts, strict=True):
            if parts:
                sentences.append(f"Only {name} has {' and '.join(parts)}.")
        return " ".join(sentences)

    def tables(self) -> tuple[Evidence, ...]:
        """Return the non-empty tables for a report."""
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
class ReportMetric:
    """Metric of a report: its name, its value as text, and the condition under which it holds."""

    label: str
    value: str
    note: str = ""


#: Value of a metric that does not follow from the files.
UNKNOWN = "unknown"
#: Title of the finding on test classes in the pre-training set.
KNOWN_CLASSES = "Test classes in the pre-training set"
#: Title of the finding on the training rows of a model, and label of its metric.
TRAINING_ROWS, TRAINED_ON = "Training rows", "test images that were trained on"


def trained_classes(value: str = "", note: str = "") -> ReportMetric:
    """Return the metric of test classes in the pre-training set; unknown without ``value``."""
    why = "" if value else "the classes or the pre-training set are unknown"
    return ReportMetric(KNOWN_CLASSES.lower(), value or UNKNOWN, note or why)


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of a picture: its length, the length of its marked part, and its value as text.

    ``by_class`` is the length of the part that is marked for leaking classes, not rows.
    """

    label: str
    whole: float
    marked: float
    value: str
    by_class: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars from the top, or a seen-unseen curve with marked points; ``alt`` describes it.

    The curve has (unseen, seen) accuracies in [0, 1], each point (label, unseen, seen).
    """

    alt: str
    bars: tuple[Bar, ...] = ()
    curve: tuple[tuple[float, float], ...] = ()
    points: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Findings on a subject, and the verdict that follows from them.

    Attributes
    ----------
    subject : name of the data set or files
    split : name of the split; empty if it has no name
    findings : for an audit, at least one per check, in the order of the checks; else worst first
    read_as : sources and assumptions: digest, labels, vocabularies, version, time
    comparison : comparison with another split, which does not affect the verdict
    kind : kind of the subject, in words
    files : (name, SHA-256) of each file
    reason : reason of the verdict if it does not follow from the findings alone
    metrics : main metrics
    command : command that repeats the check, if not ``zslcore check FILES``
    """

    subject: str
    split: str
    findings: tuple[Finding, ...]
    read_as: Mapping[str, Any] = field(default_factory=dict)
    comparison: SplitComparison | None = None
    kind: str = "split"
    files: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    metrics: tuple[ReportMetric, ...] = ()
    picture: Picture | None = None
    command: str = ""

    @property
    def titles(self) -> dict[str, str]:
        """Title of each check, by its identifier."""
        return {finding.check: finding.title for finding in self.findings}

    @property
    def verdict(self) -> Verdict:
        """Verdict on the subject."""
        return verdict_of(self.findings)

    @property
    def word(self) -> str:
        """Verdict as shown on a page."""
        return self.verdict.capitalize()

    @property
    def status(self) -> int:
        """Exit status: 0 clean, 1 leaks, 2 broken, 3 unknown."""
        return STATUS[self.verdict]

    @property
    def repeated_by(self) -> str:
        """Command that repeats the check; empty if unknown."""
        files = [name for name, _ in self.files]
        return self.command or (" ".join(["zslcore check", *files]) if files else "")

    def select_findings(self, *marks: Mark) -> list[Finding]:
        """Return the findings with any of these marks."""
        return [finding for finding in self.findings if finding.mark in marks]

    @property
    def counts(self) -> dict[Mark, int]:
        """Number of findings of each mark, worst first."""
        return {mark: sum(f.mark == mark for f in self.findings) for mark in MARKS}

    @property
    def counts_in_words(self) -> str:
        """Number of findings of each mark in words, such as "1 leak, 2 warnings"."""
        return ", ".join(counted(n, mark, PLURALS[mark]) for mark, n in self.counts.items() if n)

    @property
    def headline(self) -> str:
        """Subject, verdict and number of findings by mark, in one sentence."""
        split = f" ({self.split})" if self.split else ""
        return f"{self.subject}{split}: {self.verdict} - {self.counts_in_words}."

    @property
    def cause(self) -> Finding | None:
        """Finding that decides the verdict; None without a leak, error, warning or open finding.

        Findings on rows precede findings on classes and validation, which follow from them.
        """
        deciding = [f for f in self.findings if f.decides and f.mark != "ok"]
        worst = [f for f in deciding if f.mark == min((f.mark for f in deciding), key=MARKS.index)]
        checked = [f for f in worst if not f.sentence.startswith(NOT_CHECKED)] or worst
        return min(checked, key=lambda f: f.check != ROWS_CHECK, default=None)

    @property
    def sentence(self) -> str:
        """Reason of the verdict: its cause, and the number of other findings with its mark."""
        if self.reason:
            return self.reason
        cause = self.cause
        if cause is None:
            return "No row, image, photograph or class of the test set is in the training data."
        if cause.mark == "warning":
            return cause.sentence
        if cause.mark != "open":
            n = sum(f.decides and f.mark == cause.mark for f in self.findings)
            more = counted(n - 1, f"more {cause.mark}")
            return f"{cause.sentence} {more} below." if n > 1 else cause.sentence
        titles = self.unchecked_titles
        if cause.sentence.startswith(NOT_CHECKED):
            return f"No leak was found, but the following could not be checked: {titles}."
        return cause.sentence + (f" {NOT_CHECKED}{titles}." if titles else "")

    @property
    def unchecked_titles(self) -> str:
        """Titles of the checks with missing input, as words of a sentence."""
        checks = [f for f in self.findings if f.decides and f.mark == "open"]
        titles = (f.title.lower() for f in checks if f.sentence.startswith(NOT_CHECKED))
        return ", ".join(dict.fromkeys(titles))

    def of(self, check: str) -> tuple[Finding, ...]:
        """Return the findings of a check; the error for a misspelt id suggests the closest."""
        if check not in (titles := self.titles):
            raise closest_name("check", check, titles)
        return tuple(finding for finding in self.findings if finding.check == check)

    def mark(self, check: str) -> Mark:
        """Return the worst mark of a check."""
        return min((finding.mark for finding in self.of(check)), key=MARKS.index)

    def fails(self, fail_on: FailOn = "leak") -> bool:
        """Whether a build with the option ``fail_on`` must fail."""
        if fail_on not in FAIL_ON:
            choices = ", ".join(FAIL_ON)
            raise ParameterError(f"fail_on must be one of {choices}; got {fail_on!r}.")
        return any(f.mark in FAIL_ON[fail_on] and f.decides for f in self.findings)

    def with_marks(self, severity: Mapping[str, Mark]) -> Report:
        """Return the report with other marks for the leaks, errors and warnings of some checks.

        Raises UnknownNameError for a check not in the report, ParameterError for an unknown mark.

        Examples
        --------
        >>> report = Report("x", "", (Finding("ZSL012", "leak", "2 rows."),))
        >>> report.with_marks({"ZSL012": "warning"}).verdict
        'clean'
        """
        for check in severity:
            self.of(check)
        for check, mark in severity.items():
            if mark not in MARKS:
                expected = f"expected one of {', '.join(MARKS)}"
                raise ParameterError(f"severity of {check}: {expected}; got {mark!r}.")
        findings = tuple(
            replace(f, mark=severity.get(f.check, f.mark))
            if f.mark in ("leak", "error", "warning")
            else f
            for f in self.findings
        )
        changes = "; ".join(f"{check} as {mark}" for check, mark in severity.items())
        read_as = {**self.read_as, "conditions": changes} if changes else self.read_as
        return replace(self, findings=findings, read_as=read_as)

    def accept(self, checks: Iterable[str]) -> Report:
        """Accept the open findings of ``checks``: they no longer decide the verdict."""
        accepted = frozenset(checks)
        findings = (
            replace(f, decides=f.decides and f.check not in accepted) if f.mark == "open" else f
            for f in self.findings
        )
        return replace(self, findings=tuple(findings))

    def __repr__(self) -> str:
        return f"<Report {self.headline}>"

    def _repr_html_(self) -> str:
        """Show the findings in a notebook."""
        return html_of_frame(repr(self), self.to_frame(), rows=60)

    def to_frame(self) -> DataFrame:
        """Return one row per finding: check, title, mark, sentence, advice."""
        columns = ["check", "title", "mark", "sentence", "advice"]
        rows = [(f.check, f.title, f.mark, f.sentence, f.advice) for f in self.findings]
        return frame(rows, columns)
