"""Colours by meaning in the light and the dark theme, and the look of marks.

Most hues follow the palette of Okabe and Ito, which colour-blind readers can distinguish; they are
adjusted so that text has a contrast of at least 4.5 : 1 with the page of its theme. The colour of
related classes has a contrast of at least 3 : 1, and is not used for text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Hue:
    """Hex colours for both themes."""

    light: str
    dark: str


SEEN = Hue("#0072B2", "#3DA0E3")
UNSEEN = Hue("#B65000", "#F0803A")
VALIDATED = Hue("#007E5C", "#33B893")
OVERLAP = Hue("#B04A84", "#D998BB")
RELATED = Hue("#BA78A0", "#94627F")
LEAK = Hue("#A8283B", "#F2545F")
ORACLE = Hue("#6B6B6B", "#A3A3A3")
HARMONIC = Hue("#586579", "#94A3B8")
INK = Hue("#14181C", "#E8EAED")
FIRST = Hue("#6F6B00", "#D9CF3F")
SECOND = Hue("#5B4DB8", "#A99BF5")
NEUTRAL = Hue("#767676", "#9AA3AD")


@dataclass(frozen=True, slots=True)
class Look:
    """Look of a line, a mark, or all marks of a group.

    ``dash`` lists lengths of dashes and gaps, as in SVG.
    """

    light: str
    dark: str
    symbol: str = "circle"
    dash: str = ""

    @classmethod
    def of(cls, hue: Hue, symbol: str = "circle", dash: str = "") -> Self:
        """Return the look with a colour, a symbol and a dash pattern."""
        return cls(hue.light, hue.dark, symbol, dash)
