"""Accuracy class by class, and what is mistaken for what."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, hatch, legend_on_top
from ui.figures.palette import INK, SEEN, UNSEEN, Mark, ground, narrow, quiet

_SIDES: dict[str, Mark] = {"seen": SEEN, "unseen": UNSEEN}
#: Classes whose names fit under their bars; more of them are drawn as a strip of points.
_WRITTEN = 15  # classes up to which each cell of a confusion matrix has its number
_LEVEL = 12  # classes up to which the names of columns stand level


@cached_figure
def class_bars(table: pd.DataFrame) -> go.Figure:
    """Draw a bar for every class of a per-class table, best first within seen and within unseen."""
    sides = [
        (side, table[table["side"] == side].sort_values("calibrated", ascending=False))
        for side in _SIDES
    ]
    figure = go.Figure([_calibrated(*each) for each in sides])
    figure.add_traces([_plain(*each) for each in sides])
    figure.update_xaxes(tickangle=-90 if len(table) > 12 else 0, fixedrange=True)
    figure.update_xaxes(type="category", range=[-0.6, len(table) - 0.4])
    figure.update_xaxes(dtick=1, tickfont_size=12 if len(table) > 12 else 14)
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], fixedrange=True)
    figure.update_layout(bargap=0.25)
    return legend_on_top(quiet(figure, height=430))


def _calibrated(side: str, part: pd.DataFrame) -> go.Bar:
    mark = _SIDES[side]
    return go.Bar(
        x=escaped(part["class"]),
        y=part["calibrated"],
        name=f"{side}, calibrated",
        marker={
            "color": mark.color,
            "line": {"color": mark.color, "width": 1},
            "pattern": hatch(mark.pattern),
        },
        customdata=part[["images", "plain"]],
        hovertemplate="%{x}: %{y:.1%} of %{customdata[0]} images, "
        "%{customdata[1]:.1%} at γ = 0<extra></extra>",
    )


def _plain(side: str, part: pd.DataFrame) -> go.Scatter:
    mark = _SIDES[side]
    return go.Scatter(
        x=escaped(part["class"]),
        y=part["plain"],
        name=f"{side}, γ = 0",
        mode="markers",
        marker={
            "symbol": mark.symbol,
            "size": 12 if mark.symbol == "diamond" else 10,
            "color": ground(),
            "line": {"color": mark.color, "width": 2},
        },
        hoverinfo="skip",
    )


@cached_figure
def confusion_map(share: pd.DataFrame, n_seen: int) -> go.Figure:
    """Draw the share of each class's images answered with each class, seen classes first."""
    n, names, true = len(share), escaped(share.columns), escaped(share.index)
    tight = narrow() and n > _LEVEL  # columns have no room for names, and stand as rows do
    figure = go.Figure(
        go.Heatmap(
            z=share.to_numpy(),
            x=list(range(n)),
            y=list(range(n)),
            customdata=[[f"{t} answered with {a}" for a in names] for t in true],
            colorscale=[[0, ground()], [1, INK.color]],
            zmin=0,
            zmax=1,
            xgap=1,
            ygap=1,
            text=share.map(lambda part: f"{part:.0%}" if part >= 0.005 else ""),
            texttemplate="%{text}" if n <= _WRITTEN else None,
            hovertemplate="%{customdata}: %{z:.1%}<extra></extra>",
            colorbar={"tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
            showscale=not tight,
        )
    )
    axis = {"tickmode": "array", "tickvals": list(range(n)), "fixedrange": True, "showgrid": False}
    title = "answered, in the order of the rows" if tight else "answered"
    angle = -90 if n > _LEVEL else 0
    figure.update_xaxes(ticktext=names, title=title, tickangle=angle, **axis)
    figure.update_xaxes(showticklabels=not tight)
    figure.update_yaxes(ticktext=true, title="true class", autorange="reversed")
    figure.update_yaxes(**axis)
    for line in (figure.add_hline, figure.add_vline):
        line(n_seen - 0.5, line={"color": UNSEEN.color, "width": 2, "dash": "dash"})
    return quiet(figure, height=max(420, min(900, 110 + 17 * n)))
