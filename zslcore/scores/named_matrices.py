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
from zslcore.texts import clean_text
from zslcore.untrusted.client import Contents
from zslcore.untrusted.readers.array_names import (
    CLASS_NAMES,
    COUNTERS,
    LABELS,
    NO_CLASSES,
    SCORE_VARIABLES,
    is_named,
)


@dataclass(frozen=True, slots=True, eq=False)
class NamedMatrix:
    """Matrix of scores with names of its rows and, perhaps, of its columns.

    Rows are images and columns classes, or vice versa. ``in_order`` is False if the file does not
    keep the order of its arrays; ``is_score`` is True if the file calls the values scores.
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

    def oriented(self, file: str, labels: Any) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return scores with one row per image, and names of the columns.

        Raises FileRefusedError if labels fit neither axis, or both.
        """
        y, size = np.asarray(labels), " x ".join(f"{n:,}" for n in self.values.shape)
        fits = [
            (values, classes)
            for values, classes in (
                (self.values, self.columns),
                (self.values.T, self.rows),
            )
            if len(values) == len(y) and self._are_classes(values, classes, y)
        ]
        if len(fits) == 1:
            ((values, classes),) = fits
            if y.dtype.kind not in "UO" and not self.in_order and not are_numbered(classes):
                raise FileRefusedError(
                    f"{file}: expected labels as names, or class_names in the order of their "
                    "numbers; got numbers and one array per class, and an HDF5 file does not keep "
                    "the order of arrays."
                )
            return values, classes
        shown = ", ".join(clean_text(name, 40) for name in self.rows[:3])
        if fits:
            raise FileRefusedError(
                f"{file}: {size} scores of {shown} may be one row per image or one row per class; "
                "give labels as class names."
            )
        raise FileRefusedError(
            f"{file}: expected scores of every class for each of {len(y):,} labels; got {size} "
            f"numbers, one list for each of {shown}; name the classes as the labels do, or give "
            "class_names."
        )

    def _are_classes(self, values: np.ndarray, classes: Sequence[str], y: np.ndarray) -> bool:
        """Whether the columns of ``values`` may be the classes of the labels ``y``."""
        if y.dtype.kind in "UO":
            return {*map(class_key, map(str, np.unique(y)))} <= {*map(class_key, classes)}
        if not len(y) or y.min() < 0:
            return False
        if classes and are_numbered(classes):
            return bool(np.isin(y, [_number(name) for name in classes]).all())
        if classes or self.is_score:
            return bool(y.max() < values.shape[1])
        if y.max() >= values.shape[1]:
            return False
        sums = values.sum(axis=1, dtype=float)
        are_probabilities = (values >= 0).all() and np.allclose(sums, 1, atol=1e-3)
        return bool(are_probabilities) or len(np.unique(y)) == values.shape[1]


def _number(name: str) -> int:
    match = re.search(r"(\d{1,9})$", name)
    return int(match[1]) if match else -1


def are_numbered(names: Sequence[str]) -> bool:
    """Whether names differ only by a number at their end."""
    starts = {re.sub(r"\d{1,9}$", "", name) for name in names}
    return bool(names) and len(starts) == 1 and all(name[-1:].isdigit() for name in names)


def named_matrix(contents: Contents) -> NamedMatrix | None:
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
    keys |= {t: _as_texts(values) for t, values in numbers.items() if is_named(t, COUNTERS)}
    scores = [title for title in numbers if not is_named(title, (*COUNTERS, *NO_CLASSES))]
    scores = [title for title in scores if is_named(title, SCORE_VARIABLES)] or scores
    if len(scores) != 1 or len(keys) < 2:
        return None
    coded = {title: np.unique(values, return_inverse=True) for title, values in keys.items()}
    matrices: list[tuple[NamedMatrix, np.ndarray | None]] = []
    for image, named in permutations(coded, 2):
        (images, row), (classes, column) = coded[image], coded[named]
        n = len(images) * len(classes)
        if min(len(images), len(classes)) < 2 or n != len(row):
            continue
        if len(np.unique(row * len(classes) + column)) != n:
            continue
        labels = [t for t in keys if t not in (image, named) and is_named(t, LABELS)]
        if not labels and any(is_named(t, LABELS) for t in (image,)):
            continue  # the column of labels is not an axis of images
        y = None
        if labels:
            y = np.empty(len(images), dtype=keys[labels[0]].dtype)
            y[row] = keys[labels[0]]
            if (y[row] != keys[labels[0]]).any() or not np.isin(y, classes).all():
                continue
        values = np.empty((len(images), len(classes)))
        values[row, column] = numbers[scores[0]]
        first = np.argsort(np.unique(row, return_index=True)[1], kind="stable")
        of_first = np.argsort(np.unique(column, return_index=True)[1], kind="stable")
        matrix = NamedMatrix(
            values[np.ix_(first, of_first)],
            tuple(clean_text(str(name)) for name in images[first]),
            tuple(clean_text(str(name)) for name in classes[of_first]),
            is_score=True,
        )
        matrices.append((matrix, None if y is None else y[first]))
    of_labels = [pair for pair in matrices if pair[1] is not None] or matrices[:1]
    return of_labels[0] if len(of_labels) == 1 else None


def _as_texts(values: np.ndarray) -> np.ndarray:
    return np.array([f"{value:g}" if value < 1e6 else str(int(value)) for value in values.tolist()])
