"""A panel as PDF, SVG or PNG: exact width, 8 pt text in embedded fonts, nothing cut off.

A panel is a function that draws on Matplotlib's axes, which constrained layout shrinks until all
text lies on the page. PDF has TrueType fonts (Type 42, which journals accept), SVG the outlines of
its letters, PNG 600 dots per inch.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import ParameterError, closest_name
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
INK, _GRID = "#14181C", "#D9D9D9"
_SYMBOLS = {
    "circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "triangle-down": "v",
    "triangle-left": "<", "triangle-right": ">", "x": "X", "x-thin": "x", "cross": "P",
    "cross-thin": "+", "hexagon": "h", "star": "*", "line-ns": "|", "line-ew": "_",
}  # fmt: skip
_LINES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": "--"}
_LOCK = Lock()  # Matplotlib's settings are those of the process


@dataclass(frozen=True, slots=True)
class Panel:
    """What draws a panel; ``square`` axes have one unit, ``name`` is for menus without a title."""

    draw: Callable[[Axes], None]
    title: str = ""
    square: bool = False
    name: str = ""


def print_figure(
    panel: Panel, *, width_mm: float = 84.0, font: str = "sans", form: str = "pdf", title: str = ""
) -> bytes:
    """Return a panel as a file for print, whose properties have the title.

    Raises ParameterError for a width outside :data:`WIDTHS_MM`; UnknownNameError for another font
    or format; MissingExtraError without Matplotlib.
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
    """Return a panel as a figure of Matplotlib, and the settings to save it with."""
    if not WIDTHS_MM[0] <= width_mm <= WIDTHS_MM[1]:
        raise ParameterError(
            f"width_mm: expected millimetres from {WIDTHS_MM[0]:g} to {WIDTHS_MM[1]:g}; got "
            f"{width_mm!r}."
        )
    if font not in FONTS:
        raise closest_name("font of a figure for print", font, FONTS)
    with extra("print", "matplotlib", "A figure for print"):
        from matplotlib.figure import Figure

    settings, letters = _settings(font), _letters(width_mm)
    with _settled(settings):
        figure = Figure(figsize=(width_mm * _MM, width_mm * _MM))
        figure.set_layout_engine("constrained", w_pad=SPACE, h_pad=SPACE)
        axes = figure.add_subplot()
        panel.draw(axes)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
        if panel.square:
            axes.set_aspect("equal", adjustable="box")
        title = _wrapped(panel.title, int(0.62 * letters))
        axes.set_title(title, loc="left", weight="bold")
        names = _write_legend(figure, axes, letters)
        figure.set_figheight(_height(axes, panel, [title, *names]) * _MM)
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


def _height(axes: Axes, panel: Panel, texts: Sequence[str]) -> float:
    """Return the height in mm: that of a golden rectangle, more where rows or names need it."""
    width_mm = _width_mm(axes)
    height = width_mm * (0.95 if panel.square else 0.72)
    if _upright(words := _words_of(axes.xaxis), width_mm):
        height += 1.5 * max(map(len, words))
    height = max(height, 4.2 * len(_words_of(axes.yaxis)) + 20)
    return height + 3.8 * sum(len(text.splitlines()) for text in [*texts, axes.get_xlabel()])


def _words_of(axis: Any) -> list[str]:
    """Return the words that name places along an axis; none along an axis of numbers."""
    from matplotlib.ticker import FixedLocator

    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    words: list[str] = axis.get_major_formatter().format_ticks(axis.get_majorticklocs())
    return words


def _letters(width_mm: float) -> int:
    """Return how many letters of 8 pt fit in a line of the page."""
    return int(width_mm / 1.55)


def _wrapped(text: str, letters: int) -> str:
    """Return a text in lines; no number is parted from its unit."""
    return textwrap.fill(text.replace(" %", "\u00a0%"), max(16, letters))


def _upright(words: Sequence[str], width_mm: float) -> bool:
    """Return whether words under the panel stand upright, because they would touch."""
    return sum(len(word) + 2 for word in words) * 1.6 > 0.7 * width_mm


def _width_mm(axes: Axes) -> float:
    return float(axes.figure.bbox.width / axes.figure.dpi / _MM)


def _write_legend(figure: Figure, axes: Axes, letters: int) -> list[str]:
    """Put the legend above the panel, in as many columns as fit the page; return its names."""
    handles: dict[str, Any] = {}
    for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
        handles.setdefault(name, handle)
    if not handles:
        return []
    wrapped = [_wrapped(name, letters - 8) for name in handles]
    longest = max(len(line) for name in wrapped for line in name.splitlines())
    columns = max(1, min(len(handles), letters // (longest + 6)))
    figure.legend(
        list(handles.values()),
        wrapped,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        borderpad=0.1,
        handlelength=1.6,
        columnspacing=1.0,
        labelspacing=0.3,
    )
    return wrapped


# --- Drawn on axes --------------------------------------------------------------------------------


def level(axes: Axes, lowest: float) -> float:
    """Return the ``zorder`` of what is drawn next, above what this level already has."""
    return lowest + len([*axes.lines, *axes.collections, *axes.patches]) / 1e6


def line_style(line: str) -> Any:
    """Return Matplotlib's style of a line of Plotly: a name, or lengths in points as "6 4"."""
    if line[:1].isdigit():
        return (0, tuple(float(length) / 2 for length in line.split()))
    return _LINES.get(line, "-")


def label_of(name: str) -> str:
    """Return a name for the legend, which leaves out an empty one."""
    return name or "_nolegend_"


def draw_line(
    axes: Axes, x: Any, y: Any, color: str, name: str = "", line: str = "solid", **look: Any
) -> None:
    """Draw a line in a style of Plotly; ``look`` is what ``Axes.plot`` takes."""
    look = {"zorder": level(axes, 2), "lw": 1.0} | look
    axes.plot(x, y, color=color, ls=line_style(line), label=label_of(name), **look)


def draw_errors(axes: Axes, x: Any, y: Any, color: str, **errors: Any) -> None:
    """Draw whiskers; ``xerr`` and ``yerr`` have shape (2, n), lengths below and above, or None."""
    for which, error in errors.items():
        if error is not None:
            lengths: dict[str, Any] = {which: np.nan_to_num(error)}
            axes.errorbar(x, y, fmt="none", ecolor=color, elinewidth=0.8, capsize=1.5, **lengths)


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
    zorder: float | None = None,
) -> None:
    """Draw points, one collection for each of their symbols.

    Colour, symbol (one of Plotly, as "diamond" or "diamond-open") and size (in points) are those of
    all points, or one a point.
    """
    symbols, colors, sizes = (np.broadcast_to(each, len(x)) for each in (symbol, color, size))
    zorder = level(axes, 3) if zorder is None else zorder
    for place, each in enumerate(dict.fromkeys(symbols.tolist())):
        own = symbols == each
        shape = _SYMBOLS.get(each.removesuffix("-open").removesuffix("-dot"), "o")
        thin, hollow = shape in ("x", "+", "|", "_"), each.endswith("-open")
        edge = {} if thin else {"edgecolors": colors[own].tolist()}
        axes.scatter(
            np.asarray(x)[own],
            np.asarray(y)[own],
            s=sizes[own] ** 2,
            marker=shape,
            c="white" if hollow and not thin else colors[own].tolist(),
            linewidths=0.8 if hollow or thin else 0.0,
            alpha=opacity,
            zorder=zorder,
            rasterized=len(x) > 8_000,
            label="" if place else label_of(name),
            **edge,
        )


def draw_texts(axes: Axes, x: Any, y: Any, texts: Sequence[str]) -> None:
    """Write a text above each of these points, where the page has room for all of them."""
    if len(texts) <= 1.2 * _width_mm(axes):
        for *place, text in zip(x, y, texts, strict=False):
            if text and np.isfinite(place).all():
                at: Any = tuple(place)
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
    of_panel: str = "",
) -> None:
    """Write a text at a place, on the side ``across`` and ``up`` of it: -1, 0 or 1."""
    axes.annotate(
        text,
        (x, y),
        (3 * across, 3 * up),
        xycoords=plane(axes, of_panel),
        textcoords="offset points",
        color=color,
        ha=("right", "center", "left")[across + 1],
        va=("top", "center", "bottom")[up + 1],
    )


def plane(axes: Axes, of_panel: str) -> Any:
    """Return coordinates in which "x", "y", both or none are shares of the panel, others data."""
    if of_panel == "xy":
        return axes.transAxes
    if of_panel == "x":
        return axes.get_yaxis_transform()
    return axes.get_xaxis_transform() if of_panel == "y" else axes.transData


def set_axis(
    axes: Axes,
    letter: str,
    title: str = "",
    *,
    limits: Sequence[float] | None = None,
    percent: int | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    log: bool = False,
    grid: bool = False,
) -> None:
    """Set an axis up when everything is drawn; ``percent`` is a number of decimals.

    ``ticks`` are places and their words, None for numbers; under the panel they stand upright where
    they would touch, and give way to their number where not even that fits.
    """
    from matplotlib.ticker import PercentFormatter

    axis, width_mm = getattr(axes, f"{letter}axis"), _width_mm(axes)
    getattr(axes, f"set_{letter}scale")("log" if log else "linear")
    if percent is not None:
        axis.set_major_formatter(PercentFormatter(1, percent, symbol=" %"))
    if letter == "x" and ticks:
        if 3.3 * len(ticks) > 0.72 * width_mm:
            ticks, title = [], title or f"{len(ticks)} names, too many for this width"
        elif _upright([word for _, word in ticks], width_mm):
            axes.tick_params("x", rotation=90)
    if ticks is not None:
        axis.set_ticks([at for at, _ in ticks], [word for _, word in ticks])
    if limits is not None:
        getattr(axes, f"set_{letter}lim")(*limits)
    if grid:
        axis.grid(visible=True, color=_GRID, linewidth=0.5)
    axis.set_label_text(_wrapped(title, int(0.6 * _letters(width_mm))))
