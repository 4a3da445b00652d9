"""Numbers as text: percent, points and three significant digits, with a true minus sign."""

from __future__ import annotations

import math


def percent(fraction: float | None) -> str:
    """Write a fraction as percent with one decimal, and a dash for a missing value."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{100 * fraction:.1f} %".replace("-", "−")


def signed(fraction: float, form: str = "+.1f") -> str:
    """Write a difference of fractions in percentage points, with its sign."""
    return f"{100 * fraction:{form}}".replace("-", "−")


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits, or a dash if it is missing."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")
