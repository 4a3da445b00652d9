"""Entries of arrays with the classes or labels of each part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.part_names import FEATURE_WORDS, part_of_labels, part_or_side
from zslcore.datasets.split_files.columns import is_named_after_parts
from zslcore.datasets.split_files.contents import MAX_ITEMS
from zslcore.datasets.split_files.json_objects import MAX_LEVELS, entries_of_json
from zslcore.datasets.split_files.lists import NAMELESS
from zslcore.datasets.split_lists import Entries, SplitList
from zslcore.datasets.split_numbering import split_of_entries
from zslcore.texts import clean_text
from zslcore.untrusted.client import are_marks

#: Minimum number of integer features per image for which equal features mean equal images.
MIN_INTEGERS = 16


def split_of_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> SplitList | None:
    """Return the split of arrays with the classes or labels of each part; None for other arrays.

    The labels of a part may be one-hot, with one row per image.
    """
    arrays = {
        name: array.argmax(1)
        if part_of_labels(name) and are_marks(array) and (array.sum(1) == 1).all()
        else array
        for name, array in arrays.items()
    }
    lists = {
        name: array.ravel()
        for name, array in arrays.items()
        if array.dtype.kind in "iuU" and array.size == max(array.shape, default=0)
    }
    # An array of numbers is a part only if it is named after one. As Python objects, numbers take
    # eight times the memory, so only arrays with a part become lists.
    has_parts = any(
        array.dtype.kind == "U" or is_named_after_parts(name) for name, array in lists.items()
    )
    if not has_parts or sum(array.size for array in lists.values()) > MAX_ITEMS:
        return None
    values: dict[str, Any] = {}
    for name, array in lists.items():  # "train.image" is the column "image" of the table "train"
        outer, _, inner = name.partition(".")
        is_column = inner and part_or_side(outer) and outer not in lists
        columns = values.setdefault(outer, {}) if is_column else values
        columns[inner if is_column else name] = array.tolist()
    entries = entries_of_json(clean_text(path.name), values, MAX_LEVELS)
    if entries is None:
        return None
    features = _join_features(entries, arrays)
    if features is not None:  # equal images are found by their features
        entries.questions = tuple(q for q in entries.questions if q != NAMELESS)
    split = split_of_entries(path, entries)
    is_whole = features is not None and len(split.files) == len(features)
    return replace(split, features=features) if is_whole else split


def _join_features(entries: Entries, arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Return the features of all entries from one matrix per part, such as ``X_train``.

    None if a part has no such matrix, or one of another size.
    """
    matrices = {
        part: array.reshape(len(array), -1)
        for name, array in arrays.items()
        if array.ndim > 1 and array.size and array.dtype.kind in "biuf"
        if array.dtype.kind == "f" or array[0].size >= MIN_INTEGERS
        if (part := part_of_labels(name, FEATURE_WORDS))
    }
    listed = [(matrices.get(part, np.empty((0, 0))), pairs) for part, pairs in entries.items()]
    is_whole = all(len(matrix) == len(pairs) for matrix, pairs in listed)
    if not is_whole or len({matrix.shape[1] for matrix, _ in listed}) > 1:
        return None
    features: np.ndarray = np.concatenate([matrix for matrix, _ in listed]).astype(np.float32)
    return features if np.isfinite(features).all() else None
