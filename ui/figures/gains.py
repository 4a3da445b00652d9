"""The gain of every class by pre-training, largest first."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.cached import cached_figure
from ui.figures.marks import GLYPH, hatch, legend_on_top
from ui.figures.palette import FAINT, GROUP_LOOKS, HARMONIC, NEUTRAL, Mark, narrow, quiet

#: Bars below each other that a window shows, most columns of them, and most bars with names.
LINES, MOST_COLUMNS, MOST_NAMED = 17, 4, 104
#: Fewest draws of a class from which on its interval is drawn.
FEWEST_DRAWS = 5
#: Group -> its words in the legend, and its letter before a class.
GROUP_WORDS = {
    "in the set": ("in the pre-training set", GLYPH["both"]),
    "related": ("related", GLYPH["related"]),
    "unrelated": ("unrelated", GLYPH["none"]),
}


@cached_figure
def gain_bars(table: pd.DataFrame, picked: str, *, only_unrelated: bool) -> go.Figure:
    """Draw a lying bar a class with its interval, in columns, and the mean of all.

    The class that is picked has a frame; ``only_unrelated`` leaves out the other groups. Of more
    classes than have a readable name, bars stand side by side without any.
    """
    shown = table[table["group"] == "unrelated"] if only_unrelated else table
    n = len(shown)
    named = n <= MOST_NAMED
    columns = 1 if narrow() or not named else min(MOST_COLUMNS, -(-n // LINES) or 1)
    lines = -(-n // columns)
    figure = make_subplots(cols=columns, horizontal_spacing=0.3 / columns if columns > 1 else 0)
    mean = 100 * shown["gain"].mean()
    for k in range(columns):
        part = shown.iloc[k * lines : (k + 1) * lines]
        for group, mark in GROUP_LOOKS.items():
            bars = _bars(part, group, mark, picked, lying=named)
            if bars is not None:
                of = (shown["group"] == group).to_numpy()
                bars.showlegend = k == int(np.argmax(of)) // lines
                gain = f"{100 * shown.loc[of, 'gain'].mean():+.1f}".replace("-", "−")
                bars.name = f"{GROUP_WORDS[group][0]} {gain}, {of.sum()} classes"
                bars.legendrank = list(GROUP_LOOKS).index(group)
                figure.add_trace(bars, row=1, col=k + 1)
        ends = [-0.6, lines - 0.4]
        at = {"y": ends, "x": [mean] * 2} if named else {"x": ends, "y": [mean] * 2}
        figure.add_scatter(
            **at,
            mode="lines",
            name=f"mean {mean:+.1f}".replace("-", "−"),
            line={"color": HARMONIC.color, "width": 2, "dash": "dash"},
            hoverinfo="skip",
            showlegend=k == 0,
            row=1,
            col=k + 1,
        )
        _name_axes(figure, part, table, lines, k + 1, lying=named)
    figure.update_layout(barmode="overlay")
    height = 90 + 19 * lines if named else 440
    return legend_on_top(quiet(figure, height=height))


def _bars(part: pd.DataFrame, group: str, mark: Mark, picked: str, *, lying: bool) -> go.Bar | None:
    """Return the bars of one group in one column, None where it has no class."""
    of = (part["group"] == group).to_numpy()
    rows = part[of]
    if rows.empty:
        return None
    gain, place = 100 * rows["gain"].to_numpy(), np.flatnonzero(of)
    says = [
        f"{escape(name, quote=False)}: {g:+.1f} points<br>pre-trained {a:.1%}, without {b:.1%}, "
        f"{draws} draws"
        for name, g, a, b, draws in zip(
            rows["class"], gain, rows["accuracy"], rows["baseline"], rows["draws"], strict=True
        )
    ]
    enough = rows["draws"].to_numpy() >= FEWEST_DRAWS
    reach = {
        "array": np.where(enough, 100 * rows["high"].to_numpy() - gain, np.nan),
        "arrayminus": np.where(enough, gain - 100 * rows["low"].to_numpy(), np.nan),
        "color": NEUTRAL.color,
        "thickness": 1.5,
        "width": 2,
    }
    across = {"x": gain, "y": place, "orientation": "h", "error_x": reach}
    upright = {"x": place, "y": gain, "orientation": "v", "error_y": reach}
    return go.Bar(
        **(across if lying else upright),
        legendgroup=group,
        width=0.8,
        marker={
            "color": mark.color,
            "pattern": hatch(mark.pattern),
            "line": {
                "width": np.where(rows["class"] == picked, 3, 0),
                "color": HARMONIC.color,
            },
        },
        customdata=list(zip(rows["class"], says, strict=True)),
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _name_axes(
    figure: go.Figure, part: pd.DataFrame, table: pd.DataFrame, lines: int, col: int, *, lying: bool
) -> None:
    """Name the classes of a column; every column has the same range of gains."""
    labels = [
        f'<span style="color:{GROUP_LOOKS[group].color}">{GROUP_WORDS[group][1]}</span> '
        f"{escape(name if len(name) <= 28 else f'{name[:27]}…', quote=False)}"
        for name, group in zip(part["class"], part["group"], strict=True)
    ]
    of_classes = {"showgrid": False, "zeroline": False, "fixedrange": True}
    every = 100 * table[["gain"]].to_numpy()
    if (table["draws"] >= FEWEST_DRAWS).any():
        drawn = table.loc[table["draws"] >= FEWEST_DRAWS, ["low", "high"]].to_numpy()
        every = np.concatenate([every.ravel(), 100 * drawn.ravel()])
    of_gains = {
        "range": [min(0.0, np.nanmin(every)) - 2, max(0.0, np.nanmax(every)) + 2],
        "tickformat": ".0f",
        "title": {"text": "points"},
        "gridcolor": FAINT,
        "zeroline": True,
        "zerolinecolor": NEUTRAL.color,
        "fixedrange": True,
    }
    ends = [-0.6, lines - 0.4]
    if lying:
        figure.update_xaxes(of_gains, row=1, col=col)
        figure.update_yaxes(
            {
                **of_classes,
                "range": ends[::-1],
                "tickvals": np.arange(len(part)),
                "ticktext": labels,
                "tickfont": {"size": 12},
            },
            row=1,
            col=col,
        )
        return
    title = f"{len(part)} classes; point at one for its name"
    figure.update_xaxes(
        {**of_classes, "range": ends, "tickvals": [], "title": {"text": title}}, row=1, col=col
    )
    figure.update_yaxes(of_gains, row=1, col=col)
