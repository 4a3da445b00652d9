"""Two data sets with the same classes: images per class, mixing, and accuracies across the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import class_axis, names_fit
from ui.figures.palette import (
    FAINT,
    FIRST,
    HARMONIC,
    INK,
    NEUTRAL,
    SECOND,
    UNSEEN,
    Mark,
    translucent,
)
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
    rule,
    scatter,
    whiskers,
)
from zslcore.metrics.significance import PairedTest


@cached_figure
def image_counts(table: pd.DataFrame) -> Chart:
    """Draw the images per class of AWA1 and AWA2; test classes have a band."""
    traces = [
        bars(
            x=np.arange(len(table)),
            y=table[name],
            name=name,
            marker=fill(mark),
            customdata=np.stack([table["class"], table["role"], [name] * len(table)], axis=1),
            hovertemplate="%{customdata[0]}, %{customdata[1]}: %{y:,} images in %{customdata[2]}"
            "<extra></extra>",
        )
        for name, mark in (("AWA1", FIRST), ("AWA2", SECOND))
    ]
    is_unseen = (table["role"] == "unseen").to_numpy()
    band = bars(
        x=np.flatnonzero(is_unseen),
        y=np.full(is_unseen.sum(), 1.04 * table[["AWA1", "AWA2"]].to_numpy().max()),
        name="unseen: test classes",
        marker={"color": translucent(UNSEEN.color, 0.22)},
        width=0.98,
        offset=-0.49,
        zorder=-1,
        hoverinfo="skip",
    )
    return figure(
        [*traces, band],
        height=430,
        legend="top",
        xaxis=class_axis(table["class"], table["role"]),
        yaxis=axis("images", grid=True),
        bargap=0.2,
    )


@cached_figure
def four_accuracies(table: pd.DataFrame, first: str, second: str, title: str) -> Chart:
    """Draw the accuracy of each method, trained on each data set and tested on both.

    A line joins the two tests of one fit: a short line means that the test set matters little, a
    gap between lines means that the training set matters. ``title`` is the title of the axis.
    """
    methods = list(table.index)
    a11, a12, a22, a21 = (table[cell].to_numpy(dtype=float) for cell in table)
    y = np.arange(len(methods), dtype=float)[::-1]
    traces: list[Part] = []
    for trained, other, name, mark, up in (
        (a11, a12, first, FIRST, 0.17),
        (a22, a21, second, SECOND, -0.17),
    ):
        traces.append(_pair_lines(trained, other, y + up, mark) | {"showlegend": False})
        for x, words, symbol in (
            (trained, f"trained and tested on {name}", mark.symbol),
            (other, f"trained on {name}, tested on the other", f"{mark.symbol}-open"),
        ):
            traces.append(_points(x, y + up, words, symbol, mark, methods))
    return figure(
        traces,
        height=150 + 30 * len(methods),
        legend="bottom",
        xaxis=axis(title, percent=True, grid=True),
        yaxis=axis(names=methods[::-1], range=[-0.6, len(methods) - 0.4], grid=True),
    )


def _pair_lines(a: np.ndarray, b: np.ndarray, y: np.ndarray, mark: Mark) -> Part:
    gap = np.full(len(y), np.nan)
    x = np.stack([a, b, gap], axis=1).ravel()
    return line(mark.color, width=2.5, x=x, y=np.repeat(y, 3))


def _points(
    x: np.ndarray, y: np.ndarray, name: str, symbol: str, mark: Mark, methods: list[str]
) -> Part:
    return scatter(
        x=x,
        y=y,
        name=name,
        legendgroup=name,
        marker=dots(mark, 11, symbol=symbol, edge=2),
        customdata=methods,
        hovertemplate=f"%{{customdata}}, {escape(name)}: %{{x:.1%}}<extra></extra>",
    )


#: Question of the paired tests -> label of its line.
CROSS_LABELS = {"training set": "training on AWA2", "test set": "testing on AWA2"}


@cached_figure
def difference_strips(
    table: pd.DataFrame,
    tests: Mapping[str, PairedTest],
    labels: Mapping[str, str],
    *,
    title: str = "difference",
    row: int = 70,
) -> Chart:
    """Draw one line per question: the differences of all pairs, their mean and its interval.

    ``labels`` maps each question to the label of its line, which may contain HTML tags. A line is
    ``row`` pixels high. Without ``tests``, the figure shows only the pairs. ``title`` is the title
    of the axis.
    """
    row_of = {question: len(labels) - 1 - k for k, question in enumerate(labels)}
    at: Part = {"xref": "x domain", "yref": "y", "xanchor": "left", "xshift": 6}
    return figure(
        [_pair_points(table, row_of), *([_means(tests, row_of)] if tests else ())],
        height=140 + row * len(labels),
        margin={"r": 86 if tests else 8},
        legend="bottom",
        annotations=[
            note(f"p = {test.p:.2g}", 1, row_of[question] + 0.15, **at)
            for question, test in tests.items()
        ],
        shapes=[rule(x=0, color=NEUTRAL.color, width=1.5)],
        xaxis=axis(f"{title}, points", grid=True, dtick=2),
        yaxis=axis(grid=False, range=[-0.5, len(labels) - 0.5])
        | {
            "tickvals": list(row_of.values()),
            "ticktext": [Markup(label) for label in labels.values()],
        },
    )


def _pair_points(table: pd.DataFrame, row_of: Mapping[str, int]) -> Part:
    below = table.groupby("question").cumcount() % 5  # spread the points of a line reproducibly
    return scatter(
        x=100 * table["difference"],
        y=table["question"].map(row_of) - 0.12 - 0.06 * below,
        name="a pair",
        marker=dots(HARMONIC, 8, symbol="circle-open"),
        customdata=np.stack([table["method"], table["pair"]], axis=1),
        hovertemplate="%{customdata[0]}, %{customdata[1]}: %{x:+.1f} points<extra></extra>",
    )


def _means(tests: Mapping[str, PairedTest], row_of: Mapping[str, int]) -> Part:
    mean = np.array([100 * test.mean_difference for test in tests.values()])
    low, high = (np.array([100 * test.interval[k] for test in tests.values()]) for k in (0, 1))
    return scatter(
        x=mean,
        y=[row_of[question] + 0.15 for question in tests],
        name="mean and 95 % interval",
        marker=dots(HARMONIC, 7, symbol="square"),
        error_x=whiskers(mean, low, high, HARMONIC.color),
        hovertemplate="mean %{x:+.2f} points<extra></extra>",
    )


# --- Mixing ---------------------------------------------------------------------------------------

#: Verdict on a class -> its mark.
_VERDICTS = {
    "shown": HARMONIC,
    "hidden": INK,
    "invented": replace(INK, symbol="cross"),
    "no shift": replace(NEUTRAL, symbol="circle-open"),
}
_VERDICT_WORDS = {
    "shown": "shift in the PCA and on the map",
    "hidden": "shift in the PCA only, not on the map",
    "invented": "shift on the map only, not in the PCA",
    "no shift": "no shift",
}


@cached_figure
def mixing_dumbbells(verdicts: pd.DataFrame) -> Chart:
    """Draw the mixing of two data sets in each class, in the PCA and on the map."""
    table = verdicts.sort_values("mixing_PCA", kind="stable").reset_index(drop=True)
    x, gap = np.arange(len(table)), np.full(len(table), np.nan)
    ends = [table[column].to_numpy(dtype=float) for column in ("mixing_PCA", "mixing_map")]
    joined = line(
        FAINT,
        x=np.stack([x, x, gap], axis=1).ravel(),
        y=np.stack([*ends, gap], axis=1).ravel(),
        showlegend=False,
    )
    pca_coordinates = scatter(
        x=x,
        y=table["mixing_PCA"],
        name="in the PCA",
        marker=dots(NEUTRAL, 9, symbol="circle-open", edge=2),
        customdata=_hover_values(table, "PCA"),
        hovertemplate=_HOVER,
    )
    names = list(table["class"]) if names_fit(len(table), 60) else []
    return figure(
        [joined, pca_coordinates, *_on_the_map(table)],
        height=420,
        legend="top",
        xaxis=axis(names=names, grid=False, tickangle=-90, size=12),
        yaxis=axis("mixing", grid=True),
        shapes=[rule(y=1, color=HARMONIC.color, dash="dash", width=1)],
    )


_HOVER = "%{customdata[0]}: mixing %{y:.3f}, adjusted p %{customdata[1]:.3g}<extra></extra>"


def _on_the_map(table: pd.DataFrame) -> list[Part]:
    """Return the mixing of each class on the map, as one trace per verdict that occurs."""
    return [
        scatter(
            x=np.flatnonzero(rows),
            y=table["mixing_map"][rows],
            name=f"on the map: {_VERDICT_WORDS[verdict]}",
            marker=dots(mark, 9),
            customdata=_hover_values(table[rows], "map"),
            hovertemplate=_HOVER,
        )
        for verdict, mark in _VERDICTS.items()
        if (rows := (table["verdict"] == verdict).to_numpy()).any()
    ]


def _hover_values(table: pd.DataFrame, space: str) -> np.ndarray:
    return np.stack([table["class"], table[f"p_holm_{space}"]], axis=1)
