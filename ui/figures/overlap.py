"""Accuracy of test classes in and outside the pre-training set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import crowded, escaped, hatch, legend_on_top, names_fit
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, NEUTRAL, OVERLAP, UNSEEN, Mark, quiet

__all__ = ["class_accuracy_bars"]

#: Sides in their order: (overlapping, name in the legend, letter before a class, mark).
SIDES = (
    (True, "in pre-training", "▲", OVERLAP),
    (False, "not in pre-training", "◆", UNSEEN),
)


@drawn_once
def class_accuracy_bars(table: pd.DataFrame, means: dict[bool, float], picked: str) -> go.Figure:
    """Draw the accuracy of every test class with its interval, best first, and the two means.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.overlap_tables.class_accuracies`
    means : mean accuracy of the overlapping (True) and of the clean classes (False), if any
    picked : class that is looked at, which gets a frame
    """
    figure, place = go.Figure(), np.arange(len(table))
    names = escaped(table["class"])
    for side, label, _, mark in SIDES:
        figure.add_trace(_side(table, side, picked, mark).update(name=label))
        if side in means:
            figure.add_trace(_mean_line(means[side], len(table), side, mark))
    legible = names_fit(len(table))
    glyph = {side: f'<span style="color:{mark.color}">{g}</span>' for side, _, g, mark in SIDES}
    labels = [f"{glyph[o]} {n}" for o, n in zip(table["overlapping"], names, strict=True)]
    figure.update_xaxes(
        tickvals=place if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if crowded(list(table["class"])) else 0,
        title_text="" if legible else f"{len(table):,} test classes; point at one for its name",
        range=[-0.6, len(table) - 0.4],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], gridcolor=FAINT, fixedrange=True)
    figure.update_layout(barmode="overlay")
    return legend_on_top(quiet(figure, height=360 if len(table) <= 12 else 480))


def _side(table: pd.DataFrame, side: bool, picked: str, mark: Mark) -> go.Bar:
    """Draw the overlapping classes (True) or the clean ones with their intervals."""
    chosen = (table["overlapping"] == side).to_numpy()
    part, legible = table[chosen], names_fit(len(table))
    return go.Bar(
        x=np.flatnonzero(chosen),
        y=part["accuracy"],
        width=0.8,  # else a side's bars would fill the distance between its classes
        marker={
            "color": mark.color,
            "pattern": hatch(mark.pattern),
            "line": {"width": np.where(part["class"] == picked, 3, 0), "color": HARMONIC.color},
        },
        error_y={
            "array": part["high"] - part["accuracy"],
            "arrayminus": part["accuracy"] - part["low"],
            "color": NEUTRAL.color if legible else FAINT,
            "thickness": 1.8,
            "width": 3 if legible else 0,
        },
        customdata=np.stack([escaped(part["class"]), part["correct"], part["images"]], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.1%}, %{customdata[1]} of %{customdata[2]} images"
        "<extra></extra>",
    )


def _mean_line(mean: float, n: int, side: bool, mark: Mark) -> go.Scatter:
    name = "in pre-training" if side else "not in pre-training"
    return go.Scatter(
        x=[-0.6, n - 0.4],
        y=[mean, mean],
        mode="lines",
        name=f"{name}: mean {100 * mean:.1f} %",
        line={"color": mark.color, "width": 2, "dash": "dash" if side else "dot"},
        hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>",
    )
