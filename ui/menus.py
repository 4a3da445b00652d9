"""A menu whose contents are built when it is opened."""

from __future__ import annotations

from typing import Any

import streamlit as st

__all__ = ["opened"]


def opened(label: str, *, icon: str, key: str, tip: str | None = None) -> Any:
    """Put a menu here.

    Parameters
    ----------
    label, icon : of its button
    key : of the element
    tip : what is said of the button

    Returns
    -------
    The place of its contents while it is open, None otherwise.
    """
    menu = st.popover(label, icon=icon, type="tertiary", key=key, on_change="rerun", help=tip)
    return menu if menu.open else None
