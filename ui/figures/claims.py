"""What a claim rests on: its number with an interval, and where the claim would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, whiskers
from ui.figures.palette import FAINT, HARMONIC, INK, quiet

#: Unit of a judgment -> title of the axis, and the factor to what it shows.
UNITS = {
    "points": ("mean difference, points", 100.0),
    "share": ("cases as claimed, %", 100.0),
    "percent": ("%", 100.0),
    "place": ("mean rank", 1.0),
    "tau": ("Kendall's τ", 1.0),
    "p": ("p", 1.0),
}
_ROW = 44


@dataclass(frozen=True, slots=True)
class Number:
    """One number that was computed again, with its 95 % interval, if any, and a note next to it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@cached_figure
def recomputed(tests: Sequence[Number], unit: str) -> go.Figure:
    """Draw one line a test: its number, its 95 % interval, and the value that decides.

    That is 0 for differences and tau, 0.05 for p.
    """
    title, scale = UNITS.get(unit, ("", 1.0))
    decides = {"points": 0.0, "tau": 0.0, "p": 0.05}.get(unit)
    figure = go.Figure([_point(test, k, scale) for k, test in enumerate(tests)])
    if decides is not None:
        figure.add_vline(x=scale * decides, line={"color": FAINT, "width": 2, "dash": "dash"})
    figure.update_yaxes(
        tickvals=list(range(len(tests))),
        ticktext=escaped([test.name for test in tests]),
        range=[len(tests) - 0.4, -0.8],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(title_text=title, zeroline=False, fixedrange=True)
    if unit in ("p", "share", "place"):
        figure.update_xaxes(rangemode="tozero")
    if unit == "share":
        figure.update_xaxes(range=[0, 104])
    return quiet(figure, height=80 + _ROW * len(tests))


def _point(test: Number, k: int, scale: float) -> go.Scatter:
    """Return one number with its interval, the first one in ink."""
    mark = INK if k == 0 else HARMONIC
    bounded = test.low is not None and test.high is not None
    low, high = (scale * (test.value if end is None else end) for end in (test.low, test.high))
    return go.Scatter(
        x=[scale * test.value],
        y=[k],
        mode="markers+text",
        text=escaped([test.note]),
        textposition="top center",
        marker={"color": mark.color, "symbol": "circle", "size": 11},
        error_x=whiskers([scale * test.value], [low], [high], mark.color) if bounded else None,
        customdata=escaped([test.name]),
        hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
        showlegend=False,
        cliponaxis=False,
    )
