"""Figures of lessons: values as bars, answers of a room and accuracies of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.marks import GROUP_WORDS, crowded, marked, names_fit
from ui.figures.palette import (
    FAINT,
    GROUP_LOOKS,
    HARMONIC,
    NEUTRAL,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    narrow,
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

#: Font size, in pixels, of a figure that is shown to a class of students.
CLASSROOM_FONT_SIZE = 20
#: Heights in pixels: of a bar of votes with the gap below it, and of one line of its label.
_VOTES, _LINE = 22, 22


@cached_figure
def shares(
    values: Mapping[str, float], marks: Sequence[Mark], *, differences: bool = False
) -> Chart:
    """Draw fractions as bars; with ``differences``, draw absolute differences in points."""
    unit = " points" if differences else " %"
    longest = max(values.values()) if differences else 1
    return _labelled_bars(
        values,
        [f"{100 * value:.1f}{unit}" for value in values.values()],
        marks,
        height=120 + 76 * len(values),
        xaxis=axis(
            percent=True,
            grid=True,
            range=[
                0,
                (1.3 if differences else 1.12) * (longest or 1),
            ],  # room for the text of the longest bar
            tickvals=[k / 5 for k in range(6)],
            visible=not differences,
        ),
        bargap=0.4,
    )


@cached_figure
def room(counts: Mapping[str, int], right: str | None, own_answer: str | None) -> Chart:
    """Draw the count of each answer in a room; mark the right answer and the viewer's own."""
    signs = {own_answer: " ✓ (you)"} if right == own_answer else {right: " ✓", own_answer: " (you)"}
    signs.pop(None, None)
    labels = [
        "<br>".join(map(escape, wrap(f"{answer}{signs.get(answer, '')}", 40 if narrow() else 44)))
        for answer in counts
    ]
    ends = np.cumsum([_VOTES + _LINE * (1 + label.count("<br>")) for label in labels])
    return _labelled_bars(
        dict(zip(ends - _VOTES / 2, counts.values(), strict=True)),
        list(map(str, counts.values())),
        [VALIDATED if answer == right else HARMONIC for answer in counts],
        width=_VOTES - 5,
        height=ends[-1],
        margin={"l": 0, "t": 0, "b": 0},
        xaxis=axis(range=[0, 1.15 * max([*counts.values(), 1])], visible=False),
        yaxis=axis(range=[ends[-1], 0], visible=False),
        annotations=[
            note(
                Markup(f"<b>{label}</b>" if answer == right else label),
                *(0, end - _VOTES),
                xanchor="left",
                yanchor="bottom",
            )
            for answer, label, end in zip(counts, labels, ends, strict=True)
        ],
    ).enlarged(CLASSROOM_FONT_SIZE - 2)


def _labelled_bars(
    values: Mapping[Any, float],
    texts: Sequence[str],
    marks: Sequence[Mark],
    width: float | None = None,
    **look: Any,
) -> Chart:
    """Draw horizontal bars at the keys of ``values``, each with its text at its end."""
    colors = [mark.color for mark in marks]
    pattern = {"shape": [mark.pattern for mark in marks]}
    shown = bars(
        x=list(values.values()),
        y=list(values),
        orientation="h",
        text=texts,
        textposition="outside",
        marker={"color": colors, "pattern": pattern, "line": {"width": 1, "color": colors}},
        hoverinfo="skip",
        width=width,
    )
    yaxis = axis(autorange="reversed", ticklabelstandoff=10)
    return figure([shown], **{"yaxis": yaxis, **look})


@cached_figure
def accuracy_by_share(
    accuracies: Mapping[float, tuple[float, float, float]], chosen: float
) -> Chart:
    """Draw s, u and H over the share of the training images, with one share highlighted."""
    lines = zip(*accuracies.values(), strict=True)
    traces = [
        scatter(
            x=list(accuracies),
            y=values,
            name=name,
            mode="lines+markers",
            line={"color": mark.color, "width": 3},
            marker=dots(mark, 10),
            hovertemplate=f"{name} %{{y:.1%}} with %{{x:.0%}}<extra></extra>",
        )
        for name, mark, values in zip("suH", (SEEN, UNSEEN, HARMONIC), lines, strict=True)
    ]
    return figure(
        traces,
        height=400,
        legend="top",
        xaxis=axis("training images kept", percent=True, range=[0, 1.05]),
        yaxis=axis(percent=True, grid=True, range=[0, 1.02]),
        shapes=[rule(x=chosen, dash="dash")],
    )


@cached_figure
def class_accuracy_bars(table: pd.DataFrame, means: Mapping[str, float]) -> Chart:
    """Draw the accuracy of each test class with its interval, best first, and the group means.

    ``means`` has the mean of each group of classes.
    """
    traces = []
    for group, mark in GROUP_LOOKS.items():
        if (table["group"] == group).any():
            traces.append(_group_bars(table, group, mark))
        if group in means:
            traces.append(_mean_line(means[group], len(table), group, mark))
    n, legible = len(table), names_fit(len(table))
    labels = [marked(*pair) for pair in zip(table["class"], table["group"], strict=True)]
    return figure(
        traces,
        height=360 if n <= 12 else 480,
        legend="top",
        xaxis=axis(
            "" if legible else f"{n:,} test classes; point at a mark to see its class",
            names=labels if legible else [],
            grid=False,
            tickangle=-60 if crowded(list(table["class"])) else 0,
            range=[-0.6, n - 0.4],
        ),
        yaxis=axis(percent=True, grid=True, range=[0, 1.03]),
        barmode="overlay",
    )


def _group_bars(table: pd.DataFrame, group: str, mark: Mark) -> Part:
    """Draw the classes of one group with their intervals."""
    chosen = (table["group"] == group).to_numpy()
    part, legible = table[chosen], names_fit(len(table))
    return bars(
        x=np.flatnonzero(chosen),
        y=part["accuracy"],
        name=GROUP_WORDS[group],
        width=0.8,  # by default the bars of a group fill the gaps between its classes
        marker=fill(mark),
        error_y=whiskers(
            part["accuracy"],
            part["low"],
            part["high"],
            NEUTRAL.color if legible else FAINT,
            thickness=1.8,
            width=3 if legible else 0,
        ),
        customdata=np.stack([part["class"], part["correct"], part["images"]], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.1%}, %{customdata[1]} of %{customdata[2]} images"
        "<extra></extra>",
    )


def _mean_line(mean: float, n: int, group: str, mark: Mark) -> Part:
    name = GROUP_WORDS[group]
    return line(
        mark.color,
        dash="dash" if group == "in the set" else "dot",
        x=[-0.6, n - 0.4],
        y=[mean, mean],
        name=f"{name}: mean {100 * mean:.1f} %",
        hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>",
    )
