"""ALE: attribute label embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from zslcore.methods._sgd import Draw, RankingModel, first_violator
from zslcore.methods.base import CompatibilityModel, MethodCard

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False, repr=False)
class ALE(RankingModel, CompatibilityModel):
    r"""Ranking loss of DEVISE with larger weights at the top of the ranking.

    .. math::
        \min_V \; \frac{1}{N} \sum_n \frac{l_{r_n}}{r_n} \sum_{c \ne y_n}
        \big[ \Delta + F(x_n, c) - F(x_n, y_n) \big]_+, \qquad l_k = \sum_{i=1}^k \alpha_i

    with :math:`F(x, c) = x^\top V s_c` and :math:`r_n` the number of wrong classes that violate
    the margin [1]_. :math:`\alpha_i = 1 / i` emphasises the top of the ranking; with
    :math:`\alpha_i = 1` all violators have equal weight, which is DEVISE. Descent treats the weight
    as constant, since its derivative is zero wherever it exists.

    Parameters
    ----------
    learning_rate : float, default=10.0
    epochs, margin, batch_size, average, device, random_state : see :class:`DEVISE`
    alpha : "1/i" or "1", default="1/i"
    rank : "exact" or "sampled", default="exact"
        "exact" counts the violators, as in the formula. "sampled" is WARP, as in the paper: wrong
        classes are drawn in random order until one violates the margin, at draw :math:`k`; only
        this class enters the loss, with weight :math:`l_r`, :math:`r = \lfloor (C - 1) / k
        \rfloor`. Public implementations use sampling, some with replacement; here it is without
        replacement.

    Attributes
    ----------
    V_ : ndarray of shape (n_features, n_attributes)

    References
    ----------
    .. [1] Z. Akata, F. Perronnin, Z. Harchaoui, C. Schmid, "Label-embedding for image
       classification", TPAMI 2016.
    """

    card = MethodCard(
        name="ALE",
        year=2016,
        family="ranking",
        title="Label-embedding for image classification",
        authors="Akata, Perronnin, Harchaoui, Schmid",
        url="https://arxiv.org/abs/1503.08677",
        idea="Wrong classes stay a margin below the right one; the top of the ranking weighs most.",
        formula=r"\min_V \sum_n \tfrac{l_{r_n}}{r_n} \sum_{c \ne y_n}"
        r" [\Delta + F(x_n, c) - F(x_n, y_n)]_+,\quad F(x, c) = x^\top V s_c",
        stochastic=True,
        extra="torch",
    )
    param_grid: ClassVar = {"learning_rate": (3.0, 30.0), "epochs": (1, 3, 10, 30)}

    learning_rate: float = 10.0
    alpha: Literal["1/i", "1"] = "1/i"
    rank: Literal["exact", "sampled"] = "exact"

    def _weights(self, H: Tensor, is_true: Tensor, draw: Draw) -> Tensor:
        C = H.shape[1]
        i = np.arange(1, C)
        alpha = 1 / i if self.alpha == "1/i" else np.ones(C - 1)
        l = H.new_tensor(np.append(0, np.cumsum(alpha)))  # noqa: E741 - the paper's letter
        violates = H > 0
        if self.rank == "exact":
            r = violates.sum(dim=1, keepdim=True)
            return violates * (l[r] / r.clamp(min=1))
        violator, k = first_violator(violates, is_true, draw)
        return violator * l[(C - 1) // k.clamp(min=1)]
