"""What did the papers report? Every printed table, with ours alongside."""

from __future__ import annotations

import streamlit as st

from ui.frame import Header, errors_as_sentences
from ui.sections.published import show_tables

__all__ = ["show"]

#: Former tabs of this view -> the views that they have become.
TAB = "published_tab"
TABS = {"Claims": "wall", "Findings": "findings", "Checks": "checks"}


def show(header: Header) -> None:
    """Show the tables; a link to a former tab leads to its view."""
    if (view := TABS.get(st.query_params.get(TAB, ""))) is not None:
        st.query_params["view"] = view
        del st.query_params[TAB]
        st.rerun()
    with errors_as_sentences():
        show_tables(header)
