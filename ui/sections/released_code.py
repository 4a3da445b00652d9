"""Released code: how epoch, seed, parameters, gamma and split are chosen, each with its lines."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import tables, takeaway
from ui.text import plain
from zslcore.analysis.papers import protocols

__all__ = ["show_census"]

BOUND = (
    "A result whose epoch was chosen on test images is an upper bound: no other choice of epoch in "
    "that run gives more."
)
LABELS = {
    "code": "code",
    "paper": "paper",
    "meaning": "chosen by",
    "says": "what the code does",
    "url": "lines",
    "read": "read on",
    "answer": "authors' answer",
}


def show_census() -> None:
    """Choose what is chosen, and show the counts and the codes with their lines."""
    answer = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = st.segmented_control(
            "How is this chosen?",
            list(protocols.HOW),
            default="epoch",
            required=True,
            key="codes_choice",
            bind="query-params",
            help="Each row links to the lines of the code at the commit that was read.",
        )
        sought = st.text_input("Find a code", key="codes_find", bind="query-params", width=260)
    with answer:
        _answer(choice)
    table = protocols.with_links()
    table = table[table["choice"] == choice]
    table = table.assign(says=table["says"].str.replace("`", ""))  # a cell has no markup
    found = table[_holds(table, sought)]
    if found.empty:
        st.info(f"No code read holds “{plain(sought)}”.", icon=":material/search_off:")
    else:
        tables.show(found, f"released_code_{choice}", labels=LABELS, links=["url"], height=640)
    _explain()


def _answer(choice: str) -> None:
    """Count the codes by how they choose."""
    counts = protocols.counted(choice)
    words = "; ".join(f"{protocols.HOW[choice][how]}: {n}" for how, n in counts.items())
    if choice == "epoch":
        st.markdown(f"**{protocols.headline()}** {BOUND}")
    st.markdown(f"{choice.capitalize()}, n = {sum(counts.values())} codes: {words}.")


def _holds(table: pd.DataFrame, sought: str) -> pd.Series:
    """Return which rows hold a text, in whatever case."""
    held = table[["code", "paper", "repository", "meaning", "says"]].agg(" ".join, axis=1)
    return held.str.contains(sought, case=False, regex=False)


def _explain() -> None:
    """Say what a row is, and how it is corrected."""
    st.caption(
        "A row states what the code does at one commit, on the day of reading. A paper may print "
        "results of another version. “Not stated” refers to the files read, not to the paper. "
        "Authors can correct or answer a row by the issue form “A row on released code” or a pull "
        "request to data/protocols.csv; the row shows their answer."
    )
    takeaway.show_command("python -m zslcore protocols")
