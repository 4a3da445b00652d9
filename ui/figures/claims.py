"""Evidence of a claim: its numbers with intervals, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor

from ui.figures.cached import cached_figure
from ui.figures.palette import INK
from ui.figures.vocabulary import Chart, Markup, Part, axis, dots, figure, rule, scatter, whiskers

#: Unit of a judgment -> title of the axis, and factor from values to its scale.
UNITS = {
    "points": ("mean difference, points", 100.0),
    "AWA2 minus AWA1": ("AWA2 minus AWA1, points", 100.0),
    "share": ("cases as claimed, %", 100.0),
    "percent": ("%", 100.0),
    "place": ("mean rank", 1.0),
    "tau": ("Kendall's τ", 1.0),
    "p": ("p", 1.0),
}
#: Height of a line with a note and of one without, in pixels.
_ROW, _PLAIN_ROW = 44, 24


@dataclass(frozen=True, slots=True)
class Number:
    """A recomputed number, its 95 % interval (None without one) and a note next to it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@cached_figure
def claim_numbers(numbers: Sequence[Number], unit: str) -> Chart:
    """Draw one line per number, with its 95 % interval and the threshold.

    The threshold is 0 for a difference or tau, 0.05 for p.
    """
    title, scale = UNITS.get(unit, ("", 1.0))
    threshold = {"points": 0.0, "AWA2 minus AWA1": 0.0, "tau": 0.0, "p": 0.05}.get(unit)
    names = [
        Markup(
            "<br>".join(escape(text, quote=False) for text in (number.name, number.note) if text)
        )
        for number in numbers
    ]
    row = _PLAIN_ROW if len(numbers) > 1 and not any(number.note for number in numbers) else _ROW
    x_axis = axis(title, rangemode="tozero" if unit in ("p", "share", "place") else None)
    if unit in ("points", "AWA2 minus AWA1"):  # from tick to tick
        ends = [
            e
            for number in numbers
            for e in (number.value, number.low, number.high)
            if e is not None
        ]
        x_axis["range"] = [min(-1, floor(scale * min(ends))), max(1, ceil(scale * max(ends)))]
    elif unit == "share":
        x_axis["range"] = [0, 104]
    return figure(
        [_point(number, k, scale) for k, number in enumerate(numbers)],
        height=60 + row * len(numbers),
        margin={"t": 8},
        xaxis=x_axis,
        yaxis=axis(names=names, grid=False, range=[len(numbers) - 0.5, -0.5]),
        shapes=[] if threshold is None else [rule(x=scale * threshold, dash="dash")],
    )


def _point(number: Number, k: int, scale: float) -> Part:
    """Return one number with its interval."""
    bounded = number.low is not None and number.high is not None
    low, high = (
        scale * (number.value if end is None else end) for end in (number.low, number.high)
    )
    return scatter(
        x=[scale * number.value],
        y=[k],
        marker=dots(INK, 11, symbol="circle"),
        error_x=whiskers([scale * number.value], [low], [high], INK.color) if bounded else None,
        customdata=[number.name],
        hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
        showlegend=False,
    )
