"""Read tables of any columns, Parquet or text, as named arrays, in a confined process.

A column of texts, or of a name that labels have, is an array of its own; the other columns of
numbers are one matrix "values", with their names in "columns". A column of lists of one length (an
embedding a row, as data sets of Hugging Face have) is a matrix of its own. One column or matrix
without a name is called "array".
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from zslcore.untrusted import worker
from zslcore.untrusted.worker import Refused

#: Most bytes of a text whose columns are found out, of its columns, and characters of a name.
MAX_TEXT, MAX_COLUMNS, MAX_NAME, TEXT_BYTES = 64 << 20, 1 << 14, 256, 1 << 10
#: Most bytes that the values of a text may take: of numbers, 64 MiB of text take half of it.
MOST_OF_TEXT = 512 << 20
#: Columns of numbers that stay by themselves.
OWN = frozenset(
    (
        "label",
        "labels",
        "class",
        "class_id",
        "y",
        "y_true",
        "target",
        "targets",
        "category",
        "split",
    )
)
INDEX = ("", "Unnamed: 0", "__index_level_0__")

Shape = tuple[int, ...]


def allow_text(path: str) -> None:
    """Let this worker read a text as a whole, or refuse one that is too large for that."""
    size = Path(path).stat().st_size
    if size > MAX_TEXT:
        raise Refused(
            f"expected a text of at most {MAX_TEXT:,} bytes, got {size:,}; write it as .npy"
        )
    worker.raise_memory_limit(min(32 * size, MOST_OF_TEXT))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class TextTable:
    """A text of lines, or of fields between commas, tabs, semicolons or spaces."""

    def __init__(self, path: str) -> None:
        allow_text(path)
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            lines = [line for line in file.read().splitlines() if line.strip()]
        if not lines:
            raise Refused("expected a text with lines, got none")
        first = self._fields(lines[0], separator := _separator(lines[:2]))
        if len(first) > MAX_COLUMNS:
            raise Refused(f"expected at most {MAX_COLUMNS:,} columns, got {len(first):,}")
        below = self._fields(lines[1], separator) if len(lines) > 1 else first
        has_header = _has_header(first, below)
        header = (
            first if has_header else ["" if len(first) == 1 else str(k) for k in range(len(first))]
        )
        if has_header and len({*header}) < len(header):
            raise Refused("expected each column once")
        self.held = self._columns(lines[has_header:], header, separator, has_header)
        self.names = list(self.held)

    @staticmethod
    def _fields(line: str, separator: str) -> list[str]:
        if separator == " ":
            return line.split()
        try:
            fields = next(csv.reader([line], delimiter=separator or "\x00"), [])
        except csv.Error:
            raise Refused("expected fields, got one without end") from None
        return [field.strip() for field in fields]

    def _columns(
        self, lines: list[str], header: list[str], separator: str, has_header: bool
    ) -> dict[str, np.ndarray]:
        rows = [self._fields(line, separator) for line in lines]
        for k, row in enumerate(rows):
            if len(row) != len(header):
                raise Refused(
                    f"expected {len(header)} fields, got {len(row)}", f"line {k + 1 + has_header}"
                )
        found: dict[str, np.ndarray] = {}
        numbers: list[tuple[str, np.ndarray]] = []
        for name, column in zip(header, zip(*rows, strict=True), strict=True):
            try:
                values: np.ndarray | None = np.array(column, dtype=np.float64)
            except ValueError:
                values = None
            if (
                values is not None
                and name.lower() not in OWN
                and (name not in INDEX or not has_header)
            ):
                numbers.append((name, values))
            elif values is not None and name in INDEX and has_header:
                continue
            else:
                array = (
                    np.array([field[:MAX_NAME] for field in column]) if values is None else values
                )
                found[name or "array"] = array
        return found | _matrix_of(numbers, has_header)

    def declared(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value."""
        array = self.held[name]
        return array.shape, TEXT_BYTES if array.dtype.kind == "U" else 8

    def read(self, name: str) -> np.ndarray:
        """Return the values of a column or matrix."""
        return self.held[name]


def _matrix_of(numbers: list[tuple[str, np.ndarray]], has_header: bool) -> dict[str, np.ndarray]:
    """Return columns of numbers as one matrix with their names; a lone one by its name."""
    if not numbers:
        return {}
    if len(numbers) == 1:
        return {numbers[0][0] or "array": numbers[0][1]}
    matrix = np.column_stack([values for _, values in numbers]).astype(np.float32)
    if not has_header:
        return {"array": matrix}
    return {"values": matrix, "columns": np.array([name[:MAX_NAME] for name, _ in numbers])}


def _separator(lines: list[str]) -> str:
    """Return what is between fields: "" where a line is one field."""
    for separator in (",", "\t", ";"):
        counts = {line.count(separator) for line in lines}
        if min(counts):
            return separator
    words = [line.split() for line in lines]
    numbers = all(len(row) > 1 and all(map(_is_number, row)) for row in words)
    return " " if numbers else ""


def _has_header(first: list[str], below: list[str]) -> bool:
    """Whether the first line names columns: texts over numbers, or a name that labels have."""
    if any(field.lower() in OWN or field.lower() in ("name", "class_name") for field in first):
        return True
    if len(first) != len(below):
        return False
    over = [(a, b) for a, b in zip(first, below, strict=True) if _is_number(b)]
    return any(a and not _is_number(a) for a, _ in over)
