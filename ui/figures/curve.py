"""The seen-unseen curve with a gamma that moves in the browser.

The slider, its frames and the numbers are part of the figure: a step moves a few points and five
words, asks the server for nothing, and keeps up with the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.moving import let_move
from ui.figures.palette import (
    FAINT,
    HARMONIC,
    ORACLE,
    SEEN,
    UNSEEN,
    VALIDATED,
    Mark,
    quiet,
    translucent,
)
from ui.numbers import percent, three_digits
from zslcore.metrics import OperatingPoint, SeenUnseenCurve

__all__ = ["Landmark", "gamma_figure"]

HEIGHT = 500
_HEADLINE = (0.9, 1.0)  # vertical share of the figure that holds the numbers
_PLOTS = (0.0, 0.86)
_DRAWN = 800  # points of the curve that are drawn, more than there are pixels


@dataclass(frozen=True, slots=True)
class Landmark:
    """A gamma with a name: where it lies and how it looks."""

    name: str
    point: OperatingPoint
    mark: Mark

    @classmethod
    def plain(cls, point: OperatingPoint) -> Landmark:
        """Place gamma = 0, no calibration."""
        return cls("plain", point, Mark(HARMONIC.color, "circle-open", dash="dot"))

    @classmethod
    def validated(cls, point: OperatingPoint) -> Landmark:
        """Place the gamma chosen on the folds."""
        return cls("validated", point, VALIDATED)

    @classmethod
    def oracle(cls, point: OperatingPoint) -> Landmark:
        """Place the gamma chosen on the test set, which nobody may do."""
        return cls("oracle, chosen on the test set", point, ORACLE)


def gamma_figure(
    curve: SeenUnseenCurve,
    stops: pd.DataFrame,
    landmarks: Sequence[Landmark],
    *,
    start: float,
    limits: tuple[float, float],
) -> go.Figure:
    """Draw seen over unseen accuracy, and u, s and H over gamma, with one gamma moving along both.

    Parameters
    ----------
    curve : SeenUnseenCurve, the exact one
    stops : DataFrame of :func:`zslcore.analysis.calibration.gamma_stops`, one row a slider step
    landmarks : gammas that stay
    start : the gamma to begin with, one of ``stops``
    limits : the gammas at both ends of the axis
    """
    figure = make_subplots(cols=2, horizontal_spacing=0.09)
    drawn = curve.thinned(_DRAWN)
    _draw_trade(figure, drawn)
    _draw_over_gamma(figure, drawn, limits)
    for landmark in landmarks:
        _draw_landmark(figure, landmark)

    first = int(np.argmin(np.abs(stops["gamma"] - start)))
    steps = [_step(stop, limits) for stop in stops.itertuples()]
    let_move(figure, _moving(), steps, [three_digits(gamma) for gamma in stops["gamma"]], first)
    return _lay_out(figure, curve, limits)


def _draw_trade(figure: go.Figure, curve: SeenUnseenCurve) -> None:
    figure.add_trace(
        go.Scatter(
            x=curve.unseen,
            y=curve.seen,
            mode="lines",
            line={"color": HARMONIC.color, "width": 2.5},
            fill="tozeroy",
            fillcolor=translucent(HARMONIC.color, 0.10),
            hoverinfo="skip",
            showlegend=False,
        ),
        row=1,
        col=1,
    )


def _draw_over_gamma(
    figure: go.Figure, curve: SeenUnseenCurve, limits: tuple[float, float]
) -> None:
    gamma = np.append(curve.gamma, limits[1]).clip(*limits)
    for name, values, mark, width in (
        ("seen s", curve.seen, SEEN, 2),
        ("unseen u", curve.unseen, UNSEEN, 2),
        ("harmonic mean H", curve.harmonic, HARMONIC, 3.5),
    ):
        figure.add_trace(
            go.Scatter(
                x=gamma,
                y=np.append(values, values[-1]),
                name=name,
                mode="lines",
                line={"color": mark.color, "width": width, "shape": "hv"},
                hovertemplate=f"{name} %{{y:.1%}} at γ = %{{x:.3g}}<extra></extra>",
            ),
            row=1,
            col=2,
        )


def _draw_landmark(figure: go.Figure, landmark: Landmark) -> None:
    point, mark = landmark.point, landmark.mark
    name = f"{landmark.name}, γ = {three_digits(point.gamma)}"
    marker = {
        "symbol": mark.symbol,
        "color": mark.color,
        "size": 12,
        "opacity": 1,
        "line": {"color": mark.color, "width": 2.5},
    }
    for col, x, y in ((1, point.unseen, point.seen), (2, point.gamma, point.harmonic)):
        upright = col == 2
        figure.add_trace(
            go.Scatter(
                x=[x, x, x] if upright else [x],
                y=[0, y, 1] if upright else [y],
                name=name,
                legendgroup=name,
                showlegend=not upright,
                mode="lines+markers" if upright else "markers",
                line={"color": mark.color, "width": 1.5, "dash": mark.dash},
                marker=marker | ({"size": [0, 12, 0]} if upright else {}),
                hovertemplate=f"{name}<br>u {percent(point.unseen)}, s {percent(point.seen)}, "
                f"H {percent(point.harmonic)}<extra></extra>",
            ),
            row=1,
            col=col,
        )


def _moving() -> list[go.Scatter]:
    """Return what moves, still without its place: a point on each plot, and the numbers."""
    line = {"mode": "lines+markers", "line": {"color": FAINT, "width": 1.5}}
    still = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    s, u, H = SEEN, UNSEEN, HARMONIC
    return [
        go.Scatter(xaxis="x", yaxis="y", marker=_markers([s, H, u], [9, 18, 9]), **line, **still),
        go.Scatter(
            xaxis="x2",
            yaxis="y2",
            marker=_markers([s, s, u, H, s], [0, 11, 11, 18, 0]),
            **line,
            **still,
        ),
        go.Scatter(
            xaxis="x3",
            yaxis="y3",
            x=[0, 0.25, 0.5, 0.75],
            y=[0.5] * 4,
            mode="text",
            textposition="middle right",
            textfont={"size": 20, "color": [mark.color for mark in (H, u, s, H)]},
            **still,
        ),
    ]


def _markers(marks: Sequence[Mark], sizes: Sequence[int]) -> dict:
    colors = [mark.color for mark in marks]
    return {
        "size": sizes,
        "color": colors,
        # H is a ring, so that a landmark below it stays visible
        "symbol": [mark.symbol + ("-open" if mark is HARMONIC else "") for mark in marks],
        "opacity": 1,
        "line": {"color": colors, "width": [3 if size else 0 for size in sizes]},
    }


def _step(stop, limits: tuple[float, float]) -> list[dict]:
    """Return where one step of the slider puts what moves, in the order of :func:`_moving`."""
    u, s, H = stop.unseen, stop.seen, stop.harmonic
    gamma = min(max(stop.gamma, limits[0]), limits[1])
    text = [
        f"γ = {three_digits(stop.gamma)}",
        f"unseen u = {percent(u)}",
        f"seen s = {percent(s)}",
        f"<b>H = {percent(H)}</b>",
    ]
    return [
        {"x": [0, u, u], "y": [s, s, 0]},
        {"x": [gamma] * 5, "y": [0, s, u, H, 1]},
        {"text": text},
    ]


def _lay_out(figure: go.Figure, curve: SeenUnseenCurve, limits: tuple[float, float]) -> go.Figure:
    top = 1.06 * max(curve.seen.max(), curve.unseen.max(), 1e-9)
    accuracy = {"tickformat": ".0%", "fixedrange": True, "zeroline": False, "domain": _PLOTS}
    across = {"tickformat": ".0%", "fixedrange": True, "zeroline": False}
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1]}
    figure.update_layout(
        xaxis=across
        | {
            "title": {"text": "unseen accuracy u", "standoff": 6},
            "range": [0, 1.06 * curve.unseen.max()],
        },
        yaxis=accuracy | _titled("seen accuracy s") | {"range": [0, top]},
        xaxis2=across
        | {
            "title": {"text": "γ, subtracted from seen classes", "standoff": 6},
            "range": limits,
            "tickformat": ".3~g",
        },
        yaxis2=accuracy | {"range": [0, top]},
        xaxis3=hidden | {"domain": [0, 1], "anchor": "y3"},
        yaxis3=hidden | {"domain": _HEADLINE, "anchor": "x3"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False},
    )
    return quiet(figure, height=HEIGHT)


def _titled(text: str) -> dict:
    return {"title": {"text": text, "standoff": 6}}
