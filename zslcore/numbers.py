"""Numbers as text: percent, points, three significant digits and counts, with a true minus sign."""

from __future__ import annotations

import math


def percent(fraction: float | None, digits: int = 1) -> str:
    """Write a fraction as percent, by default with one decimal; a dash for a missing value."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{100 * fraction:.{digits}f} %".replace("-", "−")


def signed(fraction: float, number_format: str = "+.1f") -> str:
    """Write a difference of fractions in percentage points, with its sign."""
    return f"{100 * fraction:{number_format}}".replace("-", "−")


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits, or a dash if it is missing."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 class``, ``3 classes``, ``1,764 rows``."""
    return f"{n:,} {one}" if n == 1 else f"{n:,} {many or one + 's'}"
