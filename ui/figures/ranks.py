"""How methods rank: places they take, mean ranks with their intervals, and figures fold by fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, legend_on_top, whiskers
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, SEQUENTIAL, UNSEEN, VALIDATED, quiet
from zslcore.analysis.ranking import Ranking

__all__ = ["fold_points", "mean_ranks", "places", "scatter_of_classes", "time_and_accuracy"]

_ROW = 26  # pixels a method takes
_FOLDS = ("square", "square-open", "square-x", "square-cross")  # what the folds chose, a fold each


@drawn_once
def places(matrix: np.ndarray, methods: Sequence[str], mean_rank: np.ndarray) -> go.Figure:
    """Draw how often each method takes each place, best mean rank on top.

    Parameters
    ----------
    matrix : array of shape (n_methods, n_methods), of :func:`zslcore.analysis.ranking.rank_matrix`
    methods : names
    mean_rank : array of shape (n_methods,), stands in brackets after the name
    """
    order = np.argsort(mean_rank, kind="stable")
    names = [f"{methods[j]} ({mean_rank[j]:.1f})" for j in order]
    counts, k = matrix[order], len(methods)
    text = [[f"{n:.3g}" if n else "" for n in row] for row in counts]
    figure = go.Figure(
        go.Heatmap(
            z=np.where(counts > 0, counts, np.nan),
            x=np.arange(1, k + 1),
            y=names,
            text=text,
            texttemplate="%{text}",
            colorscale=SEQUENTIAL,
            zmin=0,
            zmax=counts.sum(axis=1).max(),
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate="%{y}: rank %{x}, %{text} times<extra></extra>",
        )
    )
    figure.update_xaxes(title="rank", dtick=1, side="top", fixedrange=True, showgrid=False)
    figure.update_yaxes(autorange="reversed", fixedrange=True, showgrid=False, dtick=1)
    return quiet(figure, height=90 + _ROW * k)


@drawn_once
def mean_ranks(
    found: Ranking, methods: Sequence[str], groups: Sequence[Sequence[int]], critical: float
) -> go.Figure:
    """Draw mean ranks with their intervals; bars join what the critical difference does not part.

    Parameters
    ----------
    found : Ranking
    methods : names
    groups : of :func:`zslcore.analysis.ranking.groups`
    critical : the critical difference, drawn to scale below
    """
    order = np.argsort(found.mean_rank, kind="stable")
    names, below = [methods[j] for j in order], len(order) - 0.2
    figure = go.Figure([_points_of(found, order, names), _scale(critical, below)])
    place = {int(j): k for k, j in enumerate(order)}
    for n, group in enumerate(groups):
        _join(figure, [place[j] for j in group], 0.55 - 0.12 * (n % 3))
    figure.update_xaxes(title="mean rank", range=[0.1, len(order) + 0.6], fixedrange=True, dtick=1)
    figure.update_yaxes(
        tickvals=np.arange(len(order)),
        ticktext=names,
        range=[len(order) + 0.3, -0.6],
        fixedrange=True,
        showgrid=False,
        zeroline=False,
    )
    return quiet(figure, height=110 + _ROW * (len(order) + 1))


def _points_of(found: Ranking, order: np.ndarray, names: Sequence[str]) -> go.Scatter:
    mean = found.mean_rank[order]
    return go.Scatter(
        x=mean,
        y=np.arange(len(order)),
        mode="markers",
        marker={"color": HARMONIC.color, "symbol": HARMONIC.symbol, "size": 10},
        error_x=whiskers(mean, found.low[order], found.high[order], HARMONIC.color),
        customdata=names,
        hovertemplate="%{customdata}: mean rank %{x:.2f}<extra></extra>",
        showlegend=False,
    )


def _scale(critical: float, below: float) -> go.Scatter:
    """Return the critical difference as a line of its length."""
    return go.Scatter(
        x=[1, 1 + critical],
        y=[below, below],
        mode="lines+text",
        text=[f"CD = {critical:.2f}", ""],
        textposition="top right",
        line={"color": FAINT, "width": 4},
        hoverinfo="skip",
        showlegend=False,
    )


def _join(figure: go.Figure, rows: Sequence[int], x: float) -> None:
    """Draw one bar along methods that do not differ significantly."""
    figure.add_shape(
        type="line",
        x0=x,
        x1=x,
        y0=min(rows) - 0.25,
        y1=max(rows) + 0.25,
        line={"color": HARMONIC.color, "width": 4},
    )


@drawn_once
def fold_points(table: pd.DataFrame) -> go.Figure:
    """Draw one bar a method, and on it a point for what each fold chose.

    Parameters
    ----------
    table : DataFrame with the columns method, choice (number of the fold) and value
    """
    mean = table.groupby("method", sort=False)["value"].mean().sort_values()
    figure = go.Figure(
        go.Bar(
            y=mean.index,
            x=mean,
            orientation="h",
            marker_color=FAINT,
            name="mean",
            hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        )
    )
    looks = [replace(VALIDATED, symbol=symbol) for symbol in _FOLDS]
    for k, (_, rows) in enumerate(table.groupby("choice")):
        mark = looks[k % len(looks)]
        figure.add_trace(
            go.Scatter(
                y=rows["method"],
                x=rows["value"],
                mode="markers",
                name=f"chosen on fold {int(rows['choice'].iloc[0]) + 1}",
                marker={"symbol": mark.symbol, "color": mark.color, "size": 10},
                hovertemplate="%{y}: %{x:.1%}<extra></extra>",
            )
        )
    figure.update_xaxes(tickformat=".0%", fixedrange=True, rangemode="tozero", gridcolor=FAINT)
    figure.update_yaxes(type="category", categoryarray=list(mean.index), fixedrange=True, dtick=1)
    return legend_on_top(quiet(figure, height=110 + _ROW * len(mean)))


@drawn_once
def scatter_of_classes(table: pd.DataFrame, column: str, title: str) -> go.Figure:
    """Draw the mean accuracy of every unseen class over what makes it hard.

    Parameters
    ----------
    table : a row a class, with the columns class, nearest, accuracy and ``column``
    """
    figure = go.Figure(
        go.Scatter(
            x=table[column],
            y=table["accuracy"],
            mode="markers",
            marker={"color": UNSEEN.color, "symbol": UNSEEN.symbol, "size": 9},
            text=escaped(table["class"]),
            customdata=[n and f"; nearest seen class {n}" for n in escaped(table["nearest"])],
            hovertemplate="%{text}: %{y:.1%}, %{x:.3g}%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(title=title, fixedrange=True, gridcolor=FAINT)
    figure.update_yaxes(
        title="accuracy", tickformat=".0%", range=[-0.03, 1.03], fixedrange=True, gridcolor=FAINT
    )
    return quiet(figure, height=330)


@drawn_once
def time_and_accuracy(table: pd.DataFrame, measure: str) -> go.Figure:
    """Draw accuracy over the time of one fit, a point a method.

    Parameters
    ----------
    table : a row a method, with the columns method, seconds and value
    """
    figure = go.Figure(
        go.Scatter(
            x=table["seconds"],
            y=table["value"],
            text=table["method"],
            mode="markers+text",
            textposition="top center",
            marker={"color": HARMONIC.color, "symbol": HARMONIC.symbol, "size": 9},
            hovertemplate="%{text}: %{y:.1%} in %{x:.2f} s<extra></extra>",
        )
    )
    figure.update_xaxes(title="seconds of a fit and its test", type="log", fixedrange=True)
    figure.update_yaxes(title=measure, tickformat=".0%", fixedrange=True, gridcolor=FAINT)
    return quiet(figure, height=380)
