r"""Figures for print, with a width in millimetres and embedded text of 8 pt.

Each panel draws on its own Matplotlib axes; constrained layout shrinks the axes until all text is
on the page. PDF files have TrueType fonts (Type 42, which journals accept), SVG files have letters
as outlines, and PNG files have 600 dots per inch. The numbers are the same as on screen.

A seen-unseen curve has lines of equal harmonic mean :math:`H` in the background:

.. math::
    s = \frac{H u}{2 u - H}, \qquad u > H / 2.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.interactive.colors import SEEN, UNSEEN
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.numbers import percent, three_digits
from zslcore.storage.extras import extra
from zslcore.version import version

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.transforms import Bbox

    from zslcore.evaluation.predictions import Predictions
    from zslcore.interactive.point_map import MapPanel as MapPanel
    from zslcore.interactive.point_map import PointMap

#: Usual widths in journals in mm: one column, one and a half columns, and a page.
WIDTHS = (84.0, 120.0, 174.0)
#: Smallest and largest accepted width in mm.
WIDTHS_MM = (40.0, 400.0)
#: Width and height in mm of a slide of 16 : 9; enlarged to a width of 13 1/3 inches, its text of 8
#: pt becomes 17 pt.
SLIDE = (160.0, 90.0)
#: Fonts included in Matplotlib; a later font supplies characters that earlier fonts lack.
FONTS = {"sans": ("DejaVu Sans",), "serif": ("STIXGeneral", "DejaVu Serif", "DejaVu Sans")}
FORMATS = ("pdf", "svg", "png")
#: Size of all text in points, and dots per inch of PNG files.
POINTS, DOTS = 8.0, 600
#: Space around panel and legend in inches, and the ``gid`` that marks texts of data points.
SPACE, AT_POINTS = 0.03, "words at points"
_MM = 1 / 25.4
#: Height of a line of text, and width of the narrowest panel next to another, in mm.
_LINE_MM, _NARROWEST = 3.8, 45.0
#: Place and weight of the title of a panel.
_TITLE: dict[str, Any] = {"loc": "left", "weight": "bold"}
INK, _GRID = "#14181C", "#D9D9D9"
_SYMBOLS = {
    "circle": "o",
    "diamond": "D",
    "square": "s",
    "triangle-up": "^",
    "triangle-down": "v",
    "triangle-left": "<",
    "triangle-right": ">",
    "x": "X",
    "x-thin": "x",
    "cross": "P",
    "cross-thin": "+",
    "hexagon": "h",
    "star": "*",
    "line-ns": "|",
    "line-ew": "_",
}
_LINES = {"dash": "--", "dot": ":"}
#: Label of marks without an entry in the legend.
NO_ENTRY = "_nolegend_"
_LOCK = Lock()  # settings of Matplotlib are global to the process


@dataclass(frozen=True, slots=True)
class Panel:
    """Panel with a drawing function; ``square`` axes have equal units, ``name`` is for menus."""

    draw: Callable[[Axes], None]
    title: str = ""
    square: bool = False
    name: str = ""


def print_figure(
    *panels: Panel,
    width_mm: float = 84.0,
    height_mm: float | None = None,
    font: str = "sans",
    form: str = "pdf",
    title: str = "",
) -> bytes:
    """Return panels as a file for print, with the title in its metadata.

    Several panels stand side by side, or below each other if the file is narrow.

    Without ``height_mm``, the page is as high as its contents. With ``height_mm``, for example for
    a slide, it has this size; if the names of rows need more height, it is enlarged in proportion.

    Raises ParameterError for a width outside :data:`WIDTHS_MM`, UnknownNameError for an unknown
    font or format, and MissingExtraError without Matplotlib.
    """
    if form not in FORMATS:
        raise closest_name("print format", form, FORMATS)
    figure, settings = draw_panels(*panels, width_mm=width_mm, height_mm=height_mm, font=font)
    page = page_bounds(figure) if height_mm is None else None
    metadata: dict[str, Any] = {"Title": title, "Creator": f"zslcore {version()}"}
    if form == "pdf":
        metadata["CreationDate"] = None  # so that equal figures have equal bytes
    elif form == "svg":
        metadata["Date"] = None
    else:
        metadata = {"Software": metadata["Creator"]}
    out = BytesIO()
    with _matplotlib_settings(settings):
        figure.savefig(out, format=form, dpi=DOTS, metadata=metadata, bbox_inches=page)
    return out.getvalue()


def page_bounds(figure: Figure) -> Bbox:
    """Return the page in inches: the width of the figure, and the height of its contents."""
    from matplotlib.transforms import Bbox

    contents = figure.get_tightbbox()
    return Bbox([[0, contents.y0 - SPACE], [figure.get_figwidth(), contents.y1 + SPACE]])


def draw_panels(
    *panels: Panel, width_mm: float = 84.0, height_mm: float | None = None, font: str = "sans"
) -> tuple[Figure, dict[str, Any]]:
    """Return panels as a Matplotlib figure, and the settings for saving it."""
    if not WIDTHS_MM[0] <= width_mm <= WIDTHS_MM[1]:
        raise ParameterError(
            f"width_mm: expected millimetres from {WIDTHS_MM[0]:g} to {WIDTHS_MM[1]:g}; got "
            f"{width_mm!r}."
        )
    if font not in FONTS:
        raise closest_name("print font", font, FONTS)
    with extra("print", "matplotlib", "A figure for print"):
        from matplotlib.figure import Figure

    settings = _settings(font)
    with _matplotlib_settings(settings):
        figure = Figure(figsize=(width_mm * _MM, (height_mm or width_mm) * _MM))
        figure.set_layout_engine("constrained", w_pad=SPACE, h_pad=SPACE)
        target: Figure | SubFigure = figure
        of_legend, loc = target, "outside upper left"
        square = any(panel.square for panel in panels)
        if square and height_mm is not None and width_mm > height_mm:
            share = min(1.1 * height_mm / width_mm, 0.7)  # width of the panel with its labels
            both: Any = figure.subfigures(1, 2, width_ratios=(share, 1 - share))
            (target, of_legend), loc = both, "center left"
        columns = len(panels) if width_mm >= _NARROWEST * len(panels) else 1
        every = target.subplots(len(panels) // columns, columns, squeeze=False).ravel().tolist()
        for panel, axes in zip(panels, every, strict=True):
            panel.draw(axes)
            axes.spines[["top", "right"]].set_visible(False)
            axes.set_axisbelow(True)
            if panel.square:
                anchor = "N" if height_mm is None else "C"  # unused height is cut off later
                axes.set_aspect("equal", adjustable="box", anchor=anchor)
            title = _wrap(panel.title, int(0.62 * _letters(_width_mm(target) / columns)))
            axes.set_title(title, **_TITLE)
        names = _write_legend(of_legend, every, _letters(_width_mm(of_legend)), loc)
        if height_mm is None:
            heights = [
                _height(axes, panel, width_mm / columns)
                for panel, axes in zip(panels, every, strict=True)
            ]
            height = max(heights) if columns > 1 else sum(heights)
            figure.set_figheight((height + _LINE_MM * _n_lines(names)) * _MM)
        else:
            names_of_x = 1.5 * max(
                len(word) for axes in every for word in ["", *_words_of(axes.xaxis)]
            )
            of_rows = max(map(_height_of_rows, every)) * len(every) / columns
            scale = max(1.0, of_rows / height_mm, (names_of_x + 60) / height_mm)
            figure.set_size_inches(scale * width_mm * _MM, scale * height_mm * _MM)
        figure.draw_without_rendering()  # final layout, for measurements
        if columns > 1:  # a title starts at its axes, right of the names of the rows
            for panel, axes in zip(panels, every, strict=True):
                width = axes.get_window_extent().width / figure.dpi / _MM
                axes.set_title(_wrap(panel.title, int(0.7 * _letters(width))), **_TITLE)
            figure.draw_without_rendering()
        for axes in every:
            _hide_overlapping(axes)
            _shift_into_page(axes, figure)
    return figure, settings


def _shift_into_page(axes: Axes, figure: Figure) -> None:
    """Shift notes left if they would be cut off at the right edge of the page."""
    from matplotlib.text import Annotation

    for note in axes.texts:
        excess = note.get_window_extent().x1 - figure.bbox.x1
        if excess > 0 and isinstance(note, Annotation):  # placed in points
            across, up = note.get_position()
            note.set_position((across - 72 * (excess / figure.dpi + SPACE), up))


def _hide_overlapping(axes: Axes) -> None:
    """Hide all texts of data points if any two overlap: showing only some would mislead."""
    words = [text for text in axes.texts if text.get_gid() == AT_POINTS]
    boxes = [text.get_window_extent() for text in words]
    if any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k]):
        for text in words:
            text.set_visible(False)


def _settings(font: str) -> dict[str, Any]:
    sizes = ("font", "axes.title", "axes.label", "xtick.label", "ytick.label", "legend.font")
    return {
        **{f"{name}size" if "." in name else f"{name}.size": POINTS for name in sizes},
        "font.family": list(FONTS[font]),
        "pdf.fonttype": 42,
        "svg.fonttype": "path",
        "svg.hashsalt": "zslcore",
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "hatch.linewidth": 0.5,
        "axes.unicode_minus": True,
    }


class _matplotlib_settings:  # noqa: N801 - reads as a word of a with statement
    """Context that sets Matplotlib's settings, for one figure at a time."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def __enter__(self) -> None:
        import matplotlib as mpl

        _LOCK.acquire()
        self.context = mpl.rc_context(self.settings)
        self.context.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.context.__exit__(*error)
        _LOCK.release()


def _n_lines(texts: Sequence[str]) -> int:
    return sum(len(text.splitlines()) for text in texts)


def _height(axes: Axes, panel: Panel, width_mm: float) -> float:
    """Return a height of a panel in mm that suits its width, with room for names and title."""
    title = axes.get_title(loc="left")
    if panel.square:
        return 1.6 * width_mm + _LINE_MM * _n_lines([title])
    height = width_mm * 0.72
    if _need_vertical_labels(words := _words_of(axes.xaxis), width_mm):
        height += 1.5 * max(map(len, words))
    height = max(height, _height_of_rows(axes))
    return height + _LINE_MM * _n_lines([title, axes.get_xlabel()])


def _height_of_rows(axes: Axes) -> float:
    """Return the height in mm that the names of rows need."""
    return 4.2 * len(_words_of(axes.yaxis)) + 20


def _words_of(axis: Any) -> list[str]:
    """Return the text labels of an axis; none for an axis of numbers."""
    from matplotlib.ticker import FixedLocator

    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    words: list[str] = axis.get_major_formatter().format_ticks(axis.get_majorticklocs())
    return words


def _letters(width_mm: float) -> int:
    """Return the number of characters of 8 pt that fit on a line of this width."""
    return int(width_mm / 1.55)


def _wrap(text: str, letters: int) -> str:
    """Wrap a text into lines, without a break before a percent sign or after γ or H."""
    return textwrap.fill(re.sub(r" (?=%)|(?<=\b[γH]) ", "\u00a0", text), max(10, letters))


def _need_vertical_labels(words: Sequence[str], width_mm: float) -> bool:
    """Return whether labels below the panel must be vertical, since horizontal ones would touch."""
    return sum(len(word) + 2 for word in words) * 1.6 > 0.7 * width_mm


def _width_mm(target: Figure | SubFigure) -> float:
    return _mm(target.bbox.width, target)


def _mm(pixels: float, target: Figure | SubFigure) -> float:
    return float(pixels / target.dpi / _MM)


def _write_legend(
    target: Figure | SubFigure, every: Sequence[Axes], letters: int, loc: str
) -> list[str]:
    """Draw the legend in as many columns as fit; return its labels."""
    handles: dict[str, Any] = {}
    for axes in every:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if not handles:
        return []
    wrapped = [_wrap(name, letters - 8) for name in handles]
    longest = max(len(line) for name in wrapped for line in name.splitlines())
    columns = max(1, min(len(handles), letters // (longest + 6)))
    target.legend(
        list(handles.values()),
        wrapped,
        loc=loc,
        ncols=columns,
        frameon=False,
        borderpad=0.1,
        handlelength=1.6,
        columnspacing=1.0,
        labelspacing=0.3,
    )
    return wrapped


# --- Drawing on axes ------------------------------------------------------------------------------


def level(axes: Axes, lowest: float) -> float:
    """Return the ``zorder`` of the next mark, above all earlier marks of this level."""
    return lowest + len([*axes.lines, *axes.collections, *axes.patches]) / 1e6


def draw_line(
    axes: Axes,
    x: Any,
    y: Any,
    color: str,
    name: str = "",
    line: str = "solid",
    panel_axes: str = "",
    **look: Any,
) -> None:
    """Draw a line; its style is "solid", "dash", "dot", or lengths in pixels such as "6 4".

    ``look`` are options of ``Axes.plot``; ``panel_axes`` is as in :func:`plane`.
    """
    style: Any = _LINES.get(line, "-")
    if line[:1].isdigit():
        style = (0, tuple(float(length) / 2 for length in line.split()))
    look = {"zorder": level(axes, 2), "lw": 1.0, "transform": plane(axes, panel_axes)} | look
    axes.plot(x, y, color=color, ls=style, label=name or NO_ENTRY, **look)


def draw_bars(
    axes: Axes,
    low: Any,
    length: Any,
    width: float,
    start: Any,
    color: Any,
    name: str = "",
    *,
    hatch: Any = "",
    horizontal: bool = False,
) -> None:
    """Draw vertical or ``horizontal`` bars, with hatches such as "/" or "x".

    A bar is ``width`` thick, from its edge ``low``, and extends from ``start`` by ``length``.
    """
    hatches = [pattern * 3 or None for pattern in np.broadcast_to(hatch, len(low)).tolist()]
    look: dict[str, Any] = {"hatch": hatches, "linewidth": 0, "zorder": level(axes, 2)}
    look |= {"color": color, "label": name or NO_ENTRY}
    look["edgecolor"] = ["white" if pattern else "none" for pattern in hatches]
    if horizontal:
        axes.barh(low, length, width, start, align="edge", **look)
    else:
        axes.bar(low, length, width, start, align="edge", **look)


def draw_cells(
    axes: Axes,
    x: Any,
    y: Any,
    z: np.ndarray,
    scale: Sequence[tuple[float, str]],
    *,
    limits: tuple[float | None, float | None] = (None, None),
    texts: Sequence[Sequence[str]] = (),
    bar: bool = True,
    percent: int | None = None,
) -> None:
    """Draw a cell for every value of ``z``, shape (len(y), len(x)), with its text.

    ``scale`` lists colours at positions from 0 to 1 between ``limits``, by default the range of
    values; ``percent`` is the number of decimals on the colour ``bar``.
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import PercentFormatter

    colors, values = LinearSegmentedColormap.from_list("of print", scale), np.ma.masked_invalid(z)
    look: dict[str, Any] = dict(zip(("vmin", "vmax"), limits, strict=True))
    mesh = axes.pcolormesh(x, y, values, cmap=colors, shading="nearest", **look)
    for at, row, words in zip(y, z, texts, strict=False):
        for column, value, text in zip(x, row, words, strict=True):
            if text and np.isfinite(value):
                red, green, blue, _ = mesh.to_rgba(value)
                ink = INK if 0.3 * red + 0.6 * green + 0.1 * blue > 0.55 else "white"
                axes.text(column, at, text, color=ink, ha="center", va="center")
    if bar:
        written = None if percent is None else PercentFormatter(1, percent, symbol=" %")
        strip = axes.figure.colorbar(mesh, ax=axes, fraction=0.06, pad=0.02, format=written)
        strip.outline.set_visible(False)


def draw_rectangle(
    axes: Axes, x: Any, y: Any, color: str, opacity: float = 1.0, *, panel_axes: str = ""
) -> None:
    """Draw a rectangle below all marks, between two values of x and two values of y."""
    (left, right), (low, high), where = x, y, plane(axes, panel_axes)
    corners = [left, right, right, left], [low, low, high, high]
    axes.fill(*corners, color=color, alpha=opacity, lw=0, zorder=level(axes, 1), transform=where)


def draw_errors(axes: Axes, x: Any, y: Any, color: str, **errors: Any) -> None:
    """Draw error bars; ``xerr`` and ``yerr`` are (2, n), lengths below and above, or None.

    A point has no error bar if both lengths are NaN.
    """
    for which, error in errors.items():
        if error is not None:
            has_error = np.isfinite(error).any(axis=0)
            lengths: dict[str, Any] = {which: np.nan_to_num(error[:, has_error])}
            axes.errorbar(
                np.asarray(x)[has_error],
                np.asarray(y)[has_error],
                fmt="none",
                ecolor=color,
                elinewidth=0.8,
                capsize=1.5,
                **lengths,
            )


def draw_symbols(
    axes: Axes,
    x: Any,
    y: Any,
    color: Any,
    name: str = "",
    *,
    symbol: Any,
    size: Any,
    opacity: float = 1.0,
) -> None:
    """Draw points, with one collection per symbol.

    Colour, symbol (such as "diamond" or "diamond-open") and size (in points) are single values for
    all points, or have one value per point.
    """
    symbols, colors, sizes = (np.broadcast_to(values, len(x)) for values in (symbol, color, size))
    zorder = level(axes, 3)
    for number, value in enumerate(dict.fromkeys(symbols.tolist())):
        has_symbol = symbols == value
        shape = _SYMBOLS.get(value.removesuffix("-open").removesuffix("-dot"), "o")
        thin, hollow = shape in ("x", "+", "|", "_"), value.endswith("-open")
        edge = {} if thin else {"edgecolors": colors[has_symbol].tolist()}
        axes.scatter(
            np.asarray(x)[has_symbol],
            np.asarray(y)[has_symbol],
            s=sizes[has_symbol] ** 2,
            marker=shape,
            c="white" if hollow and not thin else colors[has_symbol].tolist(),
            linewidths=0.8 if hollow or thin else 0.0,
            alpha=opacity,
            zorder=zorder,
            rasterized=len(x) > 8_000,
            label="" if number else name or NO_ENTRY,
            **edge,
        )


def draw_texts(axes: Axes, x: Any, y: Any, texts: Sequence[str]) -> None:
    """Write a text above each point; all are hidden if any two overlap."""
    if len(texts) <= 1.2 * _width_mm(axes.figure):
        for *position, text in zip(x, y, texts, strict=False):
            if text and np.isfinite(position).all():
                at: Any = tuple(position)
                words = axes.annotate(text, at, (0, 3), textcoords="offset points", ha="center")
                words.set_gid(AT_POINTS)


def draw_words(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    color: str = INK,
    *,
    across: int = 0,
    up: int = 0,
    panel_axes: str = "",
) -> None:
    """Write a text next to a position; ``across`` and ``up`` (-1, 0 or 1) choose the side."""
    axes.annotate(
        text,
        (x, y),
        (3 * across, 3 * up),
        xycoords=plane(axes, panel_axes),
        textcoords="offset points",
        color=color,
        ha=("right", "center", "left")[across + 1],
        va=("top", "center", "bottom")[up + 1],
    )


def plane(axes: Axes, panel_axes: str) -> Any:
    """Return the transform of positions.

    Along the axes named in ``panel_axes`` ("x", "y" or "xy"), positions are shares of the panel;
    along other axes, they are data values.
    """
    if panel_axes == "xy":
        return axes.transAxes
    if panel_axes == "x":
        return axes.get_yaxis_transform()
    return axes.get_xaxis_transform() if panel_axes == "y" else axes.transData


def set_axis(
    axes: Axes,
    letter: str,
    title: str = "",
    *,
    limits: Sequence[float] | None = None,
    percent: int | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    reverse: bool = False,
    grid: bool = False,
) -> None:
    """Set up an axis after everything is drawn; ``percent`` is the number of decimals.

    ``ticks`` are positions with labels, or None for numbers. Labels below the panel are vertical if
    horizontal ones would touch. If vertical labels have no room either, they are left out, and an
    axis without a title shows their number.
    """
    from matplotlib.ticker import PercentFormatter

    axis, width_mm = getattr(axes, f"{letter}axis"), _width_mm(axes.figure)
    if percent is not None:
        axis.set_major_formatter(PercentFormatter(1, percent, symbol=" %"))
    if letter == "x" and ticks:
        if 3.3 * len(ticks) > 0.72 * width_mm:
            ticks, title = [], title or f"{len(ticks)} names, too many for this width"
        elif _need_vertical_labels([word for _, word in ticks], width_mm):
            axes.tick_params("x", rotation=90)
    if ticks is not None:
        axis.set_ticks([at for at, _ in ticks], [word for _, word in ticks])
    if limits is not None:
        getattr(axes, f"set_{letter}lim")(*limits)
    if reverse:
        axis.set_inverted(inverted=True)
    if grid:
        axis.grid(visible=True, color=_GRID, linewidth=0.5)
    length = width_mm if letter == "x" else _mm(axes.figure.bbox.height, axes.figure)
    axis.set_label_text(_wrap(title, int(0.6 * _letters(min(length, width_mm)))))


#: Number of layers of points on a map.
_LAYERS = 8
#: (maximum number of points on a map, size of a point).
_SIZES = ((5_000, 2.2), (30_000, 1.5), (np.inf, 0.9))
#: Values of the harmonic mean with a line in the background.
LEVELS = (0.2, 0.4, 0.6, 0.8)


def curve_panel(curves: InteractiveCurve) -> Panel:
    """Return the panel of seen over unseen accuracy, with all named gammas."""
    return Panel(partial(_draw_curves, curves), square=True)


def _draw_curves(curves: InteractiveCurve, axes: Axes) -> None:
    for H in LEVELS:
        u = np.linspace(H / (2 - H), 1, 200)
        s = H * u / (2 * u - H)
        draw_line(axes, u, s, "#BFC5CD", lw=0.5)
        words = f"H {percent(H, 0)}"
        draw_words(axes, 1.02, float(s[-1]), words, "#6B6B6B", across=1)
    for line in curves.lines:
        look, curve, name = curves.looks[line.look], line.curve, line.name
        if "AUSUC" not in name:
            name += f", AUSUC {percent(curve.ausuc)}"
        dash = look.dash or "solid"
        draw_line(axes, curve.unseen, curve.seen, look.light, name, dash, lw=1.2)
    for stop in curves.lines[0].stops:
        point, look = curves.lines[0].curve.at(stop.gamma), curves.looks[stop.look]
        name = f"{stop.name}: γ {three_digits(stop.gamma)}, H {percent(point.harmonic)}"
        symbol = {"circle": "circle-open", "x": "x-thin"}.get(look.symbol, look.symbol)
        at = [point.unseen], [point.seen]
        draw_symbols(axes, *at, look.light, name, symbol=symbol, size=5.0)
    for letter, side, sign in (("x", curves.sides[1], "u"), ("y", curves.sides[0], "s")):
        title = f"accuracy on {side} classes {sign}"
        set_axis(axes, letter, title, limits=(-0.02, 1.02), percent=0)


def map_panels(point_map: PointMap) -> list[Panel]:
    """Return the panels of a map: all points in the colours of its palette."""
    return [
        Panel(partial(_draw_map, point_map, panel), panel.title, square=True)
        for panel in point_map.panels
    ]


def _draw_map(point_map: PointMap, panel: MapPanel, axes: Axes) -> None:
    """Draw the entries of the legend, then the points, in layers that mix categories."""
    named = [(category, category.label) for category in point_map.palette]
    if point_map.legend == "scale":
        named = [(point_map.palette[k], point_map.ends[k]) for k in (0, -1)]
    for entry, label in named if point_map.legend != "none" else ():
        draw_symbols(axes, [np.nan], [np.nan], entry.color, label, symbol=entry.symbol, size=4.0)
    category, n = point_map.category[panel.image], len(panel.image)
    size = next(points for most, points in _SIZES if n <= most)
    for layer in np.array_split(np.random.default_rng(0).permutation(n), _LAYERS):
        looks = [point_map.palette[c] for c in category[layer]]
        colors, symbols = [look.color for look in looks], [look.symbol for look in looks]
        x, y = panel.xy[layer].T
        draw_symbols(axes, x, y, colors, symbol=symbols, size=size, opacity=0.85)
    for letter in "xy":
        set_axis(axes, letter, ticks=[])


def prediction_panel(predictions: Predictions, name: str) -> Panel:
    """Return one panel of predictions by its name in :data:`PANELS`.

    Raises UnknownNameError for any other name, and DatasetError if all test images belong to unseen
    classes, since predictions then have no curve.
    """
    if name not in PANELS:
        raise closest_name("print panel", name, PANELS)
    if not predictions.test.generalized:
        raise DatasetError(
            f"{predictions.title}: no curve, all test images belong to unseen classes."
        )
    return PANELS[name](predictions)


def _curve(predictions: Predictions) -> Panel:
    origin = predictions.provenance.gamma_origin if predictions.gamma is not None else None
    line = line_of(
        predictions.title, predictions.test.curve, "harmonic", predictions.gamma, 0.0, origin
    )
    return curve_panel(InteractiveCurve([line]))


def _classes(predictions: Predictions) -> Panel:
    return Panel(partial(_draw_classes, predictions))


def _draw_classes(predictions: Predictions, axes: Axes) -> None:
    """Draw the accuracy of each class at gamma as a bar, and at gamma 0 as a mark, best first."""
    from zslcore.analysis.confusion import per_class_table

    gamma = predictions.gamma or 0.0
    table = per_class_table(
        predictions.test, {"plain": 0.0, "calibrated": gamma}, predictions.class_names
    )
    order = table.sort_values(["side", "calibrated"], ascending=[True, False], kind="stable")
    position = np.arange(len(order))
    for side, hue, symbol in (("seen", SEEN, "circle-open"), ("unseen", UNSEEN, "diamond-open")):
        on_side = (order["side"] == side).to_numpy()
        at, plain, length = position[on_side], order["plain"][on_side], order["calibrated"][on_side]
        name = f"{side}, γ {three_digits(gamma)}"
        draw_bars(axes, at - 0.375, length, 0.75, 0.0, hue.light, name)
        draw_symbols(axes, at, plain, hue.light, f"{side}, γ 0", symbol=symbol, size=4.0)
    words = list(zip(position.astype(float), order["class"], strict=True))
    ticks = words if len(words) <= MOST_NAMES else []
    title = "" if ticks else f"{len(words)} classes"
    set_axis(axes, "x", title, limits=(-0.6, len(position) - 0.4), ticks=ticks)
    set_axis(axes, "y", "accuracy", limits=(0.0, 1.03), percent=0, grid=True)


#: Largest number of class names next to each other on 84 mm.
MOST_NAMES = 24
#: Panels of predictions by name.
PANELS: dict[str, Callable[[Predictions], Panel]] = {"curve": _curve, "classes": _classes}
