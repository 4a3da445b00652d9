r"""The panels of predictions and of interactive figures, with the exact numbers that these have.

Behind a seen-unseen curve lie the lines of equal harmonic mean :math:`H`,

.. math::
    s = \frac{H u}{2 u - H}, \qquad u > H / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from zslcore.exceptions import DatasetError, closest_name
from zslcore.interactive.curves import LOOKS, line_of
from zslcore.interactive.hues import SEEN, UNSEEN
from zslcore.interactive.numbers import percent, three_digits
from zslcore.interactive.seen_unseen import Line, SeenUnseen
from zslcore.printing.panel import Axis, Bars, Mark, Panel, Points, Words

if TYPE_CHECKING:
    from zslcore.evaluation.predictions import Predictions
    from zslcore.interactive.point_map import Panel as MapPanel
    from zslcore.interactive.point_map import PointMap


#: Axes of a plane without units, layers of its points, and their size by their number.
_BARE, _LAYERS = (Axis(ticks=[]), Axis(ticks=[])), 8
_SIZES = ((5_000, 2.2), (30_000, 1.5), (np.inf, 0.9))
#: Harmonic means with a line of their own.
LEVELS = (0.2, 0.4, 0.6, 0.8)


def of_curves(what: SeenUnseen) -> Panel:
    """Return seen over unseen accuracy for every gamma, with the gammas that have a name."""
    marks: list[Mark] = list(_equal_harmonic())
    for line in what.lines:
        look = what.looks[line.look]
        curve, name = line.curve, line.name
        if "AUSUC" not in name:
            name += f", AUSUC {percent(curve.ausuc)}"
        marks.append(
            Points(curve.unseen, curve.seen, look.light, name, line=look.dash or "solid", width=1.2)
        )
    marks += _stops(what, what.lines[0])
    side = {"limits": (-0.02, 1.02), "percent": 0}
    return Panel(
        marks,
        Axis(f"accuracy on {what.sides[1]} classes u", **side),  # type: ignore[arg-type]
        Axis(f"accuracy on {what.sides[0]} classes s", **side),  # type: ignore[arg-type]
        square=True,
    )


def _equal_harmonic() -> Iterator[Mark]:
    for H in LEVELS:
        u = np.linspace(H / (2 - H), 1, 200)
        s = H * u / (2 * u - H)
        yield Points(u, s, "#BFC5CD", line="solid", width=0.5)
        yield Words(1.02, float(s[-1]), f"H {H:.0%}".replace("%", " %"), "#6B6B6B", across=1)


def _stops(what: SeenUnseen, line: Line) -> Iterator[Points]:
    """Yield the points of the gammas with a name, each with its H."""
    for stop in line.stops:
        point, look = line.curve.at(stop.gamma), what.looks[stop.look]
        u, s = (np.array([getattr(point, side)]) for side in ("unseen", "seen"))
        name = f"{stop.name}: γ {three_digits(stop.gamma)}, H {percent(point.harmonic)}"
        hollow = {"circle": "circle-open", "x": "x-thin"}
        yield Points(u, s, look.light, name, symbol=hollow.get(look.symbol, look.symbol), size=5.0)


def of_map(what: PointMap) -> list[Panel]:
    """Return the panels of a map: all its points, in the colours of its palette."""
    return [
        Panel(list(_of_map(what, each)), *_BARE, each.title, square=True) for each in what.panels
    ]


def _of_map(what: PointMap, panel: MapPanel) -> Iterator[Points]:
    """Yield the entries of the legend, then the points in layers that mix the categories."""
    nowhere = np.array([np.nan])
    named = [(each, each.label) for each in what.palette]
    if what.legend == "scale":
        named = [(what.palette[k], what.ends[k]) for k in (0, -1)]
    for each, label in named if what.legend != "none" else ():
        yield Points(nowhere, nowhere, each.color, label, symbol=each.symbol, size=4.0)
    category, n = what.category[panel.image], len(panel.image)
    size = next(points for most, points in _SIZES if n <= most)
    for layer in np.array_split(np.random.default_rng(0).permutation(n), _LAYERS):
        looks = [what.palette[c] for c in category[layer]]
        yield Points(
            panel.xy[layer, 0],
            panel.xy[layer, 1],
            [look.color for look in looks],
            symbol=[look.symbol for look in looks],
            size=size,
            opacity=0.85,
        )


def of_predictions(found: Predictions, what: str) -> Panel:
    """Return one panel of predictions.

    Raises UnknownNameError for another panel; names the nearest; DatasetError without images of
    both sides, where there is no curve.

    Parameters
    ----------
    what : of :data:`PANELS`
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
    """Return a bar for every class at gamma, best first within each side, and a mark at gamma 0."""
    from zslcore.analysis.mistakes import per_class_table

    gamma = found.gamma or 0.0
    table = per_class_table(found.test, {"plain": 0.0, "calibrated": gamma}, found.class_names)
    order = table.sort_values(["side", "calibrated"], ascending=[True, False], kind="stable")
    place = np.arange(len(order))
    marks: list[Mark] = []
    for side, hue, symbol in (("seen", SEEN, "circle"), ("unseen", UNSEEN, "diamond")):
        own = (order["side"] == side).to_numpy()
        height = order["calibrated"].to_numpy()[own]
        name = f"{side}, γ {three_digits(gamma)}"
        marks.append(Bars(place[own], height, np.zeros(own.sum()), 0.75, hue.light, name=name))
        plain = order["plain"].to_numpy()[own]
        symbols = f"{symbol}-open"
        marks.append(Points(place[own], plain, hue.light, f"{side}, γ 0", symbol=symbols, size=4.0))
    words = list(zip(place.astype(float), order["class"], strict=True))
    ticks = words if len(words) <= MOST_NAMES else []
    x = Axis("" if ticks else f"{len(words)} classes", (-0.6, len(place) - 0.4), ticks=ticks)
    return Panel(marks, x, Axis("accuracy", (0.0, 1.03), percent=0, grid=True))


#: Names of classes that fit next to each other on 84 mm.
MOST_NAMES = 24
#: What there is to print of predictions.
PANELS: dict[str, Callable[[Predictions], Panel]] = {"curve": _curve, "classes": _classes}
