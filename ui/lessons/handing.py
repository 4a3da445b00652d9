"""What a teacher gives out: the room's link as a QR code, and a lesson on paper."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from ui import report, takeaway, visitors
from ui.lessons.place import LED, Place
from ui.lessons.room import ROOMS
from ui.lessons.step import Lesson

__all__ = ["handout", "show_entrance", "show_tools"]

#: Names under which only the server's own computer finds it.
_ONLY_HERE = {"localhost", "127.0.0.1", "::1", "[::1]"}


def show_tools(lesson: Lesson, place: Place) -> None:
    """Offer the room, the link of this step, and the handout."""
    with st.container(horizontal=True, key="lesson_tools"):
        if not place.room:
            with st.popover("Room", icon=":material/groups:", key="lesson_room_menu"):
                _show_room_menu(place)
        with st.popover("Handout", icon=":material/print:", key="lesson_handout_menu"):
            st.markdown("All steps with questions, answers and figures, on one page to print.")
            if st.button("Make the handout", key="lesson_make"):
                st.session_state["lesson_handout"] = place.lesson
            if st.session_state.get("lesson_handout") == place.lesson:
                text = handout(lesson, place)
                st.download_button(
                    "Handout, HTML",
                    text,
                    file_name=f"lesson_{lesson.name}.html",
                    mime="text/html",
                    icon=":material/download:",
                    on_click="ignore",
                    key="lesson_handout_file",
                )


def _show_room_menu(place: Place) -> None:
    st.markdown(
        "Open a room, and the class votes on their own screens. You reveal the answer and move all "
        "on. Votes are counted without names and deleted after some hours."
    )
    if st.button("Open a room", key="lesson_open_room", icon=":material/add:"):
        code = ROOMS.open(visitors.who())
        st.session_state[LED] = {*st.session_state.get(LED, ()), code}
        replace(place, room=code).go(revealed=place.revealed)


def show_entrance(place: Place) -> None:
    """Show code and link of the room, large, next to the question."""
    link = link_of(Place(place.lesson, room=place.room))
    st.caption("Students scan this code or open the link:")
    st.image(segno.make(link, error="m").svg_data_uri(scale=8, border=2, light="white"))
    st.metric("Room code", place.room)
    st.code(link, language=None, wrap_lines=True)
    if urlsplit(link).hostname in _ONLY_HERE:
        st.caption(
            "This link works on this computer only. Start the app with `zslcore app --classroom`, "
            "and the code works in your network."
        )


def link_of(place: Place) -> str:
    """Return the address of a step."""
    return f"{takeaway.address().partition('?')[0]}?{urlencode(place.query())}"


def handout(lesson: Lesson, place: Place) -> str:
    """Return a lesson on paper: all questions, then, on pages of their own, what each shows."""
    questions, answers = [], []
    for number, step in enumerate(lesson.steps, start=1):
        view = step.see(step.control.options[0])
        there = replace(place, step=number, revealed=False, room="")
        made = (takeaway.sources(), (lesson.command(),), link_of(there))
        lines = [step.context(), step.ask, *(f"☐ {label}" for label in step.answers.labels)]
        asked = report.Pin(f"{number}. {step.title}", "", "", (), (), 0, *made)
        shown = replace(
            asked, caption=f"What to notice: {view.notice}", figure=view.figure.to_json()
        )
        questions.append(replace(asked, caption="\n".join(line for line in lines if line)))
        answers.append(shown)
    return report.as_html(questions, lesson.title, answers=answers)
