"""One result of the table of methods, and what is missing from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from ui import cache, site_map, takeaway, terms, visitors
from ui.figures.method_table import Path, operating_points
from ui.frame import chart
from ui.interactive import take_in_hand
from ui.numbers import duration, percent, three_digits
from ui.sections.method_cells import Column, MethodTable
from ui.text import AUSUC, plain
from ui.waiting import wait_for
from zslcore import jobs
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.method_table import Cell, Figure, seconds_of, task_of
from zslcore.board import Judged
from zslcore.board.making import entry_of_run
from zslcore.evaluation import Predictions, State
from zslcore.interactive.curves import interactive_curve, line_of
from zslcore.results.store import ResultStore, StoredRun

__all__ = ["MARKS", "offer_missing", "show_result"]

#: State of a result -> its mark and what that means.
MARKS: Mapping[State, tuple[str, str]] = {
    State.VERIFIED: ("✓", "verified: recomputed from predictions, or computed here"),
    State.STATED: ("○", "stated: metrics without predictions"),
}


def show_result(table: MethodTable, column: Column, row: str) -> None:
    """Show the seen-unseen curve of a result, its figures, and where they come from."""
    cell = column.cells[row]
    left, right = st.columns([0.55, 0.45], gap="medium")
    with left:
        _show_curve(table, column, cell)
    with right:
        _show_figures(cell)
        _show_printed(table, cell)
        _show_origin(cell)
        _offer_files(table, cell)


def _show_curve(table: MethodTable, column: Column, cell: Cell) -> None:
    """Draw the whole curve where there are predictions, else the points that are stated."""
    predictions = predictions_of(cell)
    mine = _path(cell)
    if predictions is not None and predictions.test.generalized:
        curve, gamma = predictions.test.curve, predictions.gamma
        line = line_of(f"{cell.row}, {column.label}", curve, "first", gamma, gamma or 0.0)
        take_in_hand(interactive_curve([line], tell=False), key="table_curve")
    elif mine is not None:
        paths = [path for each in column.cells.values() if (path := _path(each))]
        chart(
            operating_points(paths, cell.row),
            f"{cell.row} on {column.label}: unseen {percent(mine.plain[1])} and seen "
            f"{percent(mine.plain[0])} at gamma 0; the other methods in grey.",
            key="table_points",
        )
        st.caption(
            "Stated are two points of the curve, γ = 0 and the validated γ. The whole curve needs "
            "predictions, which this result does not have."
        )
    else:
        why = "Split SS has no test images of seen classes, so there is no seen-unseen curve."
        alone = "This result states no accuracies of seen and unseen classes."
        st.info(why if table.split == "SS" else alone, icon=":material/info:")


def _path(cell: Cell) -> Path | None:
    f = cell.figures
    if "u" not in f or "s" not in f:
        return None
    at = (f["s at gamma"], f["u at gamma"]) if "u at gamma" in f and "s at gamma" in f else None
    return Path(cell.row, (f["s"], f["u"]), at)


def predictions_of(cell: Cell) -> Predictions | None:
    """Return the predictions that are stored with a result; None without any."""
    return ResultStore().predictions(cell.key) if isinstance(cell.source, StoredRun) else None


def _show_figures(cell: Cell) -> None:
    with st.container(horizontal=True):
        labels: dict[str, Figure] = {
            "ZSL accuracy": "zsl",
            "H at γ": "H at gamma",
            "H at γ = 0": "H",
            AUSUC: "AUSUC",
        }
        for label, name in labels.items():
            if name in cell.figures:
                terms.metric(label, percent(cell.figures[name]))


def _show_printed(table: MethodTable, cell: Cell) -> None:
    """List what the papers print for the same cell, with the first version's figure."""
    lines = []
    for _, one in table.prints(cell.row, cell.benchmark).iterrows():
        first = one["first_version"]
        before = "" if np.isnan(first) else f" (first version of the paper: {percent(first)})"
        lines.append(f"{one['table']}: {percent(one['value'])}{before}")
    if lines:
        st.markdown(f"**Printed** for {cell.benchmark}, ResNet-101 features: {'; '.join(lines)}.")


def _show_origin(cell: Cell) -> None:
    """Say how far the figures are shown, whose result it is, and how it is repeated."""
    mark, meaning = MARKS[cell.state]
    whose = {
        "mine": "Computed in this data folder.",
        "shipped": "Shipped with the package.",
        "others": f"Submitted by {plain(cell.who)}.",
    }[cell.origin]
    st.markdown(f"{mark} {meaning.capitalize()}. {whose}")
    if isinstance(cell.source, StoredRun):
        result = cell.source.result
        params = {
            name: value
            for name, value in result.params.items()
            if name in (result.spec.grid or result.spec.params)
        }
        words = ", ".join(f"{name} = {_short(value)}" for name, value in params.items())
        gamma = "" if result.gamma is None else f"γ = {three_digits(result.gamma)} validated; "
        st.caption(
            f"{gamma}{plain(words)}{'; ' * bool(words)}"
            f"parameters {result.params_origin}. Computed in {duration(result.seconds)}, "
            f"{result.created[:10]}."
        )
        takeaway.show_command(result.spec.command())
    elif isinstance(cell.source, Judged):
        entry = cell.source.entry
        st.caption(plain(entry.provenance or f"File {cell.source.file} on the board."))


def _short(value: object) -> str:
    return three_digits(value) if isinstance(value, float) else str(value)


def _offer_files(table: MethodTable, cell: Cell) -> None:
    """Offer the JSON for the board and the run itself."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if (text := _board_json(table, cell)) is not None:
            name = f"{cell.row}_{cell.data}_{cell.split}"
            takeaway.offer_for_board(text, name, key="table_board_json")
        if isinstance(cell.source, StoredRun):
            st.download_button(
                "Run as JSON",
                cell.source.to_json(),
                file_name=f"run_{cell.key}.json",
                mime="application/json",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key="table_run_json",
            )


def _board_json(table: MethodTable, cell: Cell) -> str | None:
    """Return the file for the board: the entry there is, or one made from the run and its data."""
    there = [cell, *(each for each in table.cells if isinstance(each.source, Judged))]
    for each in there:
        if isinstance(each.source, Judged) and cell.equals(each):
            return each.source.entry.to_json()
    if cell.data in visitors.available():
        dataset = cache.dataset(cell.data)
        if dataset.digest == cell.digest:
            return entry_of_run(cell.source.result, dataset, who=cell.who or "me").to_json()
    return None


# --- Missing --------------------------------------------------------------------------------------


def offer_missing(table: MethodTable) -> None:
    """Say which cells are missing and how long they take; one button computes what it can."""
    lacking = [(column, rows) for column in table.columns if (rows := table.missing(column))]
    if not lacking:
        return
    n = sum(len(rows) for _, rows in lacking)
    each = "; ".join(f"{column.label}: {', '.join(rows)}" for column, rows in lacking)
    possible = [(column, rows) for column, rows in lacking if _is_open(column)]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        cells = "1 cell is" if n == 1 else f"{n} cells are"
        st.markdown(f"**{cells} missing** ({plain(each)}). {_time_of(table, lacking)}")
        if possible:
            _compute(table, *possible[0])
        else:
            first = lacking[0][0]
            site_map.link(
                "splits",
                f"Import the features of {first.benchmark or first.data}",
                icon=":material/upload:",
            )


def _time_of(table: MethodTable, lacking: Sequence[tuple[Column, list[str]]]) -> str:
    """Estimate how long the missing cells take, from the times of the others."""
    seconds = np.array(
        [
            seconds_of(table.cells, row, column.data, table.split)
            for column, rows in lacking
            for row in rows
        ]
    )
    known = seconds[np.isfinite(seconds)]
    if not len(known):
        return "How long that takes is not known."
    rest = len(seconds) - len(known)
    more = f", and {rest} of unknown time" * (rest > 0)
    return f"Computing takes about {duration(float(known.sum()))}{more}; it needs the features."


def _is_open(column: Column) -> bool:
    """Whether the features of a column are in this data folder."""
    if column.data not in visitors.available():
        return False
    digests = {cell.digest for cell in column.cells.values()}
    return cache.dataset(column.data).digest in digests


def _compute(table: MethodTable, column: Column, rows: Sequence[str]) -> None:
    """Compute the missing runs of a data set as one job."""
    methods = tuple(dict.fromkeys(row.partition(" (")[0] for row in rows))
    digest = cache.dataset(column.data).digest
    work = ComparisonStudy(
        ComparisonSpec({column.data: digest}, (table.split,), methods, task_of(table.figure))
    )
    status = jobs.status(work.key)
    if status is not None and status.state != "done":
        wait_for(work, stop=False)
    elif st.button(
        f"Compute {len(rows)} on {column.data}", icon=":material/play_arrow:", key="table_missing"
    ):
        jobs.submit(work, visitors.who())
        st.rerun()
