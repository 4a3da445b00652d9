"""The results of every source as one table of methods, read once until the store changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ui import cache
from zslcore.analysis.method_table import (
    Cell,
    Figure,
    Origin,
    best_cells,
    inductive_rows,
    printed_cells,
    task_of,
)
from zslcore.board.contamination import Contamination
from zslcore.board.method_cells import leak_of
from zslcore.datasets.titles import title

__all__ = ["Column", "MethodTable", "all_cells", "data_label"]


def all_cells() -> Sequence[Cell]:
    """Return own, shipped and others' results as cells; read again when the store has changed."""
    stored, _, _ = cache.all_runs()
    board = cache.board()
    return cache.method_cells(f"{board.digest} {' '.join(one.id for one in stored)}", stored, board)


def data_label(cell: Cell) -> str:
    """Return a data set as a heading: the benchmark, then what its features are."""
    if (known := title(cell.data)) != cell.data:
        return known
    rest = cell.data.removeprefix(cell.benchmark).lstrip("-_").removesuffix(".npz")
    return f"{cell.benchmark}, {rest}" if cell.benchmark and rest else cell.data


@dataclass(frozen=True, eq=False)
class Column:
    """The results of one data set.

    Attributes
    ----------
    data, label, benchmark : name, heading, and the benchmark it is
    simulated : whether the data are
    cells : one a row of the table that has a result
    ranks : of :func:`zslcore.analysis.method_table.ranked`, with ``printed`` and ``ranks``
    leak : Contamination of the test classes
    """

    data: str
    label: str
    benchmark: str
    simulated: bool
    cells: Mapping[str, Cell]
    ranks: pd.DataFrame
    leak: Contamination

    @property
    def leader(self) -> str:
        """The row with the largest figure."""
        return str(self.ranks["value"].idxmax())

    @property
    def tied(self) -> int:
        """How many other rows are not certainly worse than the leader: their ranks may be 1."""
        return int(self.ranks["top"].drop(self.leader).sum())


@dataclass(frozen=True, eq=False)
class MethodTable:
    """What the table shows.

    Attributes
    ----------
    cells : all results there are
    figure, split : what is compared, and where
    origins : which results count
    with_printed : whether the papers' figures count
    data : names of data sets
    variants, probes : whether variants of methods, and runs of single folds, have rows
    """

    cells: Sequence[Cell]
    figure: Figure
    split: str
    origins: Collection[Origin]
    with_printed: bool
    data: Sequence[str]
    variants: bool = False
    probes: bool = False

    @cached_property
    def columns(self) -> list[Column]:
        """The columns that have a result, in the order of :attr:`data`."""
        counted = [cell for cell in self.cells if cell.origin in self.origins]
        best = best_cells(counted, self.figure, self.split, with_probes=self.probes)
        found = []
        for data in self.data:
            cells = {
                row: cell
                for (row, of), cell in best.items()
                if of == data and (row in self.rows_always or self.variants or self._is_own(cell))
            }
            if cells:
                found.append(self._column(data, cells))
        return found

    @cached_property
    def rows_always(self) -> list[str]:
        """The rows that are there, whether or not they have a result."""
        return inductive_rows()

    @staticmethod
    def _is_own(cell: Cell) -> bool:
        return cell.origin != "shipped"

    def _column(self, data: str, cells: Mapping[str, Cell]) -> Column:
        first = next(iter(cells.values()))
        ranks = _ranked(list(cells.values()), self.figure)
        ranks["printed"] = [self.printed_of(row, first.benchmark) for row in ranks.index]
        return Column(
            data,
            data_label(first),
            first.benchmark,
            first.simulated,
            cells,
            ranks,
            leak_of(list(cells.values())),
        )

    @cached_property
    def rows(self) -> list[str]:
        """All rows: the inductive methods, then what else has a result."""
        more = [row for column in self.columns for row in column.cells]
        return list(dict.fromkeys([*self.rows_always, *more]))

    @cached_property
    def printed(self) -> pd.DataFrame:
        """The printed figures of this split and figure, chosen for the same task."""
        table = printed_cells()
        same = (table["figure"] == self.figure) & (table["split"] == self.split)
        return table[same & (table["task"] == task_of(self.figure))]

    def printed_of(self, row: str, benchmark: str) -> float:
        """Return the printed figure of a row; of two papers the benchmark paper's; NaN without."""
        found = self.prints(row, benchmark)
        return float(found["value"].iloc[0]) if len(found) else float("nan")

    def prints(self, row: str, benchmark: str) -> pd.DataFrame:
        """Return all printed figures of a row."""
        if not self.with_printed:
            return self.printed[:0]
        of = self.printed
        return of[(of["row"] == row) & (of["benchmark"] == benchmark)]

    def missing(self, column: Column) -> list[str]:
        """Return the methods of the package without a result in a column."""
        return [row for row in self.rows_always if row not in column.cells]


def _ranked(cells: Sequence[Cell], figure: Figure) -> pd.DataFrame:
    known = tuple((cell.key, cell.row, cell.digest, cell.origin) for cell in cells)
    ranks = cache.method_ranks(known, figure, cells)
    return ranks.assign(ranks=[_rank_in_words(row) for _, row in ranks.iterrows()])


def _rank_in_words(row: pd.Series) -> str:
    """Write a rank with its interval; a figure space keeps texts in the order of numbers."""
    text = f"{int(row['rank']):>2}".replace(" ", "\N{FIGURE SPACE}")
    if np.isnan(row["first"]) or row["first"] == row["last"]:
        return text if np.isnan(row["first"]) else f"{text} (certain)"
    return f"{text} ({int(row['first'])}–{int(row['last'])})"
