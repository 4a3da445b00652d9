"""A split as images by class and part, with the classes that every fold validates on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.marks import MOST_NAMES, class_axis, escaped, hatch, legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import (
    FAINT,
    NEUTRAL,
    OVERLAP,
    SEEN,
    UNSEEN,
    VALIDATED,
    quiet,
    translucent,
)

__all__ = ["split_map"]

#: Where images can be: (column of the table, name in the legend, mark, opacity, hatch).
PARTS = (
    ("trainval", "trainval", SEEN, 1.0, ""),
    ("test_seen", "test, seen classes", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen classes", UNSEEN, 1.0, UNSEEN.pattern),
    ("several", "in more than one part", OVERLAP, 1.0, OVERLAP.pattern),
    ("none", "in no part", NEUTRAL, 0.45, ""),
)


@drawn_once
def split_map(table: pd.DataFrame, folds: pd.DataFrame) -> go.Figure:
    """Draw a split as images x classes, and under it which classes every fold validates on.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.class_table`
    folds : see :func:`zslcore.analysis.inventory.fold_roles`, rows in the order of ``table``
    """
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
