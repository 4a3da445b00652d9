"""A report for the terminal: one line per finding."""

from __future__ import annotations

from collections.abc import Sequence

from zslcore.leakage.report import AuditReport

#: Rows of a table that are printed; the JSON report has up to a hundred.
ROWS = 20


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
            shown = table.rows[:ROWS]
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
