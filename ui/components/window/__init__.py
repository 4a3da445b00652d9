"""Theme and window width of a visitor; downloads have the light theme and a wide window.

Streamlit does not rerun a page when the theme changes, and does not report the width of the window.
An invisible component requests a rerun if a page was made for another theme or width.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from zslcore.interactive.one_file import Parts

_NARROW = "window_is_narrow"
_PARTS = Parts.of(Path(__file__).parent, '<div class="zsl-window"></div>')
_mount = st.components.v2.component("zsl_window", **asdict(_PARTS), isolate_styles=False)


def _has_page() -> bool:
    """Return whether a page runs; False in the function of a download button."""
    return get_script_run_ctx(suppress_warning=True) is not None


def is_dark() -> bool:
    """Return whether the visitor has the dark theme."""
    return _has_page() and st.context.theme.type == "dark"


def is_narrow() -> bool:
    """Return whether the window is as narrow as a phone's, so that panels are stacked."""
    if not _has_page():
        return False
    if _NARROW not in st.session_state:  # without the cookie of frame.js, a guess
        guess = str(int("Mobi" in (st.context.headers.get("User-Agent") or "")))
        st.session_state[_NARROW] = st.context.cookies.get(_NARROW, guess) == "1"
    return bool(st.session_state[_NARROW])


def watch() -> None:
    """Rerun this page when its theme or width changes."""
    _mount(
        key="window",
        data={"dark": is_dark(), "narrow": is_narrow()},
        on_seen_change=_store_width,
        width="content",
    )


def _store_width() -> None:
    seen = st.session_state["window"].seen
    if seen is not None:
        st.session_state[_NARROW] = bool(seen["narrow"])
