r"""The panels of predictions and of interactive figures, with the exact numbers that these have.

Behind a seen-unseen curve lie the lines of equal harmonic mean :math:`H`,

.. math::
    s = \frac{H u}{2 u - H}, \qquad u > H / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import DatasetError, closest_name
from zslcore.interactive.hues import SEEN, UNSEEN, percent, three_digits
from zslcore.interactive.seen_unseen import LOOKS, SeenUnseen, line_of
from zslcore.printing.drawing import Panel, draw_line, draw_symbols, draw_words, level, set_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from zslcore.evaluation.predictions import Predictions
    from zslcore.interactive.point_map import Panel as MapPanel
    from zslcore.interactive.point_map import PointMap


#: Layers of the points of a map, and their size by their number.
_LAYERS = 8
_SIZES = ((5_000, 2.2), (30_000, 1.5), (np.inf, 0.9))
#: Harmonic means with a line of their own.
LEVELS = (0.2, 0.4, 0.6, 0.8)


def of_curves(what: SeenUnseen) -> Panel:
    """Return seen over unseen accuracy for every gamma, with the gammas that have a name."""
    return Panel(partial(_draw_curves, what), square=True)


def _draw_curves(what: SeenUnseen, axes: Axes) -> None:
    for H in LEVELS:
        u = np.linspace(H / (2 - H), 1, 200)
        s = H * u / (2 * u - H)
        draw_line(axes, u, s, "#BFC5CD", lw=0.5)
        words = f"H {H:.0%}".replace("%", " %")
        draw_words(axes, 1.02, float(s[-1]), words, "#6B6B6B", across=1)
    for line in what.lines:
        look, curve, name = what.looks[line.look], line.curve, line.name
        if "AUSUC" not in name:
            name += f", AUSUC {percent(curve.ausuc)}"
        dash = look.dash or "solid"
        draw_line(axes, curve.unseen, curve.seen, look.light, name, dash, lw=1.2)
    for stop in what.lines[0].stops:
        point, look = what.lines[0].curve.at(stop.gamma), what.looks[stop.look]
        name = f"{stop.name}: γ {three_digits(stop.gamma)}, H {percent(point.harmonic)}"
        symbol = {"circle": "circle-open", "x": "x-thin"}.get(look.symbol, look.symbol)
        at = [point.unseen], [point.seen]
        draw_symbols(axes, *at, look.light, name, symbol=symbol, size=5.0)
    for letter, side, sign in (("x", what.sides[1], "u"), ("y", what.sides[0], "s")):
        title = f"accuracy on {side} classes {sign}"
        set_axis(axes, letter, title, limits=(-0.02, 1.02), percent=0)


def of_map(what: PointMap) -> list[Panel]:
    """Return the panels of a map: all its points, in the colours of its palette."""
    return [Panel(partial(_draw_map, what, each), each.title, square=True) for each in what.panels]


def _draw_map(what: PointMap, panel: MapPanel, axes: Axes) -> None:
    """Draw the entries of the legend, then the points in layers that mix the categories."""
    named = [(each, each.label) for each in what.palette]
    if what.legend == "scale":
        named = [(what.palette[k], what.ends[k]) for k in (0, -1)]
    for each, label in named if what.legend != "none" else ():
        draw_symbols(axes, [np.nan], [np.nan], each.color, label, symbol=each.symbol, size=4.0)
    category, n = what.category[panel.image], len(panel.image)
    size = next(points for most, points in _SIZES if n <= most)
    for layer in np.array_split(np.random.default_rng(0).permutation(n), _LAYERS):
        looks = [what.palette[c] for c in category[layer]]
        colors, symbols = [look.color for look in looks], [look.symbol for look in looks]
        x, y = panel.xy[layer].T
        draw_symbols(axes, x, y, colors, symbol=symbols, size=size, opacity=0.85)
    for letter in "xy":
        set_axis(axes, letter, ticks=[])


def of_predictions(found: Predictions, what: str) -> Panel:
    """Return one panel of predictions, of :data:`PANELS`, or raise UnknownNameError.

    DatasetError without images of both sides, where there is no curve.
    """
    if what not in PANELS:
        raise closest_name("panel for print", what, PANELS)
    if not found.test.generalized:
        raise DatasetError(f"{found.title}: no curve, all test images are of unseen classes.")
    return PANELS[what](found)


def _curve(found: Predictions) -> Panel:
    origin = found.provenance.gamma_origin if found.gamma is not None else None
    line = line_of(found.title, found.test.curve, "harmonic", found.gamma, 0.0, origin)
    return of_curves(SeenUnseen([line], LOOKS, found.title))


def _classes(found: Predictions) -> Panel:
    return Panel(partial(_draw_classes, found))


def _draw_classes(found: Predictions, axes: Axes) -> None:
    """Draw a bar for every class at gamma, best first within each side, and a mark at gamma 0."""
    from zslcore.analysis.mistakes import per_class_table

    gamma = found.gamma or 0.0
    table = per_class_table(found.test, {"plain": 0.0, "calibrated": gamma}, found.class_names)
    order = table.sort_values(["side", "calibrated"], ascending=[True, False], kind="stable")
    place = np.arange(len(order))
    for side, hue, symbol in (("seen", SEEN, "circle-open"), ("unseen", UNSEEN, "diamond-open")):
        own = (order["side"] == side).to_numpy()
        look: dict[str, Any] = {"color": hue.light, "linewidth": 0, "zorder": level(axes, 2)}
        name = f"{side}, γ {three_digits(gamma)}"
        axes.bar(place[own], order["calibrated"][own], 0.75, label=name, edgecolor="none", **look)
        at, plain = place[own], order["plain"][own]
        draw_symbols(axes, at, plain, hue.light, f"{side}, γ 0", symbol=symbol, size=4.0)
    words = list(zip(place.astype(float), order["class"], strict=True))
    ticks = words if len(words) <= MOST_NAMES else []
    title = "" if ticks else f"{len(words)} classes"
    set_axis(axes, "x", title, limits=(-0.6, len(place) - 0.4), ticks=ticks)
    set_axis(axes, "y", "accuracy", limits=(0.0, 1.03), percent=0, grid=True)


#: Names of classes that fit next to each other on 84 mm.
MOST_NAMES = 24
#: What there is to print of predictions.
PANELS: dict[str, Callable[[Predictions], Panel]] = {"curve": _curve, "classes": _classes}
