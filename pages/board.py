"""Which results are there, and how clean are they?"""

from dataclasses import replace
from operator import attrgetter

import streamlit as st

from ui import cache, controls, terms
from ui.frame import errors_as_sentences, open_page
from ui.sections.board import check_a_file, show_result, show_results
from zslcore.board.contamination import STATES

FIGURES = {"H at γ": "H_gamma", "ZSL": "zsl", "H": "H", "AUSUC": "ausuc"}
#: Unknown is among all of them: what nobody has told is never left out.
OVERLAPS = {
    "all": set(STATES),
    "clean or unknown": {"clean", "unknown"},
    "overlapping or unknown": {"overlapping", "unknown"},
}
CHOSEN = {"anything": None, "ZSL": "zsl", "GZSL": "gzsl"}

open_page(
    "Board",
    "Which results are there, and how clean are they?",
    icon=":material/social_leaderboard:",
)

with errors_as_sentences():
    board = cache.board()


def some(label: str, there: set[str], key: str) -> list[str]:
    """Choose among what the results have; nothing chosen excludes nothing."""
    return st.multiselect(
        label,
        sorted(there),
        key=key,
        bind="query-params",
        placeholder="all",
        help=terms.tip(label),
    )


def data_of(one):
    """Return what a result was tested on, by the name that readers know."""
    return one.entry.data.benchmark or one.entry.data.name


results = board.results
with st.container(horizontal=True, vertical_alignment="bottom"):
    data = some("Data", {data_of(one) for one in results}, "board_data")
    splits = some("Splits", {one.entry.split.name for one in results}, "board_splits")
    methods = some("Methods", {one.entry.method for one in results}, "board_methods")
    chosen = controls.choose("Chosen for", list(CHOSEN), key="board_chosen", width=140)
    overlap = controls.choose(
        "Overlap",
        list(OVERLAPS),
        key="board_overlap",
        width=200,
        help="Whether unseen classes were among those that the feature extractor was trained on. "
        "Results of which nobody has told it are always shown.",
    )
    order = controls.choose("Order", list(FIGURES), key="board_order", width=120)
    bounds = st.toggle(
        "Also bounds",
        key="board_bounds",
        bind="query-params",
        help="Bounds were chosen on the test images. They are never results.",
    )

shown = [
    one
    for one in results
    if (not data or data_of(one) in data)
    and (not splits or one.entry.split.name in splits)
    and (not methods or one.entry.method in methods)
    and CHOSEN[chosen] in (None, one.entry.parameters.chosen_for)
    and one.contamination.state in OVERLAPS[overlap]
    and (bounds or not one.entry.peeked)
]
reached = attrgetter(f"entry.figures.{FIGURES[order]}")
shown.sort(key=lambda one: -1.0 if reached(one) is None else reached(one), reverse=True)
unknown = sum(one.contamination.state == "unknown" for one in shown)
st.caption(
    f"{len(shown)} of {len(results)} results, files {board.digest}. For {unknown} of them it is "
    "unknown whether the feature extractor was trained on the test classes."
)
if shown:
    show_results(replace(board, results=tuple(shown), refused={}), FIGURES[order], order)
    show_result(shown)
else:
    st.info("No result has all of these. Choose fewer filters.", icon=":material/filter_alt_off:")
check_a_file()
