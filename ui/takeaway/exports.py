"""Tables and captions as text for download: CSV, LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from zslcore.numbers import with_sign
from zslcore.storage.tables import as_plain_value, harmless_csv, latex_table
from zslcore.version import stamped

_NOT_IN_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_[]<>|#"} | {"\n": " "})


@dataclass(frozen=True)
class TableFormat:
    """Format of a table's columns for readers.

    Columns without an entry in ``labels`` are left out. Columns in ``percent`` are fractions,
    columns in ``points`` differences of fractions; columns in ``significant`` get three digits; the
    largest value of a column in ``best`` is bold.
    """

    labels: Mapping[str, str]
    percent: Sequence[str] = ()
    points: Sequence[str] = ()
    significant: Sequence[str] = ()
    best: Sequence[str] = ()

    def is_best(self, table: pd.DataFrame) -> list[list[bool]]:
        """Return, for each written cell, whether it is the largest of a column of :attr:`best`."""
        columns = [
            (table[c] == table[c].max()).tolist() if c in self.best else [False] * len(table)
            for c in self.labels
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def text_cells(self, table: pd.DataFrame) -> list[list[str]]:
        """Return the cells of the labelled columns as text, row by row."""
        columns = [[self._cell(value, c) for value in table[c]] for c in self.labels]
        return [list(row) for row in zip(*columns, strict=True)]

    def _cell(self, value: Any, column: str) -> str:
        if pd.api.types.is_scalar(value) and pd.isna(value):
            return "–"
        for columns, number_format, scale in (
            (self.percent, ".1f", 100),
            (self.points, "+.1f", 100),
            (self.significant, ".3g", 1),
        ):
            if column in columns:
                return with_sign(scale * float(value), number_format)
        return f"{value:.4g}" if isinstance(value, float) else str(as_plain_value(value))

    def headings(self) -> list[str]:
        """Return the headings of the labelled columns, with the units percent and points."""
        units = dict.fromkeys(self.percent, " (%)") | dict.fromkeys(self.points, " (points)")
        return [
            label if "point" in label and column in self.points else label + units.get(column, "")
            for column, label in self.labels.items()
        ]


def plain_look(table: pd.DataFrame) -> TableFormat:
    """Return the format of all columns of a table, without units."""
    return TableFormat({column: str(column) for column in table.columns})


def table_as_csv(table: pd.DataFrame, *, index: bool = False) -> str:
    """Write a tidy table as CSV, with the version of the package; fractions stay fractions."""
    return harmless_csv(stamped(table), index=index)


def table_as_markdown(table: pd.DataFrame, look: TableFormat | None = None) -> str:
    """Write a table as Markdown, with the cells formatted as on screen."""
    look = look or plain_look(table)
    heading = list(map(_in_markdown, look.headings()))
    rows = [
        [
            f"**{_in_markdown(cell)}**" if best else _in_markdown(cell)
            for cell, best in text_and_mark
        ]
        for text_and_mark in map(zip, look.text_cells(table), look.is_best(table))
    ]
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _in_markdown(text: str) -> str:
    return text.translate(_NOT_IN_MARKDOWN)


def table_as_latex(
    table: pd.DataFrame, caption: str, look: TableFormat | None = None, label: str = ""
) -> str:
    """Write a table as LaTeX for booktabs, with a ``label`` such as "tab:methods"."""
    look = look or plain_look(table)
    return latex_table(
        look.headings(),
        look.text_cells(table),
        caption=caption,
        label=label,
        numeric=[pd.api.types.is_numeric_dtype(table[column].dtype) for column in look.labels],
        best=look.is_best(table),
    )


def markdown_line(caption: str, *, file: str, sources: Sequence[str], link: str) -> str:
    """Return a line of Markdown: picture, caption, sources and link."""
    words = _in_markdown(re.sub(r"\s+", " ", caption).strip())
    address = link.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    made_from = _in_markdown("; ".join(sources))
    return f"![{words}]({file}) {words} {made_from}. [Open in the app]({address})"
