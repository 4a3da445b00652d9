"""Download menus below figures and tables, with contents built when a menu is opened.

The browser makes pictures, the server makes tables on request. Each of our components that draws a
figure listens for the event ``zsl-save`` of the document, with details ``key``, ``format`` ("png"
or "svg"), ``scale`` and ``file``, and responds if the key is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from mimetypes import guess_type
from typing import Any, Literal
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from ui.components import figure_files
from ui.figures.vocabulary import Chart
from ui.intake import missing_extras
from ui.shell.guard import fragment
from ui.takeaway import exports, report
from ui.takeaway.as_table import table_of_figure
from ui.takeaway.exports import TableFormat
from ui.takeaway.for_print import panels_of
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


@dataclass(frozen=True)
class FigureDownload:
    """Downloadable figure: ``chart``, or None if another component draws the figure.

    ``key`` names the element and the files. ``table`` returns the numbers and ``panels`` the panels
    for print, by default the panels of ``chart``; ``html`` returns the figure as one HTML file from
    title, caption and sources.
    """

    key: str
    caption: str
    chart: Chart | None = field(default=None, repr=False)
    table: Callable[[], pd.DataFrame] | None = None
    html: Callable[..., str] | None = field(default=None, repr=False)
    panels: Callable[[], Sequence[Panel]] | None = field(default=None, repr=False)

    def numbers(self) -> pd.DataFrame:
        """Return the numbers of the figure as a table."""
        if self.table is not None:
            return self.table()
        return pd.DataFrame() if self.chart is None else table_of_figure(self.chart)

    def for_print(self) -> Sequence[Panel]:
        """Return the panels for print; empty if the figure cannot be printed."""
        if self.panels is not None:
            return self.panels()
        return () if self.chart is None else panels_of(self.chart)

    def page(self, origin: str) -> str:
        """Return the figure as one HTML file; ``origin`` states data and address."""
        assert self.html is not None
        title = self.key.replace("_", " ").capitalize()
        return self.html(title=title, caption=self.caption, footnote=origin)

    @property
    def prints_at_once(self) -> bool:
        """Whether printing needs no choice of a panel: the figure has a single or a main panel."""
        return self.panels is not None or (self.chart is not None and self.chart.n_planes == 1)


@dataclass(frozen=True)
class TableDownload:
    """Downloadable table with accuracies as fractions; ``look`` formats it for readers.

    The caption of the LaTeX table is ``caption``, by default the name, followed by the sources.
    """

    name: str
    table: pd.DataFrame = field(repr=False)
    look: TableFormat | None = None
    index: bool = False
    caption: str = ""

    def readable(self) -> pd.DataFrame:
        """Return the table, with the index as a column if ``index`` is True."""
        return self.table.reset_index() if self.index else self.table


# --- Sources --------------------------------------------------------------------------------------


def start() -> None:
    """Clear the sources and commands of the previous page; called when a page opens."""
    st.session_state[_SOURCES], st.session_state[_COMMANDS] = (), ()


def cite(*sources: str) -> None:
    """Record sources of this page's figures, such as "digits, data 0123abcd"."""
    _add(_SOURCES, sources)


def commands(*lines: str) -> None:
    """Record the commands that repeat this page."""
    _add(_COMMANDS, lines)


def show_command(line: str) -> None:
    """Show and record a command that repeats this page, for the page's pins."""
    commands(line)
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
    """Show the button of a file; pressing it makes the file."""
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
        "which the prediction changes. Every metric follows from them.",
    )


def offer_for_board(text: str, name: str, *, key: str) -> None:
    """Offer a board entry as the JSON file that a pull request adds."""
    download(
        "JSON for the board",
        text,
        f"{name}.json".replace(" ", "-"),
        key,
        icon=":material/social_leaderboard:",
        type="secondary",
        help="Add this one file to data/board in a pull request.",
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
    here = (st.context.url or "http://localhost:8501").rstrip("/")
    parameters = urlencode(st.query_params.to_dict())
    # Streamlit includes the page's path only in the first address of a visit.
    return f"{here.removesuffix(f'/{path}')}/{path}" + (f"?{parameters}" if parameters else "")


# --- Menus ----------------------------------------------------------------------------------------


@fragment
def offer_figure(figure: FigureDownload) -> None:
    """Show the downloads of a figure at its corner: pictures, CSV, HTML, Markdown, a pin."""
    with st.container(horizontal=True, key=f"corner_{figure.key}"):
        if figure.prints_at_once:
            _offer_print(figure.key, figure.caption, figure.for_print)
        menu = opened_menu("Download", icon=ICON, key=f"take_{figure.key}")
    if menu is None:
        return
    with menu:
        offer_prints(figure.key, figure.caption, figure.for_print(), on_screen=True)
        numbers = figure.numbers()
        if not numbers.empty:
            _file("CSV", lambda: exports.table_as_csv(numbers), f"{figure.key}.csv", figure.key)
        page = partial(figure.page, _origin_in_words())  # read now; not available in a download
        if figure.html:
            _file("HTML, interactive", page, f"{figure.key}.html", figure.key)
            st.caption("A line of HTML, for a page next to that file:")
            line = frame_line(f"{figure.key}.html", figure.caption)
            st.code(line, language="html", wrap_lines=True, height=90)
        _pin(
            f"take_pin_{figure.key}",
            lambda: report.Pin.of_figure(
                figure.key,
                figure.caption,
                figure.chart,
                numbers,
                *_origin(),
                page=page() if figure.html and figure.chart is None else "",
            ),
        )
        st.caption("A line of Markdown, for a file next to the PNG:")
        line = exports.markdown_line(
            figure.caption, file=f"{figure.key}.png", sources=page_sources(), link=address()
        )
        st.code(line, language="markdown", wrap_lines=True, height=150)


@fragment
def offer_table(table: TableDownload) -> None:
    """Show the downloads of a table at its corner: LaTeX, CSV, Markdown, and a pin."""
    key = f"take_table_{table.name}"
    caption = f"{table.caption or table.name.replace('_', ' ')}: {'; '.join(page_sources())}"
    reference = f"tab:{table.name.replace('_', '-')}"
    with st.container(horizontal=True, key=f"corner_table_{table.name}"):
        _file(
            "LaTeX",
            lambda: exports.table_as_latex(table.readable(), caption, table.look, reference),
            f"{table.name}.tex",
            f"table_{table.name}",
        )
        menu = opened_menu("Download table", icon=ICON, key=key)
    if menu is None:
        return
    readable = table.readable()
    with menu:
        for label, ending, text in (
            ("CSV", "csv", lambda: exports.table_as_csv(table.table, index=table.index)),
            ("Markdown", "md", lambda: exports.table_as_markdown(readable, table.look)),
        ):
            _file(label, text, f"{table.name}.{ending}", f"table_{table.name}")
        _pin(
            f"take_pin_table_{table.name}",
            lambda: report.Pin.of_table(table.name, readable, table.look, *_origin()),
        )
        st.caption("Accuracies in the CSV are fractions; LaTeX needs the package booktabs.")


def _file(label: str, text: Callable[[], str], name: str, of: str) -> None:
    download(label, text, name, f"download_{of}_{label}")


def _origin_in_words() -> str:
    """Return one line with the sources and the address of this page."""
    return f"{'; '.join(page_sources())}. {address()}"


def _pin(key: str, make: Callable[[], report.Pin]) -> None:
    if st.button("Pin to the report", icon=":material/keep:", type="tertiary", key=key):
        st.toast(report.pin(make()), icon=":material/keep:")


def _origin() -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return sources, commands and address of this page, in the form kept by a pin."""
    return page_sources(), st.session_state.get(_COMMANDS, ()), address()


def opened_menu(
    label: str,
    *,
    icon: str,
    key: str,
    tip: str | None = None,
    type: Literal["tertiary", "secondary"] = "tertiary",  # noqa: A002 - as Streamlit calls it
) -> Any:
    """Show a menu; return the container of its contents while it is open, else None."""
    menu = st.popover(label, icon=icon, type=type, key=key, on_change="rerun", help=tip)
    return menu if menu.open else None


# --- Files for print ------------------------------------------------------------------------------


#: Value that stands for the width on screen; below, width -> its name.
SCREEN = 0.0
WIDTH_WORDS = {SCREEN: "screen", SLIDE[0]: "slide, 16:9"}


def offer_prints(
    key: str, caption: str, panels: Sequence[Panel], *, on_screen: bool = False
) -> None:
    """Offer a figure as PDF, SVG or PNG of a chosen width, with the caption as its metadata.

    ``on_screen`` : whether the browser can save the figure as shown.
    """
    lack = missing_extras.of("print", "A figure for print") if panels else None
    sizes = () if lack or not panels else (*WIDTHS, SLIDE[0])
    widths = [*((SCREEN,) * on_screen), *sizes]
    if lack is not None:
        missing_extras.show(lack)
    if not widths:
        return
    width = st.segmented_control(
        "Width",
        widths,
        default=WIDTHS[0] if sizes else SCREEN,
        format_func=lambda mm: WIDTH_WORDS.get(mm, f"{mm:g} mm"),
        key=f"print_width_{key}",
        help="For print, the exact width of the page in mm; all text is 8 pt, with embedded fonts.",
    )
    if width is None or width == SCREEN:
        figure_files.draw(key, key=f"files_{key}")
        return
    number = _chosen_panel(key, panels)
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
            help="PDF with embedded fonts, SVG with letters as outlines, PNG with 600 dpi.",
        )
    form = form or FORMATS[0]
    download(
        "File for print",
        lambda: print_figure(
            panels[number],
            width_mm=width,
            height_mm=SLIDE[1] if width == SLIDE[0] else None,
            font=font or "sans",
            form=form,
            title=caption,
        ),
        f"{key}-{'slide' if width == SLIDE[0] else f'{width:g}mm'}.{form}",
        f"print_file_{key}",
        icon=":material/print:",
    )


def _offer_print(key: str, caption: str, panels: Callable[[], Sequence[Panel]]) -> None:
    """Show a button that prints the first panel of a figure at the width of a paper's column."""
    if extras.is_missing("print"):
        return
    download(
        "PDF",
        lambda: print_figure(panels()[0], width_mm=WIDTHS[0], font="sans", title=caption),
        f"{key}-{WIDTHS[0]:g}mm.pdf",
        f"print_now_{key}",
        icon=":material/print:",
        help=f"For print: {WIDTHS[0]:g} mm wide, 8 pt. Download has other widths and formats.",
    )


def _chosen_panel(key: str, panels: Sequence[Panel]) -> int:
    """Return the index of the panel to print; show a choice if there are several."""
    if len(panels) == 1:
        return 0
    return st.selectbox(
        "Panel for print",
        range(len(panels)),
        format_func=lambda k: f"{k + 1}. {panels[k].title or panels[k].name or 'panel'}",
        key=f"print_panel_{key}",
        help="A file for print has one panel.",
    )
