"""What a panel for print shows: marks on two axes, in data coordinates and colours for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """An axis.

    Attributes
    ----------
    title : under or next to it
    limits : its two ends; None to follow the data
    percent : decimals of percent for fractions; None for plain numbers
    ticks : places and their words; None for round numbers
    scale : "linear" or "log"
    grid : whether thin lines stand at its ticks
    """

    title: str = ""
    limits: tuple[float, float] | None = None
    percent: int | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    scale: str = "linear"
    grid: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points, a line through them, or both.

    Attributes
    ----------
    x, y : arrays of shape (n,); a line is broken where one is not finite
    color : hex, or one a point
    name : in the legend; none where empty
    line : "" for none, "solid", "dash", "dot", "dashdot", or lengths in points as "6 4"
    symbol : "" for none, a name of Plotly as "diamond" or "diamond-open", or one a point
    width, size : of the line and of the points, in points of print; size may be one a point
    opacity : in [0, 1]
    steps : whether the line goes from point to point in steps
    x_error, y_error : arrays of shape (2, n), lengths below and above; None for none
    texts : next to each point; none unless given
    """

    x: np.ndarray
    y: np.ndarray
    color: str | Sequence[str]
    name: str = ""
    line: str = ""
    symbol: str | Sequence[str] = ""
    width: float = 1.0
    size: float | np.ndarray = 4.0
    opacity: float = 1.0
    steps: bool = False
    x_error: np.ndarray | None = None
    y_error: np.ndarray | None = None
    texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    r"""Bars from ``base`` to ``base + length`` at ``place``.

    Attributes
    ----------
    place, length, base : arrays of shape (n,)
    thickness : in units of the axis of places
    color : hex, or one a bar
    level : whether they lie, places along y
    hatch : of Plotly: "/", "\", "x", "-", "|", "+" or ".", or one a bar; empty for none
    name : in the legend
    error : array of shape (2, n), lengths below and above the end; None for none
    """

    place: np.ndarray
    length: np.ndarray
    base: np.ndarray
    thickness: float
    color: str | Sequence[str]
    level: bool = False
    hatch: str | Sequence[str] = ""
    name: str = ""
    error: np.ndarray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A grid of colours.

    Attributes
    ----------
    x, y : arrays of shape (n,) and (m,), middles of the cells
    z : array of shape (m, n); NaN for an empty cell
    colors : (share in [0, 1], hex), rising
    limits : values of the first and the last colour
    texts : words in the cells, as ``z``; none unless given
    percent : decimals of percent along the scale; None for plain numbers
    scale : whether the scale of colours is drawn
    title : of the scale
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    colors: Sequence[tuple[float, str]]
    limits: tuple[float, float]
    texts: Sequence[Sequence[str]] = ()
    percent: int | None = None
    scale: bool = True
    title: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A filled polygon with corners ``x`` and ``y``, arrays of shape (n,)."""

    x: np.ndarray
    y: np.ndarray
    color: str
    opacity: float = 0.2
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A straight line between two points; ``x`` or ``y`` may be in shares of the panel.

    Attributes
    ----------
    x, y : both ends
    of_panel : "x", "y", "xy" or "": which of them are shares of the panel, from its lower left
    """

    x: tuple[float, float]
    y: tuple[float, float]
    color: str
    line: str = "solid"
    width: float = 0.6
    of_panel: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A text at a place; ``of_panel`` as in :class:`Rule`.

    Attributes
    ----------
    across, up : side of the place on which it stands: -1 left or below, 0 middle, 1 right or above
    """

    x: float
    y: float
    text: str
    color: str = "#14181C"
    across: int = 0
    up: int = 0
    of_panel: str = ""


Mark = Points | Bars | Cells | Area | Rule | Words


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One panel.

    Attributes
    ----------
    marks : drawn in this order
    x, y : Axis
    title : above it; none where empty
    square : whether both axes have one unit
    """

    marks: Sequence[Mark]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    square: bool = False
