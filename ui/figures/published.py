"""Printed figures and ours: how far apart, and what claims come to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, FIRST, HARMONIC, SECOND, quiet
from zslcore.analysis.papers.claims import BODIES, Judgment

__all__ = ["differences", "judgment_forest"]

#: Differences from here on have the full colour, in points.
FULL = 20.0
ROW_HEIGHT = 26


@drawn_once
def differences(table: pd.DataFrame) -> go.Figure:
    """Draw ours less printed, a row a method, a column a data set, split and figure.

    Parameters
    ----------
    table : of :func:`zslcore.analysis.papers.alongside.beside`, rows with a run only
    """
    label = table["dataset"] if "dataset" in table else table["test_dataset"]
    for column in ("split", "figure", "lambda_selected_for"):
        if column in table and len(table[column].unique()) > 1:
            label = label + "<br>" + table[column].str.replace("at gamma", "at γ")
    told = table.assign(
        label=label,
        points=100 * table["difference"],
        both=[
            f"printed {100 * a:.1f}, ours {100 * b:.1f}"
            for a, b in zip(table["printed"], table["ours"], strict=True)
        ],
    )
    wide = told.pivot_table("points", "method", "label", sort=False)
    both = told.pivot_table("both", "method", "label", sort=False, aggfunc="first")
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
            colorscale=[[0, FIRST.color], [0.5, "rgba(128, 128, 128, 0.06)"], [1, SECOND.color]],
            zmid=0,
            zmin=-FULL,
            zmax=FULL,
            xgap=2,
            ygap=2,
            colorbar={"title": "points", "thickness": 12},
        )
    )
    quiet(figure, height=110 + ROW_HEIGHT * len(wide))
    figure.update_yaxes(autorange="reversed", title=None)
    figure.update_xaxes(side="top", title=None, type="category")
    return figure


@drawn_once
def judgment_forest(judgments: Mapping[str, Judgment]) -> go.Figure:
    """Draw the number of a claim with its interval, a row a body of evidence that has one."""
    rows = [(BODIES[body], j) for body, j in judgments.items() if j.number is not None]
    percent = rows[0][1].unit in ("points", "share", "percent")
    scale = 100.0 if percent else 1.0
    figure = go.Figure()
    for name, j in rows:
        low = j.number if j.low is None else j.low
        high = j.number if j.high is None else j.high
        figure.add_scatter(
            x=[scale * j.number],
            y=[name],
            mode="markers",
            marker={"color": HARMONIC.color, "symbol": HARMONIC.symbol, "size": 11},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [scale * (high - j.number)],
                "arrayminus": [scale * (j.number - low)],
                "color": HARMONIC.color,
            },
            hovertemplate=f"{name}: %{{x:.3g}}<br>{j.verdict}<extra></extra>",
            showlegend=False,
        )
    quiet(figure, height=90 + 34 * len(rows))
    unit = {"points": "points", "share": "% of cases", "place": "mean rank", "tau": "τ", "p": "p"}
    figure.update_xaxes(title=unit.get(rows[0][1].unit, ""), zeroline=False)
    if rows[0][1].unit in ("points", "tau"):
        figure.add_vline(x=0, line={"color": FAINT})
    figure.update_yaxes(autorange="reversed", type="category", title=None)
    return figure
