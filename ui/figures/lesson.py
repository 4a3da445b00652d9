"""Figures of lessons: a few values as bars, and the predictions of a room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from ui.figures.marks import escaped, hatch, legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, SEEN, UNSEEN, VALIDATED, Mark, quiet

__all__ = ["large", "over_share", "room", "shares"]

#: Pixels of the words in a figure that a class looks at.
WORDS = 20


@drawn_once
def shares(
    values: Mapping[str, float], marks: Sequence[Mark], *, differences: bool = False
) -> go.Figure:
    """Draw a few shares of one as bars with their value.

    Parameters
    ----------
    values : name -> fraction
    marks : the look of each bar
    differences : whether they are sizes of differences, in points, drawn as long as they can be
    """
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


@drawn_once
def over_share(accuracies: Mapping[float, tuple[float, float, float]], chosen: float) -> go.Figure:
    """Draw seen and unseen accuracy and H over the share of the training images, one chosen.

    Parameters
    ----------
    accuracies : share -> s, u and H
    chosen : the share that is marked
    """
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


@drawn_once
def room(counts: Mapping[str, int], right: str | None, own: str | None) -> go.Figure:
    """Draw how many in a room gave each answer.

    Parameters
    ----------
    counts : answer -> how many gave it
    right : the right answer, once it may be seen
    own : what this visitor answered, if anything
    """
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
