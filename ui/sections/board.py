"""The board on screen: figure, table, one result, and a file of one's own that is checked.

What stands on the board was written by others: no word of theirs is read as markdown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ui import controls, tables, terms
from ui.figures.board import MOST, result_intervals
from ui.frame import chart, errors_as_sentences
from ui.numbers import percent, three_digits
from ui.text import AUSUC, plain
from zslcore.board import Board, Judged, read_entry
from zslcore.board.as_html import INTERVALS, to_html
from zslcore.board.checking import judged
from zslcore.board.entry import MAX_BYTES
from zslcore.board.table import (
    as_csv,
    as_latex,
    chosen_in_words,
    gamma_in_words,
    rank_in_words,
    rows_of,
    table_of,
)
from zslcore.evaluation import State
from zslcore.evaluation.figures import on_board

__all__ = ["check_a_file", "show_result", "show_results"]

LABELS = {
    "method": "method",
    "who": "submitted by",
    "data": "data",
    "split": "split",
    "split_state": "rows",
    "state": "state",
    "contamination": "overlap",
    **{
        column: label
        for name, figure in on_board().items()
        if figure.shown
        for column, label in (
            (name, figure.label),
            (f"{name}_between", f"95 % of {figure.label}"),
            (f"{name}_rank", f"rank by {figure.label}"),
        )
        if column == name or name in INTERVALS
    },
    "gamma_origin": "γ",
    "chosen": "parameters",
    "link": "link",
}
STATES = {
    State.VERIFIED: "Its metrics were recomputed from the stored predictions.",
    State.STATED: "Its metrics are as submitted; there are no predictions to verify them.",
}
PERCENT = tuple(name for name, figure in on_board().items() if figure.shown)
FORMS: tuple[tuple[str, Callable[[Board], str], str], ...] = (
    ("HTML", to_html, "html"),
    ("CSV", as_csv, "csv"),
    ("LaTeX", as_latex, "tex"),
)


def show_results(board: Board, figure: str, label: str) -> None:
    """Show the results from the best down, as a figure and as a table, and offer both.

    Parameters
    ----------
    board : what is shown
    figure : column that decides the order
    label : of that column
    """
    table = table_of(board.results)
    there = table[table[figure].notna()].sort_values(figure, ascending=False, kind="stable")
    if len(there):
        words = f"{label} of {min(len(there), MOST)} results, from the best down"
        chart(
            result_intervals(there.head(MOST), figure, label),
            f"{words}; the best is {there['method'].iloc[0]} on {there['data'].iloc[0]} with "
            f"{percent(there[figure].iloc[0])}.",
            key="board_figure",
        )
        more = f" The figure shows the {MOST} best of {len(there)}." if len(there) > MOST else ""
        st.caption(
            f"Lines are 95 % intervals over classes, where reported.{more} A rank is the 95 % "
            "interval of places among results on the same test classes, from the same draws of "
            "classes; results that share a place are in a tie."
        )
    ordered = pd.concat([there, table[table[figure].isna()]])
    shown = ordered.assign(
        chosen=[chosen_in_words(row) for _, row in ordered.iterrows()],
        gamma_origin=[gamma_in_words(row) for _, row in ordered.iterrows()],
        **{f"{name}_between": _between(ordered, name) for name in INTERVALS},
        **{
            f"{name}_rank": [rank_in_words(row, name) for _, row in ordered.iterrows()]
            for name in INTERVALS
        },
    )
    tables.show(
        shown, "board", labels=LABELS, percent=PERCENT, links=["link"], height=420, with_csv=False
    )
    with st.container(horizontal=True):
        for name, form, ending in FORMS:
            st.download_button(
                name,
                partial(form, board),
                file_name=f"board.{ending}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key=f"board_download_{ending}",
            )


def _between(table: pd.DataFrame, name: str) -> list[str]:
    """Return both ends of every interval in percent; nothing where there is none."""
    ends = zip(table[f"{name}_low"], table[f"{name}_high"], strict=True)
    return ["" if pd.isna(low) else f"{100 * low:.1f} to {100 * high:.1f}" for low, high in ends]


def show_result(results: Sequence[Judged]) -> None:
    """Show what one result says of itself, and what was found out about it."""
    by_label = {_label(one): one for one in results}
    one = by_label[controls.choose("Result", list(by_label), key="board_result")]
    entry = one.entry
    with st.container(horizontal=True):
        figures = entry.figures
        for term, value in (
            ("ZSL accuracy", figures.zsl),
            ("H at γ = 0", figures.H),
            ("H at γ", figures.H_gamma),
            (AUSUC, figures.ausuc),
        ):
            terms.metric(term, percent(value))
    _show_judgment(one)
    if entry.peeked:
        st.warning(
            "Something was chosen on the test images: this is a bound, never a result.",
            icon=":material/visibility_off:",
        )
    params = ", ".join(f"{name} = {value}" for name, value in entry.parameters.params.items())
    gamma = "none" if entry.gamma.value is None else three_digits(entry.gamma.value)
    (row,) = rows_of([one])
    origin = "" if entry.gamma.value is None else f", {plain(gamma_in_words(row))}"
    chosen = chosen_in_words(row)
    st.markdown(
        f"**Chosen.** γ: {gamma}{origin}. Parameters: "
        f"{plain(chosen)}{': ' + plain(params) if params else ''}."
    )
    st.caption(_origin(one))
    st.download_button(
        "JSON of this result",
        entry.to_json,
        file_name=one.file,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="board_download_json",
    )


def _label(one: Judged) -> str:
    words = (one.entry.method, one.entry.data.name, one.entry.split.name, one.file)
    return ", ".join(words[:3]) + f" · {words[3].removesuffix('.json')}"


def _show_judgment(one: Judged) -> None:
    """Say which split it was, how far its figures are shown, and what is known of the overlap."""
    kind, state = one.split.kind, one.contamination.state
    marks = {
        "known": ":material/verified:",
        "v1": ":material/report:",
        "clean": ":material/verified:",
        "overlapping": ":material/report:",
        State.VERIFIED: ":material/verified:",
    }
    ask = ":material/help:"
    st.markdown(f"{marks.get(kind, ask)} **Rows: {kind}.** {plain(one.split.why)}")
    st.markdown(f"{marks.get(one.state, ask)} **State: {one.state}.** {STATES[one.state]}")
    classes = ", ".join(one.contamination.classes)
    named = f" These are: {plain(classes)}." if classes else ""
    st.markdown(
        f"{marks.get(state, ask)} **Overlap: {state}.** {plain(one.contamination.why)}{named}"
    )


def _origin(one: Judged) -> str:
    """Say whose result it is, and how it came about."""
    entry = one.entry
    words = [f"Result of {plain(entry.who)} on {plain(entry.data.name)}"]
    words += [plain(entry.data.features)] if entry.data.features else []
    words += [f"data {plain(entry.data.digest)}"] if entry.data.digest else []
    words += [f"made {plain(entry.created[:10])}"] if entry.created else []
    words += [f"{plain(name)} {plain(number)}" for name, number in entry.versions.items() if number]
    seeds = f" Metrics are those of the first of {entry.seeds.n} seeds." * (entry.seeds.n > 1)
    return f"{'; '.join(words)}. {plain(entry.provenance)}{seeds}"


def check_a_file() -> None:
    """Check an uploaded result; it is shown to this visitor only and not stored."""
    with st.expander("Check a result of your own", icon=":material/upload:"):
        st.markdown(
            "`zslcore board FOLDER --add KEY --who NAME` writes a run of yours as one JSON, and "
            "judged scores likewise. Here such a file is checked as the board checks it. A result "
            "joins the board by a pull request with this one file: CONTRIBUTING says how."
        )
        file = st.file_uploader("Result as JSON", type="json", key="board_file")
        if file is None:
            return
        with errors_as_sentences():
            entry = read_entry(file.getvalue()[: MAX_BYTES + 1], file.name)
            st.success("This file would be on the board.", icon=":material/check:")
            _show_judgment(judged(entry, file.name))
