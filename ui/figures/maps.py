"""Mixing of two data sets in each class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import names_fit
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL
from ui.figures.vocabulary import Chart, Part, axis, dots, figure, line, rule, scatter

#: Verdict on a class -> its mark.
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
def mixing_dumbbells(verdicts: pd.DataFrame) -> Chart:
    """Draw the mixing of two data sets in each class, in the PCA and on the map."""
    table = verdicts.sort_values("mixing_PCA", kind="stable").reset_index(drop=True)
    x, gap = np.arange(len(table)), np.full(len(table), np.nan)
    ends = [table[column].to_numpy(dtype=float) for column in ("mixing_PCA", "mixing_map")]
    joined = line(
        FAINT,
        x=np.stack([x, x, gap], axis=1).ravel(),
        y=np.stack([*ends, gap], axis=1).ravel(),
        showlegend=False,
    )
    in_pca = scatter(
        x=x,
        y=table["mixing_PCA"],
        name="in the PCA",
        marker=dots(NEUTRAL, 9, symbol="circle-open", edge=2),
        customdata=_hover_values(table, "PCA"),
        hovertemplate=_HOVER,
    )
    names = list(table["class"]) if names_fit(len(table), 60) else []
    return figure(
        [joined, in_pca, *_on_the_map(table)],
        height=420,
        legend="top",
        xaxis=axis(names=names, grid=False, tickangle=-90, size=12),
        yaxis=axis("mixing", grid=True),
        shapes=[rule(y=1, color=HARMONIC.color, dash="dash", width=1)],
    )


_HOVER = "%{customdata[0]}: mixing %{y:.3f}, adjusted p %{customdata[1]:.3g}<extra></extra>"


def _on_the_map(table: pd.DataFrame) -> list[Part]:
    """Return the mixing of each class on the map, as one trace per verdict that occurs."""
    return [
        scatter(
            x=np.flatnonzero(rows),
            y=table["mixing_map"][rows],
            name=f"on the map: {_VERDICT_WORDS[verdict]}",
            marker=dots(mark, 9),
            customdata=_hover_values(table[rows], "map"),
            hovertemplate=_HOVER,
        )
        for verdict, mark in _VERDICTS.items()
        if (rows := (table["verdict"] == verdict).to_numpy()).any()
    ]


def _hover_values(table: pd.DataFrame, space: str) -> np.ndarray:
    return np.stack([table["class"], table[f"p_holm_{space}"]], axis=1)
