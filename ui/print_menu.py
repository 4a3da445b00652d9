"""The pictures of a download menu: as on the screen, or one panel for print, by its width."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ui import missing
from ui.components import figure_files
from zslcore.printing.drawing import FONTS, FORMATS, WIDTHS, print_figure
from zslcore.printing.panel import Panel
from zslcore.storage import extras

__all__ = ["at_once", "show"]


#: Among the widths: as wide as on the screen.
SCREEN = 0.0


def show(key: str, caption: str, panels: Sequence[Panel], *, on_screen: bool = False) -> None:
    """Offer a figure as PDF, SVG or PNG by its width.

    Parameters
    ----------
    key : of the figure, and name of the files
    caption : what it shows, in the properties of the files
    panels : for print, one a file; none where it cannot be printed
    on_screen : whether the browser can save the figure as it is on the screen
    """
    lack = missing.of("print", "A figure for print") if panels else None
    widths = [*((SCREEN,) * on_screen), *(() if lack or not panels else WIDTHS)]
    if lack is not None:
        missing.show(lack)
    if not widths:
        return
    width = st.segmented_control(
        "Width",
        widths,
        default=widths[-1] if widths[-1] == SCREEN else WIDTHS[0],
        format_func=lambda mm: f"{mm:g} mm" if mm else "screen",
        key=f"print_width_{key}",
        help="In mm for print: the exact width of the page; all text is 8 pt, its font embedded.",
    )
    if width is None or width == SCREEN:
        figure_files.draw(key, key=f"files_{key}")
        return
    number = _chosen(key, panels)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        font = st.segmented_control(
            "Font",
            list(FONTS),
            default="sans",
            key=f"print_font_{key}",
            label_visibility="collapsed",
            help="DejaVu Sans, or STIX, which resembles Times.",
        )
        form = st.segmented_control(
            "Format",
            FORMATS,
            default=FORMATS[0],
            format_func=str.upper,
            key=f"print_form_{key}",
            label_visibility="collapsed",
            help="PDF with embedded fonts, SVG with outlines of letters, PNG of 600 dots per inch.",
        )
    chosen = (width, font or "sans", form or FORMATS[0])
    _file(key, panels[number], *chosen, caption)


def at_once(key: str, caption: str, panels: Callable[[], Sequence[Panel]]) -> None:
    """Put a button here that prints the first panel of a figure for one column of a paper.

    Parameters
    ----------
    key, caption : see :func:`show`
    panels : makes the panels when the button is pressed
    """
    if extras.is_missing("print"):
        return
    st.download_button(
        "PDF",
        lambda: print_figure(panels()[0], width_mm=WIDTHS[0], font="sans", title=caption),
        file_name=f"{key}-{WIDTHS[0]:g}mm.pdf",
        icon=":material/print:",
        type="tertiary",
        on_click="ignore",
        key=f"print_now_{key}",
        help=f"For print: {WIDTHS[0]:g} mm wide, 8 pt. Download has other widths and formats.",
    )


def _chosen(key: str, panels: Sequence[Panel]) -> int:
    """Return which panel is meant; asks where there are several."""
    if len(panels) == 1:
        return 0
    return st.selectbox(
        "Panel for print",
        range(len(panels)),
        format_func=lambda k: f"{k + 1}. {panels[k].title or panels[k].y.title or 'panel'}",
        key=f"print_panel_{key}",
        help="A file for print has one panel.",
    )


def _file(key: str, panel: Panel, width: float, font: str, form: str, caption: str) -> None:
    st.download_button(
        "File for print",
        lambda: print_figure(panel, width_mm=width, font=font, form=form, title=caption),
        file_name=f"{key}-{width:g}mm.{form}",
        icon=":material/print:",
        type="tertiary",
        on_click="ignore",
        key=f"print_file_{key}",
    )
