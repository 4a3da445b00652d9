"""List of lessons, and the steps of a lesson."""

from __future__ import annotations

from itertools import chain

import streamlit as st

from ui.lessons.handout import open_room, show_entrance, show_tools
from ui.lessons.place import Place
from ui.lessons.registry import LESSONS
from ui.lessons.stage import show_lesson
from ui.shell.frame import Header, errors_as_sentences
from ui.state import cache


def show(header: Header) -> None:
    """Show the list of lessons, or the step in the address."""
    place = Place.from_address(LESSONS)
    if place is None:
        _show_list()
        return
    lesson = LESSONS[place.lesson]
    with errors_as_sentences():
        if shown := lesson.steps[place.step - 1].data:
            header.mark(*map(cache.dataset, shown))
        if place.follows:
            show_lesson(lesson, place)
            return
        show_tools(lesson, place)
        if not place.room:
            show_lesson(lesson, place)
            return
        left, right = st.columns([0.72, 0.28], gap="large")
        with left:
            show_lesson(lesson, place)
        with right:
            show_entrance(place)


def _show_list() -> None:
    st.markdown(
        "Each step asks for a prediction, then shows the computed answer. Arrow keys move forward "
        "and back. No download is needed."
    )
    rows = chain.from_iterable(st.columns(2) for _ in range(0, len(LESSONS), 2))
    for column, lesson in zip(rows, LESSONS.values(), strict=False):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{lesson.title}**")
            st.markdown(f"{lesson.about} {len(lesson.steps)} steps, {lesson.minutes} minutes.")
            with st.container(horizontal=True):
                if st.button("Begin", key=f"lessons_begin_{lesson.name}", type="primary"):
                    Place(lesson.name).go()
                if st.button(
                    "Start a room", key=f"lessons_room_{lesson.name}", icon=":material/groups:"
                ):
                    open_room(Place(lesson.name))
