"""Folders with one table or JSON of images for each part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zslcore.datasets.class_json import MAX_WORDS
from zslcore.datasets.part_names import (
    CLASS_TITLES,
    IMAGE_TITLES,
    PART_TITLES,
    part_of_file,
    part_of_name,
    part_or_side,
    trains_and_tests,
)
from zslcore.datasets.split_files.columns import are_ids
from zslcore.datasets.split_files.contents import (
    MAX_BYTES,
    MAX_ITEMS,
    PICKLES,
    read_json,
    read_table_rows,
)
from zslcore.datasets.split_files.json_parts import images_and_classes, table_of_json
from zslcore.datasets.split_files.lists import NAMELESS, PART_OF_SIDE, rows_as_images
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_folders.class_files import name_class_list_as_part
from zslcore.datasets.split_lists import IMAGE_IN_LINE, Entries, parse_image_lines
from zslcore.datasets.split_parts import TESTS
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import read_plain_value

#: Suffixes of records in JSON.
JSON_TABLES = (".jsonl", ".ndjson", ".json")
#: Suffixes of tables.
TABLES = (".csv", ".tsv", ".parquet", *JSON_TABLES, *PICKLES)
#: End of the name of a file if a table has several files.
SHARD = re.compile(r"-\d{5}-of-\d{5}$")


def read_part_tables(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of one or more tables of images for each part; None for other tables."""
    tables = _find_tables(files)
    if "val" in tables and not TESTS & tables.keys():
        tables["test"] = tables.pop("val")
    if not {"train", "test"} <= tables.keys() and not {"train", "test_unseen"} <= tables.keys():
        return None
    entries = Entries()
    for part, path in ((part, path) for part, paths in tables.items() for path in paths):
        if (pairs := _read_table_of_part(path)) is None:
            return None
        entries.setdefault(part, []).extend(pairs)
    if not all(image for pairs in entries.values() for image, _ in pairs):
        # Images of a part may look like classes, if each of its classes has one image.
        joined = _join_tables(tables) if entries.has_images else None
        named = joined or rows_as_images(entries)
        if named is None or named == entries:
            return None  # the tables list classes
        entries = named
        entries.questions = (NAMELESS,)
    entries.note = ", ".join(path.name for paths in tables.values() for path in paths)
    labels = entries.labels
    train, val, test = ({*labels.get(part, ())} for part in ("train", "val", "test"))
    is_held_out = {"val", "test"} <= entries.keys() and not val & train
    if is_held_out and 2 * len(test & train) <= len(test):
        # Validation classes, and most test classes, are held out, so the test part counts as
        # unseen.
        entries["test_unseen"] = entries.pop("test")
        entries.note += ": test classes are unseen"
    return entries


def _find_tables(files: Mapping[str, Path]) -> dict[str, list[Path]]:
    """Return the tables by part; a file name is a part, or else a side, or else contains a part."""
    for part_of in (part_of_name, part_or_side, part_of_file):
        tables: dict[str, list[Path]] = {}
        for path in files.values():
            is_table = path.suffix.lower() in TABLES
            if is_table and (part := part_of(SHARD.sub("", path.stem))):
                tables.setdefault(PART_OF_SIDE.get(part, part), []).append(path)
        if trains_and_tests(tables):
            return tables
    return {}


def _read_table_of_part(path: Path) -> list[tuple[str, str]] | None:
    """Return the images of one part; None for classes, and for a JSON of another form.

    Raises a FileRefusedError for a table that has no column of classes.
    """
    file = clean_text(path.name)
    if (pairs := _read_json_images(path)) is not None:
        return pairs
    titles, rows = read_titles_and_rows(path)
    if pairs := _read_untitled_images(file, [titles, *rows]):
        return pairs
    read = entries_of_table(file, titles, rows or [titles], part="train")
    if read is not None:
        return read["train"] if rows else []
    is_named = bool(part_of_name(SHARD.sub("", path.stem)))
    is_other = not titles and path.suffix in (".json", *PICKLES)
    if not is_named or name_class_list_as_part(path) or is_other:
        return None
    expected = f"a column of images ({IMAGE_TITLES[0]}) and one of classes ({CLASS_TITLES[0]})"
    raise refusal_of(path, expected, clean_text(", ".join(titles), 80) or "none")


def _join_tables(tables: Mapping[str, Sequence[Path]]) -> Entries | None:
    """Return the entries of tables with equal titles, read as one table with a column of parts."""
    read = [(part, *read_titles_and_rows(path)) for part, paths in tables.items() for path in paths]
    titles = [*read[0][1]]
    if any([*other] != titles for _, other, _ in read):
        return None
    rows = [[*row, part] for part, _, rows_of_part in read for row in rows_of_part]
    return entries_of_table("", [*titles, PART_TITLES[0]], rows)


def _read_json_images(path: Path) -> list[tuple[str, str]] | None:
    """Return the images in a JSON with a class per image, images per class, or paths."""
    if path.suffix.lower() not in (".json", *PICKLES):
        return None
    value = _read_nested(path)
    read = images_and_classes(clean_text(path.name), value, of_classes=False)
    is_table = isinstance(value, list) and any(isinstance(element, dict) for element in value)
    if is_table or not read:
        return None
    return read if all(image for image, _ in read) or len({*read}) < len(read) else None


def _read_untitled_images(file: str, rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return image and class of each row of a table without titles; [] for other tables.

    A single column has images and labels with spaces between them. Of two columns, one has images,
    which are distinct ids or distinct texts of several words; the other has classes, which repeat.
    The first class must also repeat, since a title would not.
    """
    if all(len(row) == 1 and IMAGE_IN_LINE.match(row[0]) for row in rows):
        return parse_image_lines(file, [row[0] for row in rows])
    for image, label in ((0, 1), (1, 0)) if all(len(row) == 2 for row in rows) else ():
        images, labels = ([row[k].strip() for row in rows] for k in (image, label))
        are_texts = sum(len(text.split()) for text in images) > MAX_WORDS * len(images)
        are_images = len({*images}) == len(images) and (are_texts or are_ids(images))
        if are_images and 2 * len({*labels}) <= len(labels) and labels.count(labels[0]) > 1:
            return [*zip(images, labels, strict=True)]
    return []


def _read_nested(path: Path) -> Any:
    """Return the lists and objects of a JSON or a pickle; None for a pickle with others."""
    if path.suffix.lower() in PICKLES:
        return read_plain_value(path, max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    return read_json(path)


def read_titles_and_rows(path: Path) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the titles and rows of a table, or of the records of a JSON."""
    if path.suffix.lower() in (*JSON_TABLES, *PICKLES):
        value = _read_nested(path)
        inner = [*value.values()] if isinstance(value, dict) else [value]
        tables = [v for v in inner if isinstance(v, list) and v and isinstance(v[0], dict)]
        return table_of_json(tables[0] if len(tables) == 1 else value)
    titles, *rows = read_table_rows(path)
    return titles, rows
