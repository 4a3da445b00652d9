"""Expanders and menus that draw their contents when opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st


def fold(
    label: str,
    show: Callable[[], object],
    *,
    key: str,
    icon: str | None = None,
    is_open: bool = False,
    in_address: bool = False,
) -> None:
    """Show an expander; ``show`` draws its contents while it is open.

    With ``in_address``, the address of the page states whether it is open.
    """
    options: dict[str, Any] = {"bind": "query-params"} if in_address else {}
    expander = st.expander(
        label, icon=icon, expanded=is_open, key=key, on_change="rerun", **options
    )
    if expander.open:
        with expander:
            show()


def menu(
    label: str,
    show: Callable[[], object],
    *,
    key: str,
    icon: str,
    type: Literal["tertiary", "secondary"] = "tertiary",  # noqa: A002 - as Streamlit calls it
) -> None:
    """Show a menu; ``show`` draws its contents while it is open."""
    popover = st.popover(label, icon=icon, type=type, key=key, on_change="rerun")
    if popover.open:
        with popover:
            show()
