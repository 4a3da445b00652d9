"""What have I computed? The runs of this server's store, filtered, sorted and compared."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from ui import cache, controls
from ui.frame import Header, errors_as_sentences
from ui.sections import runs as sections
from ui.text import plain
from zslcore.analysis.run_listing import RunFilter, listed, sorted_by
from zslcore.evaluation.figures import headings
from zslcore.results.store import StoredRun

WHOSE = {"all": None, "computed here": False, "imported": True}
ORDERS = {
    "newest": "created",
    "data set": "dataset",
    "method": "method",
    **{label: name for name, label in headings().items()},
    "time taken": "seconds",
}
assert set(ORDERS.values()) <= set(sorted_by())


def show(_: Header) -> None:
    """List the runs, show one or two of them, and take in results of others."""
    sections.say_deleted()
    with errors_as_sentences():
        every, by_oracle, unreadable = cache.all_runs()
    if every:
        _show_some(every, by_oracle, unreadable)
    else:
        st.info(
            "There is no run yet. Each run of Evaluate, Calibration and Compare, and of the "
            f"command `zslcore run`, is stored here. {plain(unreadable)}",
            icon=":material/history:",
        )
    sections.bring_results()


def _show_some(every: Sequence[StoredRun], by_oracle: Collection[str], unreadable: str) -> None:
    runs = _choose(every)
    st.caption(
        f"{len(runs)} of {len(every)} runs. The store belongs to this server: all its visitors see "
        f"the same runs. {plain(unreadable)}"
    )
    if not runs:
        st.info("No run has all of these. Choose fewer filters.", icon=":material/filter_alt_off:")
        return
    sections.show_list(runs, by_oracle)
    one, other = sections.choose_two(runs)
    with errors_as_sentences():
        if other is None:
            sections.show_run(one, by_oracle)
        else:
            sections.show_pair(one, other)


def _choose(every: Sequence[StoredRun]) -> list[StoredRun]:
    """Choose filters and an order."""

    def some(label: str, figure: str, key: str) -> list[str]:
        there = sorted({getattr(one.result.spec, figure) for one in every})
        return controls.choose_some(label, there, key=key)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        meant = RunFilter(
            datasets=some("Data sets", "dataset", "runs_datasets"),
            splits=some("Splits", "split", "runs_splits"),
            methods=some("Methods", "method", "runs_methods"),
            since=st.date_input("Since", None, key="runs_since", bind="query-params", width=140),
            imported=WHOSE[controls.choose("Owner", list(WHOSE), key="runs_whose", width=160)],
        )
        order = controls.choose("Order", list(ORDERS), key="runs_order", width=140)
        reverse = st.toggle("Reversed", key="runs_reversed", bind="query-params")
    return listed(every, meant, ORDERS[order], reverse=reverse)
