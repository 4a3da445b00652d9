"""A card as one page that loads nothing from elsewhere; the verdict comes first."""

from __future__ import annotations

from html import escape

from zslcore.leakage import page
from zslcore.leakage.cards.card import Bar, Card, Picture, Point

#: Width of the picture, height of a bar with its gap, and where bars begin.
WIDTH, STEP, LEFT, RIGHT = 640, 34, 150, 90
SIDE = 240
PLAIN, MARKED, CURVE = "#0072B2", "#B04A84", "#B65000"
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


# --- The picture as SVG ---------------------------------------------------------------------------


def to_svg(picture: Picture) -> str:
    """Return the picture as SVG; its letters have the colour of the text around it."""
    drawn, width, height = _curve(picture) if picture.curve else _bars(picture.bars)
    alt = escape(picture.alt, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{alt}" width="100%" style="max-width:{width}px" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">{drawn}</svg>'
    )


def _bars(bars: tuple[Bar, ...]) -> tuple[str, int, int]:
    room = WIDTH - LEFT - RIGHT
    scale = room / max(1e-12, *(bar.whole for bar in bars))
    parts = []
    for k, bar in enumerate(bars):
        y, whole, marked = 6 + k * STEP, bar.whole * scale, bar.marked * scale
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end">{escape(bar.label)}</text>'
            f'<rect x="{LEFT}" y="{y}" width="{whole:.1f}" height="22" rx="2" fill="{PLAIN}" '
            f'opacity="0.75"/>'
            f'<rect x="{LEFT}" y="{y}" width="{marked:.1f}" height="22" rx="2" fill="{MARKED}"/>'
            f'<text x="{LEFT + whole + 8:.1f}" y="{y + 16}">{escape(bar.value)}</text>'
        )
    return "".join(parts), WIDTH, 10 + STEP * len(bars)


def _curve(picture: Picture) -> tuple[str, int, int]:
    left, top = 60, 12

    def at(u: float, s: float) -> tuple[float, float]:
        return left + u * SIDE, top + (1 - s) * SIDE

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in picture.curve))
    parts = [
        f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="none" '
        f'stroke="currentColor" opacity="0.3"/>',
        f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="2.5"/>',
        f'<text x="{left + SIDE / 2}" y="{top + SIDE + 34}" text-anchor="middle">unseen accuracy'
        "</text>",
        f'<text x="14" y="{top + SIDE / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + SIDE / 2})">seen accuracy</text>',
    ]
    for k in (0, 0.5, 1):
        x, y = at(k, k)
        parts.append(f'<text x="{x}" y="{top + SIDE + 16}" text-anchor="middle">{k:.0%}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{k:.0%}</text>')
    for n, (label, u, s) in enumerate(picture.points):
        x, y = at(u, s)
        row = top + 24 + 26 * n
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{PLAIN if n else MARKED}" '
            f'stroke="currentColor"/><circle cx="{left + SIDE + 28}" cy="{row - 4}" r="5" '
            f'fill="{PLAIN if n else MARKED}" stroke="currentColor"/>'
            f'<text x="{left + SIDE + 40}" y="{row}">{escape(label)}</text>'
        )
    return "".join(parts), WIDTH, top + SIDE + 44
