"""Prototype cosine: zero-shot classification in the joint space of an image-text encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.features import Features, chunks, compare, l2_rows
from zslcore.methods.base import MethodCard, ZSLEstimator
from zslcore.methods.score_map import ScoreMap, unit


@dataclass(eq=False, repr=False)
class PrototypeCosine(ZSLEstimator):
    r"""Cosine of image and prototype in the joint space of an encoder; nothing is learned.

    Image-text encoders are trained to map an image near its caption; the prototype of a class is
    the embedding of a sentence about it, or the mean of several embeddings [1]_.

    .. math:: F(x, c) = \frac{\cos(x, s_c)}{\tau}

    Parameters
    ----------
    temperature : float, default=0.01
        :math:`\tau > 0`. It scales all scores equally: predictions stay the same, and the gamma of
        calibrated stacking changes in proportion to the scores. CLIP learns a value of 0.01.

    Notes
    -----
    The pre-training captions of such an encoder include most classes, even the "unseen" ones; its
    accuracy measures transfer, not zero-shot learning in the sense of the benchmark [2]_.

    References
    ----------
    .. [1] A. Radford et al., "Learning transferable visual models from natural language
       supervision", ICML 2021.
    .. [2] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019.
    """

    card = MethodCard(
        name="PrototypeCosine",
        year=2021,
        family="modern",
        title="Learning transferable visual models from natural language supervision",
        authors="Radford et al.",
        url="https://arxiv.org/abs/2103.00020",
        idea="An image-text encoder maps images and classes to one space; take the nearest class.",
        formula=r"F(x, c) = \cos(x, s_c) / \tau",
        requires="features and prototypes in one space, as image-text encoders make them",
        joint_space=True,
    )
    param_grid: ClassVar = {}

    temperature: float = 0.01

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Check that features and prototypes share a space; nothing is learned."""
        self._check_training(X, y, prototypes)
        if self.n_features_in_ != self.n_attributes_in_:
            raise DatasetError(
                f"{self.card.name}: expected features and prototypes in one space; "
                f"got {self.n_features_in_} features and {self.n_attributes_in_} attributes."
            )
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the cosines divided by the temperature; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        out = np.empty((len(X), len(S)))
        for part, block in chunks(X):
            out[part] = compare(block, S, "cosine")
        return out / self.temperature

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return the cosines divided by the temperature; see :class:`ZSLEstimator`."""
        S = self._check_candidates(prototypes)
        return ScoreMap(unit, (), l2_rows(S) / self.temperature)
