"""Figures of a split: images by class and part, folds, and prototypes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import MOST_NAMES, class_axis, marked, names_fit
from ui.figures.palette import (
    LEAK,
    NEUTRAL,
    SEEN,
    SEQUENTIAL,
    UNSEEN,
    VALIDATED,
    narrow,
    translucent,
)
from ui.figures.vocabulary import Chart, Part, Plane, axis, bars, figure, heatmap, scatter

#: Parts of a split: (column of the table, name in the legend, mark, opacity, hatch).
BARS = (
    ("trainval", "training", SEEN, 1.0, ""),
    ("test_seen", "test, seen", SEEN, 0.45, "."),
    ("test_unseen", "test, unseen", UNSEEN, 1.0, UNSEEN.pattern),
    ("several", "in more than one part", LEAK, 1.0, LEAK.pattern),
    ("none", "in no part", NEUTRAL, 0.45, ""),
)


#: Height of the sample images above the bars, in pixels, in a wide and in a narrow window.
SAMPLES = (68, 46)


@cached_figure
def split_map(table: pd.DataFrame, folds: pd.DataFrame, samples: Sequence[str] = ()) -> Chart:
    """Draw the images of each class by part, above the validation classes of each fold.

    ``samples`` has the address of a picture for each class, to be drawn above its bar.
    """
    lines = folds.shape[1]
    strip = 26 * max(lines, 1)
    share = 0.97 * strip / (330 + strip)
    above, below = Plane(1, down=(share + 0.03, 1.0)), Plane(2, down=(0.0, share))
    classes = class_axis(table["class"], table["role"])
    return figure(
        [above.on(each) for each in _part_bars(table)]
        + [below.on(each) for each in (_fold_strip(table, folds) if lines else [])],
        height=(306 if narrow() else 340) + strip,
        legend="top",
        margin={"t": (56 if narrow() else 40) + SAMPLES[narrow()] * bool(samples)},
        images=[_above_bar(k, source) for k, source in enumerate(samples)],
        barmode="stack",
        bargap=0.1 if len(table) <= MOST_NAMES else 0,
        **above.axes(classes | {"showticklabels": False, "title": None}, axis("images", grid=True)),
        **below.axes(
            classes, axis(names=list(folds.columns), grid=False, range=[lines - 0.5, -0.5])
        ),
    )


def _above_bar(k: int, source: str) -> Part:
    size = {"sizex": 0.9, "sizey": (SAMPLES[narrow()] - 8) / 270, "sizing": "contain"}
    place = {"xref": "x", "x": k, "xanchor": "center", "yref": "paper", "y": 1.02}
    return {"source": source, **size, **place, "yanchor": "bottom"}


def _part_bars(table: pd.DataFrame) -> list[Part]:
    """Return the images of each class, as one trace per part with images; high bars have counts."""
    least = 0.1 * table["trainval"].max() if len(table) <= 12 else np.inf
    return [
        bars(
            x=np.arange(len(table)),
            y=table[part],
            name=label,
            marker={
                "color": translucent(mark.color, opacity),
                "pattern": {"shape": pattern},
                "line": {"color": mark.color, "width": np.where(table[part] > 0, opacity < 1, 0)},
            },
            text=[f"{n:,}" if n > least else "" for n in table[part]],
            textposition="inside",
            customdata=table["class"],
            hovertemplate=f"%{{customdata}}: %{{y:,}} images {label}<extra></extra>",
        )
        for part, label, mark, opacity, pattern in BARS
        if table[part].any()
    ]


def _fold_strip(table: pd.DataFrame, folds: pd.DataFrame) -> list[Part]:
    """Return one line per fold: validation classes in green, training classes in faint grey."""
    code = {"": np.nan, "train": 0.0, "val": 1.0, "both": 2.0}
    z = folds.map(code.get).to_numpy(dtype=float).T
    steps = [translucent(NEUTRAL.color, 0.3), VALIDATED.color, LEAK.color]
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


#: Maximum number of attributes with names, which leaves room for the names of classes.
MOST_ATTRIBUTES = 40


@cached_figure
def attribute_map(table: pd.DataFrame, roles: Sequence[str]) -> Chart:
    """Draw prototypes as a heat map, one line per class; names have the colour of their role."""
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
            "" if legible else f"{n:,} attributes; point at one for its name",
            names=list(table.columns) if legible else [],
            side="top",
            tickangle=-60,
            size=12,
        ),
        yaxis=axis(names=labels, autorange="reversed"),
    )
