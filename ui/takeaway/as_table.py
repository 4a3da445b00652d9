"""Numbers of a figure as a table, one row per point, bar or cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    parts = [pd.DataFrame(part) for trace in figure.traces if (part := _rows(figure, trace))]
    if not parts:
        return pd.DataFrame()
    table = pd.concat([part.dropna(axis="columns", how="all") for part in parts], ignore_index=True)
    for column in table:
        if not pd.api.types.is_numeric_dtype(table[column].dtype):
            table[column] = table[column].map(without_tags)
    return table


def without_tags(value: object) -> object:
    """Return a text without tags and entities; return other values unchanged."""
    return unescape(_TAGS.sub(" ", value)).strip() if isinstance(value, str) else value


def _rows(figure: Chart, trace: Part) -> dict[str, Any]:
    """Return the columns of one trace."""
    if "z" in trace:
        return _of_grid(figure, trace)
    x, y = (_values(trace, name) for name in "xy")
    n = max((len(values) for values in (x, y) if values is not None), default=0)
    if n == 0:
        return {}
    titles = _titles(figure, trace)
    columns = {"series": [trace.get("name", "")] * n} | {
        name: [t] * n for name, t in titles.items()
    }
    columns |= {"x": _padded(x, n), "y": _padded(y, n)}
    return columns | dict(_at_ticks(figure, trace, columns)) | dict(_more(trace, n))


def _of_grid(figure: Chart, trace: Part) -> dict[str, Any]:
    z = np.asarray(trace["z"], dtype=float)
    height, width = z.shape
    x, y = (_values(trace, name) for name in "xy")
    x = np.arange(width) if x is None else x[:width]
    y = np.arange(height) if y is None else y[:height]
    titles = {name: [title] * z.size for name, title in _titles(figure, trace).items()}
    columns = {"series": [trace.get("name", "")] * z.size} | titles
    return columns | {"x": np.tile(x, height), "y": np.repeat(y, width), "z": z.ravel()}


def _titles(figure: Chart, trace: Part) -> dict[str, str]:
    """Return the titles of a trace's axes; the title is empty for an axis without one."""
    axes = _axes(figure, trace)
    return {
        f"{letter}_axis": axis.get("title", {}).get("text", "") for letter, axis in axes.items()
    }


def _axes(figure: Chart, trace: Part) -> dict[str, Part]:
    return {name[0]: figure.axis(name) for name in pair_of(trace)}


def _at_ticks(
    figure: Chart, trace: Part, columns: dict[str, list[Any]]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the tick labels at the values of a trace, as columns x_name and y_name."""
    for letter, axis in _axes(figure, trace).items():
        if "tickvals" in axis and "ticktext" in axis:
            words = dict(zip(axis["tickvals"], axis["ticktext"], strict=False))
            yield f"{letter}_name", [words.get(value) for value in columns[letter]]


def _more(trace: Part, n: int) -> Iterator[tuple[str, Any]]:
    """Yield the error bars and the texts of a trace, if every point has one."""
    for letter in "xy":
        error = trace.get(f"error_{letter}", {})
        above = error.get("array", ())
        if len(above) == n:
            yield f"{letter}_error_above", list(above)
            yield f"{letter}_error_below", list(error.get("arrayminus", above))
    if len(trace.get("text", ())) == n:
        yield "text", list(trace["text"])


def _values(trace: Part, name: str) -> np.ndarray | None:
    return np.asarray(trace[name], dtype=object) if name in trace else None


def _padded(values: np.ndarray | None, n: int) -> list[Any]:
    """Return values as a list of length ``n``, or 0, 1, 2 ... for None."""
    if values is None:
        return list(range(n))
    return [*values, *[None] * (n - len(values))]
