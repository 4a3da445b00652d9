"""The report of an audit as text, Markdown, HTML, JSON or JUnit XML.

The schema of the JSON has a version, ``zslcore-audit/1``::

    schema      "zslcore-audit/1"
    subject     name of the data set or file        split     name of the split
    verdict     "failed", "incomplete", "warnings" or "passed"    counts    findings by severity
    checks      [{id, title}], all of them
    findings    [{id, severity, message, advice, classes, rows, figures,
                  evidence: [{title, columns, rows, total}]}]
    provenance  {what: value}
    comparison  null, or the split against another one:
                {names, parts, rows, moved, headline, tables: [{title, columns, rows, total}]}

Rows are 0-based. Fields may be added under the same version; none is renamed or taken away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any
from xml.etree import ElementTree

from zslcore.exceptions import closest_name
from zslcore.leakage import page
from zslcore.leakage.report import FAIL_ON, AuditReport, Evidence, FailOn, Finding, Severity

SCHEMA = "zslcore-audit/1"
AGAINST, READ = "Against another split", "What was read"
#: Rows of a table that are printed in a terminal and in Markdown; the JSON has up to a hundred.
IN_TEXT, IN_MARKDOWN = 20, 10
#: What XML 1.0 cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: AuditReport, format: str = "text") -> str:  # noqa: A002 - the word for it
    """Return ``report`` in one of ``FORMATS``; a misspelt name gets the nearest one."""
    if format not in FORMATS:
        raise closest_name("report format", format, FORMATS)
    return FORMATS[format](report)


# --- Text -----------------------------------------------------------------------------------------


def to_text(report: AuditReport) -> str:
    """Return the headline, then every finding with its advice, then what another split moved."""
    lines = [report.headline, ""]
    for finding in report.findings:
        lines.append(f"{finding.id}  {finding.severity.upper():<11}  {finding.message}")
        if finding.advice:
            lines.append(f"{'':21}-> {finding.advice}")
    if report.comparison:
        lines += ["", report.comparison.headline]
        for table in report.comparison.tables():
            shown = table.rows[:IN_TEXT]
            lines += ["", f"{table.title}, {len(shown)} of {table.total}:"]
            lines += _aligned([table.columns, *shown])
    return "\n".join(lines) + "\n"


def _aligned(rows: Sequence[Sequence[object]]) -> list[str]:
    """Return a table in columns; numbers, which are last, stand on the right."""
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


# --- Markdown -------------------------------------------------------------------------------------


def to_markdown(report: AuditReport) -> str:
    """Return the verdict, a table of findings and their evidence, names escaped."""
    lines = [f"# Leakage review: {_plain(report.subject)}", "", _plain(report.headline), ""]
    lines += ["| id | check | severity | finding |", "|---|---|---|---|"]
    lines += [
        f"| {f.id} | {report.titles[f.id]} | {f.severity} | {_plain(f.message)} |"
        for f in report.findings
    ]
    for f in report.findings:
        if f.evidence or f.advice:
            lines += ["", f"## {f.id}: {f.severity}", "", _plain(f.message)]
            lines += ["", f"What to do: {_plain(f.advice)}"] if f.advice else []
            lines += [line for table in f.evidence for line in _in_markdown(table)]
    if report.comparison:
        lines += ["", f"## {AGAINST}", "", _plain(report.comparison.headline)]
        lines += [line for table in report.comparison.tables() for line in _in_markdown(table)]
    lines += ["", f"## {READ}", ""]
    lines += [f"- {key}: {_plain(str(value))}" for key, value in report.provenance.items()]
    return "\n".join(lines) + "\n"


def _in_markdown(table: Evidence) -> list[str]:
    shown = table.rows[:IN_MARKDOWN]
    lines = ["", f"{table.title}, {len(shown)} of {table.total}:", ""]
    lines += [_line(table.columns), "|" + "---|" * len(table.columns)]
    return lines + [_line(row) for row in shown]


def _line(cells: Sequence[object]) -> str:
    return "| " + " | ".join(_plain(str(cell)) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Take away what Markdown or HTML would read in a name from a file."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_{}\[\]|!#])", r"\\\1", text)


# --- HTML -----------------------------------------------------------------------------------------


def to_html(report: AuditReport) -> str:
    """Return a standalone page; every text from outside is escaped."""
    title, other = f"Leakage review: {report.subject}", report.comparison
    return page.page(
        title,
        page.verdict_of(title, report.headline),
        *(_details(f, report.titles[f.id]) for f in report.findings),
        page.section(AGAINST, f"<p>{escape(other.headline)}</p>", *map(_shown, other.tables()))
        if other
        else "",
        page.section(READ, page.table(report.provenance.items())),
    )


def _details(finding: Finding, title: str) -> str:
    mark = str(finding.severity)
    head = f"{page.mark(mark)}{escape(f'{finding.id} {title}: {finding.message}')}"
    advice = f"<p>What to do: {escape(finding.advice)}</p>" if finding.advice else ""
    opened, tables = " open" * (mark == "fail"), "".join(map(_shown, finding.evidence))
    return f"<details{opened}><summary>{head}</summary>{advice}{tables}</details>"


def _shown(table: Evidence) -> str:
    caption = escape(f"{table.title}, {len(table.rows)} of {table.total}")
    return f"<p>{caption}</p>{page.table(table.rows, table.columns)}"


# --- JSON -----------------------------------------------------------------------------------------


def to_json(report: AuditReport) -> str:
    """Return the whole report; strict JSON, numbers that are not finite become null."""
    other = report.comparison
    content = {
        "schema": SCHEMA,
        "subject": report.subject,
        "split": report.split,
        "verdict": report.verdict,
        "counts": {str(severity): n for severity, n in report.counts.items()},
        "checks": [{"id": id_, "title": title} for id_, title in report.titles.items()],
        "findings": [_fields(finding) for finding in report.findings],
        "provenance": dict(report.provenance),
        "comparison": other
        and {
            "names": other.names,
            "parts": other.parts,
            "rows": other.n_rows,
            "moved": other.n_moved,
            "headline": other.headline,
            "tables": [asdict(table) for table in other.tables()],
        },
    }
    return json.dumps(finite(content), indent=1, allow_nan=False, default=str) + "\n"


def _fields(finding: Finding) -> dict[str, Any]:
    order = ("id", "severity", "message", "advice", "classes", "rows", "figures")
    values = {name: getattr(finding, name) for name in order}
    return values | {"evidence": [asdict(table) for table in finding.evidence]}


def finite(value: object) -> object:
    """Return ``value`` with NaN and infinities replaced by None."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


# --- JUnit ----------------------------------------------------------------------------------------


def to_junit(report: AuditReport, fail_on: FailOn = "fail", accepted: Collection[str] = ()) -> str:
    """Return one test case per check, as every CI server draws; ``fail_on`` says what fails.

    What could not run is an error, so that no server draws it green; for a check among ``accepted``
    it is a skipped test with its reason, as what is unknown is, unless it fails.
    """
    suite = ElementTree.Element("testsuite", name=_xml(f"zslcore audit: {report.subject}"))
    n = {"failure": 0, "error": 0, "skipped": 0}
    for id_, title in report.titles.items():
        case = ElementTree.SubElement(suite, "testcase", name=f"{id_} {title}")
        case.set("classname", _xml(f"zslcore.leakage.{report.subject}"))
        outcome = _outcome(report.severity(id_), fail_on, id_ in accepted)
        text = "\n".join(f"{f.severity}: {f.message} {f.advice}".strip() for f in report.of(id_))
        if outcome:
            n[outcome] += 1
            worst = min(report.of(id_), key=lambda f: f.severity.rank)
            ElementTree.SubElement(case, outcome, message=_xml(worst.message)).text = _xml(text)
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(text)
    counts = {"tests": len(report.titles), "failures": n["failure"]}
    counts |= {"skipped": n["skipped"], "errors": n["error"]}
    for name, number in counts.items():
        suite.set(name, str(number))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _outcome(severity: Severity, fail_on: FailOn, accepted: bool) -> str:
    if severity in FAIL_ON[fail_on]:
        return "failure"
    if severity is Severity.DID_NOT_RUN and not accepted:
        return "error"
    return "skipped" if severity in (Severity.UNKNOWN, Severity.DID_NOT_RUN) else ""


def _xml(text: str) -> str:
    return NOT_XML.sub("", text)


FORMATS: dict[str, Callable[[AuditReport], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
    "junit": to_junit,
}
