"""Readers of CSV files with known columns, and of tables of scores."""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    encoding_of,
    is_number,
)
from zslcore.untrusted.worker import Refused

#: Texts that stand for a missing number.
MISSING = ("", "nan", "NaN", "NA", "N/A", "null", "None", "-nan")
#: A number in percent.
PERCENT = re.compile(r"\s*[-+]?\d+([.,]\d+)?(e[-+]?\d+)?\s*%\s*", re.IGNORECASE)
MAX_COLUMNS, MAX_HEADER, MAX_FIELD = 1 << 16, 4 << 20, 1 << 20
#: Separators of a score table.
SEPARATORS = ",;\t"
#: Largest number of values that are parsed at a time.
BLOCK = 1 << 18


class _Layout(NamedTuple):
    """Layout of a CSV file: its columns by number, and the numbers that are allowed.

    ``paths`` are the columns of ``texts`` in which long texts are cut to their end;
    ``percents`` are columns of numbers in percent. With ``finite``, every number is finite, and a
    column without a name numbers the rows.
    """

    header: list[str]
    texts: list[int]
    paths: frozenset[int] = frozenset()
    percents: frozenset[int] = frozenset()
    separator: str = ","
    decimal: str = "."
    finite: bool = False

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
    infinite.
    """
    header, first, separator = _first_lines(path)
    stripped = [field.rstrip(" %") for field in first]
    decimal = "," if separator != "," and any(map(DECIMAL_COMMA.fullmatch, stripped)) else "."
    named = {k for k, name in enumerate(header) if is_named(name, (*LABELS, *PREDICTED))}
    percents = frozenset(k for k, field in enumerate(first) if PERCENT.fullmatch(field)) - named
    texts = [
        k
        for k, field in enumerate(first)
        if k in named or (k not in percents and not _is_number(field.replace(decimal, ".")))
    ]
    layout = _Layout(header, texts, percents=percents, separator=separator, decimal=decimal)
    return _write_columns(path, layout, budget, out)


def _write_columns(path: str, layout: _Layout, budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a CSV file as a matrix, and the texts of column k as "text_k".

    pandas reads the file block by block, so that the whole table is never in memory; a file that
    pandas refuses is read again to find the line. Returns the names of the columns of numbers; by
    file of codes, the name of a column and its distinct texts; and the names of the columns with
    too many distinct texts to be classes, which are left out of a score table.
    """
    numbers = layout.numbers
    codes = {k: _Codes() for k in layout.texts}
    worker.import_libraries("pandas")
    worker.raise_memory_limit(3 * budget)
    import pandas as pd

    def blocks() -> Iterator[np.ndarray]:
        n = 0
        for frame, share in _read_frames(path, layout):
            for k in layout.percents:
                frame[k] = _fractions(frame[k], layout.header[k], layout.decimal)
            with np.errstate(over="ignore"):
                values = frame[numbers].to_numpy("<f4")
            rows = np.arange(n, n := n + len(frame))
            _check_block(path, layout, frame, values, rows)
            if n * len(numbers) * 4 > budget:
                raise Refused(f"expected at most {budget:,} bytes of numbers; got more")
            for k, column in [*codes.items()]:
                texts = frame[k].str.strip().str
                column.append(texts[-MAX_PATH:] if k in layout.paths else texts[:MAX_NAME])
                if len(column.texts) > MAX_COLUMNS and not layout.finite:  # such as file names
                    del codes[k]
            worker.report_progress(share=share)
            yield values

    try:
        n = write_rows(out / f"{layout.matrix}.npy", blocks(), len(numbers))
    except (ValueError, pd.errors.ParserWarning):
        raise _fault(path, layout) from None
    if not n:
        of_numbers = " of numbers" if layout.finite else ""
        raise Refused(f"expected a table with at least one row{of_numbers}; got none")
    for k, column in codes.items():
        column.write(out / f"text_{k}.npy")
    return {
        "columns": [layout.header[k] for k in numbers],
        "texts": {f"text_{k}": [layout.header[k], [*of.texts]] for k, of in codes.items()},
        "left_out": [layout.header[k] for k in layout.texts if k not in codes],
    }


def _check_block(
    path: str, layout: _Layout, frame: Any, values: np.ndarray, rows: np.ndarray
) -> None:
    """Raise ValueError for numbers that are not finite, and for an index that does not count rows.

    In a score table, missing numbers are allowed, but not lines with too few fields.
    """
    if not layout.finite:
        last = len(layout.header) - 1
        if last in layout.numbers and np.isnan(values[:, -1]).any():
            _refuse_short_lines(path, layout)
        return
    index = layout.header.index("") if "" in layout.header else None
    if not np.isfinite(values).all() or (index is not None and (frame[index] != rows).any()):
        raise ValueError


def _read_frames(path: str, layout: _Layout) -> Iterator[tuple[Any, float]]:
    """Yield blocks of a CSV file as frames, with the share of the file read so far."""
    import pandas as pd

    n = len(layout.header)
    kinds = dict.fromkeys(range(n), "float64") | dict.fromkeys(
        (*layout.texts, *layout.percents), "str"
    )
    missing: dict[str, Any] = {"na_filter": False}
    if not layout.finite:
        missing = {"keep_default_na": False, "na_values": dict.fromkeys(layout.numbers, MISSING)}
    options: dict[str, Any] = {
        "header": 0,
        "names": range(n),
        "index_col": False,
        "dtype": kinds,
        "sep": layout.separator,
        "decimal": layout.decimal,
        "skipinitialspace": True,
        "encoding": encoding_of(path),
        "chunksize": max(1, BLOCK // n),
    }
    size = max(1, Path(path).stat().st_size)
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # raised for too many fields
        with pd.read_csv(file, **options | missing) as frames:
            for frame in frames:
                yield frame, min(1.0, file.tell() / size)


def _header(path: str, texts: Mapping[str, bool]) -> list[str]:
    """Return the column names of a CSV file of features or class embeddings."""
    with _opened(path) as lines:
        line = lines.readline(MAX_HEADER)
    try:
        header = [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        raise Refused("expected column names; got an unterminated field", "line 1") from None
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated or len(header) > MAX_COLUMNS:
        twice = f", {repeated[0]!r} more than once" if repeated else ""
        raise Refused(
            f"expected at most {MAX_COLUMNS:,} different columns; got {len(header):,}{twice}",
            "line 1",
        )
    for name, required in texts.items():
        if required and name not in header:
            raise Refused(f"expected a column {name!r}; got {', '.join(header[:6])}", "line 1")
    if not set(header) - set(texts) - {*INDEX}:
        raise Refused("expected at least one column of numbers; got none", "line 1")
    return header


def _fault(path: str, layout: _Layout) -> Refused:
    """Return the first fault, with its line, of a CSV file that pandas refuses."""
    header, decimal = layout.header, layout.decimal
    is_right = _is_finite if layout.finite else _is_number
    csv.field_size_limit(MAX_FIELD)
    with _opened(path, "surrogateescape") as lines:
        reader = csv.reader(lines, delimiter=layout.separator)
        next(reader, None)
        try:
            for n, row in enumerate(filter(None, reader)):
                line = f"line {reader.line_num}"
                if len(row) != len(header):
                    return Refused(f"expected {len(header)} fields; got {len(row)}", line)
                for k, (name, text) in enumerate(zip(header, row, strict=True)):
                    if any("\udc80" <= c <= "\udcff" for c in text):
                        return Refused("expected UTF-8 text; got other bytes")
                    if not name and text.strip() != str(n):
                        fault = f"expected a name for column {k + 1}, or the row's number {n} in it"
                        return Refused(f"{fault}; got {text[:40]!r}", line)
                    if (
                        name
                        and k not in (*layout.texts, *layout.percents)
                        and not is_right(text.strip().replace(decimal, "."))
                    ):
                        below = next(filter(None, reader), [])[k : k + 1]
                        if (
                            n == 0
                            and text.strip()
                            and below
                            and not is_right(below[0].strip().replace(decimal, "."))
                        ):
                            return Refused(
                                f"expected numbers; got strings such as {text[:40]!r}: a list of "
                                "files or names is not a table of numbers",
                                f"column {name!r}",
                            )
                        line = f"{line}, column {name!r}"
                        fault = "a finite number" if layout.finite else "a number"
                        return Refused(f"expected {fault}; got {text[:40]!r}", line)
        except csv.Error as error:
            line = f"line {reader.line_num}"
            return Refused(f"expected CSV; got other text ({error})", line)
    return Refused("expected numbers; got something else")


def _is_finite(text: str) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.float32(text)))
    except ValueError:
        return False


def _fractions(column: Any, title: str, decimal: str) -> np.ndarray:
    """Return the fractions of a column in percent; refuse a cell without a percent sign."""
    texts = column.str.strip()
    missing = texts.isin(MISSING)
    odd = texts[~missing & ~texts.str.fullmatch(PERCENT)]
    if len(odd):
        raise Refused(
            f"expected a percentage in every row; got {odd.iloc[0][:40]!r}", f"column {title!r}"
        )
    values = texts.str.rstrip(" %").str.replace(decimal, ".").mask(missing, "nan")
    return values.to_numpy("float64") / 100


class _Codes:
    """Distinct texts of a column, and the position of each row's text in them."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self._blocks: list[np.ndarray] = []

    def append(self, column: Any) -> None:
        """Encode a column of a frame."""
        self._blocks.append(column.map(lambda text: self.texts.setdefault(text, len(self.texts))))

    def write(self, path: Path) -> None:
        np.save(path, np.concatenate(self._blocks).astype("<i8"))


def _separator(head: Sequence[str]) -> str:
    """Return the separator of a score table: a comma, a semicolon or a tab.

    A separator is possible if it splits both of the first two lines into the same number of fields,
    at least two. The possible separator with the most fields is returned, by default a comma.
    """
    best, most = ",", 1
    for sign in SEPARATORS:
        try:
            counts = [len(row) for row in csv.reader(head, delimiter=sign)]
        except (csv.Error, ValueError):
            continue
        if len(counts) == 2 and counts[0] == counts[1] > most:
            best, most = sign, counts[0]
    return best


def _first_lines(path: str) -> tuple[list[str], list[str], str]:
    """Return the column names of a score table, its first row, and its separator."""
    csv.field_size_limit(MAX_FIELD)
    with _opened(path) as lines:
        first_two = [lines.readline(MAX_HEADER), lines.readline(MAX_HEADER)]
    head = [line.rstrip("\r\n") for line in first_two if line]
    n_columns = 1 + max((line.count(sign) for line in head for sign in SEPARATORS), default=0)
    if n_columns > MAX_COLUMNS:  # before they are divided
        got = "more" if max(map(len, first_two)) == MAX_HEADER else f"{n_columns:,}"
        raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {got}", "line 1")
    separator = _separator(head)
    if head and head[0].startswith("#") and head[0][1:2] not in (separator, ""):
        raise Refused("expected column names; got a comment; delete it, or the #", "line 1")
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
    are_numbers = all(name.isdigit() for name in header)
    if all(map(_is_number, header)) and not (are_numbers and len({*header}) == len(header) > 2):
        raise Refused(
            "expected column names, such as y_true,y_pred or label and class names; got numbers, "
            f"{', '.join(header[:3])}",
            "line 1",
        )
    first = rows[0][: len(header)]
    return header, [*first, *("0" for _ in range(len(header) - len(first)))], separator


def _refuse_short_lines(path: str, layout: _Layout) -> None:
    """Refuse lines with too few fields: pandas would read missing values."""
    with _opened(path) as lines:
        reader = csv.reader(lines, delimiter=layout.separator)
        for row in filter(None, reader):
            if len(row) < (n := len(layout.header)):
                raise Refused(f"expected {n} fields; got {len(row)}", f"line {reader.line_num}")


def _opened(path: str, errors: str = "replace") -> TextIO:
    """Open a text as the csv module expects it."""
    return open(path, encoding=encoding_of(path), errors=errors, newline="")


def _is_number(text: str) -> bool:
    """Whether a field is a number, which may be missing or infinite."""
    return text in MISSING or is_number(text)
