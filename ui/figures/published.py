"""Differences between published results and ours."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.once import drawn_once
from ui.figures.palette import FIRST, SECOND, ground, quiet

__all__ = ["differences"]

#: Differences from here on have the full colour, in points.
FULL = 20.0
ROW_HEIGHT = 26


@drawn_once
def differences(table: pd.DataFrame) -> go.Figure:
    """Draw ours less printed, a row a method, a column a data set, split and figure.

    Parameters
    ----------
    table : of :func:`zslcore.analysis.papers.alongside.with_runs`, rows with a run only
    """
    label = table["dataset"] if "dataset" in table else table["test_dataset"]
    for column in ("split", "figure", "lambda_selected_for"):
        if column in table and len(table[column].unique()) > 1:
            label = label + "<br>" + table[column].str.replace("at gamma", "at γ")
    labelled = table.assign(
        label=label,
        points=100 * table["difference"],
        both=[
            f"printed {100 * a:.1f}, ours {100 * b:.1f}"
            for a, b in zip(table["printed"], table["ours"], strict=True)
        ],
    )
    wide = labelled.pivot_table("points", "method", "label", sort=False)
    both = labelled.pivot_table("both", "method", "label", sort=False, aggfunc="first")
    text = np.vectorize(lambda x: "" if np.isnan(x) else f"{x:+.1f}".replace("-", "−"))
    figure = go.Figure(
        go.Heatmap(
            z=wide.to_numpy(),
            x=list(wide.columns),
            y=list(wide.index),
            text=text(wide.to_numpy()),
            texttemplate="%{text}",
            customdata=both.reindex_like(wide).to_numpy(),
            hovertemplate="%{y}, %{x}<br>%{customdata}<br>%{text} points<extra></extra>",
            colorscale=[[0, FIRST.color], [0.5, ground()], [1, SECOND.color]],
            zmid=0,
            zmin=-FULL,
            zmax=FULL,
            xgap=2,
            ygap=2,
            colorbar={"title": "points", "thickness": 12},
        )
    )
    quiet(figure, height=110 + ROW_HEIGHT * len(wide))
    figure.update_yaxes(autorange="reversed", title=None, showgrid=False)
    figure.update_xaxes(side="top", title=None, type="category", showgrid=False)
    return figure
