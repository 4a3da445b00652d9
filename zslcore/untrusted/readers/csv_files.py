"""Readers of CSV files with known columns, and of tables of scores."""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from zslcore.storage.arrays import write_rows
from zslcore.untrusted import worker
from zslcore.untrusted.readers.array_names import LABELS, PREDICTED, is_named
from zslcore.untrusted.readers.common import (
    DECIMAL_COMMA,
    INDEX,
    MAX_NAME,
    MAX_PATH,
    count_lines_above,
    encoding_of,
    has_decimal_commas,
    is_number,
)
from zslcore.untrusted.worker import Refused

#: Texts that stand for a missing number.
MISSING = ("", "nan", "NaN", "NA", "N/A", "null", "None", "-nan")
#: A number in percent.
PERCENT = re.compile(r"\s*[-+]?\d+([.,]\d+)?(e[-+]?\d+)?\s*%\s*", re.IGNORECASE)
MAX_COLUMNS, MAX_HEADER, MAX_FIELD = 1 << 16, 4 << 20, 1 << 20
#: Maximum number of lines in which the titles and the first row are searched.
MAX_HEAD_LINES = 100
#: Largest number that is finite in float32.
MAX_FLOAT = float(np.finfo(np.float32).max)
#: Separators of a score table.
SEPARATORS = ",;\t|"
#: Maximum number of values that are parsed at a time.
BLOCK = 1 << 18


class _Layout(NamedTuple):
    """Layout of a CSV file: its columns by number, and the numbers that are allowed.

    ``paths`` are the columns of ``texts`` with paths, which are cut to their last characters;
    ``percents`` are columns of numbers in percent. With ``finite``, every number is finite, and a
    column without a name numbers the rows. A table that is not ``titled`` begins with numbers.
    """

    header: list[str]
    texts: list[int]
    paths: frozenset[int] = frozenset()
    percents: frozenset[int] = frozenset()
    separator: str = ","
    decimal: str = "."
    finite: bool = False
    titled: bool = True

    @property
    def matrix(self) -> str:
        """Name of the matrix of numbers."""
        return "features" if self.finite else "scores"

    @property
    def numbers(self) -> list[int]:
        """Columns of numbers, without an index."""
        texts = {*self.texts}
        return [k for k, name in enumerate(self.header) if k not in texts and name not in INDEX]


def read_csv(path: str, texts: dict[str, bool], budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a CSV file of features or class embeddings, and its texts as codes.

    ``texts`` maps each column of texts to whether it is required. See :func:`_write_columns`.
    """
    header = _header(path, texts)
    named = [k for k, name in enumerate(header) if name in texts]
    paths = frozenset(k for k in named if not texts[header[k]])
    return _write_columns(path, _Layout(header, named, paths, finite=True), budget, out)


def read_score_table(path: str, budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a score table, and its texts as codes; see :func:`_write_columns`.

    A column is read as texts if it has a name such as "label" or "y_pred", or if its first field is
    not a number. Unlike in :func:`read_csv`, column names may repeat, and numbers may be missing or
    infinite. A table without titles has columns without a name.
    """
    header, first, separator = _first_lines(path)
    stripped = [field.rstrip(" %") for field in first]
    decimal = "," if separator != "," and any(map(DECIMAL_COMMA.fullmatch, stripped)) else "."
    titled = not _are_scores([name.rstrip(" %").replace(decimal, ".") for name in header])
    header = header if titled else [*map(str, range(len(header) - 1)), header[-1] and "last"]
    named = {k for k, name in enumerate(header) if is_named(name, (*LABELS, *PREDICTED))}
    percents = frozenset(k for k, field in enumerate(first) if PERCENT.fullmatch(field)) - named
    texts = [
        k
        for k, field in enumerate(first)
        if k in named or (k not in percents and not _is_number(field.replace(decimal, ".")))
    ]
    layout = _Layout(
        header,
        texts,
        percents=percents,
        separator=separator,
        decimal=decimal,
        titled=titled,
    )
    answer = _write_columns(path, layout, budget, out)
    return answer if titled else answer | {"columns": [""] * len(layout.numbers)}


def _are_scores(fields: Sequence[str]) -> bool:
    """Whether a first line has scores, with or without an image in front, instead of titles."""
    are_fractions = any("." in field for field in fields) and all(map(_is_number, fields[1:]))
    are_numbers = all(map(_is_number, fields)) and not all(map(str.isdigit, fields))
    return (are_fractions and len(fields) > 3) or are_numbers


def _write_columns(path: str, layout: _Layout, budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a CSV file as a matrix, and the texts of column k as "text_k".

    NumPy reads the file block by block, so that the whole table is never in memory. A file that
    NumPy refuses is read again by rows, which takes longer, but allows missing numbers, percent
    signs and decimal commas, and finds the line of a fault.

    Returns ``columns``, the names of the columns of numbers; ``texts``, which maps each file of
    codes to the name and the distinct texts of its column; and ``left_out``, the names of columns
    in a score table with too many distinct texts to be classes.
    """
    worker.import_libraries()
    worker.raise_memory_limit(3 * budget)
    try:
        n, codes = _write_blocks(path, layout, budget, out, _read_blocks)
    except ValueError:
        n, codes = _write_blocks(path, layout, budget, out, _read_rows)
    if not n:
        of_numbers = " of numbers" if layout.finite else ""
        raise Refused(f"expected a table with at least one row{of_numbers}; got none")
    complete = {k: column for k, column in codes.items() if not column.is_full}
    for k, column in complete.items():
        column.write(out / f"text_{k}.npy")
    return {
        "columns": [layout.header[k] for k in layout.numbers],
        "texts": {f"text_{k}": [layout.header[k], [*c.texts]] for k, c in complete.items()},
        "left_out": [layout.header[k] for k in codes if k not in complete],
    }


class _Codes:
    """Distinct texts of a column, and the position of each row's text in them."""

    def __init__(self, *, is_path: bool, limit: float) -> None:
        self.texts: dict[str, int] = {}
        self._part = slice(-MAX_PATH, None) if is_path else slice(MAX_NAME)
        self._limit = limit
        self._blocks: list[np.ndarray] = []

    @property
    def is_full(self) -> bool:
        """Whether the column has too many distinct texts to be classes."""
        return len(self.texts) > self._limit

    def code(self, text: str) -> int:
        """Return the position of a text; append a new text."""
        if self.is_full:
            return 0
        return self.texts.setdefault(text.strip()[self._part], len(self.texts))

    def code_of_plain(self, text: str) -> int:
        """Return the position of a text; raise ValueError for quotation marks and several lines.

        NumPy keeps quotation marks that follow a space. Without a closing mark, the text would
        contain all further lines.
        """
        if '"' in text or "\n" in text:
            raise ValueError
        return self.code(text)

    def append(self, codes: np.ndarray) -> None:
        """Append the codes of further rows."""
        self._blocks.append(codes.astype("<i8"))

    def write(self, path: Path) -> None:
        np.save(path, np.concatenate(self._blocks))


#: Column of texts -> its codes.
_CodesOfColumns = dict[int, _Codes]
#: Yields the rows of a table as float64, with codes in place of texts, and the share read so far.
_Reader = Callable[[str, _Layout, _CodesOfColumns], Iterator[tuple[np.ndarray, float]]]


def _write_blocks(
    path: str, layout: _Layout, budget: int, out: Path, read: _Reader
) -> tuple[int, _CodesOfColumns]:
    """Write the numbers; return the number of rows, and the codes of texts."""
    # A column with more distinct texts in a score table has names of files, not of classes.
    limit = math.inf if layout.finite else MAX_COLUMNS
    codes = {k: _Codes(is_path=k in layout.paths, limit=limit) for k in layout.texts}
    index = layout.header.index("") if layout.finite and "" in layout.header else None
    numbers = layout.numbers

    def blocks() -> Iterator[np.ndarray]:
        n = 0
        for table, share in read(path, layout, codes):
            rows = np.arange(n, n := n + len(table))
            with np.errstate(over="ignore"):
                values = table[:, numbers].astype("<f4")
            is_counted = index is None or np.array_equal(table[:, index], rows)
            if not is_counted or (layout.finite and not np.isfinite(values).all()):
                raise ValueError
            if n * len(numbers) * 4 > budget:
                raise Refused(f"expected at most {budget:,} bytes of numbers; got more")
            for k, column in codes.items():
                column.append(table[:, k])
            worker.report_progress(share=share)
            yield values

    return write_rows(out / f"{layout.matrix}.npy", blocks(), len(numbers)), codes


def _read_blocks(
    path: str, layout: _Layout, codes: _CodesOfColumns
) -> Iterator[tuple[np.ndarray, float]]:
    """Read plain numbers and single-line texts; raise ValueError for other tables."""
    n = len(layout.header)
    options: dict[str, Any] = {"delimiter": layout.separator, "comments": None, "quotechar": '"'}
    options |= {"ndmin": 2, "max_rows": max(1, BLOCK // n)}
    options["converters"] = {k: column.code_of_plain for k, column in codes.items()}
    if layout.percents or layout.decimal != ".":
        raise ValueError
    with _open_table(path, "strict") as (lines, _), warnings.catch_warnings():
        # NumPy warns at the end of the file and of blank lines.
        warnings.simplefilter("ignore", UserWarning)
        if layout.titled:
            lines.readline(MAX_HEADER)
        while len(table := np.loadtxt(lines, **options)):
            if table.shape[1] != n:
                raise ValueError
            yield table, _share(lines)


def _read_rows(
    path: str, layout: _Layout, codes: _CodesOfColumns
) -> Iterator[tuple[np.ndarray, float]]:
    """Read a table row by row; raise Refused for the first fault, with its line."""
    n_columns = len(layout.header)
    block: list[list[float]] = []
    csv.field_size_limit(MAX_FIELD)
    with _open_table(path, "surrogateescape") as (lines, above):
        reader = csv.reader(lines, delimiter=layout.separator, skipinitialspace=True, strict=True)
        rows = (row for row in reader if not _is_blank(row))
        line = above + 1
        try:
            if layout.titled:
                next(reader, None)
            for n, row in enumerate(rows):
                line = above + reader.line_num
                if len(row) == n_columns + 1 and not row[-1]:
                    row.pop()  # a separator at the end of every row, but not of the titles
                if len(row) != n_columns:
                    raise Refused(f"expected {n_columns} fields; got {len(row)}")
                try:
                    block.append([_value(text, k, n, layout, codes) for k, text in enumerate(row)])
                except Refused:
                    if n == 0:
                        _refuse_names(layout, row, next(rows, []))
                    raise
                if len(block) * n_columns >= BLOCK:
                    yield np.array(block), _share(lines)
                    block = []
        except csv.Error as error:
            got = f"expected CSV; got other text ({error})"
            raise Refused(got, f"line {above + reader.line_num}") from None
        except Refused as refusal:
            where = ", ".join(filter(None, (f"line {line}", refusal.where)))
            raise Refused(str(refusal), where) from None
    if block:
        yield np.array(block), 1.0


def _is_blank(row: Sequence[str]) -> bool:
    """Whether a row is a blank line or a comment between the rows of a table."""
    return len(row) < 2 and (not row or not row[0] or row[0].startswith("#"))


def _value(text: str, k: int, n: int, layout: _Layout, codes: _CodesOfColumns) -> float:
    """Return the number, or the code of the text, in column k of row n; refuse other texts."""
    if not text.isascii() and any("\udc80" <= c <= "\udcff" for c in text):
        raise Refused("expected UTF-8 text; got other bytes")
    if k in codes:
        return codes[k].code(text)
    text, name = text.strip(), layout.header[k]
    if layout.finite and not name and text != str(n):
        fault = f"expected a name for column {k + 1}, or the row's number {n} in it"
        raise Refused(f"{fault}; got {text[:40]!r}")
    if not layout.finite and text in MISSING:
        return math.nan
    number, where = text.replace(layout.decimal, "."), f"column {name!r}"
    if k in layout.percents:
        if not PERCENT.fullmatch(text):
            raise Refused(f"expected a percentage in every row; got {text[:40]!r}", where)
        return float(number.rstrip(" %")) / 100
    if is_number(number) and (not layout.finite or abs(float(number)) <= MAX_FLOAT):
        return float(number)
    expected = "a finite number" if layout.finite else "a number"
    raise Refused(f"expected {expected}; got {text[:40]!r}", where)


def _refuse_names(layout: _Layout, first: Sequence[str], second: Sequence[str]) -> None:
    """Refuse a column of numbers that has other texts in the first two rows."""
    for k, text in enumerate(first):
        fields = [text.strip(), *(field.strip() for field in second[k : k + 1])]
        is_text = not any(_is_number(field.replace(layout.decimal, ".")) for field in fields)
        if len(fields) == 2 and is_text and k not in (*layout.texts, *layout.percents):
            raise Refused(
                f"expected numbers; got strings such as {text[:40]!r}: a list of files or names "
                "is not a table of numbers",
                f"column {layout.header[k]!r}",
            )


def _share(lines: TextIO) -> float:
    """Return the share of a text that was read so far."""
    return min(1.0, lines.buffer.tell() / max(1, os.fstat(lines.fileno()).st_size))


def _header(path: str, texts: Mapping[str, bool]) -> list[str]:
    """Return the column names of a CSV file of features or class embeddings."""
    csv.field_size_limit(MAX_FIELD)
    with _open_table(path) as (lines, _):
        line = lines.readline(MAX_HEADER)
    try:
        header = [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        raise Refused("expected closed quotation marks; got an open one", "line 1") from None
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated or len(header) > MAX_COLUMNS:
        twice = f", {repeated[0]!r} more than once" if repeated else ""
        raise Refused(
            f"expected at most {MAX_COLUMNS:,} columns, each once; got {len(header):,}{twice}",
            "line 1",
        )
    for name, required in texts.items():
        if required and name not in header:
            raise Refused(f"expected a column {name!r}; got {', '.join(header[:6])}", "line 1")
    if not set(header) - set(texts) - {*INDEX}:
        raise Refused("expected at least one column of numbers; got none", "line 1")
    return header


def _separator(head: Sequence[str]) -> str:
    """Return the separator of a score table, one of :data:`SEPARATORS`.

    It splits both of the first two lines into the same number of fields, at least two; of several
    possible separators, the one with the most fields is returned, by default a comma.
    """
    best, limit = ",", 1
    signs = SEPARATORS.replace(",", "") if head and has_decimal_commas(head[-1]) else SEPARATORS
    for sign in signs:
        try:
            counts = [len(row) for row in csv.reader(head, delimiter=sign)]
        except (csv.Error, ValueError):
            continue
        if len(counts) == 2 and counts[0] == counts[1] > limit:
            best, limit = sign, counts[0]
    return best


def _first_lines(path: str) -> tuple[list[str], list[str], str]:
    """Return the column names of a score table, its first row, and its separator."""
    csv.field_size_limit(MAX_FIELD)
    with _open_table(path) as (lines, _):
        below = islice(iter(partial(lines.readline, MAX_HEADER), ""), MAX_HEAD_LINES)
        first_two = [*islice((line for line in below if line.strip()), 2)]
    head = [line.lstrip("# ").rstrip("\r\n") for line in first_two]
    n_columns = 1 + max((line.count(sign) for line in head for sign in SEPARATORS), default=0)
    if n_columns > MAX_COLUMNS:  # checked before the lines are split
        got = "more" if max(map(len, first_two)) == MAX_HEADER else f"{n_columns:,}"
        raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {got}", "line 1")
    separator = _separator(head)
    try:
        header, *rows = [
            [field.strip() for field in row] for row in csv.reader(head, delimiter=separator)
        ]
    except (csv.Error, ValueError):
        raise Refused("expected column names; got none", "line 1") from None
    if len(header) > MAX_COLUMNS:
        raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {len(header):,}", "line 1")
    if not rows or not rows[0]:
        raise Refused("expected a table with at least one row; got none")
    are_classes = all(map(str.isdigit, header)) and len({*header}) == len(header)
    is_row = len(header) > 2 and (are_classes or _are_scores(header))
    if all(map(_is_number, header)) and not is_row:
        raise Refused(
            "expected column names, such as y_true,y_pred or label and class names; got numbers, "
            f"{', '.join(header[:3])}",
            "line 1",
        )
    first = rows[0][: len(header)]
    if separator == "|" and not "".join(first).strip("-: "):
        raise Refused(
            "expected CSV; got a table in Markdown; leave out the line of dashes", "line 2"
        )
    return header, [*first, *("0" for _ in range(len(header) - len(first)))], separator


@contextmanager
def _open_table(path: str, errors: str = "replace") -> Iterator[tuple[TextIO, int]]:
    """Open a text as the csv module expects it, below blank lines and comments in one cell.

    Yields the text, and the number of lines above.
    """
    with open(path, encoding=encoding_of(path), errors=errors, newline="") as file:
        above = count_lines_above(iter(partial(file.readline, MAX_HEADER), ""))
        file.seek(0)
        for _ in range(above):
            file.readline(MAX_HEADER)
        yield file, above


def _is_number(text: str) -> bool:
    """Whether a field is a number, which may be missing or infinite."""
    return text in MISSING or is_number(text)
