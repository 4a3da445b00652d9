"""A split as images by class and part, with the classes that every fold validates on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.cached import cached_figure
from ui.figures.marks import (
    MOST_NAMES,
    class_axis,
    escaped,
    hatch,
    legend_on_top,
    marked,
    names_fit,
)
from ui.figures.palette import (
    FAINT,
    NEUTRAL,
    OVERLAP,
    SEEN,
    SEQUENTIAL,
    UNSEEN,
    VALIDATED,
    quiet,
    translucent,
)

#: Where images can be: (column of the table, name in the legend, mark, opacity, hatch).
PARTS = (
    ("trainval", "trainval", SEEN, 1.0, ""),
    ("test_seen", "test, seen classes", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen classes", UNSEEN, 1.0, UNSEEN.pattern),
    ("several", "in more than one part", OVERLAP, 1.0, OVERLAP.pattern),
    ("none", "in no part", NEUTRAL, 0.45, ""),
)


@cached_figure
def split_map(table: pd.DataFrame, folds: pd.DataFrame) -> go.Figure:
    """Draw a split as images x classes, and under it which classes every fold validates on."""
    lines = folds.shape[1]
    strip = 26 * max(lines, 1)
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[330, strip], vertical_spacing=0.03
    )
    figure.add_traces(_part_bars(table), rows=1, cols=1)
    if lines:
        figure.add_traces(_fold_strip(table, folds), rows=2, cols=1)
    figure.update_yaxes(row=1, col=1, title_text="images", gridcolor=FAINT, zeroline=False)
    figure.update_yaxes(
        row=2,
        col=1,
        tickvals=np.arange(lines),
        ticktext=list(folds.columns),
        range=[lines - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        tickfont_size=13,
    )
    class_axis(figure, table["class"], table["role"], row=2, col=1)
    figure.update_xaxes(row=1, col=1, showticklabels=False, showgrid=False)
    figure.update_layout(barmode="stack", bargap=0.1 if len(table) <= MOST_NAMES else 0)
    return legend_on_top(quiet(figure, height=430 + strip))


def _part_bars(table: pd.DataFrame) -> list[go.Bar]:
    """Draw the images of every class in each part of the split that has any."""
    return [
        go.Bar(
            x=np.arange(len(table)),
            y=table[part],
            name=label,
            marker={
                "color": translucent(mark.color, opacity),
                "pattern": hatch(pattern),
                "line": {"color": mark.color, "width": 0 if opacity == 1 else 1},
            },
            customdata=escaped(table["class"]),
            hovertemplate=f"%{{customdata}}: %{{y:,}} images {label}<extra></extra>",
        )
        for part, label, mark, opacity, pattern in PARTS
        if table[part].any()
    ]


def _fold_strip(table: pd.DataFrame, folds: pd.DataFrame) -> list[go.Scatter | go.Heatmap]:
    """Colour validation classes of every fold green, training classes faintly blue."""
    code = {"": np.nan, "train": 0.0, "val": 1.0, "both": 2.0}
    z = folds.map(code.get).to_numpy(dtype=float).T
    train = translucent(SEEN.color, 0.28)
    steps = [train, VALIDATED.color, OVERLAP.color]
    scale = [(k / 3 + at / 3, color) for k, color in enumerate(steps) for at in (0, 1)]
    strip = go.Heatmap(
        z=z,
        zmin=-0.5,
        zmax=2.5,
        colorscale=scale,
        showscale=False,
        xgap=1 if len(table) <= 2 * MOST_NAMES else 0,
        ygap=3,
        customdata=np.broadcast_to(escaped(table["class"]), z.shape),
        text=folds.to_numpy().T,
        hovertemplate="%{customdata}, %{y}: %{text}<extra></extra>",
    )
    key = {"x": [None], "y": [None], "mode": "markers"}
    legend = [
        go.Scatter(**key, name=name, marker={"symbol": "square", "size": 11, "color": color})
        for name, color in (("fold: train", train), ("fold: validation", VALIDATED.color))
    ]
    return [strip, *legend]


#: More attributes than this cannot be named; their map leaves room for the names of classes.
MOST_ATTRIBUTES = 40


@cached_figure
def attribute_map(table: pd.DataFrame, roles: Sequence[str]) -> go.Figure:
    """Draw prototypes as a heat map, one line per class, names in the colour of their role."""
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
