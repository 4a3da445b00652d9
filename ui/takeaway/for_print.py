"""The panels for print of a Plotly figure: the same numbers, in the colours of the light theme."""

from __future__ import annotations

import re
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.colors
import plotly.graph_objects as go

from ui.figures import palette
from ui.figures.vocabulary import Chart
from ui.takeaway.as_table import without_tags
from zslcore.interactive import colors
from zslcore.printing import (
    INK,
    Panel,
    draw_errors,
    draw_line,
    draw_symbols,
    draw_texts,
    draw_words,
    label_of,
    level,
    line_style,
    plane,
    set_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Kinds of traces that can be printed; a figure with another one has no panels.
_KINDS = ("scatter", "scattergl", "bar", "heatmap")
#: Points of print for a pixel of the screen.
_POINTS = 0.45
#: What a title says to those who can point.
_HINT = re.compile(r"; point at .*")
_DECIMALS = re.compile(r"\.(\d)%")
#: Colours of the dark theme -> those of paper, as numbers of red, green and blue.
_ON_PAPER = {
    plotly.colors.hex_to_rgb(dark): plotly.colors.hex_to_rgb(light)
    for dark, light in (
        *((hue.dark, hue.light) for hue in vars(colors).values() if isinstance(hue, colors.Hue)),
        (palette.WORDS.night, palette.WORDS.light),
        (palette.GROUND.dark, palette.GROUND.light),
    )
}


def panels_of(chart: Chart) -> list[Panel]:
    """Return one panel for each pair of axes of a figure."""
    figure = go.Figure(chart.to_dict())
    return [_Reader(figure, *pair).panel() for pair in _pairs(figure)]


def _pairs(figure: go.Figure) -> list[tuple[str, str]]:
    """Return the pairs of axes of a figure; none where it cannot be printed."""
    if figure.layout.images or any(trace.type not in _KINDS for trace in figure.data):
        return []
    pairs = ((trace.xaxis or "x", trace.yaxis or "y") for trace in figure.data if _is_drawn(trace))
    return list(dict.fromkeys(pairs))


def _is_drawn(trace: Any) -> bool:
    values = (getattr(trace, name, None) for name in "xyz")
    return trace.visible in (None, True) and any(v is not None and len(v) for v in values)


def on_paper(value: Any, otherwise: str = palette.INK.light) -> str:
    """Return a colour of Plotly as hex on paper: mixed with white where it is translucent."""
    if not isinstance(value, str):
        return otherwise
    if value.startswith("#"):
        rgb, alpha = plotly.colors.hex_to_rgb(value), 1.0
    elif value.startswith("rgb"):
        *rgb, alpha = [*map(float, re.findall(r"[\d.]+", value)), 1.0][:4]
        rgb = tuple(map(int, rgb))
    else:
        return otherwise
    rgb = _ON_PAPER.get(rgb, rgb)
    return "#" + "".join(f"{round(255 + alpha * (each - 255)):02X}" for each in rgb)


def _colors(value: Any, scale: Any, n: int, otherwise: str) -> str | list[str]:
    """Return the colour of all points, or one a point."""
    if value is None or isinstance(value, str):
        return on_paper(value, otherwise)
    if all(isinstance(each, str) for each in value):
        return [on_paper(each, otherwise) for each in value]
    numbers = np.asarray(value, dtype=float)
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    shares = (numbers - low) / ((high - low) or 1)
    steps = plotly.colors.sample_colorscale(scale or palette.SEQUENTIAL, shares.tolist())
    return [on_paper(each, otherwise) for each in steps][:n]


def _plain(text: Any) -> str:
    words = str(text or "").replace("<br>", " ")
    return re.sub(r" +", " ", str(without_tags(words))).strip()


class _Reader:
    """Reads the traces, shapes and words of one pair of axes."""

    def __init__(self, figure: go.Figure, x: str, y: str) -> None:
        self.figure, self.pair = figure, (x, y)
        self.axes = {
            letter: figure.layout[name.replace(letter, f"{letter}axis", 1)]
            for letter, name in zip("xy", self.pair, strict=True)
        }
        self.traces = [
            t for t in figure.data if _is_drawn(t) and (t.xaxis or "x", t.yaxis or "y") == self.pair
        ]
        self.categories = {letter: self._categories(letter) for letter in "xy"}
        self.sums: dict[Any, float] = {}

    def panel(self) -> Panel:
        """Return everything between these axes."""
        square = self.axes["y"].scaleanchor == self.pair[0]
        return Panel(self.draw, self._title(), square=bool(square), name=self._axis_title("y"))

    def draw(self, on: Axes) -> None:
        """Draw everything between these axes."""
        self.sums = {}
        for trace in self.traces:
            draw = {"bar": self._bars, "heatmap": self._cells}.get(trace.type, self._points)
            draw(on, trace)
        self._shapes(on)
        self._annotations(on)
        for letter in "xy":
            self._axis(on, letter)

    # --- Axes

    def _categories(self, letter: str) -> dict[Any, int]:
        """Return the place of every word along an axis of words; empty for numbers."""
        axis = self.axes[letter]
        values = [v for t in self.traces for v in (t[letter] if t[letter] is not None else ())]
        words = [v for v in values if isinstance(v, str)]
        if not words and axis.type != "category":
            return {}
        listed = list(axis.categoryarray) if axis.categoryarray is not None else []
        return {word: k for k, word in enumerate(dict.fromkeys([*listed, *values]))}

    def _at(self, letter: str, values: Any) -> np.ndarray:
        place_of = self.categories[letter]
        if place_of:
            places = (place_of.get(v, v if isinstance(v, Real) else np.nan) for v in values)
            return np.array(list(places), dtype=float)
        return pd.to_numeric(pd.Series(list(values), dtype=object), errors="coerce").to_numpy(float)

    def _places(self, trace: Any, letter: str) -> np.ndarray:
        """Return where a trace has its points along an axis: from 0 on where it does not say."""
        if trace[letter] is not None:
            return self._at(letter, trace[letter])
        if trace.type == "heatmap":
            return np.arange(np.shape(trace.z)["yx".index(letter)], dtype=float)
        return np.arange(len(trace["x" if letter == "y" else "y"]), dtype=float)

    def _axis(self, on: Axes, letter: str) -> None:
        axis = self.axes[letter]
        form = _DECIMALS.search(axis.tickformat or "")
        log = axis.type == "log"
        limits = tuple(10.0**end if log else float(end) for end in axis.range or ())
        ticks = self._ticks(letter)
        if not limits and axis.autorange == "reversed":
            limits = self._ends(letter)[::-1]
        set_axis(
            on,
            letter,
            self._axis_title(letter),
            limits=limits or None,
            percent=int(form[1]) if form else None,
            ticks=ticks,
            log=log,
            grid=axis.showgrid is not False and ticks is None and letter == "y",
        )

    def _axis_title(self, letter: str) -> str:
        return _HINT.sub("", _plain(self.axes[letter].title.text))

    def _ticks(self, letter: str) -> list[tuple[float, str]] | None:
        axis = self.axes[letter]
        if axis.visible is False:
            return []
        if axis.showticklabels is False:
            if axis.matches is None:
                return []
            axis = self.figure.layout[axis.matches.replace(letter, f"{letter}axis", 1)]
        if axis.tickvals is not None:
            words = axis.ticktext if axis.ticktext is not None else axis.tickvals
            places = self._at(letter, axis.tickvals)
            return [(float(at), _plain(w)) for at, w in zip(places, words, strict=False)]
        categories = self.categories[letter]
        return [(float(k), _plain(word)) for word, k in categories.items()] or None

    def _ends(self, letter: str) -> tuple[float, float]:
        values = np.concatenate([self._places(t, letter) for t in self.traces])
        return float(np.nanmin(values)) - 0.5, float(np.nanmax(values)) + 0.5

    def _title(self) -> str:
        """Return the words that stand above these axes, as panels of one figure have them."""
        (left, right), (_, top) = (self.axes[letter].domain or (0, 1) for letter in "xy")
        for note in self.figure.layout.annotations:
            above = note.yref == note.xref == "paper" and not note.showarrow
            if above and abs(note.x - (left + right) / 2) < 0.02 and abs(note.y - top) < 0.02:
                return _plain(note.text)
        return ""

    # --- Traces

    def _name(self, trace: Any) -> str:
        """Return the legend entry of a trace; one panel may list it for all."""
        listed = {t.name for t in self.figure.data if t.showlegend is not False}
        if trace.name not in listed or self.figure.layout.showlegend is False:
            return ""
        return _plain(trace.name)

    def _points(self, on: Axes, trace: Any) -> None:
        x, y = (self._places(trace, letter) for letter in "xy")
        if trace.stackgroup:
            y = self._stacked(trace, x, y)
        mode, line = trace.mode or "lines", trace.line
        color = on_paper(line.color if line.color is not None else trace.marker.color)
        if trace.stackgroup or trace.fill not in (None, "none"):
            self._area(on, trace, x, y, color)
        texts = _texts(trace, len(x)) if "text" in mode else []
        sideways = re.search("left|right", str(trace.textposition))
        marked, drawn = "markers" in mode, "markers" in mode or "lines" in mode
        if marked or (drawn and line.width != 0):
            self._line_and_symbols(on, trace, x, y, color)
            if not sideways:
                draw_texts(on, x, y, texts)
        if sideways or not drawn:
            ink, side = on_paper(trace.textfont.color), str(trace.textposition or "")
            across, up = _side(side, "left", "right"), _side(side, "bottom", "top")
            for at, height, text in zip(x, y, texts, strict=False):
                draw_words(on, float(at), float(height), text, ink, across=across, up=up)

    def _line_and_symbols(self, on: Axes, trace: Any, x: Any, y: Any, color: str) -> None:
        """Draw the line of a trace, its error bars and its points."""
        line, marker, mode = trace.line, trace.marker, trace.mode or "lines"
        symbols, colors = _symbols(marker), _colors(marker.color, marker.colorscale, len(x), color)
        if colors == palette.GROUND.light and marker.line.color is not None:  # filled with the page
            colors = _colors(marker.line.color, None, len(x), color)
            symbols = symbols if isinstance(symbols, list) else f"{symbols}-open"
        marked, name = "markers" in mode, self._name(trace)
        opacity = _one(marker.opacity if marked else trace.opacity)
        one = color if not marked else colors if isinstance(colors, str) else INK
        above = level(on, 0)
        if "lines" in mode:
            draw_line(
                on,
                x,
                y,
                one,
                "" if marked else name,
                line.dash or "solid",
                lw=max(0.5, _POINTS * (line.width if line.width is not None else 2)),
                alpha=opacity,
                drawstyle="steps-post" if line.shape in ("hv", "vh") else "default",
                zorder=2 + above,
            )
        errors = _error(trace.error_x, len(x)), _error(trace.error_y, len(x))
        draw_errors(on, x, y, one, xerr=errors[0], yerr=errors[1])
        if marked:
            size = _POINTS * np.asarray(marker.size if marker.size is not None else 8, float)
            look: dict[str, Any] = {"size": size, "opacity": opacity, "zorder": 3 + above}
            draw_symbols(on, x, y, colors, name, symbol=symbols, **look)

    def _stacked(self, trace: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        below = np.array([self.sums.get((trace.stackgroup, at), 0.0) for at in x])
        self.sums |= {(trace.stackgroup, at): s for at, s in zip(x, below + y, strict=True)}
        return below + y

    def _area(self, on: Axes, trace: Any, x: np.ndarray, y: np.ndarray, color: str) -> None:
        fill = on_paper(trace.fillcolor if trace.fillcolor is not None else color)
        if trace.fill == "toself":
            _fill(on, x, y, fill, 1.0)
            return
        floor = y - self._at("y", trace.y) if trace.stackgroup else np.zeros(len(x))
        _fill(on, np.r_[x, x[::-1]], np.r_[y, floor[::-1]], fill)

    def _bars(self, on: Axes, trace: Any) -> None:
        lying = trace.orientation == "h"
        along, across = ("y", "x") if lying else ("x", "y")
        place, length = self._at(along, trace[along]), self._at(across, trace[across])
        gap = self.figure.layout.bargap
        width = 1 - (0.2 if gap is None else gap)
        if isinstance(trace.width, int | float):
            width = trace.width
        base = np.zeros(len(place))
        if trace.base is not None:
            base = np.broadcast_to(np.asarray(trace.base, float), len(place)).copy()
        elif self.figure.layout.barmode in ("stack", "relative"):
            base = np.array([self.sums.get((along, at), 0.0) for at in place])
            self.sums |= {(along, at): b + n for at, b, n in zip(place, base, length, strict=True)}
        else:
            place, width = self._next_to(trace, along, place, width)
        looks = trace.marker.color, trace.marker.colorscale, len(place), palette.NEUTRAL.light
        draw, whiskers = (on.barh, "xerr") if lying else (on.bar, "yerr")
        bars = draw(place, length, width, base, color=_colors(*looks), zorder=level(on, 2))
        bars.set_label(label_of(self._name(trace)))
        hatches = np.broadcast_to(trace.marker.pattern.shape or "", len(place))
        for bar, hatch in zip(bars, hatches.tolist(), strict=True):
            bar.set(hatch=hatch * 3 or None, edgecolor="white" if hatch else "none", linewidth=0)
        error = _error(trace.error_x if lying else trace.error_y, len(place))
        x, y = (base + length, place) if lying else (place, base + length)
        draw_errors(on, x, y, INK, **{whiskers: error})

    def _next_to(
        self, trace: Any, along: str, place: np.ndarray, width: float
    ) -> tuple[np.ndarray, float]:
        """Return places and thickness of bars that share their place with those of other traces."""
        bars = [t for t in self.traces if t.type == "bar"]
        places = [self._at(along, t[along]) for t in bars]
        together = np.concatenate(places)
        if self.figure.layout.barmode == "overlay" or len(set(together)) == len(together):
            return place, width
        k = next(k for k, each in enumerate(bars) if each is trace)
        thin = width / len(bars)
        return place + thin * (k - (len(bars) - 1) / 2), thin

    def _cells(self, on: Axes, trace: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.ticker import PercentFormatter

        z = np.ma.masked_invalid(np.asarray(trace.z, dtype=float))
        x, y = (self._places(trace, letter) for letter in "xy")
        if len(x) == z.shape[1] + 1:  # edges of the cells
            x, y = (x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2
        scale = trace.colorscale or palette.SEQUENTIAL
        pairs = plotly.colors.get_colorscale(scale) if isinstance(scale, str) else scale
        pairs = [(float(share), on_paper(color)) for share, color in pairs]
        colors = LinearSegmentedColormap.from_list("of print", pairs)
        low = float(trace.zmin if trace.zmin is not None else z.min())
        high = float(trace.zmax if trace.zmax is not None else z.max())
        mesh = on.pcolormesh(x, y, z, cmap=colors, vmin=low, vmax=high, shading="nearest")
        shown = trace.text if trace.texttemplate and trace.text is not None else ()
        for height, row, texts in zip(y, z, shown, strict=False):
            for at, value, text in zip(x, row, map(_plain, texts), strict=False):
                if text and value is not np.ma.masked:
                    red, green, blue, _ = colors((float(value) - low) / ((high - low) or 1))
                    ink = INK if 0.3 * red + 0.6 * green + 0.1 * blue > 0.55 else "white"
                    on.text(at, height, text, color=ink, ha="center", va="center")
        if trace.showscale is not False:
            title = _plain(trace.colorbar.title.text)
            bar = on.figure.colorbar(mesh, ax=on, fraction=0.06, pad=0.02, label=title)
            bar.outline.set_visible(False)
            if form := _DECIMALS.search(trace.colorbar.tickformat or ""):
                bar.ax.yaxis.set_major_formatter(PercentFormatter(1, int(form[1]), symbol=" %"))

    # --- Lines and words of the layout

    def _placed(self, letter: str, ref: str | None, value: Any) -> tuple[float, bool] | None:
        """Return a place and whether it is a share of the panel; None if it is another panel's."""
        own = self.pair["xy".index(letter)]
        if ref in (own, None):
            at = self._at(letter, [value])[0] if isinstance(value, str) else float(value)
            log = self.axes[letter].type == "log" and not isinstance(value, str)
            return (10.0**at if log else at), False
        if ref == f"{own} domain":
            return float(value), True
        if ref == "paper" and len(self.figure.data) and self._alone():
            return float(value), True
        return None

    def _alone(self) -> bool:
        return all((t.xaxis or "x", t.yaxis or "y") == self.pair for t in self.figure.data)

    def _shapes(self, on: Axes) -> None:
        for shape in self.figure.layout.shapes:
            ends = [
                self._placed(letter, shape[f"{letter}ref"] or letter, shape[f"{letter}{k}"])
                for letter in "xy"
                for k in (0, 1)
            ]
            if any(end is None for end in ends):
                continue
            (x0, share_x), (x1, _), (y0, share_y), (y1, _) = ends  # type: ignore[misc]
            log = self.axes["x"].type == "log" and shape.type == "line"
            if log and not share_x:  # a shape has the values themselves, other than an annotation
                x0, x1 = float(shape.x0), float(shape.x1)
            color = on_paper(shape.line.color, palette.NEUTRAL.light)
            if shape.type == "line":
                where = plane(on, "x" * share_x + "y" * share_y)
                width, dash = (
                    max(0.5, _POINTS * (shape.line.width or 2)),
                    shape.line.dash or "solid",
                )
                (rule,) = on.plot((x0, x1), (y0, y1), color=color, lw=width, ls=line_style(dash))
                rule.set(transform=where, zorder=1.5, label="", clip_on=True)
            elif not (share_x or share_y):
                corners = np.array([x0, x1, x1, x0, x0]), np.array([y0, y0, y1, y1, y0])
                if shape.fillcolor:
                    _fill(on, *corners, on_paper(shape.fillcolor))
                if shape.line.width != 0:
                    draw_line(on, *corners, color, line=shape.line.dash or "solid")

    def _annotations(self, on: Axes) -> None:
        for note in self.figure.layout.annotations:
            if note.xref == "paper" and note.yref == "paper":
                continue  # titles of panels
            x = self._placed("x", note.xref or "x", note.x)
            y = self._placed("y", note.yref or "y", note.y)
            if x is None or y is None or not _plain(note.text):
                continue
            across = {"left": 1, "right": -1}.get(note.xanchor or "", 0)
            up = {"bottom": 1, "top": -1}.get(note.yanchor or "", 0)
            if note.showarrow is not False:
                up = 1 if (note.ay if note.ay is not None else -30) < 0 else -1
            color, of_panel = on_paper(note.font.color), "x" * x[1] + "y" * y[1]
            draw_words(
                on, x[0], y[0], _plain(note.text), color, across=across, up=up, of_panel=of_panel
            )


def _fill(on: Axes, x: np.ndarray, y: np.ndarray, color: str, opacity: float = 0.5) -> None:
    on.fill(x, y, color=color, alpha=opacity, lw=0, zorder=level(on, 1))


def _side(text: str, before: str, after: str) -> int:
    """Return on which side of its place a text stands: -1 before it, 1 after it."""
    return 1 if after in text else -1 if before in text else 0


def _symbols(marker: Any) -> str | list[str]:
    symbol = marker.symbol if marker.symbol is not None else "circle"
    return symbol if isinstance(symbol, str) else [str(each) for each in symbol]


def _one(value: Any) -> float:
    """Return one opacity for all points."""
    return 1.0 if value is None else float(np.max(np.asarray(value, dtype=float)))


def _error(bars: Any, n: int) -> np.ndarray | None:
    if bars.array is None or len(bars.array) != n:
        return None
    above = np.asarray(bars.array, dtype=float)
    below = above if bars.arrayminus is None else np.asarray(bars.arrayminus, dtype=float)
    return np.stack([below, above])


def _texts(trace: Any, n: int) -> list[str]:
    text = () if trace.text is None else trace.text
    return [_plain(text)] * n if isinstance(text, str) else [_plain(each) for each in text]
