"""A split drawn row by row of its classes, what leaks in another colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, hatch, legend_on_top, marked
from ui.figures.palette import (
    FAINT,
    HARMONIC,
    INK,
    NEUTRAL,
    OVERLAP,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    quiet,
    translucent,
)
from zslcore.leakage.report import Picture

#: More classes than this cannot be labelled at their bars.
MOST_NAMES = 60

#: (column of the table, name in the legend, mark, opacity, hatch in print).
_WHERE = (
    ("trained", "trained on", SEEN, 1.0, ""),
    ("test_seen", "test, seen", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen", UNSEEN, 1.0, UNSEEN.pattern),
    ("known", "leak: class in the pre-training set", OVERLAP, 0.75, "|"),
    ("leaking", "leak between the parts", OVERLAP, 1.0, OVERLAP.pattern),
    ("unused", "unused", NEUTRAL, 0.45, ""),
)
_ORDER = {"both": 0, "unseen": 1, "seen": 2, "none": 3}


@cached_figure
def leaks_by_class(table: pd.DataFrame) -> go.Figure:
    """Draw one line per class, its images by where they are; unseen classes on top."""
    order = np.lexsort(
        (-table["images"], -table["known"], -table["leaking"], table["role"].map(_ORDER))
    )
    table = table.iloc[order]
    figure = go.Figure()
    for column, label, mark, opacity, pattern in _WHERE:
        if table[column].any():
            figure.add_bar(**_bar(table, column, label, mark, opacity, pattern))
    legible = len(table) <= MOST_NAMES
    names = [marked(n, r, bold=False) for n, r in zip(table["class"], table["role"], strict=True)]
    figure.update_yaxes(
        range=[len(table) - 0.4, -0.6],
        tickvals=np.arange(len(table)) if legible else [],
        ticktext=names if legible else [],
        tickfont_size=12 if len(table) > 20 else 14,
        title_text="" if legible else f"{len(table):,} classes; point at one for its name",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(title_text="images", gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_layout(barmode="stack", bargap=0.15 if legible else 0)
    height = 130 + max(160, min(16 if len(table) > 20 else 26, 700 / len(table)) * len(table))
    return legend_on_top(quiet(figure, height=int(height))).update_layout(margin_t=84)


def _bar(
    table: pd.DataFrame, column: str, label: str, mark: Mark, opacity: float, pattern: str
) -> dict[str, Any]:
    return {
        "y": np.arange(len(table)),
        "x": table[column],
        "orientation": "h",
        "name": label,
        "marker": {
            "color": translucent(mark.color, opacity),
            "pattern": hatch(pattern),
            "line": {"color": mark.color, "width": 0 if opacity == 1 else 1},
        },
        "customdata": escaped(table["class"]),
        "hovertemplate": f"%{{customdata}}: %{{x:,}} images, {label}<extra></extra>",
    }


@cached_figure
def leaks_by_part(table: pd.DataFrame) -> go.Figure:
    """Draw one bar per part of a split without labels, leaking rows in another colour."""
    figure = go.Figure()
    for label, rows, color, pattern in (
        ("rows of this part alone", table["rows"] - table["leaking"], SEEN.color, ""),
        ("leak between the parts", table["leaking"], OVERLAP.color, OVERLAP.pattern),
    ):
        figure.add_bar(
            x=rows,
            y=table["part"].str.replace("_", " "),
            orientation="h",
            name=label,
            marker={"color": color, "pattern": hatch(pattern), "line_width": 0},
            hovertemplate=f"%{{y}}: %{{x:,}} {label}<extra></extra>",
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_xaxes(title_text="rows", gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_layout(barmode="stack", bargap=0.3)
    return legend_on_top(quiet(figure, height=90 + 48 * len(table)))


#: Widest mean letter of a value, in pixels.
LETTER = 6.5


@cached_figure
def picture_of(picture: Picture) -> go.Figure:
    """Draw the picture of a card: bars, or a curve with its points."""
    return _curve(picture) if picture.curve else _bars(picture)


def _bars(picture: Picture) -> go.Figure:
    bars = picture.bars
    figure = go.Figure()
    whole = max(bar.whole for bar in bars)
    for x, color in (
        ([bar.marked for bar in bars], OVERLAP.color),
        ([bar.whole - bar.marked for bar in bars], SEEN.color),
    ):
        figure.add_bar(
            x=x,
            y=[bar.label for bar in bars],
            orientation="h",
            marker={"color": color, "line_width": 0},
            hoverinfo="skip",
        )
    for bar in bars:
        figure.add_annotation(
            x=bar.whole, y=bar.label, text=bar.value, showarrow=False, xanchor="left", xshift=6
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, whole])
    figure.update_layout(barmode="stack", bargap=0.35, showlegend=False)
    # Values stand in the margin: a share of the width would clip them where the figure is narrow.
    right = 14 + LETTER * max(len(bar.value) for bar in bars)
    quiet(figure, height=20 + 38 * len(bars))
    return figure.update_layout(margin={"t": 4, "b": 4, "r": right})


def _curve(picture: Picture) -> go.Figure:
    figure = go.Figure()
    u, s = zip(*picture.curve, strict=True)
    figure.add_scatter(
        x=u, y=s, mode="lines", line={"color": HARMONIC.color, "width": 2.5}, showlegend=False
    )
    looks = (INK, VALIDATED)
    for (label, unseen, seen), look in zip(picture.points, looks, strict=False):
        figure.add_scatter(
            x=[unseen],
            y=[seen],
            mode="markers",
            name=label,
            marker={"color": look.color, "symbol": look.symbol, "size": 11},
        )
    for axis, title in (("xaxis", "unseen accuracy u"), ("yaxis", "seen accuracy s")):
        axes = {"tickformat": ".0%", "range": [-0.02, 1.02], "title_text": title}
        figure.update_layout({axis: axes | {"fixedrange": True, "gridcolor": FAINT}})
    return legend_on_top(quiet(figure, height=260))
