"""How numbers are written on screen: accuracies in percent, gammas in three digits."""

from __future__ import annotations

import math

__all__ = ["percent", "points", "three_digits"]


def percent(fraction: float | None) -> str:
    """Write a fraction as percent with one decimal, and a dash for a value that does not exist."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{100 * fraction:.1f} %"


def points(difference: float | None) -> str:
    """Write a difference of two fractions in percentage points, with its sign."""
    if difference is None or math.isnan(difference):
        return "–"
    return f"{100 * difference:+.1f}".replace("-", "−") + " points"


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")
