"""A report as JSON, for programs; the schema has a version.

``zslcore-audit/1``::

    schema      "zslcore-audit/1"
    subject     name of the data set or file        split     name of the split
    verdict     "failed", "incomplete", "warnings" or "passed"    counts    findings by severity
    checks      [{id, title}], all of them
    findings    [{id, severity, message, advice, classes, rows, figures,
                  evidence: [{title, columns, rows, total}]}]
    provenance  {what: value}

Rows are 0-based. Fields may be added under the same version; none is renamed or taken away.
"""

from __future__ import annotations

import json
from typing import Any

from zslcore.leakage.report import AuditReport, Finding

__all__ = ["SCHEMA", "to_json"]

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
        "evidence": [
            {"title": e.title, "columns": e.columns, "rows": e.rows, "total": e.total}
            for e in finding.evidence
        ],
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
