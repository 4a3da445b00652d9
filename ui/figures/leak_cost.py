"""What leaks cost methods, in points, with intervals over classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import legend_on_top, whiskers
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, NEUTRAL, SEEN, UNSEEN, Mark, quiet
from zslcore.analysis.epoch_choice import OTHERS
from zslcore.analysis.leak_cost import SHORT

__all__ = ["cost_in_points", "price_of_epochs"]

#: Figures that are drawn, in their order, and how they look.
_DRAWN: dict[str, Mark] = {
    "unseen": UNSEEN,
    "seen": SEEN,
    "best_harmonic": HARMONIC,
    "ausuc": replace(NEUTRAL, symbol="square"),
}
#: What the choice of epochs by the test set is compared with, and how it looks.
_COMPARED = {"folds": HARMONIC, "last": replace(NEUTRAL, symbol="square")}
_ROW, _APART = 92, 0.2  # pixels a method takes, and the share of them between two figures


@drawn_once
def cost_in_points(table: pd.DataFrame) -> go.Figure:
    """Draw how much better every method looks with the leak: a point a figure, with its interval.

    Parameters
    ----------
    table : rows of one leak of :func:`zslcore.analysis.leak_cost.table`
    """
    marks = {name: (mark, SHORT[name]) for name, mark in _DRAWN.items()}
    return _drawn(table, marks, "points gained by the leak")


@drawn_once
def price_of_epochs(table: pd.DataFrame) -> go.Figure:
    """Draw what choosing epochs on the test set adds to H: a point a comparison, with its interval.

    Parameters
    ----------
    table : rows of one figure of :func:`zslcore.analysis.epoch_choice.measured`
    """
    parts = [
        pd.DataFrame(
            {
                "figure": other,
                "method": table["method"] + " · " + table["dataset"].str.partition("-")[0],
                "difference": table[f"over_{other}"],
                "low": table[f"over_{other}_low"],
                "high": table[f"over_{other}_high"],
                "clean": table[other],
                "leaky": table["test"],
            }
        )
        for other in OTHERS
    ]
    marks = {other: (mark, OTHERS[other]) for other, mark in _COMPARED.items()}
    return _drawn(pd.concat(parts), marks, "points of H gained by choosing epochs on test images")


def _drawn(table: pd.DataFrame, marks: Mapping[str, tuple[Mark, str]], title: str) -> go.Figure:
    """Draw a row a method and in it a point a figure."""
    methods = list(dict.fromkeys(table["method"]))
    place = {method: -k for k, method in enumerate(methods)}
    figure = go.Figure()
    for k, (name, (mark, label)) in enumerate(marks.items()):
        rows = table[table["figure"] == name]
        offset = ((len(marks) - 1) / 2 - k) * _APART
        figure.add_trace(_points(rows, mark, label).update(y=rows["method"].map(place) + offset))
    figure.add_vline(x=0, line={"color": FAINT, "width": 2})
    figure.update_xaxes(title=title, ticksuffix="", gridcolor=FAINT, fixedrange=True)
    figure.update_yaxes(
        tickvals=list(place.values()),
        ticktext=methods,
        range=[-len(methods) + 0.4, 0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    return legend_on_top(quiet(figure, height=110 + _ROW * len(marks) // 4 * len(methods)))


def _points(rows: pd.DataFrame, mark: Mark, label: str) -> go.Scatter:
    points = 100 * rows[["difference", "low", "high", "clean", "leaky"]]
    return go.Scatter(
        x=points["difference"],
        name=label,
        mode="markers",
        marker={"symbol": mark.symbol, "color": mark.color, "size": 10},
        error_x=whiskers(points["difference"], points["low"], points["high"], mark.color),
        customdata=points[["clean", "leaky", "low", "high"]],
        hovertemplate=f"{label}: %{{customdata[0]:.1f}} % without the leak, "
        "%{customdata[1]:.1f} % with it<br>%{x:+.1f} points "
        "(%{customdata[2]:+.1f} to %{customdata[3]:+.1f})<extra></extra>",
    )
