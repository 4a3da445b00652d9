"""How numbers are written on screen: percent, three digits, minutes and seconds."""

from __future__ import annotations

import math

__all__ = ["delta", "duration", "percent", "points", "three_digits"]


def percent(fraction: float | None) -> str:
    """Write a fraction as percent with one decimal, and a dash for a value that does not exist."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{100 * fraction:.1f} %".replace("-", "−")


def points(difference: float | None) -> str:
    """Write a difference of two fractions in percentage points, with its sign."""
    if difference is None or math.isnan(difference):
        return "–"
    return f"{100 * difference:+.1f}".replace("-", "−") + " points"


def delta(difference: float | None) -> str | None:
    """Write a difference of two fractions for a metric, whose arrow asks for an ASCII minus."""
    if difference is None or math.isnan(difference):
        return None
    return f"{100 * difference:+.1f} points"


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")


def duration(seconds: float) -> str:
    """Write a time, from minutes on without false precision.

    Examples
    --------
    >>> duration(7.2), duration(65), duration(4000)
    ('7 s', '1 min 05 s', '1 h 07 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
