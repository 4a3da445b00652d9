"""Several seen-unseen curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from ui.figures.marks import legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FIRST, HARMONIC, NEUTRAL, SECOND, Mark, quiet
from ui.numbers import percent, three_digits
from zslcore.metrics import SeenUnseenCurve

__all__ = ["several_curves"]

_DRAWN = 800  # points of a curve, more than there are pixels
#: None of these is a meaning on this plane.
_LOOKS = (
    HARMONIC,
    replace(FIRST, dash="dash"),
    replace(SECOND, dash="dot"),
    replace(NEUTRAL, dash="dashdot"),
)


@drawn_once
def several_curves(
    curves: Mapping[str, tuple[SeenUnseenCurve, float | None]], looks: Sequence[Mark] = _LOOKS
) -> go.Figure:
    """Draw seen over unseen accuracy for every gamma, gamma = 0 and a chosen gamma marked.

    Parameters
    ----------
    curves : name -> (curve, the gamma that was chosen, if any)
    looks : one a curve
    """
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
