"""IAP: indirect attribute prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import softmax

from zslcore.methods._linear import Softmax
from zslcore.methods.base import MethodCard
from zslcore.methods.dap import AttributeModel

#: Smallest distance of attribute probabilities from 0 and 1, so that no class is ruled out.
MIN_PROBABILITY = 1e-6


@dataclass(eq=False, repr=False)
class IAP(AttributeModel):
    r"""Attributes derived from predicted seen classes, compared with the attributes of classes.

    With :math:`p(k \mid x)` the posterior of a multinomial logistic regression over seen classes
    [1]_,

    .. math::
        p(a_m \mid x) = \sum_k p(a_m \mid k) \, p(k \mid x), \qquad
        F(x, c) = \sum_m \log \frac{p(a_m^c \mid x)}{p(a_m^c)}

    where :math:`p(a_m \mid k)` is 1 if class :math:`k` has the attribute, else 0. The prior is as
    in DAP.

    Parameters
    ----------
    C : float, default=10.0
        Inverse ridge weight of the classifiers, as in liblinear, :math:`C > 0`. The benchmark [2]_
        trains logistic regression and does not state C.
    threshold : "attribute" or "overall", see :class:`DAP`
    tol : float, see :class:`CONSE`

    Attributes
    ----------
    W_ : ndarray of shape (n_features + 1, n_seen_classes), last row for the constant feature
    S_ : ndarray of shape (n_seen_classes, n_attributes)

    Notes
    -----
    If all probable classes agree on an attribute, its probability is 0 or 1, and the logarithm
    would rule classes out. The paper does not mention this; here probabilities keep a distance of
    1e-6 from 0 and 1.

    References
    ----------
    .. [1] C. Lampert, H. Nickisch, S. Harmeling, "Attribute-based classification for zero-shot
       visual object categorization", TPAMI 2013.
    .. [2] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019.
    """

    card = MethodCard(
        name="IAP",
        year=2009,
        family="attribute",
        title="Attribute-based classification for zero-shot visual object categorization",
        authors="Lampert, Nickisch, Harmeling",
        url="https://doi.org/10.1109/TPAMI.2013.140",
        idea="Recognise seen classes, derive their attributes, then choose the matching class.",
        formula=r"p(a_m \mid x) = \sum_k p(a_m \mid k) \, p(k \mid x),\quad"
        r" F(x, c) = \sum_m \log p(a_m^c \mid x) - \log p(a_m^c)",
        requires="prototypes that state how much of each attribute a class has",
    )
    shared_classifier = "softmax"
    revision = 2  # the classifiers have a smaller tolerance
    param_grid: ClassVar = {"C": (10.0, 100.0, 1000.0)}

    C: float = 10.0
    threshold: Literal["attribute", "overall"] = "attribute"
    tol: float = 3e-4

    def _loss(self, S: np.ndarray) -> Softmax:
        return Softmax(len(S))

    def _score(self, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
        p = softmax(Z, axis=1) @ self._binarise(self.S_, self.S_)
        p = p.clip(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        return self._compare(np.log(p), np.log1p(-p), S)
