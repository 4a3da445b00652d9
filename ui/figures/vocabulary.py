"""Figures as plain dicts with Plotly's names, for the browser, for print and for tables.

Every text is escaped here, once, except :class:`Markup`, which may have the tags ``<b>``, ``<br>``
and ``<span style="color:...">``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ui.figures.palette import FAINT, INK, WORDS, Mark, narrow

#: Font sizes of a figure, of its legend and of its ticks, in pixels.
TEXT, LEGEND, TICK = 14, 13, 13
#: A part of a figure: a trace, an axis, a shape.
Part = dict[str, Any]
#: Properties with templates of our own: their ``%{...}`` must not be escaped.
_TEMPLATES = ("hovertemplate", "texttemplate")


class Markup(str):
    """Text with tags; names inside it are escaped by the caller."""

    __slots__ = ()


@dataclass(frozen=True)
class Chart:
    """A figure made of lists, dicts, numbers and texts; it is cached and must not be changed."""

    traces: Sequence[Part]
    layout: Part

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.layout["height"])

    @property
    def legend_entries(self) -> set[str]:
        """Names in the legend; a single trace is in it only with ``showlegend``."""
        named = [t for t in self.traces if t.get("name") and t.get("showlegend") is not False]
        shown = self.layout.get(
            "showlegend", len(named) > 1 or any("showlegend" in t for t in named)
        )
        return {trace["name"] for trace in named} if shown else set()

    def axis(self, name: str) -> Part:
        """Return an axis by its name, such as "x2"."""
        part: Part = self.layout.get(f"{name[0]}axis{name[1:]}", {})
        return part

    @cached_property
    def encoded(self) -> bytes:
        """The figure as JSON."""
        return json.dumps(self.to_dict(), separators=(",", ":")).encode()

    def to_dict(self) -> Part:
        """Return the figure as a dict with Plotly's names."""
        return {"data": list(self.traces), "layout": self.layout}

    def of_height(self, height: int, **margin: int) -> Chart:
        """Return the figure with a height in pixels, and other margins."""
        margins = self.layout["margin"] | margin
        return Chart(self.traces, self.layout | {"height": height, "margin": margins})

    def enlarged(self, size: int) -> Chart:
        """Return the figure with a font of ``size`` pixels, also at bars, in cells and at axes."""
        layout = dict(self.layout)
        for name, part in self.layout.items():
            if name[1:].startswith("axis"):
                layout[name] = part | {"tickfont": part["tickfont"] | {"size": size - 2}}
                if title := part.get("title"):
                    layout[name] |= {"title": title | {"font": title["font"] | {"size": size - 2}}}
        traces = [
            trace | {"textfont": {"size": size}} if trace["type"] in ("bar", "heatmap") else trace
            for trace in self.traces
        ]
        legend = layout["legend"] | {"font": layout["legend"]["font"] | {"size": size}}
        font = layout["font"] | {"size": size}
        return Chart(traces, layout | {"legend": legend, "font": font})


def pair_of(trace: Part) -> tuple[str, str]:
    """Return the names of the axes of a trace, such as ("x2", "y2")."""
    return trace.get("xaxis", "x"), trace.get("yaxis", "y")


def figure(
    traces: Iterable[Part],
    *,
    height: float,
    legend: str = "",
    margin: Mapping[str, float] | None = None,
    size: int = TEXT,
    **layout: Any,
) -> Chart:
    """Return a figure of ``traces`` with the app's margins and font size.

    Parameters
    ----------
    height : in pixels
    legend : "top" or "bottom"
    margin : pixels at the sides "l", "r", "t" and "b" that differ from the default
    size : font size, in pixels
    layout : parts of the figure, with Plotly's names: axes (see :func:`axis`) by name, ``shapes``,
        ``annotations`` and more
    """
    top = 40 if legend == "top" else 28
    position: Part = {"orientation": "h", "x": 0} if legend else {}
    if legend:
        position |= (
            {"y": 1.02, "yanchor": "bottom"} if legend == "top" else {"y": -0.1, "yanchor": "top"}
        )
    axes = {"xaxis": axis(), "yaxis": axis()}
    return Chart(
        _plain(list(traces)),
        _plain(
            axes
            | {
                "height": int(height),
                "margin": {"l": 8, "r": 8, "t": top, "b": 8} | dict(margin or {}),
            }
            | {"font": {"size": size, "color": WORDS.color}}
            | {"legend": position | {"font": {"size": LEGEND, "color": INK.color}}}
            | layout
        ),
    )


def _plain(value: Any, name: str = "") -> Any:
    """Return a value for JSON: texts escaped, arrays as lists, None for NaN and infinity."""
    if isinstance(value, str):
        is_markup = isinstance(value, Markup) or name in _TEMPLATES
        return str(value) if is_markup else escape(value, quote=False)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, str(key)) for key, item in value.items() if item is not None}
    if isinstance(value, np.ndarray | pd.Series | pd.Index):
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


# --- Traces ---------------------------------------------------------------------------------------


def bars(**properties: Any) -> Part:
    """Return bars, horizontal with ``orientation="h"``."""
    return {"type": "bar", **properties}


def scatter(**properties: Any) -> Part:
    """Return points; another ``mode`` adds lines or text."""
    return {"type": "scatter", "mode": "markers", **properties}


def line(color: str, *, width: float = 2, dash: str = "solid", **properties: Any) -> Part:
    """Return a line, without hover text unless ``hovertemplate`` is given."""
    without_hover = {} if "hovertemplate" in properties else {"hoverinfo": "skip"}
    look = {"color": color, "width": width, "dash": dash}
    return {"type": "scatter", "mode": "lines", "line": look, **without_hover, **properties}


def heatmap(**properties: Any) -> Part:
    """Return a heat map of the matrix ``z``."""
    return {"type": "heatmap", **properties}


def fill(mark: Mark, *, edge: float = 0) -> Part:
    """Return the look of bars: colour, hatch in print, and width of the edge."""
    return {
        "color": mark.color,
        "pattern": {"shape": mark.pattern},
        "line": {"color": mark.color, "width": edge},
    }


def dots(mark: Mark, size: float, *, symbol: str = "", edge: float | None = None) -> Part:
    """Return the look of points; ``size`` and, for open points, line width ``edge`` in pixels."""
    look = {"color": mark.color, "symbol": symbol or mark.symbol, "size": size}
    return look if edge is None else look | {"line": {"width": edge, "color": mark.color}}


def whiskers(
    value: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    color: str,
    *,
    thickness: float = 2,
    width: int = 4,
) -> Part:
    """Return the intervals of points, in units of the axis; an end that is NaN is not drawn."""
    at, least, most = (np.asarray(numbers, dtype=float) for numbers in (value, low, high))
    return {
        "array": most - at,
        "arrayminus": at - least,
        "color": color,
        "thickness": thickness,
        "width": width,
    }


# --- Axes -----------------------------------------------------------------------------------------


def axis(
    title: str = "",
    *,
    names: Sequence[str] | None = None,
    percent: bool = False,
    grid: bool | None = None,
    size: int = TICK,
    **properties: Any,
) -> Part:
    """Return an axis.

    Parameters
    ----------
    title : text next to the axis
    names : labels at 0, 1, 2 ...; empty for an axis without labels
    percent : whether values are fractions, to be written as percent
    grid : whether the axis has grid lines; by default only vertical axes have them
    size : font size of the labels, in pixels
    properties : other properties, with Plotly's names, such as ``range``
    """
    parts: Part = {"tickfont": {"size": size, "color": WORDS.color}}
    if title:
        parts["title"] = {"text": title, "font": {"size": LEGEND, "color": WORDS.color}}
    if names is not None:
        parts |= {"tickvals": list(range(len(names))), "ticktext": list(names)}
    if percent:
        parts["tickformat"] = ".0%"
    if grid is not None:
        parts |= {"gridcolor": FAINT} if grid else {"showgrid": False}
    return parts | properties


@dataclass(frozen=True, slots=True)
class Plane:
    """A pair of axes, by its number from 1, with the shares of the figure that it spans."""

    number: int
    across: tuple[float, float] = (0.0, 1.0)
    down: tuple[float, float] = (0.0, 1.0)

    @property
    def suffix(self) -> str:
        """Suffix of the names of the axes, empty for the first plane."""
        return str(self.number) if self.number > 1 else ""

    def on(self, trace: Part) -> Part:
        """Return a trace on these axes."""
        return trace | {"xaxis": f"x{self.suffix}", "yaxis": f"y{self.suffix}"}

    def axes(self, x: Part, y: Part) -> Part:
        """Return both axes by name, placed in the figure."""
        return {
            f"xaxis{self.suffix}": x | {"domain": self.across, "anchor": f"y{self.suffix}"},
            f"yaxis{self.suffix}": y | {"domain": self.down, "anchor": f"x{self.suffix}"},
        }


#: Share of a figure for gaps between planes on a phone; each gap has this share / number of planes.
_BELOW = 0.22


def planes(n: int, *, spacing: float) -> list[Plane]:
    """Return planes side by side, or below each other on a phone.

    ``spacing`` is the width of a gap as a share of the width of the figure.
    """
    if narrow():
        gap = _BELOW / n
        height = (1 - gap * (n - 1)) / n
        tops = [1 - k * (height + gap) for k in range(n)]
        return [Plane(k + 1, down=(top - height, top)) for k, top in enumerate(tops)]
    width = (1 - spacing * (n - 1)) / n
    starts = [k * (width + spacing) for k in range(n)]
    return [Plane(k + 1, across=(start, start + width)) for k, start in enumerate(starts)]


# --- Lines and text in the plane ------------------------------------------------------------------


def rule(*, x: float | None = None, y: float | None = None, **look: Any) -> Part:
    """Return a line across the whole plane at a value of x or y, in the line style ``look``."""
    if x is not None:
        ends = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
    else:
        ends = {"y0": y, "y1": y, "yref": "y", "x0": 0, "x1": 1, "xref": "x domain"}
    return {"type": "line", "line": {"color": FAINT, "width": 2, **look}, **ends}


def note(text: str, x: Any, y: Any, **properties: Any) -> Part:
    """Return text at a position."""
    return {"text": text, "x": x, "y": y, "showarrow": False, **properties}
