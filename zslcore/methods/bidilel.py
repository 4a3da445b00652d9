"""BiDiLEL: zero-shot visual recognition via bidirectional latent embedding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

from zslcore.base import MethodCard, Params, ZSLEstimator
from zslcore.features import Features, project, squared_distances

__all__ = ["BiDiLEL"]

#: Rounds of the top-down map; each lowers the stress, and the last ones by less than it can tell.
ROUNDS = 300

#: Samples that are multiplied at a time.
GROUP = 1024


class BiDiLEL(ZSLEstimator):
    r"""Learns a space from images, then finds each class its place among those already there.

    Bottom-up, a supervised locality preserving projection keeps an image near its neighbours of the
    same class [1]_:

    .. math::
        \max_P \; \mathrm{tr}\, P^\top X^\top M X P \quad \text{such that} \quad
        P^\top (X^\top Q X + \alpha I) P = I, \qquad
        M_{ij} = \begin{cases}
            e^{-\lVert x_i - x_j \rVert^2 / 2} & \text{same class, one of the other's } k_G
            \text{ nearest} \\ 0 & \text{else} \end{cases}

    with :math:`Q` the diagonal of the row sums of :math:`M`. The landmark :math:`b_k` of a seen
    class is its mean :math:`x^\top P`. Top-down, a class is placed so that its distances to the
    landmarks are those of its prototype, in Sammon's sense:

    .. math::
        b_c = \arg\min_b \sum_k \frac{(\lVert b - b_k \rVert - \delta_{ck})^2}{\delta_{ck}}, \qquad
        \delta_{ck} = \rho \, \lVert s_c - s_k \rVert, \qquad
        F(x, c) = -\lVert x^\top P - b_c \rVert^2

    Parameters
    ----------
    alpha : float, default=10.0
        Ridge of the projection, :math:`\alpha > 0`.
    k : int, default=10
        Neighbours within a class, :math:`k_G`; all the others in smaller classes.
    n_components : int, default=150
        Dimensions of the latent space, :math:`d_y`, at most those of the features.

    Attributes
    ----------
    P_ : ndarray of shape (n_features, n_components)
        Learned projection.
    landmarks_ : ndarray of shape (n_seen_classes, n_components)
        Means of the seen classes that have samples, projected.
    S_ : ndarray of shape (n_seen_classes, n_attributes)
        Their prototypes.
    rho_ : float
        Scale :math:`\rho` that gives prototypes the landmarks' mean distance.

    Notes
    -----
    The paper also keeps the distances of the unseen classes among each other, which makes the score
    of a class depend on the company it is in; here every class is placed by the landmarks alone,
    and the sum is over them only. The paper leaves the scale between both distances open;
    :math:`\rho` matches their means. A seen candidate lies at distance 0 from its own landmark, and
    is placed there.

    References
    ----------
    .. [1] Q. Wang, K. Chen, "Zero-shot visual recognition via bidirectional latent embedding",
       IJCV 2017.
    """

    card = MethodCard(
        name="BiDiLEL",
        year=2017,
        family="latent",
        title="Zero-shot visual recognition via bidirectional latent embedding",
        authors="Wang, Chen",
        url="https://arxiv.org/abs/1607.02104",
        idea="Learn a space from images, then find each class its place among those there.",
        formula=r"b_c = \arg\min_b \sum_k (\lVert b - b_k \rVert - \delta_{ck})^2 / \delta_{ck},"
        r"\quad F(x, c) = -\lVert x^\top P - b_c \rVert^2",
    )
    param_grid: ClassVar = {"n_components": (50, 100, 150, 250)}
    iterative = True
    sharing = ("n_components",)
    regularizers: ClassVar = {"alpha": "stronger"}

    def __init__(self, alpha: float = 10.0, k: int = 10, n_components: int = 150) -> None:
        self.alpha = alpha
        self.k = k
        self.n_components = n_components

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Learn projection and landmarks; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        return self._place(*self._eigenvectors(X, y, S, self.n_components), S)

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return minus squared latent distances; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return -squared_distances(project(X, self.P_), self.embed(S))

    def _score_together(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        grid: Sequence[Params],
        X_test: Features,
        candidates: np.ndarray,
    ) -> Iterator[np.ndarray]:
        """Score a whole grid of latent dimensions from one decomposition."""
        X, y, S = self._check_training(X, y, prototypes)
        points = [clone(self).set_params(**params) for params in grid]
        P, means, present = self._eigenvectors(X, y, S, max(p.n_components for p in points))
        XP = project(X_test, P)
        for point in points:
            d = point.n_components
            point._place(P[:, :d], means, present, S)
            yield -squared_distances(XP[:, :d], point.embed(np.asarray(candidates, dtype=float)))

    def embed(self, S: np.ndarray) -> np.ndarray:
        r"""Return the places of classes in the latent space, shape (n_classes, n_components).

        Minimises the stress by majorisation [de Leeuw 1977], all classes at once: with weights
        :math:`w_k = 1 / \delta_{ck}`,
        :math:`b \leftarrow \sum_k w_k (b_k + \delta_{ck} (b - b_k) / \lVert b - b_k \rVert)
        / \sum_k w_k` never raises it, and needs no step size; nor does going twice as far, which
        takes half the rounds.
        """
        B = self.landmarks_
        delta = self.rho_ * np.sqrt(np.maximum(squared_distances(S, self.S_), 0))
        w = 1 / np.maximum(delta, 1e-9 * self.rho_)
        w /= w.sum(axis=1, keepdims=True)
        anchor = b = w @ B
        for _ in range(ROUNDS):
            distance = np.sqrt(np.maximum(squared_distances(b, B), 0))
            pull = w * delta / np.where(distance > 0, distance, np.inf)
            b = 2 * (anchor + pull.sum(axis=1, keepdims=True) * b - pull @ B) - b
        return b

    def _eigenvectors(
        self, X: Features, y: np.ndarray, S: np.ndarray, n_components: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the leading directions, the class means and which classes have samples."""
        D = X.shape[1]
        attraction, spread, means = np.zeros((D, D)), np.zeros((D, D)), np.zeros((len(S), D))
        counts = np.bincount(y, minlength=len(S))
        present = counts > 0
        for classes in _groups(counts):
            images, M_images, Q = [], [], []
            for c in classes:
                block = np.asarray(X[np.flatnonzero(y == c)], dtype=np.float64)
                M = self._neighbours(block)
                images.append(block)
                M_images.append(M @ block)
                Q.append(M.sum(axis=1))
                means[c] = block.mean(axis=0)
            block = np.vstack(images)
            attraction += block.T @ np.vstack(M_images)
            block *= np.sqrt(np.concatenate(Q))[:, None]
            spread += block.T @ block
        spread[np.diag_indices(D)] += self.alpha
        n = min(n_components, D)
        _, P = eigh(attraction, spread, subset_by_index=(D - n, D - 1), overwrite_a=True)
        return P[:, ::-1], means, present

    def _neighbours(self, block: np.ndarray) -> np.ndarray:
        """Return the affinities M within one class, shape (n, n)."""
        k = min(self.k, len(block) - 1)
        if not k:
            return np.ones((1, 1))
        near = kneighbors_graph(block, k).toarray().astype(bool)
        return np.where(near | near.T, np.exp(-squared_distances(block, block) / 2), 0)

    def _place(self, P: np.ndarray, means: np.ndarray, present: np.ndarray, S: np.ndarray) -> Self:
        """Keep the projection and put the landmarks into the latent space."""
        self.P_, self.S_ = P, S[present]
        self.landmarks_ = means[present] @ P
        latent = np.sqrt(np.maximum(squared_distances(self.landmarks_, self.landmarks_), 0))
        semantic = np.sqrt(np.maximum(squared_distances(self.S_, self.S_), 0))
        self.rho_ = latent.sum() / semantic.sum() if semantic.any() else 1.0
        return self

    def _check_params(self) -> None:
        self._check_positive("alpha")
        self._check_count("k", "n_components")


def _groups(counts: np.ndarray) -> list[np.ndarray]:
    """Return the classes that have samples in groups of about ``GROUP`` samples.

    A product of features by features costs a pass over a matrix of that size however few samples it
    is made of, so that one a class would mostly wait for memory.
    """
    present = np.flatnonzero(counts)
    group = np.cumsum(counts[present]) // GROUP
    return np.split(present, np.flatnonzero(np.diff(group)) + 1)
