"""Parse untrusted CSV, JSON, TOML and lists of names in the sandboxed child.

Everything here runs in the process of :mod:`zslcore.datasets.sandbox.child`, with its limits. A
table is read block by block and written as a float32 ``.npy`` file, so that neither this process
nor the server ever holds the whole of it; what is small is written again as plain JSON.
"""

from __future__ import annotations

import csv
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

__all__ = ["LABELS", "RefusedError", "count_values", "read_csv", "read_split", "read_value"]

#: Called with the share of the file that is read by now.
Progress = Callable[[float], None]

#: What a column of labels is called in a table of scores.
LABELS = ("label", "labels", "class", "y", "y_true", "target", "true")

MAX_COLUMNS = 1 << 16
MAX_HEADER = 4 << 20
#: Longest field of a table, and most values of one block.
MAX_FIELD, BLOCK = 1 << 20, 1 << 18
MAX_NAME, MAX_PATH = 256, 200
#: Brackets inside each other that a value may have; results of ours have 6.
MAX_DEPTH = 20
#: Row numbers fit into 32 bits everywhere: in MATLAB's files, and in whatever reads ours.
MAX_ROW = 2**31 - 1


class RefusedError(Exception):
    """What was expected and what came, for the sentence that the parent builds.

    Attributes
    ----------
    variable : the variable that is meant, where it is not the one read last
    place : where in a text, as "line 3, column 'f2'"
    """

    def __init__(self, sentence: str, variable: str = "", *, place: str = "") -> None:
        super().__init__(sentence)
        self.variable, self.place = variable, place


class Rows(Protocol):
    """A :func:`csv.reader`."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


# --- Tables ---------------------------------------------------------------------------------------


def read_csv(
    path: str, out: Path, texts: Mapping[str, bool], budget: int, on_progress: Progress
) -> None:
    """Write the columns of a CSV file: numbers as one matrix, texts as codes of distinct values.

    Leaves ``features.npy``, ``columns.json`` and, for every column of texts, ``<column>.npy`` with
    ``<column>.json``.

    Parameters
    ----------
    path : str
    out : Path
    texts : columns that hold texts -> whether they have to be there; all others hold numbers
    budget : most bytes of the matrix
    on_progress : called with the share that is read
    """
    csv.field_size_limit(MAX_FIELD)
    header, index = _header(path, texts)
    with open(path, "rb") as file:
        lines = TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        reader = csv.reader(lines)
        next(reader, None)
        table = _Table(out, header, index, set(texts), budget)
        size = max(1, Path(path).stat().st_size)
        try:
            for row in _rows(reader, len(header)):
                if table.add(row, reader.line_num):
                    on_progress(file.tell() / size)
            table.finish()
        except csv.Error as error:
            place = f"line {reader.line_num}"
            raise RefusedError(
                f"expected CSV, got text that is none ({error})", place=place
            ) from None
        finally:
            table.close()


def _header(path: str, texts: Mapping[str, bool]) -> tuple[list[str], int | None]:
    """Return the names of the columns, and which of them is an index without a name."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        line = lines.readline(MAX_HEADER)
    try:
        header = [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        raise RefusedError(
            "expected names of columns, got a field without end", place="line 1"
        ) from None
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice or len(header) > MAX_COLUMNS:
        which = f", {twice[0]!r} more than once" if twice else ""
        raise RefusedError(
            f"expected at most {MAX_COLUMNS:,} different columns, got {len(header):,}{which}",
            place="line 1",
        )
    for name, required in texts.items():
        if required and name not in header:
            got = ", ".join(header[:6])
            raise RefusedError(f"expected a column {name!r}, got {got}", place="line 1")
    if not set(header) - set(texts) - {""}:
        raise RefusedError("expected at least one column of numbers, got none", place="line 1")
    return header, header.index("") if "" in header else None


def _rows(reader: Rows, width: int) -> Iterator[list[str]]:
    """Yield rows that are as wide as the header; empty lines are none."""
    for row in reader:
        if row:
            if len(row) != width:
                raise RefusedError(
                    f"expected {width} fields, got {len(row)}", place=f"line {reader.line_num}"
                )
            yield row


class _Table:
    """What is written of a table, block by block."""

    def __init__(
        self, out: Path, header: list[str], index: int | None, texts: set[str], budget: int
    ) -> None:
        self.out, self.header, self.index, self.budget = out, header, index, budget
        self.texts = {name: i for i, name in enumerate(header) if name in texts}
        self.numbers = [i for i, n in enumerate(header) if n not in texts and i != index]
        self.codes: dict[str, list[int]] = {name: [] for name in self.texts}
        self.known: dict[str, dict[str, int]] = {name: {} for name in self.texts}
        self.block: list[list[str]] = []
        self.lines: list[int] = []
        self.n = 0
        self.file: BinaryIO = (out / "features.npy").open("w+b")
        self._write_header()

    def add(self, row: list[str], line: int) -> bool:
        """Take in one row; whether a block was written."""
        if self.index is not None and row[self.index].strip() != str(self.n):
            raise RefusedError(
                f"expected a name for column {self.index + 1}, or the row's number {self.n} in it, "
                f"got {row[self.index][:40]!r}",
                place=f"line {line}",
            )
        for name, i in self.texts.items():
            text = row[i][-MAX_PATH:] if name == "image_file" else row[i][:MAX_NAME]
            known = self.known[name]
            self.codes[name].append(known.setdefault(text, len(known)))
        self.block.append([row[i] for i in self.numbers])
        self.lines.append(line)
        self.n += 1
        full = len(self.block) * len(self.numbers) >= BLOCK
        if full:
            self._write_block()
        return full

    def finish(self) -> None:
        """Write what is left, and how many rows there are."""
        self._write_block()
        if not self.n:
            raise RefusedError("expected a table with at least one row of numbers, got none")
        self.file.seek(0)
        self._write_header()
        self._save("columns", [self.header[i] for i in self.numbers])
        for name in self.texts:
            np.save(self.out / f"{name}.npy", np.array(self.codes[name], np.int64))
            self._save(name, list(self.known[name]))

    def close(self) -> None:
        self.file.close()

    def _save(self, name: str, texts: list[str]) -> None:
        for text in texts:
            if "\udc80" <= max(text, default="") <= "\udcff":
                raise RefusedError("expected UTF-8 text, got other bytes")
        (self.out / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")

    def _write_header(self) -> None:
        """Write the header of the matrix; its length does not depend on the number of rows."""
        shape = (self.n, len(self.numbers))
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self.file, header)

    def _write_block(self) -> None:
        if not self.block:
            return
        if self.n * len(self.numbers) * 4 > self.budget:
            raise RefusedError(f"expected at most {self.budget:,} bytes of numbers, got more")
        try:
            with np.errstate(over="ignore"):
                values = np.array(self.block, dtype="<f4")
        except ValueError:
            raise self._fault() from None
        if not np.isfinite(values).all():
            raise self._fault()
        self.file.write(values.data)
        self.block, self.lines = [], []

    def _fault(self) -> RefusedError:
        """Find the first value of a block that is no finite number."""
        for k, i in enumerate(self.numbers):
            texts = [row[k] for row in self.block]
            if len(texts) > 1 and not any(map(_is_number, texts)):
                return RefusedError(
                    f"expected numbers, got texts as {texts[0][:40]!r}: a list of files or names "
                    "is no table of numbers",
                    place=f"column {self.header[i]!r}",
                )
        for row, line in zip(self.block, self.lines, strict=True):
            for i, text in zip(self.numbers, row, strict=True):
                if not _is_finite(text):
                    if any("\udc80" <= c <= "\udcff" for c in text):
                        return RefusedError("expected UTF-8 text, got other bytes")
                    place = f"line {line}, column {self.header[i]!r}"
                    got = f"got {text[:40]!r}"
                    return RefusedError(f"expected a finite number, {got}", place=place)
        return RefusedError("expected numbers, got something else")


def _is_number(text: str) -> bool:
    """Whether a text is a number, or means that one is missing, or is none that can be read."""
    try:
        float(text)
    except ValueError:
        return not text.strip() or any("\udc80" <= c <= "\udcff" for c in text)
    return True


def _is_finite(text: str) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.float32(text)))
    except ValueError:
        return False


# --- What is small --------------------------------------------------------------------------------


def read_value(path: str, out: Path, kind: str, most: int) -> None:
    """Write what a JSON or TOML file says, or the lines of a text, to ``value.json``.

    Parameters
    ----------
    path : str
    out : Path
    kind : "JSON", "TOML" or "lines"
    most : most lines, or values of any kind inside each other
    """
    if kind == "lines":
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            value: Any = file.read().splitlines()
    else:
        value = _parsed(path, kind)
    found = len(value) if kind == "lines" else count_values(value)
    if found > most:
        what = "lines" if kind == "lines" else "values"
        raise RefusedError(f"expected at most {most:,} {what}, got {found:,}")
    (out / "value.json").write_text(json.dumps(value, default=str), encoding="utf-8")


def _parsed(path: str, kind: str) -> Any:
    text = Path(path).read_bytes()
    try:
        return json.loads(text) if kind == "JSON" else tomllib.loads(text.decode())
    except UnicodeDecodeError:
        raise RefusedError(f"expected {kind} as UTF-8 text, got other bytes") from None
    except RecursionError:
        raise RefusedError(f"expected {kind}, got brackets without end") from None
    except ValueError as error:
        raise RefusedError(f"expected {kind}, got text that is none ({error})") from None


def count_values(value: Any) -> int:
    """Return how many values there are in a value, refusing what lies too deep."""
    found, level, depth = 0, [value], 0
    while level:
        found += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise RefusedError(f"expected at most {MAX_DEPTH} brackets inside each other, got more")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return found


def read_split(path: str, out: Path, schema: str, parts: list[str]) -> list[str]:
    """Write the rows of every part of a split; return the parts that are there."""
    content = _parsed(path, "JSON")
    if not isinstance(content, dict) or "schema" not in content:
        raise RefusedError(f"expected a split as JSON, {schema!r}, got other JSON")
    if content["schema"] != schema:
        raise RefusedError(f"expected the schema {schema!r}, got {str(content['schema'])[:40]!r}")
    found = content.get("parts")
    if not isinstance(found, dict):
        raise RefusedError("expected a split as JSON with its parts, got none")
    there = [part for part in parts if part in found]
    for part in there:
        rows = found[part]
        whole = isinstance(rows, list) and all(type(row) is int for row in rows)
        if not whole:
            raise RefusedError("expected a list of whole numbers for every part", part)
        outside = [row for row in rows if not -MAX_ROW <= row <= MAX_ROW]
        if outside:
            raise RefusedError(f"expected row numbers up to {MAX_ROW:,}, got {outside[0]:,}", part)
        np.save(out / f"{part}.npy", np.array(rows, dtype=np.int64))
    return there
