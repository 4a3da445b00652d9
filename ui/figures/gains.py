"""The gain of every class by pre-training, largest first."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.marks import crowded, hatch, legend_on_top, marked, names_fit
from ui.figures.palette import FAINT, HARMONIC, NEUTRAL, OVERLAP, UNSEEN, narrow, quiet

#: Classes that a telephone shows with their names, a line each.
MOST_LINES = 60


@cached_figure
def gain_bars(table: pd.DataFrame, picked: str, *, without_known: bool) -> go.Figure:
    """Draw a bar a class with its interval, and their mean; bars lie on a telephone.

    The class that is picked has a frame; ``without_known`` leaves out classes in pre-training.
    """
    shown = table[~table["known"]] if without_known else table
    lying = narrow() and len(shown) <= MOST_LINES
    place, size = ("y", "x") if lying else ("x", "y")
    position = np.arange(len(shown))
    traces: list[dict[str, object]] = []
    for known, name, mark in ((True, "in pre-training", OVERLAP), (False, "not in it", UNSEEN)):
        of = (shown["known"] == known).to_numpy()
        part = shown[of]
        if part.empty:
            continue
        gain = 100 * part["gain"].to_numpy()
        names = [escape(each, quote=False) for each in part["class"]]
        says = [
            f"{said}: {g:+.1f} points<br>pre-trained {a:.1%}, without {b:.1%}, {n} draws"
            for said, g, a, b, n in zip(
                names, gain, part["accuracy"], part["baseline"], part["draws"], strict=True
            )
        ]
        traces.append(
            {
                "type": "bar",
                "orientation": "h" if lying else "v",
                "name": name,
                place: position[of],
                size: gain,
                "width": 0.8,
                "marker": {
                    "color": mark.color,
                    "pattern": hatch(mark.pattern),
                    "line": {
                        "width": np.where(part["class"] == picked, 3, 0),
                        "color": HARMONIC.color,
                    },
                },
                f"error_{size}": {
                    "array": np.nan_to_num(100 * part["high"].to_numpy() - gain),
                    "arrayminus": np.nan_to_num(gain - 100 * part["low"].to_numpy()),
                    "color": NEUTRAL.color,
                    "thickness": 1.5,
                    "width": 2,
                },
                "customdata": list(zip(part["class"], says, strict=True)),
                "hovertemplate": "%{customdata[1]}<extra></extra>",
            }
        )
    mean = 100 * shown["gain"].mean()
    ends = [-0.6, len(shown) - 0.4]
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"mean {mean:+.1f} points".replace("-", "−"),
            place: ends,
            size: [mean, mean],
            "line": {"color": HARMONIC.color, "width": 2, "dash": "dash"},
            "hoverinfo": "skip",
        }
    )
    legible = lying or names_fit(len(shown))
    labels = [
        marked(name, "both" if known else "unseen", bold=False)
        for name, known in zip(shown["class"], shown["known"], strict=True)
    ]
    of_classes: dict[str, object] = {
        "tickvals": position if legible else [],
        "ticktext": labels if legible else [],
        "range": ends[::-1] if lying else ends,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    if not lying:
        of_classes["tickangle"] = -60 if crowded(list(shown["class"])) else 0
        of_classes["tickfont"] = {"size": 12}
    if not legible:
        of_classes["title"] = {"text": f"{len(shown)} classes; point at one for its name"}
    every = 100 * table[["low", "high", "gain"]].to_numpy()
    of_gains = {
        "range": [min(0.0, np.nanmin(every)) - 2, max(0.0, np.nanmax(every)) + 2],
        "tickformat": ".0f",
        "title": {"text": "points"},
        "gridcolor": FAINT,
        "zerolinecolor": NEUTRAL.color,
        "fixedrange": True,
    }
    axes = {f"{place}axis": of_classes, f"{size}axis": of_gains}
    figure = go.Figure({"data": traces, "layout": {"barmode": "overlay", **axes}})
    height = 90 + 20 * len(shown) if lying else 440
    return legend_on_top(quiet(figure, height=height))
