"""Buttons for theme and address; the browser's history of choices; one theme for all pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import joined

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "zsl_page_tools",
    html=(_HERE / "page_tools.html").read_text(encoding="utf-8"),
    css=(_HERE / "page_tools.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "page_tools.js"),
)


def draw(pages: Sequence[str]) -> None:
    """Draw the buttons, start recording the history, and apply the visitor's theme to all pages."""
    _mount(key="page_tools", data={"pages": ["", *pages]}, width="content", height="content")
