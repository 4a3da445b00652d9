"""DSRL: zero-shot classification with discriminative semantic representation learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import solve

from zslcore.exceptions import DatasetError
from zslcore.features import Features, chunks, compare, project
from zslcore.methods.base import MethodCard, Scoring, Share
from zslcore.methods.propagation import PropagationModel
from zslcore.methods.statistics import ClassStatistics, ridge

#: Number of updates of the shares of images while the parts are fixed.
ROUNDS = 100
#: Lower bound of the initial parts and of divisors.
MIN_VALUE = 1e-12


@dataclass(eq=False, repr=False)
class DSRL(PropagationModel):
    r"""Non-negative factorisation of images into parts from which prototypes are predicted.

    Seen images :math:`X` and unlabelled images :math:`X_u` are factorised together, into parts
    :math:`B` with shares :math:`H` and :math:`H_u`; a linear map of the shares :math:`H`
    approximates the prototypes of seen images [1]_:

    .. math::
        \min_{H, H_u, B \ge 0, \, W} \;
        \lVert X - H B \rVert^2 + \lVert X_u - H_u B \rVert^2
        + \mu \lVert H W - S_y \rVert^2 + \lambda \lVert W \rVert^2

    An image with shares :math:`h` has the initial scores :math:`F_0(x, c) = \cos(W^\top h, s_c)`,
    which are propagated along a graph of the unlabelled images in the space of the prototypes:
    :math:`F = (I - \alpha L)^{-1} F_0`, see :class:`~zslcore.methods.propagation.Propagation`.

    Parameters
    ----------
    mu : weight of the alignment, :math:`\mu > 0`
    lam : ridge of the map, :math:`\lambda > 0`
    n_iter : rounds of the factorisation
    k, sigma, alpha : settings of the graph, see :class:`~zslcore.methods.propagation.Propagation`

    Attributes
    ----------
    B_ : ndarray of shape (n_seen_classes, n_features), the parts
    W_ : ndarray of shape (n_seen_classes, n_attributes)
        Map from shares of parts to prototypes, fitted on shares of seen images computed without
        labels.
    graph_, unlabeled_ : graph of the unlabelled images, and their features
    objective_ : list of float, the objective above after each round; it never rises

    Notes
    -----
    This follows the text of the benchmark [2]_, which gives neither the number of parts nor the
    weights. The parts start at the means of the seen classes, so there is no randomness. With
    :math:`B` fixed, the shares of an image are computed in the same way for unlabelled and for
    later images. In the factorisation, the shares :math:`H` of seen images also depend on their
    labels, which other images do not have: :math:`W` is therefore fitted again at the end, on
    shares of the seen images computed from :math:`B` alone. The discriminative term between classes
    in the paper is not in the benchmark and not implemented here.

    References
    ----------
    .. [1] M. Ye, Y. Guo, "Zero-shot classification with discriminative semantic representation
       learning", CVPR 2017.
    .. [2] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019, section 3.5.
    """

    card = MethodCard(
        name="DSRL",
        year=2017,
        family="latent",
        title="Zero-shot classification with discriminative semantic representation learning",
        authors="Ye, Guo",
        url="https://doi.org/10.1109/CVPR.2017.542",
        idea="Decompose images into non-negative parts from which prototypes are predicted.",
        formula=r"\min \lVert X - H B \rVert^2 + \lVert X_u - H_u B \rVert^2"
        r" + \mu \lVert H W - S_y \rVert^2 + \lambda \lVert W \rVert^2",
        requires="the unlabelled test images; features that are never negative",
        transductive=True,
    )
    revision = 2
    iterative = True
    param_grid: ClassVar = {"mu": (0.1, 1.0, 10.0), "alpha": (0.2, 0.5, 0.8)}

    mu: float = 1.0
    lam: float = 0.1
    n_iter: int = 30
    k: int = 10
    sigma: float | None = None
    alpha: Share = 0.5

    def _fit(self, scoring: Scoring) -> Self:
        """Factorise seen and unlabelled images, then build the graph of unlabelled images."""
        X, y, S, unlabeled, _ = scoring
        means = ClassStatistics.of(X, y, len(S))
        present = means.counts > 0
        self.B_ = np.maximum(means.sums[present] / means.counts[present, None], MIN_VALUE)
        self._factorise(X, S[y], unlabeled)
        self.W_ = self._map(self.encode(X), S[y])
        return self._build_graph(unlabeled)

    def encode(self, X: Features) -> np.ndarray:
        """Return the shares of the parts in each image, shape (n_samples, n_parts)."""
        XB, BB = project(X, self.B_.T), self.B_ @ self.B_.T
        H = np.full(XB.shape, 1 / len(BB))
        for _ in range(ROUNDS):
            H *= XB / np.maximum(H @ BB, MIN_VALUE)
        return H

    def _factorise(self, X: Features, S_y: np.ndarray, unlabeled: Features) -> None:
        """Update parts, shares and map in turn; each step lowers the objective."""
        total = sum(_sum_of_squares(part) for part in (X, unlabeled))
        H, H_u = self.encode(X), self.encode(unlabeled)
        self.W_ = self._map(H, S_y)
        self.objective_ = []
        for _ in range(self.n_iter):
            HX = _product(H, X) + _product(H_u, unlabeled)
            self.B_ *= HX / np.maximum((H.T @ H + H_u.T @ H_u) @ self.B_, MIN_VALUE)
            BB, XB, XB_u = self.B_ @ self.B_.T, project(X, self.B_.T), project(unlabeled, self.B_.T)
            H *= self._step(H, XB, BB, S_y)
            H_u *= XB_u / np.maximum(H_u @ BB, MIN_VALUE)
            self.W_ = self._map(H, S_y)
            fit = sum(((h @ BB - 2 * xb) * h).sum() for h, xb in ((H, XB), (H_u, XB_u)))
            alignment = ((H @ self.W_ - S_y) ** 2).sum()
            self.objective_.append(
                float(total + fit + self.mu * alignment + self.lam * (self.W_**2).sum())
            )

    def _step(self, H: np.ndarray, XB: np.ndarray, BB: np.ndarray, S_y: np.ndarray) -> np.ndarray:
        """Return the factors of H: roots of the negative over the positive part of the gradient."""
        SW, WW = S_y @ self.W_.T, self.W_ @ self.W_.T
        down = XB + self.mu * (np.maximum(SW, 0) + H @ np.maximum(-WW, 0))
        up = H @ BB + self.mu * (np.maximum(-SW, 0) + H @ np.maximum(WW, 0))
        return np.sqrt(down / np.maximum(up, MIN_VALUE))

    def _map(self, H: np.ndarray, S_y: np.ndarray) -> np.ndarray:
        return solve(ridge(self.mu * H.T @ H, self.lam), self.mu * H.T @ S_y, assume_a="pos")

    def _coordinates(self, X: Features) -> np.ndarray:
        return self.encode(X) @ self.W_

    def _initial_scores(self, X: Features, S: np.ndarray) -> np.ndarray:
        return compare(self._coordinates(X), S, "cosine")


def _sum_of_squares(X: Features) -> float:
    """Return the squared norm of ``X``; refuse negative values."""
    total = 0.0
    for _, block in chunks(X):
        if block.min() < 0:
            raise DatasetError(f"DSRL: expected non-negative features; got {block.min():.3g}.")
        total += float(np.vdot(block, block))
    return total


def _product(H: np.ndarray, X: Features) -> np.ndarray:
    """Return ``H' X``, reading ``X`` once."""
    out = np.zeros((H.shape[1], X.shape[1]))
    for part, block in chunks(X):
        out += H[part].T @ block
    return out
