"""Reports as text, as a page, as JSON, as JUnit XML, and as a paragraph for a review.

The schema of the JSON has a version, ``zslcore-report/1``::

    schema      "zslcore-report/1"                       version   of zslcore
    kind        kind of the subject, in words            subject   name of the data set or files
    split       name of the split, or empty              files     [{name, sha256}]
    verdict     "leaks", "broken", "unknown" or "clean"  counts    findings by mark
    sentence    the reason of the verdict                command   empty for `check FILES`
    metrics     [{label, value, note}]
    checks      [{id, title}] of all checks
    findings    [{check, title, mark, decides, sentence, advice, value, classes, rows, numbers,
                  evidence: [{title, columns, rows, total}]}]
    picture     null, or {alt, bars, curve, points}
    read_as     {name: value}: sources and assumptions
    comparison  null, or the comparison with another split:
                {names, parts, rows, moved, headline, tables: [{title, columns, rows, total}]}

Rows in the report of an audit are 0-based; rows in the card of a split file are numbered as in the
file (:mod:`zslcore.leakage.split_card`). Fields may be added under the same version; none is
renamed or removed.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from zslcore.exceptions import closest_name
from zslcore.interactive.one_file import html_page
from zslcore.leakage.report import FAIL_ON, MARKS, FailOn, Finding, Report, worst_first
from zslcore.texts import read_fields, strict_json
from zslcore.version import version

if TYPE_CHECKING:
    from jinja2 import Template

SCHEMA = "zslcore-report/1"
#: Maximum number of rows of a table in the terminal; the JSON has up to a hundred.
MAX_TEXT_ROWS = 20
#: Width of a line, and of the column of marks, in characters.
LETTERS, INDENT = 96, 9
#: A paragraph has ``DIGITS`` characters of a digest, advice on at most ``MAX_REPEATED`` findings,
#: and at most ``MAX_OPEN`` open findings.
DIGITS, MAX_REPEATED, MAX_OPEN = 12, 2, 4
#: Characters that XML 1.0 does not allow, not even escaped.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HEADINGS = dict(zip(MARKS, ("Leaks", "Errors", "Open", "Warnings", "In order"), strict=True))


def render(report: Report, format: str = "text") -> str:  # noqa: A002 - the usual name
    """Return ``report`` in one of ``FORMATS``; the error for a misspelt name suggests a format."""
    if format not in FORMATS:
        raise closest_name("report format", format, FORMATS)
    return FORMATS[format](report)


def _title_of(report: Report) -> str:
    """Return the kind, the split and the name of the subject."""
    names = ", ".join(name for name, _ in report.files) or report.subject
    return f"{report.kind}{f' {report.split}' if report.split else ''}: {names}"


def _name_of(finding: Finding) -> str:
    """Return the identifier of the check and the title of a finding."""
    is_numbered = finding.check.startswith("ZSL")
    return f"{finding.check} {finding.title}" if is_numbered else finding.title


# --- Text -----------------------------------------------------------------------------------------


def to_text(report: Report) -> str:
    """Return the verdict, all findings with advice, and the comparison with another split."""
    lines = [f"{report.verdict.upper()}  {_title_of(report)} ({report.counts_in_words})", ""]
    lines += textwrap.wrap(report.sentence, LETTERS)
    if reading := report.read_as.get("read as"):
        lines.append(f"Read as: {reading}.")
    if conditions := report.read_as.get("conditions"):
        lines.append(f"Custom rules: {conditions}.")
    width = max((len(metric.label) for metric in report.metrics), default=0)
    lines += [""] * bool(report.metrics)
    for metric in report.metrics:
        note = f"  ({metric.note})" if metric.note else ""
        lines.append(f"  {metric.label:<{width}}  {metric.value}{note}")
    for finding in report.findings:
        lines += ["", *_paragraph(finding)]
    if report.comparison:
        lines += ["", report.comparison.headline]
        for table in report.comparison.tables():
            first_rows = table.rows[:MAX_TEXT_ROWS]
            lines += ["", f"{table.title}, {len(first_rows)} of {table.total}:"]
            lines += _align([table.columns, *first_rows])
    if report.command:
        lines += ["", *(f"{name}, SHA-256 {sha}" for name, sha in report.files)]
        lines.append(f"To repeat: {report.command}")
    return "\n".join(lines) + "\n"


def _paragraph(finding: Finding) -> Iterator[str]:
    yield f"{finding.mark.upper():<{INDENT}}{_name_of(finding)}"
    for text in (finding.sentence, finding.advice and f"What to do: {finding.advice}"):
        yield from (" " * INDENT + line for line in textwrap.wrap(text, LETTERS - INDENT))


def _align(rows: Sequence[Sequence[object]]) -> list[str]:
    """Align a table in columns; a last column of numbers is right-aligned."""
    cells = [[f"{x:,}" if isinstance(x, int) else str(x) for x in row] for row in rows]
    width = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = isinstance(rows[-1][-1], int)
    return [
        "  ".join(
            cell.rjust(w) if right and k == len(row) - 1 else cell.ljust(w)
            for k, (cell, w) in enumerate(zip(row, width, strict=True))
        ).rstrip()
        for row in cells
    ]


def to_paragraph(report: Report) -> str:
    """Return a paragraph of about 120 words for a review, with the digests of the files."""
    files = " and ".join(f"{name} (SHA-256 {sha[:DIGITS]}…)" for name, sha in report.files)
    metrics = "; ".join(
        f"{f.label}: {f.value}{f' ({f.note})' if f.note else ''}" for f in report.metrics
    )
    advised = [f for f in report.select_findings("leak", "error", "warning") if f.advice]
    # Advice such as "each of them" refers to its finding, so the finding's sentence precedes it.
    advice = " ".join(
        dict.fromkeys(
            f.advice if f.sentence in report.sentence else f"{f.sentence} {f.advice}"
            for f in advised[:MAX_REPEATED]
        )
    )
    sentences = [f"I checked {files}.", f"Verdict: {report.word}.", report.sentence]
    sentences += [f"{metrics[:1].upper()}{metrics[1:]}.", advice]
    titles = [f.title.removeprefix("split: ") for f in report.select_findings("open")[:MAX_OPEN]]
    titles = [title[0].lower() + title[1:] for title in titles]
    titles = [title for title in titles if title not in report.sentence]
    if titles:
        sentences.append(f"Not settled by these files: {'; '.join(dict.fromkeys(titles))}.")
    sentences.append(f"To repeat: {report.repeated_by} (version {version()}).")
    return " ".join(part for part in sentences if part)


# --- HTML -----------------------------------------------------------------------------------------


def reports_html(*reports: Report) -> str:
    """Return reports as one standalone HTML page."""
    first = reports[0]
    return page(f"{first.word}: {_title_of(first)}", body_of(*reports))


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return a page without external resources; ``body`` is HTML."""
    return html_page(body, title=title, style=_style() + style, script=script)


def body_of(*reports: Report) -> str:
    """Return the body of a page on reports."""
    return template(Path(__file__).with_name("report.html")).render(
        reports=reports,
        headings=HEADINGS,
        title_of=_title_of,
        name_of=_name_of,
        sources=_sources,
        numbers_rows=lambda report: bool(report.files),
        listed_rows=lambda finding: ", ".join(f"{row:,}" for row in finding.rows),
    )


@cache
def template(path: Path) -> Template:
    """Return a template that escapes every value."""
    from jinja2 import Environment, StrictUndefined  # local import: most commands write no page

    environment = Environment(autoescape=True, trim_blocks=True, undefined=StrictUndefined)
    return environment.from_string(path.read_text(encoding="utf-8"))


@cache
def _style() -> str:
    return Path(__file__).with_name("report.css").read_text(encoding="utf-8")


def _sources(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the digests of the files, then sources and assumptions, as (name, value) pairs."""
    yield from ((name, f"SHA-256 {sha}") for name, sha in report.files)
    for name, value in report.read_as.items():
        if isinstance(value, Mapping):
            value = [f"{key} {element}" for key, element in value.items()]
        yield name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# --- JSON -----------------------------------------------------------------------------------------


def to_json(report: Report) -> str:
    """Return the whole report as strict JSON; numbers that are not finite become null."""
    comparison = report.comparison
    content = {
        "schema": SCHEMA,
        "version": version(),
        "kind": report.kind,
        "subject": report.subject,
        "split": report.split,
        "files": [{"name": name, "sha256": sha} for name, sha in report.files],
        "verdict": report.verdict,
        "sentence": report.sentence,
        "command": report.command,
        "counts": report.counts,
        "metrics": [asdict(metric) for metric in report.metrics],
        "checks": [{"id": id_, "title": title} for id_, title in report.titles.items()],
        "findings": [_fields(finding) for finding in report.findings],
        "picture": report.picture and asdict(report.picture),
        "read_as": dict(report.read_as),
        "comparison": comparison
        and {
            "names": comparison.names,
            "parts": comparison.parts,
            "rows": comparison.n_rows,
            "moved": comparison.n_moved,
            "headline": comparison.headline,
            "tables": [asdict(table) for table in comparison.tables()],
        },
    }
    return strict_json(content, indent=1, default=str) + "\n"


def _fields(finding: Finding) -> dict[str, Any]:
    order = ("check", "title", "mark", "decides", "sentence", "advice", "value", "classes")
    values = {name: getattr(finding, name) for name in (*order, "rows", "numbers")}
    return values | {"evidence": [asdict(table) for table in finding.evidence]}


def read_report(content: bytes, file: str) -> Report:
    """Read the JSON of a report by this or an earlier version; ``file`` is its name in errors.

    The comparison with another split is left out.
    """
    values = json.loads(content)
    files = [(value["name"], value["sha256"]) for value in values["files"]]
    if values["schema"] == "zslcore-card/1":
        values["findings"] = [_finding_of_point(values["verdict"], p) for p in values["points"]]
    for record, name in ((values, "metrics"), *((f, "numbers") for f in values["findings"])):
        if "figures" in record:  # older reports
            record[name] = record.pop("figures")
    values |= {
        "subject": values.get("subject", ", ".join(name for name, _ in files)),
        "split": values.get("split", ""),
        "files": files,
        "reason": values["sentence"],
        "command": values.get("command", ""),
    }
    names = ("subject", "split", "findings", "read_as", "kind", "files", "reason", "metrics")
    more = ("picture", "command")
    return read_fields(Report, {name: values[name] for name in (*names, *more)}, file)


def _finding_of_point(verdict: str, point: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a point of the first version of cards to the fields of a finding."""
    return {
        "check": point["title"],
        "mark": point["mark"],
        "sentence": point["text"],
        "advice": point["advice"],
        "rows": point["rows"],
        "decides": point["mark"] != "open" or verdict == "Unknown",
    }


# --- JUnit ----------------------------------------------------------------------------------------


def to_junit(report: Report, fail_on: FailOn = "leak") -> str:
    """Return JUnit XML with one test case per check; ``fail_on`` decides which marks fail.

    Errors and open findings become errors, so that no CI server shows them as passed; an open
    finding that does not decide the verdict becomes a skipped test with its reason.
    """
    suite = ElementTree.Element("testsuite", name=_xml(f"zslcore check: {report.subject}"))
    n = {"failure": 0, "error": 0, "skipped": 0}
    titles = report.titles
    for check, title in titles.items():
        case = ElementTree.SubElement(suite, "testcase", name=_xml(f"{check} {title}"))
        case.set("classname", _xml(f"zslcore.leakage.{report.subject}"))
        findings = report.of(check)
        worst = worst_first(findings)[0]
        outcome = _outcome(worst, fail_on)
        text = "\n".join(f"{f.mark}: {f.sentence} {f.advice}".strip() for f in findings)
        if outcome:
            n[outcome] += 1
            ElementTree.SubElement(case, outcome, message=_xml(worst.sentence)).text = _xml(text)
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(text)
    counts = {"tests": len(titles), "failures": n["failure"]}
    counts |= {"skipped": n["skipped"], "errors": n["error"]}
    for name, number in counts.items():
        suite.set(name, str(number))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _outcome(finding: Finding, fail_on: FailOn) -> str:
    if finding.mark == "open" and not finding.decides:
        return "skipped"
    if finding.mark in FAIL_ON[fail_on]:
        return "failure"
    return "error" if finding.mark in ("error", "open") else ""


def _xml(text: str) -> str:
    return NOT_XML.sub("", text)


FORMATS: dict[str, Callable[[Report], str]] = {
    "text": to_text,
    "html": reports_html,
    "json": to_json,
    "junit": to_junit,
}
