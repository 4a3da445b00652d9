"""List of lessons, and the steps of a lesson."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ui.components import chart as drawing
from ui.lessons.handout import open_room, show_entrance, show_tools
from ui.lessons.place import Place
from ui.lessons.registry import LESSONS
from ui.lessons.stage import show_lesson, show_navigation, show_room_count
from ui.shell.frame import Header, place_answer
from ui.state import cache

#: Height of a lesson's picture, in pixels.
PICTURE = 188


def show(header: Header) -> None:
    """Show the list of lessons, or the step in the address."""
    place = Place.from_address(LESSONS)
    if place is None:
        _show_list()
        return
    lesson = LESSONS[place.lesson]
    if shown := lesson.steps[place.step - 1].data:
        header.mark(*map(cache.dataset, shown))
    if place.follows:
        show_lesson(lesson, place)
        return
    with st.container(horizontal=True, key="lessons_row"):
        show_navigation(lesson, place)
        show_tools(lesson, place)
    if place.revealed or not place.room:
        show_lesson(lesson, place)
        return
    left, right = st.columns([0.62, 0.38], gap="medium")
    with left:
        show_lesson(lesson, place)
    with right, st.container(key="lessons_entrance"):
        show_room_count(place)
        show_entrance(place)


def _show_list() -> None:
    """Show a card per lesson: its first question, its buttons, its steps and, last, its figure."""
    steps, minutes = (
        sum(totals)
        for totals in zip(*((len(x.steps), x.minutes) for x in LESSONS.values()), strict=True)
    )
    place_answer().say(
        "Why seen classes win, how splits leak, and whether AWA2 can replace AWA1",
        f"{len(LESSONS)} lessons, {steps} steps, {minutes} minutes: predict, then see the computed "
        "answer. In a room, students join by QR code and vote; arrow keys move between steps. No "
        "download is needed.",
    )
    slots = {}
    for column, lesson in zip(st.columns(len(LESSONS)), LESSONS.values(), strict=True):
        with column.container(border=True, height="stretch", key=f"lessons_card_{lesson.name}"):
            st.markdown(f"**{lesson.title}**")
            slots[lesson.name] = st.container(height=PICTURE, width=2 * PICTURE, border=False)
            st.caption(lesson.caption)
            first = lesson.steps[0]
            facts = "; ".join(first.context().removeprefix("- ").split("\n- ")[:2])
            facts = f"{facts[0].upper()}{facts[1:]}. " if facts else ""
            st.markdown(f"**First question:** {facts}{first.ask}")
            with st.container(horizontal=True, key=f"lessons_buttons_{lesson.name}"):
                # One primary button a view: that of the first lesson.
                kind: Literal["primary", "secondary"] = (
                    "primary" if len(slots) == 1 else "secondary"
                )
                if st.button("Begin", key=f"lessons_begin_{lesson.name}", type=kind):
                    Place(lesson.name).go()
                if st.button(
                    "Start a room", key=f"lessons_room_{lesson.name}", icon=":material/groups:"
                ):
                    open_room(Place(lesson.name))
            with st.expander(f"{len(lesson.steps)} steps, {lesson.minutes} minutes"):
                st.markdown(lesson.about)
                st.markdown("\n".join(f"1. {step.title}" for step in lesson.steps))
    for name, slot in slots.items():
        lesson = LESSONS[name]
        with slot:
            picture = lesson.cover().of_height(PICTURE, t=8, r=20)
            drawing.draw(picture, lesson.caption, key=f"lessons_picture_{name}")
