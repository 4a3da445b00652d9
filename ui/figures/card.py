"""The one picture of a card: rows that leak, stated accuracies, or a seen-unseen curve."""

from __future__ import annotations

import plotly.graph_objects as go

from ui.figures.marks import legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, INK, OVERLAP, SEEN, VALIDATED, quiet
from zslcore.leakage.cards import Picture

__all__ = ["picture_of"]

#: Widest mean letter of a value, in pixels.
LETTER = 6.5


@drawn_once
def picture_of(picture: Picture) -> go.Figure:
    """Draw the picture of a card.

    Parameters
    ----------
    picture : bars, or a curve with its points
    """
    return _curve(picture) if picture.curve else _bars(picture)


def _bars(picture: Picture) -> go.Figure:
    bars = picture.bars
    figure = go.Figure()
    whole = max(bar.whole for bar in bars)
    for x, color in (
        ([bar.marked for bar in bars], OVERLAP.color),
        ([bar.whole - bar.marked for bar in bars], SEEN.color),
    ):
        figure.add_bar(
            x=x,
            y=[bar.label for bar in bars],
            orientation="h",
            marker={"color": color, "line_width": 0},
            hoverinfo="skip",
        )
    for bar in bars:
        figure.add_annotation(
            x=bar.whole, y=bar.label, text=bar.value, showarrow=False, xanchor="left", xshift=6
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, whole])
    figure.update_layout(barmode="stack", bargap=0.35, showlegend=False)
    # Values stand in the margin: a share of the width would clip them where the figure is narrow.
    right = 14 + LETTER * max(len(bar.value) for bar in bars)
    quiet(figure, height=20 + 38 * len(bars))
    return figure.update_layout(margin={"t": 4, "b": 4, "r": right})


def _curve(picture: Picture) -> go.Figure:
    figure = go.Figure()
    u, s = zip(*picture.curve, strict=True)
    figure.add_scatter(
        x=u, y=s, mode="lines", line={"color": HARMONIC.color, "width": 2.5}, showlegend=False
    )
    looks = (INK, VALIDATED)
    for (label, unseen, seen), look in zip(picture.points, looks, strict=False):
        figure.add_scatter(
            x=[unseen],
            y=[seen],
            mode="markers",
            name=label,
            marker={"color": look.color, "symbol": look.symbol, "size": 11},
        )
    for axis, title in (("xaxis", "unseen accuracy u"), ("yaxis", "seen accuracy s")):
        axes = {"tickformat": ".0%", "range": [-0.02, 1.02], "title_text": title}
        figure.update_layout({axis: axes | {"fixedrange": True, "gridcolor": FAINT}})
    return legend_on_top(quiet(figure, height=260))
