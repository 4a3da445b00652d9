"""The card of a check on the screen: verdict, sentence, figures, picture, and what to take."""

from __future__ import annotations

import streamlit as st

from ui.figures.card import picture_of
from ui.frame import chart
from ui.text import plain
from zslcore.leakage.cards import Card, Point, Verdict, to_html
from zslcore.leakage.words import counted

__all__ = ["show_card"]

#: Verdict -> colour and icon of its word.
LOOKS: dict[Verdict, tuple[str, str]] = {
    "Contradicted": ("red", ":material/gpp_bad:"),
    "Leaks": ("red", ":material/gpp_bad:"),
    "Oracle": ("red", ":material/visibility:"),
    "Unknown": ("gray", ":material/help:"),
    "Questionable": ("orange", ":material/gpp_maybe:"),
    "Stated": ("blue", ":material/format_quote:"),
    "Clean": ("green", ":material/verified_user:"),
}
MARKS = {
    "leak": (":material/cancel:", "red", "leak"),
    "warning": (":material/warning:", "orange", "warning"),
    "open": (":material/help:", "gray", "open question"),
    "ok": (":material/check_circle:", "green", "check passed"),
}


def show_card(card: Card, key: str = "", *, findings_below: bool = False) -> None:
    """Show a card, with its paragraph for a review and its report."""
    color, icon = LOOKS[card.verdict]
    with st.container(border=True):
        left, right = st.columns([0.56, 0.44], gap="large", vertical_alignment="center")
        with left:
            names = ", ".join(name for name, _ in card.files)
            st.markdown(f"## :{color}[{icon} {card.verdict}]")
            st.markdown(f"**{plain(card.sentence)}**")
            st.caption(f"{plain(card.kind)} · {plain(names)}")
        with right:
            if card.picture is not None:
                chart(picture_of(card.picture), card.picture.alt, key=f"drop_picture{key}")
        for place, figure in zip(st.columns(3), card.figures, strict=True):
            place.metric(plain(figure.label[0].upper() + figure.label[1:]), figure.value)
            place.caption(plain(figure.note))
        _show_takeaway(card, key)
    _show_details(card, findings_below=findings_below)


def _show_takeaway(card: Card, key: str) -> None:
    """Offer the paragraph for a review, and the report as a page."""
    stem = card.files[0][0].rpartition(".")[0] or "report"
    with st.container(horizontal=True, gap="small"):
        with st.popover("Copy for a review", icon=":material/content_copy:", width="content"):
            st.code(card.for_review(), language=None, wrap_lines=True, width=560)
        st.download_button(
            "Report, HTML",
            lambda: to_html(card),
            file_name=f"check_{stem}.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
            key=f"drop_report{key}",
        )
        st.download_button(
            "JSON",
            lambda: card.to_json(),
            file_name=f"check_{stem}.json",
            mime="application/json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key=f"drop_json{key}",
        )


def _show_details(card: Card, *, findings_below: bool) -> None:
    """List what was found and what is open, folded, unless that stands below anyhow."""
    if findings_below:
        with st.expander("What was read", icon=":material/description:"):
            _show_read(card)
        return
    counts = [
        counted(sum(p.mark == mark for p in card.points), name, _many(name))
        for mark, (*_, name) in MARKS.items()
        if any(p.mark == mark for p in card.points)
    ]
    with st.expander(f"Details: {', '.join(counts)}"):
        for point in card.points:
            _show_point(point)
        st.caption("What was read")
        _show_read(card)


def _show_read(card: Card) -> None:
    st.table({plain(a): plain(b) for a, b in card.read_as}, border="horizontal")


def _many(name: str) -> str:
    return "checks passed" if name == "check passed" else f"{name}s"


def _show_point(point: Point) -> None:
    icon, color, _ = MARKS[point.mark]
    advice = f" *{plain(point.advice)}*" if point.advice else ""
    st.markdown(f":{color}[{icon}] **{plain(point.title)}.** {plain(point.text)}{advice}")
