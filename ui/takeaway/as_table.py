"""Numbers of a figure as a table, one row per point, bar or cell."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pandas as pd

from ui.figures.vocabulary import Chart, Part, pair_of

#: Tags in labels; other angle brackets are part of a name.
_TAGS = re.compile(r"\s*(?:</?(?:b|br|span)\b[^>]*>\s*)+")


def table_of_figure(figure: Chart) -> pd.DataFrame:
    """Return the numbers of a figure as a tidy table, without empty columns.

    Columns x_name and y_name are the labels at the ticks of an axis. Pictures have no rows.
    """
    parts = [part for trace in figure.traces if len(part := _rows(figure, trace))]
    if not parts:
        return pd.DataFrame()
    table = pd.concat([part.dropna(axis="columns", how="all") for part in parts], ignore_index=True)
    for column in table:
        if not pd.api.types.is_numeric_dtype(table[column].dtype):
            table[column] = table[column].map(without_tags)
    return table


def without_tags(value: object) -> object:
    """Remove tags from a text and decode its entities; return other values unchanged."""
    return unescape(_TAGS.sub(" ", value)).strip() if isinstance(value, str) else value


def _rows(figure: Chart, trace: Part) -> pd.DataFrame:
    """Return the numbers of one trace."""
    axes = {name[0]: figure.axis(name) for name in pair_of(trace)}
    titles = {f"{x}_axis": axis.get("title", {}).get("text", "") for x, axis in axes.items()}
    table = pd.DataFrame({"series": trace.get("name", ""), **titles, **_values(trace)})
    if "z" in trace:
        return table
    for letter, axis in axes.items():
        if "tickvals" in axis and "ticktext" in axis:
            names = dict(zip(axis["tickvals"], axis["ticktext"], strict=False))
            table[f"{letter}_name"] = [names.get(value) for value in table[letter]]
    for letter in "xy":
        error = trace.get(f"error_{letter}", {})
        above = error.get("array", ())
        if len(above) == len(table):
            table[f"{letter}_error_above"] = above
            table[f"{letter}_error_below"] = error.get("arrayminus", above)
    if len(trace.get("text", ())) == len(table):
        table["text"] = trace["text"]
    return table


def _values(trace: Part) -> dict[str, Any]:
    """Return the columns x and y of a trace, by default 0, 1, 2 ..., and z of a heat map."""
    if "z" in trace:
        z = np.asarray(trace["z"], dtype=float)
        ends = zip("yx", z.shape, strict=True)
        y, x = (
            np.asarray(trace[name], dtype=object)[:n] if name in trace else np.arange(n)
            for name, n in ends
        )
        return {"x": np.tile(x, len(y)), "y": np.repeat(y, len(x)), "z": z.ravel()}
    columns = {name: pd.Series(trace[name]) for name in "xy" if name in trace}
    default = pd.RangeIndex(max(map(len, columns.values()), default=0))
    return {"x": default, "y": default} | columns
