"""Propagation of scores along a graph of the test images, as in ALE-tran."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array, vstack
from scipy.sparse.linalg import cg
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from zslcore.exceptions import ParameterError
from zslcore.features import BLOCK_VALUES, Features, chunks, project, squared_distances
from zslcore.methods.base import (
    CompatibilityModel,
    MethodCard,
    Params,
    Scoring,
    Share,
    TransductiveEstimator,
    ZSLEstimator,
    get_method,
    with_seed,
)

#: Maximum number of candidates, since each needs the solution of a separate system of equations.
MAX_CANDIDATES = 50_000
#: Squared distances below this share of the squared lengths are 0 up to rounding errors.
SAME_PLACE = 1e-12


class NeighbourGraph:
    r"""Graph of nearest neighbours among images, with the affinities of its edges.

    .. math::
        M_{ij} = e^{-d_{ij} / 2 \sigma^2} \text{ if } i \in kNN(j) \text{ or } j \in kNN(i)
        \text{, else } 0, \qquad L = Q^{-1/2} M Q^{-1/2}, \quad Q_{ii} = \sum_j M_{ij}

    Parameters
    ----------
    coordinates : array of shape (n_samples, n_dimensions), coordinates of the images
    k : number of neighbours of an image
    sigma : float or None, scale of edge lengths; with None, 2 sigma^2 is the mean edge length

    Notes
    -----
    Images with equal coordinates have no edge between them. For an image of the graph,
    :meth:`rows` therefore returns its row of ``L``, a sparse array.
    """

    def __init__(self, coordinates: np.ndarray, k: int, sigma: float | None = None) -> None:
        self.coordinates, self.k = coordinates, min(k, len(coordinates) - 1)
        self.reach = np.zeros(len(coordinates))  # squared distance to the k-th neighbour
        lengths = csr_array((len(coordinates), len(coordinates)))
        if self.k:
            near = NearestNeighbors(n_neighbors=self.k, algorithm="brute").fit(coordinates)
            distance, column = near.kneighbors()
            self.reach = distance[:, -1] ** 2
            lengths = self._edges(distance, column)
            lengths = lengths.maximum(lengths.T)
        self.spread = 2 * sigma**2 if sigma else lengths.data.mean() if lengths.nnz else 1.0
        M = self._affinities(lengths)
        self.degree = M.sum(axis=1)
        self.L = self._normalise(M)

    def rows(self, coordinates: np.ndarray) -> csr_array:
        """Return the rows of L for the images at these coordinates, in the graph or not."""
        if not self.k:
            return csr_array((len(coordinates), len(self.coordinates)))
        return self._normalise(self._affinities(self._lengths(coordinates)))

    def _edges(self, distance: np.ndarray, column: np.ndarray) -> csr_array:
        """Return the k edges of each image as a matrix, without edges of length 0."""
        row = np.repeat(np.arange(len(distance)), self.k)
        distance, column = distance.ravel(), column.ravel()
        square = np.einsum("ij,ij->i", self.coordinates, self.coordinates)
        distinct = distance**2 > SAME_PLACE * (square[row] + square[column])
        shape = (len(self.coordinates), len(self.coordinates))
        return csr_array((distance[distinct], (row[distinct], column[distinct])), shape=shape)

    def _lengths(self, coordinates: np.ndarray) -> csr_array:
        """Return the lengths of the edges from images to the graph.

        An edge exists if either end is among the k nearest neighbours of the other end.
        """
        blocks = []
        graph_squares = np.einsum("ij,ij->i", self.coordinates, self.coordinates)
        reach = self.reach * (1 + 1e-9)  # tolerance for rounding
        for _, block in chunks(coordinates, max(1, BLOCK_VALUES // len(self.coordinates))):
            squares = np.einsum("ij,ij->i", block, block)[:, None]
            square = squared_distances(block, self.coordinates)
            near = np.partition(square, (self.k - 1, self.k), axis=1)[:, self.k - 1 :]
            # The nearest neighbour of an image of the graph is the image itself: skip it.
            itself = square.min(axis=1) <= 2 * SAME_PLACE * squares[:, 0]
            k_th = np.where(itself, near[:, 1], near[:, 0])[:, None]
            row, column = np.nonzero(square <= np.maximum(k_th, reach))
            square = square[row, column]
            distinct = square > SAME_PLACE * (squares[row, 0] + graph_squares[column])
            data = (np.sqrt(square[distinct]), (row[distinct], column[distinct]))
            blocks.append(csr_array(data, shape=(len(block), len(self.coordinates))))
        return vstack(blocks, format="csr")

    def _affinities(self, lengths: csr_array) -> csr_array:
        M = lengths.copy()
        M.data = np.exp(-lengths.data / self.spread)
        return M

    def _normalise(self, M: csr_array) -> csr_array:
        scale = [1 / np.sqrt(np.where(q > 0, q, 1)) for q in (M.sum(axis=1), self.degree)]
        return (diags_array(scale[0]) @ M @ diags_array(scale[1])).tocsr()


def propagate(L: csr_array, S0: np.ndarray, alpha: float) -> np.ndarray:
    r"""Return :math:`(I - \alpha L)^{-1} S_0` by conjugate gradients, class by class.

    The eigenvalues of :math:`I - \alpha L` are in :math:`[1 - \alpha, 1 + \alpha]`, so a few dozen
    sparse products are enough; a factorisation would fill in to a nearly dense matrix.
    """
    if not alpha:
        return S0
    A = eye_array(len(S0), format="csr") - alpha * L
    return np.column_stack([cg(A, s, x0=s, rtol=1e-10)[0] for s in S0.T])


class PropagationModel(TransductiveEstimator):
    r"""Scores propagated along a graph of nearest neighbours.

    .. math:: F = (I - \alpha L)^{-1} F_0

    where :math:`L` is the matrix of the :class:`NeighbourGraph` of the unlabelled images. Since
    :math:`F = F_0 + \alpha L F`, any image :math:`x` gets the scores :math:`F_0(x) + \alpha \sum_j
    L_{xj} F_j` from its neighbours in the graph; for an image of the graph, this is its row of
    :math:`F`.
    """

    @abstractmethod
    def _coordinates(self, X: Features) -> np.ndarray:
        """Return the coordinates of images, shape (n_samples, n_dimensions)."""

    @abstractmethod
    def _initial_scores(self, X: Features, S: np.ndarray) -> np.ndarray:
        """Return the scores to propagate, shape (n_samples, n_candidates)."""

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return propagated scores; see :class:`~zslcore.methods.base.ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        self._check_candidate_count(S)
        graph_scores = propagate(
            self.graph_.L, self._initial_scores(self.unlabeled_, S), self.alpha
        )
        initial = self._initial_scores(X, S)
        return initial + self.alpha * (self.graph_.rows(self._coordinates(X)) @ graph_scores)

    def _check_candidate_count(self, S: np.ndarray) -> None:
        if len(S) > MAX_CANDIDATES:
            raise ParameterError(
                f"{self.card.name}: expected at most {MAX_CANDIDATES:,} candidates, as each is "
                f"propagated separately; got {len(S):,}."
            )

    def _build_graph(self, unlabeled: Features) -> Self:
        self.unlabeled_ = unlabeled
        self.graph_ = NeighbourGraph(self._coordinates(unlabeled), self.k, self.sigma)
        return self

    def _check_params(self) -> None:
        super()._check_params()
        if not isinstance(self.alpha, (int, float, np.number)) or not 0 <= self.alpha < 1:
            raise ParameterError(
                f"{self.card.name}: alpha must be at least 0 and below 1; got {self.alpha!r}."
            )


@dataclass(eq=False, repr=False)
class Propagation(PropagationModel):
    r"""Scores of an inductive method, propagated along a graph of the test images.

    :math:`F_0` are the scores of any method fitted on seen classes [1]_; the graph of the test
    images is in the space to which this method maps them:

    .. math::
        F = (I - \alpha L)^{-1} F_0, \qquad L = Q^{-1/2} M Q^{-1/2}, \qquad
        M_{ij} = \begin{cases} e^{-d(x_i, x_j) / 2 \sigma^2} &
        i \in kNN(j) \text{ or } j \in kNN(i) \\ 0 & \text{otherwise} \end{cases}

    With the default base ALE, this is ALE-tran of the benchmark [1]_.

    Parameters
    ----------
    base : str, default="ALE"
        Name of the inductive method.
    base_params : mapping, optional
        Parameters of the base that differ from its defaults.
    k : number of neighbours of an image; the benchmark does not state its k, sigma and alpha
    sigma : float or None, default=None
        Scale of edge lengths in the space of the graph; with None, :math:`2 \sigma^2` is the mean
        edge length. As in the formula of the benchmark, the distance is not squared; label
        propagation often has the squared distance.
    alpha : weight of the propagation, :math:`0 \le \alpha < 1`; 0 leaves the scores unchanged
    random_state : seed of the base, if it has a ``random_state``

    Attributes
    ----------
    base_ : ZSLEstimator, fitted
    seen_ : ndarray of shape (n_seen_classes, n_attributes), prototypes of the seen classes
    graph_ : NeighbourGraph of the unlabelled images
    unlabeled_ : array or FeatureView, the unlabelled images

    Notes
    -----
    The coordinates of an image are :math:`x^\top V` for a bilinear base, as in the benchmark, and
    its scores for the seen classes for any other base. Each class is propagated separately, so
    the values of ``candidates`` do not matter.

    References
    ----------
    .. [1] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019, section 3.5. The procedure is by
       M. Ye, Y. Guo, "Zero-shot classification with discriminative semantic representation
       learning", CVPR 2017.
    """

    card = MethodCard(
        name="Propagation",
        year=2019,
        family="ranking",
        title="Zero-shot learning - a comprehensive evaluation of the good, the bad and the ugly",
        authors="Xian, Lampert, Schiele, Akata",
        url="https://arxiv.org/abs/1707.00600",
        idea=(
            "Score test images with any method, then smooth over neighbours; with ALE: ALE-tran."
        ),
        formula=r"F = (I - \alpha L)^{-1} F_0,\quad L = Q^{-1/2} M Q^{-1/2},\quad"
        r" M_{ij} = e^{-d_{ij} / 2 \sigma^2}",
        requires="the unlabelled test images",
        stochastic=True,
        transductive=True,
    )
    param_grid: ClassVar = {"k": (5, 10, 20), "alpha": (0.2, 0.4, 0.6, 0.8, 0.9)}
    shared_grid_params = ("k", "sigma", "alpha")
    takes_base = True

    base: str = "ALE"
    base_params: Mapping[str, Any] | None = None
    k: int = 10
    sigma: float | None = None
    alpha: Share = 0.5
    random_state: int = 0

    def _fit(self, scoring: Scoring) -> Self:
        """Fit the base on seen classes, and build the graph of unlabelled images."""
        self.base_, self.seen_ = self._new_base().fit(scoring.X, scoring.y, scoring.S), scoring.S
        return self._build_graph(scoring.X_test)

    def inductive(self) -> ZSLEstimator:
        """Return the unfitted base."""
        return self._new_base()

    def with_inductive(self, params: Mapping[str, Any]) -> Self:
        """Return a copy with these parameters of its base."""
        return clone(self).set_params(base_params=dict(params))

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid, with one fit of the base, one graph per k and one solution per point."""
        self._check_candidate_count(scoring.candidates)
        model = clone(self)
        model.fit(
            scoring.X, scoring.y, scoring.S, unlabeled=scoring.X_test, candidates=scoring.candidates
        )
        F0 = model._initial_scores(scoring.X_test, scoring.candidates)
        graphs = {(model.k, model.sigma): model.graph_}
        for params in grid:
            point = clone(self).set_params(**params)
            key = (point.k, point.sigma)
            if key not in graphs:
                graphs[key] = NeighbourGraph(model.graph_.coordinates, *key)
            yield propagate(graphs[key].L, F0, point.alpha)

    def _new_base(self) -> ZSLEstimator:
        return with_seed(get_method(self.base)(**dict(self.base_params or {})), self.random_state)

    def _initial_scores(self, X: Features, S: np.ndarray) -> np.ndarray:
        return self.base_.decision_function(X, S)

    def _coordinates(self, X: Features) -> np.ndarray:
        if isinstance(self.base_, CompatibilityModel):
            return project(X, self.base_.V_)
        return self.base_.decision_function(X, self.seen_)

    def _check_params(self) -> None:
        super()._check_params()
        self._new_base()._check_params()
