"""One meaning, one colour, one shape: the same on every page and in every formula.

The colours are those of Okabe and Ito, which colour-blind readers tell apart; each also has a
symbol and a line or fill of its own, so that no meaning hangs on colour alone. They hold in the
light and in the dark theme.
"""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

__all__ = [
    "FAINT",
    "FIRST",
    "HARMONIC",
    "ORACLE",
    "OVERLAP",
    "SECOND",
    "SEEN",
    "SEQUENTIAL",
    "UNSEEN",
    "VALIDATED",
    "Mark",
    "quiet",
    "translucent",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """How one meaning looks.

    Attributes
    ----------
    color : hex
    symbol : of a point, as Plotly names it
    dash : of a line
    pattern : of a bar or an area, as Plotly names it; empty for solid
    """

    color: str
    symbol: str
    dash: str = "solid"
    pattern: str = ""


SEEN = Mark("#0072B2", "circle")
UNSEEN = Mark("#D55E00", "diamond", pattern="/")
VALIDATED = Mark("#009E73", "square")
OVERLAP = Mark("#CC79A7", "triangle-up", pattern="x")
ORACLE = Mark("#8C8C8C", "x-thin", dash="dash")
HARMONIC = Mark("#64748B", "hexagon")
#: Two data sets side by side.
FIRST = Mark("#E69F00", "triangle-left")
SECOND = Mark("#56B4E9", "triangle-right", pattern="/")

#: Lines of reference and grids: visible on white and on black, never in the way.
FAINT = "rgba(128, 128, 128, 0.35)"

#: Perceptually uniform, for values from nothing to much.
SEQUENTIAL = "Viridis"


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour with an opacity in [0, 1]."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def quiet(figure: go.Figure, *, height: int) -> go.Figure:
    """Give a figure the app's margins, and take away what nobody reads; returns ``figure``."""
    return figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        hovermode="closest",
        dragmode=False,
        font_size=14,
    )
