"""All lessons, in the order of the list."""

from __future__ import annotations

from ui.lessons.awa import AWA
from ui.lessons.calibration import CALIBRATION
from ui.lessons.leakage import LEAKAGE, NOTHING
from ui.lessons.numbers import NUMBERS
from ui.lessons.step import Lesson

__all__ = ["LESSONS"]

LESSONS: dict[str, Lesson] = {
    lesson.name: lesson for lesson in (CALIBRATION, NUMBERS, AWA, LEAKAGE, NOTHING)
}
