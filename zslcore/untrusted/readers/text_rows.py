"""Reader of lines of text, and of rows of CSV, which are never all in memory.

The texts are written to a file as they are read, separated by control characters; the calling
process reads this file (:func:`rows_in`, :func:`lines_in`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from zslcore.untrusted.readers.common import encoding_of
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS, MAX_HEADER
from zslcore.untrusted.worker import Refused

#: Kind of a text with rows -> separator of its cells.
SEPARATORS = {"CSV": ",", "TSV": "\t", "CSV with semicolons": ";"}
#: Ends of a cell and of a row in the written file; spaces replace them in a text.
CELL_END, ROW_END = "\x1f", "\x1e"
END_TO_SPACE = str.maketrans({CELL_END: " ", ROW_END: " "})
FILE = "rows.txt"
#: Maximum number of distinct texts, such as names of classes, that are stored once each.
MAX_SHARED = 1 << 16
#: Maximum number of bytes of the rows as Python objects; a million rows, each a path of 60 letters,
#: take less.
MAX_BYTES = 192 << 20
#: Bytes of an empty row, of an empty text in a cell, and of the reference to a text.
ROW_BYTES, TEXT_BYTES, CELL_BYTES = 48, 57, 8


def copy_text_rows(path: str, kind: str, max_items: int, out: Path) -> None:
    """Write the lines of a text, or the rows of a table; see :func:`write_cells`."""
    if kind in SEPARATORS:
        write_cells(_rows(path, SEPARATORS[kind]), "rows", max_items, out)
    else:
        write_cells(([line] for line in _lines(path)), "lines", max_items, out)


def write_cells(rows: Iterable[Sequence[str]], unit: str, max_items: int, out: Path) -> None:
    """Write rows to the file of :func:`rows_in`; refuse too many rows or bytes."""
    shared: set[str] = set()
    n = size = 0
    with (out / FILE).open("w", encoding="utf-8", errors="replace", newline="") as file:
        for n, row in enumerate(rows, 1):
            if n > max_items:
                continue  # rows beyond the limit are only counted
            size += ROW_BYTES * (unit == "rows")
            for cell in row:
                size += CELL_BYTES if cell in shared else TEXT_BYTES + len(cell)
                if len(shared) < MAX_SHARED:
                    shared.add(cell)
            if size > MAX_BYTES:
                expected = f"expected {unit} that take at most {MAX_BYTES >> 20} MiB of memory"
                raise Refused(f"{expected}; got more", f"line {n}")
            text = CELL_END.join(row)
            if ROW_END in text or text.count(CELL_END) >= max(1, len(row)):
                text = CELL_END.join(cell.translate(END_TO_SPACE) for cell in row)
            file.write(text + ROW_END)
    if n > max_items:
        raise Refused(f"expected at most {max_items:,} {unit}; got {n:,}")


def rows_in(folder: Path, max_items: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table written by :func:`write_cells`; ValueError for any other file.

    Repeated texts are one object.
    """
    objects: dict[str, str] = {}
    for row in _read_written(folder, max_items):
        cells = row.split(CELL_END) if row else ()
        yield tuple(first_object(cell, objects) for cell in cells)


def lines_in(folder: Path, max_items: int) -> Iterator[str]:
    """Yield the lines written by :func:`write_cells`; see :func:`rows_in`."""
    objects: dict[str, str] = {}
    return (first_object(line, objects) for line in _read_written(folder, max_items))


def text_in(folder: Path) -> str:
    """Return the lines written by :func:`write_cells` as one text."""
    text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
    return text.replace(ROW_END, "\n")


def _read_written(folder: Path, max_items: int) -> Iterator[str]:
    n = size = 0
    with (folder / FILE).open(encoding="utf-8", errors="replace", newline="") as file:
        last_part = ""
        while block := file.read(1 << 20):
            *rows, last_part = (last_part + block).split(ROW_END)
            n, size = n + len(rows), size + len(block) + CELL_BYTES * block.count(CELL_END)
            if n > max_items or size > MAX_BYTES:
                raise ValueError
            yield from rows
    if last_part:
        raise ValueError


def first_object(text: str, objects: dict[str, str]) -> str:
    """Return the object in ``objects`` that equals a text; store up to MAX_SHARED of them."""
    if len(objects) < MAX_SHARED:
        return objects.setdefault(text, text)
    return objects.get(text, text)


def _lines(path: str) -> Iterator[str]:
    for line in _texts(path, None, -1):
        yield from line.splitlines()


def _rows(path: str, separator: str) -> Iterator[list[str]]:
    """Yield the cells of each row; a blank line is a row without cells."""
    n_separators = 0

    def lines() -> Iterator[str]:
        nonlocal n_separators
        for line in _texts(path, "", MAX_HEADER):
            n_separators += line.count(separator)
            if n_separators >= MAX_COLUMNS or len(line) == MAX_HEADER:  # checked before the split
                got = f"{n_separators + 1:,}" if n_separators >= MAX_COLUMNS else "a longer line"
                where = f"line {reader.line_num + 1}"
                raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {got}", where)
            yield line

    reader = csv.reader(lines(), delimiter=separator)
    try:
        for row in reader:
            n_separators = 0
            yield row
    except csv.Error as error:
        line = f"line {reader.line_num}"
        raise Refused(f"expected CSV; got other text ({error})", line) from None


def _texts(path: str, newline: str | None, length: int) -> Iterator[str]:
    """Yield lines, each with at most ``length`` characters, of a text; refuse a binary file."""
    encoding = encoding_of(path)
    with open(path, encoding=encoding, errors="replace", newline=newline) as file:
        while line := file.readline(length):
            if "\0" in line and encoding == "utf-8-sig":
                raise Refused("expected a text file; got a binary file")
            yield line
