"""Expanders that draw their contents when opened."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def fold(
    label: str,
    show: Callable[[], None],
    *,
    key: str,
    icon: str | None = None,
    is_open: bool = False,
) -> None:
    """Show an expander; ``show`` draws its contents while it is open."""
    place = st.expander(label, icon=icon, expanded=is_open, key=key, on_change="rerun")
    if place.open:
        with place:
            show()
