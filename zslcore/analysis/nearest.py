"""Mean features of every class."""

from __future__ import annotations

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.methods.statistics import ClassStatistics


def class_means(dataset: ZSLDataset) -> np.ndarray:
    """Return the mean features of every class, (n_classes, n_features); NaN without images."""
    of = ClassStatistics.of(dataset.features, dataset.labels, dataset.n_classes)
    return np.where(of.counts[:, None] > 0, of.means, np.nan)
