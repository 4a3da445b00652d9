"""All lessons, in the order of the list."""

from __future__ import annotations

from ui.lessons.awa import AWA
from ui.lessons.calibration import CALIBRATION
from ui.lessons.leakage import LEAKAGE

LESSONS = {lesson.name: lesson for lesson in (CALIBRATION, AWA, LEAKAGE)}
