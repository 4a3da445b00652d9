"""How a line, a mark or a side looks in what a component draws."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Look"]


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
