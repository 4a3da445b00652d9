"""A button that copies the page's address; choices as steps of the browser's history; one theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from zslcore.interactive.modules import joined

__all__ = ["draw"]

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "zsl_page_tools",
    html='<button type="button" class="copy">Copy link</button>'
    '<span class="said" role="status"></span>',
    css=(_HERE / "page_tools.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "page_tools.js"),
)


def draw(pages: Sequence[str]) -> None:
    """Draw the button; from here on keep the history, and give all pages the visitor's theme.

    Parameters
    ----------
    pages : names in the addresses of all pages
    """
    _mount(key="page_tools", data={"pages": ["", *pages]}, width="content", height="content")
