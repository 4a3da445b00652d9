"""Accuracy of test classes the extractor knew beside those it did not, and who wins without."""

from __future__ import annotations

from html import escape

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
                "color": "#6B6B6B" if len(table) <= MOST_NAMES else FAINT,
                "thickness": 1.8,
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
        tickangle=-60 if len(table) > 10 else 0,
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
    best = (table["rank_all"] == 1) | (table["rank_clean"] == 1)
    apart = 0.065 * max(table["all"].max() - table["clean"].min(), 0.01)
    for row, wins in zip(table.itertuples(), best, strict=True):
        figure.add_scatter(
            x=["all test classes", "clean classes"],
            y=[row.all, row.clean],
            mode="lines+markers",
            line={"color": HARMONIC.color if wins else "#A0A0A0", "width": 4 if wins else 1.5},
            marker={"symbol": HARMONIC.symbol, "size": 10 if wins else 7},
            hovertemplate=f"{escape(row.method)}, %{{x}}: %{{y:.1%}}<extra></extra>",
            showlegend=False,
        )
    for x, column, anchor, shift in ((0, "all", "right", -12), (1, "clean", "left", 12)):
        for place, (_, row) in zip(
            _spread(table[column].to_numpy(), apart), table.iterrows(), strict=True
        ):
            name = f"{row[f'rank_{column}']}. {escape(row['method'])}"
            figure.add_annotation(
                x=x,
                y=place,
                text=f"<b>{name}</b>" if row[f"rank_{column}"] == 1 else name,
                xanchor=anchor,
                xshift=shift,
                showarrow=False,
                font_size=14,
            )
    figure.update_xaxes(range=[-0.75, 1.75], showgrid=False, fixedrange=True)
    figure.update_yaxes(tickformat=".0%", gridcolor=FAINT, fixedrange=True, zeroline=False)
    return quiet(figure, height=max(320, 90 + 26 * len(table)))


def _spread(values: np.ndarray, apart: float) -> np.ndarray:
    """Move places down where two would be nearer than ``apart``, so that names can be read."""
    places, limit = values.astype(float), np.inf
    for k in np.argsort(-values, kind="stable"):
        places[k] = min(values[k], limit)
        limit = places[k] - apart
    return places
