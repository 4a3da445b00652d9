"""Readers of JSON, TOML, lines of text, and rows of CSV."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted.readers.array_names import VARIABLES
from zslcore.untrusted.readers.common import (
    MAX_NAME,
    MAX_NUMBER,
    MAX_ROW,
    TEXT_BYTES,
    Shape,
    encoding_of,
)
from zslcore.untrusted.readers.text_tables import allow_text
from zslcore.untrusted.worker import Refused

#: Kind of a text with rows -> separator of its cells.
SEPARATORS = {"CSV": ",", "TSV": "\t"}
#: Largest depth of nested brackets; results of this package have 6.
MAX_DEPTH = 20
#: Largest number of lists, objects and names in a JSON text, enough for a million rows as lists.
MAX_PARTS = 1 << 20


#: Suffixes of texts with one JSON value per line.
JSON_LINES = (".jsonl", ".ndjson")


class Json:
    """Arrays in JSON: an object of lists, or a single list, which gets the name "array".

    An object with one list of numbers per class, all of the same length, is read as the matrix
    "prototypes" with "class_names"; records are read as one list per name.
    """

    def __init__(self, path: str) -> None:
        allow_text(path)
        value = _as_columns(_parsed(path, "JSON"))
        held = value if isinstance(value, dict) else {"array": value}
        if _is_vector_a_class(held):
            prototypes = np.array(list(held.values()), dtype=np.float64)
            held = {"prototypes": prototypes, "class_names": list(held)}
        self.held = {str(name): each for name, each in held.items() if isinstance(each, _LISTS)}
        self.names = list(self.held)

    def declared(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        array = self.read(name)
        return array.shape, TEXT_BYTES if array.dtype.kind == "U" else array.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        value = self.held[name]
        if isinstance(value, np.ndarray):
            return value
        if value and all(isinstance(each, str) for each in value):
            return np.array([each[:MAX_NAME] for each in value])
        rows = value if value and all(isinstance(each, list) for each in value) else [value]
        if len({len(row) for row in rows}) > 1:
            raise Refused("expected rows of equal length, got several lengths")
        if not all(type(each) in (int, float, bool) for row in rows for each in row):
            raise Refused("expected a list of numbers or of texts, got other values")
        if any(type(each) is int and abs(each) >= MAX_NUMBER for row in rows for each in row):
            raise Refused("expected numbers below 2 ** 53, got a larger one")
        return np.array(value)


_LISTS = (list, np.ndarray)


def _as_columns(value: Any) -> Any:
    """Return records, in a list or an object, as one list per name; leave other values alone.

    A name is left out if it is missing in some records, or its values are not texts or numbers.
    """
    records = [*value.values()] if isinstance(value, dict) else value
    if not isinstance(records, list) or len(records) < 2:
        return value
    if not all(isinstance(each, dict) for each in records):
        return value
    held = {name: [each.get(name) for each in records] for name in records[0]}
    return {
        name: column
        for name, column in held.items()
        if all(isinstance(each, str | int | float) for each in column)
        and len({isinstance(each, str) for each in column}) == 1
    }


def _is_vector_a_class(held: Mapping[str, Any]) -> bool:
    """Whether an object has only lists of numbers of equal length, and no name of a variable."""
    if len(held) < 2 or not {*held}.isdisjoint(VARIABLES):
        return False
    lists = list(held.values())
    return (
        all(isinstance(each, list) and each for each in lists)
        and len({len(each) for each in lists}) == 1
        and all(type(n) in (int, float) and abs(n) < MAX_NUMBER for each in lists for n in each)
    )


# --- Small values ---------------------------------------------------------------------------------


def read_value(path: str, kind: str, most: int, out: Path) -> Any:
    """Return the value of JSON or TOML, the lines of a text, or the rows of CSV or TSV.

    More than ``most`` values, lines or rows are refused.
    """
    value: Any
    if kind in SEPARATORS:
        value = _rows(path, SEPARATORS[kind])
    elif kind == "lines":
        value = _text(path).splitlines()
    else:
        value = _parsed(path, kind)
    refuse_more(value, kind, most)
    return value


def refuse_more(value: Any, kind: str, most: int) -> None:
    """Refuse a value with more than ``most`` lines or values, or a value nested too deeply."""
    what = "lines" if kind == "lines" else "rows" if kind in SEPARATORS else "values"
    count = count_values(value) if what == "values" else len(value)
    if count > most:
        raise Refused(f"expected at most {most:,} {what}, got {count:,}")


def _text(path: str) -> str:
    text = Path(path).read_bytes()
    encoding = encoding_of(path)
    if encoding == "utf-8-sig" and b"\0" in text:
        raise Refused("expected a text of lines, got a binary file")
    return text.decode(encoding, "replace")


def _rows(path: str, separator: str) -> list[list[str]]:
    """Return the cells of each row; a blank line is a row without cells."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), delimiter=separator)
    try:
        return list(reader)
    except csv.Error as error:
        raise Refused(
            f"expected CSV, got other text ({error})", f"line {reader.line_num}"
        ) from None


def _parsed(path: str, kind: str) -> Any:
    text = Path(path).read_bytes()
    if encoding_of(path) == "utf-16":
        text = text.decode("utf-16", "replace").encode()
    if kind == "JSON" and path.lower().endswith(JSON_LINES):
        text = b"[" + b",".join(line for line in text.splitlines() if line.strip()) + b"]"
    try:
        return parse_json(text) if kind == "JSON" else tomllib.loads(text.decode())
    except UnicodeDecodeError:
        raise Refused(f"expected {kind} as UTF-8 text, got other bytes") from None
    except RecursionError:
        raise Refused(f"expected {kind}, got brackets that are nested too deep") from None
    except ValueError as error:
        raise Refused(f"expected {kind}, got other text ({error})") from None


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text.

    A repeated name is refused: Python would keep its last value. Objects, lists and names are
    counted before parsing, since an empty object of two characters takes 64 bytes in memory.
    """
    n = sum(map(text.count, (b"{", b"[", b":")))
    if n > MAX_PARTS:
        raise Refused(f"expected at most {MAX_PARTS:,} lists, objects and names in it, got {n:,}")
    return json.loads(text, object_pairs_hook=_with_unique_names)


def _with_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise Refused(f"expected every name of an object once, got {twice[:80]!r} more than once")
    return value


def count_values(value: Any) -> int:
    """Count nested values; refuse a value that is nested too deep."""
    count, level, depth = 0, [value], 0
    while level:
        count += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise Refused(f"expected at most {MAX_DEPTH} nested brackets, got more")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return count


def read_split(path: str, schema: str, parts: list[str], out: Path) -> list[str]:
    """Write the rows of each part of a split; return the names of these parts."""
    content = _parsed(path, "JSON")
    if not isinstance(content, dict) or "schema" not in content:
        raise Refused(f"expected a split as JSON, {schema!r}, got other JSON")
    if content["schema"] != schema:
        raise Refused(f"expected the schema {schema!r}, got {str(content['schema'])[:40]!r}")
    rows_of_part = content.get("parts")
    if not isinstance(rows_of_part, dict):
        raise Refused("expected a split as JSON with its parts, got none")
    present = [part for part in parts if part in rows_of_part]
    for part in present:
        rows, where = rows_of_part[part], f"variable {part!r}"
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise Refused("expected a list of whole numbers for every part", where)
        outside = [row for row in rows if not -MAX_ROW <= row <= MAX_ROW]
        if outside:
            raise Refused(f"expected row numbers up to {MAX_ROW:,}, got {outside[0]:,}", where)
        np.save(out / f"{part}.npy", np.array(rows, dtype=np.int64))
    return present
