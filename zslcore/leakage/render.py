"""The report of an audit as text, Markdown, HTML, JSON or JUnit XML.

The schema of the JSON has a version, ``zslcore-audit/2``::

    schema      "zslcore-audit/2"
    subject     name of the data set or file        split     name of the split
    verdict     "leaks", "broken", "unknown" or "clean"       counts    findings by mark
    sentence    the reason of the verdict
    checks      [{id, title}], all of them
    findings    [{check, title, mark, decides, sentence, advice, value, classes, rows, figures,
                  evidence: [{title, columns, rows, total}]}]
    provenance  {what: value}
    comparison  null, or the split against another one:
                {names, parts, rows, moved, headline, tables: [{title, columns, rows, total}]}

Rows are 0-based. Fields may be added under the same version; none is renamed or taken away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any
from xml.etree import ElementTree

from zslcore.exceptions import closest_name
from zslcore.leakage import page
from zslcore.leakage.report import FAIL_ON, Evidence, FailOn, Finding, Report, worst_first

SCHEMA = "zslcore-audit/2"
AGAINST, READ = "Against another split", "What was read"
#: Rows of a table that are printed in a terminal and in Markdown; the JSON has up to a hundred.
IN_TEXT, IN_MARKDOWN = 20, 10
#: What XML 1.0 cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, format: str = "text") -> str:  # noqa: A002 - the word for it
    """Return ``report`` in one of ``FORMATS``; a misspelt name gets the nearest one."""
    if format not in FORMATS:
        raise closest_name("report format", format, FORMATS)
    return FORMATS[format](report)


# --- Text -----------------------------------------------------------------------------------------


def to_text(report: Report) -> str:
    """Return the headline, then every finding with its advice, then what another split moved."""
    lines = [report.headline, report.sentence]
    if read_as := report.provenance.get("read as"):
        lines.append(f"Read as: {read_as}.")
    lines.append("")
    for finding in report.findings:
        lines.append(f"{finding.check}  {finding.mark.upper():<7}  {finding.sentence}")
        if finding.advice:
            lines.append(f"{'':17}-> {finding.advice}")
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


def to_markdown(report: Report) -> str:
    """Return the verdict, a table of findings and their evidence, names escaped."""
    lines = [f"# Leakage review: {_plain(report.subject)}", "", _plain(report.headline), ""]
    lines += [_plain(report.sentence), ""]
    lines += ["| check | title | mark | finding |", "|---|---|---|---|"]
    lines += [
        f"| {f.check} | {f.title} | {f.mark} | {_plain(f.sentence)} |" for f in report.findings
    ]
    for f in report.findings:
        if f.evidence or f.advice:
            lines += ["", f"## {f.check}: {f.mark}", "", _plain(f.sentence)]
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


def to_html(report: Report) -> str:
    """Return a standalone page; every text from outside is escaped."""
    title, other = f"Leakage review: {report.subject}", report.comparison
    return page.page(
        title,
        page.verdict_of(title, report.headline, report.sentence),
        *map(_details, report.findings),
        page.section(AGAINST, f"<p>{escape(other.headline)}</p>", *map(_shown, other.tables()))
        if other
        else "",
        page.section(READ, page.table(report.provenance.items())),
    )


def _details(finding: Finding) -> str:
    text = f"{finding.check} {finding.title}: {finding.sentence}"
    head = f"{page.mark(finding.mark)}{escape(text)}"
    advice = f"<p>What to do: {escape(finding.advice)}</p>" if finding.advice else ""
    opened, tables = (
        " open" * (finding.mark in ("leak", "error")),
        "".join(map(_shown, finding.evidence)),
    )
    return f"<details{opened}><summary>{head}</summary>{advice}{tables}</details>"


def _shown(table: Evidence) -> str:
    caption = escape(f"{table.title}, {len(table.rows)} of {table.total}")
    return f"<p>{caption}</p>{page.table(table.rows, table.columns)}"


# --- JSON -----------------------------------------------------------------------------------------


def to_json(report: Report) -> str:
    """Return the whole report; strict JSON, numbers that are not finite become null."""
    other = report.comparison
    content = {
        "schema": SCHEMA,
        "subject": report.subject,
        "split": report.split,
        "verdict": report.verdict,
        "sentence": report.sentence,
        "counts": report.counts,
        "checks": [{"id": id_, "title": title} for id_, title in report.titles.items()],
        "findings": [fields_of(finding) for finding in report.findings],
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


def fields_of(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON has it."""
    order = ("check", "title", "mark", "decides", "sentence", "advice", "value", "classes")
    values = {name: getattr(finding, name) for name in (*order, "rows", "figures")}
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


def to_junit(report: Report, fail_on: FailOn = "leak") -> str:
    """Return one test case per check, as every CI server draws; ``fail_on`` says what fails.

    What is broken or was not checked is an error, so that no server draws it green; an open finding
    that does not decide is a skipped test with its reason.
    """
    suite = ElementTree.Element("testsuite", name=_xml(f"zslcore check: {report.subject}"))
    n = {"failure": 0, "error": 0, "skipped": 0}
    for check, title in report.titles.items():
        case = ElementTree.SubElement(suite, "testcase", name=f"{check} {title}")
        case.set("classname", _xml(f"zslcore.leakage.{report.subject}"))
        worst = worst_first(report.of(check))[0]
        outcome = _outcome(worst, fail_on)
        text = "\n".join(f"{f.mark}: {f.sentence} {f.advice}".strip() for f in report.of(check))
        if outcome:
            n[outcome] += 1
            ElementTree.SubElement(case, outcome, message=_xml(worst.sentence)).text = _xml(text)
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
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
    "junit": to_junit,
}
