"""Files of scores: read in a sandbox, or refused in one sentence, and what they hold.

The best class of either side of every image is read off a matrix in blocks of rows: one that is
mapped from a file is read once and is never in memory as a whole.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import ZSLDataset
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
from zslcore.evaluation.predictions import PredictedRows
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.published import PredictedScores
from zslcore.metrics import answers_of_sides, best_of, ranks_of
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text

#: Scores that are in memory at once, and bytes of a map that may stay there.
AT_ONCE, STAYS = 1 << 21, 1 << 26


def blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield rows and their scores, a block at a time, and give back the pages that were read."""
    step = max(1, AT_ONCE // max(1, F.shape[1]))
    read, mapped = 0, _map_of(F)
    for start in range(0, len(F), step):
        rows = slice(start, min(start + step, len(F)))
        block = np.asarray(F[rows])
        yield rows, block
        read += block.nbytes
        if mapped is not None and read >= STAYS:
            mapped.madvise(mmap.MADV_DONTNEED)
            read = 0
    if mapped is not None and F.nbytes >= STAYS:
        mapped.madvise(mmap.MADV_DONTNEED)


def column(F: np.ndarray, k: int) -> np.ndarray:
    """Return one column, read block by block."""
    return np.concatenate([block[:, k] for _, block in blocks(F)])


def some_rows(F: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return some rows; around each that is read, the system maps far more than it."""
    mapped = _map_of(F)
    if mapped is None or F.nbytes < STAYS:
        return F[rows]
    parts = []
    for some in np.array_split(rows, max(1, len(rows) // 64)):
        parts.append(np.array(F[some]))
        mapped.madvise(mmap.MADV_DONTNEED)
    return np.concatenate(parts)


def _map_of(F: np.ndarray) -> mmap.mmap | None:
    """Return the map of a file that an array is a view of, where its pages can be given back."""
    base: object = F
    while base is not None:
        if isinstance(base, mmap.mmap):
            return base if hasattr(mmap, "MADV_DONTNEED") else None
        base = getattr(base, "base", None)
    return None


def answers_in(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> PredictedRows:
    """Return the best classes of either side of a score matrix.

    Classes are columns of ``F``, an array of shape (n_images, n_classes), and so are labels ``y``.
    """
    n, sides = len(y), (np.flatnonzero(seen), np.flatnonzero(~seen))
    best = [np.full(n, -1, dtype=np.int32) for _ in sides]
    score = [np.full(n, -np.inf) for _ in sides]
    rank = np.full(n, -1, dtype=np.int32)
    place = np.cumsum(~seen) - 1
    for rows, block in blocks(F):
        for columns, which, value in zip(sides, best, score, strict=True):
            which[rows], value[rows] = best_of(block, columns)
        unseen = ~seen[y[rows]]
        if unseen.any():
            found = ranks_of(block[np.ix_(unseen, ~seen)], place[y[rows][unseen]])
            rank[rows.start + np.flatnonzero(unseen)] = found
    answers = answers_of_sides(y, seen, (best[0], score[0]), (best[1], score[1]), F.dtype)
    return PredictedRows(
        rows=np.arange(n, dtype=np.int32),
        labels=y.astype(np.int32),
        seen_class=answers.seen_class,
        unseen_class=answers.unseen_class,
        margin=answers.margin,
        classes=np.arange(len(seen)),
        seen=seen,
        resolution=answers.resolution,
        zsl_rank=rank,
    )


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """Contents of a score file, before its arrays are interpreted.

    ``scores`` has two axes; ``labels``, of the images, are numbers or texts. ``unseen`` are
    numbers, bools or texts, None where the unseen classes are not stated; ``class_names`` are one a
    column, or none.
    """

    name: str
    scores: np.ndarray
    labels: np.ndarray | Sequence[str]
    unseen: np.ndarray | Sequence[str] | None = None
    class_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of test images, interpreted.

    Attributes
    ----------
    name : of the file they are from
    F : array of shape (n_images, n_classes), larger is closer
    y : int array of shape (n_images,), columns of ``F``
    seen : bool array of shape (n_classes,)
    class_names : one a column
    fixes : what was done to the file before, see :data:`zslcore.scores.questions.FIXES`
    remarks : sentences on what a reader should know
    benchmark, split : what the images were recognised as, empty where unknown
    """

    name: str
    F: np.ndarray
    y: np.ndarray
    seen: np.ndarray
    class_names: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())
    benchmark: str = ""
    split: str = ""

    def __post_init__(self) -> None:
        for array in (self.F, self.y, self.seen):
            array.setflags(write=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over scores, labels and unseen classes as they are understood, 16 hex digits."""
        sha = hashlib.sha256(repr(self.F.shape).encode())
        for _, block in blocks(self.F):
            sha.update(np.ascontiguousarray(block, dtype="<f8").data)
        sha.update(self.y.astype("<i8").data)
        sha.update(np.packbits(self.seen).data)
        return sha.hexdigest()[:16]

    @cached_property
    def tested(self) -> PredictedRows:
        """The best classes of either side, for the protocol; classes are columns."""
        return answers_in(self.F, self.y, self.seen)


@dataclass(frozen=True, eq=False)
class ScoreAnswers:
    """The answers and names of a :class:`ScoreMatrix` without its scores."""

    name: str
    tested: PredictedRows
    class_names: tuple[str, ...]
    digest: str
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""

    @property
    def y(self) -> np.ndarray:
        """True columns: int array of shape (n_images,)."""
        return self.tested.y

    @property
    def seen(self) -> np.ndarray:
        """Bool array of shape (n_classes,)."""
        return self.tested.seen


#: Scores that can be judged: a matrix, the answers that are left of one, or predictions.
JudgedScores = ScoreMatrix | ScoreAnswers | PredictedScores


def is_of(matrix: JudgedScores, dataset: ZSLDataset, split: str) -> bool:
    """Return whether scores are of a data set's test images, as far as their numbers tell.

    Column k is class k, as many images are of each class, and the same classes are unseen.
    """
    of, n_classes = dataset.split(split), len(dataset.class_names)
    if len(matrix.seen) != n_classes:
        return False
    rows = np.concatenate([of.test_seen, of.test_unseen])
    tested = np.bincount(dataset.labels[rows], minlength=n_classes)
    return bool(
        np.array_equal(np.flatnonzero(~matrix.seen), np.unique(of.unseen_classes))
        and np.array_equal(np.bincount(matrix.y, minlength=n_classes), tested)
    )


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
