"""Matrices of scores with names of their rows or columns.

Programs write one array per class or per image, or one row per pair of image and class. A matrix
with two plausible readings is refused with a sentence that names both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import Contents
from zslcore.untrusted.readers.array_names import (
    CLASS_NAMES,
    COUNTERS,
    LABELS,
    NOT_CLASSES,
    SCORE_VARIABLES,
    is_named,
)


@dataclass(frozen=True, slots=True, eq=False)
class NamedMatrix:
    """Matrix of scores with names of its rows and, optionally, of its columns.

    Rows are images and columns classes, or vice versa. ``in_order`` is False if the file loses the
    order of its arrays; ``is_score`` is True if the file calls the values scores.
    """

    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    in_order: bool = True
    is_score: bool = False

    @property
    def axes(self) -> dict[str, np.ndarray]:
        """Names of the rows and of the columns, if any; either may name the images."""
        named = {"": self.rows, " ": self.columns}
        return {title: np.array(names) for title, names in named.items() if names}

    def orient(self, file: str, labels: Any) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return scores with one row per image, and names of the columns.

        Raises FileRefusedError if labels fit neither axis, or both.
        """
        y, size = np.asarray(labels), " x ".join(f"{n:,}" for n in self.values.shape)
        orientations = (self.values, self.columns), (self.values.T, self.rows)
        fits = [
            (values, classes)
            for values, classes in orientations
            if len(values) == len(y) and self._are_classes(values, classes, y)
        ]
        first_names = ", ".join(clean_text(name, 40) for name in self.rows[:3])
        if len(fits) > 1:
            raise FileRefusedError(
                f"{file}: {size} scores of {first_names} may be one row per image or one row per "
                "class; give labels as class names."
            )
        if not fits:
            expected = f"scores of every class for each of {len(y):,} labels"
            got = f"{size} numbers, one list for each of {first_names}"
            advice = "name the classes as the labels do, or give class_names"
            raise refusal_of(file, expected, f"{got}; {advice}")
        ((values, classes),) = fits
        are_names = y.dtype.kind in "UO"
        expect(
            are_names or self.in_order or are_numbered(classes),
            file,
            "labels as names, or class_names in the order of their numbers",
            "numbers and one array per class, and an HDF5 file does not keep the order of arrays",
        )
        return values, classes

    def _are_classes(self, values: np.ndarray, classes: Sequence[str], y: np.ndarray) -> bool:
        """Whether the columns of ``values`` may be the classes of the labels ``y``."""
        if y.dtype.kind in "UO":
            return {*map(class_key, map(str, np.unique(y)))} <= {*map(class_key, classes)}
        if not len(y) or y.min() < 0:
            return False
        if classes and are_numbered(classes):
            numbers = [re.search(r"\d{1,9}$", name) for name in classes]
            return bool(np.isin(y, [int(match[0]) for match in numbers if match]).all())
        if y.max() >= values.shape[1]:
            return False
        if classes or self.is_score:
            return True
        sums = values.sum(axis=1, dtype=float)
        are_probabilities = (values >= 0).all() and np.allclose(sums, 1, atol=1e-3)
        return bool(are_probabilities) or len(np.unique(y)) == values.shape[1]


def are_numbered(names: Sequence[str]) -> bool:
    """Whether names differ only by a number at their end."""
    starts = {re.sub(r"\d{1,9}$", "", name) for name in names}
    return bool(names) and len(starts) == 1 and all(name[-1:].isdigit() for name in names)


def find_named_matrix(contents: Contents) -> NamedMatrix | None:
    """Return the matrix of a file with one vector per class or image; None for other files."""
    if contents.has("prototypes") and contents.has("class_names"):
        columns = contents.names("columns") if contents.has("columns") else ()
        values = contents.arrays["prototypes"]
        rows = contents.names("class_names")
        if values.ndim != 2 or values.shape[0] != len(rows):
            return None
        return NamedMatrix(values, rows, columns or _class_names(contents, values.shape[1]))
    vectors = contents.vectors
    if not vectors:
        return None
    values = np.array([*vectors.values()], dtype=float)
    rows = tuple(map(clean_text, vectors))
    listed = _class_names(contents, len(rows))
    if listed and {*listed} == {*rows}:  # the list has the order of classes
        values, rows = values[[rows.index(name) for name in listed]], listed
    in_order = contents.container != "HDF5" or rows == listed
    columns = _class_names(contents, values.shape[1])
    return NamedMatrix(values, rows, columns, in_order, not {*vectors} <= {*contents.arrays})


def _class_names(contents: Contents, n: int) -> tuple[str, ...]:
    """Return the list of ``n`` distinct class names in a file; () without such a list."""
    for name, array in contents.arrays.items():
        is_list = array.dtype.kind == "U" and array.size == n == len(np.unique(array))
        if is_list and is_named(name, CLASS_NAMES) and name != "class_names":
            return contents.names(name)
        if is_list and name == "class_names" and not contents.has("prototypes"):
            return contents.names(name)
    return ()


def matrix_of_pairs(
    texts: Mapping[str, np.ndarray], numbers: Mapping[str, np.ndarray]
) -> tuple[NamedMatrix, np.ndarray | None] | None:
    """Return the matrix of a table with one row per image and class, and the labels of its images.

    The labels are None if the table has none; the result is None for any other table.
    """
    keys = {title: values.astype(str) for title, values in texts.items()}
    keys |= {t: _convert_to_texts(values) for t, values in numbers.items() if is_named(t, COUNTERS)}
    scores = [title for title in numbers if not is_named(title, (*COUNTERS, *NOT_CLASSES))]
    scores = [title for title in scores if is_named(title, SCORE_VARIABLES)] or scores
    if len(scores) != 1 or len(keys) < 2:
        return None
    coded: dict[str, tuple[np.ndarray, ...]] = {
        title: np.unique(values, return_index=True, return_inverse=True)
        for title, values in keys.items()
    }
    matrices = []
    for image, named in permutations(keys, 2):
        others = [title for title in keys if title not in (image, named)]
        labels = next((keys[title] for title in others if is_named(title, LABELS)), None)
        if labels is None and is_named(image, LABELS):
            continue  # the column of labels is not an axis of images
        pair = _matrix_of_pair(coded[image], coded[named], numbers[scores[0]], labels)
        if pair is not None:
            matrices.append(pair)
    of_labels = [pair for pair in matrices if pair[1] is not None] or matrices[:1]
    return of_labels[0] if len(of_labels) == 1 else None


def _matrix_of_pair(
    image_codes: tuple[np.ndarray, ...],
    class_codes: tuple[np.ndarray, ...],
    scores: np.ndarray,
    labels: np.ndarray | None,
) -> tuple[NamedMatrix, np.ndarray | None] | None:
    """Return the matrix and the labels of its images; None unless all pairs occur once.

    Codes are distinct names, the first row of each, and the position of each row's name.
    """
    images, first_rows, row = image_codes
    classes, first_columns, column = class_codes
    n = len(images) * len(classes)
    if min(len(images), len(classes)) < 2 or n != len(row):
        return None
    if len(np.unique(row * len(classes) + column)) != n:
        return None
    values = np.empty((len(images), len(classes)))
    values[row, column] = scores
    # Rows and columns have the order of the file.
    by_row, by_column = np.argsort(first_rows), np.argsort(first_columns)
    y = None
    if labels is not None:
        y = labels[first_rows]
        if (y[row] != labels).any() or not np.isin(y, classes).all():
            return None
        y = y[by_row]
    rows, columns = (
        tuple(clean_text(str(name)) for name in names)
        for names in (images[by_row], classes[by_column])
    )
    return NamedMatrix(values[np.ix_(by_row, by_column)], rows, columns, is_score=True), y


def _convert_to_texts(values: np.ndarray) -> np.ndarray:
    return np.array([f"{value:g}" if value < 1e6 else str(int(value)) for value in values.tolist()])
