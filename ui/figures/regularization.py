"""Accuracies and errors along a path of a regulariser, with one draggable value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ui.figures.looks import look_of
from ui.figures.marks import hatch, panels
from ui.figures.once import drawn_once
from ui.figures.palette import (
    HARMONIC,
    NEUTRAL,
    ORACLE,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    narrow,
    quiet,
    translucent,
)
from ui.numbers import percent, three_digits
from zslcore.analysis.bias_variance import BiasVariance, Decomposition
from zslcore.analysis.regularization import RegularizationPath
from zslcore.interactive.value_path import Panel, Row, Stop, ValuePath

__all__ = ["LOOKS", "bias_variance_figure", "path_in_hand"]

PARTS_HEIGHT = 400
LOOKS = {
    "seen": look_of(SEEN),
    "unseen": look_of(UNSEEN, "diamond"),
    "harmonic": look_of(HARMONIC),
    "seen_all": look_of(SEEN, "circle", "2 4"),
    "unseen_all": look_of(UNSEEN, "diamond", "2 4"),
    "plain": look_of(HARMONIC, "circle", "2 4"),
    "zsl": look_of(VALIDATED, "square", "2 4"),
    "gzsl": look_of(VALIDATED, "square"),
    "oracle_zsl": look_of(ORACLE, "x", "2 4"),
    "oracle_gzsl": look_of(ORACLE, "x", "7 4"),
}
#: Field of the path -> what it is called, how it looks and how wide its line is.
_ACCURACIES: dict[str, tuple[str, str, float]] = {
    "zsl": ("unseen among unseen, A_U→Cu", "unseen", 2.5),
    "seen_alone": ("seen among seen, A_S→Cs", "seen", 2.5),
    "unseen": ("unseen among all, A_U→C", "unseen_all", 2),
    "seen": ("seen among all, A_S→C", "seen_all", 2),
    "harmonic": ("H, γ = 0", "plain", 2),
    "calibrated_harmonic": ("H, validated γ", "harmonic", 3.5),
}

#: Parts of an error: none of the meanings that have a colour.
BIAS = NEUTRAL
BETWEEN = HARMONIC
WITHIN = replace(HARMONIC, pattern="/")


def path_in_hand(path: RegularizationPath, label: str, *, start: int) -> ValuePath:
    """Return what a method reaches along a path, with one draggable value.

    Accuracies on the test set, what the folds see, and of methods that predict attributes the error
    of these.

    Parameters
    ----------
    path : RegularizationPath
    label : how the regulariser is written
    start : place of the value to begin with
    """
    panels = [
        Panel(
            "Accuracy on the test images",
            [
                Row(name, getattr(path, field), look, width)
                for field, (name, look, width) in _ACCURACIES.items()
            ],
        ),
        Panel(
            "On the folds",
            [
                Row("A_U→Cu", path.fold_zsl.mean(axis=0), "unseen"),
                Row("H, best γ", path.fold_harmonic.mean(axis=0), "harmonic"),
            ],
        ),
    ]
    if len(path.mse_seen):
        errors = [Row("unseen images", path.mse_unseen, "unseen")]
        errors.append(Row("seen images", path.mse_seen, "seen"))
        panels.append(Panel("Squared error of attributes", errors, percent=False))
    return ValuePath(path.values, label, panels, _stops(path), LOOKS, start, _alt(path, label))


def _stops(path: RegularizationPath) -> list[Stop]:
    """Return what is chosen on the folds, and what the test set would have chosen."""
    return [
        Stop("tuned for ZSL", path.for_zsl, "zsl"),
        Stop("tuned for GZSL", path.for_gzsl, "gzsl"),
        Stop("oracle for ZSL", path.oracle_zsl, "oracle_zsl"),
        Stop("oracle for GZSL", path.oracle_gzsl, "oracle_gzsl"),
    ]


def _alt(path: RegularizationPath, label: str) -> str:
    zsl, gzsl = path.for_zsl, path.for_gzsl
    return (
        f"Accuracies over {label}. For ZSL the folds choose {three_digits(path.values[zsl])}, for "
        f"GZSL {three_digits(path.values[gzsl])}; H with the validated gamma is "
        f"{percent(path.calibrated_harmonic[zsl])} and {percent(path.calibrated_harmonic[gzsl])}."
    )


def _log_axis(values: np.ndarray) -> dict[str, Any]:
    low, high = np.log10([values[0], values[-1]])
    margin = 0.03 * (high - low)
    return {
        "type": "log",
        "range": [low - margin, high + margin],
        "tickformat": ".0~g" if values[0] >= 1 else None,
        "exponentformat": "power",
        "nticks": 8,
        "fixedrange": True,
        "zeroline": False,
    }


# --- Bias and variance ----------------------------------------------------------------------------


@drawn_once
def bias_variance_figure(found: BiasVariance, path: RegularizationPath, label: str) -> go.Figure:
    """Draw the parts of the error, stacked, of unseen and of seen images, and the classes' share.

    Parameters
    ----------
    found : BiasVariance
    path : RegularizationPath, whose chosen values are marked
    label : how the regulariser is written
    """
    sides = [("unseen images", found.unseen), ("seen images", found.seen)]
    sides = [(title, parts) for title, parts in sides if parts]
    titles = [*(title for title, _ in sides), "classes' share of the variance"]
    figure, at = panels(titles, spacing=0.07)
    top = 1.05 * max(part.error for _, parts in sides for part in parts)
    for col, (_, parts) in enumerate(sides, 1):
        for trace in _stacked(found.values, parts):
            figure.add_trace(trace.update(showlegend=col == 1), **at(col))
        figure.update_yaxes(range=[0, top], tickformat=".2~g", **at(col))
    for (title, parts), mark in zip(sides, (UNSEEN, SEEN), strict=False):
        for trace in _shares(found.values, parts, title, mark):
            figure.add_trace(trace, **at(len(titles)))
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", **at(len(titles)))
    for place, dash in ((path.for_zsl, "dot"), (path.for_gzsl, "solid")):
        line = {"color": VALIDATED.color, "dash": dash, "width": 1.8}
        figure.add_vline(x=path.values[place], line=line)
    figure.update_xaxes(**_log_axis(found.values))
    for col in range(len(titles) if narrow() else 1, len(titles) + 1):
        figure.update_xaxes(title={"text": label, "standoff": 12}, **at(col))
    figure.update_yaxes(fixedrange=True, zeroline=False)
    legend = {"orientation": "h", "y": 1.12, "yanchor": "bottom", "x": 0, "itemclick": False}
    figure.update_layout(legend=legend)
    if narrow():
        figure.update_layout(legend_y=1.05)
        return quiet(figure, height=int(0.75 * PARTS_HEIGHT * len(titles)))
    return quiet(figure, height=PARTS_HEIGHT)


def _stacked(values: np.ndarray, parts: Sequence[Decomposition]) -> Iterator[go.Scatter]:
    """Yield the parts of the error, each on top of the one before."""
    for field, name, mark in (
        ("bias", "bias² and noise", BIAS),
        ("between", "variance between classes", BETWEEN),
        ("within", "variance within classes", WITHIN),
    ):
        yield go.Scatter(
            x=values,
            y=[getattr(part, field) for part in parts],
            name=name,
            legendgroup=field,
            stackgroup="error",
            mode="lines",
            line={"color": mark.color, "width": 1.5},
            fillcolor=translucent(mark.color, 0.6),
            fillpattern=hatch(mark.pattern, on_screen=True),  # both variances are grey
            hovertemplate=f"{name} %{{y:.3g}} at %{{x:.3g}}<extra></extra>",
        )


def _shares(
    values: np.ndarray, parts: Sequence[Decomposition], title: str, mark: Mark
) -> Iterator[go.Scatter]:
    """Yield the band of the intervals, and the share as a line in it."""
    low, high = ([getattr(part, end) for part in parts] for end in ("low", "high"))
    yield go.Scatter(
        x=[*values, *values[::-1]],
        y=[*high, *low[::-1]],
        mode="none",
        fill="toself",
        fillcolor=translucent(mark.color, 0.2),
        hoverinfo="skip",
        showlegend=False,
    )
    yield go.Scatter(
        x=values,
        y=[part.share for part in parts],
        name=f"share, {title}",
        mode="lines+markers",
        line={"color": mark.color, "width": 2},
        marker={"symbol": mark.symbol, "size": 7},
        customdata=np.transpose([low, high]),
        hovertemplate=f"{title}: %{{y:.1%}} (%{{customdata[0]:.1%}} to %{{customdata[1]:.1%}}) "
        "at %{x:.3g}<extra></extra>",
    )
