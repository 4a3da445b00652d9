"""Transductive methods: fitted on unlabelled test images as well, and reported by themselves.

A transductive method sees the images it will be asked about, though not their classes, and is told
which classes they can be of. That is another problem than the inductive one, and its figures never
stand in the same table: such methods are kept in a registry of their own,
:data:`zslcore.methods.TRANSDUCTIVE`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from zslcore.base import ZSLEstimator
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Preprocessing
from zslcore.protocol import Problem, ScoredTest, Task, with_seed

__all__ = ["TransductiveEstimator", "transduce"]


class TransductiveEstimator(ZSLEstimator):
    """A method whose ``fit`` is handed the test images and the classes they can be of."""

    @abstractmethod
    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        prototypes: np.ndarray,
        *,
        unlabeled: np.ndarray | None = None,
        candidates: np.ndarray | None = None,
    ) -> Self:
        """Learn from seen classes and from images without labels.

        Parameters
        ----------
        X, y, prototypes : as of :meth:`zslcore.base.ZSLEstimator.fit`
        unlabeled : array or FeatureView of shape (n_unlabeled, n_features)
        candidates : array of shape (n_candidates, n_attributes), the classes they can be of
        """

    def inductive(self) -> ZSLEstimator | None:
        """Return the unfitted method without unlabelled images, None where there is no such one."""
        return None

    def with_inductive(self, params: Mapping[str, Any]) -> Self:
        """Return a copy that grows out of :meth:`inductive` with these parameters."""
        known = self.get_params()
        return clone(self).set_params(**{k: v for k, v in params.items() if k in known})

    def _score_each(self, X, y, prototypes, grid, X_test, candidates) -> Iterator[np.ndarray]:
        """Fit and score every point by itself, ``X_test`` being the unlabelled images."""
        for params in grid:
            model = clone(self).set_params(**params)
            model.fit(X, y, prototypes, unlabeled=X_test, candidates=candidates)
            yield model.decision_function(X_test, candidates)

    def _check_unlabeled(self, unlabeled, candidates) -> tuple[Any, np.ndarray]:
        """Return (unlabeled, candidates), refusing what is missing or of another width."""
        name = self.card.name
        if unlabeled is None or candidates is None:
            raise ParameterError(
                f"{name}: is transductive, expected unlabeled= and candidates= beside the "
                "training data."
            )
        unlabeled = unlabeled if hasattr(unlabeled, "shape") else np.asarray(unlabeled)
        candidates = np.asarray(candidates, dtype=np.float64)
        expected = (self.n_features_in_, self.n_attributes_in_)
        shapes = (unlabeled.shape, candidates.shape)
        if tuple(shape[1:] for shape in shapes) != tuple((n,) for n in expected):
            raise DatasetError(
                f"{name}: expected unlabelled images of {expected[0]} features and candidates of "
                f"{expected[1]} attributes; got {shapes[0]} and {shapes[1]}."
            )
        if not len(unlabeled) or not len(candidates):
            raise DatasetError(f"{name}: expected unlabelled images and candidates, got none.")
        return unlabeled, candidates


def transduce(
    method: ZSLEstimator,
    dataset: ZSLDataset,
    split: Split,
    *,
    task: Task = "zsl",
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
) -> ScoredTest:
    """Fit on trainval and on the test images without their labels, and score these.

    Parameters
    ----------
    method : ZSLEstimator
        A transductive one, or an inductive one to be shown beside it.
    dataset, split : the data
    task : "zsl" or "gzsl"
        For "zsl" the images are those of unseen classes and the candidates the unseen classes; for
        "gzsl" both are all there are in the test set.
    preprocessing : Preprocessing
    seed : int
        Seeds stochastic methods.
    """
    if task not in ("zsl", "gzsl"):
        raise ParameterError(f"task must be 'zsl' or 'gzsl'; got {task!r}.")
    test, classes = split.test_unseen, split.unseen_classes
    if task == "gzsl":
        test = np.concatenate([split.test_seen, test])
        classes = np.union1d(split.seen_classes, classes)
    problem = Problem.of(dataset, preprocessing, split.trainval, test, classes)
    (F,) = problem.sweep(with_seed(method, seed), [{}])
    return ScoredTest(F, problem.y_test, problem.classes, problem.seen)
