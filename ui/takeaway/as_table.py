"""The numbers that a figure shows, as a table: one row for every point, bar or cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

#: Tags that Plotly draws; other brackets are part of a name.
_TAG = re.compile(r"</?(?:a|b|br|em|i|span|strong|sub|sup)\b[^>]*>")


def table_of(figure: go.Figure) -> pd.DataFrame:
    """Return what a figure shows as a tidy table; columns without a value are left out.

    x_name, y_name are words at the ticks of an axis. Pictures have no numbers to take away, and
    frames of an animation are not part of it.
    """
    parts = [pd.DataFrame(part) for trace in figure.data if (part := _rows(figure, trace))]
    if not parts:
        return pd.DataFrame()
    table = pd.concat([part.dropna(axis="columns", how="all") for part in parts], ignore_index=True)
    for column in table:
        if not pd.api.types.is_numeric_dtype(table[column].dtype):
            table[column] = table[column].map(without_tags)
    return table


def without_tags(value: object) -> object:
    """Return a text as Plotly shows it, without tags and entities; anything else as it is."""
    return unescape(_TAG.sub(" ", value)).strip() if isinstance(value, str) else value


def _rows(figure: go.Figure, trace: Any) -> dict[str, Any]:
    """Return the columns of one trace."""
    if trace.type in ("heatmap", "contour") and trace.z is not None:
        return _of_grid(figure, trace)
    x, y = (_values(trace, name) for name in "xy")
    n = max((len(values) for values in (x, y) if values is not None), default=0)
    if n == 0:
        return {}
    titles = _titles(figure, trace)
    columns = {"series": [trace.name or ""] * n} | {name: [t] * n for name, t in titles.items()}
    columns |= {"x": _padded(x, n), "y": _padded(y, n)}
    return columns | dict(_at_ticks(figure, trace, columns)) | dict(_more(trace, n))


def _of_grid(figure: go.Figure, trace: Any) -> dict[str, Any]:
    z = np.asarray(trace.z)
    if z.ndim != 2:
        return {}
    height, width = z.shape
    x, y = (_values(trace, name) for name in "xy")
    x = np.arange(width) if x is None else x[:width]
    y = np.arange(height) if y is None else y[:height]
    titles = {name: [title] * z.size for name, title in _titles(figure, trace).items()}
    columns = {"series": [trace.name or ""] * z.size} | titles
    return columns | {"x": np.tile(x, height), "y": np.repeat(y, width), "z": z.ravel()}


def _titles(figure: go.Figure, trace: Any) -> dict[str, str]:
    """Return the titles of a trace's axes; an axis without one has that of none."""
    axes = {letter: _axis(figure, trace, letter) for letter in "xy"}
    return {f"{letter}_axis": (axis and axis.title.text) or "" for letter, axis in axes.items()}


def _axis(figure: go.Figure, trace: Any, letter: str) -> Any:
    name = (getattr(trace, f"{letter}axis", None) or letter).replace(letter, f"{letter}axis", 1)
    return getattr(figure.layout, name, None)


def _at_ticks(
    figure: go.Figure, trace: Any, columns: dict[str, list[Any]]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the words that stand at the ticks in place of numbers."""
    for letter in "xy":
        axis = _axis(figure, trace, letter)
        if axis is not None and axis.tickvals is not None and axis.ticktext is not None:
            words = dict(zip(axis.tickvals, axis.ticktext, strict=False))
            yield f"{letter}_name", [words.get(value) for value in columns[letter]]


def _more(trace: Any, n: int) -> Iterator[tuple[str, Any]]:
    """Yield the text and the error bars of a trace, where there is one for every point."""
    for letter in "xy":
        bars: Any = getattr(trace, f"error_{letter}", None)
        above = getattr(bars, "array", None)
        if above is not None and len(above) == n:
            below = bars.arrayminus if bars.arrayminus is not None else above
            yield f"{letter}_error_above", list(above)
            yield f"{letter}_error_below", list(below)
    text = getattr(trace, "text", None)
    if text is not None and not isinstance(text, str) and len(text) == n:
        yield "text", list(text)


def _values(trace: Any, name: str) -> np.ndarray | None:
    values = getattr(trace, name, None)
    return None if values is None else np.asarray(values, dtype=object)


def _padded(values: np.ndarray | None, n: int) -> list[Any]:
    """Return values as a list, the numbers from 0 on where there are none."""
    if values is None:
        return list(range(n))
    return [*values, *[None] * (n - len(values))]
