"""What differences between our figures and printed ones are made of, one controlled run a cause.

``python -m benchmarks.differences`` writes the table, for every method that is more than three
points off print on real features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from zslcore.storage.files import FACTS

#: Columns of a cause, in the order of its fields.
_OF_CAUSE = ("cause", "change", "value", "points")


@dataclass(frozen=True, slots=True)
class Cause:
    """What one change of a run does to a figure.

    Attributes
    ----------
    name : "scaling", "selection", "gamma", "variant", "fold" or "features"
    change : what is changed, in words
    value : the figure with the change; None where nothing here measures it
    points : how far the change moves our figure, as a fraction; None likewise
    """

    name: str
    change: str
    value: float | None
    points: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure more than three points off print, and what it is made of.

    Attributes
    ----------
    data, method, table, cell : whose figure it is; ``cell`` is a column of the printed table
    ours, printed : fractions
    causes : in the order of the file
    """

    data: str
    method: str
    table: str
    cell: str
    ours: float
    printed: float
    causes: tuple[Cause, ...]

    @property
    def sentence(self) -> str:
        """What the difference is made of, in a sentence."""
        gap = 100 * (self.ours - self.printed)
        parts = [
            f"with {cause.change} ours moves by {100 * cause.points:+.1f}"
            for cause in self.causes
            if cause.points is not None
        ]
        rest = next(cause.change for cause in self.causes if cause.points is None)
        measured = f"; {'; '.join(parts)}" if parts else ""
        where = f"{self.method}, {self.cell} ({self.table})"
        return f"{where}: {gap:+.1f} points from print{measured}. Not measured: {rest}."


@cache
def differences() -> tuple[Difference, ...]:
    """Return every figure that is more than three points off print, in the order of the tables."""
    table = pd.read_csv(FACTS / "measured" / "differences.csv", comment="#")
    keys = ["data", "method", "table", "cell", "ours", "printed"]
    return tuple(
        Difference(
            **{name: rows[name].iloc[0] for name in keys},
            causes=tuple(
                Cause(*each)
                for each in zip(*(_texts(rows[name]) for name in _OF_CAUSE), strict=True)
            ),
        )
        for _, rows in table.groupby(keys, sort=False)
    )


def why_different(data: str, method: str) -> tuple[Difference, ...]:
    """Return the differences of a method on a data set, none where all are within three points."""
    return tuple(each for each in differences() if (each.data, each.method) == (data, method))


def _texts(column: pd.Series[Any]) -> list[Any]:
    """Return the values of a column, None for missing ones."""
    return [None if pd.isna(value) else value for value in column]
