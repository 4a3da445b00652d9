"""SSE: zero-shot learning via semantic similarity embedding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.svm import LinearSVC

from zslcore.exceptions import DatasetError
from zslcore.features import Features, chunks, l2_rows
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.statistics import ClassStatistics

#: Number of gradient steps between two tests of convergence.
STEPS = 32

#: Feature values per block of images for comparison with all class means.
BLOCK_VALUES = 1 << 17

#: Tolerance of gradients, for unit prototypes.
ROUNDING = 1e-10


@dataclass(eq=False, repr=False)
class SSE(ZSLEstimator):
    r"""Classes and images as mixtures of seen classes.

    A class is the point on the simplex over seen classes that is nearest to its prototype [1]_:

    .. math::
        \alpha_c = \arg\min_{\alpha \ge 0, \, \mathbf{1}^\top \alpha = 1} \;
        \tfrac{1}{2} \alpha^\top (K + c I) \alpha - k_c^\top \alpha, \qquad
        K_{ij} = s_i^\top s_j, \quad (k_c)_i = s_i^\top s_c

    An image is compared feature by feature with the mean :math:`v_k` of each seen class, and a
    support vector machine learns one weight per feature:

    .. math::
        F(x, c) = w^\top \sum_k \alpha_{ck} \, \pi_k(x), \qquad
        \pi_k(x) = \min(x, v_k) \;\text{ or }\; \max(0, x - v_k)

    .. math::
        \min_w \; \tfrac{1}{2} \lVert w \rVert^2
        + C \sum_n \left[ 1 - F(x_n, y_n) + F(x_n, \bar y_n) \right]_+^2

    Parameters
    ----------
    c : float, default=1.0
        Ridge weight in :math:`K + c I`, :math:`c > 0` (elsewhere in these formulas, c is a class);
        a larger weight mixes more classes. With 10, as in the authors' code, a class of CUB is a
        mixture of 132 of 150 classes; for unit prototypes smaller values are better. In the
        benchmark, the weight was chosen on folds.
    C : weight of the hinge loss, :math:`C > 0`; 10 in the authors' code, for another feature scale
    transform : "intersection" or "relu", default="intersection"
        :math:`\min(x, v_k)` or :math:`\max(0, x - v_k)`. Since they add up to :math:`x` and
        :math:`\alpha_c` sums to 1, both give the same margins with opposite signs of :math:`w`:
        predictions do not depend on the choice.
    max_samples : int, default=3000
        Approximate number of training samples for the support vector machine, equally many per
        class. The authors' code has a different number for each data set.

    Attributes
    ----------
    S_ : ndarray of shape (n_seen_classes, n_attributes), of unit length
    v_ : ndarray of shape (n_seen_classes, n_features)
    w_ : ndarray of shape (n_features,)

    Notes
    -----
    The paper does not state which wrong class :math:`\bar y_n` is paired with an image. Here the
    first sample of a class is paired with the class of the most similar mixture, the next sample
    with the second most similar, and so on: this uses all classes, needs no random numbers, and
    does not depend on the order of classes. The paper alternates between updates of :math:`w` and
    of :math:`v_k`; the authors' code keeps the class means, as this class does.

    References
    ----------
    .. [1] Z. Zhang, V. Saligrama, "Zero-shot learning via semantic similarity embedding",
       ICCV 2015.
    """

    card = MethodCard(
        name="SSE",
        year=2015,
        family="hybrid",
        title="Zero-shot learning via semantic similarity embedding",
        authors="Zhang, Saligrama",
        url="https://arxiv.org/abs/1509.04767",
        idea="Describe both classes and images as mixtures of seen classes, and compare them.",
        formula=r"F(x, c) = w^\top \sum_k \alpha_{ck} \min(x, v_k),\quad \alpha_c = \arg\min"
        r"_{\alpha \in \Delta} \tfrac{1}{2} \alpha^\top (K + c I) \alpha - k_c^\top \alpha",
    )
    param_grid: ClassVar = {"c": (0.1, 1.0, 10.0), "C": (10.0, 100.0, 1000.0)}
    revision = 2
    complexity_order = ("c",)
    iterative = True
    shared_grid_params = ("c", "C")
    regularizers: ClassVar = {"C": "weaker", "c": "stronger"}

    c: float = 1.0
    C: float = 100.0
    transform: Literal["intersection", "relu"] = "intersection"
    max_samples: int = 3000

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit ``w_`` on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        if len(y) < 2:
            raise DatasetError("SSE: expected at least two training images; got one.")
        self._store_classes(X, y, S)
        self.w_ = self._fit_machine(self._margins(X, y, S, [self.c])[self.c])
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return scores of mixtures; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return self._compare(X, self.w_[:, None])[0] @ self._mixtures(S).T

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid with one comparison of images and class means."""
        points = [clone(self).set_params(**params) for params in grid]
        self._store_classes(scoring.X, scoring.y, scoring.S)
        margins = self._margins(scoring.X, scoring.y, scoring.S, [point.c for point in points])
        alpha = {c: simplex_weights(l2_rows(scoring.candidates), self.S_, c) for c in margins}
        w = np.column_stack([point._fit_machine(margins[point.c]) for point in points])
        for point, images in zip(points, self._compare(scoring.X_test, w), strict=True):
            yield images @ alpha[point.c].T

    def _store_classes(self, X: Features, y: np.ndarray, S: np.ndarray) -> None:
        self.S_ = l2_rows(S)
        self.v_ = ClassStatistics.of(X, y, len(S)).means

    def _mixtures(self, S: np.ndarray) -> np.ndarray:
        return simplex_weights(l2_rows(S), self.S_, self.c)

    def _margins(
        self, X: Features, y: np.ndarray, S: np.ndarray, ridges: Iterable[float]
    ) -> dict[float, np.ndarray]:
        r"""Return :math:`\sum_k (\alpha_{y_n k} - \alpha_{\bar y_n k}) \pi_k(x_n)` by c.

        Arrays have one row per sample n. Images and means are compared once for all c, in blocks
        that fit into the cache.
        """
        turn = pd.Series(y).groupby(y).cumcount().to_numpy()
        rows = np.flatnonzero(turn < max(1, self.max_samples // len(S)))
        weights = {c: self._differences(S, y[rows], turn[rows], c) for c in set(ridges)}
        block, v = np.asarray(X[rows], dtype=np.float32), self.v_.astype(np.float32)
        margins = {c: np.zeros_like(block) for c in weights}
        size = max(1, BLOCK_VALUES // block.shape[1])
        for start in range(0, len(block), size):
            part = slice(start, start + size)
            for k, mean in enumerate(v):
                values = self._transform(block[part], mean)
                for c, out in margins.items():
                    out[part] += weights[c][part, k, None] * values
        return margins

    def _differences(self, S: np.ndarray, y: np.ndarray, turn: np.ndarray, c: float) -> np.ndarray:
        """Return the mixture of the true class minus the mixture of a wrong class, float32."""
        alpha = simplex_weights(l2_rows(S), self.S_, c)
        similarity = alpha @ alpha.T
        np.fill_diagonal(similarity, -np.inf)
        wrong = np.argsort(-similarity, axis=1, kind="stable")[:, : max(1, len(S) - 1)]
        return (alpha[y] - alpha[wrong[y, turn % wrong.shape[1]]]).astype(np.float32)

    def _transform(self, block: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.transform == "intersection":
            return np.minimum(block, v)
        return np.maximum(block - v, 0)

    def _fit_machine(self, margins: np.ndarray) -> np.ndarray:
        """Return w; every second row changes its sign, since the solver needs two classes."""
        sign = np.where(np.arange(len(margins)) % 2, -1, 1)
        machine = LinearSVC(C=self.C, fit_intercept=False, tol=1e-3, max_iter=2000, random_state=0)
        return machine.fit(margins * sign[:, None], sign).coef_[0]

    def _compare(self, X: Features, w: np.ndarray) -> np.ndarray:
        r"""Return :math:`w^\top \pi_k(x)`, shape (columns of w, n_samples, n_seen_classes)."""
        out = np.empty((w.shape[1], len(X), len(self.v_)))
        for part, block in chunks(X):
            for k, v in enumerate(self.v_):
                out[:, part, k] = (self._transform(block, v) @ w).T
        return out


def simplex_weights(A: np.ndarray, S: np.ndarray, c: float) -> np.ndarray:
    """Return each row of ``A`` as a mixture of the rows of ``S``, shape (len(A), len(S)).

    Accelerated projected gradient descent on all rows finds out which weights are positive; linear
    equations give their exact values. A row is finished once its solution is verified as the
    minimum.
    """
    Q, k = S @ S.T + c * np.eye(len(S)), A @ S.T
    largest = np.linalg.eigvalsh(Q)[-1]
    ratio = np.sqrt(c / largest)  # c is the constant of strong convexity
    momentum = (1 - ratio) / (1 + ratio)
    weights, left = np.empty(k.shape), np.arange(len(k))
    alpha = ahead = np.full(k.shape, 1 / len(S))
    for step in range(1, int(40 / ratio) + 2):  # each divides the error by exp(ratio)
        last, alpha = alpha, sort_to_simplex(ahead - (ahead @ Q - k) / largest)
        ahead = alpha + momentum * (alpha - last)
        if step % STEPS == 0:
            exact, minimal = _solve_on_support(Q, k, alpha > 0)
            weights[left[minimal]] = exact[minimal]
            left, alpha, ahead, k = (column[~minimal] for column in (left, alpha, ahead, k))
            if not len(left):
                return weights
    weights[left] = alpha
    return weights


def _solve_on_support(
    Q: np.ndarray, k: np.ndarray, support: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the best mixtures with weights only in ``support``, and a mask of true minima.

    With the multiplier :math:`\tau` of the constraint, :math:`Q \alpha - k + \tau` is zero on the
    support; the mixture is the minimum over the whole simplex if :math:`\alpha` and
    :math:`Q \alpha - k + \tau` are nowhere negative.
    """
    weights, minimal = np.zeros(k.shape), np.zeros(len(k), dtype=bool)
    for n, P in enumerate(map(np.flatnonzero, support)):
        both = np.column_stack([k[n, P], np.ones(len(P))])
        free, ones = np.linalg.solve(Q[np.ix_(P, P)], both).T
        tau = (free.sum() - 1) / ones.sum()
        alpha = weights[n, P] = free - tau * ones
        minimal[n] = alpha.min() >= 0 and (alpha @ Q[P] - k[n] + tau).min() >= -ROUNDING
    return weights, minimal


def sort_to_simplex(V: np.ndarray) -> np.ndarray:
    """Return the point of the simplex nearest to each row of ``V``."""
    U = -np.sort(-V, axis=1)
    excess = (np.cumsum(U, axis=1) - 1) / np.arange(1, V.shape[1] + 1)
    last = np.count_nonzero(excess < U, axis=1) - 1
    return np.maximum(V - excess[np.arange(len(V)), last][:, None], 0)
