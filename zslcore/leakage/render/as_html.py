"""A report as one HTML page that loads nothing from elsewhere."""

from __future__ import annotations

from html import escape

from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import AuditReport, Finding

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1 { font-size: 1.5rem; } .verdict { font-size: 1.2rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .6rem; text-align: left;
         vertical-align: top; }
details { border-bottom: 1px solid #ccc; padding: .4rem 0; } summary { cursor: pointer; }
.mark { display: inline-block; min-width: 6.5rem; font-weight: 600; }
.fail { color: #a03a00; } .warn { color: #7a5b00; } .pass { color: #00664d; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #14171c; } th, td, details { border-color: #444; }
  .fail { color: #ff9a5c; } .warn { color: #e8c455; } .pass { color: #4fd1a5; }
}
"""


def to_html(report: AuditReport) -> str:
    """Return a standalone page; every text from outside is escaped."""
    title = escape(f"Leakage review: {report.subject}")
    read = "".join(
        f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>"
        for key, value in report.provenance.items()
    )
    findings = "".join(_finding(f, report.titles[f.id]) for f in report.findings)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>"
        f'<p class="verdict">{escape(report.headline)}</p>{findings}{_comparison(report)}'
        f"<h2>What was read</h2><table>{read}</table></body></html>\n"
    )


def _finding(finding: Finding, title: str) -> str:
    mark = escape(str(finding.severity))
    head = (
        f'<summary><span class="mark {mark.replace(" ", "-")}">{mark}</span> '
        f"{escape(finding.id)} {escape(title)}: {escape(finding.message)}</summary>"
    )
    advice = f"<p>What to do: {escape(finding.advice)}</p>" if finding.advice else ""
    opened = " open" if mark == "fail" else ""
    return f"<details{opened}>{head}{advice}{''.join(map(_table, finding.evidence))}</details>\n"


def _comparison(report: AuditReport) -> str:
    if report.comparison is None:
        return ""
    tables = "".join(map(_table, report.comparison.tables()))
    headline = escape(report.comparison.headline)
    return f"<h2>Against another split</h2><p>{headline}</p>{tables}"


def _table(evidence: Evidence) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in evidence.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>"
        for row in evidence.rows
    )
    caption = f"{escape(evidence.title)}, {len(evidence.rows)} of {evidence.total}"
    return f"<p>{caption}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
