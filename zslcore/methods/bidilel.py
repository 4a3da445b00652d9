"""BiDiLEL: zero-shot visual recognition via bidirectional latent embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Features, compare, l2_rows, positions, project, squared_distances
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.statistics import ClassStatistics, ridge

#: Fixed number of rounds of the top-down map. Each round lowers the stress, but the last may not
#: reach the minimum: with 10 seen and 4 unseen classes, L-BFGS lowers the stress by another 2.7 %.
ROUNDS = 300

#: Samples per matrix product.
GROUP = 1024

#: Maximum bytes of a matrix of distances between classes that are placed together; several such
#: matrices are in memory. 4 GiB allow 23,000 classes, more than ImageNet-21K has.
MAX_DISTANCE_BYTES = 4 << 30

#: Lower bound of distances between prototypes as divisors; equal prototypes have distance 0.
MIN_DISTANCE = 1e-9


@dataclass(eq=False, repr=False)
class BiDiLEL(ZSLEstimator):
    r"""Latent space learned from images, in which unseen classes are placed among seen ones.

    Bottom-up, a supervised locality preserving projection keeps an image near its neighbours of the
    same class [1]_:

    .. math::
        \max_P \; \mathrm{tr}\, P^\top X^\top M X P \quad \text{such that} \quad
        P^\top (X^\top Q X + \alpha I) P = I, \qquad
        M_{ij} = \begin{cases}
            e^{-\lVert x_i - x_j \rVert^2 / 2} & i \in kNN(j) \text{ or } j \in kNN(i)
            \\ 0 & \text{else} \end{cases}

    where :math:`kNN(i)` are the :math:`k_G` nearest images in the class of image :math:`i`, and
    :math:`Q` is the diagonal matrix of the row sums of :math:`M`. An image is mapped to
    :math:`z = P^\top x`, and the landmark :math:`b_k` of a seen class is the mean of its mapped
    images.
    Top-down, all unseen classes are placed together by a Sammon mapping: their distances to the
    landmarks and to each other approximate the distances between prototypes:

    .. math::
        \min_{b_c, \, c \text{ unseen}} \;
        \sum_{c, \, k \text{ seen}} \frac{(\lVert b_c - b_k \rVert - \delta_{ck})^2}{\delta_{ck}}
        + \sum_{c < d \text{ unseen}} \frac{(\lVert b_c - b_d \rVert - \delta_{cd})^2}{\delta_{cd}},
        \qquad \delta_{cd} = \rho \, \lVert s_c - s_d \rVert

    The score of an image compares it with the position of a class, by angle or by distance:
    :math:`F(x, c) = \cos(z, b_c)` or :math:`-\lVert z - b_c \rVert^2`.

    Parameters
    ----------
    alpha : ridge of the projection, :math:`\alpha > 0`
    k : number of neighbours within a class, :math:`k_G`; all other images if a class has fewer
    n_components : dimensions of the latent space, :math:`d_y`, at most the number of features
    similarity : "cosine" or "euclidean", default="cosine"
        Similarity in the latent space. The paper uses Euclidean distance; on the folds of CUB the
        cosine is better. Images are about twice as far from the origin as the means of their
        classes, so classes far from the origin are nearer to the images, and distance favours them.
        For "cosine", images are scaled to unit length in the latent space, also before landmarks
        are computed.
    semi_supervised : bool, default=True
        Whether distances between unseen classes enter the map, as in the paper. If False, a class
        is placed by its distances to the landmarks alone, and its score does not depend on the
        other candidates.

    Attributes
    ----------
    P_ : ndarray of shape (n_features, n_components)
    landmarks_ : ndarray of shape (n_seen_classes, n_components), of classes with samples
    S_ : ndarray of shape (n_seen_classes, n_attributes), prototypes of these classes
    rho_ : float, scale that makes the mean distances of prototypes and landmarks equal

    Notes
    -----
    Candidates with the prototype of a seen class are at its landmark; all other candidates are
    placed together. A class therefore has the same score among the unseen classes as among all
    classes, but a different score among fewer unseen classes. Memory grows with the square of the
    number of classes placed together.

    The paper does not define the scale between the two kinds of distances; here :math:`\rho` makes
    their means equal.

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
        idea="Learn a space from images, then place each class relative to the training classes.",
        formula=r"\min_b \sum_{c, d} (\lVert b_c - b_d \rVert - \delta_{cd})^2 / \delta_{cd},"
        r"\quad F(x, c) = \cos(P^\top x, b_c)",
        departure="classes are compared by angle, which is better than the paper's distance on the "
        "folds of CUB",
        depends_on_candidates="unseen classes are placed together, "
        "at distances like those of their prototypes",
    )
    revision = 2
    param_grid: ClassVar = {
        "alpha": (10.0, 100.0, 1000.0),
        "n_components": (50, 100, 150, 250),
    }
    iterative = True
    shared_grid_params = ("alpha", "n_components")
    regularizers: ClassVar = {"alpha": "stronger"}

    alpha: float = 10.0
    k: int = 10
    n_components: int = 150
    similarity: Literal["cosine", "euclidean"] = "cosine"
    semi_supervised: bool = True

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Learn projection and landmarks; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        P = _directions(*self._grams(X, y), self.alpha, self.n_components)
        return self._store_landmarks(P, project(X, P), y, S)

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return similarities in the latent space; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return self._similarities(project(X, self.P_), self.embed(S))

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid, with one decomposition per alpha for all latent dimensions."""
        points = [clone(self).set_params(**params) for params in grid]
        grams, most = self._grams(scoring.X, scoring.y), max(point.n_components for point in points)
        projections: dict[float, tuple[np.ndarray, ...]] = {}
        for point in points:
            if point.alpha not in projections:
                P = _directions(*grams, point.alpha, most)
                projections[point.alpha] = P, project(scoring.X, P), project(scoring.X_test, P)
            P, Z, Z_test = (
                projection[:, : point.n_components] for projection in projections[point.alpha]
            )
            point._store_landmarks(P, Z, scoring.y, scoring.S)
            yield point._similarities(Z_test, point.embed(scoring.candidates))

    def embed(self, S: np.ndarray) -> np.ndarray:
        """Return the positions of classes in the latent space, shape (n_classes, n_components)."""
        rows = positions(S, self.S_)
        coordinates = self.landmarks_[rows]
        if (rows < 0).any():
            coordinates[rows < 0] = self._top_down(S[rows < 0])
        return coordinates

    def _top_down(self, S: np.ndarray) -> np.ndarray:
        r"""Return the positions of classes without a landmark.

        The stress is minimised by majorisation (J. de Leeuw, "Applications of convex analysis to
        multidimensional scaling", 1977). Let :math:`w_{cd} = 1 / \delta_{cd}`. In the sums below, k
        runs over the landmarks, and d over the landmarks and, with ``semi_supervised``, the other
        placed classes. Let :math:`V` be the matrix with the diagonal :math:`\sum_d w_{cd}` and the
        entries :math:`-w_{cd}` for two placed classes. The update

        .. math:: b \leftarrow V^{-1} \Big( \sum_k w_{ck} b_k + \sum_d w_{cd} \delta_{cd}
                  \frac{b_c - b_d}{\lVert b_c - b_d \rVert} \Big)

        never raises the stress and needs no step size. The same holds for steps of twice the
        length, which need half the rounds.
        """
        B = self.landmarks_
        placed = np.vstack([self.S_, S]) if self.semi_supervised else self.S_
        if self.semi_supervised and 8 * len(S) * len(placed) > MAX_DISTANCE_BYTES:
            raise ParameterError(
                f"BiDiLEL: expected at most {isqrt(MAX_DISTANCE_BYTES // 8):,} classes to place "
                f"together, as memory grows with their square; got {len(S):,} "
                "(semi_supervised=False places each by itself)."
            )
        delta = self.rho_ * _distances(S, placed)
        w = 1 / np.maximum(delta, MIN_DISTANCE * self.rho_)
        w[:, len(B) :][np.diag_indices(len(S) if self.semi_supervised else 0)] = 0
        solve, fixed = _solver(w, len(B)), w[:, : len(B)] @ B
        b = solve(fixed)
        for _ in range(ROUNDS):
            around = np.vstack([B, b]) if self.semi_supervised else B
            distance = _distances(b, around)
            pull = w * delta / np.where(distance > 0, distance, np.inf)
            b = 2 * solve(fixed + pull.sum(axis=1, keepdims=True) * b - pull @ around) - b
        return b

    def _grams(self, X: Features, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return :math:`X^T M X` and :math:`X^T Q X`, both (n_features, n_features)."""
        D = X.shape[1]
        attraction, spread = np.zeros((D, D)), np.zeros((D, D))
        for classes in _groups(np.bincount(y)):
            images, M_images, Q = [], [], []
            for c in classes:
                block = np.asarray(X[np.flatnonzero(y == c)], dtype=np.float64)
                M = self._neighbours(block)
                images.append(block)
                M_images.append(M @ block)
                Q.append(M.sum(axis=1))
            block = np.vstack(images)
            attraction += block.T @ np.vstack(M_images)
            block *= np.sqrt(np.concatenate(Q))[:, None]
            spread += block.T @ block
        return attraction, spread

    def _neighbours(self, block: np.ndarray) -> np.ndarray:
        """Return the affinities M within one class, shape (n, n)."""
        k = min(self.k, len(block) - 1)
        if not k:
            return np.ones((1, 1))
        near = kneighbors_graph(block, k).toarray().astype(bool)
        return np.where(near | near.T, np.exp(-squared_distances(block, block) / 2), 0)

    def _store_landmarks(self, P: np.ndarray, Z: np.ndarray, y: np.ndarray, S: np.ndarray) -> Self:
        """Store the projection, and the class means of the mapped images ``Z`` as landmarks."""
        statistics = ClassStatistics.of(l2_rows(Z) if self.similarity == "cosine" else Z, y, len(S))
        present = statistics.counts > 0
        self.P_, self.S_, self.landmarks_ = P, S[present], statistics.means[present]
        latent, semantic = (
            _distances(self.landmarks_, self.landmarks_),
            _distances(self.S_, self.S_),
        )
        if semantic.any() and not latent.any():
            raise DatasetError(
                "BiDiLEL: expected images of different classes at different positions; got one "
                "position for all."
            )
        self.rho_ = latent.sum() / semantic.sum() if semantic.any() else 1.0
        return self

    def _similarities(self, Z: np.ndarray, b: np.ndarray) -> np.ndarray:
        if self.similarity == "cosine":
            return compare(Z, b, "cosine")
        return -squared_distances(Z, b)


def _directions(
    attraction: np.ndarray, spread: np.ndarray, alpha: float, n_components: int
) -> np.ndarray:
    """Return the leading directions, shape (n_features, at most n_components)."""
    D = len(spread)
    last = (D - min(n_components, D), D - 1)
    _, P = eigh(attraction, ridge(spread.copy(), alpha), subset_by_index=last, overwrite_b=True)
    return P[:, ::-1]


def _distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(squared_distances(A, B), 0))


def _solver(w: np.ndarray, n_landmarks: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a solver of :math:`V b = r` for the weights of landmarks and classes."""
    total = w.sum(axis=1, keepdims=True)
    if w.shape[1] == n_landmarks:
        return lambda r: r / total
    return partial(cho_solve, cho_factor(np.diagflat(total) - w[:, n_landmarks:]))


def _groups(counts: np.ndarray) -> list[np.ndarray]:
    """Return the classes with samples, in groups of about ``GROUP`` samples.

    Adding a product to a matrix of shape (n_features, n_features) passes over the whole matrix,
    even for few samples; one product per class would mostly wait for memory.
    """
    present = np.flatnonzero(counts)
    group = np.cumsum(counts[present]) // GROUP
    return np.split(present, np.flatnonzero(np.diff(group)) + 1)
