"""The HTML of reports, cards, reviews and the board: a style sheet and pieces, texts escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from zslcore.interactive.one_file import page_of

_STYLE = """
:root { --leak: #a03a00; --look: #7a5b00; --open: #4a5560; --fine: #00664d; }
@media (prefers-color-scheme: dark) {
  :root { --leak: #ff9a5c; --look: #e8c455; --open: #b6c0ca; --fine: #4fd1a5; } }
body { font-size: 16px; line-height: 1.5; }
h1 { font-size: 2rem; margin: 0; } h2 { font-size: 1.25rem; margin: 1.6rem 0 .4rem; }
.lead { font-size: 1.15rem; margin: .3rem 0 1rem; max-width: 50rem; }
.key { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: 0 0 1rem; padding: 0; }
.key div { flex: 1 1 12rem; } .key dd { margin: 0; }
.key .value { font-size: 1.5rem; font-weight: 600; }
.note, .repeat, code { font-size: .875rem; } .repeat { white-space: nowrap; }
.said { list-style: none; padding: 0; max-width: 54rem; } .said li { margin: .5rem 0; }
.mark { display: inline-block; min-width: 5.6rem; font-weight: 600; }
.leak, .leaks, .contradicted, .oracle, .fail, .overlapping, .v1 { color: var(--leak); }
.warning, .warn, .questionable { color: var(--look); } .open, .unknown { color: var(--open); }
.ok, .clean, .stated, .pass, .known, .verified { color: var(--fine); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .5rem 0; }
th, td { border-bottom: 1px solid var(--st-border-color); padding: .25rem .8rem .25rem 0;
  text-align: left; vertical-align: top; }
tbody:first-child td, td:last-child { overflow-wrap: anywhere; }
tbody th { font-weight: 400; } code { overflow-wrap: anywhere; } a { color: inherit; }
details { border-bottom: 1px solid var(--st-border-color); padding: .4rem 0; }
summary { cursor: pointer; }
@page { size: A4; margin: 15mm; }
@media print { body { font-size: 10pt; max-width: none; } li, tr { break-inside: avoid; } }
"""


def page(title: str, *parts: str, style: str = "", script: str = "") -> str:
    """Return a page that loads nothing from elsewhere; parts are HTML, empty ones left out."""
    body = "\n".join(part for part in parts if part)
    return page_of(body, title=title, style=_STYLE + style, script=script)


def verdict_of(word: str, sentence: str, note: str = "", more: str = "") -> str:
    """Return the heading: the verdict, a note, and the sentence; ``more`` is HTML behind it."""
    small = f'<p class="note">{escape(note)}</p>' if note else ""
    return (
        f'<h1 class="{escape(word.lower())}">{escape(word)}</h1>{small}'
        f'<p class="lead">{escape(sentence)}{more}</p>'
    )


def key(figures: Iterable[tuple[str, str, str]]) -> str:
    """Return figures side by side: label, value and note."""
    cells = "".join(
        f'<div><dt>{escape(label)}</dt><dd class="value">{escape(value)}</dd>'
        f'<dd class="note">{escape(note)}</dd></div>'
        for label, value, note in figures
    )
    return f'<dl class="key">{cells}</dl>'


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Return a table; without a head the first cell of a row names the others."""
    lines = "".join(
        "<tr>"
        + "".join(_cell(x, "th" if k == 0 and not head else "td") for k, x in enumerate(row))
        + "</tr>"
        for row in rows
    )
    named = "".join(f"<th>{escape(column)}</th>" for column in head)
    start = f"<thead><tr>{named}</tr></thead>" if head else ""
    return f'<div class="scroll"><table>{start}<tbody>{lines}</tbody></table></div>'


def _cell(value: object, tag: str) -> str:
    return f"<{tag}>{escape(str(value))}</{tag}>"


def section(heading: str, *parts: str) -> str:
    """Return parts below a heading, nothing where all of them are empty."""
    body = "".join(parts)
    return f"<h2>{escape(heading)}</h2>{body}" if body else ""


def listed(items: Iterable[str]) -> str:
    """Return a list of pieces of HTML, nothing where there are none."""
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="said">{lines}</ul>' if lines else ""


def said(title: str, text: str, advice: str = "") -> str:
    """Return what was found and what to do about it."""
    then = f" <i>{escape(advice)}</i>" if advice else ""
    return f"<b>{escape(title)}.</b> {escape(text)}{then}"


def mark(name: str, word: str = "") -> str:
    """Return a coloured word in front of a finding."""
    kind = escape(name.replace(" ", "-"))
    return f'<span class="mark {kind}">{escape(word or name)}</span> '
