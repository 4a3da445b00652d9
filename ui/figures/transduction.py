"""An inductive method and its transductive self: class by class, and on the seen-unseen plane."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.palette import FAINT, HARMONIC, UNSEEN, Mark, quiet
from ui.numbers import percent, three_digits
from zslcore.analysis.transduction import Contender, Transduction

__all__ = ["class_gains", "two_curves"]

#: Both are about unseen classes: the shape and the filling tell them apart.
_LOOKS: dict[str, Mark] = {
    "inductive": Mark(HARMONIC.color, "circle-open", dash="dot"),
    "transductive": Mark(UNSEEN.color, "diamond"),
}
_ON_TOP = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None}
_ROW, _TALL = 24, 330  # pixels a class takes at least, and all of them together
_DRAWN = 800  # points of a curve, more than there are pixels


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
    figure = go.Figure()
    for contender in result.contenders:
        _draw_curve(figure, contender)
    for name, title in (("xaxis", "unseen accuracy u"), ("yaxis", "seen accuracy s")):
        figure.update_layout({name: {"title": title, "tickformat": ".0%", "fixedrange": True}})
    figure.update_layout(xaxis_range=[-0.02, 1.02], yaxis_range=[-0.02, 1.02], legend=_ON_TOP)
    return quiet(figure, height=430)


def _draw_curve(figure: go.Figure, contender: Contender) -> None:
    look, curve = _LOOKS[contender.kind], contender.gzsl.curve
    drawn = curve.thinned(_DRAWN)
    line = {"color": look.color, "width": 2.5, "dash": look.dash}
    figure.add_trace(
        go.Scatter(
            x=drawn.unseen,
            y=drawn.seen,
            name=f"{contender.kind}, AUSUC {percent(curve.ausuc)}",
            mode="lines",
            line=line,
            hoverinfo="skip",
        )
    )
    stops = {"no calibration": 0.0, "validated γ": contender.gamma}
    for name, gamma in stops.items():
        if gamma is None:
            continue
        point = curve.at(gamma)
        figure.add_trace(
            go.Scatter(
                x=[point.unseen],
                y=[point.seen],
                mode="markers",
                marker={
                    "symbol": "circle-open" if gamma == 0 else "square",
                    "color": look.color,
                    "size": 12,
                    "line": {"color": look.color, "width": 2.5},
                },
                showlegend=False,
                hovertemplate=f"{contender.kind}, {name} ({three_digits(gamma)}): u "
                f"{percent(point.unseen)}, s {percent(point.seen)}, H "
                f"{percent(point.harmonic)}<extra></extra>",
            )
        )
