"""A report as Markdown, for a repository or an issue."""

from __future__ import annotations

import re

from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import AuditReport, Finding

#: Rows of evidence that are printed; the JSON report has up to a hundred.
ROWS = 10


def to_markdown(report: AuditReport) -> str:
    """Return the verdict, a table of findings and their evidence, names escaped."""
    lines = [f"# Leakage review: {escape(report.subject)}", "", escape(report.headline), ""]
    lines += ["| id | check | severity | finding |", "|---|---|---|---|"]
    lines += [
        f"| {f.id} | {report.titles[f.id]} | {f.severity} | {escape(f.message)} |"
        for f in report.findings
    ]
    for finding in report.findings:
        lines += _details(finding)
    if report.comparison:
        lines += ["", "## Against another split", "", escape(report.comparison.headline)]
        for table in report.comparison.tables():
            lines += _table(table)
    lines += ["", "## What was read", ""]
    lines += [f"- {key}: {escape(str(value))}" for key, value in report.provenance.items()]
    return "\n".join(lines) + "\n"


def _details(finding: Finding) -> list[str]:
    if not finding.evidence and not finding.advice:
        return []
    lines = ["", f"## {finding.id}: {finding.severity}", "", escape(finding.message)]
    if finding.advice:
        lines += ["", f"What to do: {escape(finding.advice)}"]
    for evidence in finding.evidence:
        lines += _table(evidence)
    return lines


def _table(evidence: Evidence) -> list[str]:
    shown = evidence.rows[:ROWS]
    lines = ["", f"{evidence.title}, {len(shown)} of {evidence.total}:", ""]
    columns = [escape(column) for column in evidence.columns]
    lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(evidence.columns)]
    return lines + ["| " + " | ".join(escape(str(x)) for x in row) + " |" for row in shown]


def escape(text: str) -> str:
    """Take away what Markdown or HTML would read in a name from a file."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_{}\[\]|!#])", r"\\\1", text)
