"""Gain of each class from pre-training, largest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import GROUP_WORDS, marked
from ui.figures.palette import GROUP_LOOKS, HARMONIC, INK, NEUTRAL, Mark, narrow, translucent
from ui.figures.vocabulary import (
    Chart,
    Markup,
    Part,
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
from zslcore.numbers import percent, with_sign

#: Maximum number of bars with names.
MOST_NAMED = 104
#: Maximum number of columns, and number of lines above which a block gets another column.
MOST_COLUMNS, LINES = 4, 31
#: Title of the axes of gains.
UNIT = "points gained"
#: Interval between ticks, in points, if at least two fit.
TICKS = 25
#: Minimum number of draws of a class for an interval.
FEWEST_DRAWS = 5


class Block(NamedTuple):
    """Rows below a heading; the rows have a ``gain`` and a ``label``.

    ``n`` is the number of columns that the rows fill.
    """

    heading: str
    rows: pd.DataFrame
    n: int = 1


@cached_figure
def printed_gains(table: pd.DataFrame) -> Chart:
    """Draw printed gains, one bar per method, in one block per ``panel`` of the table.

    Other columns are ``method`` and ``gain``, the difference of two overlap gains as a fraction.
    """
    blocks = [
        Block(
            Markup(f"{escape(str(panel), quote=False)}: mean <b>{signed(rows['gain'].mean())}</b>"),
            rows.assign(label=rows["method"], text=rows["gain"].map(signed)),
        )
        for panel, rows in table.groupby("panel", sort=False)
    ]

    def bars_of(block: Block, rows: pd.DataFrame) -> Part:
        return bars(
            name=rows["panel"].iloc[0],
            orientation="h",
            customdata=rows["method"],
            hovertemplate="%{customdata}: %{x:+.1f} %<extra></extra>",
            marker=fill(GROUP_LOOKS["in the set"]),
            width=0.7,
        )

    limits = [1.2 * min(0.0, table["gain"].min()), 1.2 * table["gain"].max()]
    of_x = axis("gain, %", range=[100 * end for end in limits])
    lines = 2 * (1 + max(len(block.rows) for block in blocks))
    return _in_columns(blocks, bars_of, of_x, max_lines=lines, line_height=22 if narrow() else 30)


@cached_figure
def gain_bars(
    table: pd.DataFrame, picked: str, *, title_of_set: str = "the pre-training set"
) -> Chart:
    """Draw one bar per class with its interval, below a heading per group with the group's mean.

    The class ``picked`` has a frame. A large group fills columns of its own, small groups share a
    column; on a phone, all are in one. With too many classes for readable names, bars are vertical.
    """
    words = GROUP_WORDS | {"in the set": f"in {title_of_set}"}
    named = len(table) <= MOST_NAMED
    blocks = []
    for group in GROUP_LOOKS:
        if len(rows := table[table["group"] == group]):
            heading = f"{escape(words[group], quote=False)}, mean {signed(rows['gain'].mean())}"
            labels = [marked(name, group) for name in rows["class"]]
            labelled = rows.assign(label=pd.Series(labels, rows.index, dtype=object))
            blocks.append(Block(Markup(heading), labelled))

    def bars_of(block: Block, rows: pd.DataFrame) -> Part:
        look = GROUP_LOOKS[rows["group"].iloc[0]]
        name = f"{block.heading}, {len(block.rows)} classes"
        return _bars(rows, look, picked, horizontal=named) | {"name": Markup(name)}

    of_gains = _axis_of_gains(table)
    if not named:
        return _upright(blocks, bars_of, of_gains)
    while not narrow() and sum(block.n for block in blocks) < MOST_COLUMNS:
        longest = max(range(len(blocks)), key=lambda k: len(blocks[k].rows) / blocks[k].n)
        if len(blocks[longest].rows) <= LINES * blocks[longest].n:
            break
        blocks[longest] = blocks[longest]._replace(n=blocks[longest].n + 1)
    lines = max(ceil(len(block.rows) / block.n) for block in blocks)
    line_height = 19 if narrow() else min(19, max(14, 400 // (lines + 1)))
    max_lines = min(LINES, ceil(1.2 * (lines + 1)))  # columns of similar heights
    return _in_columns(blocks, bars_of, of_gains, max_lines=max_lines, line_height=line_height)


def _in_columns(
    blocks: Sequence[Block],
    bars_of: Callable[[Block, pd.DataFrame], Part],
    of_x: Part,
    *,
    max_lines: int,
    line_height: int,
) -> Chart:
    """Draw blocks of horizontal bars in columns of up to ``max_lines``; one column on a phone.

    ``bars_of`` returns the bars of some rows of a block, without their positions; ``line_height``
    is in pixels.
    """
    places = []  # of each block's heading and rows: number of the column, and line
    columns, used, lines = 0, 0, 0
    for block in blocks:
        per_column = ceil(len(block.rows) / block.n)
        if used and not narrow() and used + per_column + 1 > max_lines:
            columns, used = columns + 1, 0
        column, line_in_it = np.divmod(np.arange(len(block.rows)), per_column)
        places.append((np.r_[0, column] + columns, np.r_[0, line_in_it + 1] + used))
        columns, used = columns + block.n - 1, used + per_column + 1
        lines = max(lines, used)
    n = columns + 1
    sides = planes(n, spacing=0.02)
    traces: list[Part] = []
    notes: list[Part] = []
    labels: list[dict[int, str]] = [{} for _ in sides]
    start = of_x["range"][0] if narrow() else 0  # on a phone, a heading needs the whole width
    for block, (column, place) in zip(blocks, places, strict=True):
        mean, name = 100 * block.rows["gain"].mean(), sides[column[0]].suffix
        at: Part = {"xref": f"x{name}", "xanchor": "left", "yref": f"y{name}"}
        size = min(15, line_height - 3)  # the heading is between two lines
        notes.append(note(block.heading, x=start, y=int(place[0]), font={"size": size}, **at))
        for number in np.unique(column[1:]):
            side, inside = sides[number], column[1:] == number
            rows, y = block.rows[inside], place[1:][inside]
            values = {"x": 100 * rows["gain"].to_numpy(), "y": y, "showlegend": False}
            traces.append(side.on(bars_of(block, rows) | values))
            ends: Part = {"y": [y[0] - 0.5, y[-1] + 0.5], "showlegend": False}
            traces.append(side.on(line(NEUTRAL.color, x=[0, 0], width=1, name="no gain", **ends)))
            labels[number] |= dict(zip(y.tolist(), rows["label"], strict=True))
            if "text" in rows:
                at = {"xref": f"x{side.suffix}", "yref": f"y{side.suffix}", "xanchor": "left"}
                notes += [
                    note(text, max(value, 0), k, xshift=6, **at)
                    for text, value, k in zip(rows["text"], values["x"], y.tolist(), strict=True)
                ]
            else:
                look: Part = {"dash": "dash", "width": 1.5, "name": "group mean"}
                traces.append(side.on(line(INK.color, x=[mean, mean], **look, **ends)))
    axes: Part = {}
    for side, names in zip(sides, labels, strict=True):
        ticks: Part = {"tickvals": list(names), "ticktext": list(names.values())}
        size = 12 if line_height < 20 else 14
        of_y = axis(grid=False, size=size, range=[lines - 0.4, -0.6], **ticks)
        axes |= side.axes(of_x | {"showgrid": False, "zeroline": False}, of_y)
    height = 60 + line_height * lines
    margin = {"t": 8, "r": 64 if n > 2 else 8}  # bars of many columns are shorter than a heading
    return figure(
        traces, height=height, margin=margin, annotations=notes, barmode="overlay", **axes
    )


def _upright(
    blocks: Sequence[Block], bars_of: Callable[[Block, pd.DataFrame], Part], of_gains: Part
) -> Chart:
    """Draw blocks of vertical bars next to each other, without names."""
    traces: list[Part] = []
    start = 0
    for block in blocks:
        rows, mean = block.rows, 100 * block.rows["gain"].mean()
        ends = [start - 0.5, start + len(rows) - 0.5]
        placed = {"x": start + np.arange(len(rows)), "y": 100 * rows["gain"], "showlegend": False}
        trace = bars_of(block, rows) | placed
        look = GROUP_LOOKS[rows["group"].iloc[0]]
        # The legend has a sign of its own, since the first bar may be pale.
        sign = {"name": trace["name"], "marker": dots(look, 11)}
        traces += [scatter(x=[None], y=[None], **sign), trace]
        of_mean = {"x": ends, "y": [mean, mean], "name": "group mean", "showlegend": False}
        traces.append(line(INK.color, dash="dash", width=1.5, **of_mean))
        start += len(rows)
    of_x = axis(
        f"{start} classes; point at a mark to see its class",
        names=[],
        grid=False,
        range=[-0.6, start - 0.4],
    )
    return figure(traces, height=440, legend="top", barmode="overlay", xaxis=of_x, yaxis=of_gains)


def _bars(rows: pd.DataFrame, mark: Mark, picked: str, *, horizontal: bool) -> Part:
    """Return the bars of classes of one group, without their positions."""
    gain = 100 * rows["gain"].to_numpy()
    hover_texts = [
        Markup(
            f"{escape(name, quote=False)}: {with_sign(g)} points<br>accuracy with pre-training "
            f"{percent(a)}, without {percent(b)}; {draws} splits"
        )
        for name, g, a, b, draws in zip(
            rows["class"], gain, rows["accuracy"], rows["baseline"], rows["draws"], strict=True
        )
    ]
    enough, is_picked = rows["draws"].to_numpy() >= FEWEST_DRAWS, rows["class"] == picked
    widths = np.where(is_picked, 3, ~enough)
    low, high = (100 * rows[end].where(enough) for end in ("low", "high"))
    reach = whiskers(gain, low, high, translucent(INK.color, 0.55), thickness=1, width=0)
    return bars(
        **({"error_x": reach} if horizontal else {"error_y": reach}),
        orientation="h" if horizontal else "v",
        width=0.8,
        marker={
            "color": [translucent(mark.color, 1 if has_enough else 0.45) for has_enough in enough],
            "pattern": {"shape": mark.pattern},
            "line": {"width": widths, "color": np.where(is_picked, HARMONIC.color, mark.color)},
        },
        customdata=list(zip(rows["class"], hover_texts, strict=True)),
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _axis_of_gains(table: pd.DataFrame) -> Part:
    """Return the axis of gains, which every column shares."""
    values = 100 * table[["gain"]].to_numpy()
    if (table["draws"] >= FEWEST_DRAWS).any():
        drawn = table.loc[table["draws"] >= FEWEST_DRAWS, ["low", "high"]].to_numpy()
        values = np.concatenate([values.ravel(), 100 * drawn.ravel()])
    low, high = min(0.0, np.nanmin(values)) - 2, max(0.0, np.nanmax(values)) + 2
    step = TICKS if high - low < 4 * TICKS else 2 * TICKS
    ticks = list(range(step * ceil(low / step), ceil(high), step))
    return axis(
        UNIT,
        grid=True,
        range=[low, high],
        tickvals=ticks if len(ticks) > 1 else None,
        tickformat=".0f",
        zeroline=True,
        zerolinecolor=NEUTRAL.color,
    )
