"""DEVISE: a deep visual-semantic embedding model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from zslcore.methods._sgd import Draw, RankingModel, violators
from zslcore.methods.base import CompatibilityModel, MethodCard

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False, repr=False)
class DEVISE(RankingModel, CompatibilityModel):
    r"""Ranking loss that keeps each wrong class a margin below the true class.

    .. math::
        \min_V \; \frac{1}{N} \sum_n \sum_{c \ne y_n}
        \big[ \Delta + F(x_n, c) - F(x_n, y_n) \big]_+, \qquad F(x, c) = x^\top V s_c

    by stochastic gradient descent with early stopping [1]_. The benchmark [2]_ prints the margin as
    1 for the true class and 0 for the other classes; these two values are swapped by mistake.

    Parameters
    ----------
    learning_rate : rate for features and prototypes of unit length; see :class:`RankingModel`
    epochs : number of epochs, the only regularisation; chosen on the folds
    margin : float, default=1.0
        :math:`\Delta > 0`: 1 in the benchmark, 0.1 in the paper. Except for the random start,
        margin :math:`m` with rate :math:`m \eta` gives :math:`m` times the scores of margin 1 with
        rate :math:`\eta`, so a different margin only needs a different rate.
    violators : "all", "first" or "one", default="all"
        Wrong classes in a step: all that violate the margin, as in the formula; the first violator
        in a random order, as in the paper and in most public code; or one random wrong class,
        which counts if it violates the margin.
    batch_size : images per step; 1 in the paper
    average : return the mean of all iterates; the paper returns the last iterate
    random_state : seed of the initial matrix, the order of the images, and the random classes

    Attributes
    ----------
    V_ : ndarray of shape (n_features, n_attributes)

    References
    ----------
    .. [1] A. Frome et al., "DeViSE: a deep visual-semantic embedding model", NIPS 2013.
    .. [2] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019, eq. 4.
    """

    card = MethodCard(
        name="DEVISE",
        year=2013,
        family="ranking",
        title="DeViSE: a deep visual-semantic embedding model",
        authors="Frome, Corrado, Shlens, Bengio, Dean, Ranzato, Mikolov",
        url="https://papers.nips.cc/paper/5204-devise-a-deep-visual-semantic-embedding-model",
        idea="Every wrong class must score lower than the right one by a margin.",
        formula=r"\min_V \sum_n \sum_{c \ne y_n} [\Delta + F(x_n, c) - F(x_n, y_n)]_+,"
        r"\quad F(x, c) = x^\top V s_c",
        stochastic=True,
        extra="torch",
    )
    param_grid: ClassVar = {"learning_rate": (1.0, 10.0), "epochs": (1, 3, 10, 30)}

    violators: Literal["all", "first", "one"] = "all"

    def _weights(self, H: Tensor, is_true: Tensor, draw: Draw) -> Tensor:
        return violators(H > 0, is_true, self.violators, draw)
