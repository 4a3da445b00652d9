"""Class embeddings side by side: a row a method, a mark and an interval an embedding."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, legend_on_top, row_axis, whiskers
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, FIRST, HARMONIC, INK, NEUTRAL, SECOND, Mark, quiet

__all__ = ["embedding_intervals"]

#: Of embeddings in their order; the first is the reference.
MARKS: tuple[Mark, ...] = (INK, FIRST, SECOND, HARMONIC, NEUTRAL)
SYMBOLS = ("star", "triangle-left", "triangle-right", "hexagon", "circle")
#: Height of a method's band, and the distance between its marks.
BAND, OFFSET = 30, 0.3


@drawn_once
def embedding_intervals(compared: pd.DataFrame, figure_name: str) -> go.Figure:
    """Draw one figure of every method under every embedding, with intervals over classes.

    Parameters
    ----------
    compared : see :func:`zslcore.analysis.class_embeddings.compare_embeddings`
    figure_name : one of its figures
    """
    table = compared[compared["figure"] == figure_name]
    methods = list(dict.fromkeys(table["method"]))
    embeddings = list(dict.fromkeys(table["embedding"]))
    figure = go.Figure()
    for k, embedding in enumerate(embeddings):
        away = (k - (len(embeddings) - 1) / 2) * OFFSET
        part = table[table["embedding"] == embedding]
        rows = [methods.index(name) + away for name in part["method"]]
        figure.add_trace(_marks(part, rows, embedding, k))
    row_axis(figure, methods, above=0.5, below=0.5)
    figure.update_xaxes(
        title_text=f"{figure_name.replace('gamma', 'γ')}, %",
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return legend_on_top(quiet(figure, height=130 + BAND * len(embeddings) * len(methods) // 2))


def _marks(part: pd.DataFrame, rows: list[float], embedding: str, k: int) -> go.Scatter:
    """Return the marks of one embedding, the ``k``-th, with their intervals."""
    mark, symbol, (name,) = MARKS[k % len(MARKS)], SYMBOLS[k % len(SYMBOLS)], escaped([embedding])
    value, low, high = (100 * part[column] for column in ("value", "low", "high"))
    return go.Scatter(
        x=value,
        y=rows,
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": 11, "color": mark.color},
        error_x=whiskers(value, low, high, mark.color),
        customdata=[f"{a:.1f} to {b:.1f}" for a, b in zip(low, high, strict=True)],
        hovertemplate=f"{name}: %{{x:.1f}} %, %{{customdata}}<extra></extra>",
    )
