"""Labels of images in a file of their own, and texts that are class numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from zslcore.datasets.split_lists import IMAGE_IN_LINE
from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import (
    Contents,
    Limits,
    container_of,
    look_into,
    read_lines,
    rows_by_image,
)
from zslcore.untrusted.readers.array_names import LABEL_VARIABLES, LABELS, first_named

#: Number of strings of an array that become Python objects at a time.
TEXTS_AT_ONCE = 1 << 14


def read_labels(
    source: Path | Contents,
    folder: Path,
    limits: Limits,
    scores: str,
    images: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Read labels from a separate file, in the order of the images of the file ``scores``.

    ``images`` are columns of the scores; one may have the names of the images.
    """
    folder.mkdir(exist_ok=True)
    if isinstance(source, Path) and container_of(source) == "text":
        try:
            table = look_into(source, ("text",), limits=limits)
        except FileRefusedError:  # not a table: lines have different numbers of cells
            return numbers_or_names(read_lines(source, max_bytes=64 << 20))
        return _labels_of_text(table, folder, limits, scores, images)
    contents = look_into(source, limits=limits) if isinstance(source, Path) else source
    name = first_named(contents.shapes, ("array", *LABEL_VARIABLES))
    labels = None if name is None else _labels_in(contents, name, folder, limits)
    if labels is None:
        raise refusal_of(clean_text(source.name), "labels", "none")
    return _order_by_image(contents, labels, scores, images)


def _order_by_image(
    file: Contents, labels: np.ndarray, scores: str, images: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return labels in the order of the images of ``scores``, if both files name the images."""
    listed = {name: array for name, array in file.arrays.items() if array.shape == (len(labels),)}
    rows = rows_by_image(images, listed, file.name, scores)
    if rows is not None:
        return labels[rows]
    named = [v for v in listed.values() if v.dtype.kind == "U" and len(np.unique(v)) == len(v) > 1]
    if "" in images and named:
        got = f"others, such as {clean_text(str(named[0][0]), 60)!r}"
        raise refusal_of(file.name, f"the image names in {scores}", got)
    return labels


def _labels_in(contents: Contents, name: str, folder: Path, limits: Limits) -> np.ndarray | None:
    read = contents.read({name: "labels"}, folder, limits=limits)
    return np.array(read.names[name]) if name in read.names else read.arrays.get(name)


def _labels_of_text(
    table: Contents, folder: Path, limits: Limits, scores: str, images: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Read the labels in a column of a table, or one per line, alone or after the image."""
    lines = table.arrays.get("array")
    pairs = [] if lines is None else [IMAGE_IN_LINE.match(line) for line in lines.astype(str)]
    if pairs and all(pair and pair[2] for pair in pairs):
        arrays = {"image": np.array([pair[1] for pair in pairs if pair])}
        labels_of_lines = numbers_or_names([pair[2] for pair in pairs if pair])
        return _order_by_image(replace(table, arrays=arrays), labels_of_lines, scores, images)
    name = first_named(table.shapes, ("array", *LABELS))
    name = name or _find_repeated_column(table, folder, limits)
    labels = None if name is None else _labels_in(table, name, folder, limits)
    if labels is None and "columns" in table.shapes:
        titles = clean_text(", ".join(table.names("columns")), 80)
        raise refusal_of(table.name, "one column of labels, called label", titles)
    if labels is None:  # each line is a class name, with commas in it
        return numbers_or_names(read_lines(table.path, max_bytes=64 << 20))
    return _order_by_image(table, labels, scores, images)


def _find_repeated_column(table: Contents, folder: Path, limits: Limits) -> str | None:
    """Return the only column with repeated values: labels repeat, file names do not."""
    repeating = []
    for name in (n for n, shape in table.shapes.items() if shape and len(shape) == 1):
        with suppress(FileRefusedError):  # fractions
            values = _labels_in(table, name, folder, limits)
            if values is not None and len(np.unique(values)) < len(values):
                repeating.append(name)
    return repeating[0] if len(repeating) == 1 else None


def distinct_texts(texts: np.ndarray) -> list[str]:
    """Return the sorted, distinct strings of an array; np.unique would sort a copy of the array."""
    blocks_of_texts = np.array_split(texts.astype(str, copy=False), 1 + len(texts) // TEXTS_AT_ONCE)
    return sorted(set().union(*(block.tolist() for block in blocks_of_texts)))


def numbers_or_names(texts: Sequence[str] | np.ndarray) -> np.ndarray:
    """Convert strings to numbers if all are whole numbers (also ``3.0``), else return strings."""
    array = np.asarray(texts, dtype=str)
    cut = [text.strip().removesuffix(".0") for text in distinct_texts(array)]
    if cut and all(text.removeprefix("-").isdecimal() and len(text) < 16 for text in cut):
        return array.astype(float).astype(np.int64)  # exact, since a float has 15 digits
    return array
