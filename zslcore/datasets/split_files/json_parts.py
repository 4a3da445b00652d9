"""Images and classes of one part in JSON: lists, mappings, records and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from zslcore.datasets.part_names import part_or_side
from zslcore.datasets.split_files.columns import (
    are_ids,
    are_titles_of_parts,
    find_columns,
    is_named_after_parts,
)
from zslcore.datasets.split_files.lists import lists_classes, merge_lists, pair_names
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_lists import IMAGE, Entries
from zslcore.names import LETTER, WORDNET_ID
from zslcore.texts import have_type
from zslcore.untrusted.readers.array_names import LABEL_VARIABLES, first_named
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS

#: Names of a list of records next to their description.
ROWS = ("rows", "examples", "samples", "records", "instances", "items")
#: Maximum number of distinct sets of fields that are searched for the class of a record.
MAX_FIELD_SETS = 1 << 10


def images_and_classes(file: str, listed: Any, *, of_classes: bool) -> list[tuple[str, str]] | None:
    """Return the (image, class) pairs of a part in JSON: images, records, or images by class.

    For a list of classes, the images are empty.
    """
    if isinstance(listed, dict):
        return _read_mapping(file, listed, of_classes=of_classes)
    if not isinstance(listed, list):
        return None
    if any(isinstance(element, dict) for element in listed):
        records = read_json_table(file, listed, part="train")
        return records["train"] if records else None
    if listed and have_type(listed, list):
        return _read_pairs(listed, of_classes=of_classes)
    return pair_names(listed, of_classes=of_classes) if have_type(listed, str) else None


def _read_pairs(listed: Sequence[Any], *, of_classes: bool) -> list[tuple[str, str]] | None:
    """Return pairs of an image and its class, or compositions; None for other lists of lists."""
    pairs = [tuple(map(to_cell, element)) for element in listed]
    if not all(len(pair) == 2 and all(pair) and LETTER.search(pair[0]) for pair in pairs):
        return None
    firsts, lasts = zip(*pairs, strict=True)
    are_images = are_ids(firsts) or any(map(IMAGE.search, (*firsts, *lasts)))
    repeats = len({*firsts}) <= len({*lasts}) or len({*firsts}) < len(pairs)
    if of_classes and not are_images and repeats:
        return [("", " ".join(pair)) for pair in pairs]  # compositions
    are_reversed = all(map(IMAGE.search, lasts))
    return [(last, first) if are_reversed else (first, last) for first, last in pairs]


def _read_mapping(
    file: str, listed: Mapping[str, Any], *, of_classes: bool
) -> list[tuple[str, str]] | None:
    values = [*listed.values()]
    tables = [rows for name, rows in listed.items() if name in ROWS and isinstance(rows, list)]
    if len(tables) == 1:  # rows next to their description (Hugging Face)
        return images_and_classes(file, tables[0], of_classes=of_classes)
    if _are_records_by_class(values):
        return [("", str(name)) for name, records in listed.items() for _ in records]
    names: Sequence[Any] | None = _find_names_next_to_ids(values) or None
    if names or not values:  # {"0": ["n02510455", "giant panda"]}
        pass
    elif have_type(values, list):
        if table := read_json_table(file, listed, part="train"):
            return table["train"]
        names = [*chain(*values)]  # images by class, or classes by level
        numbered = any(map(str.isdigit, "".join(map(str, names))))
        if any(IMAGE.search(str(name)) for name in names) or (numbered and not of_classes):
            return pair_images_with_classes(listed)
    elif all(type(element) is int for element in values):  # {"dog": 0}
        names = [*listed]
    elif all(str(key).isdecimal() for key in listed):  # {"0": "dog"}
        names = values
    elif have_type(values, str):
        if len({*values}) < len(values) or all(map(IMAGE.search, listed)):  # {"a.jpg": "dog"}
            return [*listed.items()]
        names = [*listed]  # the values are descriptions
    are_names = names is not None and have_type(names, str)
    return pair_names(names or (), of_classes=of_classes) if are_names else None


def _are_records_by_class(values: Sequence[Any]) -> bool:
    """Whether values are lists of records or triples of one form, such as sentences by relation."""
    if len(values) < 2 or not all(isinstance(records, list) and records for records in values):
        return False
    forms: set[Any] = set()
    for record in chain(*values):
        if isinstance(record, dict):
            forms.add((*sorted(record),))
        else:
            has_text = isinstance(record, list) and any(isinstance(t, str) for t in record)
            forms.add(len(record) if has_text else None)
    return len(forms) == 1 and forms.isdisjoint({None, 2})


def _find_names_next_to_ids(values: Sequence[Any]) -> list[str]:
    """Return the names of classes in pairs of a WordNet id and a name; [] for other values."""
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in values)
    pairs = [[*map(str, pair)] for pair in values] if are_pairs else []
    are_coded = all(WORDNET_ID.fullmatch(code) for code, _ in pairs)
    return [name for _, name in pairs] if are_coded else []


def pair_images_with_classes(listed: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """Return (image, class) pairs of a mapping from classes to images; None for other values."""
    pairs = [(image, str(label)) for label, images in listed.items() for image in images]
    if not all(isinstance(image, str) and image for image, _ in pairs):
        return None
    of_images = {label: any(map(IMAGE.search, images)) for label, images in listed.items()}
    # One list has images, the other their classes.
    is_table = len(listed) == 2 and len({*of_images.values()}) == 2
    return None if is_table else pairs


def name_numbers(listed: Any) -> Any:
    """Return names of classes given by distinct numbers, in a list or in lists by level."""
    if isinstance(listed, dict):
        return {key: name_numbers(element) for key, element in listed.items()}
    are_numbers = isinstance(listed, list) and all(type(element) is int for element in listed)
    are_numbers = are_numbers and len({*listed}) == len(listed)
    return [f"class {c}" for c in listed] if are_numbers else listed


def read_json_lists(
    file: str, lists: Mapping[str, Any], names: Collection[str] = ()
) -> Entries | None:
    """Return the entries of a mapping from each part to a list or to images by class.

    ``names`` are all names in the file. If they include labels, numbers are rows, not classes.
    """
    pairs = {}
    for name, values in lists.items():
        of_classes = lists_classes(name)
        if of_classes and names and ("class" in name or not first_named(names, LABEL_VARIABLES)):
            values = name_numbers(values)
        pairs[name] = images_and_classes(file, values, of_classes=of_classes)
        if pairs[name] is None:
            return None
    return merge_lists(pairs)


# --- Tables --------------------------------------------------------------------------------------


def read_json_table(file: str, value: Any, part: str = "") -> Entries | None:
    """Return the entries of records, or of a table with one list or mapping per column."""
    titles, first = table_of_json(value, max_rows=1)
    if part:
        may_be_read = are_titles_of_parts(titles) or {*find_columns(titles)[:2]} != {None}
    else:  # a column of parts has a title, or a part in every row
        cells = (cell for row in first for cell in row)
        may_be_read = any(map(is_named_after_parts, titles)) or any(map(part_or_side, cells))
    return entries_of_table(file, *table_of_json(value), part) if may_be_read else None


def table_of_json(value: Any, max_rows: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return titles and the first ``max_rows`` rows; [], [] for a value that is not a table.

    A table is a list of records, of which only the shared fields are read; a mapping from each
    column to a list, or to a mapping by row; lists of columns and of data, as written by pandas; or
    a list of rows.
    """
    titles, rows = _columns_and_rows(value, max_rows)
    if not isinstance(titles, list) or not isinstance(rows, list) or len(titles) > MAX_COLUMNS:
        return [], []
    if not all(isinstance(row, list | tuple) and len(row) == len(titles) for row in rows):
        return [], []
    return [str(title) for title in titles], [[*map(to_cell, row)] for row in rows]


def _columns_and_rows(value: Any, max_rows: int | None) -> tuple[Any, Any]:
    if isinstance(value, list) and value and have_type(value, dict):
        records = [_merge_inner_records(element) for element in value]
        titles = [name for name in records[0] if all(name in element for element in records)]
        return titles, [[element[name] for name in titles] for element in records[:max_rows]]
    if isinstance(value, list) and value and have_type(value, list):
        return value[0], value[1:][:max_rows]
    if not isinstance(value, dict):
        return None, None
    if "columns" in value and "data" in value:  # pandas with orient="split"
        rows = value["data"]
        return value["columns"], rows[:max_rows] if isinstance(rows, list) else rows
    columns = [*value.values()]
    if not have_type(columns, dict | list) or len({*map(len, columns)}) > 1:
        return None, None
    cells = (element.values() if isinstance(element, dict) else element for element in columns)
    return [*value], [*islice(zip(*cells, strict=True), max_rows)]


def to_cell(value: Any) -> str:
    """Return a value as a cell; a list with one value becomes this value."""
    if isinstance(value, list) and have_type(value[:MAX_COLUMNS], str | int):
        return to_cell(value[0]) if len(value) == 1 else str(value or "")
    return str(value) if isinstance(value, str | int | float) else ""


def _merge_inner_records(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add the fields of inner records to a record.

    A name that repeats is preceded by that of its inner record: ``image_id`` instead of ``id``. An
    inner record with one text, such as a path, is also this text.
    """
    inner = {key: fields for key, fields in record.items() if isinstance(fields, dict)}
    times = Counter(key for fields in (*inner.values(), record) for key in fields)
    merged = {
        (f"{outer}_{key}" if times[key] > 1 else key): element
        for outer, fields in inner.items()
        for key, element in fields.items()
    }
    texts = {
        key: [t for t in fields.values() if isinstance(t, str)] for key, fields in inner.items()
    }
    plain = {key: field for key, field in record.items() if key not in inner}
    single = {key: of_inner[0] for key, of_inner in texts.items() if len(of_inner) == 1}
    return {**merged, **single, **plain}


def read_records_by_name(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from names of images or classes to records, else None.

    An inner record adds its fields to the record around it; each item in a list of inner records,
    such as ``annotations``, becomes a record. A question reports images without a class, which are
    not read.
    """
    if not have_type(value.values(), dict) or not all(map(_has_few_fields, value.values())):
        return None
    records = [(name, flat) for name, record in value.items() for flat in _flatten_record(record)]
    fields = islice(dict.fromkeys(tuple(flat) for _, flat in records), MAX_FIELD_SETS)
    titles = next(([*keys] for keys in fields if find_columns(keys).label is not None), None)
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
        entries.multi_class = True
        if n := len(value) - len({name for name, *_ in rows}):
            text = f"Images without a class: {n:,}. They are neither read nor checked."
            entries.questions = (text,)
    return entries


def _has_few_fields(record: Mapping[str, Any]) -> bool:
    """Whether a record, with its inner records, has no more fields than a table has columns."""
    inner = (len(field) for field in record.values() if isinstance(field, dict))
    return len(record) <= MAX_COLUMNS and len(record) + sum(inner) <= MAX_COLUMNS


def _flatten_record(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Merge inner records into a record; return one record per item of a list of inner records."""
    merged = _merge_inner_records(record)
    plain = {key: cell for key, cell in merged.items() if isinstance(cell, str | int | float)}
    lists = [element for element in merged.values() if isinstance(element, list) and element]
    several: list[Any] = next((element for element in lists if have_type(element, dict)), [{}])
    return [{**inner, **plain} for inner in several]
