"""Arrays of files: of variables and columns, and of lines and vectors that are read as arrays."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets.split_files.contents import MAX_BYTES, MAX_ITEMS, YAMLS
from zslcore.datasets.split_lists import IMAGE, IMAGE_IN_LINE
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text
from zslcore.untrusted.client import ARRAYS, Contents, look_into, read_lines, read_plain_value

#: Line that begins with its number.
NUMBERED = re.compile(r"(\d{1,9})[\s:,;]\s*(\S.*)")
#: Name of an array of lines, which can only list a split.
LINES = "lines"


@dataclass(frozen=True, eq=False)
class Array:
    """Array of a file, or of several ``shards`` of one table; ``values`` are read if small."""

    contents: Contents
    name: str
    shards: tuple[Contents, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; lists, also as one column or row, have one axis."""
        shape = self.contents.shapes[self.name] or ()
        n = int(np.prod(shape)) if shape else 0
        return (n,) if len(shape) == 2 and n == max(shape) and self._is_list else shape

    @property
    def _is_list(self) -> bool:
        if self.is_text or self.contents.container in ("MATLAB 5", "HDF5"):
            return True
        return self.values is not None and self.values.dtype.kind == "i"

    @property
    def values(self) -> np.ndarray | None:
        """Values of the array, None for a large one."""
        return self.contents.arrays.get(self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Texts of the array, cleaned; raises FileRefusedError for numbers."""
        return self.contents.names(self.name)

    @property
    def numbers(self) -> np.ndarray:
        """List of whole numbers; raises FileRefusedError for another array."""
        return self.contents.numbers(self.name)

    @property
    def is_text(self) -> bool:
        """Whether the array holds texts."""
        return self.values is not None and self.values.dtype.kind == "U"

    @property
    def is_whole(self) -> bool:
        """Whether the array is a list of whole numbers."""
        return self.values is not None and self.values.dtype.kind == "i" and len(self.shape) == 1

    @property
    def is_distinct(self) -> bool:
        """Whether no value repeats."""
        return self.values is not None and len(np.unique(self.values)) == self.values.size

    @property
    def names_images(self) -> bool:
        """Whether all texts are names of image files."""
        texts = self.values.ravel().tolist() if self.is_text and self.values is not None else [""]
        return all(map(IMAGE.search, texts))

    def is_among(self, keys: Collection[str]) -> bool:
        """Whether all texts, as written or as class keys, are among ``keys``."""
        if self.values is None or not self.is_text:
            return False
        texts = np.unique(self.values).tolist()
        return all(text.lower() in keys or class_key(text) in keys for text in texts)

    @property
    def is_unnamed(self) -> bool:
        """Whether the name of the array comes from its file format."""
        return self.name in ("array", "values", "scores")

    @property
    def name_or_stem(self) -> str:
        """Name of the array; for an unnamed one, that of its file without suffix."""
        return self.contents.path.stem if self.is_unnamed else self.name

    @property
    def title(self) -> str:
        """File and variable: "a.npz:X"; only the file if it holds a single array."""
        name = self.contents.name
        is_single = len(self.contents.shapes) == 1
        return name if is_single else f"{name}:{clean_text(self.name, 60)}"

    @property
    def in_words(self) -> str:
        """Shape, kind and range, such as "40 whole numbers, 0 to 199"."""
        size = " x ".join(f"{n:,}" for n in self.shape) or "one value"
        if self.values is None or not self.values.size:
            return size
        if self.is_text:
            first_texts = ", ".join(clean_text(text, 24) for text in self.values.ravel()[:3])
            return f"{size} texts ({first_texts}{', ...' if self.values.size > 3 else ''})"
        if self.is_whole:
            return f"{size} whole numbers, {self.values.min()} to {self.values.max()}"
        return size


def contents_of(path: Path) -> Contents:
    """Return the arrays of a file, also of numbered lines and of vectors by class or image."""
    return _join_vectors(_divide_lines(_remove_counter(_arrays_or_lines(path))))


def _arrays_or_lines(path: Path) -> Contents:
    """Return the arrays of a file; of a YAML, its list of names, or else its lines."""
    if path.suffix.lower() not in YAMLS:
        return look_into(path, (*ARRAYS, "text"))
    value = read_plain_value(path, max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    name, lines = ("array", value) if is_list else (LINES, read_lines(path, max_bytes=MAX_BYTES))
    return Contents(path, "text", {}, {}, {}).with_arrays({name: np.array(lines)})


def _lines_of(contents: Contents) -> np.ndarray | None:
    """Return the lines of a text, or its matrix of numbers; None for other contents."""
    return contents.arrays.get("array") if contents.container == "text" else None


def _remove_counter(contents: Contents) -> Contents:
    """Remove line numbers, as in ``1 otter`` or, before a label, ``1 17``.

    The lines are put in the order of their numbers.
    """
    lines = _lines_of(contents)
    if lines is None or len(lines) < 2:
        return contents
    if lines.dtype.kind == "U" and lines.ndim == 1:
        matches = [NUMBERED.match(line) for line in lines.tolist()]
        numbers = np.array([int(match[1]) for match in matches if match])
        values = np.array([match[2] for match in matches if match])
    elif lines.ndim == 2 and lines.shape[1] == 2 and np.isfinite(lines).all():
        if (lines % 1).any():
            return contents
        numbers, values = lines.astype(np.int64).T
    else:
        return contents
    order = np.argsort(numbers)
    if len(numbers) < len(lines) or not _are_counted(numbers[order]):
        return contents
    return contents.with_arrays({"array": values[order]})


def _are_counted(numbers: np.ndarray) -> bool:
    """Whether numbers count from 0 or 1."""
    return numbers[0] in (0, 1) and np.array_equal(numbers, np.arange(len(numbers)) + numbers[0])


def _divide_lines(contents: Contents) -> Contents:
    """Divide a list of lines such as ``a.jpg 3`` into images and labels."""
    lines = _lines_of(contents)
    if lines is None or lines.dtype.kind != "U" or lines.ndim != 1:
        return contents
    matches = [IMAGE_IN_LINE.match(line) for line in lines.tolist()]
    pairs = [(match[1], match[2]) for match in matches if match and match[2]]
    if len(pairs) < len(lines) or not all(re.fullmatch(r"\d{1,9}", label) for _, label in pairs):
        return contents
    images, labels = map(np.array, zip(*pairs, strict=True))
    return contents.with_arrays({"image_files": images, "labels": labels.astype(np.int64)})


def _join_vectors(contents: Contents) -> Contents:
    """Join the vectors of a file with one vector per class or image, each named after it.

    Vectors named by numbers come in the order of the numbers, which are the labels of the classes.
    """
    vectors = contents.vectors
    if all(map(str.isdecimal, vectors)):
        vectors = dict(sorted(vectors.items(), key=lambda item: int(item[0])))
    if len(vectors) < 2 or len(vectors) < len(contents.shapes):
        return contents
    are_images = all(map(IMAGE.search, vectors))
    kinds = ("features", "image_files") if are_images else ("prototypes", "class_names")
    arrays = np.stack([*vectors.values()]), np.array([*vectors])
    return contents.with_arrays(dict(zip(kinds, arrays, strict=True)))


def readable_variables(contents: Contents) -> list[str]:
    """Return the readable variables of a file; refuse a file without any."""
    names = [name for name, shape in contents.shapes.items() if shape is not None]
    names = [name for name in names if name not in contents.refused]
    if not names:
        why = next(iter(contents.refused.values()), "expected arrays; got none")
        raise FileRefusedError(f"{contents.name}: {clean_text(why, 300)}.")
    return names
