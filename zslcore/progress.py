"""Progress of long computations: one callback for all of them."""

from __future__ import annotations

from collections.abc import Callable

#: ``progress(done, total, message)``; ``total`` is 0 while unknown. An exception ends the work.
Progress = Callable[[float, float, str], None]


def silent(done: float, total: float, message: str) -> None:
    """Ignore progress."""


def part_of(progress: Progress, place: float, n: float) -> Progress:
    """Return the progress of one of ``n`` equal parts, ``place`` counting from 0."""

    def report(done: float, total: float, message: str) -> None:
        progress(place + (done / total if total else 0), n, message)

    return report
