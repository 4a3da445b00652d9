"""Gain of each class by pre-training, largest first."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import GLYPH, abridged
from ui.figures.palette import GROUP_LOOKS, HARMONIC, INK, NEUTRAL, Mark, narrow
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

#: Maximum number of bars with names; maximum number of bars of full height in a column.
MOST_NAMED, MANY = 104, 17
#: Minimum number of draws of a class with an interval.
FEWEST_DRAWS = 5
#: Group -> its text in the legend, and the glyph before its classes.
GROUP_WORDS = {
    "in the set": ("in the pre-training set", GLYPH["both"]),
    "related": ("related", GLYPH["related"]),
    "unrelated": ("unrelated", GLYPH["none"]),
}


@cached_figure
def gain_bars(table: pd.DataFrame, picked: str, *, only_unrelated: bool) -> Chart:
    """Draw one bar per class with its interval, in a column per group with the group's mean.

    The class ``picked`` has a frame; ``only_unrelated`` leaves out the other groups. On a telephone
    all groups share a column. With too many classes for readable names, bars are vertical.
    """
    every = ["unrelated"] if only_unrelated else list(GROUP_LOOKS)
    parts = [part for group in every if len(part := table[table["group"] == group])]
    n, longest = sum(map(len, parts)), table["class"].map(abridged).str.len().max()
    named = n <= MOST_NAMED
    apart = named and not narrow() and n > 0
    columns = [[part] for part in parts] if apart else [parts]
    lines = max(sum(map(len, column)) for column in columns)
    traces: list[Part] = []
    titles: list[Part] = []
    axes: Part = {}
    for plane, column in zip(
        planes(len(columns), spacing=0.02 + 0.006 * longest), columns, strict=True
    ):
        start = 0
        for part in column:
            group, mean = part["group"].iloc[0], 100 * part["gain"].mean()
            words = f"{GROUP_WORDS[group][0]}, mean {f'{mean:+.1f}'.replace('-', '−')}"
            bars_of = _bars(part, GROUP_LOOKS[group], picked, start, lying=named)
            entry = {"name": f"{words}, {len(part)} classes", "showlegend": not apart}
            ends, means = [start - 0.5, start + len(part) - 0.5], [mean] * 2
            at: Part = {"y": ends, "x": means} if named else {"x": ends, "y": means}
            traces.append(plane.on(bars_of | entry))
            dash = line(INK.color, dash="dash", name="mean of the group", showlegend=False, **at)
            traces.append(plane.on(dash))
            if apart:
                titles.append(plane.title(words))
            start += len(part)
        rows = pd.concat(column or [table[:0]])
        axes |= plane.axes(*_axes(rows, table, [-0.6, lines - 0.4], lying=named))
    return figure(
        traces,
        height=96 + (15 if apart and lines > MANY else 19) * lines if named else 440,
        legend="" if apart else "top",
        barmode="overlay",
        annotations=titles,
        **axes,
    )


def _bars(rows: pd.DataFrame, mark: Mark, picked: str, start: int, *, lying: bool) -> Part:
    """Return the bars of one group from the line ``start`` on."""
    gain, place = 100 * rows["gain"].to_numpy(), start + np.arange(len(rows))
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
        "color": INK.color,
        "thickness": 1.5,
        "width": 2,
    }
    across = {"x": gain, "y": place, "orientation": "h", "error_x": reach}
    upright = {"x": place, "y": gain, "orientation": "v", "error_y": reach}
    return bars(
        **(across if lying else upright),
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
