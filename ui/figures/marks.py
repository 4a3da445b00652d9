"""Names, marks, hatches and axes as figures write them; names from files are escaped here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from ui.figures.palette import NEUTRAL, OVERLAP, RELATED, SEEN, UNSEEN, Mark, dark, narrow

#: The marks of the palette as letters, for text inside figures.
GLYPH = {"seen": "●", "unseen": "◆", "both": "▲", "related": "△", "none": "○"}
#: Roles of classes: seen, unseen, in the pre-training set, related to one of it, neither.
LOOKS = {"seen": SEEN, "unseen": UNSEEN, "both": OVERLAP, "related": RELATED, "none": NEUTRAL}
#: More names than this along an axis cannot be read from the back row, or on a telephone.
MOST_NAMES, ON_TELEPHONE = 50, 18


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


def panels(
    titles: Sequence[str],
    *,
    spacing: float,
    below: float = 0.22,
    share_x: bool = False,
    share_y: bool = False,
) -> tuple[go.Figure, Callable[[int], dict[str, int]]]:
    """Return a figure of panels side by side, below each other on a telephone.

    It comes with what gives the row and the column of the k-th panel, from 1 on. Titles are HTML;
    ``spacing`` is a share of the figure's width, ``below`` of the height of a panel and its gap.
    """
    n, stacked = len(titles), narrow()
    figure = make_subplots(
        rows=n if stacked else 1,
        cols=1 if stacked else n,
        subplot_titles=list(titles),
        shared_xaxes="all" if share_x else False,
        shared_yaxes="all" if share_y and stacked else share_y,
        **({"vertical_spacing": below / n} if stacked else {"horizontal_spacing": spacing}),
    )
    return figure, lambda k: {"row": k, "col": 1} if stacked else {"row": 1, "col": k}


def hatch(shape: str, on_screen: bool = False) -> dict[str, Any]:
    """Hatch a solid bar with thin lines in the colour of the page, for prints in greys."""
    line = "rgba(16, 20, 24, 0.4)" if dark() else "rgba(255, 255, 255, 0.5)"
    look = {"fillmode": "overlay", "fgcolor": line, "size": 12, "solidity": 0.12}
    return {"shape": shape, **look, "fgopacity": float(on_screen)}


def escaped(names: Iterable[object]) -> np.ndarray:
    """Return names as an array of texts in which Plotly finds no HTML.

    Quotes stay as they are: Plotly knows no entity for them, and would show its letters.
    """
    return np.array([escape(str(name), quote=False) for name in names], dtype=object)


def whiskers(value: ArrayLike, low: ArrayLike, high: ArrayLike, color: str) -> dict[str, Any]:
    """Return the error bars of points with intervals; none where an interval is not a number."""
    at, least, most = (np.asarray(each, dtype=float) for each in (value, low, high))
    return {
        "array": np.nan_to_num(most - at),
        "arrayminus": np.nan_to_num(at - least),
        "color": color,
        "thickness": 2,
        "width": 4,
    }


def filled(mark: Mark, holds: Iterable[object]) -> dict[str, Any]:
    """Return points of which those are filled where ``holds`` is true."""
    return {
        "color": mark.color,
        "size": 11,
        "symbol": [mark.symbol if each else f"{mark.symbol}-open" for each in holds],
        "line": {"color": mark.color, "width": 2},
    }


def marked(name: str, role: str, *, bold: bool = True) -> str:
    """Write a class with the mark of its role; small letters keep the theme's colour."""
    name = str(name) if len(str(name)) <= 28 else str(name)[:27] + "…"
    text = escape(name, quote=False)
    colored = '<span style="color:{}">{}</span>'.format
    if bold:
        return colored(LOOKS[role].color, f"{GLYPH[role]} <b>{text}</b>")
    return f"{colored(LOOKS[role].color, GLYPH[role])} {text}"


def crowded(names: Collection[str]) -> bool:
    """Return whether adjacent names along an axis overlap unless they are turned."""
    letters = 24 if narrow() else 90  # about as many fit into the width
    return len(names) > 12 or sum(len(str(name)) + 3 for name in names) > letters


def names_fit(n: int, most: int = MOST_NAMES) -> bool:
    """Return whether ``n`` names along an axis can be read, turned or not."""
    return n <= (ON_TELEPHONE if narrow() else most)


def class_axis(figure: go.Figure, names: pd.Series, roles: pd.Series, **where: int) -> None:
    """Name the classes along the axis where they can be read; marks say which are unseen."""
    legible = names_fit(len(names))
    labels = [marked(name, role, bold=False) for name, role in zip(names, roles, strict=True)]
    figure.update_xaxes(
        tickvals=np.arange(len(names)) if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if crowded(names) else 0,
        tickfont_size=12 if crowded(names) else 15,
        title_text="" if legible else f"{len(names):,} classes; point at one for its name",
        range=[-0.6, len(names) - 0.4],
        showgrid=False,
        zeroline=False,
        **where,
    )
