"""Gains of extractors over a baseline without pre-training, and accuracies of action classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, filled, hatch, legend_on_top, panels, row_axis, whiskers
from ui.figures.once import drawn_once
from ui.figures.palette import (
    FAINT,
    FIRST,
    HARMONIC,
    INK,
    NEUTRAL,
    OVERLAP,
    SECOND,
    UNSEEN,
    Mark,
    narrow,
    quiet,
)

__all__ = ["SIGNIFICANT", "class_bars", "gains_over_baseline"]

#: Below this p, adjusted over all comparisons, a gain is drawn filled.
SIGNIFICANT = 0.05
#: Sets of features in their order; a fifth one begins again.
MARKS = (FIRST, SECOND, HARMONIC, NEUTRAL)
TITLES = {"attributes": "Prototypes: attributes", "word2vec": "Prototypes: word vectors"}
#: Distance between the features of one method, in lines.
OFFSET = 0.2
#: Pixels between two panels below each other, for ticks and a title.
GAP = 60


@drawn_once
def gains_over_baseline(table: pd.DataFrame) -> go.Figure:
    """Draw gains minus the baseline's, a line a method, a panel a kind of prototypes.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.action_tables.action_gains`, without the baseline
    """
    kinds, methods, features = (
        list(dict.fromkeys(table[name])) for name in ("semantics", "method", "features")
    )
    each = (40 + 24 * len(features)) * len(methods)
    figure, at = panels(
        [TITLES[kind] for kind in kinds], spacing=0.04, below=GAP / (each + GAP), share_y=True
    )
    for k, kind in enumerate(kinds, start=1):
        of_kind = table[table["semantics"] == kind]
        for n, name in enumerate(features):
            part = of_kind[of_kind["features"] == name].set_index("method").reindex(methods)
            place = np.arange(len(methods)) + OFFSET * (n - (len(features) - 1) / 2)
            mark = MARKS[n % len(MARKS)]
            figure.add_trace(_gains(part, place, mark, name).update(showlegend=k == 1), **at(k))
            if part["printed"].notna().any():
                figure.add_trace(_printed(part, place).update(showlegend=k == 1), **at(k))
    figure.add_vline(x=0, line={"color": NEUTRAL.color, "width": 1})
    _set_axes(figure, table, methods)
    quiet(figure, height=170 + (each + GAP) * len(kinds) if narrow() else 130 + each)
    figure.update_annotations(font_size=14)
    return figure.update_layout(
        legend={
            "orientation": "h",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "x": 0,
            "title_text": "",
        },
        margin_b=110 if narrow() else 70,
    )


def _set_axes(figure: go.Figure, table: pd.DataFrame, methods: list[str]) -> None:
    """Give all panels one range that holds every interval, and a line to every method."""
    low = min(0, np.nanmin(table[["minus", "minus_low", "printed"]].to_numpy(dtype=float)))
    high = max(0, np.nanmax(table[["minus", "minus_high", "printed"]].to_numpy(dtype=float)))
    reach = 0.06 * (high - low)
    figure.update_xaxes(
        range=[low - reach, high + reach],
        tickformat=".0%",
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    row_axis(figure, methods, above=0.6, below=0.6)


def _gains(part: pd.DataFrame, place: np.ndarray, mark: Mark, name: str) -> go.Scatter:
    value, low, high = (
        part[column].to_numpy(dtype=float) for column in ("minus", "minus_low", "minus_high")
    )
    return go.Scatter(
        x=value,
        y=place,
        name=str(escaped([name])[0]),
        legendgroup=name,
        mode="markers",
        marker=filled(mark, part["p_holm"] < SIGNIFICANT),
        error_x=whiskers(value, low, high, mark.color),
        customdata=np.stack([escaped(part.index), low, high, part["p_holm"]], axis=1),
        hovertemplate="%{customdata[0]}: %{x:+.1%}, from %{customdata[1]:+.1%} to "
        "%{customdata[2]:+.1%}, p %{customdata[3]:.3f}",
    )


def _printed(part: pd.DataFrame, place: np.ndarray) -> go.Scatter:
    """Mark what the paper prints for real videos."""
    return go.Scatter(
        x=part["printed"],
        y=place,
        name="printed, real videos",
        mode="markers",
        marker={"symbol": "x-thin", "size": 10, "line": {"color": INK.color, "width": 2}},
        customdata=escaped(part.index),
        hovertemplate="%{customdata}: %{x:+.1%} printed<extra></extra>",
    )


@drawn_once
def class_bars(table: pd.DataFrame) -> go.Figure:
    """Draw the mean accuracy of every class, best first, and its range over the draws.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.action_tables.action_classes`
    """
    figure, names = go.Figure(), escaped(table["class"])
    for known, label, mark in (
        (True, "in the pre-training set", OVERLAP),
        (False, "truly unseen", UNSEEN),
    ):
        of_side = (table["overlapping"] == known).to_numpy()
        part = table[of_side]
        figure.add_bar(
            x=np.flatnonzero(of_side),
            y=part["accuracy"],
            name=label,
            width=0.8,
            marker={"color": mark.color, "pattern": hatch(mark.pattern)},
            error_y={
                "array": part["highest"] - part["accuracy"],
                "arrayminus": part["accuracy"] - part["lowest"],
                "color": FAINT,
                "thickness": 1,
                "width": 0,
            },
            customdata=np.stack([names[of_side], part["draws"]], axis=1),
            hovertemplate="%{customdata[0]}: %{y:.1%} over %{customdata[1]} draws<extra></extra>",
        )
    figure.update_xaxes(
        tickvals=[],
        title_text=f"{len(table)} classes, best first; point at one for its name",
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], gridcolor=FAINT, fixedrange=True)
    figure.update_layout(barmode="overlay")
    return legend_on_top(quiet(figure, height=420))
