"""Two buttons that save a figure as PNG or SVG; the browser makes the picture."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from zslcore.interactive.one_file import joined

#: Pixels of a PNG for each pixel on the screen.
SCALE = 2
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "zsl_figure_files",
    html='<div class="files"></div>',
    css=(_HERE / "figure_files.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "figure_files.js"),
)


def draw(figure: str, *, key: str) -> None:
    """Draw the buttons for the figure with the key ``figure``, which names the files."""
    _mount(key=key, data={"key": figure, "scale": SCALE})
