"""Figures of a split: images by class and part, leaks, folds, prototypes, and its card."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.curve import curve_with_points
from ui.figures.marks import MOST_NAMES, class_axis, marked, names_fit
from ui.figures.palette import (
    HARMONIC,
    LEAK,
    NEUTRAL,
    OVERLAP,
    SEEN,
    SEQUENTIAL,
    UNCALIBRATED,
    UNSEEN,
    VALIDATED,
    Mark,
    narrow,
    translucent,
)
from ui.figures.vocabulary import (
    Chart,
    Part,
    Plane,
    axis,
    bars,
    figure,
    fill,
    heatmap,
    note,
    scatter,
)
from zslcore.leakage.report import Picture

#: Part of a split: column of the table, name in the legend, mark, opacity, hatch.
PartStyle = tuple[str, str, Mark, float, str]
PARTS: Sequence[PartStyle] = (
    ("trainval", "training", SEEN, 1.0, ""),
    ("test_seen", "test, seen", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen", UNSEEN, 1.0, UNSEEN.pattern),
    ("several", "in more than one part", LEAK, 1.0, LEAK.pattern),
    ("none", "in no part", NEUTRAL, 0.45, ""),
)


#: Height of the sample images above the bars, in pixels, in a wide and in a narrow window.
SAMPLE_HEIGHTS = (68, 46)


@cached_figure
def split_map(table: pd.DataFrame, folds: pd.DataFrame, samples: Sequence[str] = ()) -> Chart:
    """Draw the images of each class by part, above the validation classes of each fold.

    ``samples`` has the address of a picture for each class, to be drawn above its bar.
    """
    lines = folds.shape[1]
    strip = 26 * max(lines, 1)
    share = 0.97 * strip / (290 + strip)
    above, below = Plane(1, down=(share + 0.03, 1.0)), Plane(2, down=(0.0, share))
    classes = class_axis(table["class"], table["role"])
    return figure(
        [above.on(bar) for bar in _part_bars(table)]
        + [below.on(strip) for strip in (_fold_strip(table, folds) if lines else [])],
        height=(306 if narrow() else 300) + strip,
        legend="top",
        margin={"t": (56 if narrow() else 40) + SAMPLE_HEIGHTS[narrow()] * bool(samples)},
        images=[_above_bar(k, source) for k, source in enumerate(samples)],
        barmode="stack",
        bargap=0.1 if len(table) <= MOST_NAMES else 0,
        **above.axes(classes | {"showticklabels": False, "title": None}, axis("images", grid=True)),
        **below.axes(
            classes, axis(names=list(folds.columns), grid=False, range=[lines - 0.5, -0.5])
        ),
    )


def _above_bar(k: int, source: str) -> Part:
    size = {"sizex": 0.9, "sizey": (SAMPLE_HEIGHTS[narrow()] - 8) / 270, "sizing": "contain"}
    anchors = {"xref": "x", "x": k, "xanchor": "center", "yref": "paper", "y": 1.02}
    return {"source": source, **size, **anchors, "yanchor": "bottom"}


def _part_bars(table: pd.DataFrame) -> list[Part]:
    """Return the images of each class as bars, one trace per non-empty part.

    Bars that are high enough show their counts, except those that are narrower than the text.
    """
    least = 0.1 * table["trainval"].max() if len(table) <= MOST_NAMES else np.inf
    return [
        _images_in(table, part, "x", "images ")
        | {"text": [f"{n:,}" if n > least else "" for n in table[part[0]]]}
        | {"textposition": "inside"}
        for part in PARTS
        if table[part[0]].any()
    ]


def _images_in(table: pd.DataFrame, part: PartStyle, position_axis: str, words: str) -> Part:
    """Return the images of each class in one part as bars on the axis ``position_axis``."""
    column, label, mark, opacity, pattern = part
    length_axis = "y" if position_axis == "x" else "x"
    return bars(
        **{position_axis: np.arange(len(table)), length_axis: table[column]},
        orientation="v" if position_axis == "x" else "h",
        name=label,
        marker={
            "color": translucent(mark.color, opacity),
            "pattern": {"shape": pattern},
            "line": {"color": mark.color, "width": np.where(table[column] > 0, opacity < 1, 0)},
        },
        customdata=table["class"],
        hovertemplate=f"%{{customdata}}: %{{{length_axis}:,}} {words}{label}<extra></extra>",
    )


def _fold_strip(table: pd.DataFrame, folds: pd.DataFrame) -> list[Part]:
    """Return one line per fold: validation classes in green, training classes in grey."""
    code = {"": np.nan, "train": 0.0, "val": 1.0, "both": 2.0}
    z = folds.map(code.get).to_numpy(dtype=float).T
    steps = [translucent(NEUTRAL.color, 0.55), VALIDATED.color, LEAK.color]
    scale = [(k / 3 + at / 3, color) for k, color in enumerate(steps) for at in (0, 1)]
    strip = heatmap(
        z=z,
        zmin=-0.5,
        zmax=2.5,
        colorscale=scale,
        showscale=False,
        xgap=max(1, (30 if narrow() else 100) // len(table)) if len(table) <= MOST_NAMES else 0,
        ygap=3,
        customdata=np.broadcast_to(table["class"].to_numpy(dtype=object), z.shape),
        text=folds.to_numpy().T,
        hovertemplate="%{customdata}, %{y}: %{text}<extra></extra>",
    )
    signs = zip(("fold: training", "fold: validation"), steps[:2], strict=True)
    off, look = {"x": [None], "y": [None]}, {"symbol": "square", "size": 11}
    return [strip, *(scatter(**off, name=n, marker=look | {"color": c}) for n, c in signs)]


#: Attribute names are drawn for at most this many attributes, to leave room for class names.
MOST_ATTRIBUTES = 40


@cached_figure
def attribute_map(table: pd.DataFrame, roles: Sequence[str]) -> Chart:
    """Draw prototypes as a heat map, one row per class, with class names coloured by role."""
    n = table.shape[1]
    matrix = heatmap(
        z=table.to_numpy(),
        colorscale=SEQUENTIAL,
        colorbar={"thickness": 10, "len": 150},
        customdata=np.broadcast_to(table.index.to_numpy(dtype=object)[:, None], table.shape),
        text=np.broadcast_to(table.columns.to_numpy(dtype=object)[None, :], table.shape),
        hovertemplate="%{customdata} · %{text}: %{z:.3g}<extra></extra>",
        xgap=1 if n <= 2 * MOST_ATTRIBUTES else 0,
        ygap=1,
    )
    labels = [marked(name, role) for name, role in zip(table.index, roles, strict=True)]
    legible = names_fit(n, MOST_ATTRIBUTES)
    headroom = 20 + (7 * max(map(len, table.columns)) if legible else 20)
    return figure(
        [matrix],
        height=min(headroom, 190) + 20 + 19 * len(labels),
        xaxis=axis(
            "" if legible else f"{n:,} attributes; point at a cell to see its attribute",
            names=list(table.columns) if legible else [],
            side="top",
            tickangle=-60,
            size=12,
        ),
        yaxis=axis(names=labels, autorange="reversed"),
    )


# --- Leaks ----------------------------------------------------------------------------------------

#: Maximum number of classes with names at their bars.
MOST_LINES = 60

_WHERE: Sequence[PartStyle] = (
    ("trained", "trained on", SEEN, 1.0, ""),
    *PARTS[1:3],
    ("in_pretraining", "class in the pre-training set", OVERLAP, 0.75, "|"),
    ("leaking", "also in another part", LEAK, 1.0, LEAK.pattern),
    ("unused", "unused", NEUTRAL, 0.45, ""),
)
_ORDER = {"both": 0, "seen": 1, "unseen": 2, "none": 3}


@cached_figure
def class_leak_bars(table: pd.DataFrame) -> Chart:
    """Draw one bar per class, divided by part and leak, with leaking classes on top."""
    order = np.lexsort((table["role"].map(_ORDER), -table["in_pretraining"], -table["leaking"]))
    table = table.iloc[order]
    n, is_long = len(table), len(table) > 20
    legible = n <= MOST_LINES
    names = [marked(name, role) for name, role in zip(table["class"], table["role"], strict=True)]
    height = 96 + max(160, min(16 if is_long else 26, 700 / n) * n)
    return figure(
        [_images_in(table, part, "y", "images, ") for part in _WHERE if table[part[0]].any()],
        height=height,
        legend="top",
        xaxis=axis("images", grid=True),
        yaxis=axis(
            "" if legible else f"{n:,} classes; point at a bar to see its class",
            names=names if legible else [],
            range=[n - 0.4, -0.6],
            grid=False,
            size=12 if is_long else 14,
        ),
        barmode="stack",
        bargap=0.15 if legible else 0,
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
            ("also in another part", table["leaking"], LEAK.color, LEAK.pattern),
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
    if not picture.curve:
        return _bars(picture)
    unseen, seen = zip(*picture.curve, strict=True)
    marks = {"uncalibrated": UNCALIBRATED, "validated": VALIDATED}
    points = [(*at, marks.get(at[0].partition(",")[0], HARMONIC)) for at in picture.points]
    return curve_with_points(unseen, seen, points, height=260)


def _bars(picture: Picture) -> Chart:
    part_bars = picture.bars
    labels = [bar.label for bar in part_bars]
    of_bars = [(bar.marked, bar.by_class, bar.whole) for bar in part_bars]
    marked, by_class, totals = np.array(of_bars).T
    unseen = np.array(labels) == "test_unseen"
    of_split = bool(unseen.any())
    lengths = {
        "also in another part": (marked - by_class, LEAK),
        "class in the pre-training set": (by_class, OVERLAP),
        "seen classes": ((totals - marked) * ~unseen, SEEN),
        "unseen classes": ((totals - marked) * unseen, UNSEEN),
    }
    return figure(
        [
            bars(x=x, y=labels, orientation="h", name=name, marker=fill(mark), hoverinfo="skip")
            for name, (x, mark) in lengths.items()
            if x.any()
        ],
        height=20 + 24 * of_split + (50 if len(part_bars) < 7 else 38) * len(part_bars),
        legend="top" if of_split else "",
        # The values are in the right margin. Its width is in pixels, since a share of a narrow
        # figure would be too narrow for them.
        margin={"t": 4, "b": 4, "r": 14 + LETTER * max(len(bar.value) for bar in part_bars)},
        xaxis=axis(visible=False, range=[0, max(bar.whole for bar in part_bars)]),
        yaxis=axis(autorange="reversed", grid=False),
        annotations=[
            note(bar.value, bar.whole, bar.label, xanchor="left", xshift=6) for bar in part_bars
        ],
        barmode="stack",
        bargap=0.35,
        showlegend=of_split,
    )
