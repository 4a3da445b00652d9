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
def claim_numbers(tests: Sequence[Number], unit: str) -> Chart:
    """Draw one line per test: its number, its 95 % interval, and the threshold.

    The threshold is 0 for a difference or tau, 0.05 for p.
    """
    title, scale = UNITS.get(unit, ("", 1.0))
    decides = {"points": 0.0, "AWA2 minus AWA1": 0.0, "tau": 0.0, "p": 0.05}.get(unit)
    names = [
        Markup("<br>".join(escape(text, quote=False) for text in (test.name, test.note) if text))
        for test in tests
    ]
    row = _PLAIN_ROW if len(tests) > 1 and not any(test.note for test in tests) else _ROW
    across = axis(title, rangemode="tozero" if unit in ("p", "share", "place") else None)
    if unit in ("points", "AWA2 minus AWA1"):  # from tick to tick
        ends = [e for test in tests for e in (test.value, test.low, test.high) if e is not None]
        across["range"] = [min(-1, floor(scale * min(ends))), max(1, ceil(scale * max(ends)))]
    elif unit == "share":
        across["range"] = [0, 104]
    return figure(
        [_point(test, k, scale) for k, test in enumerate(tests)],
        height=60 + row * len(tests),
        margin={"t": 8},
        xaxis=across,
        yaxis=axis(names=names, grid=False, range=[len(tests) - 0.5, -0.5]),
        shapes=[] if decides is None else [rule(x=scale * decides, dash="dash")],
    )


def _point(test: Number, k: int, scale: float) -> Part:
    """Return one number with its interval."""
    bounded = test.low is not None and test.high is not None
    low, high = (scale * (test.value if end is None else end) for end in (test.low, test.high))
    return scatter(
        x=[scale * test.value],
        y=[k],
        marker=dots(INK, 11, symbol="circle"),
        error_x=whiskers([scale * test.value], [low], [high], INK.color) if bounded else None,
        customdata=[test.name],
        hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
        showlegend=False,
    )
