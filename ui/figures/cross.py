"""Two data sets with the same classes: images per class, and accuracies of one on the other."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import class_axis, escaped, hatch, legend_on_top, panels, whiskers
from ui.figures.palette import (
    FAINT,
    FIRST,
    HARMONIC,
    NEUTRAL,
    SECOND,
    UNSEEN,
    Mark,
    narrow,
    quiet,
    translucent,
)
from zslcore.metrics.significance import PairedTest


@cached_figure
def image_counts(table: pd.DataFrame, first: str, second: str) -> go.Figure:
    """Draw the images per class of two data sets, test classes on a band and with their mark."""
    figure = go.Figure()
    for column, name, mark in (("first", first, FIRST), ("second", second, SECOND)):
        figure.add_bar(
            x=np.arange(len(table)),
            y=table[column],
            name=escape(name),
            marker={"color": mark.color, "pattern": hatch(mark.pattern), "line_width": 0},
            customdata=np.stack([escaped(table["class"]), table["role"]], axis=1),
            hovertemplate=f"%{{customdata[0]}}, %{{customdata[1]}}: %{{y:,}} images in "
            f"{escape(name)}<extra></extra>",
        )
    is_unseen = (table["role"] == "unseen").to_numpy()
    figure.add_bar(
        x=np.flatnonzero(is_unseen),
        y=np.full(is_unseen.sum(), 1.04 * table[["first", "second"]].to_numpy().max()),
        name="unseen: test classes",
        marker={"color": translucent(UNSEEN.color, 0.22), "line_width": 0},
        width=0.98,
        offset=-0.49,
        zorder=-1,
        hoverinfo="skip",
    )
    class_axis(figure, table["class"], table["role"])
    figure.update_yaxes(title_text="images", gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_xaxes(fixedrange=True)
    return legend_on_top(quiet(figure, height=430)).update_layout(bargap=0.2, bargroupgap=0)


@cached_figure
def four_accuracies(tables: Mapping[str, pd.DataFrame], first: str, second: str) -> go.Figure:
    """Draw what every method reaches, trained on either data set and tested on both.

    A line joins the two tests of one fit: a short one says that the test set matters little, lines
    far from each other that the training set does. Each title has a panel of its four cells.
    """
    methods = list(dict.fromkeys(m for table in tables.values() for m in table.index))
    place = {method: k for k, method in enumerate(reversed(methods))}
    figure, at = panels(list(tables), spacing=0.03, share_x=True, share_y=True)
    for column, table in enumerate(tables.values(), start=1):
        a11, a12, a22, a21 = (table[cell].to_numpy(dtype=float) for cell in table)
        y = np.array([place[method] for method in table.index], dtype=float)
        for own, other, name, mark, up in (
            (a11, a12, first, FIRST, 0.17),
            (a22, a21, second, SECOND, -0.17),
        ):
            options: dict[str, Any] = {
                "y": y + up,
                "customdata": escaped(table.index),
                "mark": mark,
            }
            traces = [
                _joined(own, other, y + up, mark),
                _points(own, f"trained and tested on {name}", filled=True, **options),
                _points(other, f"trained on {name}, tested on the other", filled=False, **options),
            ]
            for trace in traces:
                trace.showlegend = column == 1 and trace.mode == "markers"
            for trace in traces:
                figure.add_trace(trace, **at(column))
    figure.update_yaxes(
        tickvals=list(place.values()),
        ticktext=escaped(place),
        range=[-0.6, len(methods) - 0.4],
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(tickformat=".0%", gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_layout(
        legend={"orientation": "h", "y": -0.1, "yanchor": "top", "x": 0, "traceorder": "normal"}
    )
    return quiet(figure, height=150 + 30 * len(methods) * (len(tables) if narrow() else 1))


def _joined(a: np.ndarray, b: np.ndarray, y: np.ndarray, mark: Mark) -> go.Scatter:
    gap = np.full(len(y), np.nan)
    return go.Scatter(
        x=np.stack([a, b, gap], axis=1).ravel(),
        y=np.repeat(y, 3),
        mode="lines",
        line={"color": mark.color, "width": 2.5},
        hoverinfo="skip",
    )


def _points(
    x: np.ndarray, name: str, *, y: np.ndarray, customdata: np.ndarray, mark: Mark, filled: bool
) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        name=escape(name),
        legendgroup=name,
        marker={
            "symbol": mark.symbol + ("" if filled else "-open"),
            "color": mark.color,
            "size": 11,
            "line": {"width": 2, "color": mark.color},
        },
        customdata=customdata,
        hovertemplate=f"%{{customdata}}, {escape(name)}: %{{x:.1%}}<extra></extra>",
    )


@cached_figure
def difference_strips(
    tables: Mapping[str, tuple[pd.DataFrame, Mapping[str, PairedTest]]], labels: Mapping[str, str]
) -> go.Figure:
    """Draw all pairs' differences with their mean and its interval, one line a question.

    Tables are by the title of a panel; labels are what stands at the line of each question.
    """
    place = {asked: len(labels) - 1 - k for k, asked in enumerate(labels)}
    figure, at = panels(list(tables), spacing=0.03, share_x=True, share_y=True)
    for column, (table, tests) in enumerate(tables.values(), start=1):
        traces = [_every_pair(table, place), _means(tests, place)]
        for trace in traces:
            trace.showlegend = column == 1
        for trace in traces:
            figure.add_trace(trace, **at(column))
        for asked, test in tests.items():
            figure.add_annotation(
                text=f"p = {test.p:.2g}",
                x=1,
                xref="x domain",
                y=place[asked] + 0.15,
                xanchor="right",
                showarrow=False,
                **at(column),
            )
        figure.add_vline(0, line={"color": NEUTRAL.color, "width": 1.5}, **at(column))
    figure.update_yaxes(
        tickvals=list(place.values()),
        ticktext=list(labels.values()),
        range=[-0.5, len(labels) - 0.5],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
    for column in range(len(tables) if narrow() else 1, len(tables) + 1):
        figure.update_xaxes(title_text="difference, points", **at(column))
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0})
    return quiet(figure, height=180 + 70 * len(labels) * (len(tables) if narrow() else 1))


def _every_pair(table: pd.DataFrame, place: Mapping[str, int]) -> go.Scatter:
    below = table.groupby("asked").cumcount() % 5  # separate, the same in every drawing
    return go.Scatter(
        x=100 * table["difference"],
        y=table["asked"].map(place) - 0.12 - 0.06 * below,
        mode="markers",
        name="a pair",
        marker={"symbol": "circle-open", "color": HARMONIC.color, "size": 8},
        customdata=np.stack([escaped(table["method"]), escaped(table["pair"])], axis=1),
        hovertemplate="%{customdata[0]}, %{customdata[1]}: %{x:+.1f} points<extra></extra>",
    )


def _means(tests: Mapping[str, PairedTest], place: Mapping[str, int]) -> go.Scatter:
    mean = np.array([100 * test.mean_difference for test in tests.values()])
    low, high = (np.array([100 * test.interval[k] for test in tests.values()]) for k in (0, 1))
    return go.Scatter(
        x=mean,
        y=[place[asked] + 0.15 for asked in tests],
        mode="markers",
        name="mean and 95 % interval",
        marker={"symbol": "square", "color": HARMONIC.color, "size": 11},
        error_x=whiskers(mean, low, high, HARMONIC.color),
        hovertemplate="mean %{x:+.2f} points<extra></extra>",
    )
