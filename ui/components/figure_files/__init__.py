"""Buttons with which the browser saves a figure as PNG or SVG."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import Parts

#: Pixels of a PNG per pixel on screen, in each direction.
SCALE = 2
_PARTS = Parts.of(Path(__file__).parent, '<div class="files"></div>')
_mount = st.components.v2.component("zsl_figure_files", **asdict(_PARTS))


def draw(figure: str, *, key: str) -> None:
    """Draw the buttons for the figure with the key ``figure``, which is also the file name."""
    _mount(key=key, data={"key": figure, "scale": SCALE})
