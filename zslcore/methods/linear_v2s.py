"""LinearV2S: ridge regression from features to prototypes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.linalg import solve
from sklearn.base import clone

from zslcore.features import Features, compare, l2_rows, project
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.score_map import ScoreMap, linear, linear_unit
from zslcore.methods.statistics import GramStatistics, ridge, ridge_path


@dataclass(eq=False, repr=False)
class LinearV2S(ZSLEstimator):
    r"""Attributes predicted from images, compared with prototypes in the semantic space.

    .. math::
        \min_W \; \frac{1}{N} \lVert X W^\top - S_y \rVert_F^2 + \lambda \lVert W \rVert_F^2,
        \qquad W = S_y^\top X \, (X^\top X + \lambda N I)^{-1}

    where row :math:`i` of :math:`S_y` is the prototype of sample :math:`i` [1]_. The score is the
    cosine, or the dot product, of :math:`W x` with :math:`s_c`.

    Parameters
    ----------
    lam : ridge weight per sample, :math:`\lambda > 0`
    similarity : "cosine" or "dot", default="cosine"
        Similarity of predicted attributes and prototypes, in both ZSL and GZSL. The paper does not
        state it; the cosine is better. For unit prototypes, the dot product is the cosine times the
        length of :math:`W x`; this factor does not change the ranking of classes for an image, so
        it matters only in GZSL with gamma.

    Attributes
    ----------
    W_ : ndarray of shape (n_attributes, n_features)

    References
    ----------
    .. [1] Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot
       learning: a simple adaptation process", MMM 2019, equations 5 and 7.
    """

    card = MethodCard(
        name="LinearV2S",
        year=2019,
        family="closed form",
        title="From classical to generalized zero-shot learning: a simple adaptation process",
        authors="Le Cacheux, Le Borgne, Crucianu",
        url="https://doi.org/10.1007/978-3-030-05716-9_38",
        idea="Predict the attributes of an image; the most similar prototype wins.",
        formula=r"W = S_y^\top X (X^\top X + \lambda N I)^{-1},\quad F(x, c) = \cos(W x, s_c)",
    )
    param_grid: ClassVar = {"lam": tuple(10.0 ** (k / 2) for k in range(-14, 3))}
    shared_grid_params = ("lam",)
    regularizers: ClassVar = {"lam": "stronger"}
    predicted_attributes = "regressed"

    lam: float = 1e-3
    similarity: Literal["cosine", "dot"] = "cosine"

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit ``W_`` on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        statistics = GramStatistics.of(X, y, len(S))
        A = ridge(statistics.gram, self.lam * statistics.n_samples)
        self.W_ = solve(A, statistics.cross(S).T, assume_a="pos", overwrite_a=True).T
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the similarity of ``W x`` and prototypes; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return compare(project(X, self.W_.T), S, self.similarity)

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return :math:`f(x) = W x` and the prototypes; see :class:`ZSLEstimator`."""
        S = self._check_candidates(prototypes)
        if self.similarity == "dot":
            return ScoreMap(linear, (self.W_.T,), S)
        return ScoreMap(linear_unit, (self.W_.T,), l2_rows(S))

    def _attributes(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield ``X_test W'``, which are the products with unit vectors."""
        return clone(self).set_params(similarity="dot")._scores_of_grid(scoring, grid)

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        r"""Score a grid with one Gram matrix and one pass over ``X_test``.

        Since :math:`S_y^\top X` is :math:`S^\top` times the class sums, the equations are solved
        for the class sums if there are fewer classes than attributes.
        """
        S, statistics = scoring.S, GramStatistics.of(scoring.X, scoring.y, len(scoring.S))
        ridges = [params.get("lam", self.lam) * statistics.n_samples for params in grid]
        few = len(S) < S.shape[1]
        B = ridge_path(statistics.gram, ridges, statistics.sums.T if few else statistics.cross(S).T)
        for part in np.split(project(scoring.X_test, np.hstack(list(B))), len(grid), axis=1):
            yield compare(part @ S if few else part, scoring.candidates, self.similarity)
