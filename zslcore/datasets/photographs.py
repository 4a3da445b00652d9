"""Which images of the stand-in for aPY are boxes cut from one photograph.

aPY's images are boxes around objects, and several of them often come from one photograph: 15,339
boxes from 6,577 photographs. Its proposed split goes by boxes, so that photographs stand on both
sides of it. The stand-in has as large a part of its images in such photographs; which image is in
which is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zslcore.datasets.base import Split


@dataclass(frozen=True, slots=True)
class _Source:
    """One of the two collections of aPY, as counted in the names of its image files.

    Every number of boxes or photographs is that of the Proposed Split 2.0; photographs never hold
    boxes of both collections.

    Attributes
    ----------
    trainval : boxes in trainval, and the photographs that they are cut from
    shared_seen : boxes in test_seen, those of them whose photograph also gave a training box, and
        those where it gave one of the same class
    shared_unseen : boxes in test_unseen, and those whose photograph also gave a training box
    others : test boxes whose photograph gave no training box, and their photographs
    """

    trainval: tuple[int, int]
    shared_seen: tuple[int, int, int]
    shared_unseen: tuple[int, int]
    others: tuple[int, int]


#: The classes that the standard split trains on are those of aPascal, its test classes of aYahoo.
_SOURCES = {
    "aPascal": _Source((4544, 2451), (1135, 728, 587), (7016, 2885), (4538, 1889)),
    "aYahoo": _Source((1388, 1150), (348, 89, 89), (908, 0), (1167, 1087)),
}


def draw_photographs(
    labels: np.ndarray, is_apascal: np.ndarray, split: Split, rng: np.random.Generator
) -> np.ndarray:
    """Draw a photograph for every image, as many of them on both sides as in the real data.

    Parameters
    ----------
    labels : int array of shape (n_samples,)
    is_apascal : bool array of shape (n_samples,)
        Whether an image is from aPascal; all others are from aYahoo.
    split : the proposed split
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n_samples,)
        Number of each image's photograph, counted from 0 in the order of the images.
    """
    photograph = np.full(len(labels), -1)
    for facts, inside in zip(_SOURCES.values(), (is_apascal, ~is_apascal), strict=True):
        draw = _Drawing(labels, photograph, rng)
        trainval, seen, unseen = (
            rng.permutation(part[inside[part]])
            for part in (split.trainval, split.test_seen, split.test_unseen)
        )
        boxes, n_shared, n_same = facts.shared_seen
        same = n_same / n_shared
        draw.spread(trainval, facts.trainval[1] / facts.trainval[0], same)
        shared_seen = round(len(seen) * n_shared / boxes)
        shared_unseen = round(len(unseen) * facts.shared_unseen[1] / facts.shared_unseen[0])
        draw.join(seen[:shared_seen], trainval, same)
        draw.join(unseen[:shared_unseen], trainval, same)
        others = rng.permutation(np.concatenate([seen[shared_seen:], unseen[shared_unseen:]]))
        draw.spread(others, facts.others[1] / facts.others[0], same)
    _, first, number = np.unique(photograph, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Puts images into photographs; ``photograph`` is filled in, -1 where nothing is said yet."""

    labels: np.ndarray
    photograph: np.ndarray
    rng: np.random.Generator

    def spread(self, rows: np.ndarray, share: float, same: float) -> None:
        """Let a ``share`` of ``rows`` have a photograph each, which the other rows join."""
        n = round(share * len(rows))
        self.photograph[rows[:n]] = rows[:n]  # a photograph is called after its first image
        self.join(rows[n:], rows[:n], same)

    def join(self, rows: np.ndarray, others: np.ndarray, same: float) -> None:
        """Put each row into the photograph of one of ``others``.

        With probability ``same`` that is one of the row's own class, if there is any.
        """
        if not len(rows):
            return
        chosen = self.rng.choice(others, size=len(rows))
        keeps = self.rng.random(len(rows)) < same
        for c in np.unique(self.labels[rows]):
            of_class = others[self.labels[others] == c]
            mine = keeps & (self.labels[rows] == c)
            if len(of_class):
                chosen[mine] = self.rng.choice(of_class, size=mine.sum())
        self.photograph[rows] = self.photograph[chosen]
