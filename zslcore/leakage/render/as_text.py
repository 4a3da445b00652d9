"""A report for the terminal: one line per finding."""

from __future__ import annotations

from zslcore.leakage.report import AuditReport

__all__ = ["to_text"]


def to_text(report: AuditReport) -> str:
    """Return the headline, then id, severity and message of every finding, and its advice."""
    lines = [report.headline, ""]
    for finding in report.findings:
        lines.append(f"{finding.id}  {finding.severity.upper():<11}  {finding.message}")
        if finding.advice:
            lines.append(f"{'':21}-> {finding.advice}")
    return "\n".join(lines) + "\n"
