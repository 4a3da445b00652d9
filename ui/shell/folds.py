"""Folds with contents that are drawn when they are opened."""

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
    """Put a fold here; ``show`` draws its contents while it is open."""
    place = st.expander(label, icon=icon, expanded=is_open, key=key, on_change="rerun")
    if place.open:
        with place:
            show()
