"""The wide form of an experiment's table: a row a method, a column a cell, printed figures next."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from zslcore.analysis.papers.experiments.experiment import Experiment, Unit

_ROW = ["dataset", "method", "at"]


def widen_table(table: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return a row for each data set, method and ``at``, with three columns a cell, then means."""
    by_method = experiment.unit == "percent" and not table["at"].any()
    cells = sorted(map(str, table["cell"].unique()), key=_place_in(experiment.headings))
    blocks = []
    for _, of_dataset in table.groupby("dataset", sort=False):
        blocks.append(_block(of_dataset, cells, experiment.unit))
        if by_method and len(of_dataset["method"].unique()) > 1:
            blocks.append(_means(of_dataset, cells, experiment.unit))
    shown = pd.concat(blocks, ignore_index=True).fillna("-") if blocks else pd.DataFrame()
    headings = {"dataset": "data set", "at": experiment.at}
    once = [
        c for c in _ROW if not table[c].any() or (c == "dataset" and len(table[c].unique()) == 1)
    ]
    no_print = [
        f"{mark} {cell}"
        for cell, rows in table.groupby("cell", sort=False)
        for mark, column in (("printed", "printed"), ("diff", "difference"))
        if rows[column].isna().all()
    ]
    shown = shown.drop(columns=[*once, *no_print], errors="ignore")
    names = [*map(str, shown.columns)]
    short = {c: c.split(" ", 1)[0] for c in names if c.startswith(("printed ", "diff "))}
    return shown.rename(columns=headings | short)


def means_leave_out(table: pd.DataFrame, experiment: Experiment) -> bool:
    """Return whether a mean of :func:`widen_table` leaves out methods without a printed figure."""
    if experiment.unit != "percent" or table["at"].any():
        return False
    ours = table.dropna(subset=["ours"])
    shares = ours["printed"].notna().groupby([ours["dataset"], ours["cell"]]).mean()
    return bool(((shares > 0) & (shares < 1)).any())


def _place_in(headings: Sequence[str]) -> Callable[[str], int]:
    """Return the sorting key of cells by their heading; others stay in place."""
    return lambda cell: next((k for k, h in enumerate(headings) if cell.startswith(h)), 0)


def _block(rows: pd.DataFrame, cells: list[str], unit: Unit) -> pd.DataFrame:
    """Return the rows of one data set."""
    shown = rows[_ROW].drop_duplicates().set_index(_ROW, drop=False)
    for cell in cells:
        part = rows[rows["cell"] == cell].set_index(_ROW)
        for name, texts in _columns(part, cell, unit).items():
            shown[name] = texts
    return shown


def _means(rows: pd.DataFrame, cells: list[str], unit: Unit) -> pd.DataFrame:
    """Return one row: the means of the methods, of those with both figures where any has."""
    shown = {"dataset": rows["dataset"].iloc[0], "method": "mean", "at": ""}
    for cell in cells:
        part = rows[rows["cell"] == cell]
        with_both = part.dropna(subset=["ours", "printed"])
        mean = (part if with_both.empty else with_both)[["ours", "printed", "difference"]].mean()
        row = pd.DataFrame([mean]).assign(**dict.fromkeys(("std", "low", "high"), math.nan))
        shown |= {name: texts.iloc[0] for name, texts in _columns(row, cell, unit).items()}
    return pd.DataFrame([shown])


def _columns(rows: pd.DataFrame, cell: str, unit: Unit) -> dict[str, pd.Series[str]]:
    """Return a cell's three columns: ours, printed and the difference."""
    texts = {
        cell: [
            _written(*row, unit=unit) for row in rows[["ours", "std", "low", "high"]].to_numpy()
        ],
        f"printed {cell}": [_written(value, unit=unit) for value in rows["printed"]],
        f"diff {cell}": [_written(value, sign="+", unit=unit) for value in rows["difference"]],
    }
    return {name: pd.Series(of, index=rows.index, dtype=object) for name, of in texts.items()}


def _written(
    value: float,
    std: float = math.nan,
    low: float = math.nan,
    high: float = math.nan,
    *,
    unit: Unit,
    sign: str = "",
) -> str:
    if math.isnan(value):
        return "-"
    if unit == "number":
        whole = float(value).is_integer() or abs(value) >= 100
        return f"{value:{sign},.0f}" if whole else f"{value:{sign}.3g}"
    spread = "" if math.isnan(std) else f" ± {100 * std:.1f}"
    if not math.isnan(low):
        spread += f" ({100 * low:z.1f} to {100 * high:z.1f})"
    return f"{100 * value:{sign}z.1f}{spread}"
