"""A review as one page: verdict first, an interactive curve, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape

import pandas as pd

from zslcore.interactive.one_file import element, page_of, script_of
from zslcore.interactive.seen_unseen import PARTS
from zslcore.leakage.words import counted
from zslcore.scores.protocols import CHOSEN
from zslcore.scores.review.stating import MARKS, Review, Section, Statement
from zslcore.version import version

STYLE = """
body { font-size: 16px; line-height: 1.5; }
h1 { font-size: 2.2rem; margin: 0; } h2 { font-size: 1.25rem; margin: 2rem 0 .4rem; }
.lead { font-size: 1.15rem; margin: .3rem 0 1rem; max-width: 50rem; }
.key { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: 0 0 1rem; padding: 0; }
.key div { flex: 1 1 14rem; } .key dd { margin: 0; } .key .value { font-size: 1.5rem;
  font-weight: 600; }
.note, .repeat { font-size: .875rem; } .repeat { white-space: nowrap; }
ul.said { list-style: none; padding: 0; max-width: 54rem; } ul.said li { margin: .5rem 0; }
.mark { display: inline-block; min-width: 5.6rem; font-weight: 600; }
.leak, .leaks, .contradicted, .oracle { color: #a03a00; } .warning, .questionable
  { color: #7a5b00; } .open, .unknown { color: #4a5560; } .ok, .clean, .stated { color: #00664d; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--st-border-color); padding: .25rem .8rem .25rem 0;
  text-align: left; vertical-align: top; font-weight: 400; }
thead th, tbody th.protocol { font-weight: 600; }
td { font-variant-numeric: tabular-nums; } td small { display: block; }
code { font-size: .875rem; overflow-wrap: anywhere; } a { color: inherit; }
.sha { overflow-wrap: anywhere; font-size: .875rem; }
@media (prefers-color-scheme: dark) {
  .leak, .leaks, .contradicted, .oracle { color: #ff9a5c; } .warning, .questionable
  { color: #e8c455; } .open, .unknown { color: #b6c0ca; } .ok, .clean, .stated
  { color: #4fd1a5; } }
@media print { body { font-size: 10pt; max-width: none; } li, tr { break-inside: avoid; } }
"""
AVERAGES = ("per class", "per sample")


def to_html(review: Review) -> str:
    """Return a review as a standalone page; every text from outside is escaped."""
    number = {line: k for k, line in enumerate(review.commands, 1)}
    body = [
        f'<h1 class="{review.verdict.lower()}">{review.verdict}</h1>',
        f'<p class="lead">{escape(review.sentence)} {_repeat(review.command, number)}</p>',
        _key(review),
        *(_section(section, number) for section in review.sections),
        _figures(review, number),
        _curve(review, number),
        _not_stated(review, number),
        _read(review),
        _commands(review),
    ]
    title = f"Review: {review.verdict}"
    curve = review.curve
    return page_of(
        "\n".join(part for part in body if part),
        title=title,
        style=STYLE + (PARTS.css if curve else ""),
        script=script_of(PARTS, curve.packed()) if curve else "",
    )


def _repeat(command: str, number: dict[str, int]) -> str:
    """Return the link from a sentence to the command that repeats it."""
    k, title = number[command], escape(command, quote=True)
    return f'<a class="repeat" href="#command-{k}" title="{title}">command {k}</a>'


def _key(review: Review) -> str:
    cells = "".join(
        f'<div><dt>{escape(f.label)}</dt><dd class="value">{escape(f.value)}</dd>'
        f'<dd class="note">{escape(f.note)}</dd></div>'
        for f in review.figures
    )
    return f'<dl class="key">{cells}</dl>'


def _section(section: Section, number: dict[str, int]) -> str:
    """Return what was found, then what found nothing; what is open stands further below."""
    found, passed = section.of("leak", "warning"), section.of("ok")
    items = "".join(_item(each, number) for each in found)
    items += "".join(_item(each, number) for each in passed)
    n_open = len(section.of("open"))
    more = f'<p class="note">{counted(n_open, "open point")} below.</p>' if n_open else ""
    listed = f'<ul class="said">{items}</ul>' if items else ""
    return f"<h2>{escape(section.title)}</h2>{listed}{more}"


def _item(statement: Statement, number: dict[str, int]) -> str:
    advice = f" <i>{escape(statement.advice)}</i>" if statement.advice else ""
    return (
        f'<li><span class="mark {statement.mark}">{MARKS[statement.mark]}</span> '
        f"<b>{escape(statement.title)}.</b> {escape(statement.text)}{advice} "
        f"{_repeat(statement.command, number)}</li>"
    )


def _not_stated(review: Review, number: dict[str, int]) -> str:
    items = "".join(_item(each, number) for each in review.not_stated)
    if not items:
        return ""
    heading = "What was not stated or could not be checked"
    return f'<h2>{heading}</h2><ul class="said">{items}</ul>'


# --- Figures --------------------------------------------------------------------------------------


def _figures(review: Review, number: dict[str, int]) -> str:
    if review.table is None:
        return ""
    head = "".join(f'<th scope="col">{average}</th>' for average in AVERAGES)
    protocols = review.table.groupby("protocol", sort=False)
    rows = "".join(_protocol(str(name), of, review.gamma) for name, of in protocols)
    command = review.sections[-1].statements[0].command
    return (
        "<h2>Figures</h2>"
        '<p class="note">Percent; below it two 95 % intervals: over classes, then over the images '
        f"of each class. {escape(review.caution)} {_repeat(command, number)}</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Figures">'
        f'<table><thead><tr><th scope="col">protocol</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _protocol(name: str, of: pd.DataFrame, gamma: str) -> str:
    """Return the rows of one protocol, or one row with the reason why there are none."""
    heading = escape(name)
    start = f'<tr><th scope="rowgroup" class="protocol" colspan="{1 + len(AVERAGES)}">{heading}'
    if of["value"].isna().all():
        reason = next(iter(of["reason"]))
        return f'{start}</th></tr><tr><td colspan="{1 + len(AVERAGES)}">{escape(reason)}.</td></tr>'
    gamma = escape(gamma.removeprefix("Chosen gamma: "))  # the heading has said so
    said = f'<span class="note">: {gamma}</span>' if name == CHOSEN else ""
    rows = "".join(
        f'<tr><th scope="row">{escape(str(line))}</th>'
        + "".join(_cell(rows[rows["average"] == average]) for average in AVERAGES)
        + "</tr>"
        for line, rows in of.groupby("line", sort=False)
    )
    return f"{start}{said}</th></tr>{rows}"


def _cell(rows: pd.DataFrame) -> str:
    if not len(rows) or rows["value"].isna().all():
        return "<td></td>"
    row = rows.iloc[0]
    ends = "; ".join(
        f"{100 * row[f'low{over}']:.1f} to {100 * row[f'high{over}']:.1f}"
        for over in ("", "_images")
    )
    return f"<td>{100 * row['value']:.1f}<small>{ends}</small></td>"


def _curve(review: Review, number: dict[str, int]) -> str:
    if review.curve is None:
        return ""
    command = review.sections[-1].statements[0].command
    return (
        f"<h2>Curve</h2><p>{escape(review.curve.alt)} Drag the point, or use the arrow keys on the "
        f"slider. {_repeat(command, number)}</p>{element(PARTS)}"
    )


# --- What was read --------------------------------------------------------------------------------


def _read(review: Review) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(role)}</th><td>{escape(name)}</td>'
        f'<td class="sha">{sha}</td></tr>'
        for role, name, _, sha in review.files
    )
    blind = (
        "<p>Names of files and paths are left out. The digest of a file shows which one was read."
        "</p>"
        if review.blind
        else ""
    )
    return (
        f'<h2>What was read</h2>{blind}<div class="scroll"><table><thead><tr>'
        '<th scope="col">file</th><th scope="col">name</th><th scope="col">SHA-256</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _commands(review: Review) -> str:
    lines = "".join(
        f'<li id="command-{k}"><code>{escape(line)}</code></li>'
        for k, line in enumerate(review.commands, 1)
    )
    return f'<h2>Commands</h2><ol>{lines}</ol><p class="note">zslcore {version()}</p>'
