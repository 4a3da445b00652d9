"""Numbers as text: percent, points, three significant digits and counts, with a true minus sign."""

from __future__ import annotations

import math


def percent(fraction: float | None, digits: int = 1) -> str:
    """Write a fraction as percent, by default with one decimal; a dash for a missing value."""
    if fraction is None or math.isnan(fraction):
        return "–"
    return f"{with_sign(100 * fraction, f'.{digits}f')} %"


def signed(fraction: float, number_format: str = "+.1f") -> str:
    """Write a difference of fractions in percentage points, with its sign.

    A difference that rounds to zero has no sign; a missing one is a dash.

    Examples
    --------
    >>> signed(0.013), signed(-0.013), signed(-0.0001), signed(0.0001), signed(math.nan)
    ('+1.3', '−1.3', '0.0', '0.0', '–')
    """
    if math.isnan(fraction):
        return "–"
    return with_sign(100 * fraction, number_format)


def bare_percent(fraction: float | None, number_format: str = ".1f") -> str:
    """Write a fraction in percent without the sign %; "-" for a missing value."""
    return "-" if fraction is None or math.isnan(fraction) else signed(fraction, number_format)


def with_sign(value: float, number_format: str = "+.1f") -> str:
    """Write a number with its sign and a true minus; without sign if it rounds to zero."""
    text = f"{value:{number_format}}"
    if not text.strip("+-0."):
        text = text.lstrip("+-")
    return text.replace("-", "−")


def three_digits(value: float | None) -> str:
    """Write a gamma or a parameter with three significant digits, or a dash if it is missing."""
    return "–" if value is None or math.isnan(value) else f"{value:.3g}".replace("-", "−")


def counted(n: int, singular: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 class``, ``3 classes``, ``1,764 rows``."""
    return f"{n:,} {singular}" if n == 1 else f"{n:,} {many or singular + 's'}"
