"""Assignment of arrays to the parts of a data set: as chosen, by name, then by shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from zslcore.datasets.intake.arrays import LINES, Array
from zslcore.datasets.part_names import PART_OF_NAME, part_of_name
from zslcore.exceptions import ParameterError
from zslcore.names import class_key, class_keys
from zslcore.texts import clean_text
from zslcore.untrusted.client import are_marks
from zslcore.untrusted.readers.array_names import NAMES_OF_PARTS, letters_of

#: Part -> its name in sentences.
TITLES_OF_PARTS = {
    "features": "features",
    "labels": "labels",
    "prototypes": "class embeddings",
    "class_names": "class names",
    "attribute_names": "attribute names",
    "image_files": "image names",
    "split": "part of every image",
    "unseen": "unseen classes",
    "seen": "seen classes",
    **{part: f"rows of {part}" for part in ("trainval", "train", "val", "test")},
    **{part: f"rows of {part}" for part in ("test_seen", "test_unseen")},
}
#: Parts with an array that the user may choose, as in ``--labels FILE:NAME``.
CHOICES = ("features", "labels", "prototypes", "class_names")
#: Name of a variable or file, reduced to its letters in lower case -> part.
NAMES = {letters_of(name): part for part, names in NAMES_OF_PARTS.items() for name in names}
#: Containers of tables, with one row per image or class.
TABLES = ("text", "Parquet", "JSON")


def find_chosen_array(part: str, text: str, arrays: Sequence[Array]) -> Array:
    """Return the array that a choice names."""
    matches = [a for a in arrays if text in (a.title, a.contents.path.name, str(a.contents.path))]
    file, _, name = text.rpartition(":")
    exact = [
        a for a in arrays if a.name == name and file in (a.contents.path.name, str(a.contents.path))
    ]
    matches = exact or matches
    if len(matches) != 1:
        titles = ", ".join(a.title for a in (matches or arrays)[:12])
        raise ParameterError(
            f"--{part.replace('_', '-')}: expected one of {titles}; got {clean_text(text, 80)!r}."
        )
    return matches[0]


def guess_parts(
    arrays: Sequence[Array], chosen: Mapping[str, Array], unclear: dict[str, str]
) -> dict[str, Array]:
    """Return the array of each part: as chosen, by name, then by shape.

    A part with several possible arrays is left out and gets a sentence in ``unclear``.
    """
    parts = dict(chosen)
    free = [a for a in arrays if a not in chosen.values() and a.name != LINES]
    of_table = _add_parts_of_tables(free, parts)
    free = [a for a in free if a not in parts.values()]
    named: dict[str, list[Array]] = {}
    for array in free:
        if (part := _named_part(array)) not in ("", "class") and _may_be(array, part):
            named.setdefault(part, []).append(array)
    for part, candidates in named.items():
        if part not in parts:
            # The xlsa17 layout has scaled and original attributes; the scaled ones are preferred.
            better = [a for a in candidates if a.name == "att"] or candidates
            if part == "class_names":
                better = _names_of_labels(candidates)
            if len(better) > 1 and part in CHOICES:
                unclear[part] = _ambiguous(part, better)
            else:
                parts[part] = better[0]
    free = [a for a in free if a not in parts.values() and a not in of_table]
    _guess_by_shape([a for a in free if not _named_part(a)], parts, unclear)
    titles, embeddings = parts.get("attribute_names"), parts.get("prototypes")
    if (
        titles
        and embeddings
        and titles.name == "columns"
        and titles.contents is not embeddings.contents
    ):
        del parts["attribute_names"]  # they are titles of another matrix
    return parts


def _named_part(array: Array) -> str:
    """Return the part named by a variable, or by a file with one unnamed array; else ""."""
    is_unnamed, name = array.is_unnamed, array.name_or_stem
    if array.contents.container in ("text", "Parquet") and array.name == "class":
        return "class"  # names of classes, in a table of classes or of images
    part = part_of_name(name.removesuffix("_loc"))
    if part and len(array.shape) == 1 and not (is_unnamed and array.shape[0] < 2):
        return part
    return NAMES.get(letters_of(name), "")


def _names_of_labels(lists: Sequence[Array]) -> list[Array]:
    """Return the lists of class names to which labels may refer.

    A file of class embeddings may name more classes than the data set has. If it names every class
    of the only other list, labels refer to the other list; otherwise return all lists.
    """
    keys = {id(a): {class_key(name) for name in a.names} for a in lists}
    of_rows = [a for a in lists if matrix_named_by(a) is not None]
    label_lists = [a for a in lists if a not in of_rows]
    if len(label_lists) == 1 and all(keys[id(label_lists[0])] <= keys[id(a)] for a in of_rows):
        return label_lists
    return [*lists]


def matrix_named_by(names: Array) -> str | None:
    """Return the name of the only matrix in the same file if it has a row per name; else None."""
    n, shapes = names.shape[0], names.contents.shapes
    matrices = [name for name, shape in shapes.items() if shape and len(shape) == 2]
    named = [name for name in matrices if (shapes[name] or (0,))[0] == n]
    return named[0] if len(matrices) == len(named) == 1 else None


def _may_be(array: Array, part: str) -> bool:
    """Whether the shape and kind of an array fit a part."""
    axes = len(array.shape)
    if part in ("features", "prototypes"):
        return axes == 2 and not array.is_text
    if part in ("class_names", "attribute_names", "image_files"):
        return array.is_text
    is_one_hot = part == "labels" and array.values is not None and are_marks(array.values)
    return axes == 1 or is_one_hot


def _add_parts_of_tables(free: Sequence[Array], parts: dict[str, Array]) -> list[Array]:
    """Add the parts of tables with one row per image or class; return columns of class tables."""
    table_columns: list[Array] = []
    tables: dict[int, list[Array]] = {}
    for array in free:
        if array.contents.container in TABLES and len(array.contents.shapes) > 1:
            tables.setdefault(id(array.contents), []).append(array)
    for columns in tables.values():
        column_by_title = {array.name.lower(): array for array in columns}
        matrices = [a for a in columns if len(a.shape) == 2 and not a.is_text]
        titles = ("class", "class_name", "name", "attribute", "attributes", "predicate")
        names = next((column_by_title[title] for title in titles if title in column_by_title), None)
        if len(matrices) == 1 and any(NAMES.get(n) == "labels" for n in column_by_title):
            parts.setdefault("features", matrices[0])  # a label column means one row per image
        if len(matrices) != 1 or names is None or not names.is_text or names.values is None:
            continue
        if len(np.unique(names.values)) == len(names.values) and "label" not in column_by_title:
            table_columns += columns
            if parts.setdefault("prototypes", matrices[0]) is matrices[0]:
                parts.setdefault("class_names", names)
                if "columns" in column_by_title:
                    parts.setdefault("attribute_names", column_by_title["columns"])
        elif "labels" not in parts:
            parts["labels"] = names
            parts.setdefault("features", matrices[0])
    return table_columns


def _guess_by_shape(
    free: Sequence[Array], parts: dict[str, Array], unclear: dict[str, str]
) -> None:
    """Add parts that no name identifies; each follows from the shapes of earlier parts."""
    matrices = [a for a in free if len(a.shape) == 2 and not a.is_text]
    lists = [a for a in free if len(a.shape) == 1 and (a.is_text or a.is_whole)]
    if "features" not in {*parts, *unclear} and matrices:
        unused = [a for a in matrices if a is not parts.get("prototypes")]
        parts["features"] = max(unused, key=lambda a: (max(a.shape), min(a.shape)))
    rows = set(parts["features"].shape) if "features" in parts else set()
    if "labels" not in {*parts, *unclear}:
        fitting = [a for a in lists if a.shape[0] in rows and not a.is_distinct]
        name_parts = [a for a in fitting if a.is_among(PART_OF_NAME)]
        if len(name_parts) == 1 and "split" not in parts:
            parts["split"] = name_parts[0]
        fitting = [a for a in fitting if a not in name_parts]
        keys = keys_of_classes(parts)
        fitting = [a for a in fitting if keys and a.is_among(keys)] or fitting
        if len(fitting) > 1:
            unclear["labels"] = _ambiguous("labels", fitting)
        parts |= {"labels": fitting[0]} if len(fitting) == 1 else {}
    images = [a for a in lists if a.shape[0] in rows and a.names_images]
    if "image_files" not in parts and len(images) == 1:
        parts["image_files"] = images[0]
    if "class_names" not in parts:
        fitting = [a for a in lists if a.is_text and a.is_distinct and a.shape[0] not in rows]
        parts |= {"class_names": fitting[0]} if len(fitting) == 1 else {}
    if "prototypes" not in {*parts, *unclear}:
        unused = [a for a in matrices if a not in parts.values()]
        n = count_classes(parts)
        fitting = [a for a in unused if n in a.shape] or unused
        if len(fitting) > 1:
            unclear["prototypes"] = _ambiguous("prototypes", fitting)
        parts |= {"prototypes": fitting[0]} if len(fitting) == 1 else {}


def count_classes(parts: Mapping[str, Array]) -> int:
    """Return the number of classes, from the class names or the labels; 0 without them."""
    if "class_names" in parts:
        return parts["class_names"].shape[0]
    labels = parts["labels"].values if "labels" in parts else None
    return 0 if labels is None else len(np.unique(labels))


def keys_of_classes(parts: Mapping[str, Array]) -> set[str]:
    """Return the keys of the class names; an empty set without names."""
    names = parts.get("class_names")
    is_text = names is not None and names.is_text
    return {*class_keys(names.names)} if names and is_text else set()


def _ambiguous(part: str, candidates: Sequence[Array]) -> str:
    titles = " and ".join(f"{a.title} ({a.in_words})" for a in candidates[:3])
    if part == "prototypes" and all(part_of_name(a.name.partition("_")[2]) for a in candidates):
        return (
            f"Expected one array of {TITLES_OF_PARTS[part]}; found {titles}, one per part; write "
            "one array with a row for every class, in the order of the labels."
        )
    return (
        f"Expected one array of {TITLES_OF_PARTS[part]}; found {titles}; say which with "
        f"--{part.replace('_', '-')} FILE:NAME."
    )
