"""Accuracy class by class, what is mistaken for what, and the first k answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, hatch, legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, INK, SEEN, UNSEEN, Mark, ground, narrow, quiet

__all__ = ["MOST_BARS", "class_bars", "class_strip", "confusion_map", "top_k_lines"]

_SIDES: dict[str, Mark] = {"seen": SEEN, "unseen": UNSEEN}
#: Classes whose names fit under their bars; more of them are drawn as a strip of points.
MOST_BARS = 60
_WRITTEN = 15  # classes up to which each cell of a confusion matrix has its number
_LEVEL = 12  # classes up to which the names of columns stand level


@drawn_once
def class_bars(table: pd.DataFrame) -> go.Figure:
    """Draw a bar for the accuracy of every class, best first within seen and within unseen.

    Parameters
    ----------
    table : DataFrame of :func:`zslcore.analysis.calibration.per_class_table` with the columns
        "plain" and "calibrated"
    """
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


@drawn_once
def class_strip(table: pd.DataFrame, found: Sequence[int] | np.ndarray = ()) -> go.Figure:
    """Draw the accuracy of many classes as points, best first within seen and within unseen.

    A thin line leads to each point from the class's accuracy without calibration.

    Parameters
    ----------
    table : as for :func:`class_bars`
    found : positions in ``table`` of classes that are looked for; they get their names, and the
        others step back
    """
    table = table.assign(found=np.isin(np.arange(len(table)), found))
    table = table.sort_values(["side", "calibrated"], ascending=[True, False], kind="stable")
    table = table.reset_index(drop=True)
    figure = go.Figure()
    for side in _SIDES:
        part = table[table["side"] == side]
        figure.add_trace(_from_plain(part))
        figure.add_trace(_strip(side, part, any_found=len(found) > 0))
    for place, row in table[table["found"]].iterrows():
        figure.add_annotation(
            x=place, y=row["calibrated"], text=escaped([row["class"]])[0], ay=-28, font_size=14
        )
    figure.update_xaxes(
        title=f"{len(table)} classes, best first; point at one for its name",
        showticklabels=False,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        range=[-1, len(table)],
    )
    figure.update_yaxes(tickformat=".0%", range=[-0.02, 1.06], gridcolor=FAINT, fixedrange=True)
    return legend_on_top(quiet(figure, height=380))


def _from_plain(part: pd.DataFrame) -> go.Scatter:
    """Return one upright line a class, from its plain to its calibrated accuracy."""
    ends = part[["plain", "calibrated"]].assign(gap=None).to_numpy(dtype=object).ravel()
    return go.Scatter(
        x=part.index.repeat(3),
        y=ends,
        mode="lines",
        line={"color": FAINT, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )


def _strip(side: str, part: pd.DataFrame, *, any_found: bool) -> go.Scatter:
    mark = _SIDES[side]
    return go.Scatter(
        x=part.index,
        y=part["calibrated"],
        name=f"{side}, calibrated; the line begins at γ = 0",
        mode="markers",
        marker={
            "symbol": mark.symbol,
            "color": mark.color,
            "size": 5 + 6 * part["found"],
            "opacity": 0.35 + 0.65 * part["found"] if any_found else 1.0,
        },
        customdata=np.stack([escaped(part["class"]), part["images"], part["plain"]], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.1%} of %{customdata[1]} images, "
        "%{customdata[2]:.1%} at γ = 0<extra></extra>",
    )


@drawn_once
def confusion_map(share: pd.DataFrame, n_seen: int) -> go.Figure:
    """Draw the share of each class's images answered with each class, seen classes first.

    Parameters
    ----------
    share : DataFrame of :func:`zslcore.analysis.mistakes.confusion`
    n_seen : how many of its classes are seen; a line parts them from the unseen ones
    """
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


@drawn_once
def top_k_lines(table: pd.DataFrame) -> go.Figure:
    """Draw accuracy when the right class need only be among the first k answers.

    Parameters
    ----------
    table : DataFrame of :func:`zslcore.analysis.mistakes.top_k_table`
    """
    figure = go.Figure()
    for column, name, mark, dash in (
        ("zsl", "unseen images, unseen classes (ZSL)", HARMONIC, "dot"),
        ("seen", "seen images, all classes", SEEN, "solid"),
        ("unseen", "unseen images, all classes", UNSEEN, "solid"),
    ):
        if column in table:
            figure.add_trace(
                go.Scatter(
                    x=table["k"],
                    y=table[column],
                    name=name,
                    mode="lines+markers",
                    line={"color": mark.color, "width": 2.5, "dash": dash},
                    marker={"symbol": mark.symbol, "size": 9},
                    hovertemplate=f"{name}: %{{y:.1%}} in the first %{{x}}<extra></extra>",
                )
            )
    figure.update_xaxes(title="k", dtick=1, fixedrange=True, gridcolor=FAINT, showgrid=False)
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], fixedrange=True)
    return legend_on_top(quiet(figure, height=400))
