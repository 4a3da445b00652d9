"""Accuracy class by class, what is mistaken for what, and the first k answers."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.palette import FAINT, HARMONIC, SEEN, SEQUENTIAL, UNSEEN, Mark, quiet

__all__ = ["class_bars", "confusion_map", "top_k_lines"]

_SIDES: dict[str, Mark] = {"seen": SEEN, "unseen": UNSEEN}
_NAMED = 60  # classes whose names fit under their bars
_WRITTEN = 15  # classes up to which each cell of a confusion matrix has its number


def class_bars(table: pd.DataFrame) -> go.Figure:
    """Draw a bar for the accuracy of every class, best first within seen and within unseen.

    Parameters
    ----------
    table : DataFrame of :func:`zslcore.analysis.calibration.per_class_table` with the columns
        "plain" and "calibrated"
    """
    named = len(table) <= _NAMED
    sides = [
        (side, table[table["side"] == side].sort_values("calibrated", ascending=False))
        for side in _SIDES
    ]
    figure = go.Figure([_calibrated(*each) for each in sides])
    figure.add_traces([_plain(*each, large=named) for each in sides])
    figure.update_xaxes(showticklabels=named, tickangle=-90 if len(table) > 12 else 0)
    figure.update_xaxes(title=None if named else f"{len(table)} classes", fixedrange=True)
    figure.update_xaxes(type="category", range=[-0.6, len(table) - 0.4])
    figure.update_xaxes(dtick=1 if named else None, tickfont_size=11 if len(table) > 12 else 14)
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], fixedrange=True)
    figure.update_layout(bargap=0.25, legend=_ON_TOP)
    return quiet(figure, height=430 if named else 380)


def _calibrated(side: str, part: pd.DataFrame) -> go.Bar:
    mark = _SIDES[side]
    return go.Bar(
        x=part["class"],
        y=part["calibrated"],
        name=f"{side}, calibrated",
        marker={
            "color": mark.color,
            "line": {"color": mark.color, "width": 1},
            "pattern": {"shape": mark.pattern, "size": 6},
        },
        customdata=part[["images", "plain"]],
        hovertemplate="%{x}: %{y:.1%} of %{customdata[0]} images, "
        "%{customdata[1]:.1%} at γ = 0<extra></extra>",
    )


def _plain(side: str, part: pd.DataFrame, *, large: bool) -> go.Scatter:
    mark = _SIDES[side]
    return go.Scatter(
        x=part["class"],
        y=part["plain"],
        name=f"{side}, γ = 0",
        mode="markers",
        marker={
            "symbol": mark.symbol,
            "size": 9 if large else 4,
            "color": "white",
            "line": {"color": mark.color, "width": 2 if large else 1},
        },
        hoverinfo="skip",
    )


def confusion_map(share: pd.DataFrame, n_seen: int) -> go.Figure:
    """Draw the share of each class's images answered with each class, seen classes first.

    Parameters
    ----------
    share : DataFrame of :func:`zslcore.analysis.mistakes.confusion`
    n_seen : how many of its classes are seen; a line parts them from the unseen ones
    """
    n = len(share)
    figure = go.Figure(
        go.Heatmap(
            z=share.to_numpy(),
            x=list(range(n)),
            y=list(range(n)),
            customdata=[[f"{t} answered with {a}" for a in share.columns] for t in share.index],
            colorscale=SEQUENTIAL,
            zmin=0,
            zmax=1,
            xgap=1,
            ygap=1,
            text=share.map(lambda part: f"{part:.0%}" if part >= 0.005 else ""),
            texttemplate="%{text}" if n <= _WRITTEN else None,
            hovertemplate="%{customdata}: %{z:.1%}<extra></extra>",
            colorbar={"tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
        )
    )
    names = {"tickmode": "array", "tickvals": list(range(n)), "fixedrange": True, "showgrid": False}
    figure.update_xaxes(
        ticktext=list(share.columns), title="answered", tickangle=-90 if n > 12 else 0, **names
    )
    figure.update_yaxes(ticktext=list(share.index), title="true class", autorange="reversed")
    figure.update_yaxes(**names)
    for line in (figure.add_hline, figure.add_vline):
        line(n_seen - 0.5, line={"color": UNSEEN.color, "width": 2, "dash": "dash"})
    return quiet(figure, height=max(420, min(900, 110 + 17 * n)))


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
    figure.update_layout(legend=_ON_TOP)
    return quiet(figure, height=400)


_ON_TOP = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
