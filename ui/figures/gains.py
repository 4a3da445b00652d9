"""Gain of each class by pre-training, largest first."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import GLYPH, abridged
from ui.figures.palette import GROUP_LOOKS, HARMONIC, NEUTRAL, Mark, narrow
from ui.figures.vocabulary import (
    Chart,
    Markup,
    Part,
    axis,
    bars,
    figure,
    line,
    planes,
)

#: Most bars of a column, most columns, and most bars that have names.
LINES, MOST_COLUMNS, MOST_NAMED = 17, 4, 104
#: Fewest draws of a class for which an interval is drawn.
FEWEST_DRAWS = 5
#: Group -> its text in the legend, and the glyph before its classes.
GROUP_WORDS = {
    "in the set": ("in the pre-training set", GLYPH["both"]),
    "related": ("related", GLYPH["related"]),
    "unrelated": ("unrelated", GLYPH["none"]),
}


@cached_figure
def gain_bars(table: pd.DataFrame, picked: str, *, only_unrelated: bool) -> Chart:
    """Draw one horizontal bar per class with its interval, in columns, and the mean over classes.

    The class ``picked`` has a frame; ``only_unrelated`` leaves out the other groups. With too many
    classes for readable names, bars are vertical, in one panel, and without names.
    """
    shown = table[table["group"] == "unrelated"] if only_unrelated else table
    n = len(shown)
    named = n <= MOST_NAMED
    columns = 1 if narrow() or not named else min(MOST_COLUMNS, -(-n // LINES) or 1)
    lines = -(-n // columns)
    mean, ends = 100 * shown["gain"].mean(), [-0.6, lines - 0.4]
    at: Part = {"y": ends, "x": [mean] * 2} if named else {"x": ends, "y": [mean] * 2}
    words = f"mean {mean:+.1f}".replace("-", "−")
    traces: list[Part] = []
    axes: Part = {}
    for k, plane in enumerate(planes(columns, spacing=0.3 / columns)):
        part = shown.iloc[k * lines : (k + 1) * lines]
        for group, mark in GROUP_LOOKS.items():
            if (part["group"] == group).any():
                of = (shown["group"] == group).to_numpy()
                gain = f"{100 * shown.loc[of, 'gain'].mean():+.1f}".replace("-", "−")
                entry = {
                    "name": f"{GROUP_WORDS[group][0]} {gain}, {of.sum()} classes",
                    "showlegend": k == int(np.argmax(of)) // lines,
                    "legendrank": list(GROUP_LOOKS).index(group),
                }
                traces.append(plane.on(_bars(part, group, mark, picked, lying=named) | entry))
        across = line(HARMONIC.color, dash="dash", name=words, showlegend=k == 0, **at)
        traces.append(plane.on(across))
        axes |= plane.axes(*_axes(part, table, ends, lying=named))
    return figure(
        traces,
        height=90 + 19 * lines if named else 440,
        legend="top",
        barmode="overlay",
        **axes,
    )


def _bars(part: pd.DataFrame, group: str, mark: Mark, picked: str, *, lying: bool) -> Part:
    """Return the bars of one group in one column."""
    of = (part["group"] == group).to_numpy()
    rows = part[of]
    gain, place = 100 * rows["gain"].to_numpy(), np.flatnonzero(of)
    says = [
        Markup(
            f"{escape(name, quote=False)}: {g:+.1f} points<br>pre-trained {a:.1%}, "
            f"without {b:.1%}, {draws} draws"
        )
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
    return bars(
        **(across if lying else upright),
        legendgroup=group,
        width=0.8,
        marker={
            "color": mark.color,
            "pattern": {"shape": mark.pattern},
            "line": {"width": np.where(rows["class"] == picked, 3, 0), "color": HARMONIC.color},
        },
        customdata=list(zip(rows["class"], says, strict=True)),
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _axes(
    part: pd.DataFrame, table: pd.DataFrame, ends: list[float], *, lying: bool
) -> tuple[Part, Part]:
    """Return the axes of a column; every column has the same range of gains."""
    every = 100 * table[["gain"]].to_numpy()
    if (table["draws"] >= FEWEST_DRAWS).any():
        drawn = table.loc[table["draws"] >= FEWEST_DRAWS, ["low", "high"]].to_numpy()
        every = np.concatenate([every.ravel(), 100 * drawn.ravel()])
    of_gains = axis(
        "points",
        grid=True,
        range=[min(0.0, np.nanmin(every)) - 2, max(0.0, np.nanmax(every)) + 2],
        tickformat=".0f",
        zeroline=True,
        zerolinecolor=NEUTRAL.color,
    )
    if not lying:
        title = f"{len(part)} classes; point at one for its name"
        return axis(title, names=[], grid=False, range=ends), of_gains
    labels = [
        Markup(
            f'<span style="color:{GROUP_LOOKS[group].color}">{GROUP_WORDS[group][1]}</span> '
            f"{escape(abridged(name), quote=False)}"
        )
        for name, group in zip(part["class"], part["group"], strict=True)
    ]
    return of_gains, axis(names=labels, grid=False, range=ends[::-1], size=12)
