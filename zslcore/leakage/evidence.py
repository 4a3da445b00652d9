"""Evidence of a finding: the rows, classes or values that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

#: Most rows of a table of evidence; its total is always given.
MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class Evidence:
    """A table that shows what a finding rests on.

    Attributes
    ----------
    title : what the rows are
    columns, rows : the table, at most 100 rows
    total : how many rows there are in all
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Evidence:
        """Build a table from all its rows, keeping the first 100."""
        plain = [tuple(_plain(value) for value in row) for row in rows]
        return cls(title, tuple(columns), tuple(plain[:MOST_ROWS]), len(plain))

    def table(self) -> pd.DataFrame:
        """Return the rows as a data frame."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns))


def _plain(value: Any) -> Any:
    """Return NumPy scalars as Python's own, which JSON knows."""
    return value.item() if hasattr(value, "item") else value
