"""Names, marks, hatches and axes as figures write them; names from files are escaped here.

Plotly reads a little HTML, and names of classes may come from a file somebody sent.
"""

from __future__ import annotations

from html import escape

import numpy as np
import plotly.graph_objects as go

from ui.figures.palette import OVERLAP, SEEN, UNSEEN

__all__ = [
    "COLOR",
    "GLYPH",
    "MOST_NAMES",
    "class_axis",
    "escaped",
    "hatch",
    "legend_on_top",
    "marked",
]

#: The marks of the palette as letters, for text inside figures.
GLYPH = {"seen": "●", "unseen": "◆", "both": "▲", "none": "○"}
COLOR = {"seen": SEEN.color, "unseen": UNSEEN.color, "both": OVERLAP.color, "none": "#8C8C8C"}
#: More names than this along an axis cannot be read from the back row.
MOST_NAMES = 50


def legend_on_top(figure: go.Figure) -> go.Figure:
    """Put the legend above the picture, in one line."""
    return figure.update_layout(
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "title_text": "",
        },
        margin_t=40,
    )


def hatch(shape: str) -> dict:
    """Hatch a solid bar, light on its colour, in either theme."""
    light = "rgba(255, 255, 255, 0.6)"
    return {"shape": shape, "fillmode": "overlay", "fgcolor": light, "size": 8, "solidity": 0.25}


def escaped(names) -> np.ndarray:
    """Return names as an array of texts in which Plotly finds no HTML."""
    return np.array([escape(str(name)) for name in names], dtype=object)


def marked(name: str, role: str, *, bold: bool = True) -> str:
    """Write a class with the mark of its role; small letters keep the theme's colour."""
    name = str(name) if len(str(name)) <= 28 else str(name)[:27] + "…"
    text = escape(name)
    colored = '<span style="color:{}">{}</span>'.format
    if bold:
        return colored(COLOR[role], f"{GLYPH[role]} <b>{text}</b>")
    return f"{colored(COLOR[role], GLYPH[role])} {text}"


def class_axis(figure: go.Figure, names, roles, **where) -> None:
    """Name the classes along the axis where they can be read; marks say which are unseen."""
    legible = len(names) <= MOST_NAMES
    labels = [marked(name, role, bold=False) for name, role in zip(names, roles, strict=True)]
    figure.update_xaxes(
        tickvals=np.arange(len(names)) if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if len(names) > 12 else 0,
        tickfont_size=12 if len(names) > 12 else 15,
        title_text="" if legible else f"{len(names):,} classes; point at one for its name",
        range=[-0.6, len(names) - 0.4],
        showgrid=False,
        zeroline=False,
        **where,
    )
