"""Read files of scores in a sandbox; what cannot be read is refused in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.sandbox.client import (
    DEFAULT_LIMITS,
    Limits,
    Role,
    Variables,
    read_arrays,
    read_lines,
    read_table_file,
)
from zslcore.datasets.sandbox.formats import LABEL_VARIABLES, LABELS, SCORE_VARIABLES
from zslcore.exceptions import FileRefusedError
from zslcore.scores.matrix import ScoreFile
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text

#: What the parts of a file are called, the first that is there being meant.
NAMES: dict[str, tuple[str, ...]] = {
    "scores": SCORE_VARIABLES,
    "labels": LABEL_VARIABLES,
    "unseen": ("unseen_classes", "unseen", "unseen_mask", "test_unseen_classes", "unseenclasses"),
    "class_names": ("class_names", "allclasses_names", "names"),
}
ROLES: dict[str, Role] = {
    "scores": "scores",
    "labels": "labels",
    "unseen": "labels",
    "class_names": "names",
}
#: Kinds of file that hold a matrix with what belongs to it.
KINDS = ("MATLAB 5", "HDF5", "NumPy archive", "NumPy array", "Parquet")


def read_scores(
    path: Path,
    *,
    labels: Path | None = None,
    unseen: Path | Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ScoreFile:
    """Read a file of scores, to be interpreted by :func:`zslcore.scores.interpreted`.

    Parameters
    ----------
    path : ``.npz``, ``.npy``, MATLAB, HDF5, Parquet or CSV file
        Archives hold what :data:`NAMES` lists; a table has a column of labels and one a class.
    labels : a file of labels alone: ``.npy``, or a text with one a line; needed with ``.npy``
    unseen : names or numbers of unseen classes, or a text file with one a line

    Raises
    ------
    FileRefusedError
        One sentence: which file and part, what was expected, what came.
    """
    name = clean_text(path.name)
    with scratch() as folder:
        of = _read_csv if path.suffix.lower() == ".csv" else _read_archive
        found = of(path, folder, limits)
        if labels is not None:
            found["labels"] = _read_labels(labels, folder / "labels", limits)
        if unseen is not None:
            given = read_lines(unseen) if isinstance(unseen, Path) else tuple(unseen)
            found["unseen"] = _numbers_or_names(given)
        if "labels" not in found:
            raise FileRefusedError(
                f"{name}: expected labels, {' or '.join(NAMES['labels'][:3])}, or a file of "
                "labels; got scores alone."
            )
        return ScoreFile(
            name,
            found["scores"],  # a map: what is mapped stays readable when its folder goes
            np.array(found["labels"]),
            None if found.get("unseen") is None else np.array(found["unseen"]),
            tuple(found.get("class_names", ())),
        )


def _read_archive(path: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return the parts of a file of arrays."""
    wanted: dict[str, Role] = {name: ROLES[part] for part, names in NAMES.items() for name in names}
    read = read_arrays(path, wanted, folder, required=(), kinds=KINDS, limits=limits)
    found = {}
    for part, names in NAMES.items():
        there = [name for name in names if name in _held(read)]
        if there:
            found[part] = read.names.get(there[0], read.arrays.get(there[0]))
    if "scores" not in found:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected a matrix called "
            f"{', '.join(NAMES['scores'][:-1])}; got none of these."
        )
    return found


def _held(read: Variables) -> set[str]:
    return {*read.arrays, *read.names}


def _read_csv(path: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return the parts of a table: a column of labels, and a column of scores a class."""
    table = read_table_file(path, folder, dict.fromkeys(LABELS, False), limits=limits)
    found: dict[str, Any] = {"scores": table.values, "class_names": table.columns}
    for column in LABELS:
        if column in table.codes:
            texts = _numbers_or_names(table.texts[column])
            found["labels"] = np.asarray(texts)[table.codes[column]]
            break
    if all(name.strip().isdigit() for name in table.columns):
        found["class_names"] = ()
    return found


def _read_labels(path: Path, folder: Path, limits: Limits) -> np.ndarray | tuple[str, ...]:
    """Return labels from a file of their own."""
    if path.suffix.lower() in (".txt", ".csv", ".tsv", ""):
        return _numbers_or_names(read_lines(path, max_bytes=64 << 20))
    folder.mkdir(exist_ok=True)
    names = ("array", *NAMES["labels"])
    wanted: dict[str, Role] = dict.fromkeys(names, "labels")
    read = read_arrays(path, wanted, folder, required=(), kinds=KINDS, limits=limits)
    for name in names:
        if name in _held(read):
            return read.names.get(name) or read.arrays[name]
    raise FileRefusedError(f"{clean_text(path.name)}: expected labels; got none.")


def _numbers_or_names(texts: Sequence[str]) -> np.ndarray | tuple[str, ...]:
    """Return whole numbers where every text is one."""
    if texts and all(text.strip().lstrip("-").isdigit() for text in texts):
        return np.array([int(text) for text in texts])
    return tuple(texts)
