"""One meaning, one hue, in both themes; how marks look, and how numbers are written.

The hues are Okabe and Ito's, distinct for colour-blind readers; words in each have a contrast of at
least 4.5 : 1 to the page of its theme; no word has that of related classes, 3 : 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Hue:
    """A colour for each theme, hex."""

    light: str
    dark: str


SEEN = Hue("#0072B2", "#3DA0E3")
UNSEEN = Hue("#B65000", "#F0803A")
VALIDATED = Hue("#007E5C", "#33B893")
OVERLAP = Hue("#B04A84", "#D998BB")
RELATED = Hue("#BA78A0", "#94627F")
ORACLE = Hue("#6B6B6B", "#A3A3A3")
HARMONIC = Hue("#586579", "#94A3B8")
INK = Hue("#14181C", "#E8EAED")
FIRST = Hue("#946600", "#E69F00")
SECOND = Hue("#1274AD", "#8CCBF2")
NEUTRAL = Hue("#767676", "#9AA3AD")


@dataclass(frozen=True, slots=True)
class Look:
    """How a line, a mark or a side looks; ``dash`` has lengths of dashes and gaps, as in SVG."""

    light: str
    dark: str
    symbol: str = "circle"
    dash: str = ""

    @classmethod
    def of(cls, hue: Hue, symbol: str = "circle", dash: str = "") -> Self:
        """Return how a meaning looks, with its symbol and dash."""
        return cls(hue.light, hue.dark, symbol, dash)


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
