"""An inductive method and its transductive self: class by class, and on the seen-unseen plane."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.curves import several_curves
from ui.figures.palette import FAINT, HARMONIC, UNSEEN, Mark, quiet
from zslcore.analysis.transduction import Transduction

__all__ = ["class_gains", "two_curves"]

#: Both are about unseen classes: the shape and the filling tell them apart.
_LOOKS: dict[str, Mark] = {
    "inductive": Mark(HARMONIC.color, "circle-open", dash="dot"),
    "transductive": Mark(UNSEEN.color, "diamond"),
}
_ON_TOP = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None}
_ROW, _TALL = 24, 330  # pixels a class takes at least, and all of them together


def class_gains(table: pd.DataFrame) -> go.Figure:
    """Draw each unseen class's accuracy under both, largest gain on top.

    Parameters
    ----------
    table : DataFrame of :func:`zslcore.analysis.transduction.per_class_table`
    """
    kinds = [kind for kind in _LOOKS if kind in table]
    table = table.assign(gain=table[kinds[-1]] - table[kinds[0]])
    table = table.sort_values(["gain", kinds[-1]])
    figure = go.Figure()
    if len(kinds) == 2:
        figure.add_trace(_links(table, kinds))
    for kind in kinds:
        figure.add_trace(_points(table, kind))
    figure.update_xaxes(tickformat=".0%", range=[-0.02, 1.02], fixedrange=True)
    figure.update_yaxes(type="category", fixedrange=True, dtick=1, tickfont_size=12)
    figure.update_layout(legend=_ON_TOP)
    return quiet(figure, height=90 + max(_ROW * len(table), _TALL))


def _links(table: pd.DataFrame, kinds: list[str]) -> go.Scatter:
    """Return one line a class, from the first accuracy to the second."""
    ends = table[kinds].assign(gap=None).to_numpy(dtype=object).ravel()
    return go.Scatter(
        x=ends,
        y=table["class"].repeat(3),
        mode="lines",
        line={"color": FAINT, "width": 4},
        hoverinfo="skip",
        showlegend=False,
    )


def _points(table: pd.DataFrame, kind: str) -> go.Scatter:
    return go.Scatter(
        x=table[kind],
        y=table["class"],
        name=kind,
        mode="markers",
        marker={"symbol": _LOOKS[kind].symbol, "color": _LOOKS[kind].color, "size": 11}
        | {"line": {"color": _LOOKS[kind].color, "width": 2}},
        customdata=table[["images"]],
        hovertemplate=f"%{{y}}, {kind}: %{{x:.1%}} of %{{customdata[0]}} images<extra></extra>",
    )


def two_curves(result: Transduction) -> go.Figure:
    """Draw seen over unseen accuracy of both for every gamma, gamma = 0 and the folds' marked."""
    kinds = [contender.kind for contender in result.contenders]
    curves = {c.kind: (c.gzsl.curve, c.gamma) for c in result.contenders}
    return several_curves(curves, [_LOOKS[kind] for kind in kinds])
