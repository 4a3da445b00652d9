"""Class names in JSON and YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from zslcore.datasets.class_rows import (
    IMAGE_COLUMN_TITLES,
    LIST_TITLES,
    NAME_TITLES,
    are_wordnet_ids,
    is_class_table,
)
from zslcore.names import WORDNET_ID, squeeze
from zslcore.texts import have_type
from zslcore.untrusted.readers.array_names import LABELS, PREDICTED, SCORE_VARIABLES, first_named

#: Maximum number of classes of a list; ImageNet-21K has 21,841.
MAX_LINES = 50_000
#: Maximum depth of nested objects that is searched for a list with a title.
MAX_LEVELS = 5
#: Maximum number of objects that are searched for a list with a title.
MAX_OBJECTS = 1000
#: Maximum number of words of a class name; longer texts are descriptions or sentences.
MAX_WORDS = 3


def is_class_json(value: object) -> bool:
    """Whether a JSON value is a list of class names, each alone or with a number or an id.

    Records of classes, and names under a title such as "categories", are also lists of classes.
    """
    if isinstance(value, list | dict) and len(value) > MAX_LINES:
        return False
    if read_json_lines(value) is not None:
        return True
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) and v for v in value)
    if not isinstance(value, dict) or not value:
        return False
    named = all(
        isinstance(v, str) or (isinstance(v, list) and have_type(v, str)) for v in value.values()
    )
    return named and all(key.isdecimal() or WORDNET_ID.fullmatch(key) for key in value)


def read_json_lines(value: object) -> list[str] | None:
    """Return a line per class from JSON with records of classes or titled names; else None."""
    if isinstance(value, dict):
        titled = _find_titled_lists(value)
        if len(titled) != 1 or not isinstance(titled[0], list | dict):
            return _read_keys_or_texts(value) or _read_coded_rows(value)
        if (lines := read_json_lines(titled[0])) is not None:
            return lines
        if isinstance(titled[0], list):
            return titled[0] if is_class_json(titled[0]) else None
        return [f"{key}: {json.dumps(element)}" for key, element in titled[0].items()]
    if not isinstance(value, list) or not value or not have_type(value, dict):
        return _read_coded_rows(value)
    titles = {squeeze(key): key for key in value[0]}
    columns = {title: [element.get(key) for element in value] for title, key in titles.items()}
    texts = [t for t, cells in columns.items() if all(isinstance(c, str) and c for c in cells)]
    named = next((title for title in NAME_TITLES if title in texts), None)
    if named is None and len(texts) == 1 and any(map(_counts_up, columns.values())):
        named = texts[0]
    names = [str(name) for name in columns[named]] if named is not None else []
    if len({*names}) < len(value) or not IMAGE_COLUMN_TITLES.isdisjoint(titles):
        return None
    ids = [str(record.get(titles.get("wnid", titles.get("id", "")), "")) for record in value]
    return [*map(" ".join, zip(ids, names, strict=True))] if are_wordnet_ids(ids) else names


def _find_titled_lists(value: Mapping[str, Any]) -> list[Any]:
    """Return the lists or objects under a title of names in an object or in its inner objects."""
    level: list[Mapping[str, Any]] = [value]
    for _ in range(MAX_LEVELS):
        items = [item for record in level for item in record.items()]
        titled = [element for key, element in items if squeeze(key) in LIST_TITLES]
        if any(isinstance(element, list | dict) for element in titled) or len(level) > MAX_OBJECTS:
            nested = [element for element in titled if isinstance(element, list | dict) and element]
            return [v for k, v in enumerate(nested) if v not in nested[:k]] or titled
        level = [element for _, element in items if isinstance(element, dict)]
    return []


def _counts_up(values: Sequence[Any]) -> bool:
    """Whether values are the whole numbers from 0 or 1, in order."""
    are_whole = all(type(number) is int for number in values)
    return are_whole and [number - values[0] for number in values] == [*range(len(values))]


def _read_keys_or_texts(value: dict[str, Any]) -> list[str] | None:
    """Return the classes of a JSON object: its keys if they are classes, or its values; else None.

    The keys are classes if each value is a text that contains its key, such as a prompt. If each
    value is a list of texts, the texts are classes by group if all are distinct and none has more
    than ``MAX_WORDS`` words; otherwise they describe the keys, which are the classes.
    """
    is_record = first_named(value, (*LABELS, *PREDICTED, *SCORE_VARIABLES)) or len(value) < 2
    if (
        is_record
        or not IMAGE_COLUMN_TITLES.isdisjoint(map(squeeze, value))
        or any(map(_is_code, value))
    ):
        return None
    if have_type(value.values(), str):
        return [*value] if all(name in text for name, text in value.items()) else None
    if not have_type(value.values(), list):
        return None
    texts = [*chain(*value.values())]
    if not have_type(texts, str) or not all(texts):
        return None
    are_classes = max(len(text.split()) for text in texts) <= MAX_WORDS if texts else False
    return texts if are_classes and len({*texts}) == len(texts) else [*value]


def _read_coded_rows(value: Any) -> list[str] | None:
    """Return one line per class, with tabs between its name, numbers and ids; else None.

    The JSON is a list of lists such as ``["n02510455", "giant panda"]``, or an object with one
    entry per class. One column has WordNet ids, or numbers the classes.
    """
    rows: list[list[str]] = []
    if isinstance(value, dict):
        rows = [[key, *_list_fields(entry)] for key, entry in value.items()]
    elif isinstance(value, list) and have_type(value, list):
        rows = [_list_fields(entry) for entry in value]
    if len(rows) < 2 or len({*map(len, rows)}) > 1 or len(rows[0]) < 2:
        return None
    columns = [*zip(*rows, strict=True)]
    counted = any(
        all(map(str.isdecimal, column)) and _counts_up([*map(int, column)]) for column in columns
    )
    lines = ["\t".join(row) for row in rows]
    is_coded = counted or any(map(are_wordnet_ids, columns))
    return lines if is_coded and is_class_table(lines, "\t") else None


def _list_fields(entry: Any) -> list[str]:
    """Return the whole numbers and texts of an entry, each on one line."""
    listed = entry if isinstance(entry, list) else [entry]
    values = entry.values() if isinstance(entry, dict) else listed
    return [" ".join(str(value).split()) for value in values if type(value) in (int, str)]


def dump_lines(value: Any) -> list[str]:
    """Return JSON with each of its outermost entries on one line."""
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {json.dumps(element)}," for key, element in value.items()]
        return ["{", *entries, "}"]
    return ["[", *(f"{json.dumps(element)}," for element in value), "]"]


def _is_code(name: str) -> bool:
    return name.isdecimal() or bool(WORDNET_ID.fullmatch(name))
