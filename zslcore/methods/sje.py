"""SJE: structured joint embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zslcore.methods._sgd import Draw, RankingModel
from zslcore.methods.base import CompatibilityModel, MethodCard

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False, repr=False)
class SJE(RankingModel, CompatibilityModel):
    r"""Ranking loss with only the highest-scoring wrong class, as in a structured SVM.

    .. math::
        \min_V \; \frac{1}{N} \sum_n \Big[ \max_{c \ne y_n}
        \big( \Delta + F(x_n, c) \big) - F(x_n, y_n) \Big]_+, \qquad F(x, c) = x^\top V s_c

    by stochastic gradient descent with early stopping [1]_.

    Parameters
    ----------
    learning_rate : float, default=10.0
    epochs, batch_size, average, device, random_state : see :class:`DEVISE`
    margin : float, default=1.0
        :math:`\Delta > 0`: 1 in the paper, up to 4 in public code; only its ratio to the learning
        rate matters, as in DEVISE.

    Attributes
    ----------
    V_ : ndarray of shape (n_features, n_attributes)

    References
    ----------
    .. [1] Z. Akata, S. Reed, D. Walter, H. Lee, B. Schiele, "Evaluation of output embeddings for
       fine-grained image classification", CVPR 2015.
    """

    card = MethodCard(
        name="SJE",
        year=2015,
        family="ranking",
        title="Evaluation of output embeddings for fine-grained image classification",
        authors="Akata, Reed, Walter, Lee, Schiele",
        url="https://arxiv.org/abs/1409.8403",
        idea="The best wrong class must score lower than the right one by a margin.",
        formula=r"\min_V \sum_n \big[ \max_{c \ne y_n} (\Delta + F(x_n, c)) - F(x_n, y_n) \big]_+,"
        r"\quad F(x, c) = x^\top V s_c",
        stochastic=True,
        extra="torch",
    )
    param_grid: ClassVar = {"learning_rate": (3.0, 30.0), "epochs": (1, 3, 10, 30)}

    learning_rate: float = 10.0

    def _weights(self, H: Tensor, is_true: Tensor, draw: Draw) -> Tensor:
        worst, c = H.max(dim=1, keepdim=True)
        return H.new_zeros(H.shape).scatter_(1, c, (worst > 0).to(H.dtype))
