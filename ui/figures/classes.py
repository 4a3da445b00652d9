"""Classes by their images, by their descriptions and by whether the extractor had met them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import (
    escaped,
    marked,
    names_fit,
)
from ui.figures.once import drawn_once
from ui.figures.palette import SEQUENTIAL, quiet

__all__ = ["attribute_map"]

#: More attributes than this cannot be named; their map leaves room for the names of classes.
MOST_ATTRIBUTES = 40


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
