"""Named arrays of untrusted files: listed with their small values, or read by name."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text
from zslcore.untrusted.answers import (
    DEFAULT_LIMITS,
    Limits,
    Role,
    check_present,
    clean_names,
    open_array,
    shape_of,
    worker_answer,
)
from zslcore.untrusted.containers import ARRAYS, require_container
from zslcore.untrusted.readers import hdf5_files, json_files, variables
from zslcore.untrusted.readers.array_names import NOT_VECTORS, SCORE_VARIABLES, is_named
from zslcore.untrusted.readers.variables import CONTAINERS
from zslcore.untrusted.worker import Refused


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """Variables of a file, by name.

    ``names`` has the cleaned texts, ``arrays`` all other variables that were read; ``unread`` are
    the names of variables that were not read.
    """

    arrays: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    unread: tuple[str, ...] = ()


def read_arrays(
    path: str | os.PathLike[str],
    wanted: Mapping[str, Role],
    into: Path | None = None,
    *,
    required: tuple[str, ...] | None = None,
    kinds: tuple[str, ...] = ARRAYS,
    limits: Limits = DEFAULT_LIMITS,
) -> Variables:
    """Read only the variables ``wanted`` of an untrusted file.

    The type of the file is determined by its first bytes, not by its name. Matrices are mapped from
    ``<variable>.npy`` in the folder ``into``; without a folder, they are in memory. By default all
    of ``wanted`` are required.
    """
    path = Path(path)
    kind, size = require_container(path, kinds), path.stat().st_size
    required = tuple(wanted) if required is None else required
    arguments = (dict(wanted), required, limits.budget(size), limits.reason(size))
    options: dict[str, Any] = {"into": into, "limits": limits, "file_type": CONTAINERS[kind].words}
    arrays: dict[str, np.ndarray] = {}
    names: dict[str, tuple[str, ...]] = {}
    with worker_answer(variables.read_variables, path, kind, *arguments, **options) as answer:
        present = [name for name in wanted if name in answer.value["found"]]
        check_present({*required} & {*wanted}, present)
        for name in present:
            array = answer.array(name, wanted[name])
            if array.dtype.kind == "U":
                names[name] = clean_names(array, path, name)
            else:
                arrays[name] = array if into else np.array(array)
        return Variables(arrays, names, tuple(map(clean_text, answer.value["unread"])))


def are_marks(array: np.ndarray) -> bool:
    """Whether an array is a matrix of 0 and 1 with more than one row and column."""
    is_matrix = array.ndim == 2 and 1 not in array.shape and array.dtype.kind in "biuf"
    return is_matrix and bool(np.isin(array, (0, 1)).all())


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Contents of an untrusted file of arrays, with the values of small variables.

    ``shapes`` has the shape of every variable, None for objects; ``arrays`` has the values of small
    variables, int64, float32, float64 or texts, and ``refused`` the reasons why variables cannot be
    read.
    """

    path: Path
    container: str
    shapes: dict[str, tuple[int, ...] | None]
    arrays: dict[str, np.ndarray]
    refused: dict[str, str]

    @property
    def name(self) -> str:
        """Cleaned name of the file."""
        return clean_text(self.path.name)

    def with_arrays(self, arrays: Mapping[str, np.ndarray]) -> Contents:
        """Return the contents with other arrays in place of these."""
        shapes: dict[str, tuple[int, ...] | None] = {n: array.shape for n, array in arrays.items()}
        return replace(self, shapes=shapes, arrays=dict(arrays))

    def has(self, name: str) -> bool:
        """Whether the values of a variable were read; those of large variables are not."""
        return name in self.arrays

    def numbers(self, name: str) -> np.ndarray:
        """Return a list of whole numbers, or raise FileRefusedError."""
        return self._convert(name, variables.whole_numbers)

    def labels(self, name: str) -> np.ndarray:
        """Return a list of whole numbers, or the marked column of each row of one-hot labels."""
        marks = self.arrays.get(name)
        if marks is None or not are_marks(marks):
            return self.numbers(name)
        for axis in (1, 0):
            if (marks.sum(axis=axis) == 1).all():
                return marks.argmax(axis=axis)
        raise self._refusal(
            name, "expected one label per image; got several marks or none in a row"
        )

    def names(self, name: str) -> tuple[str, ...]:
        """Return cleaned texts, or raise FileRefusedError."""
        array = self._convert(name, lambda values: values)
        if array.dtype.kind != "U":
            raise self._refusal(name, "expected a list of strings; got numbers")
        return clean_names(array.ravel(), self.path, name)

    def rows(self, name: str) -> np.ndarray:
        """Return a float32 matrix, not transposed, or raise FileRefusedError."""
        return self._convert(name, variables.finite_matrix)

    def columns(self, name: str) -> np.ndarray:
        """Return a transposed float32 matrix: MATLAB's layout has one image per column."""
        return np.ascontiguousarray(self.rows(name).T)

    def scores(self, name: str) -> np.ndarray:
        """Return a matrix in its own precision, or raise FileRefusedError."""
        return self._convert(name, variables.score_matrix)

    @property
    def vectors(self) -> dict[str, np.ndarray]:
        """Vectors of one length, one per class or image, by name; {} for fewer than two.

        Arrays with a fixed meaning, such as labels, are left out. Vectors may be in a group called
        scores, which is not part of their names.
        """
        groups: dict[str, dict[str, np.ndarray]] = {}
        for name, array in self.arrays.items():
            is_vector = array.dtype.kind in "if" and array.size == max(array.shape, default=0)
            if is_vector and not is_named(name, NOT_VECTORS):
                outer, _, inner = name.partition(".")
                is_inside = is_named(outer, SCORE_VARIABLES) and inner
                group = groups.setdefault(outer if is_inside else "", {})
                group[inner if is_inside else name] = array.ravel()
        largest = max(groups.values(), key=len, default={})
        return largest if len(largest) > 1 and len({*map(len, largest.values())}) == 1 else {}

    def read(
        self,
        wanted: Mapping[str, Role],
        into: Path | None = None,
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Variables:
        """Return variables by their roles, like :func:`read_arrays`.

        Large variables, which are not in ``arrays``, are read from the file into the folder
        ``into``.
        """
        large = {n: wanted[n] for n in wanted if not self.has(n) and n not in self.refused}
        read = Variables({}, {})
        if large:
            kinds = (self.container,)
            read = read_arrays(self.path, large, into, required=(), kinds=kinds, limits=limits)
        arrays, names = dict(read.arrays), dict(read.names)
        readers = {"rows": self.rows, "columns": self.columns, "scores": self.scores}
        readers |= {"labels": self.labels, "numbers": self.numbers}
        for name, role in wanted.items():
            if name in large:
                continue
            is_text = role == "labels" and self.has(name) and self.arrays[name].dtype.kind == "U"
            if is_text or role in ("names", "paths"):
                names[name] = self.names(name)
            else:
                arrays[name] = readers[role](name)
        return Variables(arrays, names)

    def _convert(self, name: str, convert: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        if name in self.refused:
            raise self._refusal(name, self.refused[name])
        try:
            return convert(self.arrays[name])
        except Refused as refusal:
            raise self._refusal(name, str(refusal)) from None

    def _refusal(self, name: str, sentence: str) -> FileRefusedError:
        where = f"variable {clean_text(name)!r}"
        return FileRefusedError(f"{self.name}, {where}: {clean_text(sentence, 400)}.")


def look_into(
    path: Path, kinds: tuple[str, ...] = ARRAYS, *, limits: Limits = DEFAULT_LIMITS
) -> Contents:
    """List the variables of an untrusted file and read the small ones, in one worker process.

    With "text" in ``kinds``, the file may be a CSV or a list; its columns become arrays, see
    :mod:`zslcore.untrusted.readers.text_tables`. Values are read up to a total of ``SMALL_BYTES``
    of :mod:`zslcore.untrusted.readers.variables`.
    """
    container = require_container(path, kinds)
    arguments = (container, limits.budget(path.stat().st_size))
    options: dict[str, Any] = {"limits": limits, "file_type": CONTAINERS[container].words}
    options["written"] = variables.SMALL_BYTES  # all values are copied into memory
    with worker_answer(variables.look_into, path, *arguments, **options) as answer:
        shapes: dict[str, tuple[int, ...] | None] = {}
        arrays: dict[str, np.ndarray] = {}
        refused: dict[str, str] = {}
        for k, entry in enumerate(answer.value):
            name, shape = str(entry["name"]), entry["shape"]
            shapes[name] = None if shape is None else shape_of(shape)
            if entry["refused"]:
                refused[name] = str(entry["refused"])
            elif entry["read"]:
                arrays[name] = values = answer.array(str(k), "plain")
                values.setflags(write=False)
                # The declared shape may differ from the shape of the values.
                if values.size != math.prod(shapes[name] or ()):
                    shapes[name] = values.shape
        return Contents(path, container, shapes, arrays, refused)


def contents_of_json(path: Path, value: Any) -> Contents:
    """Return the arrays of a JSON file, given its value from :func:`read_value`."""
    source = json_files.Json(value)
    arrays: dict[str, np.ndarray] = {}
    refused: dict[str, str] = {}
    names = source.names[: variables.MAX_VARIABLES]
    for name in names:
        try:
            arrays[name] = variables.plain_array(source.read(name), name)
        except Refused as refusal:
            refused[name] = str(refusal)
    shapes = {name: arrays[name].shape if name in arrays else None for name in names}
    return Contents(path, "JSON", shapes, arrays, refused)


@dataclass(frozen=True, slots=True)
class LargeArray:
    """Array of numbers in an HDF5 file of any size; a worker reads only the requested rows."""

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Return a slice of rows."""
        start, stop, _ = rows.indices(self.shape[0])
        shape = (stop - start, *self.shape[1:])
        size = math.prod(shape) * self.dtype.itemsize
        arguments = (self.path, self.name, start, stop)
        limits = Limits(declared_bytes=2 * size, free_bytes=2 * size)
        file_type = "an HDF5 file"
        with worker_answer(
            hdf5_files.read_rows, *arguments, limits=limits, file_type=file_type
        ) as answer:
            array = open_array(answer.folder / "rows.npy")
            if array.shape != shape or array.dtype != self.dtype:
                raise ValueError
            return np.array(array)


def open_large_arrays(path: Path, names: Sequence[str]) -> list[LargeArray]:
    """Open arrays of an HDF5 file to read rows later."""
    require_container(path, ("HDF5",))
    describe = hdf5_files.describe_arrays
    with worker_answer(describe, path, list(names), file_type="an HDF5 file") as answer:
        arrays = [
            LargeArray(path, name, shape_of(shape), np.dtype(kind))
            for name, (shape, kind) in zip(names, answer.value, strict=True)
        ]
        if any(array.dtype.kind not in "biuf" for array in arrays):
            raise ValueError
        return arrays
