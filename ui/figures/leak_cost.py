"""What leaks cost methods, in points, with intervals over classes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import legend_on_top, whiskers
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, NEUTRAL, SEEN, UNSEEN, Mark, quiet
from zslcore.analysis.leak_cost import SHORT

__all__ = ["cost_in_points"]

#: Figures that are drawn, in their order, and how they look.
_DRAWN: dict[str, Mark] = {
    "unseen": UNSEEN,
    "seen": SEEN,
    "best_harmonic": HARMONIC,
    "ausuc": replace(NEUTRAL, symbol="square"),
}
_ROW, _APART = 92, 0.2  # pixels a method takes, and the share of them between two figures


@drawn_once
def cost_in_points(table: pd.DataFrame) -> go.Figure:
    """Draw how much better every method looks with the leak: a point a figure, with its interval.

    Parameters
    ----------
    table : rows of one leak of :func:`zslcore.analysis.leak_cost.table`
    """
    methods = list(dict.fromkeys(table["method"]))
    place = {method: -k for k, method in enumerate(methods)}
    figure = go.Figure()
    for k, (name, mark) in enumerate(_DRAWN.items()):
        rows = table[table["figure"] == name]
        offset = ((len(_DRAWN) - 1) / 2 - k) * _APART
        figure.add_trace(
            _points(rows, mark, SHORT[name]).update(y=rows["method"].map(place) + offset)
        )
    figure.add_vline(x=0, line={"color": FAINT, "width": 2})
    figure.update_xaxes(
        title="points gained by the leak", ticksuffix="", gridcolor=FAINT, fixedrange=True
    )
    figure.update_yaxes(
        tickvals=list(place.values()),
        ticktext=methods,
        range=[-len(methods) + 0.4, 0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    return legend_on_top(quiet(figure, height=110 + _ROW * len(methods)))


def _points(rows: pd.DataFrame, mark: Mark, label: str) -> go.Scatter:
    points = 100 * rows[["difference", "low", "high", "clean", "leaky"]]
    return go.Scatter(
        x=points["difference"],
        name=label,
        mode="markers",
        marker={"symbol": mark.symbol, "color": mark.color, "size": 10},
        error_x=whiskers(points["difference"], points["low"], points["high"], mark.color),
        customdata=points[["clean", "leaky", "low", "high"]],
        hovertemplate=f"{label}: %{{customdata[0]:.1f}} % without the leak, "
        "%{customdata[1]:.1f} % with it<br>%{x:+.1f} points "
        "(%{customdata[2]:+.1f} to %{customdata[3]:+.1f})<extra></extra>",
    )
