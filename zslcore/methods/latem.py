"""LATEM: latent embeddings for zero-shot classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from zslcore.exceptions import ParameterError
from zslcore.features import Features, project
from zslcore.methods._sgd import Draw, RankingModel, violators
from zslcore.methods.base import MethodCard, Share
from zslcore.methods.score_map import ScoreMap

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False, repr=False)
class LATEM(RankingModel):
    r"""Maximum of several bilinear scores for each image and class.

    .. math::
        \min_{V_1 \dots V_K} \; \frac{1}{N} \sum_n \sum_{c \ne y_n}
        \big[ \Delta + F(x_n, c) - F(x_n, y_n) \big]_+,
        \qquad F(x, c) = \max_{1 \le k \le K} x^\top V_k s_c

    a piecewise linear score with the loss of DEVISE, which is the case :math:`K = 1` [1]_. A step
    updates the matrices with the highest scores for the true class and for wrong classes. The loss
    is not convex: the start matters more than for the linear methods.

    Parameters
    ----------
    n_matrices : :math:`K`; the paper tries 2 to 10
    learning_rate, margin, batch_size, average, device, random_state : see :class:`DEVISE`
    epochs : number of epochs, chosen on the folds; 150 in the paper, with one random class per step
    prune : float, default=0.0
        Every fifth epoch, drop each matrix that attains the maximum for the true class on less than
        this share of the training images, except for the matrix with the largest share. 0 keeps all
        matrices; the paper alternatively starts with 16 matrices and prunes below 0.05.
    violators : "all", "first" or "one", default="all"
        See :class:`DEVISE`: "all" is the sum in the formula, "first" the first violator in a random
        order, "one" a random class, as in the algorithm of the paper.

    Attributes
    ----------
    V_ : ndarray of shape (n_matrices, n_features, n_attributes), without pruned matrices

    References
    ----------
    .. [1] Y. Xian, Z. Akata, G. Sharma, Q. Nguyen, M. Hein, B. Schiele, "Latent embeddings for
       zero-shot classification", CVPR 2016.
    """

    card = MethodCard(
        name="LATEM",
        year=2016,
        family="ranking",
        title="Latent embeddings for zero-shot classification",
        authors="Xian, Akata, Sharma, Nguyen, Hein, Schiele",
        url="https://arxiv.org/abs/1603.08895",
        idea="Several bilinear scores; for each image and class, take the highest.",
        formula=r"\min \sum_n \sum_{c \ne y_n} [\Delta + F(x_n, c) - F(x_n, y_n)]_+,"
        r"\quad F(x, c) = \max_k x^\top V_k s_c",
        stochastic=True,
        extra="torch",
    )
    param_grid: ClassVar = {"n_matrices": (2, 4), "epochs": (1, 3, 10, 30)}

    n_matrices: int = 4
    prune: Share = 0.0
    violators: Literal["all", "first", "one"] = "all"

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the largest ``X V_k S'`` over k; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return project(X, self._codes(S)).reshape(len(X), len(self.V_), len(S)).max(axis=1)

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return :math:`f_k(x) = x V_k` and the prototypes; see :class:`ZSLEstimator`."""
        S = self._check_candidates(prototypes)
        return ScoreMap(_project_each, (self.V_,), S)

    def _codes(self, S: np.ndarray) -> np.ndarray:
        return np.hstack(list(self.V_ @ S.T))

    def _check_params(self) -> None:
        super()._check_params()
        if not 0 <= self.prune < 1:
            raise ParameterError(f"LATEM: prune must be at least 0 and below 1; got {self.prune}.")

    def _weights(self, H: Tensor, is_true: Tensor, draw: Draw) -> Tensor:
        return violators(H > 0, is_true, self.violators, draw)

    def _matrices(self) -> tuple[int, float]:
        return self.n_matrices, self.prune

    def _store_learned(self, V: np.ndarray) -> None:
        self.V_ = V


def _project_each(x: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return x V_k for each k, shape (n, n_matrices, n_attributes)."""
    return (x @ np.hstack(list(V))).reshape(len(x), len(V), -1)
