"""A review as one page: verdict first, an interactive curve, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape

import pandas as pd

from zslcore.interactive.one_file import element, script_of
from zslcore.interactive.seen_unseen import PARTS
from zslcore.leakage import page
from zslcore.leakage.cards import Point
from zslcore.leakage.report import counted
from zslcore.scores.protocols import CHOSEN
from zslcore.scores.review import MARK_WORDS, Review, Section
from zslcore.version import version

#: Of the table of figures.
STYLE = """
thead th, tbody th.protocol { font-weight: 600; }
td { font-variant-numeric: tabular-nums; } td small { display: block; }
"""
AVERAGES = ("per class", "per sample")


def to_html(review: Review) -> str:
    """Return a review as a standalone page; every text from outside is escaped."""
    number = {line: k for k, line in enumerate(review.commands, 1)}
    curve = review.curve
    return page.page(
        f"Review: {review.verdict}",
        page.verdict_of(
            review.verdict, review.sentence, more=f" {_repeat(review.command, number)}"
        ),
        page.key((f.label, f.value, f.note) for f in review.figures),
        *(_section(section, number) for section in review.sections),
        _figures(review, number),
        _curve(review, number),
        page.section(
            "What was not stated or could not be checked",
            page.listed(_item(each, number) for each in review.not_stated),
        ),
        _read(review),
        _commands(review),
        style=STYLE + (PARTS.css if curve else ""),
        script=script_of(PARTS, curve.packed()) if curve else "",
    )


def _repeat(command: str, number: dict[str, int]) -> str:
    """Return the link from a sentence to the command that repeats it."""
    k, title = number[command], escape(command, quote=True)
    return f'<a class="repeat" href="#command-{k}" title="{title}">command {k}</a>'


def _section(section: Section, number: dict[str, int]) -> str:
    """Return what was found, then what found nothing; what is open stands further below."""
    found = (*section.of("leak", "warning"), *section.of("ok"))
    n_open = len(section.of("open"))
    more = f'<p class="note">{counted(n_open, "open point")} below.</p>' if n_open else ""
    return f"<h2>{escape(section.title)}</h2>{page.listed(_item(p, number) for p in found)}{more}"


def _item(point: Point, number: dict[str, int]) -> str:
    what = page.said(point.title, point.text, point.advice)
    return f"{page.mark(point.mark, MARK_WORDS[point.mark])}{what} {_repeat(point.command, number)}"


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
    blind = "Names of files and paths are left out. The digest of a file shows which one was read."
    rows = ((role, name, sha) for role, name, _, sha in review.files)
    return page.section(
        "What was read",
        f"<p>{blind}</p>" if review.blind else "",
        page.table(rows, ("file", "name", "SHA-256")),
    )


def _commands(review: Review) -> str:
    lines = "".join(
        f'<li id="command-{k}"><code>{escape(line)}</code></li>'
        for k, line in enumerate(review.commands, 1)
    )
    return f'<h2>Commands</h2><ol>{lines}</ol><p class="note">zslcore {version()}</p>'
