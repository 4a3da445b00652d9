"""Pictures of maps that are no component: small ones, ones to take away, and hubs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.marks import escaped, hatch, legend_on_top, marked, names_fit, panels
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, INK, NEUTRAL, SEEN, UNSEEN, narrow, quiet

__all__ = ["hub_bars", "mixing_dumbbells", "small_multiples"]

#: Points of a small picture; more of them tell no more.
FEW = 2_000
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


@drawn_once
def small_multiples(
    maps: Sequence[tuple[str, np.ndarray, Sequence[str]]], *, height: int = 330
) -> go.Figure:
    """Draw maps of the same images under several settings.

    Parameters
    ----------
    maps : (title, coordinates of shape (n, 2), color of every point), one a panel
    """
    titles = [title for title, _, _ in maps]
    figure, at = panels(titles, spacing=0.02)
    for k, (_, xy, colors) in enumerate(maps, 1):
        few = np.linspace(0, len(xy) - 1, min(FEW, len(xy))).astype(int)
        points = _points(xy[few], np.asarray(colors)[few], size=3, gl=False)
        figure.add_trace(points, **at(k))
        figure.update_yaxes(scaleanchor=f"x{k if k > 1 else ''}", **at(k))
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    height *= len(maps) if narrow() else 1
    return quiet(figure, height=height).update_layout(showlegend=False, margin_t=34)


@drawn_once
def mixing_dumbbells(verdicts: pd.DataFrame) -> go.Figure:
    """Draw how mixed two data sets are in every class, in the PCA and on the map.

    Parameters
    ----------
    verdicts : of :func:`zslcore.analysis.maps.mixing.mixing_verdicts`, for "PCA" and "map"
    """
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


@drawn_once
def hub_bars(table: pd.DataFrame) -> go.Figure:
    """Draw how often every prototype is among the nearest, one panel a method, hubs first.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.hubness.compare_hubness`
    """
    methods = list(table["method"].unique())
    figure = make_subplots(
        rows=len(methods), subplot_titles=methods, shared_yaxes="all", vertical_spacing=0.3
    )
    for k, method in enumerate(methods, 1):
        part = table[table["method"] == method].sort_values(
            "occurrence", ascending=False, kind="stable"
        )
        figure.add_trace(_occurrences(part), row=k, col=1)
        roles = np.where(part["seen"], "seen", "unseen")
        labels = [marked(n, role, bold=False) for n, role in zip(part["class"], roles, strict=True)]
        names = names_fit(len(part), 60)
        figure.update_xaxes(
            tickvals=np.arange(len(part)) if names else [],
            ticktext=labels if names else [],
            tickangle=-60,
            tickfont_size=12,
            fixedrange=True,
            row=k,
            col=1,
        )
    figure.add_hline(y=1, line={"color": HARMONIC.color, "dash": "dash", "width": 1})
    figure.update_yaxes(
        title_text="times equal share", gridcolor=FAINT, zeroline=False, fixedrange=True
    )
    return quiet(figure, height=270 * len(methods)).update_layout(showlegend=False, bargap=0.15)


def _occurrences(part: pd.DataFrame) -> go.Bar:
    """Draw one method's prototypes in the order of ``part``."""
    return go.Bar(
        x=np.arange(len(part)),
        y=part["occurrence"],
        marker={
            "color": np.where(part["seen"], SEEN.color, UNSEEN.color),
            "line_width": 0,
            "pattern": hatch("") | {"shape": ["" if s else "/" for s in part["seen"]]},
        },
        customdata=np.stack([escaped(part["class"]), part["count"]], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.2f} times an equal share, "
        "%{customdata[1]:,} images<extra></extra>",
    )


def _points(
    xy: np.ndarray, colors: Iterable[str], *, size: float, gl: bool = True
) -> go.Scattergl | go.Scatter:
    kind = go.Scattergl if gl else go.Scatter
    return kind(
        x=xy[:, 0],
        y=xy[:, 1],
        mode="markers",
        marker={"size": size, "color": list(colors), "opacity": 0.8},
        hoverinfo="skip",
    )
