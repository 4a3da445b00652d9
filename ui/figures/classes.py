"""Classes by their images, by their descriptions and by whether the extractor had met them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import (
    LOOKS,
    class_axis,
    escaped,
    hatch,
    legend_on_top,
    marked,
    names_fit,
)
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, OVERLAP, SEQUENTIAL, UNSEEN, quiet

__all__ = ["attribute_map", "class_counts", "overlap_counts"]

#: More attributes than this cannot be named; their map leaves room for the names of classes.
MOST_ATTRIBUTES = 40


@drawn_once
def class_counts(table: pd.DataFrame) -> go.Figure:
    """Draw the images of every class, in the order of ``table``, test classes marked.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.class_table`
    """
    figure = go.Figure()
    place = np.arange(len(table))
    names = escaped(table["class"])
    for role, label in (
        ("seen", "seen"),
        ("unseen", "unseen, test classes"),
        ("both", "trained and tested as unseen"),
        ("none", "in no part of the split"),
    ):
        mark = LOOKS[role]
        chosen = (table["role"] == role).to_numpy()
        if not chosen.any():
            continue
        figure.add_bar(
            x=place[chosen],
            y=table["images"][chosen],
            name=label,
            marker={
                "color": mark.color,
                "line_width": 0,
                "pattern": hatch(mark.pattern),
            },
            customdata=names[chosen],
            hovertemplate="%{customdata}: %{y:,} images<extra></extra>",
        )
    known = table["imagenet1k"].fillna("").astype(bool).to_numpy()
    if known.any():
        figure.add_scatter(
            x=place[known],
            y=np.full(known.sum(), -0.035 * table["images"].max()),
            mode="markers",
            name="among ImageNet-1K's classes",
            marker={"symbol": OVERLAP.symbol, "color": OVERLAP.color, "size": 8},
            customdata=names[known],
            hovertemplate="%{customdata} is among ImageNet-1K's classes<extra></extra>",
        )
    class_axis(figure, table["class"], table["role"])
    figure.update_yaxes(title_text="images", gridcolor=FAINT, zeroline=False)
    return legend_on_top(quiet(figure, height=430)).update_layout(bargap=0.15)


@drawn_once
def attribute_map(table: pd.DataFrame, roles: Sequence[str]) -> go.Figure:
    """Draw prototypes as a heat map, one line per class, names in the colour of their role.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.attribute_table`
    roles : role of every row of ``table``, as in :func:`zslcore.analysis.inventory.class_table`
    """
    classes, attributes = escaped(table.index), escaped(table.columns)
    figure = go.Figure(
        go.Heatmap(
            z=table.to_numpy(),
            colorscale=SEQUENTIAL,
            colorbar={
                "thickness": 10,
                "outlinewidth": 0,
                "tickfont_size": 12,
                "lenmode": "pixels",
                "len": 150,
                "y": 1,
                "yanchor": "top",
            },
            customdata=np.broadcast_to(classes[:, None], table.shape),
            text=np.broadcast_to(attributes[None, :], table.shape),
            hovertemplate="%{customdata} · %{text}: %{z:.3g}<extra></extra>",
            xgap=1 if table.shape[1] <= 2 * MOST_ATTRIBUTES else 0,
            ygap=1,
        )
    )
    labels = [marked(name, role, bold=False) for name, role in zip(table.index, roles, strict=True)]
    figure.update_yaxes(
        autorange="reversed", tickvals=np.arange(len(labels)), ticktext=labels, tickfont_size=13
    )
    legible = names_fit(table.shape[1], MOST_ATTRIBUTES)
    figure.update_xaxes(
        side="top",
        tickvals=np.arange(len(attributes)) if legible else [],
        ticktext=attributes if legible else [],
        tickangle=-60,
        tickfont_size=12,
        title_text="" if legible else f"{len(attributes):,} attributes; point at one for its name",
    )
    headroom = 20 + (7 * max(map(len, table.columns)) if legible else 20)
    return quiet(figure, height=min(headroom, 190) + 20 + 19 * len(labels))


@drawn_once
def overlap_counts(table: pd.DataFrame) -> go.Figure:
    """Draw the images of every unseen class, those that the extractor had met in another colour.

    Parameters
    ----------
    table : rows of :func:`zslcore.analysis.inventory.class_table` that are unseen
    """
    figure = go.Figure()
    known = table["imagenet1k"].fillna("").astype(bool).to_numpy()
    place = np.arange(len(table))
    for mark, label, chosen in (
        (OVERLAP, "among ImageNet-1K's classes", known),
        (UNSEEN, "not known to be among them", ~known),
    ):
        figure.add_bar(
            x=place[chosen],
            y=table["images"][chosen],
            name=label,
            marker={"color": mark.color, "pattern": hatch(mark.pattern), "line_width": 0},
            customdata=escaped(table["class"])[chosen],
            hovertemplate=f"%{{customdata}}, {label}: %{{y:,}} images<extra></extra>",
        )
    class_axis(figure, table["class"], table["role"])
    figure.update_yaxes(title_text="images", gridcolor=FAINT, zeroline=False)
    return legend_on_top(quiet(figure, height=380)).update_layout(bargap=0.25)
