"""Reader of text tables with arbitrary columns, which become named arrays.

A column of texts is a separate array, as is a column of numbers with a name such as "label" or
"class". All other columns of numbers form the matrix "values", with their names in "columns". In
Parquet, a column of equally long lists (one embedding per row, as in Hugging Face data sets) is a
separate matrix. A column or matrix without a name is named "array", but a column of texts next to
named columns is named "name".
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np

from zslcore.untrusted import worker
from zslcore.untrusted.readers.array_names import COUNTERS, LABELS, PREDICTED, is_named
from zslcore.untrusted.readers.common import (
    DECIMAL_COMMA,
    INDEX,
    MAX_NAME,
    TEXT_BYTES,
    Shape,
    count_lines_above,
    encoding_of,
    has_decimal_commas,
    is_number,
)
from zslcore.untrusted.worker import Refused

#: Limits: bytes of a text file, and columns.
MAX_TEXT, MAX_COLUMNS = 64 << 20, 1 << 14
#: Limit on memory for reading a text, in bytes; a text of 64 MiB with numbers needs half of it.
MAX_TEXT_MEMORY = 512 << 20
#: Type of texts of any length, and number of rows that are converted at a time.
TEXTS, BLOCK = np.dtypes.StringDType(), 1 << 14
#: Names of number columns that are separate arrays, not part of the matrix.
SEPARATE_ARRAYS = frozenset(
    {"label", "labels", "class", "class_id", "y", "y_true", "target", "targets", "category"}
    | {"split"}
)


def allow_text(path: str) -> None:
    """Refuse a text too large to read at once, else increase this worker's memory limit."""
    size = Path(path).stat().st_size
    if size > MAX_TEXT:
        raise Refused(
            f"expected a text file of at most {MAX_TEXT:,} bytes; got {size:,}; write it as .npy"
        )
    worker.raise_memory_limit(max(0, min(32 * size, MAX_TEXT_MEMORY) - worker.OPENING))


class TextTable:
    """Text of lines, or of fields separated by commas, tabs, semicolons, bars or spaces.

    Columns of numbers are parsed without a Python object per field, since the objects would take
    tens of times the memory of the text. Each text is stored in its own width.
    """

    def __init__(self, path: str) -> None:
        allow_text(path)
        self.path = path
        with open(path, encoding=encoding_of(path), errors="replace") as file:
            self.skipped = count_lines_above(file)
        head = [*islice(self._lines(), 2)]
        if len(head) == 2 and _is_size_line(*head):
            self.skipped += 1
            head = [*islice(self._lines(), 2)]
        if not head:
            raise Refused("expected a text file with lines; got none")
        head[0] = head[0].lstrip("# ")
        self.separator = _separator(head)
        fields = head[-1].rpartition("\t")[2].split()
        #: Whether a tab separates each name from its vector, and spaces separate the numbers.
        self.is_mixed = self.separator == "\t" and len(fields) > 1 and all(map(is_number, fields))
        self.decimal = "."
        if self.separator in ("\t", ";") and any(
            map(DECIMAL_COMMA.fullmatch, self._fields(head[-1]))
        ):
            self.decimal = ","
        first, below = self._fields(head[0]), self._fields(head[-1])
        if len(below) == len(first) + 1 > 2 and not any(map(is_number, first)):
            first = ["", *first]  # R writes no title above the names of rows
        if len(first) > MAX_COLUMNS:
            raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {len(first):,}")
        has_header = _has_header([*self._with_points(first)], self._with_points(below))
        if has_header and len(head) == 1:
            raise Refused("expected rows below the column names; got none")
        header = (
            first if has_header else ["" if len(first) == 1 else str(k) for k in range(len(first))]
        )
        if has_header and len({*header}) < len(header):
            raise Refused("expected distinct column names; got a name twice")
        try:
            self.values = self._columns(below, header, has_header)
        except MemoryError:
            raise Refused(
                f"expected a text file that takes at most {MAX_TEXT_MEMORY:,} bytes of memory; got "
                "more; write it as .npy"
            ) from None
        self.names = list(self.values)

    def _lines(self) -> Iterator[str]:
        """Yield the nonblank lines."""
        return (line for _, line in self._numbered_lines())

    def _numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the nonblank lines with their numbers in the file."""
        with open(self.path, encoding=encoding_of(self.path), errors="replace") as file:
            for number, line in enumerate(islice(file, self.skipped, None), 1 + self.skipped):
                yield from ((number, part) for part in line.splitlines() if part.strip())

    def _with_points(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield texts with decimal points in place of decimal commas."""
        return (text.replace(self.decimal, ".") for text in texts)

    def _fields(self, line: str) -> list[str]:
        if self.separator == " ":
            return _words(line)
        if self.is_mixed:
            *names, numbers = line.split("\t")
            return [name.strip() for name in names] + _words(numbers)
        # Some separators may be in quoted texts.
        if (n := line.count(self.separator or "\x00") + 1) > 4 * MAX_COLUMNS:
            raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {n:,}")
        try:
            fields = next(csv.reader([line], delimiter=self.separator or "\x00"), [])
        except csv.Error:
            raise Refused("expected closed quotation marks; got an open one") from None
        return [field.strip() for field in fields]

    def _columns(
        self, first_row: list[str], header: list[str], has_header: bool
    ) -> dict[str, np.ndarray]:
        fields = self._with_points(first_row[: len(header)])
        numeric = [k for k, field in enumerate(fields) if is_number(field)]
        columns = self._numbers(numeric, len(header), has_header)
        texts = [k for k in range(len(header)) if k not in columns]
        if texts:
            columns |= self._texts(texts, len(header), has_header)
        # An unnamed column of texts next to named columns is the index, with names of rows.
        unnamed = "name" if has_header and "name" not in header else "array"
        if not has_header and len(header) > 2 and _begins_with_counter([*columns.values()]):
            header = ["index", *header[1:]]
        columns_by_name: dict[str, np.ndarray] = {}
        numbers: list[tuple[str, np.ndarray]] = []
        for k, name in enumerate(header):
            is_index = name in INDEX and has_header
            is_separate = name.lower() in SEPARATE_ARRAYS or _is_counter(name, columns[k])
            if columns[k].dtype.kind == "T" or (is_separate and not is_index):
                columns_by_name[name or unnamed] = columns[k]
            elif not is_index:
                numbers.append((name, columns[k]))
        return columns_by_name | _matrix_of(numbers, has_header)

    def _numbers(
        self, numeric: list[int], n_columns: int, has_header: bool
    ) -> dict[int, np.ndarray]:
        """Return columns of numbers; {} if a field is not a number."""
        if not numeric or self.is_mixed:
            return {}
        is_whole = len(numeric) == n_columns
        try:
            matrix = np.loadtxt(
                self._with_points(islice(self._lines(), int(has_header), None)),
                delimiter=None if self.separator == " " else self.separator or "\x00",
                usecols=None if is_whole else numeric,
                comments=None,
                quotechar='"',
                ndmin=2,
            )
        except ValueError:
            return {}
        if matrix.shape[1] != len(numeric):
            return {}
        return {k: matrix[:, column] for column, k in enumerate(numeric)}

    def _texts(
        self, positions: list[int], n_columns: int, has_header: bool
    ) -> dict[int, np.ndarray]:
        """Return columns as texts, or as numbers if every field is a number."""
        lines = islice(self._numbered_lines(), int(has_header), None)
        blocks: list[np.ndarray] = []
        while block := [*islice(lines, BLOCK)]:
            rows = [self._row(number, line, n_columns) for number, line in block]
            blocks.append(np.array([[row[k] for k in positions] for row in rows], TEXTS))
        table = np.concatenate(blocks)
        del blocks
        return {k: _numbers_or_texts(table[:, column]) for column, k in enumerate(positions)}

    def _row(self, number: int, line: str, n_columns: int) -> list[str]:
        row = self._fields(line)
        if len(row) != n_columns:
            raise Refused(f"expected {n_columns} fields; got {len(row)}", f"line {number}")
        return row

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value."""
        array = self.values[name]
        return array.shape, 8 if array.dtype.kind == "f" else TEXT_BYTES

    def read(self, name: str) -> np.ndarray:
        """Return the values of a column or matrix."""
        array = self.values[name]
        if array.dtype.kind != "T":
            return array
        longest = int(np.strings.str_len(array).max())
        return array.astype(f"<U{max(1, min(longest, MAX_NAME))}")


def _numbers_or_texts(column: np.ndarray) -> np.ndarray:
    """Return numbers, with NaN for missing ones, or the column itself."""
    with suppress(ValueError):
        return np.fromiter((float(field or "nan") for field in column), float, len(column))
    return column


def _is_size_line(first: str, second: str) -> bool:
    """Whether a first line has the number of vectors and their length, as word2vec writes."""
    sizes = first.split(maxsplit=2)
    return (
        len(sizes) == 2
        and all(map(str.isdecimal, sizes))
        and len(_words(second)) == 1 + int(sizes[1]) > 2
    )


def _words(line: str) -> list[str]:
    """Return at most MAX_COLUMNS fields between spaces, and the rest of the line as one field.

    Fields in quotation marks, as R writes them, may have spaces.
    """
    if line.startswith('"') and line.count('"') % 2 == 0:
        return next(csv.reader([" ".join(line.split())], delimiter=" "), [])[: MAX_COLUMNS + 1]
    return line.split(maxsplit=MAX_COLUMNS)


def _begins_with_counter(columns: list[np.ndarray]) -> bool:
    """Whether the first of several untitled columns counts rows, and the second has fractions."""
    first, second = columns[:2]
    if first.dtype.kind != "f" or second.dtype.kind != "f" or len(first) < 2:
        return False
    is_counter = np.array_equal(first, np.arange(len(first)) + (first[0] == 1))
    return is_counter and not np.array_equal(second, np.trunc(second))


def _is_counter(name: str, column: np.ndarray) -> bool:
    """Whether a column is a row counter: named like one, with distinct whole numbers."""
    if not is_named(name, COUNTERS) or column.dtype.kind != "f":
        return False
    return bool((column == np.trunc(column)).all()) and len(np.unique(column)) == len(column)


def _matrix_of(numbers: list[tuple[str, np.ndarray]], has_header: bool) -> dict[str, np.ndarray]:
    """Return columns of numbers as a matrix with names, or a single column under its own name."""
    if not numbers:
        return {}
    if len(numbers) == 1:
        return {numbers[0][0] or "array": numbers[0][1]}
    matrix = np.column_stack([values for _, values in numbers]).astype(np.float32)
    if not has_header:
        return {"array": matrix}
    return {"values": matrix, "columns": np.array([name[:MAX_NAME] for name, _ in numbers])}


def _separator(lines: list[str]) -> str:
    """Return the separator of fields; "" if each line is one field."""
    for separator in (",", "\t", ";", "|"):
        counts = {line.count(separator) for line in lines}
        if min(counts) and not (separator == "," and has_decimal_commas(lines[-1])):
            return separator
    words = [_words(line)[:MAX_COLUMNS] for line in lines]
    numbers = all(len(row) > 1 and all(map(is_number, row)) for row in words)
    # Word vectors have a word in front of many numbers.
    vectors = len({*map(len, words)}) == 1 and all(
        len(row) > 3 and all(map(is_number, row[1:])) for row in words
    )
    titles = len({*map(len, words)}) == 1 and all(
        is_named(title, (*LABELS, *PREDICTED)) for title in words[0]
    )
    # R writes names in quotation marks, without a title above the names of rows.
    named = lines[0].startswith('"') and 1 < len(words[0]) == len(words[-1]) - 1
    return " " if numbers or vectors or titles or named else ""


def _has_header(first: list[str], fields: Iterable[str]) -> bool:
    """Whether the first line is a header: it has texts above numbers, or a name such as "label"."""
    below = list(fields)
    if any(
        field.lower() in SEPARATE_ARRAYS or field.lower() in ("name", "class_name")
        for field in first
    ):
        return True
    if len(first) != len(below):
        return False
    if first[0] == "" and first[1:] and first[1:] == [*map(str, range(len(first) - 1))]:
        return True  # an array written by pandas with its index
    counted = [field for field in first if field.isdecimal()]
    if len(counted) > 2 and counted == [*map(str, range(len(counted)))]:
        return any("." in field and is_number(field) for field in below)
    above_numbers = [title for title, b in zip(first, below, strict=True) if is_number(b)]
    return any(title and not is_number(title) for title in above_numbers)
