"""Tools for teachers: the link of a room as a QR code, and a lesson on paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from ui.lessons.place import LED, Place
from ui.lessons.room import ROOMS
from ui.lessons.step import Lesson
from ui.shell import visitors
from ui.takeaway import downloads, report

#: Host names that work only on the computer of the server itself.
_ONLY_HERE = {"localhost", "127.0.0.1", "::1", "[::1]"}


def show_tools(lesson: Lesson, place: Place) -> None:
    """Offer the room, the link of this step, and the handout."""
    # Read here, since the function of a download button cannot read the page.
    shown = downloads.page_sources(), downloads.address()
    with st.container(horizontal=True, width="content", key="lesson_tools"):
        if not place.room:
            with st.popover("Room", icon=":material/groups:", key="lesson_room_menu"):
                _show_room_menu(place)
        downloads.download(
            "Handout",
            lambda: handout(lesson, place, *shown),
            f"lesson_{lesson.name}.html",
            "lesson_handout",
            icon=":material/print:",
            type="secondary",
            help="One HTML file to print: all questions, then answers and figures on separate "
            "pages.",
        )


def _show_room_menu(place: Place) -> None:
    st.markdown(
        "Open a room, and students vote on their own devices. You reveal the answer and move "
        "everyone on. Votes are counted without names and deleted after a few hours."
    )
    if st.button("Open a room", key="lesson_open_room", icon=":material/add:"):
        open_room(place)


def open_room(place: Place) -> None:
    """Open a room at a step of a lesson, led by this visitor, and go there."""
    code = ROOMS.open(visitors.current())
    st.session_state[LED] = {*st.session_state.get(LED, ()), code}
    replace(place, room=code).go(revealed=place.revealed)


def show_entrance(place: Place) -> None:
    """Show the link of a room, large, next to the question."""
    link = link_of({"room": place.room})
    code = segno.make(link, error="m").svg_data_uri(scale=16, border=2, light="white")
    st.image(code, width="stretch")
    st.code(link, language=None, wrap_lines=True)
    if urlsplit(link).hostname in _ONLY_HERE:
        st.caption(
            "This link works on this computer only; `zslcore app --classroom` opens it to your "
            "network."
        )


def link_of(query: Mapping[str, str], page: str | None = None) -> str:
    """Return the address of this page or of ``page`` with the parameters ``query``."""
    page = downloads.address() if page is None else page
    return f"{page.partition('?')[0]}?{urlencode(query)}"


def handout(
    lesson: Lesson, place: Place, sources: tuple[str, ...] = (), page: str | None = None
) -> str:
    """Return a lesson on paper: all questions, then answers on separate pages."""
    questions, answers = [], []
    for number, step in enumerate(lesson.steps, start=1):
        view = step.see(step.control.options[0])
        at_step = replace(place, step=number, revealed=False, room="")
        origin = (sources, (lesson.command(),), link_of(at_step.query(), page))
        lines = [step.context(), step.ask, *(f"☐ {label}" for label in step.answers.labels)]
        question = report.Pin(f"{number}. {step.title}", "", *origin)
        shown = replace(question, caption=f"What to notice: {view.notice}").showing(view.figure)
        questions.append(replace(question, caption="\n".join(line for line in lines if line)))
        answers.append(shown)
    return report.as_html(questions, lesson.title, answers=answers)
