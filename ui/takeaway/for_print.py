"""Panels of a figure for print: the same numbers, in the colours of the light theme."""

from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ui.figures import palette
from ui.figures.vocabulary import Chart, Part, pair_of
from ui.takeaway.as_table import without_tags
from zslcore.interactive import colors
from zslcore.printing import (
    INK,
    Panel,
    draw_bars,
    draw_cells,
    draw_errors,
    draw_line,
    draw_rectangle,
    draw_symbols,
    draw_texts,
    draw_words,
    set_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points in print per pixel on screen.
_POINTS = 0.45
#: End of a title that applies on screen only.
_HINT = re.compile(r"; point at .*")
_DECIMALS = re.compile(r"\.(\d)%")
#: Colours of the dark theme -> colours on paper, as bytes of red, green and blue.
_ON_PAPER = {
    bytes.fromhex(dark[1:]): bytes.fromhex(light[1:])
    for dark, light in (
        *((hue.dark, hue.light) for hue in vars(colors).values() if isinstance(hue, colors.Hue)),
        (palette.WORDS.night, palette.WORDS.light),
        (palette.GROUND.dark, palette.GROUND.light),
    )
}
#: Maximum number of bars in a panel with room for texts inside the bars.
MOST_INSIDE = 12
#: Anchor of text -> side of the anchor point: -1 for text before it, 1 for text after it.
_SIDES = {"left": 1, "right": -1, "bottom": 1, "top": -1}


def panels_of(chart: Chart) -> list[Panel]:
    """Return one panel for each pair of axes of a figure."""
    filled = [trace for trace in chart.traces if any(trace.get(name) for name in "xyz")]
    return [_Plane(chart, pair, filled).panel() for pair in dict.fromkeys(map(pair_of, filled))]


def on_paper(value: Any, otherwise: str = palette.INK.light) -> str:
    """Return a colour of a figure as hex on paper; a translucent colour is mixed with white."""
    if not isinstance(value, str) or not value.startswith(("#", "rgb")):
        return otherwise
    alpha = 1.0
    if value.startswith("#"):
        rgb = bytes.fromhex(value[1:])
    else:
        *parts, alpha = [*map(float, re.findall(r"[\d.]+", value)), 1.0][:4]
        rgb = bytes(map(int, parts))
    rgb = _ON_PAPER.get(rgb, rgb)
    return "#" + "".join(f"{round(255 + alpha * (channel - 255)):02X}" for channel in rgb)


def _on_paper(value: Any, otherwise: str = palette.INK.light) -> str | list[str]:
    """Return the colour on paper of all marks, or one colour per mark."""
    if isinstance(value, list):
        return [on_paper(item, otherwise) for item in value]
    return on_paper(value, otherwise)


def _words(text: Any) -> str:
    return str(without_tags(text or ""))


class _Plane:
    """A pair of axes of a figure with its traces, shapes and texts."""

    def __init__(self, chart: Chart, pair: tuple[str, str], traces: Sequence[Part]) -> None:
        self.layout, self.pair = chart.layout, pair
        self.traces = [trace for trace in traces if pair_of(trace) == pair]
        self.axes = {name[0]: chart.axis(name) for name in pair}
        self.names = {letter: self._names(letter) for letter in "xy"}
        self.entries = chart.legend_entries
        self.bars = [trace for trace in self.traces if trace["type"] == "bar"]

    def panel(self) -> Panel:
        """Return the plane as a panel for print."""
        square = self.axes["y"].get("scaleanchor") == self.pair[0]
        return Panel(self.draw, square=square, name=self._axis_title("y"))

    def draw(self, on: Axes) -> None:
        """Draw the traces, shapes, texts and axes of the plane."""
        tops: dict[tuple[float, bool], float] = {}
        for trace in sorted(self.traces, key=lambda trace: trace.get("zorder", 0)):
            if trace["type"] == "bar":
                self._bars(on, trace, tops)
            elif trace["type"] == "heatmap":
                self._cells(on, trace)
            else:
                self._points(on, trace)
        for shape in self.layout.get("shapes", ()):
            self._shape(on, shape)
        for note in self.layout.get("annotations", ()):
            self._note(on, note)
        for letter in "xy":
            self._axis(on, letter)

    # --- Axes

    def _names(self, letter: str) -> dict[Any, int]:
        """Return the position of each category along an axis; empty for an axis of numbers."""
        axis = self.axes[letter]
        values = [value for trace in self.traces for value in trace.get(letter, ())]
        listed = axis.get("categoryarray", ())
        worded = axis.get("type") == "category" or any(isinstance(value, str) for value in values)
        if not (listed or worded):
            return {}
        return {word: k for k, word in enumerate(dict.fromkeys([*listed, *values]))}

    def _at(self, letter: str, values: Any) -> np.ndarray:
        """Return positions along an axis; NaN for a value that is neither number nor category."""
        names = self.names[letter]
        positions = (value if isinstance(value, Real) else names.get(value) for value in values)
        return np.array(list(positions), dtype=float)

    def _positions(self, trace: Part, letter: str) -> np.ndarray:
        """Return the positions of a trace's marks along an axis; by default 0, 1, 2 ..."""
        if letter in trace:
            return self._at(letter, trace[letter])
        if "z" in trace:
            return np.arange(np.shape(trace["z"])["yx".index(letter)], dtype=float)
        return np.arange(len(trace["x" if letter == "y" else "y"]), dtype=float)

    def _axis(self, on: Axes, letter: str) -> None:
        axis, ticks = self.axes[letter], self._ticks(letter)
        decimals = _DECIMALS.search(axis.get("tickformat", ""))
        if axis.get("rangemode") == "tozero":
            getattr(on, f"set_{letter}lim")(0, None)
        set_axis(
            on,
            letter,
            self._axis_title(letter),
            limits=axis.get("range"),
            reverse="range" not in axis and axis.get("autorange") == "reversed",
            percent=int(decimals[1]) if decimals else None,
            ticks=ticks,
            grid=ticks is None and axis.get("showgrid", letter == "y" or "gridcolor" in axis),
        )

    def _axis_title(self, letter: str) -> str:
        return _HINT.sub("", _words(self.axes[letter].get("title", {}).get("text")))

    def _ticks(self, letter: str) -> list[tuple[float, str]] | None:
        """Return positions and labels of an axis's ticks; None for ticks at numbers."""
        axis = self.axes[letter]
        if axis.get("visible") is False:
            return []
        if "ticktext" in axis:
            positions = self._at(letter, axis["tickvals"]).tolist()
            return [
                (at, _words(text)) for at, text in zip(positions, axis["ticktext"], strict=True)
            ]
        if axis.get("showticklabels") is False:
            return []
        return [(float(k), _words(word)) for word, k in self.names[letter].items()] or None

    # --- Traces

    def _entry(self, trace: Part) -> str:
        """Return the legend entry of a trace; empty if the legend does not list it."""
        return _words(trace["name"]) if trace.get("name") in self.entries else ""

    def _points(self, on: Axes, trace: Part) -> None:
        x, y = (self._positions(trace, letter) for letter in "xy")
        mode, marker, line = trace["mode"], trace.get("marker", {}), trace.get("line", {})
        marked, entry = "markers" in mode, self._entry(trace)
        shades = _on_paper(marker.get("color", line.get("color")))
        symbol = marker.get("symbol", "circle")
        if shades == palette.GROUND.light and "color" in marker.get("line", {}):  # a hollow mark
            shades, symbol = on_paper(marker["line"]["color"]), f"{symbol}-open"
        if "lines" in mode and line.get("width") != 0:
            width, dash = max(0.5, _POINTS * line.get("width", 2)), line.get("dash", "solid")
            shade = on_paper(line.get("color"), shades if isinstance(shades, str) else INK)
            draw_line(on, x, y, shade, "" if marked else entry, dash, lw=width)
        self._whiskers(on, trace, x, y)
        if marked:
            size = _POINTS * np.asarray(marker.get("size", 8), dtype=float)
            draw_symbols(on, x, y, shades, entry, symbol=symbol, size=size)
        if "text" in mode:
            self._texts(on, trace, x, y)

    def _texts(self, on: Axes, trace: Part, x: np.ndarray, y: np.ndarray) -> None:
        """Write the text of each point above it, or on the side given by ``textposition``."""
        texts = np.broadcast_to(trace["text"], len(x)).tolist()
        up, across = trace.get("textposition", "middle center").split()
        if across == "center" and trace["mode"] != "text":
            draw_texts(on, x, y, list(map(_words, texts)))
            return
        ink = on_paper(trace.get("textfont", {}).get("color"))
        sides: dict[str, Any] = {"across": -_SIDES.get(across, 0), "up": -_SIDES.get(up, 0)}
        for at, height, text in zip(x.tolist(), y.tolist(), texts, strict=True):
            draw_words(on, at, height, _words(text), ink, **sides)

    def _whiskers(self, on: Axes, trace: Part, x: np.ndarray, y: np.ndarray) -> None:
        for letter in "xy":
            if error := trace.get(f"error_{letter}"):
                above = np.asarray(error["array"], dtype=float)
                below = np.asarray(error.get("arrayminus", above), dtype=float)
                color = on_paper(error.get("color"))
                draw_errors(on, x, y, color, **{f"{letter}err": np.stack([below, above])})

    def _bars(self, on: Axes, trace: Part, tops: dict[tuple[float, bool], float]) -> None:
        """Draw bars: grouped, overlaid, or stacked on ``tops``, which is updated."""
        horizontal = trace.get("orientation") == "h"
        along, across = ("y", "x") if horizontal else ("x", "y")
        position, length = self._positions(trace, along), self._positions(trace, across)
        mode, start = self.layout.get("barmode", "group"), np.zeros(len(position))
        same = [trace]
        if mode == "group" and "width" not in trace:
            same = [bar for bar in self.bars if "width" not in bar]
        k = next(k for k, bar in enumerate(same) if bar is trace)
        width = trace.get("width", (1 - self.layout.get("bargap", 0.2)) / len(same))
        low = position + trace.get("offset", width * (k - len(same) / 2))
        if mode == "stack":
            keys = list(zip(position.tolist(), (length < 0).tolist(), strict=True))
            start = np.array([tops.get(key, 0.0) for key in keys])
            tops |= dict(zip(keys, start + length, strict=True))
        marker = trace["marker"]
        draw_bars(
            on,
            low,
            length,
            width,
            start,
            _on_paper(marker.get("color"), palette.NEUTRAL.light),
            self._entry(trace),
            hatch=marker.get("pattern", {}).get("shape", ""),
            horizontal=horizontal,
        )
        x, y = (
            (start + length, low + width / 2) if horizontal else (low + width / 2, start + length)
        )
        self._whiskers(on, trace, x, y)
        inside, texts = trace.get("textposition") == "inside", trace.get("text", ())
        up = -1 if inside else not horizontal
        if inside and len(x) > MOST_INSIDE:
            return
        for at, height, text in zip(x.tolist(), y.tolist(), texts, strict=False):
            draw_words(on, at, height, _words(text), across=horizontal, up=up)

    def _cells(self, on: Axes, trace: Part) -> None:
        scale = [(share, on_paper(color)) for share, color in trace["colorscale"]]
        decimals = _DECIMALS.search(trace.get("colorbar", {}).get("tickformat", ""))
        texts = trace["text"] if "texttemplate" in trace else ()
        draw_cells(
            on,
            self._positions(trace, "x"),
            self._positions(trace, "y"),
            np.asarray(trace["z"], dtype=float),
            scale,
            limits=(trace.get("zmin"), trace.get("zmax")),
            texts=[[_words(text) for text in row] for row in texts],
            bar=trace.get("showscale", True),
            percent=int(decimals[1]) if decimals else None,
        )

    # --- Lines and texts of the layout

    def _placed(self, letter: str, part: Part, *ends: str) -> tuple[list[float], bool] | None:
        """Return positions, and whether they are shares of the panel; None if in another panel."""
        axis_name = self.pair["xy".index(letter)]
        ref = part.get(f"{letter}ref", letter)
        if ref == axis_name:
            return self._at(letter, [part[end] for end in ends]).tolist(), False
        if ref in (f"{axis_name} domain", "paper"):
            return [float(part[end]) for end in ends], True
        return None

    def _shape(self, on: Axes, shape: Part) -> None:
        x, y = self._placed("x", shape, "x0", "x1"), self._placed("y", shape, "y0", "y1")
        if x is None or y is None:
            return
        shares, line = "x" * x[1] + "y" * y[1], shape.get("line", {})
        if shape["type"] == "rect":
            color = on_paper(shape.get("fillcolor"))
            draw_rectangle(on, x[0], y[0], color, shape.get("opacity", 1.0), panel_axes=shares)
            return
        look: dict[str, Any] = {"lw": max(0.5, _POINTS * line.get("width", 2)), "zorder": 1.5}
        dash, color = line.get("dash", "solid"), on_paper(line.get("color"))
        draw_line(on, x[0], y[0], color, "", dash, shares, **look)

    def _note(self, on: Axes, note: Part) -> None:
        x, y = self._placed("x", note, "x"), self._placed("y", note, "y")
        if x is None or y is None:
            return
        color, shares = on_paper(note.get("font", {}).get("color")), "x" * x[1] + "y" * y[1]
        sides: dict[str, Any] = {
            "across": _SIDES.get(note.get("xanchor", ""), 0),
            "up": _SIDES.get(note.get("yanchor", ""), 0),
        }
        draw_words(on, x[0][0], y[0][0], _words(note["text"]), color, panel_axes=shares, **sides)
