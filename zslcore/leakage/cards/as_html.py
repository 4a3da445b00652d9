"""A card as one page that loads nothing from elsewhere; the verdict comes first."""

from __future__ import annotations

from html import escape

from zslcore.leakage import page
from zslcore.leakage.cards.card import Card, Point
from zslcore.leakage.cards.picture import to_svg

HEADINGS = {"leak": "What leaks", "warning": "What to look at", "open": "What is open"}


def to_html(*cards: Card) -> str:
    """Return cards as one standalone page; every text from outside is escaped."""
    first = cards[0]
    return page.page(f"{first.verdict}: {_names(first)}", "<hr>".join(map(_card, cards)))


def _names(card: Card) -> str:
    return ", ".join(name for name, _ in card.files)


def _card(card: Card) -> str:
    passed = "; ".join(point.title for point in card.points if point.mark == "ok")
    read = [*((name, f"SHA-256 {sha}") for name, sha in card.files), *card.read_as]
    repeat = f'<p class="note">To repeat: {escape(card.command)}</p>'
    return "".join(
        (
            page.verdict_of(card.verdict, card.sentence, f"{card.kind} {_names(card)}"),
            page.key(card.figures),
            to_svg(card.picture) if card.picture else "",
            *(
                page.section(heading, page.listed(_point(p) for p in card.points if p.mark == mark))
                for mark, heading in HEADINGS.items()
            ),
            page.section("What found nothing", f"<p>{escape(passed)}.</p>" if passed else ""),
            page.section("What was read", page.table(read), repeat),
        )
    )


def _point(point: Point) -> str:
    rows = ", ".join(f"{row:,}" for row in point.rows)
    first = f' <span class="note">First rows: {rows}.</span>' if rows else ""
    return page.said(point.title, point.text, point.advice) + first
