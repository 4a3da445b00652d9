"""Arrays of one data set that are divided among files, parts, classes or columns, joined."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from zslcore.datasets.intake.arrays import Array, readable_variables
from zslcore.datasets.intake.parts import NAMES, TITLES_OF_PARTS, keys_of_classes
from zslcore.datasets.part_names import (
    ABBREVIATIONS,
    PART_OF_NAME,
    WORDS_OF_PARTS,
    part_of_name,
    trains_and_tests,
    words_in,
)
from zslcore.datasets.split_lists import parent_folder
from zslcore.names import class_key, class_keys
from zslcore.texts import refusal_of
from zslcore.untrusted.client import Contents
from zslcore.untrusted.combined import combine_arrays

#: Parts with one entry per image.
IMAGE_PARTS = ("features", "labels", "image_files")
#: Arrays of a table that describe its columns, not its rows.
TABLE_ARRAYS = ("columns", "class_names")


def join_arrays(contents_of_files: Sequence[Contents]) -> list[Array]:
    """Return the arrays of files; arrays that are joined from shards or parts come first.

    Parquet files with the same columns are shards of one table; arrays such as ``X_train`` and
    ``X_test`` are parts.
    """
    shards = [file for file in contents_of_files if file.container == "Parquet"]
    if len(shards) < 2 or len({frozenset(file.shapes) for file in shards}) > 1:
        shards = []
    others = [file for file in contents_of_files if file not in shards]
    arrays = [Array(contents, name) for contents in others for name in readable_variables(contents)]
    if shards:
        matches = [re.match(r"[a-z]+", file.path.name.lower()) for file in shards]
        words = [match[0] if match else "" for match in matches]
        return join_shards(shards, shards[0].path.parent, words) + arrays
    if not (by_part := arrays_by_part(arrays)):
        return arrays
    of_images = [array for of_part in by_part.values() for array in of_part.values()]
    path, *further_paths = dict.fromkeys(array.contents.path for array in of_images)
    folder_or_file = path.resolve().parent if further_paths else path
    shards = [*map(_contents_of_part, by_part.values())]
    widths = [(shard.shapes["features"] or (0,))[-1] for shard in shards]
    if len({*widths}) > 1:
        sizes = ", ".join(f"{n:,} in {part}" for part, n in zip(by_part, widths, strict=True))
        raise refusal_of(folder_or_file, "the same number of features in all parts", sizes)
    joined = join_shards(shards, folder_or_file, [*by_part])
    return joined + [array for array in arrays if array not in of_images]


def join_shards(shards: Sequence[Contents], path: Path, words: Sequence[str]) -> list[Array]:
    """Join the rows of shards of a table; their ``words``, such as "train", define the split."""
    first = shards[0]
    shapes: dict[str, tuple[int, ...] | None] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, shape in first.shapes.items():
        joined = [first] if name in TABLE_ARRAYS else shards
        shapes_of_shards = [shard.shapes[name] or () for shard in joined]
        if not shape or any(not s or s[1:] != shape[1:] for s in shapes_of_shards):
            continue
        shapes[name] = (sum(s[0] for s in shapes_of_shards), *shape[1:])
        if all(shard.has(name) for shard in joined):
            arrays[name] = np.concatenate([shard.arrays[name] for shard in joined])
    sizes = [
        next(s[0] for n, s in shard.shapes.items() if s and n not in TABLE_ARRAYS)
        for shard in shards
    ]
    if all(word in PART_OF_NAME for word in words) and len({*words}) > 1:
        arrays["split"] = np.repeat(np.array(words), sizes)
        shapes["split"] = arrays["split"].shape
    contents = Contents(path, first.container, shapes, arrays, {})
    return [Array(contents, name, tuple(shards)) for name in readable_variables(contents)]


def arrays_by_part(arrays: Sequence[Array]) -> dict[str, dict[str, Array]]:
    """Return features, labels and image names by part, for arrays such as ``X_train``; else {}."""
    of_parts: dict[str, dict[str, Array]] = {}
    for array in arrays:
        words = words_in(array.name_or_stem)
        named = [word for word in words if word in WORDS_OF_PARTS or word in ABBREVIATIONS]
        kind = NAMES.get("".join(word for word in words if word not in named), "")
        if kind in IMAGE_PARTS and (part := part_of_name("_".join(named))):
            of_parts.setdefault(part, {}).setdefault(kind, array)
    kinds = [{*arrays_of_part} for arrays_of_part in of_parts.values()]
    needed = {"features", "labels"}
    if not trains_and_tests(of_parts) or not any(needed <= of_part for of_part in kinds):
        return {}
    for part, arrays_of_part in of_parts.items():
        for kind in sorted(needed - {*arrays_of_part}):
            (other, *_) = arrays_of_part.values()
            raise refusal_of(other.title, f"{TITLES_OF_PARTS[kind]} of {part} next to it", "none")
    return of_parts if len({*map(len, kinds)}) == 1 else {}


def _contents_of_part(arrays: Mapping[str, Array]) -> Contents:
    """Return the arrays of a part, with one row per image, as the contents of one file."""
    features, n = arrays["features"], arrays["labels"].shape[0]
    transposed = ["features"] if features.shape[1:] == (n,) != features.shape[:1] else []
    file_of = {kind: (array.contents, array.name) for kind, array in arrays.items()}
    contents = combine_arrays(features.contents.path, file_of, transposed)
    lists = {kind: array for kind, array in arrays.items() if kind != "features"}
    shapes = contents.shapes | {kind: array.shape for kind, array in lists.items()}
    values = {
        kind: listed.values.ravel() for kind, listed in lists.items() if listed.values is not None
    }
    return replace(contents, shapes=shapes, arrays=contents.arrays | values)


def join_classes(arrays: Sequence[Array], parts: Mapping[str, Array]) -> list[Array]:
    """Join the images of classes with one matrix each, named after the class.

    Return all arrays, with the joined ones first; [] if a matrix is not of a class.
    """
    matrices = [a for a in arrays if len(a.shape) == 2 and not a.is_text]
    keys = keys_of_classes(parts) or _keys_of_matrices(matrices)
    of_class = [a for a in matrices if class_key(a.name_or_stem) in keys]
    others = {*map(id, matrices)} - {*map(id, of_class)}
    if len(of_class) < 2 or others - {id(parts.get("prototypes"))}:
        return []
    if len({a.shape[1] for a in of_class}) > 1:
        return []
    shards = []
    for array in of_class:
        contents = combine_arrays(
            array.contents.path, {"features": (array.contents, array.name)}, []
        )
        labels = np.full(array.shape[0], array.name_or_stem)
        shapes, values = {"labels": labels.shape}, {"labels": labels}
        shards.append(
            replace(contents, shapes=contents.shapes | shapes, arrays=contents.arrays | values)
        )
    path = of_class[0].contents.path
    is_folder = len({array.contents.path for array in of_class}) > 1
    joined = join_shards(shards, path.parent if is_folder else path, [])
    return [*joined, *(array for array in arrays if array not in of_class)]


def _keys_of_matrices(matrices: Sequence[Array]) -> set[str]:
    """Return the keys of the names of matrices that may be classes; else an empty set.

    They may be classes if there are at least three, all with the same number of columns, and no
    name is that of a part of a data set or split, or differs from another name only by a number.
    """
    names = [array.name_or_stem for array in matrices]
    stems = {re.sub(r"\d+$", "", name) for name in names}
    are_classes = len(stems) == len(names) > 2 and len({a.shape[1] for a in matrices}) == 1
    words = [{*words_in(name)} for name in names]
    of_data = any(w & {*WORDS_OF_PARTS, *ABBREVIATIONS, *NAMES} for w in words)
    return {*class_keys(names)} if are_classes and not of_data else set()


def folders_as_labels(arrays: Sequence[Array], parts: Mapping[str, Array]) -> Array | None:
    """Return the folder of each image as its label, if every folder has the name of a class."""
    keys, rows = keys_of_classes(parts), parts["features"].shape if "features" in parts else ()
    for array in arrays:
        if array.values is None or not array.is_text or len(array.shape) != 1:
            continue
        images = array.values.ravel().tolist() if array.shape[0] in rows else []
        for _ in range(2 if images else 0):  # bat/0001.jpg, or bat/images/0001.jpg
            folders = [parent_folder(image) for image in images]
            if {*class_keys(folders)} <= keys:
                columns = {"image_files": array.values, "folder": np.array(folders)}
                return Array(array.contents.with_arrays(columns), "folder")
            images = [image.replace("\\", "/").rpartition("/")[0] for image in images]
    return None


def divide_labels(matrix: Array | None) -> list[Array]:
    """Divide a matrix without titles into features and its first or last column, the labels.

    The list is empty unless the matrix has at least three columns and fractions in its first row,
    and exactly one of the two columns has repeated whole numbers.
    """
    if matrix is None or not matrix.is_unnamed or matrix.values is None:
        return []
    values = matrix.values
    last = values.shape[1] - 1
    whole = [k for k in (0, last) if _are_labels(values[:, k])]
    if len(whole) != 1 or last < 2 or np.array_equal(values[0], np.trunc(values[0])):
        return []
    arrays = {
        "features": np.delete(values, whole[0], axis=1),
        "labels": values[:, whole[0]].astype(np.int64),
    }
    divided = matrix.contents.with_arrays(arrays)
    return [Array(divided, name) for name in arrays]


def _are_labels(column: np.ndarray) -> bool:
    """Whether a column has whole numbers of 0 and above that repeat."""
    are_whole = np.array_equal(column, np.trunc(column)) and column.min() >= 0
    return bool(are_whole) and 1 < len(np.unique(column)) < len(column)
