r"""Hubs: prototypes that are the answer to far more images than they should be.

For images :math:`i` and prototypes :math:`c`, the k-occurrence counts how often a prototype is
among the k best scored; here every *class* of images weighs the same, and 1 is what an even share
would be:

.. math::
    N_k(c) = \#\{ i : c \in \mathrm{top}_k(F_i) \}, \qquad
    o_k(c) = \frac{C}{k \, |\mathcal{Y}|} \sum_{y \in \mathcal{Y}} \frac{1}{n_y}
             \#\{ i \in y : c \in \mathrm{top}_k(F_i) \}

A long right tail, measured by the skewness :math:`S = \mathrm{E}[(o - \bar o)^3] / \sigma^3`, is
hubness [1]_. Regression towards the semantic space shrinks what it predicts and makes hubs of the
prototypes near the middle; regression towards the visual space does not [2]_, which is why the
calibration paper works there [3]_.

References
----------
.. [1] M. Radovanović, A. Nanopoulos, M. Ivanović, "Hubs in space: popular nearest neighbors in
   high-dimensional data", JMLR 2010, equation 1.
.. [2] Y. Shigeto et al., "Ridge regression, hubness, and zero-shot learning", ECML 2015.
.. [3] Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning:
   a simple adaptation process", MMM 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import skew

from zslcore.evaluation.protocol import ScoredTest
from zslcore.exceptions import ParameterError

__all__ = ["Hubness", "compare_hubness", "k_occurrence"]


@dataclass(frozen=True, slots=True, eq=False)
class Hubness:
    """How often every candidate is among the k best.

    Attributes
    ----------
    k : int
    count : int array of shape (n_candidates,), :math:`N_k`
    occurrence : array of shape (n_candidates,), :math:`o_k`, whose mean is 1
    """

    k: int
    count: np.ndarray
    occurrence: np.ndarray

    @property
    def skewness(self) -> float:
        """Skewness of ``occurrence``; 0 when all are equal up to rounding."""
        return float(skew(self.occurrence)) if np.ptp(self.occurrence) > 1e-9 else 0.0

    @property
    def unused(self) -> int:
        """Number of candidates that are never among the k best."""
        return int((self.count == 0).sum())


def k_occurrence(F: np.ndarray, y: np.ndarray, k: int = 1) -> Hubness:
    """Count how often every candidate is among the ``k`` best of an image.

    Parameters
    ----------
    F : array of shape (n_samples, n_candidates), larger is closer
    y : int array of shape (n_samples,), true classes, which weigh the same whatever their size
    k : int, fewer than there are candidates
    """
    C = F.shape[1]
    if not 1 <= k < C:
        raise ParameterError(f"k must be from 1 to {C - 1}, below the candidates; got {k}.")
    best = np.argpartition(-F, k - 1, axis=1)[:, :k]
    _, y, size = np.unique(y, return_inverse=True, return_counts=True)
    weight = np.repeat(1 / size[y], k)
    total = np.bincount(best.ravel(), weights=weight, minlength=C)
    count = np.bincount(best.ravel(), minlength=C)
    return Hubness(k=k, count=count, occurrence=total * C / (k * len(size)))


def compare_hubness(
    scored: Mapping[str, ScoredTest],
    class_names: Sequence[str],
    *,
    k: int = 1,
    unseen_only: bool = True,
) -> pd.DataFrame:
    """Compare the hubs of several methods on one test set.

    Parameters
    ----------
    scored : mapping from a method's name to its scores
    class_names : one name per row of the data set's prototypes
    k : int
    unseen_only : bool
        Unseen images among unseen prototypes (ZSL), or all among all (GZSL).

    Returns
    -------
    DataFrame
        One row per method and candidate: method, class, seen, count, occurrence (1 is an even
        share), right (share of the images of this class for which it is among the k best) and
        skewness (of the method). Classes without test images have no ``right``.
    """
    tables = []
    for name, scores in scored.items():
        F, y = scores.unseen_part if unseen_only else (scores.F, scores.y)
        candidates = np.flatnonzero(~scores.seen) if unseen_only else np.arange(len(scores.seen))
        hubs = k_occurrence(F, y, k)
        in_top = np.take_along_axis(F, y[:, None], 1) >= -np.partition(-F, k - 1, 1)[:, [k - 1]]
        images = np.bincount(y, minlength=F.shape[1])
        hits = np.bincount(y, weights=in_top[:, 0], minlength=F.shape[1])
        table = pd.DataFrame(
            {
                "method": name,
                "class": np.asarray(class_names)[scores.classes[candidates]],
                "seen": scores.seen[candidates],
                "count": hubs.count,
                "occurrence": hubs.occurrence,
                "right": np.where(images > 0, hits / np.maximum(images, 1), np.nan),
                "skewness": hubs.skewness,
            }
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
