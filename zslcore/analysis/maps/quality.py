r"""The quality of a map: what it preserves of the space it was made from.

- *trustworthiness* (neighbours on the map are neighbours in truth) and *continuity* (true
  neighbours stay neighbours), both from ranks, 1 being perfect and about 0.5 chance, on a fixed
  sample;
- *kNN recall*: share of the k nearest in the PCA that are among the k nearest on the map;
- *class accuracy*: mean per-class accuracy of the vote of the k nearest, in the PCA and on the map.
  Higher on the map than in the PCA: the map separates classes more than the features do.

References
----------
J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental
study", ICANN 2001. D. Kobak, P. Berens, Nature Communications 2019 (kNN recall).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter, map_coordinates
from sklearn.manifold import trustworthiness

from zslcore.analysis.maps.neighbours import Neighbours, neighbours
from zslcore.exceptions import ParameterError
from zslcore.metrics import mean_class_accuracy

#: Ranks need a matrix of all distances: 4,000 points are 128 MB of it.
RANKED = 4_000


@dataclass(frozen=True, slots=True)
class MapQuality:
    """What a map preserves; every number in [0, 1].

    Attributes
    ----------
    k : neighbours looked at
    ranked : points that ranks were taken from
    class_accuracy_pca, class_accuracy_map : mean per-class accuracy of the k nearest's vote
    """

    k: int
    ranked: int
    trustworthiness: float
    continuity: float
    knn_recall: float
    class_accuracy_pca: float
    class_accuracy_map: float

    def table(self) -> pd.DataFrame:
        """Return the numbers with the columns measure and value."""
        return pd.DataFrame(asdict(self).items(), columns=["measure", "value"])


def map_quality(
    Z: np.ndarray,
    Y: np.ndarray,
    labels: np.ndarray,
    graph: Neighbours | None = None,
    *,
    k: int = 15,
    threads: int = 1,
) -> MapQuality:
    """Measure a map.

    Parameters
    ----------
    Z : array of shape (n, n_components), the space it was made from
    Y : array of shape (n, 2), the map
    graph : Neighbours of ``Z`` with at least k columns, where there is one already
    k : made smaller where there are fewer than 2 k points
    """
    n = len(Z)
    k = min(k, (n - 1) // 2)
    if k < 1:
        raise ParameterError(f"A map of {n} images is too small to be measured.")
    graph = graph or neighbours(Z, k, threads=threads)
    high, low = graph.indices[:, :k], neighbours(Y, k, threads=threads).indices
    few = np.random.default_rng(0).permutation(n)[:RANKED]
    ranked_k = min(k, (len(few) - 1) // 2)
    return MapQuality(
        k=k,
        ranked=len(few),
        trustworthiness=float(trustworthiness(Z[few], Y[few], n_neighbors=ranked_k)),
        continuity=float(trustworthiness(Y[few], Z[few], n_neighbors=ranked_k)),
        knn_recall=knn_recall(high, low),
        class_accuracy_pca=mean_class_accuracy(labels, class_vote(high, labels)),
        class_accuracy_map=mean_class_accuracy(labels, class_vote(low, labels)),
    )


def knn_recall(reference: np.ndarray, found: np.ndarray) -> float:
    """Return the mean share of a row of ``reference`` that is in the same row of ``found``.

    Both have shape (n, k), and no number twice in a row.
    """
    return float(_shared(reference, found).mean() / reference.shape[1])


def preserved_neighbours(
    Z: np.ndarray, Y: np.ndarray, *, k: int = 15, threads: int = 1
) -> np.ndarray:
    """Return, for every point, the share of its k nearest that are among its k nearest on the map.

    ``Z`` (n, n_components) is the space the map ``Y`` (n, 2) was made from; k is made smaller where
    there are not as many points. The mean is the kNN recall.
    """
    k = min(k, len(Z) - 1)
    near = [neighbours(space, k, threads=threads).indices for space in (Z, Y)]
    return _shared(*near) / k


def _shared(reference: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return how many numbers a row of both has in common, shape (n,)."""
    shared = np.empty(len(reference), dtype=np.int64)
    for start in range(0, len(reference), 1 << 14):
        part = slice(start, start + (1 << 14))
        both = np.sort(np.hstack([reference[part], found[part]]), axis=1)
        shared[part] = (both[:, 1:] == both[:, :-1]).sum(axis=1)
    return shared


def class_vote(indices: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the class most neighbours have; of equals, that of the nearest.

    ``indices`` has shape (n, k), nearest first.
    """
    winner = np.empty(len(indices), dtype=labels.dtype)
    for start in range(0, len(indices), 1 << 14):
        part = slice(start, start + (1 << 14))
        votes = labels[indices[part]]
        agree = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
        winner[part] = np.take_along_axis(votes, agree.argmax(axis=1)[:, None], axis=1)[:, 0]
    return winner


def density(Y: np.ndarray, bins: int = 256, width: float = 2.0) -> np.ndarray:
    """Return how crowded the map is at every point, as a multiple of its mean over the points.

    Points are counted on a grid of ``bins`` x ``bins`` and smoothed by ``width`` cells.
    """
    low, high = Y.min(axis=0), Y.max(axis=0)
    cell = (Y - low) / np.maximum(high - low, 1e-12) * (bins - 1)
    count, _, _ = np.histogram2d(cell[:, 0], cell[:, 1], bins=bins, range=[(-0.5, bins - 0.5)] * 2)
    smooth = gaussian_filter(count, width, mode="constant")
    here = map_coordinates(smooth, cell.T, order=1, mode="nearest")
    return here / here.mean()
