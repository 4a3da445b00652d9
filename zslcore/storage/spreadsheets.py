"""Tables as CSV for any program: no cell of text is a formula, and none is a Python literal."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

#: What a spreadsheet takes for the beginning of a formula.
BEGINNINGS = ("=", "+", "-", "@", "\t", "\n")


def harmless_csv(table: pd.DataFrame, **options: Any) -> str:
    """Return a table as CSV, with ``options`` of ``to_csv``; see :func:`harmless` for its cells."""
    quoted = table.rename(columns=harmless)
    for place, kind in enumerate(quoted.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            quoted.isetitem(place, list(map(harmless, quoted.iloc[:, place])))
    if not pd.api.types.is_numeric_dtype(quoted.index.dtype):
        quoted.index = quoted.index.map(harmless)
    text: str = quoted.to_csv(**options)
    return text


def without_python(value: Any) -> Any:
    """Return a mapping as JSON, another collection as its values with semicolons between them.

    Examples
    --------
    >>> without_python({"lam": 0.1}), without_python((0.25, 0.5)), without_python("otter")
    ('{"lam": 0.1}', '0.25; 0.5', 'otter')
    """
    if isinstance(value, Mapping):
        return json.dumps(dict(value), default=str)
    if isinstance(value, Collection | np.ndarray) and not isinstance(value, str | bytes):
        return "; ".join(map(str, value))
    return value


def harmless(value: Any) -> Any:
    """Return a text led by an apostrophe where it begins like a formula and is no number.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless("otter"), harmless(-0.5)
    ("'=1+1", '-0.5', 'otter', -0.5)
    """
    value = without_python(value)
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
