"""Methods: figures with intervals, ranks, mean ranks, and points of the seen-unseen curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, legend_on_top, whiskers
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL, VALIDATED, Mark, narrow, quiet

_ROW = 24  # pixels a method takes
_ISO = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@cached_figure
def rank_forest(table: pd.DataFrame, title: str) -> go.Figure:
    """Draw one line a method, the best on top: figure, interval, rank and what a paper prints.

    The table is of :func:`zslcore.analysis.method_table.ranked`, with the columns ``printed`` (NaN
    where none) and ``ranks`` (text); the title is that of the axis.
    """
    shown = table.sort_values("value", ascending=False, kind="stable")
    top, listed = shown["top"].to_numpy(bool), shown["first"].notna().to_numpy()
    figure = go.Figure()
    for of, mark, symbol, name in (
        (top, INK, "circle", "no method significantly better"),
        (~top & listed, HARMONIC, "circle-open", "others"),
        (~listed, HARMONIC, "x", "no classes listed, no interval"),
    ):
        if of.any():
            figure.add_trace(_results(shown, of, mark, symbol, name))
    if shown["printed"].notna().any():
        figure.add_trace(_printed(shown))
    figure.update_yaxes(
        tickvals=np.arange(len(shown)),
        ticktext=escaped(shown.index),
        range=[len(shown) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(title_text=title, ticksuffix=" %", rangemode="tozero", fixedrange=True)
    figure.update_layout(showlegend=True)
    return legend_on_top(quiet(figure, height=120 + _ROW * len(shown)))


def _results(shown: pd.DataFrame, of: np.ndarray, mark: Mark, symbol: str, name: str) -> go.Scatter:
    """Return some of the results as points with their intervals."""
    rows, x = shown[of], 100 * shown["value"][of]
    ends = whiskers(x, 100 * rows["low"], 100 * rows["high"], mark.color)
    return go.Scatter(
        x=x,
        y=np.flatnonzero(of),
        mode="markers",
        name=name,
        marker={"color": mark.color, "symbol": symbol, "size": 10},
        error_x=None if symbol == "x" else ends,
        customdata=escaped(rows.index + ", rank " + rows["ranks"]),
        hovertemplate="%{customdata}<br>%{x:.1f} %<extra></extra>",
    )


def _printed(shown: pd.DataFrame) -> go.Scatter:
    """Return what a paper prints as points."""
    there = shown["printed"].notna().to_numpy()
    return go.Scatter(
        x=100 * shown["printed"][there],
        y=np.flatnonzero(there),
        mode="markers",
        name="printed",
        marker={"color": NEUTRAL.color, "symbol": "diamond-open", "size": 9},
        customdata=escaped(shown.index[there]),
        hovertemplate="%{customdata}, printed<br>%{x:.1f} %<extra></extra>",
    )


@cached_figure
def mean_ranks(
    ranks: np.ndarray, methods: Sequence[str], groups: Sequence[Sequence[int]], critical: float
) -> go.Figure:
    """Draw mean ranks; a bar joins methods that differ by less than the critical difference.

    ``ranks`` has shape (n_methods,), ``groups`` are of :func:`zslcore.analysis.ranking.groups`, and
    the critical difference is drawn to scale below.
    """
    order = np.argsort(ranks, kind="stable")
    names, n = escaped([methods[j] for j in order]), len(order)
    place = {int(j): k for k, j in enumerate(order)}
    figure = go.Figure(
        go.Scatter(
            x=ranks[order],
            y=np.arange(n),
            mode="markers",
            marker={"color": HARMONIC.color, "symbol": HARMONIC.symbol, "size": 10},
            customdata=names,
            hovertemplate="%{customdata}: mean rank %{x:.2f}<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[1, 1 + critical],
        y=[n - 0.2, n - 0.2],
        mode="lines+text",
        text=[f"CD = {critical:.2f}", ""],
        textposition="top right",
        line={"color": FAINT, "width": 4},
        hoverinfo="skip",
    )
    for k, group in enumerate(groups):
        rows, x = [place[j] for j in group], 0.55 - 0.12 * (k % 3)
        ends = {"y0": min(rows) - 0.25, "y1": max(rows) + 0.25}
        figure.add_shape(
            type="line", x0=x, x1=x, **ends, line={"color": HARMONIC.color, "width": 4}
        )
    figure.update_xaxes(title="mean rank", range=[0.1, n + 0.6], fixedrange=True, dtick=1)
    figure.update_yaxes(
        tickvals=np.arange(n),
        ticktext=names,
        range=[n + 0.3, -0.6],
        fixedrange=True,
        showgrid=False,
        zeroline=False,
    )
    figure.update_layout(showlegend=False)
    return quiet(figure, height=110 + _ROW * (n + 1))


@dataclass(frozen=True, slots=True)
class Path:
    """What a result states of its seen-unseen curve: two points, (seen, unseen) as fractions.

    ``plain`` is at gamma = 0, ``at_gamma`` at the gamma that counts, None without one.
    """

    name: str
    plain: tuple[float, float]
    at_gamma: tuple[float, float] | None


@cached_figure
def operating_points(paths: Sequence[Path], chosen: str) -> go.Figure:
    """Draw seen over unseen accuracy of every method at gamma = 0 and at the gamma that counts.

    ``chosen`` is the name of the one in colour.
    """
    figure = go.Figure()
    _add_iso_lines(figure, paths)
    for path in sorted(paths, key=lambda path: path.name == chosen):
        figure.add_trace(_two_points(path, marked=path.name == chosen))
    figure.update_xaxes(title_text="accuracy on unseen classes, u")
    figure.update_yaxes(title_text="on seen classes, s")
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(ticksuffix=" %", rangemode="tozero", fixedrange=True)
    return quiet(figure, height=320 if narrow() else 380)


def _two_points(path: Path, *, marked: bool) -> go.Scatter:
    """Return the stated points of a curve, joined by dots: what lies between is not stated."""
    points = [path.plain] + ([path.at_gamma] if path.at_gamma else [])
    words = ["γ = 0", "validated γ"][: len(points)]
    color = VALIDATED.color if marked else FAINT
    return go.Scatter(
        x=[100 * u for _, u in points],
        y=[100 * s for s, _ in points],
        mode="lines+markers+text" if marked else "lines+markers",
        text=words if marked else None,
        textposition="top right",
        name=path.name,
        showlegend=False,
        line={"color": color, "dash": "dot", "width": 2 if marked else 1},
        marker={
            "color": color,
            "symbol": ["circle", "square"][: len(points)],
            "size": 12 if marked else 7,
        },
        customdata=escaped([f"{path.name}, {at}" for at in words]),
        hovertemplate="%{customdata}<br>unseen %{x:.1f} %, seen %{y:.1f} %<extra></extra>",
    )


def _add_iso_lines(figure: go.Figure, paths: Sequence[Path]) -> None:
    """Draw arcs of equal H, up to the largest accuracies shown."""
    shown = [point for path in paths for point in (path.plain, path.at_gamma) if point]
    right = max(u for _, u in shown) * 1.1
    above = max(s for s, _ in shown) * 1.08
    for h in _ISO:
        u = np.linspace(h / 2 + 1e-3, right, 200)
        s = h * u / (2 * u - h)
        inside = (s <= above) & (s > 0)
        if inside.sum() < 2:
            continue
        figure.add_scatter(
            x=100 * u[inside],
            y=100 * s[inside],
            mode="lines",
            line={"color": FAINT, "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_annotation(
            x=100 * u[inside][-1],
            y=100 * s[inside][-1],
            text=f"H {100 * h:.0f}",
            showarrow=False,
            xanchor="right",
            yshift=8,
            font={"size": 11, "color": NEUTRAL.color},
        )
