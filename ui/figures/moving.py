"""A slider that moves part of a figure in the browser, without asking the server."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ui.figures.palette import FAINT, HARMONIC, translucent

__all__ = ["let_move"]


def let_move(
    figure: go.Figure,
    moving: Sequence[go.Scatter],
    steps: Sequence[Sequence[dict]],
    labels: Sequence[str],
    first: int,
) -> None:
    """Add traces to a figure that a slider below it moves.

    Parameters
    ----------
    figure : go.Figure
    moving : traces still without what the steps say of them
    steps : for every place of the slider, what each of ``moving`` takes there
    labels : of the places
    first : the place to begin with
    """
    fixed = len(figure.data)
    figure.add_traces(
        [trace.update(moved) for trace, moved in zip(moving, steps[first], strict=True)]
    )
    traces = list(range(fixed, len(figure.data)))
    figure.frames = [
        {"name": str(k), "data": step, "traces": traces} for k, step in enumerate(steps)
    ]
    figure.update_layout(sliders=[_slider(labels, first)])


def _slider(labels: Sequence[str], first: int) -> dict:
    at_once = {
        "mode": "immediate",
        "frame": {"duration": 0, "redraw": False},
        "transition": {"duration": 0},
    }
    return {
        "active": first,
        "currentvalue": {"visible": False},
        "minorticklen": 0,
        "bgcolor": translucent(HARMONIC.color, 0.35),
        "activebgcolor": HARMONIC.color,
        "bordercolor": HARMONIC.color,
        "tickcolor": FAINT,
        "pad": {"t": 58, "b": 0},
        "steps": [
            {"label": label, "method": "animate", "args": [[str(k)], at_once]}
            for k, label in enumerate(labels)
        ],
    }
