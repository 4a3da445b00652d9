"""Report of a visit: pinned figures and tables in one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import pandas as pd
import streamlit as st
from jinja2 import Environment

from ui.components import chart as drawing
from ui.figures import palette
from ui.figures.vocabulary import Chart
from ui.takeaway.exports import TableFormat, plain_look
from zslcore.interactive.one_file import HEIGHT, frame_page
from zslcore.version import version

#: Limits for a visitor: the number of pins, and the bytes of all figures in these pins.
MAX_PINS, MAX_BYTES = 24, 30_000_000
_ROWS = 60  # maximum number of rows of a table in a report
#: Pixels above and below a figure on its page.
_AROUND = 56
_PINS = "report_pins"


@dataclass(frozen=True)
class Pin:
    """Pinned figure or table; texts and tuples are empty where they do not apply.

    ``heading`` and ``rows`` are the formatted table, shortened by ``left_out`` rows. ``address`` is
    the address of the page with the figure or table. ``page`` is the figure as an HTML page,
    ``height`` pixels high.
    """

    title: str
    caption: str
    sources: tuple[str, ...]
    commands: tuple[str, ...]
    address: str
    heading: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = field(default=(), repr=False)
    left_out: int = 0
    page: str = field(default="", repr=False)
    height: int = HEIGHT

    def showing(self, figure: Chart) -> Self:
        """Return this pin with a figure as its page."""
        theme = "dark" if palette.dark() else "light"
        page = drawing.figure_page(figure, self.caption or self.title, theme)
        return replace(self, page=page, height=figure.height + _AROUND)

    def with_table(self, table: pd.DataFrame, look: TableFormat | None = None) -> Self:
        """Return this pin with a table formatted by ``look``."""
        look = look or plain_look(table)
        rows, left_out = look.text_cells(table.head(_ROWS)), max(len(table) - _ROWS, 0)
        return replace(self, heading=look.headings(), rows=rows, left_out=left_out)


def pins() -> tuple[Pin, ...]:
    """Return the pins of this visitor, oldest first."""
    return st.session_state.get(_PINS, ())


def pin(new: Pin) -> str:
    """Add a pin to the report; return the result as a sentence."""
    pinned = pins()
    if new in pinned:
        return "This is already in the report."
    if len(pinned) >= MAX_PINS or sum(len(p.page) for p in (*pinned, new)) > MAX_BYTES:
        return (
            f"The report is full: expected at most {MAX_PINS} items with "
            f"{MAX_BYTES // 1_000_000} MB of figures. Remove an item first."
        )
    st.session_state[_PINS] = (*pinned, new)
    return f"Pinned. The report has {len(pinned) + 1} item{'s' * bool(pinned)}."


def unpin(position: int) -> None:
    """Remove the pin with this index from the report."""
    st.session_state[_PINS] = tuple(p for k, p in enumerate(pins()) if k != position)


def as_html(
    pinned: Sequence[Pin], heading: str = "Visit report", *, answers: Sequence[Pin] = ()
) -> str:
    """Return a report as one HTML page: figures, tables and commands."""
    commands = dict.fromkeys(line for pin in (*pinned, *answers) for line in pin.commands)
    return _PAGE.render(
        pins=(*pinned, *answers),
        answers_from=len(pinned) if answers else -1,
        commands=list(commands),
        version=version(),
        heading=heading,
        frame_page=frame_page,
    )


_PAGE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("report.html").read_text(encoding="utf-8")
)
