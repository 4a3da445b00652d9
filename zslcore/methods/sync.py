"""SYNC: synthesized classifiers for zero-shot learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import softmax

from zslcore.features import Features, squared_distances
from zslcore.methods._hinge import HingePath
from zslcore.methods._linear import LinearPath, Loss, MulticlassHinge, SquaredHinge
from zslcore.methods._two_stage import TwoStageModel
from zslcore.methods.base import MethodCard
from zslcore.methods.score_map import ScoreMap, linear


@dataclass(eq=False, repr=False)
class SYNC(TwoStageModel):
    r"""Classifiers of any class, synthesised from classifiers of phantom classes near it.

    Classifiers :math:`w_c` are convex combinations of base classifiers :math:`v_r`, weighted by the
    nearness of the prototype :math:`s_c` to the prototype :math:`b_r` of a phantom class [1]_:

    .. math::
        w_c = \sum_r s_{cr} v_r, \qquad
        s_{cr} = \frac{\exp(-\lVert s_c - b_r \rVert^2 / \sigma^2)}
                      {\sum_q \exp(-\lVert s_c - b_q \rVert^2 / \sigma^2)}, \qquad
        F(x, c) = x^\top w_c

    .. math::
        \min_V \; \frac{1}{N} \sum_n \ell(x_n, y_n; W) + \frac{\lambda}{2} \lVert W \rVert_F^2

    with one of three losses:

    .. math::
        \ell_{ovo} = \frac{1}{C} \sum_c [1 - t_{nc} \, x_n^\top w_c]_+^2, \qquad
        \ell_{cs}, \, \ell_{struct} =
        \Big[\max_c \, \Delta_{y_n c} + x_n^\top w_c - x_n^\top w_{y_n}\Big]_+

    where :math:`t_{nc}` is 1 if image :math:`n` is of class :math:`c`, else -1, and
    :math:`\Delta_{yc}` is 1 (cs) or :math:`\lVert s_y - s_c \rVert` (struct) for :math:`c \ne y`.

    The phantoms are the seen classes, :math:`b_r = s_r`, as in the paper. Then :math:`[s_{cr}]` is
    square and invertible, so any :math:`W` is possible: :math:`W` is fitted first, independently of
    :math:`\sigma`, and :math:`V = [s_{cr}]^{+} W` is computed from it, as in the authors' later
    code.

    Parameters
    ----------
    lam : float, default=2**-13
        Ridge weight, :math:`\lambda > 0`. The authors try :math:`2^{-24} .. 2^{-9}`, the
        fairer-evaluation paper uses :math:`2^{-10}`. The losses differ in scale: ovo is a mean over
        classes, cs and struct are not.
    sigma : float, default=0.65
        Bandwidth of the nearness to a phantom, :math:`\sigma > 0`. The paper and this class divide
        by :math:`\sigma^2`; the authors' code multiplies by ``Sim_scale``, which is
        :math:`\sigma^{-2}`, with values :math:`2^{-5} .. 2^5`.
    loss : "ovo", "cs" or "struct", default="ovo"
        One-versus-rest, Crammer-Singer, or Crammer-Singer with distances between prototypes as
        margins, which are not squared, as in the authors' code.
    tol : float, default=1e-4
        Stop when no entry of the preconditioned gradient exceeds this share of its largest entry at
        :math:`W = 0`. For ovo, 0.01 takes a fifth of the time but changes accuracies on the
        simulated data by up to 10 points if the ridge is weak. For cs and struct, stop when the
        objective exceeds its minimum by at most this share of itself. These two losses are not
        smooth: L-BFGS, the authors' choice, stops above the minimum if the ridge is weak, on digits
        at four to six times the minimum for :math:`\lambda = 2^{-22}`. The solver of
        ``_hinge.py`` reaches the minimum, but a search on digits takes twice as long.

    Attributes
    ----------
    W_ : ndarray of shape (n_features, n_seen_classes), without intercept
    S_ : ndarray of shape (n_seen_classes, n_attributes), the phantoms

    Notes
    -----
    The paper also learns the prototypes of the phantoms, which makes the problem non-convex; the
    benchmark does not mention this, and it is not implemented here.

    The hinge losses of cs and struct need one class to stand out from all others at once. If
    features are too weak for that, such as PHOG on AWA1, the minimum of cs is hardly below the
    objective at :math:`W = 0`: by at most 0.84 % on the three folds.

    References
    ----------
    .. [1] S. Changpinyo, W.-L. Chao, B. Gong, F. Sha, "Synthesized classifiers for zero-shot
       learning", CVPR 2016.
    """

    card = MethodCard(
        name="SYNC",
        year=2016,
        family="hybrid",
        title="Synthesized classifiers for zero-shot learning",
        authors="Changpinyo, Chao, Gong, Sha",
        url="https://arxiv.org/abs/1603.00550",
        idea="Blend the classifiers of seen classes into one for any class, weighted by nearness.",
        formula=r"w_c = \sum_r s_{cr} v_r,\quad s_{cr} \propto"
        r" \exp(-\lVert s_c - b_r \rVert^2 / \sigma^2),\quad F(x, c) = x^\top w_c",
    )
    revision = 3  # revision 2 has a smaller tolerance, 3 other defaults
    # Revision 2 of cs and struct reaches the minimum.
    value_revisions: ClassVar = {("loss", "cs"): 2, ("loss", "struct"): 2}
    variants = ({"loss": "ovo"}, {"loss": "cs"}, {"loss": "struct"})
    param_grid: ClassVar = {
        "lam": tuple(2.0**k for k in (-10, -12, -14, -16, -18, -20, -22)),
        "sigma": tuple(2.0**k for k in (-2, -1.5, -1, -0.5, 0, 0.5, 1, 2)),
    }
    intercept = False
    shared_grid_params = ("lam", "sigma")
    regularizers: ClassVar = {"lam": "stronger"}

    lam: float = 2.0**-13
    sigma: float = 0.65
    loss: Literal["ovo", "cs", "struct"] = "ovo"
    tol: float = 1e-4

    def _loss(self, S: np.ndarray) -> Loss:
        if self.loss == "ovo":
            return SquaredHinge(len(S))
        if self.loss == "cs":
            return MulticlassHinge(1 - np.eye(len(S)))
        distance = np.sqrt(np.maximum(squared_distances(S, S), 0))
        np.fill_diagonal(distance, 0)
        return MulticlassHinge(distance)

    def _path(self, X: Features, y: np.ndarray, S: np.ndarray) -> LinearPath:
        kind = LinearPath if self.loss == "ovo" else HingePath
        return kind(X, y, len(S), self._loss(S), intercept=self.intercept, tol=self.tol)

    def _ridge(self, n_samples: int) -> float:
        return self.lam

    def _score(self, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
        # F = X V' s' with V = pinv(s_seen) W, so scores depend on X only through Z = X W.
        return Z @ self._classifier_weights(S).T

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return the outputs of the classifiers, and their weights for each candidate."""
        S = self._check_candidates(prototypes)
        return ScoreMap(linear, (self.W_,), self._classifier_weights(S))

    def _classifier_weights(self, S: np.ndarray) -> np.ndarray:
        """Return the weights of the seen classifiers for each class of ``S``."""
        return self._phantom_weights(S) @ np.linalg.pinv(self._phantom_weights(self.S_))

    def _phantom_weights(self, S: np.ndarray) -> np.ndarray:
        """Return the weights of the phantoms for each class of ``S``; rows sum to 1."""
        return softmax(-squared_distances(S, self.S_) / self.sigma**2, axis=1)
