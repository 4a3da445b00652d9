"""Tables as CSV that a spreadsheet may open: no cell of text in it is a formula."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["harmless", "harmless_csv"]

#: What a spreadsheet takes for the beginning of a formula.
BEGINNINGS = ("=", "+", "-", "@", "\t", "\n")


def harmless_csv(table: pd.DataFrame, **options: Any) -> str:
    """Return a table as CSV; texts that begin like a formula are led by an apostrophe.

    Parameters
    ----------
    table : DataFrame
    **options : of ``DataFrame.to_csv``
    """
    quoted = table.rename(columns=harmless)
    for place, kind in enumerate(quoted.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            quoted.isetitem(place, list(map(harmless, quoted.iloc[:, place])))
    if not pd.api.types.is_numeric_dtype(quoted.index.dtype):
        quoted.index = quoted.index.map(harmless)
    text: str = quoted.to_csv(**options)
    return text


def harmless(value: Any) -> Any:
    """Return a text led by an apostrophe where it begins like a formula and is no number.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless("otter"), harmless(-0.5)
    ("'=1+1", '-0.5', 'otter', -0.5)
    """
    if not isinstance(value, str):
        return value
    value = value.replace("\r", "\n")  # a line's end that is not quoted
    if not value.startswith(BEGINNINGS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
