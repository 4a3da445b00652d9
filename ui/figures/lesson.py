"""Figures of lessons: a few values as bars, and the predictions of a room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from ui.figures.marks import escaped, hatch
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, VALIDATED, Mark, quiet

__all__ = ["large", "room", "shares"]

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
