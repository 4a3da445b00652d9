"""What a file of scores holds, as it is and as it is understood.

The best class of either side of every image is read off a matrix in blocks of rows: one that is
mapped from a file is read once and is never in memory as a whole.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import ParameterError
from zslcore.metrics import Answers, answers_of_sides, best_of, ranks_of

#: Scores that are in memory at once, and bytes of a map that may stay there.
AT_ONCE, STAYS = 1 << 21, 1 << 26


def blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield rows and their scores, a block at a time, and give back the pages that were read.

    Parameters
    ----------
    F : array of shape (n_images, n_classes), perhaps a map of a file
    """
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


@dataclass(frozen=True, eq=False)
class ScoredSides(AnsweredTest):
    """The answers to the images of a score matrix; classes are its columns.

    Attributes
    ----------
    y : int array of shape (n_images,), true columns
    seen : bool array of shape (n_classes,)
    sides : Answers
    zsl_rank : int array of shape (n_images,)
        Place of the true class among unseen classes, from 1; -1 for images of seen classes.
    F : the scores, where they are available, for ranks at any gamma
    ranked : gamma -> int array of shape (n_images,), ranks where they are not
    """

    y: np.ndarray
    seen: np.ndarray
    sides: Answers
    zsl_rank: np.ndarray
    F: np.ndarray | None = None
    ranked: tuple[float, np.ndarray] | None = None

    def __post_init__(self) -> None:
        for array in (self.y, self.seen, self.zsl_rank):
            array.setflags(write=False)

    @property
    def answers(self) -> Answers:
        """The best candidate of either side, for every image."""
        return self.sides

    @property
    def nbytes(self) -> int:
        """Bytes in memory without those of the scores."""
        a, ranks = self.answers, self.ranked[1].nbytes if self.ranked else 0
        arrays = (self.y, self.zsl_rank, a.seen_class, a.unseen_class, a.margin)
        return ranks + sum(each.nbytes for each in arrays)

    @cached_property
    def classes(self) -> np.ndarray:  # type: ignore[override]
        """Numbers of the columns."""
        return np.arange(len(self.seen))

    @property
    def zsl_answers(self) -> tuple[np.ndarray, np.ndarray]:
        """True and predicted columns of unseen images among unseen classes."""
        rows = ~self.seen[self.y]
        return self.y[rows], self.answers.unseen_class[rows]

    @property
    def zsl_ranks(self) -> np.ndarray:
        """Place of the true class of unseen images among unseen classes, from 1."""
        return self.zsl_rank[~self.seen[self.y]]

    def ranks(self, gamma: float) -> np.ndarray:
        """Return the place of the true class among all classes at ``gamma``, from 1.

        Raises
        ------
        ParameterError
            When the scores are gone and the ranks are those of another gamma.
        """
        if self.F is not None:
            return ranks_at(self.F, self.y, self.seen, gamma)
        if self.ranked is None or self.ranked[0] != gamma:
            known = f"gamma {self.ranked[0]:.6g}" if self.ranked else "no gamma"
            raise ParameterError(f"Ranks of these scores are known at {known}; got {gamma:.6g}.")
        return self.ranked[1]


def sides_of(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> ScoredSides:
    """Return the best classes of either side of a score matrix.

    Parameters
    ----------
    F : array of shape (n_images, n_classes), larger is closer
    y : int array of shape (n_images,), columns of ``F``
    seen : bool array of shape (n_classes,)
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
    return ScoredSides(y, seen, answers, rank, F)


def ranks_at(F: np.ndarray, y: np.ndarray, seen: np.ndarray, gamma: float) -> np.ndarray:
    """Return the place of the true class among all classes at ``gamma``, from 1."""
    ranks = np.empty(len(y), dtype=np.int32)
    for rows, block in blocks(F):
        ranks[rows] = ranks_of(block - gamma * seen, y[rows])
    return ranks


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """Contents of a score file, before its arrays are interpreted.

    Attributes
    ----------
    name : of the file, for sentences
    scores : array of two axes
    labels : int array, or texts, of the images
    unseen : int array, bool array, texts, or None where the unseen classes are not stated
    class_names : one a column, or nothing
    """

    name: str
    scores: np.ndarray
    labels: np.ndarray | Sequence[str]
    unseen: np.ndarray | Sequence[str] | None = None
    class_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of test images, understood.

    Attributes
    ----------
    name : of the file they are from
    F : array of shape (n_images, n_classes), larger is closer
    y : int array of shape (n_images,), columns of ``F``
    seen : bool array of shape (n_classes,)
    class_names : one a column
    fixes : what was done to the file before, see :data:`zslcore.scores.warnings.FIXES`
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
    def tested(self) -> ScoredSides:
        """The best classes of either side, for the protocol; classes are columns."""
        return sides_of(self.F, self.y, self.seen)

    @property
    def about(self) -> dict[str, Any]:
        """What the labels alone show of the data."""
        return {}

    @property
    def nbytes(self) -> int:
        """Bytes in memory without those of the scores."""
        return self.tested.nbytes


@dataclass(frozen=True, eq=False)
class ScoreAnswers:
    """A score matrix without its scores: what comes back from where it was judged.

    Attributes
    ----------
    name, class_names, fixes, remarks, benchmark, split, digest : of the :class:`ScoreMatrix`
    tested : ScoredSides
    """

    name: str
    tested: ScoredSides
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

    @property
    def about(self) -> dict[str, Any]:
        """What the labels alone show of the data."""
        return {}

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.tested.nbytes


class JudgedScores(Protocol):
    """What a score matrix, its answers and predictions have in common."""

    @property
    def name(self) -> str: ...
    @property
    def y(self) -> np.ndarray: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def class_names(self) -> tuple[str, ...]: ...
    @property
    def fixes(self) -> tuple[str, ...]: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...
    @property
    def benchmark(self) -> str: ...
    @property
    def split(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def about(self) -> dict[str, Any]: ...
    @property
    def tested(self) -> AnsweredTest: ...
    @property
    def nbytes(self) -> int: ...


def is_of(matrix: JudgedScores, dataset: ZSLDataset, split: str) -> bool:
    """Return whether scores are of a data set's test images, as far as their numbers tell.

    Column k is class k, as many images are of each class, and the same classes are unseen.

    Parameters
    ----------
    matrix : JudgedScores
    dataset : ZSLDataset
    split : name of one of its splits
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
