"""Help texts of labels, with sentence and formula from the glossary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ui.shell.text import TERMS, Term, term_of
from zslcore.scores.protocols import Words

_SHOWN, _SIDES = "terms_shown", "terms_sides"


def set_side_names(words: Words) -> None:
    """Set the names of seen and unseen classes in the help of this view, such as base and new."""
    st.session_state[_SIDES] = words


def tip(label: str, more: str | None = None) -> str | None:
    """Return a label's glossary entry followed by ``more``; None without either."""
    if (term := term_of(label)) is None:
        return more
    st.session_state.setdefault(_SHOWN, {})[term.name] = None
    text = term.in_markdown()
    if (words := st.session_state.get(_SIDES)) is not None:
        text = words.translate(text)
    return "\n\n".join(filter(None, (text, more)))


def metric(label: str, value: str, *, help: str | None = None, **options: Any) -> None:  # noqa: A002 - as Streamlit calls it
    """Show a metric like ``st.metric``, with the glossary entry of its label before ``help``."""
    st.metric(label, value, help=tip(label, help), **options)


def tabs(labels: Sequence[str], **options: Any) -> Sequence[Any]:
    """Show tabs like ``st.tabs``, and list the terms in their labels as terms of this page."""
    for label in labels:
        tip(label)
    return st.tabs(labels, **options)


def on_this_page() -> list[Term]:
    """Return the terms that this page has shown, in the order of the glossary."""
    shown = st.session_state.get(_SHOWN, {})
    return [term for name, term in TERMS.items() if name in shown]


def forget() -> None:
    """Clear the terms of the previous page and its names for seen and unseen classes."""
    for key in (_SHOWN, _SIDES):
        st.session_state.pop(key, None)
