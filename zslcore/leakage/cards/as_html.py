"""A card as one page that loads nothing from elsewhere; the verdict comes first."""

from __future__ import annotations

from html import escape

from zslcore.leakage.cards.card import Card, Point
from zslcore.leakage.cards.picture import to_svg

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 46rem; margin: 1.5rem auto;
       padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 2rem; margin: 0; } h2 { font-size: 1.05rem; margin: 1.2rem 0 .3rem; }
.lead { font-size: 1.1rem; margin: .3rem 0 1rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: 0 0 1rem; }
.figures div { flex: 1 1 11rem; } .figures b { display: block; font-size: 1.5rem; }
.note { color: #555; font-size: .85rem; } ul { padding-left: 1.2rem; margin: .2rem 0; }
table { border-collapse: collapse; font-size: .85rem; } td, th { text-align: left;
  padding: .1rem .8rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
.leaks, .contradicted, .oracle { color: #a03a00; } .unknown { color: #4a5560; }
.questionable { color: #7a5b00; } .clean { color: #00664d; }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #14171c; }
  .note { color: #aab2bb; } .leaks, .contradicted, .oracle { color: #ff9a5c; }
  .unknown { color: #b6c0ca; } .questionable { color: #e8c455; } .clean { color: #4fd1a5; } }
@page { size: A4; margin: 15mm; }
@media print { body { font-size: 10pt; margin: 0; max-width: none; color: #000;
  background: #fff; } }
"""
HEADINGS = (
    ("leak", "What leaks"),
    ("warning", "What to look at"),
    ("open", "What is open"),
)


def to_html(*cards: Card) -> str:
    """Return cards as one standalone page; every text from outside is escaped."""
    first = cards[0]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{first.verdict}: {_names(first)}</title><style>{STYLE}</style></head><body>"
        f"{'<hr>'.join(map(_card, cards))}</body></html>\n"
    )


def _names(card: Card) -> str:
    return escape(", ".join(name for name, _ in card.files))


def _card(card: Card) -> str:
    drawn = to_svg(card.picture) if card.picture else ""
    figures = "".join(
        f"<div>{escape(f.label)}<b>{escape(f.value)}</b>"
        f'<span class="note">{escape(f.note)}</span></div>'
        for f in card.figures
    )
    passed = [point.title for point in card.points if point.mark == "ok"]
    found_nothing = f"<h2>What found nothing</h2><p>{escape('; '.join(passed))}.</p>"
    return (
        f'<h1 class="{card.verdict.lower()}">{card.verdict}</h1><p class="note">'
        f'{escape(card.kind)} {_names(card)}</p><p class="lead">{escape(card.sentence)}</p>'
        f'<div class="figures">{figures}</div>{drawn}'
        + "".join(_points(card, mark, heading) for mark, heading in HEADINGS)
        + (found_nothing if passed else "")
        + f"<h2>What was read</h2>{_table(card)}<p class='note'>To repeat: "
        f"{escape(card.command)}</p>"
    )


def _points(card: Card, mark: str, heading: str) -> str:
    points = [point for point in card.points if point.mark == mark]
    items = "".join(map(_point, points))
    return f"<h2>{heading}</h2><ul>{items}</ul>" if points else ""


def _point(point: Point) -> str:
    advice = f" <i>{escape(point.advice)}</i>" if point.advice else ""
    rows = ", ".join(f"{row:,}" for row in point.rows)
    first = f' <span class="note">First rows: {rows}.</span>' if rows else ""
    return f"<li><b>{escape(point.title)}.</b> {escape(point.text)}{advice}{first}</li>"


def _table(card: Card) -> str:
    rows = [(name, f"SHA-256 {sha}") for name, sha in card.files] + list(card.read_as)
    cells = "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"
