"""Download menus below figures and tables, with contents built when a menu is opened.

The browser saves pictures; the server writes a table when its button is pressed. Each component
that draws a figure listens for ``zsl-save`` events on ``document``. The detail of an event has
``key``, ``format`` ("png" or "svg"), ``scale`` and ``file``; only the component with this key
responds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from mimetypes import guess_type
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from ui.components import figure_files
from ui.figures.vocabulary import Chart
from ui.intake import missing_extras
from ui.shell.folds import menu
from ui.shell.guard import fragment
from ui.takeaway import exports, report
from ui.takeaway.exports import TableFormat
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.predictions_file import predictions_bytes
from zslcore.evaluation.runs import RunResult
from zslcore.interactive.one_file import frame_line
from zslcore.printing import FONTS, FORMATS, SLIDE, WIDTHS, Panel, print_figure
from zslcore.results.store import StoredRun
from zslcore.storage import extras
from zslcore.version import version

ICON = ":material/download:"
_SOURCES, _COMMANDS = "takeaway_sources", "takeaway_commands"


# --- Sources --------------------------------------------------------------------------------------


def clear() -> None:
    """Clear the sources and commands of the previous page; called when a page opens."""
    st.session_state[_SOURCES], st.session_state[_COMMANDS] = (), ()


def cite(*sources: str) -> None:
    """Record sources of this page's figures, such as "digits, data 0123abcd"."""
    _add(_SOURCES, sources)


def record_commands(*lines: str) -> None:
    """Record commands that reproduce the results of this page."""
    _add(_COMMANDS, lines)


def show_command(line: str) -> None:
    """Show a menu with a command that reproduces this page, and record it for the page's pins.

    The command is in a menu because Streamlit loads 1.5 MB of JavaScript to show code, which would
    delay the figure.
    """
    record_commands(line)
    with st.popover("Command", icon=":material/terminal:"):
        st.code(line, language=None, wrap_lines=True)


def download(
    label: str,
    make: Callable[[], str | bytes] | str,
    file: str,
    key: str | None = None,
    *,
    icon: str = ICON,
    **options: Any,
) -> None:
    """Show a download button; the file is created when the button is pressed."""
    options = {"type": "tertiary", "mime": guess_type(file)[0]} | options
    st.download_button(
        label,
        make,
        file_name=file,
        icon=icon,
        key=key or f"file_{file}",
        on_click="ignore",
        **options,
    )


def offer_predictions(make: Callable[[], Predictions], name: str) -> None:
    """Offer predictions as a file, made on request; ``name`` has no file extension."""
    download(
        "Predictions (.parquet)",
        lambda: predictions_bytes(make()),
        f"{name}.parquet",
        f"download_predictions_{name}",
        help="One row per image: its class, the best seen and the best unseen class, and the γ at "
        "which the prediction changes. Every metric can be computed from these columns.",
    )


def offer_run(run: RunResult | StoredRun, name: str, *, key: str | None = None) -> None:
    """Offer a run as a JSON file for ``zslcore board``."""
    download("Download run (JSON)", run.to_json(), f"{name}.json", key)


def _add(key: str, more: Sequence[str]) -> None:
    earlier = st.session_state.get(key, ())
    st.session_state[key] = tuple(dict.fromkeys((*earlier, *more)))


def page_sources() -> tuple[str, ...]:
    """Return the sources of this page's figures and the version of the package."""
    return (*st.session_state.get(_SOURCES, ()), f"zslcore {version()}")


def address() -> str:
    """Return the address of this page with its choices."""
    path = st.session_state.get("path", "")
    origin = (st.context.url or "http://localhost:8501").rstrip("/")
    parameters = urlencode(st.query_params.to_dict())
    # Streamlit includes the page's path only in the first address of a visit.
    return f"{origin.removesuffix(f'/{path}')}/{path}" + (f"?{parameters}" if parameters else "")


# --- Menus ----------------------------------------------------------------------------------------


@fragment
def offer_figure(
    key: str,
    caption: str,
    *,
    numbers: Callable[[], pd.DataFrame],
    panels: Callable[[], Sequence[Panel]],
    chart: Chart | None = None,
    html: Callable[..., str] | None = None,
    more: Callable[[], None] | None = None,
) -> None:
    """Show the downloads of a figure at its corner: pictures, CSV, HTML, Markdown, a pin.

    ``key`` names the element and the files. ``numbers`` returns the numbers as a table, ``panels``
    the panels for print, and ``html`` the figure as one HTML file from title, caption and sources.
    ``chart`` is None if another component draws the figure; a pin then has the table and the HTML
    page instead. ``more`` shows the buttons of other files, if the component saves its pictures
    itself.
    """

    def show_files() -> None:
        offer_prints(key, caption, panels(), on_screen=more is None)
        table = numbers()
        if not table.empty:
            _file("CSV", lambda: exports.table_as_csv(table), f"{key}.csv", key)
        if more is not None:
            more()
        page: Callable[[], str] = str  # no page
        if html is not None:
            # Read the origin now: the function of a download button runs without a page.
            origin = f"{'; '.join(page_sources())}. {address()}"
            page = partial(html, title=_title(key), caption=caption, footnote=origin)
            _file("HTML, interactive", page, f"{key}.html", key)
            st.caption("HTML for a page in the same folder as this file:")
            line = frame_line(f"{key}.html", caption)
            st.code(line, language="html", wrap_lines=True, height=90)
        _offer_pin(
            key,
            key,
            caption,
            lambda pin: (
                pin.showing(chart) if chart else replace(pin.with_table(table), page=page())
            ),
        )
        st.caption("Markdown for a file in the same folder as the PNG:")
        line = exports.markdown_line(
            caption, file=f"{key}.png", sources=page_sources(), link=address()
        )
        st.code(line, language="markdown", wrap_lines=True, height=150)

    with st.container(horizontal=True, key=f"corner_{key}"):
        _offer_print(key, caption, panels)
        menu("Download", show_files, icon=ICON, key=f"take_{key}")


@fragment
def offer_table(
    table: pd.DataFrame,
    name: str,
    look: TableFormat | None = None,
    *,
    index: bool = False,
    caption: str = "",
) -> None:
    """Show the downloads of a table at its corner: LaTeX, CSV, Markdown, and a pin.

    Accuracies in ``table`` are fractions; ``look`` formats them for readers. The caption of the
    LaTeX table is ``caption``, by default the name, followed by the sources.
    """
    caption = f"{caption or name.replace('_', ' ')}: {'; '.join(page_sources())}"
    reference, readable = f"tab:{name.replace('_', '-')}", table.reset_index() if index else table

    def show_files() -> None:
        for label, ending, text in (
            ("CSV", "csv", lambda: exports.table_as_csv(table, index=index)),
            ("Markdown", "md", lambda: exports.table_as_markdown(readable, look)),
        ):
            _file(label, text, f"{name}.{ending}", f"table_{name}")
        _offer_pin(f"table_{name}", name, "", lambda pin: pin.with_table(readable, look))
        st.caption("Accuracies in the CSV are fractions; LaTeX needs the package booktabs.")

    with st.container(horizontal=True, key=f"corner_table_{name}"):
        _file(
            "LaTeX",
            lambda: exports.table_as_latex(readable, caption, look, reference),
            f"{name}.tex",
            f"table_{name}",
            icon=":material/function:",
        )
        menu("Download table", show_files, icon=ICON, key=f"take_table_{name}")


def _file(label: str, text: Callable[[], str], name: str, kind: str, icon: str = ICON) -> None:
    download(label, text, name, f"download_{kind}_{label}", icon=icon)


def _offer_pin(
    key: str, name: str, caption: str, complete: Callable[[report.Pin], report.Pin]
) -> None:
    """Show a button that adds a pin to the report, with the sources, commands and address."""
    label, icon = "Pin to the report", ":material/keep:"
    if st.button(label, icon=icon, type="tertiary", key=f"take_pin_{key}"):
        origin = page_sources(), st.session_state.get(_COMMANDS, ()), address()
        st.toast(report.pin(complete(report.Pin(_title(name), caption, *origin))), icon=icon)


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


# --- Files for print ------------------------------------------------------------------------------


#: Value of the width control for pictures as shown on screen.
SCREEN = 0.0
#: Width in mm -> label of the control.
WIDTH_WORDS = {SCREEN: "screen", SLIDE[0]: "slide, 16:9"}


def offer_prints(
    key: str, caption: str, panels: Sequence[Panel], *, on_screen: bool = False
) -> None:
    """Offer a figure as PDF, SVG or PNG of a chosen width, with the caption as its metadata.

    ``on_screen`` is True if the browser can save the figure as shown.
    """
    missing_extra = missing_extras.of("print", "A figure for print") if panels else None
    sizes = () if missing_extra or not panels else (*WIDTHS, SLIDE[0])
    widths = [*((SCREEN,) * on_screen), *sizes]
    if missing_extra is not None:
        missing_extras.show(missing_extra)
    if not widths:
        return
    width = st.segmented_control(
        "Width",
        widths,
        default=WIDTHS[0] if sizes else SCREEN,
        required=True,
        format_func=lambda mm: WIDTH_WORDS.get(mm, f"{mm:g} mm"),
        key=f"print_width_{key}",
        help="Width of the printed figure in mm; all text is 8 pt, with embedded fonts.",
    )
    if width == SCREEN:
        figure_files.draw(key, key=f"files_{key}")
        return
    height, size = (SLIDE[1], "slide") if width == SLIDE[0] else (None, f"{width:g}mm")
    chosen, (font, file_format) = _choose_panels(key, panels), _choose_font_and_format(key)
    download(
        "Figure file",
        lambda: print_figure(
            *chosen, width_mm=width, height_mm=height, font=font, form=file_format, title=caption
        ),
        f"{key}-{size}.{file_format}",
        f"print_file_{key}",
        icon=":material/print:",
    )


def _panels_of_one_file(panels: Sequence[Panel]) -> Sequence[Panel]:
    """Return the panels of one file: all, or only the first if square panels would not fit."""
    return panels[:1] if any(panel.square for panel in panels) else panels


def _choose_panels(key: str, panels: Sequence[Panel]) -> Sequence[Panel]:
    """Choose all panels or one of them."""
    if len(panels) == 1:
        return panels
    choices: dict[str, Sequence[Panel]] = {}
    choices |= {f"{k + 1}. {p.title or p.name or 'panel'}": [p] for k, p in enumerate(panels)}
    if len(whole := _panels_of_one_file(panels)) > 1:
        choices = {"all panels": whole, **choices}
    return choices[st.selectbox("Panels for print", choices, key=f"print_panel_{key}")]


def _choose_font_and_format(key: str) -> tuple[str, str]:
    """Choose the font and the format of a file for print."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        font = st.segmented_control(
            "Font",
            list(FONTS),
            default="sans",
            required=True,
            key=f"print_font_{key}",
            label_visibility="collapsed",
            help="Sans is DejaVu Sans; serif is STIX, which resembles Times.",
        )
        file_format = st.segmented_control(
            "Format",
            FORMATS,
            default=FORMATS[0],
            required=True,
            format_func=str.upper,
            key=f"print_form_{key}",
            label_visibility="collapsed",
            help="PDF with embedded fonts, SVG with letters as outlines, or PNG at 600 dpi.",
        )
    return font, file_format


def _offer_print(key: str, caption: str, panels: Callable[[], Sequence[Panel]]) -> None:
    """Show a button that prints a figure at the width of a paper's column."""
    if extras.is_missing("print"):
        return
    download(
        "PDF",
        lambda: print_figure(
            *_panels_of_one_file(panels()), width_mm=WIDTHS[0], font="sans", title=caption
        ),
        f"{key}-{WIDTHS[0]:g}mm.pdf",
        f"print_now_{key}",
        icon=":material/print:",
        help=f"For print: {WIDTHS[0]:g} mm wide, 8 pt. Download offers other widths and formats.",
    )
