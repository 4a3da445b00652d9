"""Accuracy of test classes the extractor knew beside those it did not, and who wins without."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, hatch, legend_on_top
from ui.figures.palette import FAINT, HARMONIC, OVERLAP, UNSEEN, quiet

__all__ = ["class_accuracy_bars", "clean_slopes"]

#: More classes than this cannot be named under their bars.
MOST_NAMES = 50
#: Sides in their order: (overlapping, name in the legend, letter before a class, mark).
SIDES = (
    (True, "overlapping: the extractor was trained on it", "▲", OVERLAP),
    (False, "clean: truly unseen", "◆", UNSEEN),
)


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
        chosen = (table["overlapping"] == side).to_numpy()
        part = table[chosen]
        width = np.where(part["class"] == picked, 3, 0)
        figure.add_bar(
            x=place[chosen],
            y=part["accuracy"],
            name=label,
            marker={
                "color": mark.color,
                "pattern": hatch(mark.pattern),
                "line": {"width": width, "color": HARMONIC.color},
            },
            error_y={
                "array": part["high"] - part["accuracy"],
                "arrayminus": part["accuracy"] - part["low"],
                "color": "#808080",
                "thickness": 1.2,
                "width": 3 if len(table) <= MOST_NAMES else 0,
            },
            customdata=np.stack([names[chosen], part["correct"], part["images"]], axis=1),
            hovertemplate="%{customdata[0]}: %{y:.1%}, %{customdata[1]} of %{customdata[2]} images"
            "<extra></extra>",
        )
        if side in means:
            figure.add_trace(_mean_line(means[side], len(table), side, mark))
    legible = len(table) <= MOST_NAMES
    glyph = {side: f'<span style="color:{mark.color}">{g}</span>' for side, _, g, mark in SIDES}
    labels = [f"{glyph[o]} {n}" for o, n in zip(table["overlapping"], names, strict=True)]
    figure.update_xaxes(
        tickvals=place if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if len(table) > 12 else -25,
        title_text="" if legible else f"{len(table):,} test classes; point at one for its name",
        range=[-0.6, len(table) - 0.4],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], gridcolor=FAINT, fixedrange=True)
    figure.update_layout(bargap=0.2, barmode="overlay")
    return legend_on_top(quiet(figure, height=420))


def _mean_line(mean: float, n: int, side: bool, mark) -> go.Scatter:
    name = "ACC_OUC" if side else "ACC_TUC"
    return go.Scatter(
        x=[-0.6, n - 0.4],
        y=[mean, mean],
        mode="lines",
        name=f"{name} {100 * mean:.1f} %",
        line={"color": mark.color, "width": 2, "dash": "dash" if side else "dot"},
        hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>",
    )


def clean_slopes(table: pd.DataFrame) -> go.Figure:
    """Draw every method's accuracy on all test classes beside that on the clean ones.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.overlap_tables.method_gains`
    """
    figure = go.Figure()
    best = set(table.loc[(table["rank_all"] == 1) | (table["rank_clean"] == 1), "method"])
    for row in table.itertuples():
        color = UNSEEN.color if row.method in best else "#8C8C8C"
        figure.add_scatter(
            x=["all test classes", "clean classes"],
            y=[row.all, row.clean],
            mode="lines+markers+text",
            text=[f"{row.rank_all}. {row.method} ", f" {row.rank_clean}. {row.method}"],
            textposition=["middle left", "middle right"],
            line={"color": color, "width": 3 if row.method in best else 1.5},
            marker={"symbol": UNSEEN.symbol, "size": 9},
            hovertemplate=f"{escaped([row.method])[0]}, %{{x}}: %{{y:.1%}}<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(range=[-0.6, 1.6], showgrid=False, fixedrange=True)
    figure.update_yaxes(tickformat=".0%", gridcolor=FAINT, fixedrange=True)
    return quiet(figure, height=320)
