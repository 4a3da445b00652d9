"""Accuracy of each class, and confusion between classes."""

from __future__ import annotations

import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.palette import INK, SEEN, UNSEEN, Mark, ground, narrow
from ui.figures.vocabulary import Chart, Part, axis, bars, figure, fill, heatmap, rule, scatter

_SIDES: dict[str, Mark] = {"seen": SEEN, "unseen": UNSEEN}
#: Maximum number of classes of a confusion matrix with a number in each cell.
_WRITTEN = 15
#: Maximum number of classes with horizontal column names.
_LEVEL = 12


@cached_figure
def class_bars(table: pd.DataFrame) -> Chart:
    """Draw one bar per class of a per-class table, best first within seen and within unseen."""
    sides = [
        (side, table[table["side"] == side].sort_values("calibrated", ascending=False))
        for side in _SIDES
    ]
    is_long = len(table) > _LEVEL
    return figure(
        [_calibrated_bars(*each) for each in sides]
        + [_uncalibrated_points(*each) for each in sides],
        height=430,
        legend="top",
        xaxis=axis(
            type="category",
            range=[-0.6, len(table) - 0.4],
            dtick=1,
            tickangle=-90 if is_long else 0,
            size=12 if is_long else 14,
        ),
        yaxis=axis(percent=True, range=[0, 1.03]),
        barmode="overlay",
        bargap=0.25,
    )


def _calibrated_bars(side: str, part: pd.DataFrame) -> Part:
    return bars(
        x=part["class"],
        y=part["calibrated"],
        name=f"{side}, calibrated",
        marker=fill(_SIDES[side], edge=1),
        customdata=part[["images", "plain"]].to_numpy(),
        hovertemplate="%{x}: %{y:.1%} of %{customdata[0]} images, "
        "%{customdata[1]:.1%} at γ = 0<extra></extra>",
    )


def _uncalibrated_points(side: str, part: pd.DataFrame) -> Part:
    mark = _SIDES[side]
    return scatter(
        x=part["class"],
        y=part["plain"],
        name=f"{side}, γ = 0",
        marker={
            "symbol": mark.symbol,
            "size": 12 if mark.symbol == "diamond" else 10,
            "color": ground(),
            "line": {"color": mark.color, "width": 2},
        },
        hoverinfo="skip",
    )


@cached_figure
def confusion_map(share: pd.DataFrame, n_seen: int) -> Chart:
    """Draw the share of each class's images predicted as each class, seen classes first."""
    n, names, true = len(share), list(share.columns), list(share.index)
    tight = narrow() and n > _LEVEL  # column names do not fit; columns are in the order of the rows
    matrix = heatmap(
        z=share.to_numpy(),
        customdata=[[f"{t} predicted as {a}" for a in names] for t in true],
        colorscale=[[0, ground()], [1, INK.color]],
        zmin=0,
        zmax=1,
        xgap=1,
        ygap=1,
        text=share.map(lambda part: f"{part:.0%}" if part >= 0.005 else "").to_numpy(),
        texttemplate="%{text}" if n <= _WRITTEN else None,
        hovertemplate="%{customdata}: %{z:.1%}<extra></extra>",
        colorbar={"tickformat": ".0%"},
        showscale=not tight,
    )
    between: Part = {"color": UNSEEN.color, "dash": "dash"}
    return figure(
        [matrix],
        height=max(420, min(900, 110 + 17 * n)),
        xaxis=axis(
            "predicted class, in the order of the rows" if tight else "predicted class",
            names=names,
            grid=False,
            tickangle=-90 if n > _LEVEL else 0,
            showticklabels=not tight,
        ),
        yaxis=axis("true class", names=true, grid=False, autorange="reversed"),
        shapes=[rule(x=n_seen - 0.5, **between), rule(y=n_seen - 0.5, **between)],
    )
