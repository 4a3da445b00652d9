"""The best class of either side for every image: all that GZSL figures need of a score matrix.

A matrix is read once, some rows at a time, so that one that lies on a disk is never in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zslcore.exceptions import ParameterError
from zslcore.metrics import (
    Average,
    Margins,
    SeenUnseenCurve,
    curve_of,
    margins_of,
    ranked_accuracy,
    rounding_of,
    side_margin,
    true_ranks,
)
from zslcore.switching import Switches, switches_of

__all__ = ["ScoredSides", "ranks_at", "sides_of"]

#: Scores that are in memory at once.
AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class ScoredSides:
    """What :class:`zslcore.protocol.ScoredTest` says, from two classes and a margin an image.

    Attributes
    ----------
    y : int array of shape (n_images,), true columns
    seen : bool array of shape (n_classes,)
    seen_class, unseen_class : int arrays of shape (n_images,)
        Best column of either side, -1 where a side has no column.
    margin : float64 array of shape (n_images,), best seen score less best unseen score
    zsl_rank : int array of shape (n_images,)
        Unseen classes before the true one; -1 for images of seen classes.
    rounding : margins closer together are one breakpoint
    F : the scores, where they are at hand, for ranks at any gamma
    ranked : gamma -> int array of shape (n_images,), ranks where they are not
    """

    y: np.ndarray
    seen: np.ndarray
    seen_class: np.ndarray
    unseen_class: np.ndarray
    margin: np.ndarray
    zsl_rank: np.ndarray
    rounding: float
    F: np.ndarray | None = None
    ranked: tuple[float, np.ndarray] | None = None

    def __post_init__(self) -> None:
        for array in (self.y, self.seen, *self.columns().values()):
            array.setflags(write=False)

    def columns(self) -> dict[str, np.ndarray]:
        """Return what is said of every image beside its label, by name."""
        names = ("seen_class", "unseen_class", "margin", "zsl_rank")
        return {name: getattr(self, name) for name in names}

    @property
    def nbytes(self) -> int:
        """Bytes in memory, those of scores not counted."""
        ranks = self.ranked[1].nbytes if self.ranked else 0
        return self.y.nbytes + ranks + sum(each.nbytes for each in self.columns().values())

    @cached_property
    def classes(self) -> np.ndarray:
        """What columns stand for: themselves."""
        return np.arange(len(self.seen))

    @property
    def generalized(self) -> bool:
        """Whether there are images of seen classes, without which there is no GZSL."""
        return bool(self.seen[self.y].any())

    @property
    def zsl_answers(self) -> tuple[np.ndarray, np.ndarray]:
        """True and answered columns of unseen images among unseen classes."""
        rows = ~self.seen[self.y]
        return self.y[rows], self.unseen_class[rows]

    def zsl_top_k(self, k: int) -> float:
        """Return the per-class share of unseen images whose class is among the first ``k``."""
        rows = ~self.seen[self.y]
        return ranked_accuracy(self.zsl_rank[rows], self.y[rows], k)

    def ranks(self, gamma: float) -> np.ndarray:
        """Return how many of all classes come before the true one at ``gamma``.

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

    @cached_property
    def curve(self) -> SeenUnseenCurve:
        """The exact seen-unseen curve, per class."""
        return self.curve_of("class")

    def curve_of(self, average: Average) -> SeenUnseenCurve:
        """Return the exact seen-unseen curve, per "class" or per "sample"."""
        return curve_of(self._margins, average)

    @cached_property
    def _margins(self) -> Margins:
        of_seen = self.seen[self.y]
        right = np.where(of_seen, self.seen_class, self.unseen_class) == self.y
        return margins_of(self.y, of_seen, self.margin, right, self.rounding)

    @cached_property
    def switches(self) -> Switches:
        """At which gamma the answer to every image changes sides."""
        right = (self.seen_class == self.y, self.unseen_class == self.y)
        return switches_of(self._margins, self.margin, *right, self.seen)

    def predicted(self, gamma: float = 0.0) -> np.ndarray:
        """Return answers among all classes; ties between the sides go to the unseen one."""
        return np.where(self.margin > gamma, self.seen_class, self.unseen_class)


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
    for rows, block in _blocks(F):
        for columns, which, value in zip(sides, best, score, strict=True):
            if len(columns):
                k = block[:, columns].argmax(axis=1)
                which[rows] = columns[k]
                value[rows] = block[np.arange(len(k)), columns[k]]
        unseen = ~seen[y[rows]]
        found = true_ranks(block[np.ix_(unseen, ~seen)], place[y[rows][unseen]])
        rank[rows] = _spread(found, unseen)
    a, b = score
    return ScoredSides(
        y, seen, best[0], best[1], side_margin(a, b), rank, rounding_of(F.dtype, a, b), F
    )


def _spread(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return ``values`` at ``rows`` and -1 elsewhere."""
    spread = np.full(len(rows), -1, dtype=np.int32)
    spread[rows] = values
    return spread


def ranks_at(F: np.ndarray, y: np.ndarray, seen: np.ndarray, gamma: float) -> np.ndarray:
    """Return how many of all classes come before the true one at ``gamma``."""
    ranks = np.empty(len(y), dtype=np.int32)
    for rows, block in _blocks(F):
        ranks[rows] = true_ranks(block - gamma * seen, y[rows])
    return ranks


def _blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some rows of a matrix at a time."""
    step = max(1, AT_ONCE // max(1, F.shape[1]))
    for start in range(0, len(F), step):
        rows = slice(start, min(start + step, len(F)))
        yield rows, np.asarray(F[rows])
