"""One meaning, one colour, in both themes, and the look of marks.

The colours are Okabe and Ito's, distinct for colour-blind readers; words in each have a contrast of
at least 4.5 : 1 to the page of its theme; no word has that of related classes, 3 : 1.
"""

from __future__ import annotations

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
    """Look of a line, a mark or a side; ``dash`` has lengths of dashes and gaps, as in SVG."""

    light: str
    dark: str
    symbol: str = "circle"
    dash: str = ""

    @classmethod
    def of(cls, hue: Hue, symbol: str = "circle", dash: str = "") -> Self:
        """Return the look of a colour with a symbol and a dash."""
        return cls(hue.light, hue.dark, symbol, dash)
