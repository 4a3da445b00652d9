"""Gain of each class from pre-training, largest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import ceil

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import GROUP_WORDS, abridged, marked
from ui.figures.palette import GROUP_LOOKS, HARMONIC, INK, NEUTRAL, Mark, narrow, translucent
from ui.figures.vocabulary import (
    Chart,
    Markup,
    Part,
    Plane,
    axis,
    bars,
    dots,
    figure,
    fill,
    line,
    note,
    planes,
    scatter,
    whiskers,
)
from ui.shell.numbers import signed
from zslcore.analysis.overlap import GroupGain
from zslcore.analysis.resampling import student_interval
from zslcore.numbers import with_sign

#: Maximum number of bars with names.
MOST_NAMED = 104
#: Maximum number of lines of full height; with more lines, each is lower.
MANY = 17
#: If fewer lines than this are free above the shorter columns, the means are above all columns.
FREE_LINES = 10
#: Maximum number of lines for the means, and number of empty lines below the means.
LINES_OF_MEANS = (6, 5)
#: The same two numbers on a phone.
LINES_ON_PHONE = (6, 4)
#: Title of the axes of gains.
UNIT = "points gained"
#: Interval between ticks, in points, if at least two fit.
TICKS = 25
#: Minimum number of draws of a class for an interval.
FEWEST_DRAWS = 5


@cached_figure
def printed_gains(table: pd.DataFrame) -> Chart:
    """Draw printed gains, one bar per method, in one plane per ``panel`` of the table.

    Other columns are ``method`` and ``gain``, the difference of two overlap gains as a fraction.
    """
    parts = list(table.groupby("panel", sort=False))
    gains, methods = 100 * table["gain"], list(dict.fromkeys(table["method"]))
    reach = [1.15 * min(0.0, gains.min()), 1.3 * gains.max()]
    traces: list[Part] = []
    notes: list[Part] = []
    axes: Part = {}
    for plane, (panel, part) in zip(planes(len(parts), spacing=0.03), parts, strict=True):
        values, rows = 100 * part["gain"].to_numpy(), part["method"].map(methods.index).to_numpy()
        of_bars = {"x": values, "y": rows, "orientation": "h", "customdata": part["method"]}
        look = {"marker": fill(GROUP_LOOKS["in the set"]), "showlegend": False, "width": 0.7}
        hover = "%{customdata}: %{x:+.1f} %<extra></extra>"
        traces.append(plane.on(bars(name=panel, hovertemplate=hover, **of_bars, **look)))
        at = {"xref": f"x{plane.suffix}", "yref": f"y{plane.suffix}", "xanchor": "left"}
        for value, row in zip(values, rows, strict=True):
            notes.append(note(signed(value / 100), max(value, 0), row, xshift=6, **at))
        words = escape(str(panel), quote=False)
        if not narrow():  # titles side by side have two lines
            words = words.replace(", ", "<br>")
        notes.append(plane.title(Markup(f"{words}, mean {signed(values.mean() / 100)}")))
        title = "gain, %" if not narrow() or plane.number == len(parts) else ""
        # Each bar has its number, which a grid would cross.
        of_x = axis(title, grid=False, range=reach, zeroline=True, zerolinecolor=NEUTRAL.color)
        of_y = axis(names=methods, grid=False, range=[len(methods) - 0.4, -0.6])
        of_y["showticklabels"] = narrow() or plane.number == 1
        axes |= plane.axes(of_x, of_y)
    height, top = (250 * len(parts), 28) if narrow() else (270, 48)
    axes["margin"] = {"t": top}
    return figure(traces, height=height, annotations=notes, barmode="overlay", **axes)


@cached_figure
def gain_bars(
    table: pd.DataFrame,
    picked: str,
    gain: GroupGain | None = None,
    *,
    title_of_set: str = "the pre-training set",
) -> Chart:
    """Draw one bar per class with its interval, in a column per group with the group's mean.

    The class ``picked`` has a frame. The means of the groups and their difference ``gain`` come
    first: above the short columns, which are then on the left, or above all columns. On a phone,
    all groups share a column. With too many classes for readable names, bars are vertical, without
    means.
    """
    parts = [part for group in GROUP_LOOKS if len(part := table[table["group"] == group])]
    n, longest = sum(map(len, parts)), table["class"].map(abridged).str.len().max()
    named = n <= MOST_NAMED
    has_columns = named and not narrow() and n > 0
    columns = [[part] for part in parts] if has_columns else [parts]
    lengths = [sum(map(len, column)) for column in columns]
    lines, sides, above = max(lengths), planes(len(columns), spacing=0.02 + 0.006 * longest), None
    if gain is not None and named and len(parts) > 1:
        lines, sides, above = _with_means(lengths, sides)
    traces: list[Part] = []
    titles: list[Part] = []
    axes: Part = {}
    group_words = GROUP_WORDS | {"in the set": f"in {title_of_set}"}
    for plane, column in zip(sides, columns, strict=True):
        start, rows = 0, pd.concat(column or [table[:0]])
        of_plane = lines * (plane.down[1] - plane.down[0])
        of_x, of_y = _axes(rows, table, [-0.6, of_plane - 0.4], horizontal=named)
        for part in column:
            group, mean = part["group"].iloc[0], 100 * part["gain"].mean()
            words = f"{group_words[group]}, mean {signed(mean / 100)}"
            bars_of = _bars(part, GROUP_LOOKS[group], picked, start, horizontal=named)
            entry = {"name": f"{words}, {len(part)} classes", "showlegend": False}
            if not has_columns:  # the first bar may be pale
                sign = {"name": entry["name"], "marker": dots(GROUP_LOOKS[group], 11)}
                traces.append(plane.on(scatter(x=[None], y=[None], **sign)))
            ends, means = [start - 0.5, start + len(part) - 0.5], [mean] * 2
            at: Part = {"y": ends, "x": means} if named else {"x": ends, "y": means}
            traces.append(plane.on(bars_of | entry))
            at |= {"name": "group mean", "showlegend": False}
            traces.append(plane.on(line(INK.color, dash="dash", width=1.5, **at)))
            if has_columns:
                titles.append(plane.title(words, at_end=True))
            start += len(part)
        axes |= plane.axes(of_x, of_y)
    if gain is not None and above is not None:
        points, notes, both = _means(parts, gain, above, group_words)
        traces.append(above.on(points))
        titles += notes
        axes |= above.axes(*both)
    return figure(
        traces,
        height=96 + (15 if has_columns and lines > MANY else 19) * lines if named else 440,
        legend="" if has_columns else "top",
        barmode="overlay",
        annotations=titles,
        **axes,
    )


def _with_means(lengths: Sequence[int], sides: list[Plane]) -> tuple[int, list[Plane], Plane]:
    """Return the number of lines, the planes of the columns, and the plane of the means above."""
    lines, short, number = max(lengths), max(sorted(lengths)[:-1], default=0), len(sides) + 1
    rows, between = LINES_ON_PHONE if narrow() else LINES_OF_MEANS
    if len(sides) == 1 or lines - short < FREE_LINES:
        lines += rows + between
        sides = [replace(side, down=(0.0, 1 - (rows + between) / lines)) for side in sides]
        return lines, sides, Plane(number, down=(1 - rows / lines, 1.0))
    rows, across = min(lines - short - between, rows), (0.0, sides[-2].across[1])
    *others, last = sides
    sides = [replace(side, down=(0.0, 1 - (rows + between) / lines)) for side in others]
    sides.insert(lengths.index(lines), last)
    sides = [replace(side, number=k) for k, side in enumerate(sides, start=1)]
    return lines, sides, Plane(number, across, (1 - rows / lines, 1.0))


def _means(
    parts: Sequence[pd.DataFrame], gain: GroupGain, plane: Plane, group_words: Mapping[str, str]
) -> tuple[Part, list[Part], tuple[Part, Part]]:
    """Return the means of the groups and, below, their difference, with labels and axes."""
    groups = [part["group"].iloc[0] for part in parts]
    values = [part["gain"].to_numpy() for part in parts]
    means = [*(value.mean() for value in values), gain.difference]
    mean = 100 * np.array(means)
    ends = [*map(student_interval, values), (gain.low, gain.high)]
    low, high = 100 * np.array(ends).T
    looks = [*(GROUP_LOOKS[group] for group in groups), replace(INK, symbol="square")]
    colors = [look.color for look in looks]
    names = [escape(group_words[group], quote=False) for group in groups]
    names.append(f"{names[0]}<br>minus unrelated")
    rows = [*range(len(groups)), len(groups) + 0.6]
    points = scatter(
        x=mean,
        y=rows,
        name="mean and 95 % interval",
        showlegend=False,
        marker={"color": colors, "symbol": [look.symbol for look in looks], "size": 11},
        error_x=whiskers(mean, low, high, INK.color),
        customdata=[Markup(name.replace("<br>", " ")) for name in names],
        hovertemplate="%{customdata}: mean %{x:+.1f} points<extra></extra>",
    )
    at = {"xref": f"x{plane.suffix}", "yref": f"y{plane.suffix}", "xanchor": "left", "xshift": 8}
    notes = [
        note(signed(mean), end, row, **at) for mean, end, row in zip(means, high, rows, strict=True)
    ]
    reach = [min(0.0, low.min()) - 2, (1.35 if narrow() else 1.15) * max(0.0, high.max())]
    notes.append(plane.title("means with 95 % intervals", at_end=True))
    of_gains = axis(UNIT, grid=True, range=reach, zeroline=True, zerolinecolor=NEUTRAL.color)
    labels: Part = {"tickvals": rows, "ticktext": [Markup(name) for name in names]}
    return points, notes, (of_gains, axis(range=[rows[-1] + 0.8, -0.6], grid=False, **labels))


def _bars(rows: pd.DataFrame, mark: Mark, picked: str, start: int, *, horizontal: bool) -> Part:
    """Return the bars of one group from the line ``start`` on."""
    gain, position = 100 * rows["gain"].to_numpy(), start + np.arange(len(rows))
    hover_texts = [
        Markup(
            f"{escape(name, quote=False)}: {with_sign(g)} points<br>accuracy with pre-training "
            f"{a:.1%}, without {b:.1%}; {draws} splits"
        )
        for name, g, a, b, draws in zip(
            rows["class"], gain, rows["accuracy"], rows["baseline"], rows["draws"], strict=True
        )
    ]
    enough, opened = rows["draws"].to_numpy() >= FEWEST_DRAWS, rows["class"] == picked
    widths = np.where(opened, 3, ~enough)
    low, high = (100 * rows[end].where(enough) for end in ("low", "high"))
    reach = whiskers(gain, low, high, INK.color, thickness=1, width=2)
    across = {"x": gain, "y": position, "orientation": "h", "error_x": reach}
    upright = {"x": position, "y": gain, "orientation": "v", "error_y": reach}
    return bars(
        **(across if horizontal else upright),
        width=0.8,
        marker={
            "color": [translucent(mark.color, 1 if has_enough else 0.45) for has_enough in enough],
            "pattern": {"shape": mark.pattern},
            "line": {"width": widths, "color": np.where(opened, HARMONIC.color, mark.color)},
        },
        customdata=list(zip(rows["class"], hover_texts, strict=True)),
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _axes(
    part: pd.DataFrame, table: pd.DataFrame, ends: list[float], *, horizontal: bool
) -> tuple[Part, Part]:
    """Return the axes of a column; every column has the same range of gains."""
    every = 100 * table[["gain"]].to_numpy()
    if (table["draws"] >= FEWEST_DRAWS).any():
        drawn = table.loc[table["draws"] >= FEWEST_DRAWS, ["low", "high"]].to_numpy()
        every = np.concatenate([every.ravel(), 100 * drawn.ravel()])
    low, high = min(0.0, np.nanmin(every)) - 2, max(0.0, np.nanmax(every)) + 2
    ticks = list(range(TICKS * ceil(low / TICKS), ceil(high), TICKS))
    of_gains = axis(
        UNIT,
        grid=True,
        range=[low, high],
        tickvals=ticks if len(ticks) > 2 else None,
        tickformat=".0f",
        zeroline=True,
        zerolinecolor=NEUTRAL.color,
    )
    if not horizontal:
        title = f"{len(part)} classes; point at a mark for its name"
        return axis(title, names=[], grid=False, range=ends), of_gains
    labels = [marked(*pair) for pair in zip(part["class"], part["group"], strict=True)]
    return of_gains, axis(names=labels, grid=False, range=ends[::-1], size=12)
