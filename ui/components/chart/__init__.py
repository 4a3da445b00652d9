"""Figure of bars, points, lines and cells, drawn by the browser from a dict with Plotly's names."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import streamlit as st

from zslcore.interactive.one_file import SHARED, Parts, element, html_page, script_of

_PARTS = Parts.of(Path(__file__).parent, "", SHARED / "tooltip.css")
_mount = st.components.v2.component("zsl_chart", **asdict(_PARTS))


class EncodedFigure(Protocol):
    """Figure as JSON with Plotly's names, and its height in pixels."""

    @property
    def encoded(self) -> bytes:
        """The figure as JSON."""

    @property
    def height(self) -> int:
        """Height in pixels."""


def draw(
    figure: EncodedFigure,
    alt: str,
    *,
    key: str,
    on_pick: Callable[[], None] | None = None,
    fills_place: bool = False,
) -> None:
    """Draw a figure; ``alt`` is the text for screen readers.

    With ``fills_place``, the figure is as high as its place, as set by the styles of the page.
    After a click on a mark, ``st.session_state[key].picked`` is its ``customdata``.
    """
    _mount(
        key=key,
        data=_packed(figure, alt, key, fills_place),
        height="stretch" if fills_place else figure.height,
        on_picked_change=on_pick or (lambda: None),
    )


def figure_page(figure: EncodedFigure, alt: str, theme: str) -> str:
    """Return an HTML page that shows a figure only, in the theme "light" or "dark"."""
    return html_page(
        element(_PARTS),
        title=alt,
        style=_PARTS.css,
        script=script_of(_PARTS, _packed(figure, alt, "figure")),
        theme=theme,
    )


def _packed(figure: EncodedFigure, alt: str, key: str, fills_place: bool = False) -> bytes:
    """Pack a figure and its texts for ``bytes.js``, without encoding its JSON again."""
    head = json.dumps({"key": key, "alt": alt, "fillsPlace": fills_place}).encode()
    text = head[:-1] + b', "figure": ' + figure.encoded + b"}"
    return struct.pack("<I", len(text)) + text
