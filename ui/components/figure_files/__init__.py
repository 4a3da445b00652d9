"""Buttons that save a figure as PNG or SVG, made by the browser."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import joined

#: Pixels of a PNG per pixel on screen, in each direction.
SCALE = 2
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "zsl_figure_files",
    html='<div class="files"></div>',
    css=(_HERE / "figure_files.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "figure_files.js"),
)


def draw(figure: str, *, key: str) -> None:
    """Draw the buttons for the figure with the key ``figure``, which is also the file name."""
    _mount(key=key, data={"key": figure, "scale": SCALE})
