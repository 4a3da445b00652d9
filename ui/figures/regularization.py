"""Accuracies and errors along a path of a regulariser, with one value that moves in the browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.marks import hatch
from ui.figures.moving import let_move
from ui.figures.palette import (
    FAINT,
    FIRST,
    HARMONIC,
    ORACLE,
    OVERLAP,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    quiet,
    translucent,
)
from ui.numbers import percent, three_digits
from zslcore.analysis.bias_variance import BiasVariance, Decomposition
from zslcore.analysis.regularization import RegularizationPath

__all__ = ["bias_variance_figure", "path_figure"]

HEIGHT, PARTS_HEIGHT = 500, 400
_HEADLINE = (0.92, 1.0)  # vertical share of the figure that holds the numbers
_PLOTS, _UPPER, _LOWER = (0.0, 0.88), (0.5, 0.88), (0.0, 0.38)
_LEFT, _RIGHT = (0.0, 0.58), (0.67, 1.0)

_DOTTED = {mark: replace(mark, dash="dot") for mark in (SEEN, UNSEEN, HARMONIC)}
#: Field of the path -> what it is called, how it looks and how wide its line is.
_ACCURACIES: dict[str, tuple[str, Mark, float]] = {
    "zsl": ("unseen among unseen, A<sub>U→Cu</sub>", UNSEEN, 2.5),
    "seen_alone": ("seen among seen, A<sub>S→Cs</sub>", SEEN, 2.5),
    "unseen": ("unseen among all, A<sub>U→C</sub>", _DOTTED[UNSEEN], 2),
    "seen": ("seen among all, A<sub>S→C</sub>", _DOTTED[SEEN], 2),
    "harmonic": ("H, γ = 0", _DOTTED[HARMONIC], 2),
    "calibrated_harmonic": ("H, validated γ", HARMONIC, 3.5),
}
_SHORT = ("A<sub>U→Cu</sub>", "A<sub>S→Cs</sub>", "A<sub>U→C</sub>", "A<sub>S→C</sub>", "H", "H, γ")

BIAS = Mark("#8C8C8C", "square", pattern="/")
BETWEEN = OVERLAP
WITHIN = FIRST


def path_figure(path: RegularizationPath, label: str, *, start: int) -> go.Figure:
    """Draw what a method reaches along a path, and let one value move through all of it.

    Left, the accuracies on the test set; right, what the folds see and, of methods that predict
    attributes, the error of these.

    Parameters
    ----------
    path : RegularizationPath
    label : how the regulariser is written
    start : place of the value to begin with
    """
    figure = go.Figure()
    panels = [_accuracies(path), _folds(path)]
    if len(path.mse_seen):
        panels.append(_errors(path))
    for k, panel in enumerate(panels):
        for name, values, mark, width in panel:
            figure.add_trace(_line(path, k + 1, name, values, mark, width))
    tops = [1.08 * max(float(np.max(values)) for _, values, *_ in panel) for panel in panels]
    for name, place, mark in _marks(path):
        for k, top in enumerate(tops):
            figure.add_trace(_upright(path, k + 1, name, place, mark, top, label))
    steps = [list(_step(path, panels, tops, label, k)) for k in range(len(path.values))]
    labels = [three_digits(float(value)) for value in path.values]
    let_move(figure, list(_moving(panels)), steps, labels, start)
    return _lay_out(figure, path, label, tops)


Panel = list[tuple[str, np.ndarray, Mark, float]]


def _accuracies(path: RegularizationPath) -> Panel:
    return [(name, getattr(path, field), mark, w) for field, (name, mark, w) in _ACCURACIES.items()]


def _folds(path: RegularizationPath) -> Panel:
    return [
        ("folds: A<sub>U→Cu</sub>", path.fold_zsl.mean(axis=0), UNSEEN, 2),
        ("folds: H, best γ", path.fold_harmonic.mean(axis=0), HARMONIC, 2),
    ]


def _errors(path: RegularizationPath) -> Panel:
    return [
        ("error of attributes, unseen images", path.mse_unseen, UNSEEN, 2),
        ("error of attributes, seen images", path.mse_seen, SEEN, 2),
    ]


def _marks(path: RegularizationPath) -> Iterator[tuple[str, int, Mark]]:
    """Yield the values that stay: chosen on the folds, and what the test set would have chosen."""
    yield "chosen for ZSL", path.for_zsl, replace(VALIDATED, dash="dot", symbol="square-open")
    yield "chosen for GZSL", path.for_gzsl, VALIDATED
    yield "oracle for ZSL", path.oracle_zsl, replace(ORACLE, symbol="cross-thin", dash="dot")
    yield "oracle for GZSL", path.oracle_gzsl, ORACLE


def _line(
    path: RegularizationPath, k: int, name: str, values: np.ndarray, mark: Mark, width: float
) -> go.Scatter:
    written = "%{y:.1%}" if k < 3 else "%{y:.3g}"
    return go.Scatter(
        x=path.values,
        y=values,
        xaxis=f"x{k}",
        yaxis=f"y{k}",
        name=name,
        mode="lines",
        line={"color": mark.color, "width": width, "dash": mark.dash},
        showlegend=k == 1,
        hovertemplate=f"{name} {written} at %{{x:.3g}}<extra></extra>",
    )


def _upright(
    path: RegularizationPath, k: int, name: str, place: int, mark: Mark, top: float, label: str
) -> go.Scatter:
    value = path.values[place]
    return go.Scatter(
        x=[value, value],
        y=[0, top],
        xaxis=f"x{k}",
        yaxis=f"y{k}",
        name=f"{name}, {label} = {three_digits(value)}",
        legendgroup=name,
        showlegend=k == 1,
        mode="lines+markers",
        line={"color": mark.color, "width": 1.8, "dash": mark.dash},
        marker={
            "symbol": mark.symbol,
            "color": mark.color,
            "size": [0, 11],
            "opacity": 1,
            "line": {"color": mark.color, "width": [0, 2]},
        },
        cliponaxis=False,
        hovertemplate=f"{name}: %{{x:.3g}}<extra></extra>",
    )


def _moving(panels: Sequence[Panel]) -> Iterator[go.Scatter]:
    """Yield what moves, still without its place: a line on each panel, and the numbers."""
    still = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    for k, panel in enumerate(panels):
        marks = [mark for _, _, mark, _ in panel]
        colors = [marks[0].color, *(mark.color for mark in marks), marks[0].color]
        sizes = [0, *([10] * len(marks)), 0]
        yield go.Scatter(
            xaxis=f"x{k + 1}",
            yaxis=f"y{k + 1}",
            mode="lines+markers",
            line={"color": FAINT, "width": 6},
            marker={
                "size": sizes,
                "color": colors,
                "symbol": ["circle", *(mark.symbol for mark in marks), "circle"],
                "opacity": 1,
                "line": {"width": 0},
            },
            **still,
        )
    colors = [HARMONIC.color, *(mark.color for _, mark, _ in _ACCURACIES.values())]
    yield go.Scatter(
        xaxis="x9",
        yaxis="y9",
        x=np.arange(len(colors)) / len(colors),
        y=[0.5] * len(colors),
        mode="text",
        textposition="middle right",
        textfont={"size": 16, "color": colors},
        **still,
    )


def _step(
    path: RegularizationPath, panels: Sequence[Panel], tops: Sequence[float], label: str, k: int
) -> Iterator[dict]:
    """Yield where one place of the slider puts what moves, in the order of :func:`_moving`."""
    for panel, top in zip(panels, tops, strict=True):
        heights = [float(values[k]) for _, values, *_ in panel]
        yield {"x": [float(path.values[k])] * (len(heights) + 2), "y": [0, *heights, top]}
    shown = [percent(float(getattr(path, field)[k])) for field in _ACCURACIES]
    numbers = [f"{short} = {value}" for short, value in zip(_SHORT, shown, strict=True)]
    numbers[-1] = f"<b>{numbers[-1]}</b>"
    yield {"text": [f"{label} = {three_digits(float(path.values[k]))}", *numbers]}


def _lay_out(
    figure: go.Figure, path: RegularizationPath, label: str, tops: Sequence[float]
) -> go.Figure:
    """Give the panels their places: one left, one or two right, the numbers above."""
    places = [(_LEFT, _PLOTS), (_RIGHT, _PLOTS)]
    titles = ["accuracy on the test images", "on the folds", "squared error"]
    if len(tops) == 3:
        places[1:] = [(_RIGHT, _UPPER), (_RIGHT, _LOWER)]
    layout: dict = {}
    for k, ((across, up), top) in enumerate(zip(places, tops, strict=True)):
        lowest = k != 1 or len(tops) == 2
        layout[f"xaxis{k + 1}"] = _log_axis(path.values) | {
            "domain": across,
            "anchor": f"y{k + 1}",
            "title": {"text": label if lowest else "", "standoff": 6},
        }
        layout[f"yaxis{k + 1}"] = {
            "domain": up,
            "anchor": f"x{k + 1}",
            "range": [0, top],
            "tickformat": ".0%" if k < 2 else ".2~g",
            "title": {"text": titles[k], "standoff": 6},
            "fixedrange": True,
            "zeroline": False,
        }
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1]}
    layout["xaxis9"] = hidden | {"domain": [0, 1], "anchor": "y9"}
    layout["yaxis9"] = hidden | {"domain": _HEADLINE, "anchor": "x9"}
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False}
    figure.update_layout(legend=legend, **layout)
    return quiet(figure, height=HEIGHT)


def _log_axis(values: np.ndarray) -> dict:
    low, high = np.log10([values[0], values[-1]])
    margin = 0.03 * (high - low)
    return {
        "type": "log",
        "range": [low - margin, high + margin],
        "tickformat": ".0~g" if values[0] >= 1 else ".0e",
        "nticks": 8,
        "fixedrange": True,
        "zeroline": False,
    }


# --- Bias and variance ----------------------------------------------------------------------------


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
    figure = make_subplots(cols=len(titles), subplot_titles=titles, horizontal_spacing=0.07)
    top = 1.05 * max(part.error for _, parts in sides for part in parts)
    for col, (_, parts) in enumerate(sides, 1):
        for trace in _stacked(found.values, parts):
            figure.add_trace(trace.update(showlegend=col == 1), row=1, col=col)
        figure.update_yaxes(range=[0, top], tickformat=".2~g", row=1, col=col)
    for (title, parts), mark in zip(sides, (UNSEEN, SEEN), strict=False):
        for trace in _shares(found.values, parts, title, mark):
            figure.add_trace(trace, row=1, col=len(titles))
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", row=1, col=len(titles))
    for _, place, mark in list(_marks(path))[:2]:
        figure.add_vline(
            x=path.values[place], line={"color": mark.color, "dash": mark.dash, "width": 1.8}
        )
    figure.update_xaxes(**_log_axis(found.values), title={"text": label, "standoff": 6})
    figure.update_yaxes(fixedrange=True, zeroline=False)
    legend = {"orientation": "h", "y": 1.12, "yanchor": "bottom", "x": 0, "itemclick": False}
    figure.update_layout(legend=legend)
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
            fillpattern=hatch(mark.pattern),
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
