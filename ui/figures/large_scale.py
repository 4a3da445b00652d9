"""Accuracy on the nine ImageNet test sets, and against what makes a set hard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from ui.figures.curves import several_curves
from ui.figures.marks import legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL, UNSEEN, quiet
from zslcore.metrics import SeenUnseenCurve

__all__ = [
    "against",
    "candidates",
    "curve_near",
    "precisions",
    "sets_at_depths",
    "with_training_classes",
]

#: How deep answers are looked at: the deeper, the emptier the mark.
_DEPTHS = {1: "diamond", 5: "diamond-open", 10: "diamond-wide-open"}
_PERCENT = "%{y:.1%}"


@drawn_once
def sets_at_depths(table: pd.DataFrame, printed: pd.DataFrame | None) -> go.Figure:
    """Draw top-1, -5 and -10 accuracy of every set, as the benchmark's figure 5 does.

    Parameters
    ----------
    table : rows of one task of :meth:`zslcore.analysis.large_scale.LargeScale.table`
    printed : the benchmark's table 5, methods as rows and sets as columns; drawn as grey points
    """
    figure = go.Figure()
    if printed is not None:
        long = printed.melt(ignore_index=False, var_name="set").dropna().reset_index()
        long = long[long["set"].isin(table["set"])]
        figure.add_trace(_of_papers(long))
    for k, symbol in _DEPTHS.items():
        rows = table[table["k"] == k]
        figure.add_trace(
            go.Scatter(
                x=rows["set"],
                y=rows["per_class"],
                name=f"top-{k}",
                mode="markers",
                marker={"symbol": symbol, "color": UNSEEN.color, "size": 12, "line_width": 2},
                customdata=rows[["candidates", "images"]],
                hovertemplate=f"%{{x}}, top-{k}: {_PERCENT}<br>%{{customdata[0]:,}} candidates, "
                "%{customdata[1]:,} images<extra></extra>",
            )
        )
    _accuracy_axis(figure)
    figure.update_xaxes(
        categoryorder="array", categoryarray=list(dict.fromkeys(table["set"])), fixedrange=True
    )
    return legend_on_top(quiet(figure, height=400))


def _of_papers(long: pd.DataFrame) -> go.Scatter:
    return go.Scatter(
        x=long["set"],
        y=long["value"],
        name="printed top-1",
        mode="markers",
        marker={"symbol": "line-ew-open", "color": NEUTRAL.color, "size": 14, "line_width": 2},
        customdata=long["method"],
        hovertemplate=f"%{{customdata}}, printed: {_PERCENT}<extra></extra>",
    )


@drawn_once
def with_training_classes(table: pd.DataFrame, k: int) -> go.Figure:
    """Draw what is lost when training classes may be answered too, as the benchmark's figure 6.

    Parameters
    ----------
    table : both tasks, of :meth:`zslcore.analysis.large_scale.LargeScale.table`
    k : depth
    """
    wide = table[table["k"] == k].pivot_table(
        index="set", columns="task", values="per_class", sort=False
    )
    figure = go.Figure()
    for name in wide.index:
        figure.add_trace(
            go.Scatter(
                x=[name, name],
                y=wide.loc[name, ["zsl", "gzsl"]],
                mode="lines",
                line={"color": FAINT, "width": 4},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    looks = (
        ("zsl", "among unseen classes", UNSEEN.symbol),
        ("gzsl", "among training classes, too", f"{UNSEEN.symbol}-open"),
    )
    for task, said, symbol in looks:
        figure.add_trace(
            go.Scatter(
                x=list(wide.index),
                y=wide[task],
                name=said,
                mode="markers",
                marker={
                    "symbol": symbol,
                    "color": UNSEEN.color,
                    "size": 12,
                    "line": {"width": 2, "color": UNSEEN.color},
                },
                hovertemplate=f"%{{x}}, {said}: {_PERCENT}<extra></extra>",
            )
        )
    _accuracy_axis(figure)
    figure.update_xaxes(fixedrange=True)
    return legend_on_top(quiet(figure, height=380))


@drawn_once
def curve_near(name: str, curve: SeenUnseenCurve) -> go.Figure:
    """Draw a seen-unseen curve that stays near 0, on axes of its own.

    Parameters
    ----------
    name : of the method
    curve : SeenUnseenCurve
    """
    figure = go.Figure(several_curves({name: (curve, None)}))
    return figure.update_layout(
        xaxis={"range": [0, 1.08 * float(curve.unseen.max())], "tickformat": ".1%"},
        yaxis={"range": [0, 1.08 * float(curve.seen.max())], "tickformat": ".1%"},
    )


@drawn_once
def candidates(table: pd.DataFrame, k: int) -> go.Figure:
    """Draw accuracy over the number of candidates, a point a set, and chance.

    Parameters
    ----------
    table : rows of one task, of :meth:`zslcore.analysis.large_scale.LargeScale.table`
    k : depth
    """
    rows = table[table["k"] == k].sort_values("candidates")
    n = np.array([rows["candidates"].min(), rows["candidates"].max()], dtype=float)
    figure = go.Figure(_chance(n, np.minimum(1, k / n)))
    # Two lists of one length stand on one line: the names of L sets are written below.
    for below in (False, True):
        part = rows[rows["set"].str.startswith("L") == below]
        figure.add_trace(
            go.Scatter(
                x=part["candidates"],
                y=part["per_class"],
                name="least populated" if below else "all other sets",
                mode="markers+text",
                text=part["set"],
                textposition="bottom center" if below else "top center",
                textfont={"color": INK.color},
                marker={
                    "symbol": f"{UNSEEN.symbol}-open" if below else UNSEEN.symbol,
                    "color": UNSEEN.color,
                    "size": 12,
                    "line": {"width": 2, "color": UNSEEN.color},
                },
                customdata=part["images"],
                hovertemplate=f"%{{text}}: {_PERCENT}, %{{customdata:,}} images<extra></extra>",
            )
        )
    ticks = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]
    figure.update_xaxes(
        title="candidates",
        type="log",
        fixedrange=True,
        tickvals=ticks,
        ticktext=[f"{tick:,}" for tick in ticks],
        range=np.log10([0.8 * n[0], 1.25 * n[1]]).tolist(),
    )
    _accuracy_axis(figure)
    return legend_on_top(quiet(figure, height=400))


@drawn_once
def against(table: pd.DataFrame, names: Sequence[str], title: str) -> go.Figure:
    """Draw the accuracy of groups of classes, and chance.

    Parameters
    ----------
    table : with the columns classes, accuracy and chance, a group a row
    names : of the groups
    title : of the axis they stand along
    """
    figure = go.Figure(
        [
            _chance(list(names), table["chance"]),
            go.Scatter(
                x=list(names),
                y=table["accuracy"],
                name="accuracy",
                mode="lines+markers",
                marker={"symbol": UNSEEN.symbol, "color": UNSEEN.color, "size": 11},
                line={"color": UNSEEN.color},
                customdata=table["classes"],
                hovertemplate=f"%{{x}}: {_PERCENT} of %{{customdata:,}} classes<extra></extra>",
            ),
        ]
    )
    figure.update_xaxes(title=title, type="category", fixedrange=True)
    _accuracy_axis(figure, log=False)
    return legend_on_top(quiet(figure, height=320))


@drawn_once
def precisions(table: pd.DataFrame, name: str) -> go.Figure:
    """Draw hierarchical precision over k next to top-k accuracy, for one set.

    Parameters
    ----------
    table : of :func:`zslcore.analysis.large_scale.hierarchical_precision`
    name : of the set
    """
    rows = table[table["set"] == name]
    figure = go.Figure()
    for column, said, mark in (
        ("hp", "hierarchical precision", HARMONIC),
        ("flat", "right class among the first k", UNSEEN),
    ):
        figure.add_trace(
            go.Scatter(
                x=rows["k"].astype(str),
                y=rows[column],
                name=said,
                mode="lines+markers",
                line={"color": mark.color, "dash": mark.dash},
                marker={"symbol": mark.symbol, "size": 11},
                hovertemplate=f"k = %{{x}}, {said}: {_PERCENT}<extra></extra>",
            )
        )
    figure.update_xaxes(title="k", type="category", fixedrange=True)
    _accuracy_axis(figure, log=False)
    figure.update_yaxes(title="share")
    return legend_on_top(quiet(figure, height=340))


def _chance(x: ArrayLike, y: ArrayLike) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        name="chance",
        mode="lines",
        line={"color": NEUTRAL.color, "dash": "dot", "width": 2},
        hovertemplate="chance: %{y:.3%}<extra></extra>",
    )


def _accuracy_axis(figure: go.Figure, *, log: bool = True) -> None:
    """Give accuracy an axis in percent; sets of 500 and of 20,000 share one only in logarithms."""
    figure.update_yaxes(title="accuracy, mean of classes", gridcolor=FAINT, fixedrange=True)
    if log:
        ticks = [1e-4, 1e-3, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
        named = [f"{100 * tick:g} %" for tick in ticks]
        figure.update_yaxes(type="log", tickvals=ticks, ticktext=named)
    else:
        figure.update_yaxes(tickformat=".1%", rangemode="tozero")
