"""Figures of lessons: a few values as bars, and the predictions of a room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.gains import GROUP_WORDS
from ui.figures.marks import crowded, escaped, hatch, legend_on_top, names_fit
from ui.figures.palette import (
    FAINT,
    FIRST,
    GROUP_LOOKS,
    HARMONIC,
    NEUTRAL,
    SECOND,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    quiet,
)
from ui.shell.numbers import percent, three_digits
from zslcore.metrics import SeenUnseenCurve

#: Pixels of the words in a figure that a class looks at.
WORDS = 20


@cached_figure
def shares(
    values: Mapping[str, float], marks: Sequence[Mark], *, differences: bool = False
) -> go.Figure:
    """Draw a few fractions, or sizes of differences in points, as bars with value and mark."""
    names, unit = escaped(values), " points" if differences else " %"
    longest = max(values.values()) if differences else 1
    figure = go.Figure(
        go.Bar(
            x=list(values.values()),
            y=names,
            orientation="h",
            text=[f"{100 * value:.1f}{unit}" for value in values.values()],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": [mark.color for mark in marks],
                "pattern": hatch("") | {"shape": [mark.pattern for mark in marks]},
                "line": {"width": 1, "color": [mark.color for mark in marks]},
            },
            hoverinfo="skip",
        )
    )
    figure.update_xaxes(
        range=[0, 1.12 * (longest or 1)],
        tickformat=".0%",
        gridcolor=FAINT,
        zeroline=False,
        visible=not differences,
    )
    figure.update_yaxes(autorange="reversed", automargin=True, ticklabelstandoff=10)
    figure.update_layout(bargap=0.4)
    return quiet(figure, height=120 + 76 * len(values))


@cached_figure
def over_share(accuracies: Mapping[float, tuple[float, float, float]], chosen: float) -> go.Figure:
    """Draw s, u and H over the share of the training images, one chosen."""
    figure = go.Figure()
    lines = zip(*accuracies.values(), strict=True)
    for name, mark, values in zip(("s", "u", "H"), (SEEN, UNSEEN, HARMONIC), lines, strict=True):
        figure.add_scatter(
            x=list(accuracies),
            y=values,
            name=name,
            mode="lines+markers",
            line={"color": mark.color, "width": 3},
            marker={"symbol": mark.symbol, "size": 10},
            hovertemplate=f"{name} %{{y:.1%}} with %{{x:.0%}}<extra></extra>",
        )
    figure.add_vline(x=chosen, line={"color": FAINT, "width": 2, "dash": "dash"})
    figure.update_xaxes(title_text="training images kept", tickformat=".0%", range=[0, 1.05])
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", gridcolor=FAINT)
    return legend_on_top(quiet(figure, height=400))


@cached_figure
def room(counts: Mapping[str, int], right: str | None, own: str | None) -> go.Figure:
    """Draw how many in a room gave each answer, the right one marked once it may be seen."""
    signs = {right: " ✓", own: " (you)"} if right != own else {own: " ✓ (you)"}
    signs.pop(None, None)
    mark = {answer: VALIDATED if answer == right else HARMONIC for answer in counts}
    figure = go.Figure(
        go.Bar(
            x=list(counts.values()),
            y=escaped(f"{answer}{signs.get(answer, '')}" for answer in counts),
            orientation="h",
            text=list(counts.values()),
            textposition="outside",
            cliponaxis=False,
            marker_color=[mark[answer].color for answer in counts],
            hoverinfo="skip",
        )
    )
    most = max([*counts.values(), 1])
    figure.update_xaxes(range=[0, 1.15 * most], visible=False)
    figure.update_yaxes(autorange="reversed", automargin=True, ticklabelstandoff=10)
    figure.update_layout(bargap=0.3)
    return large(quiet(figure, height=60 + 44 * len(counts)))


def large(figure: go.Figure) -> go.Figure:
    """Return a figure with words that can be read from the last row."""
    figure = go.Figure(figure)
    figure.update_layout(font_size=WORDS, legend_font_size=WORDS)
    figure.for_each_xaxis(lambda axis: axis.update(tickfont_size=WORDS - 2))
    figure.for_each_yaxis(lambda axis: axis.update(tickfont_size=WORDS - 2))
    return figure


_DRAWN = 800  # points of a curve, more than there are pixels
#: None of these is a meaning on this plane.
_LOOKS = (
    HARMONIC,
    replace(FIRST, dash="dash"),
    replace(SECOND, dash="dot"),
    replace(NEUTRAL, dash="dashdot"),
)


@cached_figure
def several_curves(
    curves: Mapping[str, tuple[SeenUnseenCurve, float | None]], looks: Sequence[Mark] = _LOOKS
) -> go.Figure:
    """Draw seen over unseen accuracy for every gamma, gamma = 0 and a chosen gamma marked."""
    figure = go.Figure()
    for (name, (curve, gamma)), look in zip(curves.items(), looks, strict=False):
        _draw(figure, name, curve, gamma, look)
    for axis, title in (("xaxis", "unseen accuracy u"), ("yaxis", "seen accuracy s")):
        figure.update_layout(
            {
                axis: {
                    "title": title,
                    "tickformat": ".0%",
                    "fixedrange": True,
                    "range": [-0.02, 1.02],
                }
            }
        )
    return legend_on_top(quiet(figure, height=430))


def _draw(
    figure: go.Figure, name: str, curve: SeenUnseenCurve, gamma: float | None, look: Mark
) -> None:
    drawn = curve.thinned(_DRAWN)
    figure.add_trace(
        go.Scatter(
            x=drawn.unseen,
            y=drawn.seen,
            name=f"{name}, AUSUC {percent(curve.ausuc)}",
            mode="lines",
            line={"color": look.color, "width": 2.5, "dash": look.dash},
            hoverinfo="skip",
        )
    )
    for symbol, said, value in (
        ("circle-open", "no calibration", 0.0),
        ("square", "validated γ", gamma),
    ):
        if value is None:
            continue
        point = curve.at(value)
        figure.add_trace(
            go.Scatter(
                x=[point.unseen],
                y=[point.seen],
                mode="markers",
                marker={
                    "symbol": symbol,
                    "color": look.color,
                    "size": 12,
                    "line": {"color": look.color, "width": 2.5},
                },
                showlegend=False,
                hovertemplate=f"{name}, {said} ({three_digits(value)}): u "
                f"{percent(point.unseen)}, s {percent(point.seen)}, H "
                f"{percent(point.harmonic)}<extra></extra>",
            )
        )


@cached_figure
def class_accuracy_bars(table: pd.DataFrame, means: dict[str, float], picked: str) -> go.Figure:
    """Draw the accuracy of every test class with its interval, best first, and means of groups.

    ``means`` are by group of classes; the class that is picked has a frame.
    """
    figure, place = go.Figure(), np.arange(len(table))
    names = escaped(table["class"])
    for group, mark in GROUP_LOOKS.items():
        if (table["group"] == group).any():
            figure.add_trace(_group_bars(table, group, picked, mark))
        if group in means:
            figure.add_trace(_mean_line(means[group], len(table), group, mark))
    legible = names_fit(len(table))
    glyph = {
        group: f'<span style="color:{mark.color}">{GROUP_WORDS[group][1]}</span>'
        for group, mark in GROUP_LOOKS.items()
    }
    labels = [f"{glyph[g]} {n}" for g, n in zip(table["group"], names, strict=True)]
    figure.update_xaxes(
        tickvals=place if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if crowded(list(table["class"])) else 0,
        title_text="" if legible else f"{len(table):,} test classes; point at one for its name",
        range=[-0.6, len(table) - 0.4],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], gridcolor=FAINT, fixedrange=True)
    figure.update_layout(barmode="overlay")
    return legend_on_top(quiet(figure, height=360 if len(table) <= 12 else 480))


def _group_bars(table: pd.DataFrame, group: str, picked: str, mark: Mark) -> go.Bar:
    """Draw the classes of one group with their intervals."""
    chosen = (table["group"] == group).to_numpy()
    part, legible = table[chosen], names_fit(len(table))
    return go.Bar(
        x=np.flatnonzero(chosen),
        y=part["accuracy"],
        name=GROUP_WORDS[group][0],
        width=0.8,  # else a side's bars would fill the distance between its classes
        marker={
            "color": mark.color,
            "pattern": hatch(mark.pattern),
            "line": {"width": np.where(part["class"] == picked, 3, 0), "color": HARMONIC.color},
        },
        error_y={
            "array": part["high"] - part["accuracy"],
            "arrayminus": part["accuracy"] - part["low"],
            "color": NEUTRAL.color if legible else FAINT,
            "thickness": 1.8,
            "width": 3 if legible else 0,
        },
        customdata=np.stack([escaped(part["class"]), part["correct"], part["images"]], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.1%}, %{customdata[1]} of %{customdata[2]} images"
        "<extra></extra>",
    )


def _mean_line(mean: float, n: int, group: str, mark: Mark) -> go.Scatter:
    name = GROUP_WORDS[group][0]
    return go.Scatter(
        x=[-0.6, n - 0.4],
        y=[mean, mean],
        mode="lines",
        name=f"{name}: mean {100 * mean:.1f} %",
        line={"color": mark.color, "width": 2, "dash": "dash" if group == "in the set" else "dot"},
        hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>",
    )
