"""Buttons for theme and address; the browser's history of choices; one theme for all pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import Parts

_PARTS = Parts.of(Path(__file__).parent)
_mount = st.components.v2.component("zsl_page_tools", **asdict(_PARTS))


def draw(pages: Sequence[str]) -> None:
    """Draw the buttons, start recording the history, and apply the visitor's theme to all pages."""
    _mount(key="page_tools", data={"pages": ["", *pages]}, width="content", height="content")
