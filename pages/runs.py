"""What have I computed?"""

import streamlit as st

from ui import cache, controls, terms
from ui.frame import errors_as_sentences, open_page
from ui.sections import runs as sections
from ui.text import plain
from zslcore.analysis.run_listing import SORTED_BY, RunFilter, listed

WHOSE = {"everybody's": None, "computed here": False, "of other people": True}
ORDERS = {
    "newest": "created",
    "data set": "dataset",
    "method": "method",
    "ZSL": "zsl",
    "H": "plain_harmonic",
    "H at γ": "calibrated_harmonic",
    "AUSUC": "ausuc",
    "time taken": "seconds",
}
assert set(ORDERS.values()) <= set(SORTED_BY)

open_page("Runs", "What have I computed?", icon=":material/history:")
sections.say_deleted()

with errors_as_sentences():
    kept, by_oracle, unreadable = cache.all_runs()


def some(label: str, figure: str, key: str) -> list[str]:
    """Choose among what the runs have; nothing chosen excludes nothing."""
    there = sorted({getattr(one.result.spec, figure) for one in kept})
    return st.multiselect(
        label,
        there,
        key=key,
        bind="query-params",
        placeholder="all",
        help=terms.tip(label),
    )


if kept:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        meant = RunFilter(
            datasets=some("Data sets", "dataset", "runs_datasets"),
            splits=some("Splits", "split", "runs_splits"),
            methods=some("Methods", "method", "runs_methods"),
            since=st.date_input("Since", None, key="runs_since", bind="query-params", width=140),
            imported=WHOSE[controls.choose("Whose", list(WHOSE), key="runs_whose", width=160)],
        )
        order = controls.choose("Order", list(ORDERS), key="runs_order", width=140)
        reverse = st.toggle("Reversed", key="runs_reversed", bind="query-params")
    runs = listed(kept, meant, ORDERS[order], reverse=reverse)
    st.caption(
        f"{len(runs)} of {len(kept)} runs. The store belongs to this server: all its visitors see "
        f"the same runs. {plain(unreadable)}"
    )
    if runs:
        sections.show_list(runs, by_oracle)
        one, other = sections.choose_two(runs)
        with errors_as_sentences():
            if other is None:
                sections.show_run(one, by_oracle)
            else:
                sections.show_pair(one, other)
    else:
        st.info("No run has all of these. Choose fewer filters.", icon=":material/filter_alt_off:")
else:
    st.info(
        "There is no run yet. Each run of Evaluate, Calibration and Compare, and of the command "
        f"`zslcore run`, is kept here. {plain(unreadable)}",
        icon=":material/history:",
    )
sections.bring_results()
