"""The cells of a table that a claim is judged on: those that its judge notes as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from zslcore.analysis.papers.claims import CLAIMS, Evidence
from zslcore.analysis.papers.claims.evidence import FIGURES

#: Columns that a printed figure and one of ours have in common.
_CELL = ["benchmark", "split", "method", "figure", "chosen_for"]


@dataclass(frozen=True, slots=True, eq=False)
class ReadCells:
    """The figures that a claim is judged on, once each, and other printed tables by name."""

    figures: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]

    def wide(self) -> pd.DataFrame:
        """Return the figures, a row a method and a column a data set, split and figure."""
        if self.figures.empty:
            return pd.DataFrame()
        return _to_wide(self.figures, self.figures)


def _to_wide(rows: pd.DataFrame, figures: pd.DataFrame) -> pd.DataFrame:
    """Return a row a method, a column a heading among all figures."""
    rows = rows.assign(column=[_heading(row, figures) for _, row in rows.iterrows()])
    return rows.pivot_table("value", "method", "column", sort=False, aggfunc="first")


def _heading(row: pd.Series, figures: pd.DataFrame) -> str:
    """Name a column by what distinguishes it from the others."""
    names = [str(row["data"])]
    for column in ("split", "figure", "chosen_for", "table"):
        if (figures[column] != row[column]).any():
            value = str(row[column])
            names.append(f"for {value.upper()}" if column == "chosen_for" else value)
    return ", ".join(names)


def cells_of(id_: str, evidence: Evidence) -> ReadCells:
    """Return the cells that the claim of this id is judged on."""
    read: list[pd.DataFrame | str] = []
    CLAIMS[id_].judge(replace(evidence, read=read))
    rows = [each for each in read if isinstance(each, pd.DataFrame)]
    figures = pd.concat(rows) if rows else pd.DataFrame(columns=list(FIGURES))
    tables = {name: evidence.tables[name] for name in read if isinstance(name, str)}
    return ReadCells(figures[~figures.index.duplicated()], tables)


def with_ours(id_: str, printed: Evidence, ours: Evidence) -> pd.DataFrame:
    """Return the printed cells of a claim, and ours of the same cell as "<column>, ours"."""
    claim, cells = CLAIMS[id_], cells_of(id_, printed)
    wide, figures = cells.wide(), cells.figures
    there = ours.of_paper(claim.paper, claim.data)
    found = [there.rows(figure) for figure in figures["figure"].unique() if there.has(figure)]
    if not found:
        return wide
    values = pd.concat(found).drop_duplicates(_CELL)[[*_CELL, "value"]]
    matched = figures.drop(columns="value").merge(values, on=_CELL)
    if matched.empty:
        return wide
    mine = _to_wide(matched, figures).reindex(wide.index).add_suffix(", ours")
    order = [name for column in wide for name in (column, f"{column}, ours")]
    joined = wide.join(mine)
    return joined[[name for name in order if name in joined]]
