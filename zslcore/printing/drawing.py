"""A panel as PDF, SVG or PNG: exact width, 8 pt text in embedded fonts, nothing cut off.

Matplotlib's constrained layout shrinks the axes until all text lies on the page. PDF has TrueType
fonts (Type 42, which journals accept), SVG the outlines of its letters, PNG 600 dots per inch.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import ParameterError, closest_name
from zslcore.printing.panel import Area, Axis, Bars, Cells, Panel, Points, Rule, Words
from zslcore.storage.extras import extra
from zslcore.version import version

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Widths of a column, of one and a half, and of a page, as journals ask for.
WIDTHS = (84.0, 120.0, 174.0)
#: Smallest and largest width in mm.
WIDTHS_MM = (40.0, 400.0)
#: Fonts that come with Matplotlib; the second has the signs that the first lacks.
FONTS = {"sans": ("DejaVu Sans",), "serif": ("STIXGeneral", "DejaVu Serif", "DejaVu Sans")}
FORMATS = ("pdf", "svg", "png")
#: Size of all text in points, and dots per inch of a PNG.
POINTS, DOTS = 8.0, 600
#: Inches around panel and legend, and the name of words at points.
SPACE, AT_POINTS = 0.03, "words at points"
#: Times that a height is corrected, at most.
MOST_TRIMS = 6
_MM = 1 / 25.4
_INK, _GRID = "#14181C", "#D9D9D9"
_SYMBOLS = {
    "circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "triangle-down": "v",
    "triangle-left": "<", "triangle-right": ">", "x": "X", "x-thin": "x", "cross": "P",
    "cross-thin": "+", "hexagon": "h", "star": "*", "line-ns": "|", "line-ew": "_",
}  # fmt: skip
_LINES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": "--"}
_WHISKERS: dict[str, Any] = {"fmt": "none", "elinewidth": 0.8, "capsize": 1.5}
_LOCK = Lock()  # Matplotlib's settings are those of the process


def print_figure(
    panel: Panel, *, width_mm: float = 84.0, font: str = "sans", form: str = "pdf", title: str = ""
) -> bytes:
    """Return a panel as a file for print.

    Raises ParameterError for a width outside the limits; UnknownNameError for another font or
    format; names the nearest; MissingExtraError without Matplotlib.

    Parameters
    ----------
    width_mm : width of the page in millimetres, 40 to 400
    font : of :data:`FONTS`
    form : of :data:`FORMATS`
    title : in the properties of the file, as a PDF and an SVG have them
    """
    if form not in FORMATS:
        raise closest_name("format of a figure for print", form, FORMATS)
    figure, settings = drawn(panel, width_mm=width_mm, font=font)
    about: dict[str, Any] = {"Title": title, "Creator": f"zslcore {version()}"}
    if form == "pdf":
        about["CreationDate"] = None  # the same figure is the same bytes
    elif form == "svg":
        about["Date"] = None
    else:
        about = {"Software": about["Creator"]}
    out = BytesIO()
    with _settled(settings):
        figure.savefig(out, format=form, dpi=DOTS, metadata=about)
    return out.getvalue()


def drawn(
    panel: Panel, *, width_mm: float = 84.0, font: str = "sans"
) -> tuple[Figure, dict[str, Any]]:
    """Return a panel as a figure of Matplotlib, and the settings to save it with.

    Parameters
    ----------
    panel, width_mm, font : as :func:`print_figure` takes them
    """
    if not WIDTHS_MM[0] <= width_mm <= WIDTHS_MM[1]:
        raise ParameterError(
            f"width_mm: expected millimetres from {WIDTHS_MM[0]:g} to {WIDTHS_MM[1]:g}; got "
            f"{width_mm!r}."
        )
    if font not in FONTS:
        raise closest_name("font of a figure for print", font, FONTS)
    with extra("print", "matplotlib", "A figure for print"):
        from matplotlib.figure import Figure

    settings = _settings(font)
    letters = _letters(width_mm)
    with _settled(settings):
        panel = replace(panel, x=_fitting(panel.x, width_mm))
        figure = Figure(figsize=(width_mm * _MM, _height(panel, width_mm) * _MM))
        figure.set_layout_engine("constrained", w_pad=SPACE, h_pad=SPACE)
        axes = figure.add_subplot()
        for order, mark in enumerate(panel.marks):
            _MARKS[type(mark)](axes, mark, order)
        _write_axes(axes, panel, letters)
        _write_legend(figure, axes, letters)
        figure.draw_without_rendering()  # the layout stands, and anyone can measure it
        if panel.square:
            _trim(figure, axes)
        _thin(axes)
    return figure, settings


def _trim(figure: Figure, axes: Axes) -> None:
    """Take away the height that a square panel leaves: its side follows from the width."""
    for _ in range(MOST_TRIMS):  # the layout answers in proportion only
        top = figure.legends[0].get_window_extent().y0 if figure.legends else figure.bbox.y1
        own = axes.get_tightbbox()
        if own is None:
            return
        gaps = top - own.y1, own.y0
        spare = sum(gaps) / figure.dpi - 2 * SPACE
        if min(gaps) >= 0 and abs(spare) < 0.1 * SPACE:
            return
        figure.set_figheight(figure.get_figheight() - spare)
        figure.draw_without_rendering()


def _thin(axes: Axes) -> None:
    """Hide the words at points where some lie on others: all of them, as some would mislead."""
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


class _settled:  # noqa: N801 - reads as a word of a with statement
    """Hold Matplotlib's settings, for one figure at a time."""

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


def _height(panel: Panel, width_mm: float) -> float:
    """Return the height in mm: that of a golden rectangle, more where rows or names need it."""
    height = width_mm * (0.95 if panel.square else 0.72)
    for axis in (panel.x, panel.y):
        longest = max((len(word) for _, word in axis.ticks or ()), default=0)
        if axis is panel.y:
            height = max(height, 4.2 * len(axis.ticks or ()) + 20)
        elif _upright(panel, width_mm):
            height += 1.5 * longest
    letters = _letters(width_mm)
    named = {name for mark in panel.marks if (name := getattr(mark, "name", ""))}
    lines = sum(len(_wrapped(name, letters - 8).splitlines()) for name in named)
    lines += len(_wrapped(panel.title, int(0.62 * letters)).splitlines())
    lines += len(_wrapped(panel.x.title, int(0.6 * letters)).splitlines())
    return height + 3.8 * lines


def _letters(width_mm: float) -> int:
    """Return how many letters of 8 pt fit in a line of the page."""
    return int(width_mm / 1.55)


def _wrapped(text: str, letters: int) -> str:
    """Return a text in lines; no number is parted from its unit."""
    return textwrap.fill(text.replace(" %", "\u00a0%"), max(16, letters))


def _upright(panel: Panel, width_mm: float) -> bool:
    """Return whether the words under the panel stand upright, because they would touch."""
    words = [word for _, word in panel.x.ticks or ()]
    return sum(len(word) + 2 for word in words) * 1.6 > 0.7 * width_mm


def _fitting(axis: Axis, width_mm: float) -> Axis:
    """Return an axis under the panel whose words fit, upright if need be; else their number."""
    n = len(axis.ticks or ())
    if 3.3 * n <= 0.72 * width_mm:
        return axis
    return replace(axis, ticks=(), title=axis.title or f"{n} names, too many for this width")


def _line_of(line: str) -> Any:
    if line[:1].isdigit():
        return (0, tuple(float(length) / 2 for length in line.split()))
    return _LINES.get(line, "-")


# --- Marks ----------------------------------------------------------------------------------------


def _points(axes: Axes, mark: Points, order: int) -> None:
    one = mark.color if isinstance(mark.color, str) else _INK
    if mark.line:
        (line,) = axes.plot(mark.x, mark.y, color=one, lw=mark.width, ls=_line_of(mark.line))
        line.set(zorder=2 + order / 100, alpha=mark.opacity, gid=f"line {order}")
        line.set_drawstyle("steps-post" if mark.steps else "default")
        line.set_label("" if mark.symbol else _entry(mark.name))
    for error, which in ((mark.x_error, "xerr"), (mark.y_error, "yerr")):
        if error is not None:
            bars: dict[str, Any] = {which: np.nan_to_num(error)}
            axes.errorbar(
                mark.x, mark.y, fmt="none", ecolor=one, elinewidth=0.8, capsize=1.5, **bars
            )
    if mark.symbol:
        _symbols(axes, mark, order)
    room = 1.2 * _width_mm(axes)
    for x, y, text in zip(mark.x, mark.y, mark.texts, strict=False):
        if text and len(mark.texts) <= room and np.isfinite([x, y]).all():
            at: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
            axes.annotate(text, (x, y), (0, 3), **at).set_gid(AT_POINTS)


def _symbols(axes: Axes, mark: Points, order: int) -> None:
    """Draw the points, one collection for each of their symbols."""
    n = len(mark.x)
    symbols = np.array([mark.symbol] * n if isinstance(mark.symbol, str) else mark.symbol)
    colors = np.array([mark.color] * n if isinstance(mark.color, str) else mark.color)
    sizes = np.broadcast_to(mark.size, n)
    for place, symbol in enumerate(dict.fromkeys(symbols.tolist())):
        own = symbols == symbol
        shape = _SYMBOLS.get(symbol.removesuffix("-open").removesuffix("-dot"), "o")
        thin = shape in ("x", "+", "|", "_")
        hollow = symbol.endswith("-open")
        edge = {} if thin else {"edgecolors": colors[own].tolist()}
        made = axes.scatter(
            np.asarray(mark.x)[own],
            np.asarray(mark.y)[own],
            s=sizes[own] ** 2,
            marker=shape,
            c="white" if hollow and not thin else colors[own].tolist(),
            linewidths=0.8 if hollow or thin else 0.0,
            alpha=mark.opacity,
            zorder=3 + order / 100,
            rasterized=n > 8_000,
            label="" if place else _entry(mark.name),
            **edge,
        )
        made.set_gid(f"points {order}")


def _width_mm(axes: Axes) -> float:
    return float(axes.figure.bbox.width / axes.figure.dpi / _MM)


def _bars(axes: Axes, mark: Bars, order: int) -> None:
    draw: Callable[..., Any] = axes.barh if mark.level else axes.bar
    start = {"left" if mark.level else "bottom": mark.base}
    size = {"height" if mark.level else "width": mark.thickness}
    color = mark.color if isinstance(mark.color, str) else list(mark.color)
    hatch = mark.hatch if isinstance(mark.hatch, str) else list(mark.hatch)
    hatches = hatch * 3 if isinstance(hatch, str) else [each * 3 for each in hatch]
    made = draw(mark.place, mark.length, color=color, zorder=2 + order / 100, **start, **size)
    for k, bar in enumerate(made):
        pattern = hatches if isinstance(hatches, str) else hatches[k]
        bar.set(hatch=pattern or None, edgecolor="white" if pattern else "none", linewidth=0)
        bar.set_gid(f"bar {order}")
    made.set_label(_entry(mark.name))
    if mark.error is not None:
        end, error = mark.base + mark.length, np.nan_to_num(mark.error)
        which: dict[str, Any] = {"xerr" if mark.level else "yerr": error}
        x, y = (end, mark.place) if mark.level else (mark.place, end)
        axes.errorbar(x, y, **which, ecolor=_INK, **_WHISKERS)


def _cells(axes: Axes, mark: Cells, order: int) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import PercentFormatter

    colors = LinearSegmentedColormap.from_list("of print", list(mark.colors))
    low, high = mark.limits
    z = np.ma.masked_invalid(np.asarray(mark.z, dtype=float))
    made = axes.pcolormesh(mark.x, mark.y, z, cmap=colors, vmin=low, vmax=high, shading="nearest")
    made.set_gid(f"cells {order}")
    for row, texts in zip(range(len(mark.y)), mark.texts, strict=False):
        for column, text in enumerate(texts):
            if not text or z[row, column] is np.ma.masked:
                continue
            red, green, blue, _ = colors((float(z[row, column]) - low) / ((high - low) or 1))
            light = 0.3 * red + 0.6 * green + 0.1 * blue > 0.55
            ink = _INK if light else "white"
            axes.text(mark.x[column], mark.y[row], text, color=ink, ha="center", va="center")
    if mark.scale and axes.figure is not None:
        bar = axes.figure.colorbar(made, ax=axes, fraction=0.06, pad=0.02, label=mark.title)
        bar.outline.set_visible(False)
        if mark.percent is not None:
            bar.ax.yaxis.set_major_formatter(PercentFormatter(1, mark.percent, symbol=" %"))


def _area(axes: Axes, mark: Area, order: int) -> None:
    (made,) = axes.fill(mark.x, mark.y, color=mark.color, alpha=mark.opacity, lw=0)
    made.set(zorder=1 + order / 100, gid=f"area {order}", label=_entry(mark.name))


def _rule(axes: Axes, mark: Rule, order: int) -> None:
    (made,) = axes.plot(mark.x, mark.y, color=mark.color, lw=mark.width, ls=_line_of(mark.line))
    made.set(transform=_plane(axes, mark.of_panel), zorder=1.5, label="", clip_on=True)
    made.set_gid(f"rule {order}")


def _words(axes: Axes, mark: Words, order: int) -> None:
    made = axes.annotate(
        mark.text,
        (mark.x, mark.y),
        (3 * mark.across, 3 * mark.up),
        xycoords=_plane(axes, mark.of_panel),
        textcoords="offset points",
        color=mark.color,
        ha=("right", "center", "left")[mark.across + 1],
        va=("top", "center", "bottom")[mark.up + 1],
    )
    made.set_gid(f"words {order}")


def _plane(axes: Axes, of_panel: str) -> Any:
    """Return the coordinates of a rule or a text: data, or shares of the panel."""
    if of_panel == "xy":
        return axes.transAxes
    if of_panel == "x":
        return axes.get_yaxis_transform()
    return axes.get_xaxis_transform() if of_panel == "y" else axes.transData


_MARKS: dict[type, Callable[..., None]] = {
    Points: _points,
    Bars: _bars,
    Cells: _cells,
    Area: _area,
    Rule: _rule,
    Words: _words,
}


# --- Axes and legend ------------------------------------------------------------------------------


def _entry(name: str) -> str:
    return name or "_nolegend_"


def _write_axes(axes: Axes, panel: Panel, letters: int) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if panel.square:
        axes.set_aspect("equal", adjustable="box")
    for letter, axis in (("x", panel.x), ("y", panel.y)):
        own = getattr(axes, f"{letter}axis")
        getattr(axes, f"set_{letter}scale")(axis.scale)
        if axis.percent is not None:
            own.set_major_formatter(PercentFormatter(1, axis.percent, symbol=" %"))
        if axis.ticks is not None:
            own.set_ticks([at for at, _ in axis.ticks], [word for _, word in axis.ticks])
        if axis.limits is not None:
            getattr(axes, f"set_{letter}lim")(*axis.limits)
        if axis.grid:
            own.grid(visible=True, color=_GRID, linewidth=0.5)
        own.set_label_text(_wrapped(axis.title, int(0.6 * letters)))
    if panel.x.ticks and _upright(panel, _width_mm(axes)):
        axes.tick_params("x", rotation=90)
    if panel.title:
        axes.set_title(_wrapped(panel.title, int(0.62 * letters)), loc="left", weight="bold")


def _write_legend(figure: Figure, axes: Axes, letters: int) -> None:
    """Put the legend above the panel, in as many columns as fit the page."""
    handles, names = _once(*axes.get_legend_handles_labels())
    if not names:
        return
    wrapped = [_wrapped(name, letters - 8) for name in names]
    longest = max(len(line) for name in wrapped for line in name.splitlines())
    columns = max(1, min(len(names), letters // (longest + 6)))
    figure.legend(
        handles,
        wrapped,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        borderpad=0.1,
        handlelength=1.6,
        columnspacing=1.0,
        labelspacing=0.3,
    )


def _once(handles: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Return every name with the first of its marks."""
    first: dict[str, Any] = {}
    for handle, name in zip(handles, names, strict=True):
        first.setdefault(name, handle)
    return list(first.values()), list(first)
