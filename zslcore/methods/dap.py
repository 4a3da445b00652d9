"""DAP: direct attribute prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import log_expit

from zslcore.features import Features
from zslcore.methods._linear import Logistic
from zslcore.methods._logistic import LogisticPath
from zslcore.methods._two_stage import TwoStageModel
from zslcore.methods.base import MethodCard


class AttributeModel(TwoStageModel):
    r"""Base of DAP and IAP, which score classes by the probability of their attributes.

    .. math:: F(x, c) = \sum_m \log p(a_m = a_m^c \mid x) - \log p(a_m = a_m^c)
    """

    shared_grid_params = ("C",)
    regularizers: ClassVar = {"C": "weaker"}

    def _binarise(self, S: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """Return whether each attribute of ``S`` exceeds the mean of the ``seen`` prototypes."""
        return seen.mean(axis=0 if self.threshold == "attribute" else None) < S

    def _compare(self, log_p: np.ndarray, log_q: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return F from the log probabilities that an image has (p) or lacks (q) each attribute."""
        prior = self._binarise(self.S_, self.S_).mean(axis=0)
        prior = np.where((prior == 0) | (prior == 1), 0.5, prior)
        present, absent = log_p - np.log(prior), log_q - np.log1p(-prior)
        A = self._binarise(S, self.S_).astype(float)
        return (present - absent) @ A.T + absent.sum(axis=1, keepdims=True)


@dataclass(eq=False, repr=False)
class DAP(AttributeModel):
    r"""Attributes predicted from the image, compared with the attributes of classes.

    One logistic regression per attribute gives :math:`p(a_m \mid x)` [1]_; attributes are assumed
    to be independent given the image:

    .. math::
        F(x, c) = \sum_m \log \frac{p(a_m^c \mid x)}{p(a_m^c)}, \qquad
        p(a_m = 1 \mid x) = \frac{1}{1 + e^{-w_m^\top x}}

    The prior :math:`p(a_m = 1)` is the share of seen classes with the attribute; a prior of 0 or 1
    is replaced by 0.5, as in the authors' code.

    Parameters
    ----------
    C : float, default=1.0
        Inverse ridge weight of the classifiers, as in liblinear, :math:`C > 0`. The paper trains
        kernel SVMs with Platt scaling on hand-crafted features; the benchmark [2]_ trains logistic
        regression and does not state C.
    threshold : "attribute" or "overall", default="attribute"
        A class has an attribute if its value exceeds the mean over seen classes: the mean of this
        attribute, or the mean of all attributes together, as for the binary matrix of the authors
        of AWA. The benchmark does not state its choice.
    tol : float, default=1e-4
        Stop the fit of an attribute when its gradient is below this share of the largest gradient
        at zero weights. 0.001 takes half the time and changes the accuracy on a fold of CUB by 0.5
        points.

    Attributes
    ----------
    W_ : ndarray of shape (n_features + 1, n_attributes), last row for the constant feature
    S_ : ndarray of shape (n_seen_classes, n_attributes)

    References
    ----------
    .. [1] C. Lampert, H. Nickisch, S. Harmeling, "Attribute-based classification for zero-shot
       visual object categorization", TPAMI 2013.
    .. [2] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019.
    """

    card = MethodCard(
        name="DAP",
        year=2009,
        family="attribute",
        title="Attribute-based classification for zero-shot visual object categorization",
        authors="Lampert, Nickisch, Harmeling",
        url="https://doi.org/10.1109/TPAMI.2013.140",
        idea="Predict each attribute from the image, then choose the class with these attributes.",
        formula=r"F(x, c) = \sum_m \log p(a_m^c \mid x) - \log p(a_m^c)",
        requires="prototypes that state how much of each attribute a class has",
    )
    revision = 3  # 2 has a smaller tolerance; 3 a still smaller one, and fits attributes together
    param_grid: ClassVar = {"C": (0.1, 1.0, 10.0, 100.0)}

    C: float = 1.0
    threshold: Literal["attribute", "overall"] = "attribute"
    tol: float = 1e-4

    def _loss(self, S: np.ndarray) -> Logistic:
        return Logistic(self._binarise(S, S))

    def _path(self, X: Features, y: np.ndarray, S: np.ndarray) -> LogisticPath:
        return LogisticPath(X, y, len(S), self._loss(S), intercept=self.intercept, tol=self.tol)

    def _score(self, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
        return self._compare(log_expit(Z), log_expit(-Z), S)
