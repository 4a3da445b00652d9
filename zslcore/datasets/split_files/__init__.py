"""Splits in a single file with one part per entry: JSON, tables, texts with headings.

============================  ======================================================================
``split_zhou_<name>.json``    ``train``, ``val`` and ``test``: lists of [image, label, class], in
                              CoOp [1]_ and the papers that follow it
``{"train": [...], ...}``     classes or images by part, also with keys such as ``train_classes``,
                              ``seen`` and ``unseen``; a part may map classes to their images
``[{"image": ...}, ...]``     records with a class, a part and an optional image, as in a table;
                              also one record per line (``.jsonl``), or one list per column
``{"a.jpg": {"label": ...}}``  records by the name of an image or class, also below a title and
                              with a list of ``annotations`` (ActivityNet, Kinetics)
``image,label,split``         a table with a column of parts or of yes and no (``is_test``), or one
                              column of yes and no per part; a column of classes, and optionally
                              one of images; also Parquet
``train: [...]``              YAML or TOML with values as in JSON; also lists saved by PyTorch
``@relation split``           a table in ARFF
``row,part``                  a table of row numbers and parts, optionally with labels
``dog: train``                a part after each class or image, in JSON or text; the text may begin
                              with the number of lines and titles (DeepFashion); also one column
                              of classes per part, or a heading above the classes of each part
``./train/dog/a.jpg``         paths below folders of parts, as ``find`` or ``ls -R`` lists them
============================  ======================================================================

A JSON of CoOp has the same classes in training and test. The papers test "from base to new"
classes: the first half of the labels, rounded up, is base, the second half new. The JSON is read as
such a test: images of base classes are training or seen test images, and test images of new classes
are unseen test images. A JSON in this format with other test classes is a split by its parts.

Only a file with a training part and a test part is read as a split.

References
----------
.. [1] K. Zhou, J. Yang, C. C. Loy, Z. Liu, "Conditional prompt learning for vision-language
   models", CVPR 2022, section 4.1.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from zslcore.datasets.part_names import part_or_side, trains_and_tests
from zslcore.datasets.split_files.columns import may_be_entries
from zslcore.datasets.split_files.contents import (
    JSON_ENDINGS,
    MAX_BYTES,
    MAX_ITEMS,
    TABLE_ENDINGS,
    find_separator,
    has_text_rows,
    read_nonblank_lines,
    read_table_rows,
)
from zslcore.datasets.split_files.json_objects import split_of_json, splits_by_name
from zslcore.datasets.split_files.lists import pair_names_with_parts, read_lists
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_files.texts import entries_of_text
from zslcore.datasets.split_lists import Entries, SplitList
from zslcore.datasets.split_numbering import split_of_entries
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.texts import clean_text
from zslcore.untrusted.client import container_of, read_plain_value

#: Maximum number of rows of a table with one part per row.
MAX_PARTS = 16


def read_split_file(path: Path, name: str | None = None) -> SplitList | None:
    """Return the split in a JSON, YAML, TOML or PyTorch file, a table or a text; else None.

    ``name`` chooses one of several splits of a file. Raises a FileRefusedError if a JSON is damaged
    or hostile, or a list in it is malformed.
    """
    value = read_plain_value(path, max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    if name is not None and (splits := splits_by_name(value)):
        if name not in splits:
            raise closest_name("split", name, splits)
        value = splits[name]
    split_list = None if value is None else split_of_json(path, value)
    if split_list is not None or path.suffix.lower() in JSON_ENDINGS:
        return split_list
    return read_split_table(path) if container_of(path) in ("text", "JSON", "Parquet") else None


def read_split_table(path: Path, lines: Sequence[str] | None = None) -> SplitList | None:
    """Return the split of a table or text in one of the formats above; None for other formats.

    ``lines`` are the lines of a text, if they were read before. Raises a FileRefusedError if a row
    of a table of images has no part.
    """
    try:
        if path.suffix.lower() not in TABLE_ENDINGS or has_text_rows(path):
            stripped = None if lines is None else [*filter(None, map(str.strip, lines))]
            lines = read_nonblank_lines(path) if stripped is None else stripped
            entries = entries_of_text(clean_text(path.name), lines)
            return split_of_entries(path, entries) if entries else None
        if path.suffix.lower() != ".parquet" and not _may_have_parts(path):
            return None
        rows = read_table_rows(path)
    except (FileRefusedError, csv.Error):
        return None
    if named := _read_rows_by_part(rows):
        return split_of_entries(path, named)
    titles = rows.pop(0)
    entries = entries_of_table(clean_text(path.name), titles, rows, take=True)
    if entries is None and all(len(row) == 2 for row in (titles, *rows)):
        entries = pair_names_with_parts([titles, *rows])
    del rows  # a million rows take more than 100 MB
    return None if entries is None else split_of_entries(path, entries)


def _may_have_parts(path: Path) -> bool:
    """Whether the first lines of a table may be entries with a part; True for unreadable lines."""
    separator, lines = find_separator(path)
    head = "\n".join(lines)
    if not lines or head.count('"') % 2 or "\0" in head:
        return True
    titles, *rows = csv.reader(lines, delimiter=separator)
    return part_or_side(titles[0]) != "" or may_be_entries(titles, rows)


def _read_rows_by_part(rows: Sequence[Sequence[str]]) -> Entries | None:
    """Return the entries of rows with a part before its classes; None for other rows."""
    named = {row[0]: [name for name in row[1:] if name.strip()] for row in rows[:MAX_PARTS]}
    is_list = 1 < len(named) == len(rows) and all(map(part_or_side, named))
    return read_lists(named) if is_list and trains_and_tests(map(part_or_side, named)) else None
