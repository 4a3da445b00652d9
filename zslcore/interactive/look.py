"""How a line, a mark or a side looks in what a component draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from zslcore.interactive.hues import Hue


@dataclass(frozen=True, slots=True)
class Look:
    """How a line, a mark or a side looks.

    Attributes
    ----------
    light, dark : colours in the light and in the dark theme
    symbol : of a point
    dash : lengths of dashes and gaps of a line, as SVG writes them; empty for none
    """

    light: str
    dark: str
    symbol: str = "circle"
    dash: str = ""

    @classmethod
    def of(cls, hue: Hue, symbol: str = "circle", dash: str = "") -> Self:
        """Return how a meaning looks, with its symbol and dash."""
        return cls(hue.light, hue.dark, symbol, dash)
