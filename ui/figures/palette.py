"""One meaning, one colour, one shape: the same on every page and in every formula.

The colors are Okabe and Ito's, distinct for colour-blind readers, each with a symbol and a line or
fill of its own. Words in each form, light or dark, have a contrast of at least 4.5 : 1 to the page
(related classes, whose colour no word has, 3 : 1). Which form a figure takes is asked when it is
drawn: colours are read where a figure is made, never where a module is loaded.
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
    """Set the functions that state the theme and width of the viewer; return the former ones."""
    former, _viewer[:] = _viewer[:], [is_dark, is_narrow]
    return former


def dark() -> bool:
    """Return whether the figure that is made now will be seen in the dark theme."""
    return _viewer[0]()


def narrow() -> bool:
    """Return whether the figure that is made now has the width of a telephone."""
    return _viewer[1]()


@dataclass(frozen=True, slots=True)
class Mark:
    """How one meaning looks; symbols and patterns are Plotly's.

    ``light`` and ``night`` are its colours, as hex, in either theme, the same unless given.
    """

    light: str
    symbol: str
    dash: str = "solid"
    pattern: str = ""
    night: str = ""

    @classmethod
    def of(cls, hue: colors.Hue, symbol: str, dash: str = "solid", pattern: str = "") -> Self:
        """Return a look with a hue of the core figures."""
        return cls(hue.light, symbol, dash, pattern, hue.dark)

    @property
    def color(self) -> str:
        """Its colour in the viewer's theme, hex."""
        return self.night if self.night and dark() else self.light


SEEN = Mark.of(colors.SEEN, "circle")
UNSEEN = Mark.of(colors.UNSEEN, "diamond", pattern="/")
VALIDATED = Mark.of(colors.VALIDATED, "square")
OVERLAP = Mark.of(colors.OVERLAP, "triangle-up", pattern="x")
RELATED = Mark.of(colors.RELATED, "triangle-up-open", pattern="/")
ORACLE = Mark.of(colors.ORACLE, "x-thin", dash="dash")
HARMONIC = Mark.of(colors.HARMONIC, "hexagon")
#: What is to be found at once, in the colour of words.
INK = Mark.of(colors.INK, "x")
TRANSDUCTIVE = replace(INK, symbol="star")
#: Two data sets side by side.
FIRST = Mark.of(colors.FIRST, "triangle-left")
SECOND = Mark.of(colors.SECOND, "triangle-right", pattern="/")
#: What belongs to none of these meanings.
NEUTRAL = Mark.of(colors.NEUTRAL, "circle")

#: Group of classes by the pre-training set -> its look.
GROUP_LOOKS: Mapping[str, Mark] = MappingProxyType(
    {"in the set": OVERLAP, "related": RELATED, "unrelated": NEUTRAL}
)

#: Words of axes.
WORDS = Mark("#4B5563", "", night="#B4BDC9")

#: The page.
GROUND = colors.Hue("#FFFFFF", "#101418")

#: Lines of reference and grids: visible on white and on black, never in the way.
FAINT = "rgba(128, 128, 128, 0.35)"

#: Viridis, perceptually uniform, for values from nothing to much: (share, colour).
SEQUENTIAL = tuple(
    (k / 9, color)
    for k, color in enumerate(
        (
            "#440154",
            "#482878",
            "#3E4989",
            "#31688E",
            "#26828E",
            "#1F9E89",
            "#35B779",
            "#6ECE58",
            "#B5DE2B",
            "#FDE725",
        )
    )
)


def ground() -> str:
    """Return the colour of the page that the figure made now will stand on, hex."""
    return GROUND.dark if dark() else GROUND.light


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour with an opacity in [0, 1]; the colour itself for 1."""
    if opacity == 1:
        return color
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def look_of(mark: Mark) -> Look:
    """Return how a meaning looks in a figure that is drawn by the browser."""
    return Look(mark.light, mark.night)
