"""How mixed two data sets are, class by class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import escaped, legend_on_top, names_fit
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL, quiet

#: How a verdict on a class looks; words stand in the legend.
_VERDICTS = {
    "shown": HARMONIC,
    "hidden": INK,
    "invented": replace(INK, symbol="cross"),
    "no shift": replace(NEUTRAL, symbol="circle-open"),
}
_VERDICT_WORDS = {
    "shown": "shift in the PCA and on the map",
    "hidden": "shift that the map hides",
    "invented": "shift that the map invents",
    "no shift": "no shift",
}


@cached_figure
def mixing_dumbbells(verdicts: pd.DataFrame) -> go.Figure:
    """Draw how mixed two data sets are in every class, in the PCA and on the map."""
    table = verdicts.sort_values("mixing_PCA", kind="stable").reset_index(drop=True)
    x, figure = np.arange(len(table)), go.Figure()
    gap = np.full(len(table), None, dtype=object)
    figure.add_scatter(
        x=np.stack([x, x, gap], axis=1).ravel(),
        y=np.stack(
            [*(table[c].to_numpy() for c in ("mixing_PCA", "mixing_map")), gap], axis=1
        ).ravel(),
        mode="lines",
        line={"color": FAINT, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=x,
        y=table["mixing_PCA"],
        mode="markers",
        name="in the PCA",
        marker={"symbol": "line-ew-open", "size": 9, "color": NEUTRAL.color, "line_width": 2},
        customdata=_told(table, "PCA"),
        hovertemplate=_HOVER,
    )
    figure.add_traces(_on_the_map(table))
    figure.add_hline(y=1, line={"color": HARMONIC.color, "dash": "dash", "width": 1})
    names = names_fit(len(table), 60)
    figure.update_xaxes(
        tickvals=x if names else [],
        ticktext=escaped(table["class"]) if names else [],
        tickangle=-90,
        tickfont_size=12,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(title_text="mixing", gridcolor=FAINT, zeroline=False, fixedrange=True)
    return legend_on_top(quiet(figure, height=420))


_HOVER = "%{customdata[0]}: mixing %{y:.3f}, adjusted p %{customdata[1]:.3g}<extra></extra>"


def _on_the_map(table: pd.DataFrame) -> list[go.Scatter]:
    """Mark how mixed every class is on the map, a trace for each verdict that there is."""
    return [
        go.Scatter(
            x=np.flatnonzero(rows),
            y=table["mixing_map"][rows],
            mode="markers",
            name=f"on the map: {_VERDICT_WORDS[verdict]}",
            marker={"symbol": mark.symbol, "size": 9, "color": mark.color},
            customdata=_told(table[rows], "map"),
            hovertemplate=_HOVER,
        )
        for verdict, mark in _VERDICTS.items()
        if (rows := (table["verdict"] == verdict).to_numpy()).any()
    ]


def _told(table: pd.DataFrame, space: str) -> np.ndarray:
    return np.stack([escaped(table["class"]), table[f"p_holm_{space}"]], axis=1)
