"""Which data set a score matrix is of."""

from __future__ import annotations

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.scores.matrix import JudgedScores


def is_of(matrix: JudgedScores, dataset: ZSLDataset, split: str) -> bool:
    """Return whether scores are of a data set's test images, as far as their numbers tell.

    Column k is class k, as many images are of each class, and the same classes are unseen.

    Parameters
    ----------
    matrix : JudgedScores
    dataset : ZSLDataset
    split : name of one of its splits
    """
    of = dataset.split(split)
    seen, unseen = dataset.labels[of.test_seen], dataset.labels[of.test_unseen]
    n_classes = len(dataset.class_names)
    return are_test_images(matrix, seen, unseen, of.unseen_classes, n_classes)


def are_test_images(
    matrix: JudgedScores,
    seen: np.ndarray,
    unseen: np.ndarray,
    unseen_classes: np.ndarray,
    n_classes: int,
) -> bool:
    """Return whether scores have as many images of every class as the test sets of a split.

    Parameters
    ----------
    matrix : JudgedScores
    seen, unseen : int arrays, the classes of its test images of either kind
    unseen_classes : int array
    n_classes : of the data
    """
    if len(matrix.seen) != n_classes:
        return False
    tested = np.bincount(np.concatenate([seen, unseen]).astype(np.intp), minlength=n_classes)
    return bool(
        np.array_equal(np.flatnonzero(~matrix.seen), np.unique(unseen_classes))
        and np.array_equal(np.bincount(matrix.y, minlength=n_classes), tested)
    )
