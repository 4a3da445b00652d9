"""Place of a visitor in a lesson, read from and written to the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import streamlit as st

from ui.lessons.room import ROOMS, Shown
from ui.lessons.step import Lesson
from ui.shell import visitors
from ui.state import controls

#: Session key: codes of the rooms that the visitor has opened.
LED = "lesson_rooms_led"


def leads(room: str) -> bool:
    """Return whether this visitor opened the room, in this visit or earlier in this browser."""
    return room in st.session_state.get(LED, ()) or ROOMS.is_opened_by(room, visitors.current())


@dataclass(frozen=True, slots=True)
class Place:
    """Place in a lesson: a step, from 1, and the ``room`` that counts answers, if any.

    ``follows`` marks the screen of a student; ``last_shown`` is the step that the teacher showed
    when this place was made.
    """

    lesson: str
    step: int = 1
    revealed: bool = False
    room: str = ""
    follows: bool = False
    last_shown: Shown | None = None

    @classmethod
    def from_address(cls, lessons: Mapping[str, Lesson]) -> Self | None:
        """Return the place in the address, its step in range; None for the list of lessons."""
        query = st.query_params
        room = query.get("room", "").upper()
        if room and not ROOMS.has(room):
            st.toast("This room is not open. Check its code, or continue alone.", duration="long")
            room = ""
        controls.report_unavailable("Lesson", query.get("lesson"), lessons)
        name = query.get("lesson") or (ROOMS.shown(room) or [""])[0]  # a room's link has no lesson
        if name not in lessons:
            return None
        step = query.get("lessons_step", "1")
        number = int(step) if step.isascii() and step.isdigit() and len(step) < 4 else 1
        number = min(max(number, 1), len(lessons[name].steps))
        place = cls(name, number, query.get("lessons_shown") == "1", room)
        return place.in_room(lessons) if room else place

    def in_room(self, lessons: Mapping[str, Lesson]) -> Self:
        """Return the place in the room: the teacher sets it, students follow."""
        if leads(self.room):
            ROOMS.show(self.room, self.shown)
            return self
        shown = ROOMS.shown(self.room)
        if shown is None or shown[0] not in lessons:
            return replace(self, revealed=False, follows=True)
        lesson, step, revealed = shown
        step = min(max(step, 1), len(lessons[lesson].steps))
        return replace(
            self, lesson=lesson, step=step, revealed=revealed, follows=True, last_shown=shown
        )

    @property
    def shown(self) -> Shown:
        """Lesson, step, and whether its answer is revealed, as stored for the room."""
        return self.lesson, self.step, self.revealed

    @property
    def question(self) -> str:
        """Key of this step's answers in the room."""
        return f"{self.lesson} {self.step}"

    def query(self) -> dict[str, str]:
        """Return the parameters in the address."""
        parameters = {"lesson": self.lesson, "lessons_step": str(self.step)}
        if self.revealed:
            parameters["lessons_shown"] = "1"
        if self.room:
            parameters["room"] = self.room
        return parameters

    def go(self, *, step: int | None = None, revealed: bool = False) -> None:
        """Go to a step by rerunning the page."""
        target = replace(self, step=self.step if step is None else step, revealed=revealed)
        st.query_params.from_dict(target.query())
        st.rerun()

    def leave(self) -> None:
        """Go to the list of lessons."""
        st.query_params.from_dict({})  # clear() refuses an address with the choice of a control
        st.rerun()
