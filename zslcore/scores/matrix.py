"""Score files and scores: types, and access in blocks of rows.

The best seen and the best unseen class of each image are computed in blocks of rows: a matrix
mapped from a file is read once, and is never completely in memory.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.evaluation.predictions import PredictedRows
from zslcore.metrics import best_column, combine_sides, ranks_of

#: Number of scores in memory at a time, and bytes of a memory map that may stay in memory.
BLOCK_SCORES, MAX_MAPPED_BYTES = 1 << 21, 1 << 26
#: Number of sampled rows, spread over the file, in which faults are recognised.
SAMPLE_ROWS = 2_000


def blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of rows with their scores; release the memory pages of blocks already read."""
    step = max(1, BLOCK_SCORES // max(1, F.shape[1]))
    read, mapped = 0, _map_of(F)
    for start in range(0, len(F), step):
        rows = slice(start, min(start + step, len(F)))
        block = np.asarray(F[rows])
        yield rows, block
        read += block.nbytes
        if mapped is not None and read >= MAX_MAPPED_BYTES:
            mapped.madvise(mmap.MADV_DONTNEED)
            read = 0
    if mapped is not None and F.nbytes >= MAX_MAPPED_BYTES:
        mapped.madvise(mmap.MADV_DONTNEED)


def column(F: np.ndarray, k: int) -> np.ndarray:
    """Return one column, read block by block."""
    return np.concatenate([block[:, k] for _, block in blocks(F)])


def copy_rows(F: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Copy rows in small batches, since reading a row maps many more pages into memory."""
    mapped = _map_of(F)
    if mapped is None or F.nbytes < MAX_MAPPED_BYTES:
        return F[rows]
    parts = []
    for batch in np.array_split(rows, max(1, len(rows) // 64)):
        parts.append(np.array(F[batch]))
        mapped.madvise(mmap.MADV_DONTNEED)
    return np.concatenate(parts)


def spread_rows(n: int, max_rows: int = SAMPLE_ROWS) -> np.ndarray:
    """Return at most ``max_rows`` rows spread over ``n`` rows, which may be sorted by class."""
    return np.unique(np.linspace(0, n - 1, min(n, max_rows)).astype(np.intp))


def _map_of(F: np.ndarray) -> mmap.mmap | None:
    """Return the memory map behind an array, if its pages can be released; else None."""
    base: object = F
    while base is not None:
        if isinstance(base, mmap.mmap):
            return base if hasattr(mmap, "MADV_DONTNEED") else None
        base = getattr(base, "base", None)
    return None


def best_classes_in(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> PredictedRows:
    """Return the best seen and the best unseen class of each image of a score matrix.

    Classes and the labels ``y`` are columns of ``F``, an array of shape (n_images, n_classes).
    """
    n, sides = len(y), (np.flatnonzero(seen), np.flatnonzero(~seen))
    best = [np.full(n, -1, dtype=np.int32) for _ in sides]
    score = [np.full(n, -np.inf) for _ in sides]
    rank = np.full(n, -1, dtype=np.int32)
    position = np.cumsum(~seen) - 1
    for rows, block in blocks(F):
        for columns, columns_of_best, value in zip(sides, best, score, strict=True):
            columns_of_best[rows], value[rows] = best_column(block, columns)
        unseen = ~seen[y[rows]]
        if unseen.any():
            ranks = ranks_of(block[np.ix_(unseen, ~seen)], position[y[rows][unseen]])
            rank[rows.start + np.flatnonzero(unseen)] = ranks
    best_classes = combine_sides(y, seen, (best[0], score[0]), (best[1], score[1]), F.dtype)
    return PredictedRows(
        rows=np.arange(n, dtype=np.int32),
        labels=y.astype(np.int32),
        seen_class=best_classes.seen_class,
        unseen_class=best_classes.unseen_class,
        margin=best_classes.margin,
        classes=np.arange(len(seen)),
        seen=seen,
        resolution=best_classes.resolution,
        zsl_rank=rank,
    )


def digest_of(y: np.ndarray, predicted: np.ndarray, seen: np.ndarray) -> str:
    """Return the SHA-256 of labels, predicted and unseen classes, 16 hex digits."""
    sha = hashlib.sha256(b"predicted classes")
    for numbers in (y, predicted):
        sha.update(numbers.astype("<i8").data)
    sha.update(np.packbits(seen).data)
    return sha.hexdigest()[:16]


def rows_of_classes(y: np.ndarray, predicted: np.ndarray, seen: np.ndarray) -> PredictedRows:
    """Return predicted classes as prediction rows; ``y`` and ``predicted`` are int arrays.

    Each margin is infinite, since the other side has no class.
    """
    of_seen = seen[predicted]
    return PredictedRows(
        rows=np.arange(len(y), dtype=np.int32),
        labels=y.astype(np.int32),
        seen_class=np.where(of_seen, predicted, -1).astype(np.int32),
        unseen_class=np.where(of_seen, -1, predicted).astype(np.int32),
        margin=np.where(of_seen, np.inf, -np.inf),
        classes=np.arange(len(seen)),
        seen=seen,
        resolution=0.0,
        limits="predicted classes",
    )


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """Contents of a score file, before its arrays are interpreted.

    ``scores`` has two axes, or is None if ``predicted`` has one predicted class per image.
    ``labels`` of the images are numbers or strings. ``unseen`` lists classes as numbers, bools or
    strings, the seen classes if ``lists_seen``; it is None without a list. ``class_names`` has one
    name per column, or is empty. ``remarks`` name the parts of the file that were not read.
    ``images`` has the name of each image, if the file has such a column.
    """

    name: str
    scores: np.ndarray | None
    labels: np.ndarray | Sequence[str]
    unseen: np.ndarray | Sequence[str] | None = None
    class_names: tuple[str, ...] = ()
    predicted: np.ndarray | Sequence[str] | None = None
    remarks: tuple[str, ...] = ()
    lists_seen: bool = False
    images: np.ndarray | None = None

    @property
    def listed_side(self) -> str:
        """Side of the classes in ``unseen``: "unseen classes" or "seen classes"."""
        return "seen classes" if self.lists_seen else "unseen classes"


@dataclass(frozen=True, eq=False)
class Scores:
    """Interpreted scores of test images: a matrix, or only the best class of each side.

    Attributes
    ----------
    name : name of the file
    matrix : array of shape (n_images, n_classes), larger is closer; None if only the best class of
        each side, or one predicted class per image, is available
    y : int array of shape (n_images,), columns of the matrix
    seen : bool array of shape (n_classes,)
    class_names : one name per column
    fixes : applied fixes, see :data:`zslcore.scores.questions.FIXES`
    remarks : sentences on unusual properties of the file
    benchmark, split : recognised published test set; empty if unknown
    sides_given : whether scores are masked by the true side of each image
    best, stated_digest : best class of each side and digest of the scores, if there is no matrix
    images : name of each image; None if unknown
    """

    name: str
    matrix: np.ndarray | None
    y: np.ndarray
    seen: np.ndarray
    class_names: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""
    sides_given: bool = False
    best: PredictedRows | None = None
    stated_digest: str = ""
    images: np.ndarray | None = None

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.best is None):
            raise ValueError("expected either a matrix or the best class of each side.")
        for array in (self.matrix, self.y, self.seen):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def of_best(
        cls,
        name: str,
        best: PredictedRows,
        class_names: tuple[str, ...],
        digest: str,
        **fields: Any,
    ) -> Self:
        """Return scores from the best class of each side; classes are columns."""
        return cls(
            name, None, best.y, best.seen, class_names, best=best, stated_digest=digest, **fields
        )

    @property
    def F(self) -> np.ndarray:  # noqa: N802 - the letter of the papers
        """Score matrix; raises ValueError if there is none."""
        if self.matrix is None:
            raise ValueError(f"{self.name}: expected a score matrix; got predicted classes alone.")
        return self.matrix

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the interpreted scores, labels and unseen classes, 16 hex digits."""
        if self.matrix is None:
            return self.stated_digest
        sha = hashlib.sha256(repr(self.F.shape).encode())
        for _, block in blocks(self.F):
            sha.update(np.ascontiguousarray(block, dtype="<f8").data)
        sha.update(self.y.astype("<i8").data)
        sha.update(np.packbits(self.seen).data)
        return sha.hexdigest()[:16]

    @cached_property
    def predicted_rows(self) -> PredictedRows:
        """Best class of each side for the protocols; classes are columns."""
        rows = self.best or best_classes_in(self.F, self.y, self.seen)
        return replace(rows, limits="sides given") if self.sides_given else rows


def fits_test_set(matrix: Scores, dataset: ZSLDataset, split: str) -> bool:
    """Whether scores may be of the test images of a data set, judging by counts.

    With column k as class k, the same classes must be unseen, and every class must have as many
    images as in the test set.
    """
    split_rows, n_classes = dataset.split(split), len(dataset.class_names)
    if len(matrix.seen) != n_classes:
        return False
    rows = np.concatenate([split_rows.test_seen, split_rows.test_unseen])
    tested = np.bincount(dataset.labels[rows], minlength=n_classes)
    return bool(
        np.array_equal(np.flatnonzero(~matrix.seen), np.unique(split_rows.unseen_classes))
        and np.array_equal(np.bincount(matrix.y, minlength=n_classes), tested)
    )
