"""In which theme, and in how wide a window, a visitor looks at a page.

Streamlit runs no page anew when the theme changes, and never tells how wide a window is. A
component without a picture asks for a new run where a page was made for another look.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import joined

_HERE = Path(__file__).parent
_NARROW = "window_is_narrow"
_mount = st.components.v2.component(
    "zsl_window",
    html='<div class="zsl-window"></div>',
    css=(_HERE / "window.css").read_text(encoding="utf-8"),
    isolate_styles=False,
    js=joined(_HERE / "window.js"),
)


def is_dark() -> bool:
    """Return whether the visitor has the dark theme."""
    return st.context.theme.type == "dark"


def is_narrow() -> bool:
    """Return whether the window is as narrow as a telephone's, where panels go below each other."""
    if _NARROW not in st.session_state:  # a guess that spares telephones a second run
        st.session_state[_NARROW] = "Mobi" in (st.context.headers.get("User-Agent") or "")
    return bool(st.session_state[_NARROW])


def watch() -> None:
    """Run this page anew when it is looked at in another theme or width."""
    _mount(
        key="window",
        data={"dark": is_dark(), "narrow": is_narrow()},
        on_seen_change=_take,
        width="content",
    )


def _take() -> None:
    seen = st.session_state["window"].seen
    if seen is not None:
        st.session_state[_NARROW] = bool(seen["narrow"])
