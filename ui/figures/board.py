"""Results of a board with their intervals over classes, one line a result."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import escaped, legend_on_top
from ui.figures.once import drawn_once
from ui.figures.palette import HARMONIC, NEUTRAL, OVERLAP, Mark, narrow, quiet

__all__ = ["MOST", "STATE_LOOKS", "result_intervals"]

#: Most results that one figure shows; the table has all.
MOST = 40
#: State of the overlap -> mark.
STATE_LOOKS: dict[str, Mark] = {
    "clean": HARMONIC,
    "overlapping": OVERLAP,
    "unknown": NEUTRAL,
}


@drawn_once
def result_intervals(table: pd.DataFrame, figure: str, title: str) -> go.Figure:
    """Draw results from the best down, each with its interval where it has one.

    Parameters
    ----------
    table : of :func:`zslcore.board.table.table_of`, in the order of the lines
    figure : column that is drawn
    title : of the axis
    """
    shown = table.reset_index(drop=True)
    drawn = go.Figure()
    for state, look in STATE_LOOKS.items():
        rows = shown[shown["contamination"] == state]
        if rows.empty:
            continue
        x = 100 * rows[figure].astype(float)
        ends = {}
        if f"{figure}_low" in rows:
            low, high = (100 * rows[f"{figure}_{end}"].astype(float) for end in ("low", "high"))
            gaps = {"array": high - x, "arrayminus": x - low, "symmetric": False}
            ends = {"error_x": {"type": "data", "thickness": 1.5, "width": 0, **gaps}}
        drawn.add_scatter(
            x=x,
            y=rows.index,
            mode="markers",
            name=f"overlap: {state}",
            marker={"color": look.color, "symbol": look.symbol, "size": 10},
            customdata=escaped(rows["who"]),
            text=escaped(rows["method"] + ", " + rows["data"]),
            hovertemplate="%{text}<br>%{x:.1f} %, by %{customdata}<extra></extra>",
            **ends,
        )
    names = shown["method"] + shown["chosen_for"].map({"": "", "zsl": ", ZSL", "gzsl": ", GZSL"})
    names += "" if narrow() else " · " + shown["data"] + ", " + shown["split"]
    drawn.update_yaxes(
        tickvals=shown.index,
        ticktext=escaped(names),
        range=[len(shown) - 0.4, -0.6],  # the best above; no room for lines that are not there
        showgrid=False,
        zeroline=False,
    )
    drawn.update_layout(showlegend=True)
    drawn.update_xaxes(title_text=title, ticksuffix=" %", rangemode="tozero")
    return legend_on_top(quiet(drawn, height=110 + 24 * len(shown)))
