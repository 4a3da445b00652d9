"""Which method is best, and is that certain? A row per method, a column per data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import streamlit as st

from ui import controls, terms
from ui.figures.method_table import rank_forest
from ui.frame import Header, chart, errors_as_sentences
from ui.numbers import percent
from ui.sections.method_cells import Column, MethodTable, all_cells, data_label
from ui.sections.method_grid import FIGURES, in_words, show_grid
from ui.sections.method_result import offer_missing, show_result
from ui.text import plain
from zslcore.analysis.method_table import Cell, Origin

__all__ = ["show"]

#: Of the standard split there are no test images of seen classes.
OF_SS = ("ZSL",)
ORIGINS: dict[str, Origin | None] = {
    "mine": "mine",
    "shipped": "shipped",
    "printed": None,
    "others'": "others",
}
RESULT = "table_result"


def show(header: Header) -> None:
    """Show the table of methods; ``header`` marks simulated data."""
    with errors_as_sentences():
        answer = st.container(gap="xsmall", key="table_answer")
        answer.empty()  # what has nothing in it takes no place
        table = _choose(all_cells())
        if not table.columns:
            st.info(
                "No result has all of these. Choose other results or data sets.",
                icon=":material/filter_alt_off:",
            )
            return
        with answer:
            _answer(table)
        show_grid(table, partial(_pick, table))
        offer_missing(table)
        _show_one(table)


def _choose(cells: Sequence[Cell]) -> MethodTable:
    """Choose what is compared, on which data sets, and whose results count."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        split = controls.choose("Split", ["PS", "SS"], key="table_split", width=90)
        figures = [label for label in FIGURES if split == "PS" or label in OF_SS]
        label = controls.choose("Metric", figures, key="table_metric", width=130)
        whose = st.pills(
            "Results",
            list(ORIGINS),
            selection_mode="multi",
            default=list(ORIGINS),
            key="table_whose",
            bind="query-params",
            help=terms.tip("Results", "Own runs come first, then shipped results, then others'."),
        )
        with st.popover("Columns and rows", icon=":material/tune:"):
            data = _choose_data(cells)
            variants = st.toggle("Variants of methods", key="table_variants", bind="query-params")
            probes = st.toggle(
                "Runs of single folds",
                key="table_probes",
                bind="query-params",
                help="Runs with the parameters that one fold alone would choose.",
            )
    origins = [origin for name in whose if (origin := ORIGINS[name])]
    return MethodTable(
        cells, FIGURES[label], split, origins, "printed" in whose, data, variants, probes
    )


def _choose_data(cells: Sequence[Cell]) -> list[str]:
    """Choose data sets; to begin with the benchmarks on which this package has results."""
    names = {cell.data: data_label(cell) for cell in sorted(cells, key=_order)}
    usual = {
        cell.data
        for cell in cells
        if cell.benchmark and not cell.simulated and cell.origin != "others"
    }
    chosen = st.multiselect(
        "Data sets",
        list(names),
        [name for name in names if name in usual],
        format_func=names.__getitem__,
        key="table_columns",
        bind="query-params",
    )
    return [name for name in names if name in chosen]


def _order(cell: Cell) -> tuple[bool, bool, bool, str]:
    """Order data sets: benchmarks before others, real before simulated, CUB before AWA1."""
    return cell.origin == "others", cell.simulated, not cell.benchmark, _reversed(cell)


def _reversed(cell: Cell) -> str:
    return f"{'0' if cell.benchmark == 'CUB' else '1'}{cell.data}"


def _answer(table: MethodTable) -> None:
    """Say for each data set which method leads, how many are tied, and whether classes leak."""
    for column in table.columns:
        value = percent(column.ranks["value"][column.leader])
        n = len(column.ranks)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{plain(column.label)}**: {plain(column.leader)} leads {n} methods with "
                f"{in_words(table.figure)} {value}; {_tie_in_words(column)}.",
                width="content",
            )
            _badge(column)


def _tie_in_words(column: Column) -> str:
    if column.ranks["first"].isna().all():
        return "its results list no classes, so ranks have no interval"
    if not column.tied:
        return "every other one is certainly worse"
    return f"{column.tied} other{'s' * (column.tied > 1)} may be first (95 %)"


def _badge(column: Column) -> None:
    """Say whether test classes are among those the extractor was trained on."""
    looks: dict[str, tuple[str, Literal["green", "violet", "gray"], str]] = {
        "clean": ("no leak found", "green", ":material/verified:"),
        "overlapping": (
            f"{len(column.leak.classes)} leaked classes",
            "violet",
            ":material/report:",
        ),
        "unknown": ("leak unknown", "gray", ":material/help:"),
    }
    text, color, icon = looks[column.leak.state]
    st.badge(text, color=color, icon=icon, help=plain(column.leak.why))
    if column.simulated:
        st.badge("simulated", color="orange", icon=":material/science:")


# --- One result -----------------------------------------------------------------------------------


def _name(row: str, column: Column) -> str:
    return f"{row} · {column.data}"


def _pick(table: MethodTable, row: str, heading: str) -> None:
    """Choose the result of a cell that was clicked; a printed one leads to the measured one."""
    for column in table.columns:
        named = column.label in heading or f"{column.benchmark} printed" in heading
        if named and row in column.cells:
            st.session_state[RESULT] = _name(row, column)
            return


def _show_one(table: MethodTable) -> None:
    """Show the chosen result: its curve and details, then the ranks of its data set."""
    there = {
        _name(row, column): (row, column) for column in table.columns for row in column.ranks.index
    }
    first = table.columns[0]
    chosen = controls.choose(
        "Result", list(there), key=RESULT, default=_name(first.leader, first), width=360
    )
    row, column = there[chosen]
    show_result(table, column, row)
    st.header(f"Ranks on {plain(column.label)}, {table.split}", anchor=False)
    chart(
        rank_forest(column.ranks, row, f"{in_words(table.figure)}, with 95 % intervals"),
        f"{in_words(table.figure)} of {len(column.ranks)} methods on {column.label}; "
        f"{column.leader} leads with {percent(column.ranks['value'].max())}.",
        key="table_forest",
    )
