"""The contamination map: test sets down, pre-training sets across, a mark in every cell."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, legend_on_top
from ui.figures.palette import FAINT, INK, NEUTRAL, OVERLAP, RELATED, Mark, narrow, quiet

#: State -> its words, its mark, and the symbol of that mark.
LOOKS: dict[str, tuple[str, Mark, str]] = {
    "overlap": ("overlap", OVERLAP, "triangle-up"),
    "possible": ("related classes only", RELATED, "triangle-up-open"),
    "none": ("none", NEUTRAL, "circle-open"),
    "unknown": ("unknown (?)", NEUTRAL, "circle"),
}
ROW_HEIGHT = 44


@cached_figure
def contamination_map(table: pd.DataFrame, chosen: str, columns: list[str]) -> go.Figure:
    """Draw every cell by its state, with its counted classes.

    ``chosen`` is the test set whose row is marked, ``columns`` are titles of the pre-training sets
    of the chosen extractor.
    """
    figure = go.Figure([_cells(table, state) for state in LOOKS])
    titles, sets = list(dict.fromkeys(table["title"])), list(dict.fromkeys(table["test_set"]))
    if chosen in sets:
        _frame(figure, y=sets.index(chosen))
    for title in columns:
        _frame(figure, x=titles.index(title))
    axis = {"categoryorder": "array", "gridcolor": FAINT, "title": None, "fixedrange": True}
    figure.update_xaxes(
        categoryarray=escaped(titles),
        side="top",
        tickangle=-90 if narrow() else 0,
        tickvals=escaped(titles),
        ticktext=[title.replace(": ", ":<br>") for title in escaped(titles)],
        range=[-0.6, len(titles) - 0.4],
        **axis,
    )
    figure.update_yaxes(categoryarray=escaped(sets), range=[len(sets) - 0.2, -0.6], **axis)
    height = 190 + (28 if narrow() else ROW_HEIGHT) * len(sets)
    legend_on_top(quiet(figure, height=height))
    figure.update_layout(legend={"y": -0.02, "yanchor": "top"}, margin_t=150 if narrow() else 50)
    return figure.update_layout(font_size=11 if narrow() else 13)


def _cells(table: pd.DataFrame, state: str) -> go.Scatter:
    """Return the marks of all cells in one state, with their counts below them."""
    label, mark, symbol = LOOKS[state]
    part = table[table["state"] == state]
    size, line = 9 if narrow() else 12, {"width": 2, "color": mark.color}
    if state == "unknown":
        return _questions(part, label)
    return go.Scatter(
        x=escaped(part["title"]),
        y=escaped(part["test_set"]),
        mode="markers" if narrow() else "markers+text",
        name=label,
        text=part["text"],
        textposition="bottom center",
        textfont={"size": 11, "color": INK.color},
        marker={"symbol": symbol, "size": size, "color": mark.color, "line": line},
        customdata=part["hover"],
        hovertemplate="%{y} and %{x}<br>%{customdata}<extra></extra>",
    )


def _questions(part: pd.DataFrame, label: str) -> go.Scatter:
    """Return a question mark for every unknown cell."""
    return go.Scatter(
        x=escaped(part["title"]),
        y=escaped(part["test_set"]),
        mode="markers+text",
        name=label,
        text=["?"] * len(part),
        textfont={"size": 9 if narrow() else 12, "color": INK.color},
        marker={"symbol": LOOKS["unknown"][2], "size": 12 if narrow() else 18, "color": FAINT},
        customdata=part["hover"],
        hovertemplate="%{y} and %{x}<br>%{customdata}<extra></extra>",
    )


def _frame(figure: go.Figure, *, x: int | None = None, y: int | None = None) -> None:
    """Tint the row or the column that is asked about."""
    across = {"xref": "paper", "x0": 0, "x1": 1} if x is None else {"x0": x - 0.5, "x1": x + 0.5}
    down = {"yref": "paper", "y0": 0, "y1": 1} if y is None else {"y0": y - 0.5, "y1": y + 0.5}
    figure.add_shape(
        type="rect", layer="below", line_width=0, fillcolor=FAINT, opacity=0.5, **across, **down
    )
