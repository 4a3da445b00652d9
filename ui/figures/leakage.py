"""Figures of a split: images by class and part, with leaks highlighted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import marked
from ui.figures.palette import (
    HARMONIC,
    INK,
    LEAK,
    NEUTRAL,
    OVERLAP,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    translucent,
)
from ui.figures.vocabulary import Chart, Part, axis, bars, figure, fill, line, note, scatter
from zslcore.leakage.report import Picture

#: Maximum number of classes with names at their bars.
MOST_NAMES = 60

#: (column of the table, name in the legend, mark, opacity, hatch in print).
_WHERE = (
    ("trained", "trained on", SEEN, 1.0, ""),
    ("test_seen", "test, seen", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen", UNSEEN, 1.0, UNSEEN.pattern),
    ("known", "leak: class in the pre-training set", OVERLAP, 0.75, "|"),
    ("leaking", "leak between the parts", LEAK, 1.0, LEAK.pattern),
    ("unused", "unused", NEUTRAL, 0.45, ""),
)
_ORDER = {"both": 0, "unseen": 1, "seen": 2, "none": 3}


@cached_figure
def class_leak_bars(table: pd.DataFrame) -> Chart:
    """Draw one line per class with its images by part and leak; unseen classes on top."""
    order = np.lexsort(
        (-table["images"], -table["known"], -table["leaking"], table["role"].map(_ORDER))
    )
    table = table.iloc[order]
    n, many = len(table), len(table) > 20
    legible = n <= MOST_NAMES
    names = [marked(name, role) for name, role in zip(table["class"], table["role"], strict=True)]
    height = 130 + max(160, min(16 if many else 26, 700 / n) * n)
    return figure(
        [_bar(table, *where) for where in _WHERE if table[where[0]].any()],
        height=height,
        legend="top",
        margin={"t": 84},
        xaxis=axis("images", grid=True),
        yaxis=axis(
            "" if legible else f"{n:,} classes; point at one for its name",
            names=names if legible else [],
            range=[n - 0.4, -0.6],
            grid=False,
            size=12 if many else 14,
        ),
        barmode="stack",
        bargap=0.15 if legible else 0,
    )


def _bar(
    table: pd.DataFrame, column: str, label: str, mark: Mark, opacity: float, pattern: str
) -> Part:
    return bars(
        y=np.arange(len(table)),
        x=table[column],
        orientation="h",
        name=label,
        marker={
            "color": translucent(mark.color, opacity),
            "pattern": {"shape": pattern},
            "line": {"color": mark.color, "width": 0 if opacity == 1 else 1},
        },
        customdata=table["class"],
        hovertemplate=f"%{{customdata}}: %{{x:,}} images, {label}<extra></extra>",
    )


@cached_figure
def part_leak_bars(table: pd.DataFrame) -> Chart:
    """Draw one bar per part of a split without labels, with leaking rows in another colour."""
    traces = [
        bars(
            x=rows,
            y=table["part"].str.replace("_", " "),
            orientation="h",
            name=label,
            marker={"color": color, "pattern": {"shape": pattern}},
            hovertemplate=f"%{{y}}: %{{x:,}} {label}<extra></extra>",
        )
        for label, rows, color, pattern in (
            ("rows only in this part", table["rows"] - table["leaking"], SEEN.color, ""),
            ("leak between the parts", table["leaking"], LEAK.color, LEAK.pattern),
        )
    ]
    return figure(
        traces,
        height=90 + 48 * len(table),
        legend="top",
        xaxis=axis("rows", grid=True),
        yaxis=axis(autorange="reversed", grid=False),
        barmode="stack",
        bargap=0.3,
    )


#: Upper bound on the mean width of a letter in a value, in pixels.
LETTER = 6.5


@cached_figure
def picture_of(picture: Picture) -> Chart:
    """Draw the picture of a card: bars, or a curve with its marked points."""
    return _curve(picture) if picture.curve else _bars(picture)


def _bars(picture: Picture) -> Chart:
    each = picture.bars
    labels = [bar.label for bar in each]
    marked, whole = np.array([(bar.marked, bar.whole) for bar in each]).T
    unseen = np.array(labels) == "test_unseen"
    of_split = bool(unseen.any())
    lengths = {
        "leak": (marked, LEAK),
        "seen classes": ((whole - marked) * ~unseen, SEEN),
        "unseen classes": ((whole - marked) * unseen, UNSEEN),
    }
    return figure(
        [
            bars(x=x, y=labels, orientation="h", name=name, marker=fill(mark), hoverinfo="skip")
            for name, (x, mark) in lengths.items()
            if x.any()
        ],
        height=20 + 24 * of_split + (50 if len(each) < 7 else 38) * len(each),
        legend="top" if of_split else "",
        # The values are in the right margin. Its width is in pixels, since a share of a narrow
        # figure would be too narrow for them.
        margin={"t": 4, "b": 4, "r": 14 + LETTER * max(len(bar.value) for bar in each)},
        xaxis=axis(visible=False, range=[0, max(bar.whole for bar in each)]),
        yaxis=axis(autorange="reversed", grid=False),
        annotations=[
            note(bar.value, bar.whole, bar.label, xanchor="left", xshift=6) for bar in each
        ],
        barmode="stack",
        bargap=0.35,
        showlegend=of_split,
    )


def _curve(picture: Picture) -> Chart:
    u, s = zip(*picture.curve, strict=True)
    marks = [
        scatter(
            x=[unseen],
            y=[seen],
            name=label,
            marker={"color": look.color, "symbol": look.symbol, "size": 11},
        )
        for (label, unseen, seen), look in zip(picture.points, (INK, VALIDATED), strict=False)
    ]
    plane: Part = {"percent": True, "grid": True, "range": [-0.02, 1.02]}
    return figure(
        [line(HARMONIC.color, width=2.5, x=u, y=s, showlegend=False), *marks],
        height=260,
        legend="top",
        xaxis=axis("unseen accuracy u", **plane),
        yaxis=axis("seen accuracy s", **plane),
    )
