"""How figures write numbers: percent and points with one decimal, three significant digits."""

from __future__ import annotations

import math


def percent(fraction: float | None) -> str:
    """Write a fraction as percent with one decimal, and a dash for a value that does not exist."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{100 * fraction:.1f} %".replace("-", "−")


def signed(fraction: float, form: str = "+.1f") -> str:
    """Write a difference of fractions in points, with its sign."""
    return f"{100 * fraction:{form}}".replace("-", "−")


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")
