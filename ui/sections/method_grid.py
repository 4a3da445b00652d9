"""Table of methods: rows are methods, columns values of data sets, with marks of their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from ui.components import window
from ui.figures.palette import NEUTRAL
from ui.sections.results import MARKS, as_clause, cite_table, metric_label, result_title
from ui.shell.text import plain
from ui.takeaway import downloads
from ui.takeaway.exports import TableFormat
from zslcore.analysis.method_table import Column, MethodResult, MethodTable, task_of
from zslcore.evaluation.verification import State
from zslcore.methods import METHODS, TRANSDUCTIVE
from zslcore.methods.base import MethodCard
from zslcore.numbers import counted
from zslcore.results.store import StoredRun

#: Optional columns of the table: heading -> value from the card of a method.
DETAILS: Mapping[str, Callable[[MethodCard], object]] = {
    "year": lambda card: card.year,
    "family": lambda card: card.family,
    "setting": lambda card: "transductive" if card.transductive else "inductive",
}
#: Optional column: whether the final fit is on trainval, as in all runs of this package.
FITTED = "trained on trainval"
#: Background of the numbers of your runs, which also have "yours" in their marks.
YOURS = "; background-color: rgba(240, 228, 66, 0.35)"
YOUR_MARK = " yours"
#: Suffix that makes equal headings different for the browser.
INVISIBLE = "\u200b"
#: Heights of a row of the table, of its two headings with borders, and of a border, in pixels.
ROW, HEADINGS, BORDER = 23, 73, 1
#: Key of the table.
TABLE = "table_of_methods"
#: Maximum number of columns of numbers that usually need no scrolling.
UNPINNED = 7


@dataclass(frozen=True, eq=False)
class GridColumn:
    """Column of the table on screen: a kind of values of one data set, in percent, by row."""

    column: Column
    kind: Literal["value", "ranks", "worse", "mark", "printed"]
    heading: str
    cells: pd.Series

    @property
    def is_number(self) -> bool:
        """Whether the cells are accuracies."""
        return self.kind in ("value", "printed")


def _without_interval(table: MethodTable) -> str:
    """Return the results without an interval, with the reasons, escaped; empty if all have one."""
    reasons: dict[str, list[str]] = {}
    for column in table.columns:
        if column.too_few:
            reasons.setdefault(column.too_few, []).append(f"all on {column.data}")
            continue
        for row, why in column.ranks["why"].items():
            if why:
                reasons.setdefault(str(why), []).append(f"{row} on {column.data}")
    parts = [plain(f"{', '.join(rows)} ({as_clause(why)})") for why, rows in reasons.items()]
    return f" No interval: {'; '.join(parts)}." * bool(parts)


def show_grid(
    table: MethodTable, details: Sequence[str], on_open: Callable[[str, str], None]
) -> None:
    """Show the table and its files; ``on_open`` gets row and data set of a clicked cell."""
    rows, file_columns = grid_of(table)
    stars = {col.column.data: col.cells for col in file_columns if col.kind == "worse"}
    # On screen, asterisks are next to the numbers.
    columns = [col for col in file_columns if col.kind != "worse"]
    words = {
        "value": f"{metric_label(table.metric)}, %",
        "ranks": "rank (95 %)",
        "mark": "result",
        "printed": "ResNet-101, %",
    }
    # The browser reports only the lower heading of a clicked cell, which several data sets have.
    lower = [words[col.kind] + INVISIBLE * k for k, col in enumerate(columns)]
    headings = [(col.heading, below) for col, below in zip(columns, lower, strict=True)]
    cells = {heading: col.cells for heading, col in zip(headings, columns, strict=True)}
    for name in details:
        about = {row: _detail_of(table, row, name) for row in rows}
        cells["method", name] = pd.Series(about, dtype=object)
    shown = pd.DataFrame(cells, index=rows)
    shown.insert(0, ("", "method"), rows)
    data_of = {below: col.column.data for below, col in zip(lower, columns, strict=True)}
    data_of["method"] = table.columns[0].data  # a click on a name opens the first number

    def open_cell() -> None:
        if cells := st.session_state[TABLE].selection.cells:
            row, heading = cells[0]
            if data := data_of.get(str(heading)):
                on_open(rows[row], data)

    # On a phone, the first data set fills the width: a cut heading could not be read.
    number, ranks = 62 if window.is_narrow() else 70, 84
    method = int(np.clip(6 * max(map(len, rows)) + 16, 106, 200))
    pinned = len(columns) > UNPINNED
    config: dict[Any, Any] = {1: st.column_config.Column(pinned=pinned, width=method)}
    with_own = not table.is_all_own
    look = shown.style.apply(lambda _: _styles(columns, shown, with_own=with_own), axis=None)
    for k, col in enumerate(columns, start=2):
        alone = sum(other.heading == col.heading for other in columns) == 1
        wide = max(number, _width_of(col.heading) * alone)
        mark = max((_width_of(str(text)) for text in col.cells.dropna()), default=number)
        rank = max(ranks, _width_of(col.heading) - number)
        width = {"ranks": rank, "mark": mark, "printed": 104}.get(col.kind, number)
        if col.kind == "value" and col.column.data in stars:
            config[k] = st.column_config.Column(width=wide)
            look = _with_stars(look, headings[k - 2], stars[col.column.data])
        elif col.is_number:
            config[k] = st.column_config.NumberColumn(format="%.1f", width=width)
        else:
            config[k] = st.column_config.Column(width=width)
    st.dataframe(
        look,
        column_config=config,
        hide_index=True,
        height=HEADINGS + ROW * len(rows),
        row_height=ROW,
        placeholder="–",
        key=TABLE,
        on_select=open_cell,
        selection_mode="single-cell",
    )
    st.caption(_legend(table), help=_how_computed(table))
    _offer_table(table, rows, file_columns)


def _width_of(text: str) -> int:
    """Return the width of a cell with a text, in pixels."""
    return 7 * len(text) + 18


def _with_stars(look: Styler, heading: tuple[str, str], stars: pd.Series) -> Styler:
    """Return the look of a table in which numbers below a heading have their asterisks."""
    for star, rows in stars.groupby(stars):
        sign = str(star) or "\N{FIGURE SPACE}"
        look = look.format(f"{{:.1f}} {sign}", subset=(rows.index, [heading]), na_rep="–")
    return look


def _detail_of(table: MethodTable, row: str, name: str) -> object:
    """Return the value of an optional column for a method; None if it is unknown."""
    if name == FITTED:
        cells = [column.cells[row] for column in table.columns if row in column.cells]
        return "yes" if all(isinstance(cell.source, StoredRun) for cell in cells) else None
    method = row.partition(" (")[0]
    registries = (METHODS, TRANSDUCTIVE)
    card = next((registry[method].card for registry in registries if method in registry), None)
    return None if card is None else DETAILS[name](card)


def grid_of(table: MethodTable) -> tuple[list[str], list[GridColumn]]:
    """Return rows and columns of the table; your runs come first, then the best methods.

    A data set has no column of marks if all its results are verified, and none is of the user.
    A data set with few significantly worse methods has a column of asterisks instead of ranks, and
    one with too few test classes has neither.
    """
    columns = []
    for k, column in enumerate(table.columns):
        ranks, heading = column.ranks.reindex(table.rows), result_title(column)
        marks = {row: _mark(column.cells.get(row)) for row in table.rows}
        columns.append(GridColumn(column, "value", heading, 100 * ranks["value"]))
        if column.is_ranked:
            texts = {row: _rank_with_mark(rank) for row, rank in ranks.iterrows()}
            columns.append(GridColumn(column, "ranks", heading, pd.Series(texts, dtype=object)))
        elif not column.too_few:
            stars = (ranks["first"] > 1).map({True: "*", False: ""})
            columns.append(GridColumn(column, "worse", heading, stars))
        verified = MARKS[State.VERIFIED][0]
        if {*marks.values()} - {None, verified, f"{verified}{YOUR_MARK * table.is_all_own}"}:
            columns.append(GridColumn(column, "mark", heading, pd.Series(marks, dtype=object)))
        following = table.columns[k + 1 : k + 2]
        if not following or following[0].benchmark != column.benchmark:
            printed = {row: 100 * table.printed_of(row, column.benchmark) for row in table.rows}
            if np.isfinite([*printed.values()]).any():
                heading = f"{column.benchmark}, as printed"
                columns.append(GridColumn(column, "printed", heading, pd.Series(printed)))
    best_first = columns[0].cells.sort_values(ascending=False, kind="stable").index
    return sorted(best_first, key=lambda row: row not in table.own_rows), columns


def rank_with_interval(rank: pd.Series) -> str | None:
    """Return a rank with its interval as text, padded so that it sorts like a number."""
    if np.isnan(rank["rank"]):
        return None
    text = f"{int(rank['rank']):>2}".replace(" ", "\N{FIGURE SPACE}")
    return text if np.isnan(rank["first"]) else f"{text} ({rank['first']:.0f}–{rank['last']:.0f})"


def _rank_with_mark(rank: pd.Series) -> str | None:
    """Return a rank with its interval, and an asterisk if significantly worse than the best."""
    text = rank_with_interval(rank)
    return f"{text} *" if rank["first"] > 1 else text


def _mark(cell: MethodResult | None) -> str | None:
    """Return the mark of a result, and its owner unless it is precomputed."""
    if cell is None:
        return None
    owner = {"mine": YOUR_MARK, "shipped": "", "others": f" {cell.who}"}[cell.origin]
    return f"{MARKS[cell.state][0]}{owner}{', fine-tuned' * cell.fine_tuned}"


def _styles(columns: Sequence[GridColumn], shown: pd.DataFrame, *, with_own: bool) -> pd.DataFrame:
    """Return styles: leaders of a ranking bold, significantly worse grey, ``with_own`` yellow."""
    styles = pd.DataFrame("", shown.index, shown.columns)
    for k, col in enumerate(columns, start=1):
        column, ranks = col.column, col.column.ranks.reindex(shown.index)
        if col.kind in ("value", "ranks", "worse"):
            styles.iloc[np.flatnonzero(ranks["first"] > 1), k] = f"color: {NEUTRAL.color}"
            if column.is_ranked:
                best = np.flatnonzero(shown.index.isin(column.leaders))
                styles.iloc[best, k] = "font-weight: bold"
        if col.kind in ("value", "mark") and with_own:
            is_own = [r in column.cells and column.cells[r].origin == "mine" for r in shown.index]
            styles.iloc[np.flatnonzero(is_own), k] += YOURS
    return styles


def _legend(table: MethodTable) -> str:
    states = dict.fromkeys(cell.state for column in table.columns for cell in column.cells.values())
    words = [" ".join(MARKS[state]) for state in states]
    of_columns = table.printed["benchmark"].isin({column.benchmark for column in table.columns})
    sources = " and ".join(map(cite_table, table.printed["table"][of_columns].unique()))
    one = f"All {'but the printed ' * bool(sources)}results are " if len(words) == 1 else ""
    printed = f"Printed results ({sources}) use other features (ResNet-101)." * bool(sources)
    yours = "Highlighted: your runs. " * bool(table.own_rows and not table.is_all_own)
    close = [
        plain(result_title(column))
        for column in table.columns
        if not (column.is_ranked or column.too_few)
    ]
    no_ranks = f" Not ranked, since few methods are significantly worse: {'; '.join(close)}."
    no_ranks *= bool(close)
    return f"{yours}{one}{'; '.join(words)}. {printed}{no_ranks}{_without_interval(table)}"


def _how_computed(table: MethodTable) -> str:
    return (
        "Ranks: 95 % intervals from resampled test classes, with the same samples for all methods "
        "on a data set; Student's t intervals for data sets with fewer than 20 test classes. "
        f"Parameters are chosen on the folds for {task_of(table.metric).upper()}. Differences are "
        "paired over classes: a lower metric with a larger spread may still not be significantly "
        "worse."
    )


def _offer_table(table: MethodTable, rows: list[str], columns: Sequence[GridColumn]) -> None:
    """Offer the table as CSV, LaTeX and Markdown."""
    offered = {f"{c.heading} {c.kind}": c for c in columns if c.kind != "mark"}
    flat, labels = pd.DataFrame({"method": rows}), {"method": "method"}
    marks, kinds = {"ranks": "rank", "worse": "*"}, {column.kind for column in columns}
    for key, column in offered.items():
        values = column.cells.reindex(rows).to_numpy()
        flat[key] = values / 100 if column.is_number else values
        labels[key] = column.heading if column.is_number else marks[column.kind]
    tuned = {
        result_title(c) for c in table.columns if any(cell.fine_tuned for cell in c.cells.values())
    }
    splits = dict.fromkeys(column.split for column in table.columns)
    notes = [
        f"{metric_label(table.metric)} of {counted(len(rows), 'method')} on split "
        f"{' and '.join(splits)}, per class",
        "ranks with 95 % intervals over test classes" * ("ranks" in kinds),
        "*: significantly worse than the best (paired test)" * bool(kinds & {"ranks", "worse"}),
        "published results use ResNet-101 features" * ("printed" in kinds),
        f"features of {', '.join(sorted(tuned))} are fine-tuned" * bool(tuned),
    ]
    caption = "; ".join(filter(None, notes))
    shares = [key for key, col in offered.items() if col.is_number]
    measured = [key for key in shares if offered[key].kind == "value"]
    look = TableFormat(labels, percent=shares, best=measured)
    downloads.offer_table(flat, "methods", look, caption=caption)
