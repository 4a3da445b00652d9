"""Read which rows come from one photograph, from files, columns and arrays."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from zslcore.datasets.sandbox.client import Role, read_arrays, read_value
from zslcore.datasets.xlsa17 import SMALL
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError
from zslcore.leakage.photographs import Photographs
from zslcore.storage import artifacts
from zslcore.texts import clean_text

#: A number or a name for every row, or a file that holds them.
GroupSource = np.ndarray | Sequence[int] | Sequence[str] | str | PathLike[str]
#: Columns of a CSV, and variables of the other files, that say it; the first that is there.
GROUP_COLUMNS = ("group", "image_file")
VARIABLES: dict[str, Role] = {"groups": "numbers", "image_files": "paths"}
#: How names of lists of rows end.
LIST_OF_ROWS = re.compile(r"_(loc|idx|index|indices|ind|rows)$", re.IGNORECASE)
MAX_TEXT = 64 << 20
#: Most rows of a list or a CSV of groups; ImageNet-21K has 14 million images, far more than this.
MAX_ROWS = 2_000_000


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The small variables of the files that an audit reads; each file is opened once."""

    _read: dict[Path, dict[str, np.ndarray]] = field(default_factory=dict)
    _names: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[Path, tuple[str, ...]] = field(default_factory=dict)

    def read(self, path: Path) -> dict[str, np.ndarray]:
        """Return what :func:`zslcore.datasets.xlsa17.read_split_arrays` does."""
        if path not in self._read:
            try:
                self._keep(path, {**SMALL, "image_files": "paths"})
            except FileRefusedError:  # names that are none do not make a split unreadable
                self._keep(path, SMALL)
        return self._read[path]

    def _keep(self, path: Path, wanted: dict[str, Role]) -> None:
        with artifacts.scratch() as folder:
            read = read_arrays(path, wanted, folder, required=())
            self.unread[path] = read.unread
            names = dict(read.names)
            self._names[path] = names.pop("image_files", ())
            texts = {name: np.array(values) for name, values in names.items()}
            self._read[path] = {k: np.array(v) for k, v in read.arrays.items()} | texts

    def lists_of_rows(self, path: Path) -> dict[str, np.ndarray]:
        """Return the lists of rows that are no part of a split, numbered as in the file.

        A list that is not whole numbers is left out: it stays among the names that are not read.
        """
        self.read(path)
        found = {}
        for name in self.unread[path]:
            if LIST_OF_ROWS.search(name):
                with suppress(FileRefusedError), artifacts.scratch() as folder:
                    read = read_arrays(path, {name: "numbers"}, folder, required=())
                    if name in read.arrays:
                        found[name] = np.array(read.arrays[name]).ravel()
        return found

    def image_files(self) -> tuple[tuple[str, ...], str]:
        """Return the names of image files in or next to the files read, and where they are."""
        nearby = [path.parent / "image_files.mat" for path in self._read]
        for path in (*self._read, *nearby):
            if path not in self._read and path.is_file():
                self.read(path)
            if names := self._names.get(path):
                return names, f"image_files of {clean_text(path.name)}"
        return (), ""


def photographs_of(
    groups: GroupSource | None,
    pattern: str | None = None,
    image_files: Sequence[str] = (),
    source: str = "image_files of the data set",
) -> Photographs | None:
    """Return which rows come from one photograph; None where nothing states it.

    Parameters
    ----------
    groups : one number or name per row, or a file, optional
        The file is a list of names, one a line (``.txt``), a CSV with a column ``group`` or
        ``image_file``, or ``.mat``, ``.npz`` or HDF5 with ``groups`` or ``image_files``.
    pattern : regular expression whose first group is the photograph, optional
    image_files : names that are known already, used where no groups are given
    source : where those are from

    Raises
    ------
    ParameterError
        When a pattern is given and there are no names that it could be searched in.
    FileRefusedError, DatasetError
        When the file cannot be read, or names are all the same.
    """
    if isinstance(groups, (str, PathLike)):
        path = Path(groups)
        return _of_values(_in_file(path), clean_text(path.name), pattern)
    if groups is not None:
        return _of_values(groups, "groups that were given", pattern)
    if image_files:
        try:
            return Photographs.of_names(image_files, source, pattern)
        except DatasetError:  # all alike, they name no photograph, and were not given
            return None
    if pattern:
        raise ParameterError(
            "A pattern for names needs names: expected image_files in one of the files, or groups "
            "(--groups); got none."
        )
    return None


def _of_values(
    values: np.ndarray | Sequence[int] | Sequence[str], source: str, pattern: str | None
) -> Photographs:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iuUO":
        raise DatasetError(
            f"{source}: expected one whole number or name per row; got shape {array.shape} of "
            f"{array.dtype}."
        )
    if array.dtype.kind in "iu" and not pattern:
        number = np.unique(array, return_inverse=True)[1].astype(np.intp)
        return Photographs(number, source, by_name=False)
    return Photographs.of_names(array.tolist(), source, pattern)


def _in_file(path: Path) -> np.ndarray | list[str]:
    """Read a list of names, a column of a CSV, or an array."""
    if path.suffix.lower() in (".txt", ".csv"):
        return _in_text(path)
    name = clean_text(path.name)
    with artifacts.scratch() as folder:
        read = read_arrays(path, VARIABLES, folder, required=())
        if "groups" in read.arrays:
            return np.array(read.arrays["groups"])
    if "image_files" not in read.names:
        raise FileRefusedError(f"{name}: expected the variable 'groups' or 'image_files'.")
    return list(read.names["image_files"])


def _in_text(path: Path) -> list[str]:
    name = clean_text(path.name)
    if not path.is_file():
        raise FileRefusedError(f"{name}: expected a file with one group per row, found none.")
    lines = read_value(path, "lines", max_bytes=MAX_TEXT, most=MAX_ROWS)
    if path.suffix.lower() == ".txt":
        return [line.strip() for line in lines]
    try:
        rows = csv.DictReader(lines)
        column = next((c for c in GROUP_COLUMNS if c in (rows.fieldnames or ())), None)
        if column is None:
            got = ", ".join(map(clean_text, (rows.fieldnames or ())[:6])) or "nothing"
            raise FileRefusedError(
                f"{name}, line 1: expected a column {' or '.join(map(repr, GROUP_COLUMNS))}, "
                f"got {got}."
            )
        return [(row[column] or "").strip() for row in rows]
    except csv.Error as error:
        raise FileRefusedError(
            f"{name}: expected CSV; got other text ({clean_text(error)})."
        ) from None
