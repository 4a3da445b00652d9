"""Report of a visit: pinned figures and tables in one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import pandas as pd
import streamlit as st
from jinja2 import Environment

from ui.components import chart as drawing
from ui.figures import palette
from ui.figures.vocabulary import Chart
from ui.takeaway.exports import TableFormat
from zslcore.interactive.one_file import HEIGHT, framed
from zslcore.version import version

#: Limits for a visitor: the number of pins, and the bytes of all figures in these pins.
MOST, MOST_BYTES = 24, 30_000_000
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
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    left_out: int
    sources: tuple[str, ...]
    commands: tuple[str, ...]
    address: str
    page: str = field(default="", repr=False)
    height: int = HEIGHT

    @classmethod
    def of_figure(
        cls,
        name: str,
        caption: str,
        figure: Chart | None,
        numbers: pd.DataFrame,
        *origin: Any,
        page: str = "",
    ) -> Self:
        """Return the pin of a figure: its chart or, without a chart, ``page`` and ``numbers``."""
        if figure is not None:
            return cls(_title(name), caption, (), (), 0, *origin).showing(figure)
        return replace(cls._with_table(_title(name), caption, numbers, None, *origin), page=page)

    def showing(self, figure: Chart) -> Self:
        """Return this pin with a figure as its page."""
        theme = "dark" if palette.dark() else "light"
        page = drawing.figure_page(figure, self.caption or self.title, theme)
        return replace(self, page=page, height=figure.height + _AROUND)

    @classmethod
    def of_table(
        cls, name: str, table: pd.DataFrame, look: TableFormat | None, *origin: Any
    ) -> Self:
        """Return the pin of a table, formatted by ``look``."""
        return cls._with_table(_title(name), "", table, look, *origin)

    @classmethod
    def _with_table(
        cls, title: str, caption: str, table: pd.DataFrame, look: TableFormat | None, *origin: Any
    ) -> Self:
        look = look or TableFormat({column: str(column) for column in table.columns})
        rows = tuple(map(tuple, look.written(table.head(_ROWS))))
        left_out = max(len(table) - _ROWS, 0)
        return cls(title, caption, tuple(look.headings()), rows, left_out, *origin)


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def pins() -> tuple[Pin, ...]:
    """Return the pins of this visitor, oldest first."""
    return st.session_state.get(_PINS, ())


def pin(new: Pin) -> str:
    """Add a pin to the report; return the result as a sentence."""
    pinned = pins()
    if new in pinned:
        return "This is already in the report."
    if len(pinned) >= MOST or sum(len(p.page) for p in (*pinned, new)) > MOST_BYTES:
        return f"The report is full: it holds {MOST} items. Remove one first."
    st.session_state[_PINS] = (*pinned, new)
    return f"Pinned. The report has {len(pinned) + 1} item{'s' * bool(pinned)}."


def unpin(place: int) -> None:
    """Remove the pin with this index from the report."""
    st.session_state[_PINS] = tuple(p for k, p in enumerate(pins()) if k != place)


def as_html(
    pieces: Sequence[Pin], heading: str = "Report of a visit", *, answers: Sequence[Pin] = ()
) -> str:
    """Return a report as one HTML page: figures, tables and commands."""
    every = dict.fromkeys(line for piece in (*pieces, *answers) for line in piece.commands)
    return _PAGE.render(
        pieces=(*pieces, *answers),
        answers_from=len(pieces) if answers else -1,
        commands=list(every),
        version=version(),
        heading=heading,
        framed=framed,
    )


_PAGE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("report.html").read_text(encoding="utf-8")
)
