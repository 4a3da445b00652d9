"""Entries of JSON, YAML, TOML and PyTorch files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.part_names import (
    PATH_WORDS,
    is_unlabelled,
    part_of_labels,
    part_of_name,
    part_or_side,
    side_of_stem,
    trains_and_tests,
    words_in,
)
from zslcore.datasets.split_files.items import read_items
from zslcore.datasets.split_files.json_parts import (
    pair_images_with_classes,
    read_json_lists,
    read_json_table,
    read_records_by_name,
)
from zslcore.datasets.split_files.lists import NAMELESS, pair_names_with_parts
from zslcore.datasets.split_files.tables import NOT_COMPARED
from zslcore.datasets.split_lists import (
    IMAGE,
    IN_PATH,
    Entries,
    SplitList,
    is_split_of_parts,
    join_first_names,
)
from zslcore.datasets.split_numbering import split_of_entries, split_of_parts, with_class_lists
from zslcore.texts import clean_text, have_type, refusal_of
from zslcore.untrusted.readers.array_names import (
    LABEL_VARIABLES,
    PREDICTED,
    SCORE_VARIABLES,
    first_named,
)
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS

#: If lists have fewer numbers in total, numbers that two parts share may be settings, not rows.
MIN_ROWS = 20
#: Maximum depth of nested objects that is searched for a split.
MAX_LEVELS = 3
#: Maximum number of objects that are searched for a split.
MAX_OBJECTS = 1 << 12


def split_of_json(path: Path, value: Any) -> SplitList | None:
    """Return the split of lists and objects in one of the formats above; None for other values.

    Raises a FileRefusedError if a list in it is malformed.
    """
    file = clean_text(path.name)
    if (entries := entries_of_json(file, value)) is not None:
        return split_of_entries(path, entries)
    if not isinstance(value, dict) or not is_split_of_parts(value, list):
        return None
    lists = {n: names for n, names in value.items() if part_of_name(n) and isinstance(names, list)}
    if _may_be_settings(value, lists):
        return None
    if any(isinstance(element, list) for names in lists.values() for element in names):
        return read_items(path, value)
    named = first_named([name for name in value if name not in lists], LABEL_VARIABLES)
    labels = value.get(named) if named else None
    is_list = isinstance(labels, list) and all(type(label) is int for label in labels)
    y = np.array(labels, np.int64) if is_list and labels else None
    sides = {n: names for n, names in value.items() if part_or_side(n) in ("seen", "unseen")}
    classes = entries_of_json(file, sides, MAX_LEVELS)
    listed = None if classes is None else split_of_entries(path, classes)
    return with_class_lists(split_of_parts(file, lists, y), listed)


def _may_be_settings(value: Mapping[str, Any], lists: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a few numbers in two parts may be settings, such as sizes, instead of rows."""
    named = any(words_in(name)[-1:] != [part_of_name(name)] for name in lists)
    if named or first_named(value, LABEL_VARIABLES) or sum(map(len, lists.values())) >= MIN_ROWS:
        return False
    parts: dict[str, set[int]] = {}
    for name, numbers in lists.items():
        if not all(type(number) is int for number in numbers):
            return False
        parts.setdefault(part_of_name(name), set()).update(numbers)
    return len(set().union(*parts.values())) < sum(map(len, parts.values()))


def entries_of_json(file: str, value: Any, level: int = 0) -> Entries | None:
    """Return the entries of JSON with images or classes by part; None for other JSON.

    An object with more than MAX_COLUMNS names maps images or classes, not parts.
    Raises a FileRefusedError for a record of an image without a part.
    """
    if isinstance(value, list):
        splits = splits_by_name(value) if level == 0 else {}
        if not splits:
            return read_json_table(file, value)
        value = splits
    if not isinstance(value, dict) or not value:
        return None
    has_columns = len(value) <= MAX_COLUMNS
    if has_columns:
        lists = [str(name) for name, inner in value.items() if isinstance(inner, list)]
        if first_named(lists, (*SCORE_VARIABLES, *PREDICTED)):
            return None
        if (entries := read_label_lists(value)) is not None:
            return entries
        parts, value = _find_parts(value, is_outermost=level == 0)
        if trains_and_tests(parts.values()):
            return _read_parts(file, value, parts, is_outermost=level == 0)
    for texts in (value, _merge_groups(value)):
        if texts and have_type(texts.values(), str):
            return pair_names_with_parts(texts.items())
    if has_columns and (table := read_json_table(file, value)) is not None:
        return table
    if have_type(value.values(), dict | list):
        for read_mapping in (_read_parts_by_class, read_records_by_name):
            if (entries := read_mapping(file, value)) is not None:
                return entries
    return _read_inner_objects(file, value, level) if has_columns and level < MAX_LEVELS else None


def _find_parts(
    value: dict[str, Any], *, is_outermost: bool
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the part of each list in an object by its name, and the object with these lists.

    Lists below "seen" and "unseen" of a part become lists of the object, and names of sides in
    other languages become "seen" and "unseen".
    """
    for key, inner in value.items():
        is_divided = isinstance(inner, dict) and {*inner} == {"seen", "unseen"}
        if is_divided and part_of_name(str(key)):
            value = {name: element for name, element in value.items() if name != key}
            value |= {f"{key}_{side}": element for side, element in inner.items()}
    parts = {str(key): part for key in value if (part := part_or_side(str(key)))}
    if not parts and is_outermost:
        sides = {str(key): side for key in value if (side := side_of_stem(str(key)))}
        value = {sides.get(key, key): element for key, element in value.items()}
        parts = {side: side for side in sides.values()}
    return parts, value


def _read_parts(
    file: str, value: Mapping[str, Any], parts: Mapping[str, str], *, is_outermost: bool
) -> Entries | None:
    """Return the entries of an object with one list per part; None for settings.

    Raises a FileRefusedError if all lists of training, or all of the test, are empty.
    """
    empty = [key for key in parts if value[key] in ([], {})]
    if is_outermost and not trains_and_tests(parts[key] for key in parts if key not in empty):
        expected = (
            f"classes or images in {join_first_names([clean_text(key, 40) for key in empty])}"
        )
        raise refusal_of(file, expected, "an empty list")
    entries = read_json_lists(file, {key: value[key] for key in parts}, {*value})
    if entries is None:
        return None
    if others := [*filter(is_unlabelled, map(str, value))]:
        entries.questions = (NOT_COMPARED.format(join_first_names(others)),)
    # Inner objects with one name per part are settings.
    one_each = all(len(pairs) == 1 for pairs in entries.values())
    return None if one_each and not is_outermost else entries


def _read_inner_objects(file: str, value: Mapping[str, Any], level: int) -> Entries | None:
    """Return the entries of the only inner object with a split; refuse several splits."""
    inner = [element for element in value.values() if isinstance(element, dict | list)]
    if len(inner) > MAX_OBJECTS:
        return None
    read = [entries for element in inner if (entries := entries_of_json(file, element, level + 1))]
    class_entries = [entries for entries in read if not entries.has_images]
    if len(read) == 2 and len(class_entries) == 1:  # one object lists classes, the other images
        (entries,) = (part for part in read if part.has_images)
        entries.classes = class_entries[0]
        return entries
    if level == 0 and 1 < len(read) == len(value):
        names = join_first_names([clean_text(str(key), 40) for key in value])
        advice = "name one of them with --split"
        raise refusal_of(file, "one split per file", f"{len(read)} ({names}); {advice}")
    return read[0] if len(read) == 1 else None


def splits_by_name(value: Any) -> dict[str, Any]:
    """Return the values of several splits by name, or by number from 1 in a list; else {}."""
    named = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        named = {str(k): split for k, split in enumerate(value, 1)}
    are_splits = all(
        isinstance(split, dict) and trains_and_tests(map(part_or_side, map(str, split)))
        for split in named.values()
    )
    return named if are_splits and len(named) > 1 else {}


def _merge_groups(value: Mapping[str, Any]) -> dict[str, Any]:
    """Merge objects of texts, such as classes by group; {} for other values or a repeated name."""
    if not all(
        isinstance(group, dict) and group and have_type(group.values(), str)
        for group in value.values()
    ):
        return {}
    merged = {name: text for group in value.values() for name, text in group.items()}
    return merged if len(merged) == sum(map(len, value.values())) else {}


def _read_parts_by_class(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from each class to its images by part, else None."""
    entries = Entries()
    for label, of_parts in value.items():
        if not isinstance(of_parts, dict):
            return None
        for key, images in of_parts.items():
            part = part_of_name(str(key))
            if not part or not isinstance(images, list):
                return None
            pairs = pair_images_with_classes({label: images})
            if pairs is None or not all(IMAGE.search(image) for image, _ in pairs):
                return None
            entries.setdefault(part, []).extend(pairs)
    return entries if trains_and_tests(entries) else None


def read_label_lists(value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of one list of labels per part, such as ``y_train``; else None.

    Lists of paths, such as ``train_paths``, name the images.
    """
    entries = Entries(questions=(NAMELESS,))
    paths = {
        (part, len(listed)): listed
        for name, listed in value.items()
        if (part := part_of_labels(str(name), PATH_WORDS))
        if isinstance(listed, list) and have_type(listed, str) and all(map(IN_PATH.search, listed))
    }
    for name, labels in value.items():
        part = part_of_labels(str(name))
        if part and isinstance(labels, list):
            if not have_type(labels, int | str):
                return None
            names = [label if isinstance(label, str) else f"class {label}" for label in labels]
            numbered = [f"{part} {k}" for k in range(1, len(names) + 1)]
            images = paths.get((part, len(names)), numbered)
            entries[part] = [*zip(images, names, strict=True)]
    if all((part, len(pairs)) in paths for part, pairs in entries.items()):
        entries.questions = ()
    repeated = any(len({*labels}) < len(labels) for labels in entries.labels.values())
    return entries if repeated and trains_and_tests(entries) else None
