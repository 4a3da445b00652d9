"""The best class of either side for every image, read off a score matrix in blocks of rows.

A matrix that lies on a disk is read once and is never in memory as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import ParameterError
from zslcore.metrics import Answers, answers_of_sides, best_of, ranks_of
from zslcore.scores.blocks import blocks


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
