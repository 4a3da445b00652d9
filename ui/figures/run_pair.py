"""Two runs, a point a class: the accuracy in the second over that in the first."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, SEEN, UNSEEN, quiet

__all__ = ["class_pairs"]


@drawn_once
def class_pairs(table: pd.DataFrame, first: str, second: str) -> go.Figure:
    """Draw classes of one task; those above the diagonal are better in the second run.

    Parameters
    ----------
    table : DataFrame of :func:`zslcore.analysis.run_comparison.by_class`
    first, second : names of the two runs, on the axes
    """
    figure = go.Figure()
    figure.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line={"color": FAINT, "dash": "dash"})
    for side, mark in (("seen", SEEN), ("unseen", UNSEEN)):
        part = table[table["side"] == side]
        if part.empty:
            continue
        figure.add_trace(
            go.Scatter(
                x=part["first"],
                y=part["second"],
                name=f"{side} classes",
                mode="markers",
                marker={"symbol": mark.symbol, "color": mark.color, "size": 9, "opacity": 0.8},
                customdata=escaped(part["class"]),
                hovertemplate="%{customdata}: %{x:.1%}, %{y:.1%}<extra></extra>",
            )
        )
    axis = {"tickformat": ".0%", "range": [-0.03, 1.03], "fixedrange": True}
    (first_name, second_name) = escaped([first, second])
    figure.update_xaxes(title=first_name, **axis)
    figure.update_yaxes(title=second_name, **axis)
    return quiet(legend_on_top(figure), height=420)
