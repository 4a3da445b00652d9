"""The table of methods as a grid: figures, ranks and marks, shaded, and as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ui import takeaway
from ui.exports import Look
from ui.sections.method_cells import MethodTable
from ui.sections.method_result import MARKS
from zslcore.analysis.method_table import Cell, Figure, task_of

__all__ = ["FIGURES", "in_words", "show_grid"]

FIGURES: dict[str, Figure] = {
    "H at γ": "H at gamma",
    "ZSL": "zsl",
    "AUSUC": "AUSUC",
    "u at γ": "u at gamma",
    "s at γ": "s at gamma",
    "H, γ = 0": "H",
    "u, γ = 0": "u",
    "s, γ = 0": "s",
}
#: Behind methods that no other one is certainly better than.
SHADE = "background-color: rgba(88, 101, 121, 0.22)"
TABLE = "table_of_methods"
TEXT = st.column_config.Column
NUMBER = partial(st.column_config.NumberColumn, format="%.1f")
#: Makes equal headings different for the browser.
INVISIBLE = "\u200b"
#: Pixels of a row of the table and of its two headings.
ROW, HEADINGS = 35, 73


def in_words(figure: Figure) -> str:
    """Return a figure as the screen writes it."""
    return next(label for label, of in FIGURES.items() if of == figure)


def show_grid(table: MethodTable, choose: Callable[[str, str], None]) -> None:
    """Show all columns and offer them as files.

    Parameters
    ----------
    table : MethodTable
    choose : called with the row and the heading of a cell that is clicked
    """
    wide = _wide(table)
    shown = wide.rename(columns=_labels(table), level=1)
    # A browser names the clicked cell by its lower heading alone, which data sets share.
    headings = [name + INVISIBLE * k for k, name in enumerate(shown.columns.get_level_values(1))]
    shown.columns = pd.MultiIndex.from_arrays([shown.columns.get_level_values(0), headings])
    upper = dict(zip(headings, shown.columns.get_level_values(0), strict=True))

    def pick() -> None:
        if cells := st.session_state[TABLE].selection.cells:
            row, heading = cells[0]
            choose(str(wide.index[row]), str(upper.get(str(heading), "")))

    makers: dict[str, Callable[..., Any]] = {
        "value": NUMBER,
        "printed": NUMBER,
        "ranks": TEXT,
        "mark": TEXT,
    }
    config: dict[Any, Any] = {"_index": TEXT("method", pinned=True, width=130)}
    for k, kind in enumerate(wide.columns.get_level_values(1), start=1):
        config[k] = makers[kind](width=100 if kind == "ranks" else 80)
    st.dataframe(
        _shaded(shown, table, wide),
        column_config=config,
        height=HEADINGS + ROW * len(wide),
        row_height=ROW,
        placeholder="–",
        key=TABLE,
        on_select=pick,
        selection_mode="single-cell",
    )
    st.caption(_legend(table))
    _offer(table, wide)


def _wide(table: MethodTable) -> pd.DataFrame:
    """Return the table with a column a data set and kind: value, ranks, mark, printed."""
    parts = {}
    for k, column in enumerate(table.columns):
        ranks = column.ranks.reindex(table.rows)
        name = column.label
        parts[name, "value"] = 100 * ranks["value"]
        parts[name, "ranks"] = ranks["ranks"]
        parts[name, "mark"] = pd.Series(
            {row: _mark(column.cells.get(row)) for row in table.rows}, dtype=object
        )
        following = table.columns[k + 1 : k + 2]
        if not following or following[0].benchmark != column.benchmark:
            printed = [100 * table.printed_of(row, column.benchmark) for row in table.rows]
            if np.isfinite(printed).any():
                parts[f"{column.benchmark} printed", "printed"] = pd.Series(printed, table.rows)
    wide = pd.DataFrame(parts, index=table.rows)
    marks = [wide[column] for column in wide.columns if column[1] == "mark"]
    if pd.concat(marks).nunique() < 2:
        wide = wide.drop(columns="mark", level=1)  # the legend states it once
    return wide.sort_values(wide.columns[0], ascending=False, kind="stable", na_position="last")


def _mark(cell: Cell | None) -> str:
    """Return the mark of a result, and whose it is where it is not shipped."""
    if cell is None:
        return "missing"
    whose = {"mine": " mine", "shipped": "", "others": f" {cell.who}"}[cell.origin]
    return f"{MARKS[cell.state][0]}{whose}"


def _labels(table: MethodTable) -> dict[str, str]:
    sources = sorted(set(table.printed["table"])) if table.with_printed else []
    return {
        "value": f"{in_words(table.figure)}, %",
        "ranks": "rank (95 %)",
        "mark": "result",
        "printed": " / ".join(sources[:2]) + ", %",
    }


def _headings(wide: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the upper heading and the kind of every column."""
    upper, kinds = (wide.columns.get_level_values(level) for level in (0, 1))
    return list(zip(upper, kinds, strict=True))


def _shaded(shown: pd.DataFrame, table: MethodTable, wide: pd.DataFrame) -> object:
    """Shade the methods that no other one of the column is certainly better than."""
    styles = pd.DataFrame("", shown.index, shown.columns)
    for column in table.columns:
        top = column.ranks["top"].reindex(wide.index, fill_value=False).to_numpy(dtype=bool)
        for k, (name, kind) in enumerate(_headings(wide)):
            if name == column.label and kind in ("value", "ranks"):
                styles.iloc[top, k] = SHADE
    return shown.style.apply(lambda _: styles, axis=None)


def _legend(table: MethodTable) -> str:
    task = task_of(table.figure).upper()
    states = dict.fromkeys(cell.state for column in table.columns for cell in column.cells.values())
    words = [" ".join(MARKS[state]) for state in states]
    one = "All results are " if len(words) == 1 else ""
    return (
        f"Shaded: no method is certainly better. Ranks: 95 % interval over test classes drawn "
        f"again, the same for all methods of a data set. Parameters chosen on folds for {task}. "
        f"{one}{'; '.join(words)}. Published results use other features (ResNet-101)."
    )


def _offer(table: MethodTable, wide: pd.DataFrame) -> None:
    """Offer the table as CSV, LaTeX and Markdown."""
    flat, labels, shares = pd.DataFrame({"method": wide.index}), {"method": "method"}, []
    for name, kind in _headings(wide):
        if kind == "mark":
            continue
        key = f"{name} {kind}"
        values = wide[name, kind].to_numpy()
        flat[key] = values / 100 if kind != "ranks" else values
        labels[key] = name if kind != "ranks" else "rank"
        shares += [key] * (kind != "ranks")
    measured = [key for key in shares if key.endswith("value")]
    caption = (
        f"{in_words(table.figure)} of {len(wide)} methods on split {table.split}, per class, with "
        "95 % intervals of ranks over test classes; published results use ResNet-101 features"
    )
    look = Look(labels, percent=shares, best=measured)
    takeaway.offer_table(takeaway.Table("methods", flat, look, caption=caption))
