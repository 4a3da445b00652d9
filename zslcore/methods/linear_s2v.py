"""LinearS2V: ridge regression from prototypes to features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import solve

from zslcore.features import Features, chunks, project, squared_distances
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.score_map import ScoreMap
from zslcore.methods.statistics import ClassStatistics, Spectrum, ridge


@dataclass(eq=False, repr=False)
class LinearS2V(ZSLEstimator):
    r"""Ridge regression from prototypes to features; images are compared in the visual space.

    .. math::
        \min_W \; \frac{1}{N} \lVert X - S_y W \rVert_F^2 + \lambda \lVert W \rVert_F^2,
        \qquad W = (S_y^\top S_y + \lambda N I)^{-1} S_y^\top X

    where row :math:`i` of :math:`S_y` is the prototype of sample :math:`i`. The score is the
    negative squared distance to the predicted features of a class, :math:`F(x, c) = -\lVert x -
    W^\top s_c \rVert^2`. Regression into the visual space keeps predictions spread out; in the
    other direction predictions shrink, and a few prototypes become the nearest neighbours of most
    images (hubness) [1]_.

    Parameters
    ----------
    lam : ridge weight per sample, :math:`\lambda > 0`, as in [2]_

    Attributes
    ----------
    W_ : ndarray of shape (n_attributes, n_features)

    References
    ----------
    .. [1] Y. Shigeto et al., "Ridge regression, hubness, and zero-shot learning", ECML 2015.
    .. [2] Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot
       learning: a simple adaptation process", MMM 2019.
    """

    card = MethodCard(
        name="LinearS2V",
        year=2015,
        family="closed form",
        title="Ridge regression, hubness, and zero-shot learning",
        authors="Shigeto, Suzuki, Hara, Shimbo, Matsumoto",
        url="https://doi.org/10.1007/978-3-319-23528-8_9",
        idea="Predict the features of a class from its prototype; the nearest prediction wins.",
        formula=r"W = (S_y^\top S_y + \lambda N I)^{-1} S_y^\top X,"
        r"\quad F(x, c) = -\lVert x - W^\top s_c \rVert^2",
    )
    revision = 2  # only the default differs from revision 1
    param_grid: ClassVar = {"lam": tuple(10.0 ** (k / 2) for k in range(-12, 3))}
    shared_grid_params = ("lam",)
    regularizers: ClassVar = {"lam": "stronger"}

    lam: float = 0.005

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit ``W_`` on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        statistics = ClassStatistics.of(X, y, len(S))
        A = ridge(statistics.semantic_gram(S), self.lam * statistics.n_samples)
        self.W_ = solve(A, statistics.cross(S), assume_a="pos")
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the negative squared distance to ``S W``; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return -squared_distances(X, S @ self.W_)

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        r"""Return the scores as inner products :math:`f(x)^\top r_c + o_c`; see :class:`ScoreMap`.

        :math:`f(x) = (2 W x, x^\top x)`, :math:`r_c = (s_c, -1)` and :math:`o_c = -\lVert W^\top
        s_c \rVert^2`.
        """
        S = self._check_candidates(prototypes)
        squares = np.einsum("ci,ij,cj->c", S, self.W_ @ self.W_.T, S, optimize=True)
        codes = np.hstack([S, np.full((len(S), 1), -1.0)])
        return ScoreMap(_append_square, (self.W_,), codes, -squares)

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        r"""Score a grid with one decomposition and one pass over ``X_test``.

        With :math:`S_y^\top S_y = Q q Q^\top` and :math:`T = Q^\top S_y^\top X`, the predicted
        features of a class are :math:`r_c T` with :math:`r_c = s_c^\top Q \, \mathrm{diag}(1 / (q +
        \lambda N))`.
        """
        statistics = ClassStatistics.of(scoring.X, scoring.y, len(scoring.S))
        semantic = Spectrum.of(statistics.semantic_gram(scoring.S))
        T = semantic.vectors.T @ statistics.cross(scoring.S)
        TT, XT = T @ T.T, project(scoring.X_test, T.T)
        squares = np.concatenate([np.einsum("ij,ij->i", x, x) for _, x in chunks(scoring.X_test)])
        for params in grid:
            weight = params.get("lam", self.lam) * statistics.n_samples
            r = scoring.candidates @ semantic.vectors / (semantic.values + weight)
            yield (
                2 * XT @ r.T - np.einsum("ci,ij,cj->c", r, TT, r, optimize=True) - squares[:, None]
            )


def _append_square(x: np.ndarray, W: np.ndarray) -> np.ndarray:
    r"""Return :math:`(2 W x, \; x^\top x)`."""
    return np.column_stack([2 * x @ W.T, np.einsum("ij,ij->i", x, x)])
