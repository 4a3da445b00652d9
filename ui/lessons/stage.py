"""Screen of a step: question, prediction, answer and navigation by keyboard."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.components import chart as drawing
from ui.figures import lesson as figures
from ui.lessons.place import Place
from ui.lessons.room import ROOMS
from ui.lessons.step import Control, Lesson, Step
from ui.shell import terms, visitors
from ui.shell.frame import chart
from ui.shell.guard import fragment
from ui.shell.text import plain
from ui.takeaway.downloads import show_command
from zslcore.methods import METHODS
from zslcore.numbers import counted

UPDATE_SECONDS = 2.0  # seconds between two updates of a room


def show_lesson(lesson: Lesson, place: Place) -> None:
    """Show the step of a lesson at ``place``."""
    step = lesson.steps[place.step - 1]
    with st.container(key="lesson_stage"):
        st.header(f"{place.step} of {len(lesson.steps)} · {step.title}", anchor=False)
        with st.container(key=f"lesson_question_{'read' if place.revealed else 'open'}"):
            if context := step.context():
                st.markdown(plain(context).replace("\n\\- ", "\n- ").removeprefix("\\"))
            # Below a list of clues, the question is bold to stand out.
            st.markdown(f"**{step.ask}**" if context else step.ask)
        answer = _take_answer(step, place)
        if place.revealed:
            _reveal(lesson, step, place, answer)
        elif place.follows:
            show_room_count(place)
        if place.follows:
            _follow(place)


def _take_answer(step: Step, place: Place) -> str | None:
    """Take the visitor's prediction; it is fixed once the answer is revealed."""
    key = f"lesson_answer_{place.lesson}_{place.step}"
    if place.revealed:
        answer: str | None = st.session_state.get(key)
        st.session_state[key] = answer  # without its widget, it would be deleted
        return answer
    answer = st.pills(
        "Your prediction",
        step.answers.labels,
        key=key,
        persist_state="session",
    )
    if answer is not None and place.room:
        visit = st.session_state.setdefault("lesson_visit", secrets.token_hex(8))
        address = visitors.current().address
        if not ROOMS.answer(place.room, place.question, visit, answer, address):
            st.warning("Voting is closed.", icon=":material/block:")
    return answer


def _reveal(lesson: Lesson, step: Step, place: Place, answer: str | None) -> None:
    """Show the right answer, the votes, the point to notice and the figure."""
    words, picture = st.columns([0.36, 0.64], gap="medium")
    right = step.right()
    with words:
        if answer is not None and answer == right:
            message = f"You predicted **{plain(answer)}**, which is right."
            st.success(message, icon=":material/check:")
        elif answer or not place.room:  # a chart of votes marks the right answer
            prediction = f"You predicted **{plain(answer)}**. " if answer else ""
            message = f"{prediction}The answer: **{plain(right)}**."
            st.info(message, icon=":material/lightbulb:")
        if place.room:
            _show_room(place, step.answers.labels, right, answer)
    # The figure comes last: on a phone it is below the words, which would move it.
    view = step.see(_choose_option(step.control, place, picture))
    with words:
        st.markdown(f"**What to notice:** {plain(view.notice)}")
        if place.step == len(lesson.steps):
            show_command(lesson.command())
    with picture, st.container(key="lesson_figure"):
        figure = view.figure.enlarged(figures.CLASSROOM_FONT_SIZE)
        key = f"lesson_{place.lesson}_{place.step}"
        chart(figure, view.alt, key=key, fills_place=True)


def _choose_option(control: Control, place: Place, where: DeltaGenerator) -> str:
    """Offer the options of a control in a container; return the chosen one."""
    first = control.options[0]
    if len(control.options) == 1:
        return first
    options: dict[str, Any] = {"key": f"lessons_{place.lesson}_{place.step}"}
    options |= {"bind": "query-params", "help": terms.tip(control.label)}
    if first in METHODS:
        options["label_visibility"] = "collapsed"
    if control.slider:
        return where.select_slider(control.label, control.options, **options)
    return where.pills(
        control.label,
        control.options,
        default=first,
        required=True,
        format_func=_with_family,
        wrap=True,
        **options,
    )


def _with_family(option: str) -> str:
    """Return an option of a control; a method is followed by its family."""
    return f"{option} ({METHODS[option].card.family})" if option in METHODS else option


# --- The room -------------------------------------------------------------------------------------


@partial(fragment, run_every=UPDATE_SECONDS)
def _follow(place: Place) -> None:
    """Rerun a student's page when the teacher has moved on."""
    if ROOMS.shown(place.room) != place.last_shown:
        st.rerun()
    if not place.revealed:
        st.caption("Your teacher reveals the answer and moves on.")


@partial(fragment, run_every=UPDATE_SECONDS)
def show_room_count(place: Place) -> None:
    """Show the number of answers in the room, but not the answers."""
    n = ROOMS.counts(place.room, place.question).total()
    st.header(f"Room {place.room}: {counted(n, 'answer')}", anchor=False)


@partial(fragment, run_every=UPDATE_SECONDS)
def _show_room(place: Place, labels: Sequence[str], right: str, answer: str | None) -> None:
    """Draw the predictions of the room."""
    counts = ROOMS.counts(place.room, place.question)
    by_answer = {label: counts[label] for label in labels}
    st.markdown(f"**Predictions of room {place.room}:** {counted(counts.total(), 'answer')}")
    drawing.draw(
        figures.room(by_answer, right, answer),
        "Answers of the room: " + ", ".join(f"{n} {label}" for label, n in by_answer.items()),
        key="lesson_room",
    )


# --- Navigation -----------------------------------------------------------------------------------


def show_navigation(lesson: Lesson, place: Place) -> None:
    """Offer the previous step, and the answer or the next step; arrow keys also work."""
    last = place.step == len(lesson.steps)
    with st.container(horizontal=True, width="content", key="lesson_way"):
        if st.button("Previous", key="lesson_previous", shortcut="Left", disabled=place.step == 1):
            place.go(step=place.step - 1)
        word = "Next" if place.revealed else "Reveal"
        if st.button(
            word,
            key="lesson_next",
            shortcut="Right",
            type="primary",
            disabled=place.revealed and last,
        ):
            place.go(step=place.step + place.revealed, revealed=not place.revealed)
        if st.button("All lessons", key="lesson_leave", type="tertiary"):
            place.leave()
