"""Contamination map: rows are test sets, columns pre-training sets, each cell has a mark."""

from __future__ import annotations

import pandas as pd

from ui.figures.cached import cached_figure
from ui.figures.palette import FAINT, INK, NEUTRAL, OVERLAP, RELATED, Mark, narrow
from ui.figures.vocabulary import Chart, Markup, Part, axis, figure, note, scatter

#: State -> text, mark and symbol.
LOOKS: dict[str, tuple[str, Mark, str]] = {
    "overlap": ("in the set", OVERLAP, "triangle-up"),
    "possible": ("related classes only", RELATED, "triangle-up-open"),
    "none": ("none", NEUTRAL, "circle-open"),
    "unknown": ("unknown (?)", NEUTRAL, "circle"),
}
#: Height of a row in pixels, in a wide window and in a narrow one, where names are above the marks.
ROW_HEIGHT = (34, 58)
#: Last entry of the legend, which explains the texts of the cells.
TEXTS_OF_CELLS = "6+1: 6 test classes in the pre-training set, 1 related; SS · 10: 10 test classes"


@cached_figure
def contamination_map(table: pd.DataFrame, chosen: str, columns: list[str]) -> Chart:
    """Draw the state of each cell and the number of classes counted in it.

    ``chosen`` is the test set of the tinted row; ``columns`` are the titles of the tinted columns,
    the pre-training sets of the chosen extractor.
    """
    titles, sets = list(dict.fromkeys(table["title"])), list(dict.fromkeys(table["test_set"]))
    rows = list(dict.fromkeys(table["row"]))
    row = [_tint(y=sets.index(chosen))] if chosen in sets else []
    # Each count is to the right of its mark.
    position_of = {title: k + 0.1 for k, title in enumerate(titles)}
    above = {"xref": "paper", "xanchor": "left", "font": {"size": 12}}
    return figure(
        [_cells(table, state) for state in LOOKS]
        + [scatter(x=[], y=[], mode="text", name=TEXTS_OF_CELLS)] * (not narrow()),
        height=(150 if narrow() else 62) + ROW_HEIGHT[narrow()] * len(sets),
        legend="top",
        xaxis=axis(
            grid=True,
            size=12,
            categoryarray=titles,
            side="top",
            tickangle=-90 if narrow() else 0,
            range=[-0.6, len(titles) - 0.4],
        ),
        yaxis=axis(
            grid=not narrow(),
            categoryarray=rows,
            range=[len(sets) - 0.5, -0.5],
            showticklabels=not narrow(),
        ),
        annotations=[note(text, 0, k - 0.37, **above) for k, text in enumerate(rows)] * narrow(),
        shapes=row + [_tint(x=position_of[title]) for title in columns if title in position_of],
    )


def _cells(table: pd.DataFrame, state: str) -> Part:
    """Return the marks of all cells in one state, each with its count to the right."""
    label, mark, symbol = LOOKS[state]
    part = table[table["state"] == state]
    unknown = state == "unknown"
    if unknown:
        marker: Part = {"symbol": symbol, "size": 18, "color": FAINT}
    else:
        edge = {"width": 2, "color": mark.color}
        marker = {"symbol": symbol, "size": 14, "color": mark.color, "line": edge}
    return scatter(
        x=part["title"],
        y=part["row"],
        mode="markers+text",
        name=label,
        text=["?" if unknown else _count(words) for words in part["text"]],
        textposition="middle center" if unknown else "middle right",
        textfont={"size": 13, "color": INK.color},
        marker=marker,
        customdata=[Markup(words) for words in part["hover"]],
        hovertemplate="%{y} and %{x}<br>%{customdata}<extra></extra>",
    )


def _count(words: str) -> Markup:
    """Return the counts of a cell; in a narrow window, only the count that its mark shows."""
    if not narrow():
        return Markup(f"\N{NO-BREAK SPACE}{words}")
    return Markup("\N{THIN SPACE}" + words.removeprefix("0+").partition("+")[0])


def _tint(*, x: float | None = None, y: int | None = None) -> Part:
    """Tint the chosen row or column."""
    across = {"xref": "paper", "x0": 0, "x1": 1} if x is None else {"x0": x - 0.5, "x1": x + 0.5}
    down = {"yref": "paper", "y0": 0, "y1": 1} if y is None else {"y0": y - 0.5, "y1": y + 0.5}
    look = {"line": {"width": 0}, "fillcolor": FAINT, "opacity": 0.5}
    return {"type": "rect", "layer": "below", **look, **across, **down}
