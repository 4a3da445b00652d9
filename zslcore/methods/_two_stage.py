"""Methods in two stages: linear classifiers of seen classes, then prototypes.

The first stage does not depend on the candidates or on parameters of the second stage, and the
second stage uses only its outputs. A grid over parameters of the second stage therefore costs next
to nothing. For a grid of ridge weights, the first stage computes one path of solutions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Self

import numpy as np
from sklearn.base import clone

from zslcore.features import Features
from zslcore.methods._linear import LinearPath, Loss, linear_scores
from zslcore.methods.base import Params, Scoring, ZSLEstimator
from zslcore.methods.classifiers import Solutions, active_cache, rows_digest


class TwoStageModel(ZSLEstimator):
    """Linear classifiers of images, and a score from their outputs and the prototypes."""

    #: Whether the classifiers have an intercept.
    intercept: ClassVar[bool] = True
    iterative = True

    @abstractmethod
    def _loss(self, S: np.ndarray) -> Loss:
        """Return the loss of the classifiers for the seen prototypes."""

    def _ridge(self, n_samples: int) -> float:
        """Return the ridge weight per sample, by default from C as in liblinear."""
        weight: float = 1 / (self.C * n_samples)
        return weight

    @abstractmethod
    def _score(self, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return the scores of candidates ``S`` from the outputs ``Z`` of the classifiers."""

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit the classifiers on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, self.S_ = self._check_training(X, y, prototypes)
        weight = self._ridge(len(y))
        self.W_ = self._solutions(X, y, self.S_, [weight])[weight]
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return scores from the outputs of the classifiers; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return self._score(linear_scores(X, self.W_, self.intercept), S)

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid, with one path of ridge weights and one pass over ``X_test``."""
        points = [clone(self).set_params(**params) for params in grid]
        W = self._solutions(
            scoring.X, scoring.y, scoring.S, [point._ridge(len(scoring.y)) for point in points]
        )
        together = linear_scores(scoring.X_test, np.hstack(list(W.values())), self.intercept)
        Z = dict(zip(W, np.split(together, len(W), axis=1), strict=True))
        for point in points:
            point.S_ = scoring.S
            yield point._score(Z[point._ridge(len(scoring.y))], scoring.candidates)

    def _solutions(
        self, X: Features, y: np.ndarray, S: np.ndarray, weights: Sequence[float]
    ) -> Solutions:
        """Return the classifiers for each ridge weight, from the largest down."""

        def solve() -> Solutions:
            return dict(self._path(X, y, S).solutions(weights))

        if not self.shared_classifier or (cache := active_cache()) is None:
            return solve()
        settings = self.shared_classifier, len(S), self.intercept, self.tol, sorted(set(weights))
        return cache.get(rows_digest(X, y, *settings), solve)

    def _path(self, X: Features, y: np.ndarray, S: np.ndarray) -> LinearPath:
        return LinearPath(X, y, len(S), self._loss(S), intercept=self.intercept, tol=self.tol)
