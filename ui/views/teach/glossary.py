"""What does this word mean? Every term of the app, with its formula."""

from __future__ import annotations

import streamlit as st

from ui.frame import Header
from ui.text import TERMS, plain


def show(_: Header) -> None:
    """List the terms in which the visitor's letters occur."""
    sought = st.text_input("Find a term", key="glossary_find", bind="query-params", width=360)
    letters = sought.strip().lower()
    found = [term for term in TERMS.values() if letters in term.searched()]
    if not found:
        st.caption("No term has these letters.")
    for term in found:
        st.markdown(f"**{plain(term.name)}**  \n{term.in_markdown()}")
