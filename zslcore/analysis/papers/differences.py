"""Causes of differences of more than three points from print, one controlled run a cause.

``python -m benchmarks.differences`` writes the table, of methods on real features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd

from zslcore.storage.files import FACTS


@dataclass(frozen=True, slots=True)
class Cause:
    """The effect of one ``change`` of a run, in words, on a figure.

    ``name`` is "scaling", "selection", "gamma", "variant", "fold" or "features"; ``points`` is the
    difference to our figure, as a fraction. None where nothing here measures it.
    """

    name: str
    change: str
    value: float | None
    points: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure more than three points off print, a ``cell`` of ``table``, and its causes."""

    data: str
    method: str
    table: str
    cell: str
    ours: float
    printed: float
    causes: tuple[Cause, ...]

    @property
    def sentence(self) -> str:
        """The difference and its causes in a sentence."""
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
    table = table.rename(columns={"cause": "name"}).astype(object)
    keys = ["data", "method", "table", "cell", "ours", "printed"]
    causes = table.drop(columns=keys).where(table.notna(), None)
    return tuple(
        Difference(
            **{name: rows[name].iloc[0] for name in keys},
            causes=tuple(Cause(*row) for row in causes.loc[rows.index].itertuples(False)),
        )
        for _, rows in table.groupby(keys, sort=False)
    )


def why_different(data: str, method: str) -> tuple[Difference, ...]:
    """Return the differences of a method on a data set; none within three points."""
    return tuple(each for each in differences() if (each.data, each.method) == (data, method))
