"""Quality of a map: preservation of neighbourhoods and classes, and mixing of data sets.

- *trustworthiness* (neighbours on the map are neighbours in the PCA) and *continuity* (neighbours
  in the PCA are neighbours on the map), from ranks on a fixed sample; 1 is perfect, and a
  random map has about 0.5;
- *kNN recall*: share of the k nearest neighbours in the PCA that are also among the k nearest on
  the map;
- *class accuracy*: mean per-class accuracy of a vote of the k nearest neighbours. If it is higher
  on the map than in the PCA, the map separates classes more than the features do;
- *mixing*: whether the images of a class have the same distribution in two data sets; see
  :func:`mixing_scores`.

References
----------
J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental
study", ICANN 2001. D. Kobak, P. Berens, Nature Communications 2019 (kNN recall).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter, map_coordinates
from scipy.stats import hypergeom
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import ThreadpoolController

from zslcore.exceptions import ParameterError
from zslcore.metrics import mean_class_accuracy
from zslcore.metrics.significance import holm

#: Maximum number of points for ranks, which need a matrix of all distances: 128 MB for 4,000
#: points.
MAX_RANKED = 4_000


@dataclass(frozen=True, slots=True)
class MapQuality:
    """Measures of a map; ``ranked`` is the number of points in the sample for ranks."""

    k: int
    ranked: int
    trustworthiness: float
    continuity: float
    knn_recall: float
    class_accuracy_pca: float
    class_accuracy_map: float

    def table(self) -> pd.DataFrame:
        """Return the measures as a table with the columns ``measure`` and ``value``."""
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
    """Measure the quality of a map.

    Parameters
    ----------
    Z : array of shape (n, n_components), PCA coordinates
    Y : array of shape (n, 2), map coordinates
    graph : neighbours in ``Z`` with at least k columns, if already computed
    k : number of neighbours, reduced for fewer than 2 k + 1 points
    """
    n = len(Z)
    k = min(k, (n - 1) // 2)
    if k < 1:
        raise ParameterError(f"A map of {n} images is too small to be measured.")
    graph = graph or neighbours(Z, k, threads=threads)
    high, low = graph.indices[:, :k], neighbours(Y, k, threads=threads).indices
    sample = np.random.default_rng(0).permutation(n)[:MAX_RANKED]
    ranked_k = min(k, (len(sample) - 1) // 2)
    return MapQuality(
        k=k,
        ranked=len(sample),
        trustworthiness=float(trustworthiness(Z[sample], Y[sample], n_neighbors=ranked_k)),
        continuity=float(trustworthiness(Y[sample], Z[sample], n_neighbors=ranked_k)),
        knn_recall=knn_recall(high, low),
        class_accuracy_pca=mean_class_accuracy(labels, class_vote(high, labels)),
        class_accuracy_map=mean_class_accuracy(labels, class_vote(low, labels)),
    )


def knn_recall(reference: np.ndarray, nearest: np.ndarray) -> float:
    """Return the share of entries of ``reference`` (n, k) that ``nearest`` has in the same row."""
    return float(_count_shared(reference, nearest).mean() / reference.shape[1])


def preserved_neighbours(Z: np.ndarray, Y: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """Return for each point the share of its 15 neighbours in ``Z`` that are neighbours in ``Y``.

    The mean is the kNN recall; with too few points, there are fewer neighbours.
    """
    k = min(15, len(Z) - 1)
    near = [neighbours(space, k, threads=threads).indices for space in (Z, Y)]
    return _count_shared(*near) / k


def _count_shared(reference: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Return the number of common entries in each row of two arrays, shape (n,)."""
    shared = np.empty(len(reference), dtype=np.int64)
    for start in range(0, len(reference), 1 << 14):
        part = slice(start, start + (1 << 14))
        both = np.sort(np.hstack([reference[part], neighbors[part]]), axis=1)
        shared[part] = (both[:, 1:] == both[:, :-1]).sum(axis=1)
    return shared


def class_vote(indices: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the most frequent class of neighbours (n, k); in a tie, the nearest class."""
    winner = np.empty(len(indices), dtype=labels.dtype)
    for start in range(0, len(indices), 1 << 14):
        part = slice(start, start + (1 << 14))
        votes = labels[indices[part]]
        agree = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
        winner[part] = np.take_along_axis(votes, agree.argmax(axis=1)[:, None], axis=1)[:, 0]
    return winner


def density(Y: np.ndarray, bins: int = 256, width: float = 2.0) -> np.ndarray:
    """Return the density of the map at each point, relative to the mean over points.

    Points are counted on a grid of ``bins`` x ``bins`` and smoothed by ``width`` cells.
    """
    low, high = Y.min(axis=0), Y.max(axis=0)
    cell = (Y - low) / np.maximum(high - low, 1e-12) * (bins - 1)
    count, _, _ = np.histogram2d(cell[:, 0], cell[:, 1], bins=bins, range=[(-0.5, bins - 0.5)] * 2)
    smooth = gaussian_filter(count, width, mode="constant")
    at_points = map_coordinates(smooth, cell.T, order=1, mode="nearest")
    return at_points / at_points.mean()


#: Maximum number of points for which one thread is faster than two.
MAX_ONE_THREAD = 5_000


@cache
def _controller() -> ThreadpoolController:
    """Return the thread controller, cached: creating it takes as long as a small search."""
    return ThreadpoolController()


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The k nearest neighbours of each point, without itself, nearest first; shape (n, k)."""

    indices: np.ndarray
    distances: np.ndarray


def neighbours(Z: np.ndarray, k: int, *, threads: int = 1) -> Neighbours:
    """Return the ``k`` nearest rows of each row of ``Z``, exactly.

    With up to three columns, a tree is faster than brute force. For 67,797 x 50 the exact search
    takes 14 s on two cores; the approximate search of pynndescent takes 17 s, after 43 s of
    compilation.
    """
    if k >= len(Z):
        raise ParameterError(f"{k} neighbours need more than {k} images; got {len(Z)}.")
    algorithm = "kd_tree" if Z.shape[1] <= 3 else "brute"
    search = NearestNeighbors(n_neighbors=k, algorithm=algorithm)
    with _controller().limit(limits=threads if len(Z) > MAX_ONE_THREAD else 1):
        distances, indices = search.fit(Z).kneighbors()
    return Neighbours(indices.astype(np.int32), distances.astype(np.float32))


# --- Mixing of two data sets ----------------------------------------------------------------------


#: Minimum number of permutations; there are more for many classes, see :func:`mixing_scores`.
PERMUTATIONS = 1_999
#: Level of the adjusted p-value below which a shift is reported.
ALPHA = 0.05


def mixing_scores(
    spaces: Mapping[str, np.ndarray],
    part: np.ndarray,
    labels: np.ndarray,
    class_names: Sequence[str],
    *,
    k: int = 15,
    seed: int = 0,
    threads: int = 1,
) -> pd.DataFrame:
    r"""Score the mixing of two data sets, by class and space.

    Let the data sets have :math:`n_1` and :math:`n_2` images of class :math:`c`, :math:`n_c` in
    total. For an image :math:`i` of this class, search the k nearest neighbours *within the class*.
    Let :math:`m_i` be the number of neighbours from the first data set, and :math:`h` the entropy
    of the share :math:`m_i / k`:

    .. math::
        \mathrm{mixing}_c = \frac{1}{n_c \, E_c} \sum_{i \in c} h\!\left(\frac{m_i}{k}\right),
        \qquad
        h(p) = -p \log p - (1 - p) \log (1 - p)

    :math:`E_c` is the expected mean entropy if the data-set labels are permuted among the images of
    the class. Then :math:`m_i` is hypergeometric, so :math:`E_c` is exact. A score of 1 means *no
    shift* for any ratio of :math:`n_1` to :math:`n_2`; 0 means that no image has a neighbour from
    the other data set. Neighbours of other classes do not count: otherwise data sets with different
    class frequencies would seem to differ even if their images do not. The p-value is the share of
    permutations with at most the observed entropy.

    Parameters
    ----------
    spaces : name -> array of shape (n, any), all with the same images
    part : int array of shape (n,), the data set of each image, 0 or 1
    k : number of neighbours; in small classes at most half of the other images, since with all
        other images as neighbours every class would score 1
    seed : seed of the permutations; with C classes, there are max(1999, 40 C - 1) for each class,
        so that p-values adjusted by Holm can reach 0.05

    Returns
    -------
    DataFrame
        One row per space and class; ``p_holm`` is adjusted within the space. ``mixing`` and ``p``
        are NaN for classes with fewer than two images, or in only one data set.
    """
    classes = np.unique(labels)
    n_permutations = max(PERMUTATIONS, 40 * len(classes) - 1)
    tables = []
    for space, P in spaces.items():
        rng = np.random.default_rng(seed)
        rows = []
        for c in classes:
            rows_of_c = np.flatnonzero(labels == c)
            first = part[rows_of_c] == 0
            n1, n2 = int(first.sum()), int((~first).sum())
            near = min(k, max((n1 + n2 - 1) // 2, 1))
            score, p = np.nan, np.nan
            if n1 and n2:
                indices = neighbours(P[rows_of_c], near, threads=threads).indices
                score, p = _mixing_score(indices, first, n_permutations, rng)
            rows.append((space, class_names[c], n1, n2, near, score, p))
        tables.append(pd.DataFrame(rows, columns=_COLUMNS))
        tested = tables[-1]["p"].notna()
        tables[-1].loc[tested, "p_holm"] = holm(tables[-1].loc[tested, "p"])
    return pd.concat(tables, ignore_index=True)


_COLUMNS = ["space", "class", "n_first", "n_second", "neighbours", "mixing", "p"]


def mixing_verdicts(table: pd.DataFrame, original: str, shown: str) -> pd.DataFrame:
    """Compare two spaces by class: whether the map shows, hides or invents a shift."""
    left, right = (table[table["space"] == name] for name in (original, shown))
    columns = ["class", "mixing", "p_holm"]
    both = left[["n_first", "n_second", *columns]].merge(
        right[columns], on="class", suffixes=(f"_{original}", f"_{shown}"), validate="1:1"
    )
    shift = [both[f"p_holm_{name}"] < ALPHA for name in (original, shown)]
    both["verdict"] = np.select(
        [shift[0] & shift[1], shift[0], shift[1]], ["shown", "hidden", "invented"], "no shift"
    )
    return both


def _mixing_score(
    indices: np.ndarray, first: np.ndarray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mixing score of one class, and its p-value."""
    k, n1, n2 = indices.shape[1], int(first.sum()), int((~first).sum())
    h = _entropy(np.arange(k + 1) / k)
    E = _expected_entropy(h, k, n1, n2)
    if not E:
        return np.nan, np.nan
    observed = h[first[indices].sum(axis=1)].mean()
    permuted = _permuted_entropy(indices, first, h, n_permutations, rng)
    # The tolerance is for rounding: sums in another order differ in the last digits.
    p = (1 + (permuted <= observed * (1 + 1e-9)).sum()) / (1 + n_permutations)
    return float(observed / E), float(p)


def _permuted_entropy(
    indices: np.ndarray,
    first: np.ndarray,
    h: np.ndarray,
    n_permutations: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the mean entropy under random permutations of the labels, shape (n_permutations,)."""
    means = []
    per_block = max(1, (1 << 22) // len(first))
    for start in range(0, n_permutations, per_block):
        n = min(per_block, n_permutations - start)
        permuted = rng.permuted(np.tile(first.astype(np.uint8)[:, None], n), axis=0)
        m = np.zeros_like(permuted)
        for column in indices.T:  # faster than indexing all columns at once
            m += permuted[column]
        means.append(h[m].mean(axis=0))
    return np.concatenate(means)


def _expected_entropy(h: np.ndarray, k: int, n1: int, n2: int) -> float:
    """Return the exact expected entropy under random permutations of the labels."""
    m, n = np.arange(k + 1), n1 + n2
    first_entropy = hypergeom.pmf(m, n - 1, n1 - 1, k) @ h if n1 else 0.0
    second_entropy = hypergeom.pmf(m, n - 1, n1, k) @ h if n2 else 0.0
    return float(n1 / n * first_entropy + n2 / n * second_entropy)


def _entropy(p: np.ndarray) -> np.ndarray:
    """Return the binary entropy of ``p`` in nats; 0 for p = 0 and 1."""
    inner = np.clip(p, 1e-300, 1), np.clip(1 - p, 1e-300, 1)
    return -(p * np.log(inner[0]) + (1 - p) * np.log(inner[1]))
