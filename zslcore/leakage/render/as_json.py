"""A report as JSON, for programs; the schema has a version.

``zslcore-audit/1``::

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
from typing import Any

from zslcore.leakage.comparison import SplitComparison
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import AuditReport, Finding

SCHEMA = "zslcore-audit/1"


def to_json(report: AuditReport) -> str:
    """Return the whole report; strict JSON, numbers that are not finite become null."""
    content = {
        "schema": SCHEMA,
        "subject": report.subject,
        "split": report.split,
        "verdict": report.verdict,
        "counts": {str(severity): n for severity, n in report.counts.items()},
        "checks": [{"id": id_, "title": title} for id_, title in report.titles.items()],
        "findings": [_finding(finding) for finding in report.findings],
        "provenance": dict(report.provenance),
        "comparison": _comparison(report.comparison),
    }
    return json.dumps(_finite(content), indent=1, allow_nan=False, default=str) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "severity": str(finding.severity),
        "message": finding.message,
        "advice": finding.advice,
        "classes": list(finding.classes),
        "rows": list(finding.rows),
        "figures": dict(finding.figures),
        "evidence": [_table(evidence) for evidence in finding.evidence],
    }


def _table(evidence: Evidence) -> dict[str, Any]:
    fields = ("title", "columns", "rows", "total")
    return {field: getattr(evidence, field) for field in fields}


def _comparison(comparison: SplitComparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        "names": comparison.names,
        "parts": comparison.parts,
        "rows": comparison.n_rows,
        "moved": comparison.n_moved,
        "headline": comparison.headline,
        "tables": [_table(table) for table in comparison.tables()],
    }


def _finite(value: object) -> object:
    """Return ``value`` with NaN and infinities replaced by None."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
