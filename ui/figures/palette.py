"""Palette: each meaning has one colour and one shape on every page and in every formula.

Most hues follow the palette of Okabe and Ito, which colour-blind readers can distinguish; each also
has its own symbol and its own line or fill. Text has a contrast of at least 4.5 : 1 with the page
in the light and the dark theme (3 : 1 for the colour of related classes, in which no text is
written). Read colours while a figure is drawn, never when a module is imported: the viewer's theme
is known only then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Self

from zslcore.interactive import colors
from zslcore.interactive.colors import Look

_viewer: list[Callable[[], bool]] = [lambda: False, lambda: False]


def set_viewer(
    is_dark: Callable[[], bool], is_narrow: Callable[[], bool]
) -> list[Callable[[], bool]]:
    """Set the functions that return the viewer's theme and width; return the former functions."""
    former, _viewer[:] = _viewer[:], [is_dark, is_narrow]
    return former


def dark() -> bool:
    """Return whether the viewer has the dark theme."""
    return _viewer[0]()


def narrow() -> bool:
    """Return whether the viewer's window has the width of a phone."""
    return _viewer[1]()


@dataclass(frozen=True, slots=True)
class Mark:
    """Look of one meaning, with Plotly's names of symbols and patterns.

    ``light`` and ``night`` are hex colours for the light and the dark theme; without ``night``,
    ``light`` is used in both.
    """

    light: str
    symbol: str
    dash: str = "solid"
    pattern: str = ""
    night: str = ""

    @classmethod
    def of(cls, hue: colors.Hue, symbol: str, dash: str = "solid", pattern: str = "") -> Self:
        """Return a mark with a hue of the core figures."""
        return cls(hue.light, symbol, dash, pattern, hue.dark)

    @property
    def color(self) -> str:
        """Hex colour in the viewer's theme."""
        return self.night if self.night and dark() else self.light


SEEN = Mark.of(colors.SEEN, "circle")
UNSEEN = Mark.of(colors.UNSEEN, "diamond", pattern="/")
VALIDATED = Mark.of(colors.VALIDATED, "square")
OVERLAP = Mark.of(colors.OVERLAP, "triangle-up", pattern="x")
RELATED = Mark.of(colors.RELATED, "triangle-up-open", pattern="/")
#: Leak between the parts of a split, in the colour of the verdict "Leaks".
LEAK = Mark.of(colors.LEAK, "cross", pattern="x")
ORACLE = Mark.of(colors.ORACLE, "x-thin", dash="dash")
HARMONIC = Mark.of(colors.HARMONIC, "hexagon")
#: The mark that readers should see first, in the colour of text.
INK = Mark.of(colors.INK, "x")
UNCALIBRATED = replace(INK, symbol="circle-open")
#: First and second of two data sets that are compared.
FIRST = Mark.of(colors.FIRST, "triangle-left")
SECOND = Mark.of(colors.SECOND, "triangle-right", pattern="/")
#: Mark without a meaning.
NEUTRAL = Mark.of(colors.NEUTRAL, "circle")

#: Relation of classes to the pre-training set -> look.
GROUP_LOOKS: Mapping[str, Mark] = MappingProxyType(
    {"in the set": OVERLAP, "related": RELATED, "unrelated": replace(NEUTRAL, symbol="circle-open")}
)

#: Text of axes.
WORDS = Mark("#4B5563", "", night="#B4BDC9")

#: Colour of the page.
GROUND = colors.Hue("#FFFFFF", "#101418")

#: Reference lines and grids: faint, but visible on white and on black.
FAINT = "rgba(128, 128, 128, 0.35)"

#: Viridis, a perceptually uniform scale from low to high values, in sixteen steps.
VIRIDIS = (
    "#440154",
    "#481A6C",
    "#472F7D",
    "#414487",
    "#39568C",
    "#31688E",
    "#2A788E",
    "#23888E",
    "#1F988B",
    "#22A884",
    "#35B779",
    "#54C568",
    "#7AD151",
    "#A5DB36",
    "#D2E21B",
    "#FDE725",
)
#: Share of a scale -> colour of :data:`VIRIDIS`.
SEQUENTIAL = tuple((k / (len(VIRIDIS) - 1), color) for k, color in enumerate(VIRIDIS))


def ground() -> str:
    """Return the hex colour of the page in the viewer's theme."""
    return GROUND.dark if dark() else GROUND.light


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour with an opacity in [0, 1]; unchanged for 1."""
    if opacity == 1:
        return color
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def look_of(mark: Mark) -> Look:
    """Return the look of a mark in figures that the browser draws."""
    return Look(mark.light, mark.night)
