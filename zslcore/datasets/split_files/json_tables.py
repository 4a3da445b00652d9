"""Tables and records in JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from zslcore.datasets.part_names import part_or_side
from zslcore.datasets.split_files.columns import (
    are_titles_of_parts,
    find_columns,
    is_named_after_parts,
)
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_lists import Entries
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS

#: Maximum number of distinct sets of fields that are searched for the class of a record.
MOST_FIELDS = 1 << 10


def read_json_table(file: str, value: Any, part: str = "") -> Entries | None:
    """Return the entries of records, or of a table with one list or mapping per column."""
    titles, first = table_of_json(value, most=1)
    if part:
        may_be_read = are_titles_of_parts(titles) or {*find_columns(titles)[:2]} != {None}
    else:  # a column of parts has a title, or a part in every row
        cells = (cell for row in first for cell in row)
        may_be_read = any(map(is_named_after_parts, titles)) or any(map(part_or_side, cells))
    return entries_of_table(file, *table_of_json(value), part) if may_be_read else None


def table_of_json(value: Any, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return titles and the first ``most`` rows of cells; [], [] for a value that is not a table.

    A table is a list of records, of which the common fields are read; or a mapping from each column
    to a list, or to a mapping by row; or lists of columns and of data, as written by pandas; or a
    list of rows.
    """
    titles, rows = _columns_and_rows(value, most)
    if not isinstance(titles, list) or not isinstance(rows, list) or len(titles) > MAX_COLUMNS:
        return [], []
    if not all(isinstance(row, list | tuple) and len(row) == len(titles) for row in rows):
        return [], []
    return [str(title) for title in titles], [[*map(to_cell, row)] for row in rows]


def _columns_and_rows(value: Any, most: int | None) -> tuple[Any, Any]:
    if isinstance(value, list) and value and all(isinstance(element, dict) for element in value):
        records = [_merge_inner_records(element) for element in value]
        titles = [name for name in records[0] if all(name in element for element in records)]
        return titles, [[element[name] for name in titles] for element in records[:most]]
    if isinstance(value, list) and value and all(isinstance(element, list) for element in value):
        return value[0], value[1:][:most]
    if not isinstance(value, dict):
        return None, None
    if "columns" in value and "data" in value:  # pandas with orient="split"
        rows = value["data"]
        return value["columns"], rows[:most] if isinstance(rows, list) else rows
    columns = [*value.values()]
    if (
        not all(isinstance(element, dict | list) for element in columns)
        or len({*map(len, columns)}) > 1
    ):
        return None, None
    cells = (element.values() if isinstance(element, dict) else element for element in columns)
    return [*value], [*islice(zip(*cells, strict=True), most)]


def to_cell(value: Any) -> str:
    """Return a value as a cell; a list with one value becomes this value."""
    if isinstance(value, list) and all(
        isinstance(element, str | int) for element in value[:MAX_COLUMNS]
    ):
        return to_cell(value[0]) if len(value) == 1 else str(value) if value else ""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _merge_inner_records(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add the fields of inner records to a record, except inner records that repeat a name."""
    inner = [fields for fields in record.values() if isinstance(fields, dict)]
    times = Counter(key for fields in (*inner, record) for key in fields)
    distinct = [fields for fields in inner if all(times[key] == 1 for key in fields)]
    return {key: element for fields in (*distinct, record) for key, element in fields.items()}


def read_records_by_name(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from names of images or classes to records, else None.

    An inner record adds its fields to the record around it; each item in a list of inner records,
    such as ``annotations``, becomes a record. A question reports images without a class, which are
    not read.
    """
    if not all(
        isinstance(element, dict) and _has_few_fields(element) for element in value.values()
    ):
        return None
    records = [(name, flat) for name, record in value.items() for flat in _flatten_record(record)]
    fields = islice(dict.fromkeys(tuple(flat) for _, flat in records), MOST_FIELDS)
    titles = next(([*element] for element in fields if find_columns(element)[1] is not None), None)
    is_image = titles is not None
    titles = titles or ([*records[0][1]] if records else [])
    image, label, _, where = find_columns(titles)
    if where is None:
        return None
    chosen = [titles[k] for k in (image, label, where) if k is not None]
    rows = {
        (name, *(to_cell(flat[title]) for title in chosen)): None
        for name, flat in records
        if {*chosen} <= {*flat}
    }
    key_title = [] if is_image and image is not None else ["image" if is_image else "class"]
    entries = entries_of_table(file, key_title + chosen, [[*row][not key_title :] for row in rows])
    if entries is not None and is_image:
        entries.several = True
        if n := len(value) - len({name for name, *_ in rows}):
            entries.questions = (
                f"Images without a class: {n:,}. They are neither read nor checked.",
            )
    return entries


def _has_few_fields(record: Mapping[str, Any]) -> bool:
    """Whether a record, with its inner records, has no more fields than a table has columns."""
    inner = (len(field) for field in record.values() if isinstance(field, dict))
    return len(record) <= MAX_COLUMNS and len(record) + sum(inner) <= MAX_COLUMNS


def _flatten_record(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Merge inner records into a record; return one record per item of a list of inner records."""
    merged = _merge_inner_records(record)
    plain = {
        key: element for key, element in merged.items() if isinstance(element, str | int | float)
    }
    lists = [element for element in merged.values() if isinstance(element, list) and element]
    several = [element for element in lists if all(isinstance(inner, dict) for inner in element)]
    return [{**inner, **plain} for inner in several[0]] if several else [plain]
