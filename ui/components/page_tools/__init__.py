"""Buttons for theme and address; choices as steps of the browser's history; one theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from zslcore.interactive.modules import joined

_HERE = Path(__file__).parent
_THEME = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z'
    'm0 2v14a7 7 0 0 1 0-14z"/></svg>'
)
_LINK = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3.9 12a3.1 3.1 0 0 1 3.1-3.1h4V7H7'
    "a5 5 0 0 0 0 10h4v-1.9H7A3.1 3.1 0 0 1 3.9 12zM8 13h8v-2H8v2z"
    'm9-6h-4v1.9h4a3.1 3.1 0 0 1 0 6.2h-4V17h4a5 5 0 0 0 0-10z"/></svg>'
)
_mount = st.components.v2.component(
    "zsl_page_tools",
    html=f"""
<button type="button" class="theme" aria-label="Light or dark theme" title="Light or dark theme">
  {_THEME}</button>
<button type="button" class="copy" aria-label="Copy link" title="Copy link">{_LINK}</button>
<span class="said" role="status"></span>""",
    css=(_HERE / "page_tools.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "page_tools.js"),
)


def draw(pages: Sequence[str]) -> None:
    """Draw the buttons; from here on keep the history, and give all pages the visitor's theme.

    Parameters
    ----------
    pages : names in the addresses of all pages
    """
    _mount(key="page_tools", data={"pages": ["", *pages]}, width="content", height="content")
