"""Leaderboard: every result on the board, with its leaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter

import streamlit as st

from ui import cache, controls
from ui.frame import Header, errors_as_sentences
from ui.sections.board import check_a_file, show_result, show_results
from zslcore.board import Board
from zslcore.board.checking import Judged
from zslcore.board.contamination import STATES

FIGURES = {"H at γ": "H_gamma", "ZSL": "zsl", "H": "H", "AUSUC": "ausuc"}
#: Unknown is among all of them: what is not reported is never left out.
OVERLAPS: dict[str, set[str]] = {
    "all": set(STATES),
    "clean or unknown": {"clean", "unknown"},
    "overlapping or unknown": {"overlapping", "unknown"},
}
CHOSEN = {"anything": None, "ZSL": "zsl", "GZSL": "gzsl"}


def show(_: Header) -> None:
    """Filter and sort the results, and show one more closely."""
    with errors_as_sentences():
        board = cache.board()
    chosen = _choose(board)
    shown = [one for one in board.results if chosen.has(one)]
    reached = attrgetter(f"entry.figures.{FIGURES[chosen.order]}")
    shown.sort(key=lambda one: -1.0 if reached(one) is None else reached(one), reverse=True)
    unknown = sum(one.contamination.state == "unknown" for one in shown)
    st.caption(
        f"{len(shown)} of {len(board.results)} results, files {board.digest}. For {unknown} of "
        "them it is unknown whether the feature extractor was trained on the test classes."
    )
    if shown:
        board = replace(board, results=tuple(shown), refused={})
        show_results(board, FIGURES[chosen.order], chosen.order)
        show_result(shown)
    else:
        st.info(
            "No result has all of these. Choose fewer filters.", icon=":material/filter_alt_off:"
        )
    check_a_file()


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Filters, and the order; an empty list excludes nothing."""

    data: list[str]
    splits: list[str]
    methods: list[str]
    chosen_for: str | None
    states: set[str]
    order: str
    bounds: bool

    def has(self, one: Judged) -> bool:
        """Whether a result passes all filters."""
        entry = one.entry
        return (
            (not self.data or _data_of(one) in self.data)
            and (not self.splits or entry.split.name in self.splits)
            and (not self.methods or entry.method in self.methods)
            and self.chosen_for in (None, entry.parameters.chosen_for)
            and one.contamination.state in self.states
            and (self.bounds or not entry.peeked)
        )


def _choose(board: Board) -> _Chosen:
    results, some = board.results, controls.choose_some
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return _Chosen(
            some("Data", sorted({_data_of(one) for one in results}), key="board_data"),
            some("Splits", sorted({one.entry.split.name for one in results}), key="board_splits"),
            some("Methods", sorted({one.entry.method for one in results}), key="board_methods"),
            CHOSEN[controls.choose("Chosen for", list(CHOSEN), key="board_chosen", width=140)],
            OVERLAPS[
                controls.choose(
                    "Overlap",
                    list(OVERLAPS),
                    key="board_overlap",
                    width=200,
                    help="Whether unseen classes were among those that the feature extractor was "
                    "trained on. Results that do not report it are always shown.",
                )
            ],
            controls.choose("Order", list(FIGURES), key="board_order", width=120),
            st.toggle(
                "Show oracle results",
                key="board_bounds",
                bind="query-params",
                help="Oracle results were tuned on the test images: bounds, not results.",
            ),
        )


def _data_of(one: Judged) -> str:
    """Return what a result was tested on, by the name that readers know."""
    return one.entry.data.benchmark or one.entry.data.name
