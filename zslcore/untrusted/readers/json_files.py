"""Readers of JSON, TOML, lines of text, and rows of CSV."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted.readers.array_names import (
    COUNTERS,
    LABELS,
    PREDICTED,
    SCORE_VARIABLES,
    VARIABLES,
    is_named,
)
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
SEPARATORS = {"CSV": ",", "TSV": "\t", "CSV with semicolons": ";"}
#: Largest depth of nested brackets; results of this package have 6.
MAX_DEPTH = 20
#: Largest number of lists, objects and names in a JSON text, enough for a million rows as lists.
MAX_PARTS = 1 << 20


#: Suffixes of texts with one JSON value per line.
JSON_LINES = (".jsonl", ".ndjson")


class Json:
    """Arrays in JSON: {name: list}, or a single list, which gets the name "array".

    An object with one vector per class ({class: list of numbers} or {class: {name: number}}), in
    which all vectors have the same length, is read as the matrix "prototypes" with "class_names".
    Records, and tables written by pandas, are read as one list per name; their columns of numbers
    form the matrix "values", with names in "columns".
    """

    def __init__(self, value: Any) -> None:
        held = _innermost(value)
        if _is_vector_a_class(held):
            classes, vectors = [*held], [*held.values()]
            if isinstance(vectors[0], dict):
                held = {"columns": [*vectors[0]]}
                vectors = [[each[name] for name in vectors[0]] for each in vectors]
            else:
                held = {}
            held |= {"prototypes": np.array(vectors, dtype=np.float64), "class_names": classes}
        elif records := _records_of(held):
            held = _as_columns(records)
        elif not isinstance(held, dict):
            held = {"array": held}
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
            raise Refused("expected rows of equal length; got several lengths")
        if not all(type(each) in (int, float, bool) for row in rows for each in row):
            raise Refused("expected a list of numbers or of texts; got other values")
        if any(type(each) is int and abs(each) >= MAX_NUMBER for row in rows for each in row):
            raise Refused("expected numbers below 2 ** 53; got a larger one")
        return np.array(value)


def open_json(path: str) -> Json:
    """Return the arrays of a JSON text."""
    allow_text(path)
    return Json(_parsed(path, "JSON"))


_LISTS = (list, np.ndarray)
#: Names of columns of records that are labels or predicted classes.
OF_IMAGES = (*LABELS, *PREDICTED)
#: Names of columns of records that are separate lists, not part of the matrix "values".
OWN = (*VARIABLES, *OF_IMAGES, *COUNTERS, "split")
#: Names of columns with one score per class in every record.
SCORED = (*SCORE_VARIABLES, *PREDICTED)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _innermost(value: Any) -> Any:
    """Return the only table of a JSON object that has no other lists, else the value itself."""
    if not isinstance(value, dict) or any(map(_is_table, (value, {0: value}))):
        return value
    tables = [each for each in value.values() if _is_table(each)]
    lists = [each for each in value.values() if isinstance(each, list)]
    return tables[0] if len(tables) == 1 and lists in ([], tables) else value


def _is_table(value: Any) -> bool:
    """Whether a value is a table: a list of records, or an object {name: list}."""
    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(each, dict) for each in value)
    return isinstance(value, dict) and bool(value) and all(map(_is_list, value.values()))


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _records_of(value: Any) -> list[dict[str, Any]]:
    """Return the records of a list, of {image: record} or of a table of pandas; [] without any."""
    if not isinstance(value, dict):
        records = value if isinstance(value, list) else []
        if records and all(map(_by_class, records)) and isinstance(records[0], list):
            return [{"scores": each} for each in records]
    elif {*value} == {"columns", "index", "data"} and all(map(_is_list, value["data"])):
        records = [dict(zip(value["columns"], row, strict=False)) for row in value["data"]]
    elif not all(isinstance(each, dict) for each in value.values()):
        return []
    elif any(is_named(name, OF_IMAGES) for name in value):  # columns, each with values by row
        first = next(iter(value.values()))
        records = [{name: column.get(row) for name, column in value.items()} for row in first]
    else:
        records = [*value.values()]
    return records if len(records) > 1 and all(isinstance(r, dict) for r in records) else []


def _as_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one list per name, and the columns of numbers as the matrix "values".

    A name is kept if all records have it, with values of one kind: numbers, texts, lists of
    numbers, or scores of the same classes.
    """
    columns: dict[str, list[Any]] = {
        name: [each.get(name) for each in records] for name in records[0]
    }
    listed = [c for c in columns.values() if all(map(_is_list, c))]
    named = [c for c in listed if all(isinstance(text, str) for each in c for text in each)]
    held: dict[str, Any] = {}
    for name, column in columns.items():
        if named and column in listed and [*map(len, column)] == [*map(len, named[0])]:
            column = [dict(zip(*pair, strict=True)) for pair in zip(named[0], column, strict=True)]
        scores = [_by_class(each) for each in column] if is_named(name, SCORED) else [None]
        first = scores[0]
        if first is not None:
            if all(each is not None and {*each} == {*first} for each in scores):
                held[name] = [[each[c] for c in first] for each in scores if each is not None]
                held["class_names"] = [*first]
        elif _is_uniform(column):
            held[name] = column
    numbers = [n for n, c in held.items() if _is_number(c[0]) and not is_named(n, OWN)]
    if len(numbers) > 1:
        held |= {"values": np.array([held.pop(n) for n in numbers], dtype=np.float64).T}
        held["columns"] = numbers
    return held


def _by_class(value: Any) -> dict[str, float] | None:
    """Return scores by class, from {class: score} or a list of {label, score}; else None."""
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        pairs = [sorted(each.values(), key=_is_number) for each in value]
        if not all(len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
            return None
        value = dict(pairs)
    if not isinstance(value, dict) or not value or not all(map(_is_number, value.values())):
        return None
    return value


def _is_uniform(column: Sequence[Any]) -> bool:
    """Whether all values are texts, all are numbers, or all are lists of numbers of one length."""
    if all(map(_is_list, column)):
        width = {len(each) for each in column}
        return len(width) == 1 and all(_is_number(n) for each in column for n in each)
    are_scalars = all(isinstance(each, str | int | float) for each in column)
    return are_scalars and len({isinstance(each, str) for each in column}) == 1


def _is_vector_a_class(value: Any) -> bool:
    """Whether an object is {class: vector}, with vectors of equal length and no variable's name.

    A vector is a list of numbers, or an object {name: number} with the same names in all vectors.
    """
    if not isinstance(value, dict) or len(value) < 2 or not {*value}.isdisjoint(VARIABLES):
        return False
    vectors = list(value.values())
    if all(isinstance(each, dict) and each for each in vectors):
        if any({*each} != {*vectors[0]} for each in vectors):
            return False
        if any(is_named(name, OWN) for name in (*value, *vectors[0])):
            return False
        vectors = [[*each.values()] for each in vectors]
    return (
        all(isinstance(each, list) and each for each in vectors)
        and len({len(each) for each in vectors}) == 1
        and all(_is_number(n) and abs(n) < MAX_NUMBER for each in vectors for n in each)
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
        raise Refused(f"expected at most {most:,} {what}; got {count:,}")


def _text(path: str) -> str:
    text = Path(path).read_bytes()
    encoding = encoding_of(path)
    if encoding == "utf-8-sig" and b"\0" in text:
        raise Refused("expected a text of lines; got a binary file")
    return text.decode(encoding, "replace")


def _rows(path: str, separator: str) -> list[list[str]]:
    """Return the cells of each row; a blank line is a row without cells."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), delimiter=separator)
    try:
        return list(reader)
    except csv.Error as error:
        raise Refused(
            f"expected CSV; got other text ({error})", f"line {reader.line_num}"
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
        raise Refused(f"expected {kind} as UTF-8 text; got other bytes") from None
    except RecursionError:
        raise Refused(f"expected {kind}; got brackets that are nested too deep") from None
    except ValueError as error:
        raise Refused(f"expected {kind}; got other text ({error})") from None


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text.

    A repeated name is refused: Python would keep its last value. Objects, lists and names are
    counted before parsing, since an empty object of two characters takes 64 bytes in memory.
    """
    n = sum(map(text.count, (b"{", b"[", b":")))
    if n > MAX_PARTS:
        raise Refused(f"expected at most {MAX_PARTS:,} lists, objects and names in it; got {n:,}")
    return json.loads(text, object_pairs_hook=_with_unique_names)


def _with_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise Refused(f"expected every name of an object once; got {twice[:80]!r} more than once")
    return value


def count_values(value: Any) -> int:
    """Count nested values; refuse a value that is nested too deep."""
    count, level, depth = 0, [value], 0
    while level:
        count += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise Refused(f"expected at most {MAX_DEPTH} nested brackets; got more")
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
        raise Refused(f"expected a split as JSON, {schema!r}; got other JSON")
    if content["schema"] != schema:
        raise Refused(f"expected the schema {schema!r}; got {str(content['schema'])[:40]!r}")
    rows_of_part = content.get("parts")
    if not isinstance(rows_of_part, dict):
        raise Refused("expected a split as JSON with its parts; got none")
    present = [part for part in parts if part in rows_of_part]
    for part in present:
        rows, where = rows_of_part[part], f"variable {part!r}"
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise Refused("expected a list of whole numbers for every part", where)
        outside = [row for row in rows if not -MAX_ROW <= row <= MAX_ROW]
        if outside:
            raise Refused(f"expected row numbers up to {MAX_ROW:,}; got {outside[0]:,}", where)
        np.save(out / f"{part}.npy", np.array(rows, dtype=np.int64))
    return present
