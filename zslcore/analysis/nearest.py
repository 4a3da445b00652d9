"""The most similar classes of a class: by its description, and by its images."""

from __future__ import annotations

import numpy as np
import pandas as pd

from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import DatasetError
from zslcore.methods.statistics import ClassStatistics

__all__ = ["SPACES", "class_means", "nearest_classes"]

#: What is compared, in the order of the tables.
SPACES = ("prototypes", "mean features")


def class_means(dataset: ZSLDataset) -> np.ndarray:
    """Return the mean features of every class, (n_classes, n_features); NaN without images."""
    of = ClassStatistics.of(dataset.features, dataset.labels, dataset.n_classes)
    return np.where(of.counts[:, None] > 0, of.means, np.nan)


def nearest_classes(
    dataset: ZSLDataset, c: int, means: np.ndarray | None = None, *, n: int = 8
) -> pd.DataFrame:
    r"""Return the classes most like class ``c`` in both spaces, nearest first.

    Likeness is the cosine of the deviations of two classes from the average class,

    .. math:: \cos(s_c - \bar s, s_k - \bar s),

    since all classes share most of what they are; 1 is the same direction, 0 no relation.

    Parameters
    ----------
    dataset : ZSLDataset
    c : row of the prototypes
    means : from :func:`class_means`, if at hand
    n : how many of each space

    Returns
    -------
    DataFrame
        ``space`` (of ``SPACES``), ``rank`` from 1, ``number`` (row of the prototypes), ``class``
        and ``likeness``.

    Raises
    ------
    DatasetError
        When there is no such class.
    """
    if not 0 <= c < dataset.n_classes:
        raise DatasetError(f"{dataset.name}: expected a class below {dataset.n_classes}, got {c}.")
    means = class_means(dataset) if means is None else means
    rows = []
    for space, S in zip(SPACES, (dataset.prototypes, means), strict=True):
        likeness = _likeness(S, c)
        order = np.argsort(-likeness, kind="stable")
        order = order[np.isfinite(likeness[order]) & (order != c)][:n]
        rows += [
            (space, rank, int(k), dataset.class_names[k], float(likeness[k]))
            for rank, k in enumerate(order, start=1)
        ]
    return pd.DataFrame(rows, columns=["space", "rank", "number", "class", "likeness"])


def _likeness(S: np.ndarray, c: int) -> np.ndarray:
    """Return the centred cosine of every row with row ``c``; NaN where there is none."""
    known = np.isfinite(S).all(axis=1)
    centred = S - S[known].mean(axis=0) if known.any() else S
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return unit @ unit[c]
