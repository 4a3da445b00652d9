"""Splits in a single file with one part per entry: JSON, tables, texts with headings.

============================  ======================================================================
``split_zhou_<name>.json``    ``train``, ``val`` and ``test``: lists of [image, label, class], in
                              CoOp [1]_ and the papers that follow it
``{"train": [...], ...}``     classes or images by part, also with keys such as ``train_classes``,
                              ``seen`` and ``unseen``; a part may map classes to their images
``[{"image": ...}, ...]``     records with a class, a part and maybe an image, as in a table; also
                              one record per line (``.jsonl``), or one list per column
``image,label,split``         a table with a column of parts or of yes and no (``is_test``), a
                              column of classes, and maybe a column of images
``dog: train``                a part after each class or image, in JSON or text; the text may begin
                              with the number of lines and titles (DeepFashion); also one column
                              of classes per part, or a heading above the classes of each part
============================  ======================================================================

A JSON of CoOp has the same classes in training and test. The papers test "from base to new"
classes: the first half of the labels, rounded up, is base, the second half new. The JSON is read as
such a test: images of base classes are training or seen test images, and test images of new classes
are unseen test images.

A file needs a training part and a test part to have one of these forms.

References
----------
.. [1] K. Zhou, J. Yang, C. C. Loy, Z. Liu, "Conditional prompt learning for vision-language
   models", CVPR 2022, section 4.1.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.split_lists import (
    IMAGE,
    MAX_BYTES,
    MAX_ITEMS,
    SIDES,
    ImageRows,
    SplitList,
    are_few,
    counted_names,
    is_class_list,
    is_split_of_parts,
    lines_of,
    parent_folder,
    part_of_name,
    split_of_classes,
    split_of_images,
    split_of_parts,
    table_rows,
    trains_and_tests,
)
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, expect
from zslcore.untrusted.client import read_head, read_value
from zslcore.untrusted.readers.array_names import PREDICTED

#: Part (such as "train") or side ("seen" or "unseen") -> (image, class) of each entry; in an entry
#: of a class, the image is empty.
Entries = dict[str, list[tuple[str, str]]]
#: Titles of columns of images, classes and parts, without spaces and underscores.
IMAGE_TITLES = (
    *("filename", "file", "image", "path", "imagefile", "imagename", "img", "imagepath"),
    *("filepath", "video", "imageid", "imgname", "imgpath", "videoid", "videoname", "videopath"),
)
CLASS_TITLES = (
    *("classname", "labelname", "categoryname", "class", "category", "action", "species", "label"),
    *("target", "name"),
)
PART_TITLES = ("split", "part", "subset", "partition", "set", "phase", "usage", "stage")
#: Title of a column of yes and no -> part or side of rows with yes, then of rows with no.
FLAGS = {
    **dict.fromkeys(("istrain", "istraining", "istrainingimage", "training"), ("train", "test")),
    **dict.fromkeys(("istest", "istesting", "testing"), ("test", "train")),
    **dict.fromkeys(("isunseen", "unseen", "isnovel", "novel"), ("unseen", "seen")),
    **dict.fromkeys(("isseen", "seen", "isbase", "base"), ("seen", "unseen")),
}
YES, NO = {"1", "true", "yes", "y", "t", "1.0"}, {"0", "false", "no", "n", "f", "0.0"}
LETTER = re.compile(r"[^\W\d_]")
#: Text after the part in the name of a list of classes, such as the end of train_classes.
OF_CLASSES = re.compile(
    r"[\s_-]*(class(es)?|class_?names?|categories|names|labels)$", re.IGNORECASE
)
#: A heading: ``train:``, maybe followed by a list, ``[train]``, ``# train``, ``== train ==``.
HEADING = re.compile(r"[\"']?(\w[\w -]*)[\"']?\s*:\s*(\[.*\])?$|[#\[=]+\s*(\w[\w -]*?)\s*[\]=:]*$")
#: Largest depth of nested objects that is searched for a split.
MOST_LEVELS = 3
#: Largest size in bytes of the titles by which a table is recognised.
MAX_TITLES = 1 << 16


def read_split_json(path: Path) -> SplitList | None:
    """Return the split of a JSON in one of the forms above; None for another JSON.

    Raises a FileRefusedError if the file is damaged or hostile, or a list in it is malformed.
    """
    return split_of_json(path, read_value(path, "JSON", max_bytes=MAX_BYTES, most=MAX_ITEMS))


def split_of_json(path: Path, value: Any) -> SplitList | None:
    """Return the split in the value of a JSON file; see :func:`read_split_json`."""
    file = clean_text(path.name)
    if (entries := entries_of_json(file, value)) is not None:
        return _split_of(path, entries)
    if not _has_parts(value):
        return None
    lists = {n: of for n, of in value.items() if part_of_name(n) and isinstance(of, list)}
    if any(isinstance(each, list) for of in lists.values() for each in of):
        return _of_items(file, value)
    return split_of_parts(file, lists)


def is_split_json(file: str, value: Any) -> bool:
    """Whether JSON from ``file`` defines a split, by names or by row numbers."""
    return _has_parts(value) or entries_of_json(file, value) is not None


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict) and is_split_of_parts(value, list)


def read_split_table(path: Path, lines: Sequence[str] | None = None) -> SplitList | None:
    """Return the split of a table or text in one of the forms above; None for other forms.

    ``lines`` are the lines of a text, if they were read before. Raises a FileRefusedError if a row
    of a table of images has no part.
    """
    try:
        if path.suffix.lower() not in (".csv", ".tsv"):
            stripped = None if lines is None else [*filter(None, map(str.strip, lines))]
            lines = _without_count(lines_of(path) if stripped is None else stripped)
            entries = _of_headings(lines) or _of_pairs(lines)
            return _split_of(path, entries) if entries else None
        if not _may_have_parts(path):
            return None
        titles, *rows = table_rows(path)
    except FileRefusedError:
        return None
    entries = entries_of_table(clean_text(path.name), titles, rows)
    if entries is None and all(len(row) == 2 for row in (titles, *rows)):
        entries = _of_places([titles, *rows])
    return None if entries is None else _split_of(path, entries)


def _without_count(lines: list[str]) -> list[str]:
    """Remove a first line with the number of lines, and the titles after it (DeepFashion)."""
    counted = len(lines) > 2 and lines[0] == str(len(lines) - 2)
    return lines[2:] if counted else lines


def _may_have_parts(path: Path) -> bool:
    """Whether a table may have entries with a part, by its titles; True if these cannot be read."""
    titles, *_ = read_head(path, MAX_TITLES) or [""]
    if not titles or titles.count('"') % 2 or "\0" in titles:
        return True
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    fields = next(csv.reader([titles], delimiter=separator))
    if len(fields) == 2 and any(map(part_or_side, fields)):
        return True
    _, label, _, where = _find_columns(fields)
    return _are_parts(fields) or (label is not None and where is not None)


def _are_parts(titles: Sequence[str]) -> bool:
    """Whether every column of a table is named after a part."""
    return all(map(part_or_side, titles)) and trains_and_tests(map(part_or_side, titles))


def _find_columns(titles: Sequence[str]) -> tuple[int | None, ...]:
    """Return the columns of images, of classes, of parts, and of parts or else flags."""
    words = [*map(_squeezed, titles)]
    image, label, place, flag = (
        next((words.index(title) for title in column_titles if title in words), None)
        for column_titles in (IMAGE_TITLES, CLASS_TITLES, PART_TITLES, FLAGS)
    )
    return image, label, place, flag if place is None else place


def names_images(title: str) -> bool:
    """Whether a column with this title has names of images."""
    return _squeezed(title) in IMAGE_TITLES


def _squeezed(title: str) -> str:
    return re.sub(r"[\W_]+", "", title).lower()


def entries_of_json(file: str, value: Any, level: int = 0) -> Entries | None:
    """Return the entries of JSON with images or classes by part; None for other JSON.

    Raises a FileRefusedError for a record of an image without a part.
    """
    if isinstance(value, list):
        return _of_records(file, value)
    if not isinstance(value, dict) or not value:
        return None
    parts = {str(key): part for key in value if (part := part_or_side(str(key)))}
    if trains_and_tests(parts.values()):
        return _of_lists(file, {key: value[key] for key in parts})
    if all(isinstance(each, str) for each in value.values()):
        return _of_places(value.items())
    if (table := _of_columns(file, value)) is not None:
        return table
    inner = [each for each in value.values() if isinstance(each, dict | list)]
    if len(inner) == len(value) and (by_class := _by_class(value)) is not None:
        return by_class
    if level == MOST_LEVELS:
        return None
    read = [entries for each in inner if (entries := entries_of_json(file, each, level + 1))]
    if level == 0 and 1 < len(read) == len(value):
        names = counted_names([clean_text(str(key), 40) for key in value])
        expect(False, file, "one split a file", f"{len(read)} ({names}); write one of them")
    return read[0] if len(read) == 1 else None


def entries_of_table(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], part: str = ""
) -> Entries | None:
    """Return the entries of a table by the titles of its columns; None for any other table.

    If ``part`` is given, all rows belong to it. Raises a FileRefusedError for a row of an image
    without a part.
    """
    words = [*map(_squeezed, titles)]
    if not rows or not {title.strip().lower() for title in titles}.isdisjoint(PREDICTED):
        return None
    if _are_parts(titles):
        columns = zip(*(row for row in rows if len(row) == len(titles)), strict=True)
        named = ([cell for cell in column if cell.strip()] for column in columns)
        return _of_lists(file, dict(zip(titles, named, strict=True)))
    image, label, place, where = _find_columns(titles)
    if label is None or (where is None and not part):
        return None
    if image is not None and place is None and "unseen" in FLAGS.get(words[where or 0], ()):
        return None  # images marked as seen may be training or test images
    entries: Entries = {}
    for k, row in enumerate(rows, 1):
        expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        name = part or _part_of_cell(words[where or 0], row[where or 0])
        if image is None and not name:
            return None
        if image is not None and (not name or name in ("seen", "unseen")):
            title, cell = titles[where or 0], clean_text(row[where or 0], 40) or "none"
            expect(
                False,
                file,
                "train, val, test, test_seen, test_unseen or trainval in the "
                f"column {title!r}, row {k}",
                cell,
            )
        entry = ("" if image is None else row[image].strip(), row[label].strip())
        entries.setdefault(name, []).append(entry)
    if part:
        return entries
    if trains_and_tests(entries):
        return _rows_as_images(entries)
    expect(image is None, file, "rows of a training and a test part", ", ".join(entries))
    return None


def _rows_as_images(entries: Entries) -> Entries | None:
    """Name images by their rows if a part repeats a class, since its rows are then images.

    Return None if a side repeats a class: images of seen classes may be training or test images.
    """
    if all(len(of) == len({*of}) for of in entries.values()):
        return entries
    if not {"seen", "unseen"}.isdisjoint(entries):
        return None
    numbers = count(1)
    return {
        part: [(image or f"row {next(numbers)}", label) for image, label in of]
        for part, of in entries.items()
    }


def part_or_side(name: str) -> str:
    """Return the part of images or side of classes that a word names; "" for other words.

    >>> part_or_side("train_classes"), part_or_side("Unseen"), part_or_side("dog")
    ('train', 'unseen', '')
    """
    bare = OF_CLASSES.sub("", name.strip())
    return part_of_name(bare) or SIDES.get(bare.lower(), "")


def _part_of_cell(title: str, cell: str) -> str:
    """Return the part or side that a cell of a column names; "" for none."""
    word = cell.strip().lower()
    if title in FLAGS:
        yes, no = FLAGS[title]
        return yes if word in YES else no if word in NO else ""
    return part_or_side(word)


def _of_lists(file: str, lists: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from each part to a list or to images by class."""
    entries: Entries = {}
    for key, listed in lists.items():
        part = part_or_side(key)
        read = _of_list(file, listed, is_side=part in ("seen", "unseen"))
        if read is None:
            return None
        entries.setdefault(part, []).extend(read)
    of_images = {bool(image) for each in entries.values() for image, _ in each}
    if len(of_images) != 1:
        return None
    has_sides = not {"seen", "unseen"}.isdisjoint(entries)
    return entries if has_sides else _rows_as_images(entries)


def _of_list(file: str, listed: Any, *, is_side: bool) -> list[tuple[str, str]] | None:
    if isinstance(listed, list) and any(isinstance(each, dict) for each in listed):
        records = _of_records(file, listed, part="train")
        return records["train"] if records else None
    if isinstance(listed, dict):
        values = [*listed.values()]
        if values and all(isinstance(each, list) for each in values):
            return _of_folders(listed)
        if values and all(type(each) is int for each in values):  # {"dog": 0}
            listed = [*listed]
        elif values and all(str(key).isdecimal() for key in listed):  # {"0": "dog"}
            listed = values
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        return None
    if not is_side and not (is_class_list(listed) and all(map(LETTER.search, listed))):
        return None  # names without letters may be row numbers
    return [("", name) for name in listed]


def _of_folders(listed: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """Return (image, class) pairs of a mapping from classes to images; None for other values."""
    pairs = [(image, str(label)) for label, images in listed.items() for image in images]
    return pairs if all(isinstance(image, str) and image for image, _ in pairs) else None


def _by_class(value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from each class to its images by part, else None."""
    entries: Entries = {}
    for label, of_parts in value.items():
        if not isinstance(of_parts, dict):
            return None
        for key, images in of_parts.items():
            part = part_of_name(str(key))
            if not part or not isinstance(images, list):
                return None
            pairs = _of_folders({label: images})
            if pairs is None or not all(IMAGE.search(image) for image, _ in pairs):
                return None
            entries.setdefault(part, []).extend(pairs)
    return entries if trains_and_tests(entries) else None


def _of_columns(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a table with one list, or one mapping by row, per column."""
    if "columns" in value and "data" in value:  # pandas with orient="split"
        titles, rows = value["columns"], value["data"]
    else:
        titles = [*value]
        columns = [[*each.values()] if isinstance(each, dict) else each for each in value.values()]
        if not all(isinstance(each, list) for each in columns) or len({*map(len, columns)}) > 1:
            return None
        rows = [*zip(*columns, strict=True)]
    if not isinstance(titles, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list | tuple) and len(row) == len(titles) for row in rows):
        return None
    return entries_of_table(file, [str(t) for t in titles], [[*map(_cell, r)] for r in rows])


def table_of_records(value: Any) -> tuple[list[str], list[list[str]]]:
    """Return the fields that all records have, and a row of cells per record; else [], []."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return [], []
    titles = [name for name in value[0] if all(name in each for each in value)] if value else []
    return titles, [[_cell(each[name]) for name in titles] for each in value]


def _of_records(file: str, records: Sequence[Any], part: str = "") -> Entries | None:
    """Return the entries of records, read as a table of the fields that all records have."""
    if not records or not all(isinstance(each, dict) for each in records):
        return None
    return entries_of_table(file, *table_of_records(records), part)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _of_places(pairs: Iterable[Sequence[str]]) -> Entries | None:
    """Return the entries of (name, part) or (part, name) pairs; None for other pairs."""
    pairs = [(first.strip(), last.strip()) for first, last in pairs]
    for name, place in ((0, 1), (1, 0)):
        entries: Entries = {}
        for pair in pairs:
            is_image = bool(IMAGE.search(pair[name]))
            label = parent_folder(pair[name]) if is_image else pair[name]
            entry = (pair[name] if is_image else "", label)
            entries.setdefault(part_or_side(pair[place]), []).append(entry)
        if "" not in entries and trains_and_tests(entries):
            labels = [label for of in entries.values() for _, label in of]
            return _rows_as_images(entries) if all(map(LETTER.search, labels)) else None
    return None


def _of_pairs(lines: Sequence[str]) -> Entries | None:
    """Return the entries of lines with a name and a part, split at tab, comma, colon or space."""
    for separator in ("\t", ",", ":", None):
        pairs = [line.rsplit(separator, 1) for line in lines]
        if all(len(pair) == 2 for pair in pairs) and (entries := _of_places(pairs)):
            return entries
    return None


def _of_headings(lines: Sequence[str]) -> Entries | None:
    """Return the entries of text or YAML with headings of parts, over or before lists."""
    lists: dict[str, list[str]] = {}
    items: list[str] | None = None
    plain = _plain_headings(lines)
    for line in lines:
        heading = HEADING.fullmatch(line.strip())
        name = (heading[1] or heading[3]) if heading else line if line in plain else ""
        if part_or_side(name):
            within = (heading[2] if heading else "") or ""
            items = lists.setdefault(name, [])
            items += [each.strip(" \"'") for each in within.strip("[]").split(",") if each.strip()]
        elif items is not None:
            items.append(re.sub(r"^[-*]\s+", "", line.strip()).strip("\"',"))
    return _of_lists("", lists) if trains_and_tests(map(part_or_side, lists)) else None


def _plain_headings(lines: Sequence[str]) -> set[str]:
    """Return the lines that are only the name of a part or side, if they can be headings.

    Since a class may have such a name, they are headings only if the first line is a heading, each
    occurs once, and there are only parts or only sides.
    """
    headings = [line for line in lines if part_or_side(line)]
    parts = {*map(part_or_side, headings)}
    mixed = len(parts) < len(headings) or 0 < len(parts & {"seen", "unseen"}) < len(parts)
    begins = bool(lines) and bool(part_or_side(lines[0]))
    return {*headings} if begins and not mixed and trains_and_tests(parts) else set()


def _split_of(path: Path, entries: Entries) -> SplitList:
    """Return the split of entries, either of images or of classes only."""
    if any(image for of in entries.values() for image, _ in of):
        return split_of_images(path, entries, f"entries of {', '.join(entries)}")
    file = clean_text(path.name)
    names = {part: _class_list(file, [name for _, name in of]) for part, of in entries.items()}
    note, held_out = "lists of classes, no images", names.pop("val", ())
    if not {"test", "test_seen", "test_unseen", "unseen"} & {*names}:
        names["unseen"], held_out = held_out, ()
        note += "; val is used as the test part"
    whole = [name for part in ("seen", "trainval") for name in names.get(part, ())]
    seen = dict.fromkeys((*whole, *names.get("train", ())))
    unseen = [name for part in ("unseen", "test_unseen") for name in names.get(part, ())]
    tested = names.get("test", ())
    trained = {class_key(name) for name in (*seen, *held_out)}
    shared = [name for name in tested if class_key(name) in trained]
    if not are_few(len(shared), len(tested), len(trained)):  # the test part has seen classes, too
        tested = tuple(name for name in tested if name not in shared)
        expect(tested or unseen, file, "a test class that is not a training class", "none")
        note += f"; {len(shared)} test classes are also training classes, hence seen"
    # A list of seen classes includes validation classes; a list of training classes does not.
    validated = {class_key(name) for name in held_out}
    fitted = names.get("train") or [name for name in whole if class_key(name) not in validated]
    folds = [(fitted, held_out)] if held_out else []
    return split_of_classes(file, {"seen": [*seen], "unseen": [*unseen, *tested]}, note, folds)


def _class_list(file: str, listed: Sequence[str]) -> tuple[str, ...]:
    names = tuple(clean_text(name) for name in listed)
    expect("" not in names, file, "names of classes", "an empty one")
    return names


def _of_items(file: str, value: Mapping[str, Any]) -> SplitList:
    """Return the base-to-new split of a JSON in CoOp's form."""
    rows = ImageRows(file)
    names: dict[int, str] = {}
    listed: dict[str, list[tuple[int, int]]] = {}
    for part in ("train", "val", "test"):
        listed[part] = []
        items = value.get(part, [])
        expect(isinstance(items, list), f"{file}, {part}", "a list of images", type(items).__name__)
        for place, item in enumerate(items):
            image, label, name = _item(file, part, place, item)
            if names.setdefault(label, name) != name:
                both = f"{clean_text(names[label], 60)} and {clean_text(name, 60)}"
                expect(False, f"{file}, {part}", f"one name for label {label}", both)
            listed[part].append((rows.add(image, str(label)), label))
    numbers = sorted(names)
    base = frozenset(numbers[: -(-len(numbers) // 2)])
    parts = {
        "trainval": _rows_of(listed["train"] + listed["val"], base),
        "test_seen": _rows_of(listed["test"], base),
        "test_unseen": _rows_of(listed["test"], frozenset(numbers) - base),
    }
    place_of = {str(number): c for c, number in enumerate(numbers)}
    return SplitList(
        file,
        tuple(rows.number),
        np.array([place_of[label] for label in rows.labels], np.int64),
        tuple(names[number] for number in numbers),
        parts,
        note=f"from base to new: the first {len(base)} of {len(numbers)} labels are seen, the "
        "others are unseen",
    )


def _item(file: str, part: str, place: int, item: Any) -> tuple[str, int, str]:
    where, three = f"{file}, {part}, item {place + 1}", isinstance(item, list) and len(item) == 3
    if not three or not isinstance(item[0], str) or not isinstance(item[2], str):
        expect(False, where, "[image, label, class]", clean_text(repr(item), 60))
    label = item[1]
    if type(label) is not int or not 0 <= label < MAX_ITEMS:
        expect(False, where, "a label from 0", clean_text(repr(label), 40))
    return item[0], label, clean_text(item[2])


def _rows_of(items: Iterable[tuple[int, int]], classes: frozenset[int]) -> np.ndarray:
    return np.array([row for row, label in items if label in classes], dtype=np.int64)
