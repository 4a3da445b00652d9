"""Progress of long computations: the type of callbacks, and helpers."""

from __future__ import annotations

from collections.abc import Callable

#: ``progress(done, total, message)``; ``total`` is 0 while unknown. An exception from it ends the
#: computation.
Progress = Callable[[float, float, str], None]


def silent(done: float, total: float, message: str) -> None:
    """Ignore progress."""


def part_of(progress: Progress, index: float, n: float) -> Progress:
    """Return the callback of part ``index`` (from 0) of ``n`` parts of equal length."""

    def report(done: float, total: float, message: str) -> None:
        progress(index + (done / total if total else 0), n, message)

    return report
