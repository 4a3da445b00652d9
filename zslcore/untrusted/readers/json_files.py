"""Readers of JSON and TOML."""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted.readers.array_names import (
    CLASS_LISTS,
    COUNTERS,
    LABELS,
    PREDICTED,
    SCORE_VARIABLES,
    VARIABLES,
    is_named,
)
from zslcore.untrusted.readers.common import MAX_NAME, MAX_NUMBER, TEXT_BYTES, Shape, encoding_of
from zslcore.untrusted.readers.text_tables import allow_text
from zslcore.untrusted.worker import Refused

#: Maximum depth of nested brackets; results of this package have a depth of 6.
MAX_DEPTH = 20
#: Maximum number of lists, objects and names in a JSON text, enough for a million rows as lists.
MAX_PARTS = 1 << 20
#: Maximum size in bytes of an array of texts, enough for a million names of 33 letters.
MAX_TEXT_ARRAY = 128 << 20

#: Bytes at the start of a text by which records in lines are recognised.
MAX_HEAD = 1 << 16
#: Suffixes of texts with one JSON value per line.
JSON_LINES = (".jsonl", ".ndjson")


class Json:
    """Arrays in JSON: {name: list}, or a single list, which gets the name "array".

    An object with one vector per class ({class: list of numbers} or {class: {name: number}}), all
    of the same length, is read as the matrix "prototypes" with "class_names". Records, and tables
    written by pandas, are read as one list per name; their columns of numbers form the matrix
    "values", with names in "columns", and the names of records are in the list "". Lists of classes
    next to a single table are also read. If records list only the best classes of an image, "top1"
    has the best class, and "listed" the number of listed classes.
    """

    def __init__(self, value: Any) -> None:
        value = _join_batches(value)
        lists, others = _class_lists(value)
        by_row = _has_columns_by_row(others)
        by_name = others if by_row else _find_inner_table(others)
        if by_name is others and not by_row:
            lists, by_name = {}, value
        if _has_vector_per_class(by_name):
            classes, vectors = [*by_name], [*by_name.values()]
            if isinstance(vectors[0], dict):
                by_name = {"columns": [*vectors[0]]}
                vectors = [[element[name] for name in vectors[0]] for element in vectors]
            else:
                by_name = {}
            by_name |= {"prototypes": np.array(vectors, dtype=np.float64), "class_names": classes}
        elif records := _records_of(by_name):
            by_image = by_name if by_row else {}
            by_name = {n: element for n, element in by_image.items() if isinstance(element, list)}
            by_name |= _convert_to_columns(records)
        elif not isinstance(by_name, dict):
            by_name = {"array": by_name}
        else:
            by_name = _with_scores_by_class(by_name)
        by_name = lists | by_name
        self.values = {
            str(name): element for name, element in by_name.items() if isinstance(element, _LISTS)
        }
        self.names = list(self.values)

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        array = self.read(name)
        return array.shape, TEXT_BYTES if array.dtype.kind == "U" else array.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        value = self.values[name]
        if isinstance(value, np.ndarray):
            return value
        if value and all(isinstance(element, str) for element in value):
            return _array_of_texts(value)
        rows = value if value and all(isinstance(element, list) for element in value) else [value]
        if len({len(row) for row in rows}) > 1:
            raise Refused("expected rows of equal length; got several lengths")
        if not all(type(element) in (int, float, bool) for row in rows for element in row):
            raise Refused("expected a list of numbers or strings; got other values")
        if any(
            type(element) is int and abs(element) >= MAX_NUMBER for row in rows for element in row
        ):
            raise Refused("expected numbers below 2 ** 53; got a larger one")
        return np.array(value)


def _join_batches(value: Any) -> Any:
    """Return one list per name from lists of batches; return any other value unchanged.

    Batches are records with one list per name, or one object with a list of lists per name. One of
    the lists has labels or predicted classes; lists of zeros and ones do not count as such, since
    they may be one-hot labels.
    """
    if isinstance(value, dict):
        lists = {n: v for n, v in value.items() if _is_list(v) and all(map(_is_list, v))}
        n_images = {name: [*map(len, lists_of)] for name, lists_of in lists.items()}
        labels = next((name for name in lists if is_named(name, IMAGE_COLUMNS)), None)
        if labels is None or all(y in (0, 1) for batch in lists[labels] for y in batch):
            return value
        same = [name for name in lists if n_images[name] == n_images[labels]]
        joined = {name: [*chain.from_iterable(lists[name])] for name in same}
        return value | joined if len(same) > 1 else value
    batches: list[Any] = value if isinstance(value, list) else []
    if not batches or not all(isinstance(b, dict) and {*b} == {*batches[0]} for b in batches):
        return value
    columns = [element for batch in batches for element in batch.values()]
    of_images = [batch[n] for batch in batches for n in batch if is_named(n, IMAGE_COLUMNS)]
    if not of_images or not all(map(_is_list, columns)):
        return value
    are_masks = all(element in (0, 1) for labels in of_images for element in labels)
    sizes = ({*map(len, batch.values())} for batch in batches)
    if are_masks or not all(len(size) == 1 for size in sizes):
        return value
    return {name: [*chain.from_iterable(batch[name] for batch in batches)] for name in batches[0]}


def _array_of_texts(texts: Sequence[str]) -> np.ndarray:
    """Return texts as an array, in which every text takes the bytes of the longest one."""
    size = 4 * len(texts) * min(MAX_NAME, max(map(len, texts)))
    if size > MAX_TEXT_ARRAY:
        raise Refused(
            f"expected strings that take at most {MAX_TEXT_ARRAY:,} bytes if all are as long as "
            f"the longest one; got {size:,}"
        )
    return np.array([text[:MAX_NAME] for text in texts])


def open_json(path: str) -> Json:
    """Return the arrays of a JSON text."""
    allow_text(path)
    return Json(_parse(path, "JSON"))


_LISTS = (list, np.ndarray)
#: Names of columns of records that are labels or predicted classes.
IMAGE_COLUMNS = (*LABELS, *PREDICTED)
#: Names of columns of records that are separate lists, not part of the matrix "values".
SEPARATE_COLUMNS = (*VARIABLES, *IMAGE_COLUMNS, *COUNTERS, "split")
#: Names of columns that may be an object {image: value}.
MAPPED_COLUMNS = (*IMAGE_COLUMNS, *SCORE_VARIABLES)
#: Names of columns with one score per class in every record.
SCORE_COLUMNS = (*SCORE_VARIABLES, *PREDICTED)
#: End of the name of a file, such as an image.
FILE_NAME = re.compile(r".\.[A-Za-z]\w{1,4}$")
#: Name of a list of the best classes, such as ``top5`` or ``top_5_probs``.
BEST = re.compile(r"top[_ -]?(\d++|k|n)([_ -]?\w+)?", re.IGNORECASE)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _find_inner_table(value: Any) -> Any:
    """Return the only table in a JSON object without other lists, else the value itself."""
    if not isinstance(value, dict):
        return value
    tables = [element for element in value.values() if _is_table(element)]
    lists = [element for element in value.values() if isinstance(element, list)]
    if lists != tables and any(map(_is_table, (value, {0: value}))):
        return value
    return tables[0] if len(tables) == 1 and lists in ([], tables) else value


def _class_lists(value: Any) -> tuple[dict[str, Any], Any]:
    """Return the lists of classes in an object and its inner objects, and the remaining object."""
    lists: dict[str, Any] = {}
    if not isinstance(value, dict):
        return lists, value
    others: dict[str, Any] = {}
    for name, element in value.items():
        inner = element if isinstance(element, dict) and element else {name: element}
        named = {n: v for n, v in inner.items() if is_named(n, CLASS_LISTS) and _is_class_list(v)}
        if named and not any(
            isinstance(v, list | dict) for n, v in inner.items() if n not in named
        ):
            lists |= named
        else:
            others[name] = element
    return lists, others


def _is_class_list(value: Any) -> bool:
    return _is_list(value) and all(type(element) in (str, int, bool) for element in value)


def _has_columns_by_row(value: Any) -> bool:
    """Whether an object has scores, labels or predicted classes as {image: value}."""
    return isinstance(value, dict) and any(
        isinstance(element, dict) and len(element) > 1 and is_named(name, MAPPED_COLUMNS)
        for name, element in value.items()
    )


def _with_scores_by_class(by_name: dict[str, Any]) -> dict[str, Any]:
    """Return lists by name, with a list of {class: score} as rows of scores."""
    for name, element in by_name.items():
        scores = (
            [*map(_scores_by_class, element)]
            if is_named(name, SCORE_COLUMNS) and _is_list(element)
            else [None]
        )
        classes = _classes_of(scores)
        if classes:
            rows = [[by_class[c] for c in classes] for by_class in scores if by_class is not None]
            return by_name | {name: rows, "class_names": classes}
    return by_name


def _is_table(value: Any) -> bool:
    """Whether a value is a table: a list of records, or an object {name: list}."""
    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(element, dict) for element in value)
    return isinstance(value, dict) and bool(value) and all(map(_is_list, value.values()))


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _records_of(value: Any) -> list[dict[str, Any]]:
    """Return the records in a list, in a table of pandas, or in an object by image, else []."""
    if not isinstance(value, dict):
        records = value if isinstance(value, list) else []
        if records and all(map(_scores_by_class, records)) and isinstance(records[0], list):
            return [{"scores": element} for element in records]
    elif {*value} - {"index"} == {"columns", "data"} and all(map(_is_list, value["data"])):
        records = [dict(zip(value["columns"], row, strict=False)) for row in value["data"]]
    elif _has_columns_by_row(value):
        columns = {name: element for name, element in value.items() if isinstance(element, dict)}
        rows = next(column for name, column in columns.items() if is_named(name, MAPPED_COLUMNS))
        records = [
            {"": row} | {name: column.get(row) for name, column in columns.items()} for row in rows
        ]
    elif all(map(FILE_NAME.search, value)) and _is_class_list([*value.values()]):
        records = [{"": image, LABELS[0]: label} for image, label in value.items()]
    elif not all(isinstance(element, dict) for element in value.values()):
        return []
    else:
        records = [{"": row} | record for row, record in value.items()]
    return records if len(records) > 1 and all(isinstance(r, dict) for r in records) else []


def _convert_to_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one list per name, and the columns of numbers as the matrix "values".

    A name is left out unless all records have it, with values of one kind: numbers, texts, lists of
    numbers, or scores of the same classes. A missing label or predicted class is an empty text.
    """
    columns: dict[str, list[Any]] = {
        name: [element.get(name) for element in records] for name in records[0]
    }
    for name, column in columns.items():
        if None in column and is_named(
            name, IMAGE_COLUMNS
        ):  # the reader of labels counts empty texts
            columns[name] = ["" if value is None else str(value) for value in column]
    listed = [c for c in columns.values() if all(map(_is_list, c))]
    named = [c for c in listed if all(isinstance(text, str) for element in c for text in element)]
    arrays: dict[str, Any] = {}
    best: dict[str, Any] = {}
    for name, column in columns.items():
        if named and column in listed and [*map(len, column)] == [*map(len, named[0])]:
            column = [dict(zip(*pair, strict=True)) for pair in zip(named[0], column, strict=True)]
        is_best = BEST.fullmatch(name) is not None
        is_scored = is_best or is_named(name, SCORE_COLUMNS)
        scores = [_scores_by_class(element) for element in column] if is_scored else [None]
        if classes := _classes_of(scores):
            rows = [[element[c] for c in classes] for element in scores if element is not None]
            arrays |= {"scores" if is_best else name: rows, "class_names": classes}
        elif None not in scores:
            best |= _best_of(name, [element for element in scores if element is not None])
        elif _is_uniform(column):
            arrays[name] = column
        elif is_best and all(map(_is_list, columns[name])):
            first = [element[0] for element in columns[name]]
            if all(isinstance(element, str) for element in first):
                best.setdefault("top1", first)
                best.setdefault("listed", [*map(len, column)])
    if not any(is_named(name, SCORE_COLUMNS) for name in arrays):
        arrays |= best
    numbers = [
        n for n, c in arrays.items() if _is_number(c[0]) and not is_named(n, SEPARATE_COLUMNS)
    ]
    if len(numbers) > 1:
        arrays |= {"values": np.array([arrays.pop(n) for n in numbers], dtype=np.float64).T}
        arrays["columns"] = numbers
    return arrays


def _classes_of(scores: Sequence[dict[str, float] | None]) -> list[str]:
    """Return the classes of scores by class, sorted if they are numbers; [] if classes differ."""
    first = scores[0]
    if first is None or any(element is None or {*element} != {*first} for element in scores):
        return []
    numbered = [re.fullmatch(r"(.*?)(\d{1,9})", name) for name in first]
    if all(numbered) and len({match[1] for match in numbered if match}) == 1:
        return sorted(first, key=lambda name: int(re.sub(r".*?(\d+)$", r"\1", name)))
    return [*first]


def _best_of(name: str, scores: Sequence[dict[str, float]]) -> dict[str, list[Any]]:
    """Return the best class and the number of classes of each record."""
    values = [[*element.values()] for element in scores]
    if all(
        len(element) > 1 and element == sorted(element) and element[0] < element[-1]
        for element in values
    ):
        raise Refused(
            f"expected the best class first; got scores that increase in every list of {name!r}: "
            "either they are distances, or the best class is last; write the scores of all classes"
        )
    top = [max(element, key=element.__getitem__) for element in scores]
    numbers = [int(element) if element.isdecimal() and len(element) < 10 else -1 for element in top]
    return {"top1": top if min(numbers) < 0 else numbers, "listed": [*map(len, scores)]}


def _scores_by_class(value: Any) -> dict[str, float] | None:
    """Return scores by class; None for other values.

    Scores are {class: score}, or a list of {label, score} or of pairs [class, score]. A number is
    read as a class if it is whole and the score is not.
    """
    if (
        isinstance(value, list)
        and value
        and all(isinstance(element, dict | list) for element in value)
    ):
        pairs = [[*pair.values()] if isinstance(pair, dict) else pair for pair in value]
        if all(len(p) == 2 and type(p[0]) is int and type(p[1]) is float for p in pairs):
            pairs = [[str(number), score] for number, score in pairs]
        pairs = [sorted(pair, key=_is_number) for pair in pairs]
        if not all(len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
            return None
        if len({name for name, _ in pairs}) < len(pairs):
            return None
        value = dict(pairs)
    if not isinstance(value, dict) or not value or not all(map(_is_number, value.values())):
        return None
    return value


def _is_uniform(column: Sequence[Any]) -> bool:
    """Whether all values are texts, numbers, or lists of numbers of equal length."""
    if all(map(_is_list, column)):
        width = {len(element) for element in column}
        return len(width) == 1 and all(_is_number(n) for element in column for n in element)
    are_scalars = all(isinstance(element, str | int | float) for element in column)
    return are_scalars and len({isinstance(element, str) for element in column}) == 1


def _has_vector_per_class(value: Any) -> bool:
    """Whether an object is {class: vector}: vectors of one length, no class named like a variable.

    A vector is a list of numbers, or an object {name: number} with the same names in all vectors.
    """
    if not isinstance(value, dict) or len(value) < 2 or not {*value}.isdisjoint(VARIABLES):
        return False
    vectors = list(value.values())
    if all(isinstance(vector, dict) and vector for vector in vectors):
        if any({*vector} != {*vectors[0]} for vector in vectors):
            return False
        if any(is_named(name, SEPARATE_COLUMNS) for name in (*value, *vectors[0])):
            return False
        vectors = [[*vector.values()] for vector in vectors]
    return (
        all(isinstance(vector, list) and vector for vector in vectors)
        and len({len(vector) for vector in vectors}) == 1
        and all(_is_number(n) and abs(n) < MAX_NUMBER for vector in vectors for n in vector)
    )


# --- Small values ---------------------------------------------------------------------------------


def read_value(path: str, kind: str, max_items: int, out: Path) -> Any:
    """Return the value of JSON or TOML; refuse more than ``max_items`` nested values."""
    value = _parse(path, kind)
    refuse_more(value, max_items)
    return value


def refuse_more(value: Any, max_items: int) -> None:
    """Refuse a value with more than ``max_items`` nested values, or nested too deeply."""
    if (count := count_values(value)) > max_items:
        raise Refused(f"expected at most {max_items:,} values; got {count:,}")


def _parse(path: str, kind: str) -> Any:
    text = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8)
    if encoding_of(path) == "utf-16":
        text = text.decode("utf-16", "replace").encode()
    firsts = [line.strip() for line in text[:MAX_HEAD].lstrip().splitlines()[:2]]
    are_lines = len(firsts) == 2 and all(line[:1] == b"{" and line[-1:] == b"}" for line in firsts)
    if kind == "JSON" and (are_lines or path.lower().endswith(JSON_LINES)):
        _refuse_parts(text)
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

    A repeated name is refused, since Python would keep its last value. Objects, lists and names are
    counted before parsing, since an empty object of two characters takes 64 bytes in memory.
    """
    _refuse_parts(text)
    return json.loads(text, object_pairs_hook=with_unique_names)


def _refuse_parts(text: bytes) -> None:
    n = sum(map(text.count, (b"{", b"[", b":")))
    if n > MAX_PARTS:
        raise Refused(f"expected at most {MAX_PARTS:,} lists, objects and names; got {n:,}")


def with_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of named values; refuse a repeated name."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise repeated_name(next(n for n, k in Counter(name for name, _ in pairs).items() if k > 1))
    return value


def repeated_name(name: str) -> Refused:
    """Return the refusal of an object with the same name twice."""
    return Refused(f"expected every name of an object once; got {name[:80]!r} more than once")


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
            for element in level
            if isinstance(element, dict | list)
            for inner in (element.values() if isinstance(element, dict) else element)
        ]
    return count
