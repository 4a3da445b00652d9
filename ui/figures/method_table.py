"""Figures of methods: metrics with intervals, and mean ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL, Mark
from ui.figures.vocabulary import Chart, Part, axis, dots, figure, line, scatter, whiskers

_ROW = 22  # height of a method's row, in pixels
_BELOW = 48  # height of the labels and title of an axis, in pixels


@cached_figure
def rank_forest(shown: pd.DataFrame, title: str, *, top: int, row: int) -> Chart:
    """Draw metric, interval and rank of each method next to printed values, in rows of a table.

    ``shown`` comes from :func:`zslcore.analysis.method_table.ranked`, with the added columns
    ``printed`` (NaN without a printed value) and ``ranks`` (text); methods without a
    value have an empty row. ``title`` is the title of the axis. The rows start at ``top`` and are
    ``row`` high, in pixels.
    """
    has_value, has_interval = shown["value"].notna().to_numpy(), shown["first"].notna().to_numpy()
    best = (shown["first"] == 1).to_numpy()
    traces = [
        _results(shown, mask, mark, symbol, name)
        for mask, mark, symbol, name in (
            (best, INK, "circle", "not significantly worse"),
            (~best & has_interval, HARMONIC, "circle-open", "significantly worse"),
            (has_value & ~has_interval, HARMONIC, "x", "no interval"),
        )
        if mask.any()
    ]
    if shown["printed"].notna().any():
        traces.append(_printed(shown))
    return figure(
        traces,
        height=top + row * len(shown) + _BELOW,
        legend="top",
        margin={"t": top, "b": _BELOW},
        xaxis=axis(title, grid=True, ticksuffix=" %"),
        yaxis=axis(names=list(shown.index), grid=False, range=[len(shown) - 0.5, -0.5]),
        showlegend=True,
    )


def _results(shown: pd.DataFrame, mask: np.ndarray, mark: Mark, symbol: str, name: str) -> Part:
    """Return the results selected by ``mask`` as points with their intervals."""
    rows, x = shown[mask], 100 * shown["value"][mask]
    ends = whiskers(x, 100 * rows["low"], 100 * rows["high"], mark.color)
    return scatter(
        x=x,
        y=np.flatnonzero(mask),
        name=name,
        marker=dots(mark, 10, symbol=symbol),
        error_x=None if symbol == "x" else ends,
        customdata=rows.index + ", rank " + rows["ranks"],
        hovertemplate="%{customdata}<br>%{x:.1f} %<extra></extra>",
    )


def _printed(shown: pd.DataFrame) -> Part:
    """Return the printed values as points."""
    has_value = shown["printed"].notna().to_numpy()
    return scatter(
        x=100 * shown["printed"][has_value],
        y=np.flatnonzero(has_value),
        name="printed",
        marker=dots(NEUTRAL, 9, symbol="diamond-open"),
        customdata=shown.index[has_value],
        hovertemplate="%{customdata}, printed<br>%{x:.1f} %<extra></extra>",
    )


@cached_figure
def rank_diagram(
    ranks: np.ndarray, methods: Sequence[str], groups: Sequence[Sequence[int]], critical: float
) -> Chart:
    """Draw mean ranks; a bar joins methods that differ by less than the critical difference.

    ``ranks`` has shape (n_methods,), ``groups`` come from :func:`zslcore.analysis.ranking.groups`;
    the critical difference is drawn to scale below the ranks.
    """
    order = np.argsort(ranks, kind="stable")
    names, n = [methods[j] for j in order], len(order)
    row_of = {int(j): k for k, j in enumerate(order)}
    means = scatter(
        x=ranks[order],
        y=np.arange(n),
        marker=dots(HARMONIC, 10),
        customdata=names,
        hovertemplate="%{customdata}: mean rank %{x:.2f}<extra></extra>",
    )
    scale = line(
        FAINT,
        width=4,
        mode="lines+text",
        x=[1, 1 + critical],
        y=[n - 0.2, n - 0.2],
        text=[f"CD = {critical:.2f}", ""],
        textposition="top right",
    )
    joins = []
    for k, group in enumerate(groups):
        rows, x = [row_of[j] for j in group], 0.55 - 0.12 * (k % 3)
        ends = {"x0": x, "x1": x, "y0": min(rows) - 0.25, "y1": max(rows) + 0.25}
        joins.append({"type": "line", "line": {"color": HARMONIC.color, "width": 4}, **ends})
    return figure(
        [means, scale],
        height=110 + _ROW * (n + 1),
        xaxis=axis("mean rank", range=[0.1, n + 0.6], dtick=1),
        yaxis=axis(names=names, grid=False, range=[n + 0.3, -0.6]),
        shapes=joins,
        showlegend=False,
    )
