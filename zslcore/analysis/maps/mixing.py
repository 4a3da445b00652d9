r"""Test whether two data sets show a class the same way: how mixed their images of it lie.

For image :math:`i` of class :math:`c`, of which the data sets have :math:`n_1` and :math:`n_2`
images, let :math:`m_i` of its k nearest images *of class c* come from the first data set, and
:math:`h` be the entropy of their labels:

.. math::
    \mathrm{mixing}_c = \frac{1}{n_c \, E_c} \sum_{i \in c} h\!\left(\frac{m_i}{k}\right), \qquad
    h(p) = -p \log p - (1 - p) \log (1 - p)

:math:`E_c` is the same mean when labels are dealt out at random among the images of the class: then
:math:`m_i` is hypergeometric, so that :math:`E_c` is exact and 1 means *no shift* whatever the
ratio of :math:`n_1` to :math:`n_2`; 0 means that no image has a neighbour from the other data set.
Neighbours of other classes do not count: data sets with other shares of classes would seem to
differ where none of their images does.

The p-value deals labels out at random too: the share of such deals that look no more mixed. With
many classes, Holm's adjustment is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from zslcore.analysis.maps.neighbours import neighbours
from zslcore.metrics.significance import holm

#: Fewest random deals; more where there are many classes, see :func:`mixing_scores`.
DEALS = 1_999
#: Adjusted p-value below which a shift is reported.
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
    """Score how mixed the two data sets are, class by class, in every space.

    Parameters
    ----------
    spaces : mapping from a name to an array of shape (n, any), the same images in all
    part : int array of shape (n,), 0 or 1
    k : neighbours; in small classes half of the other images, since all of them tell nothing
    seed : of the random deals; 40 for each class at least, so that Holm can reach 0.05

    Returns
    -------
    DataFrame
        One row per space and class: space, class, n_first, n_second, neighbours, mixing, p, p_holm
        (within the space). Classes with fewer than two images or in one data set only have none of
        the last three.
    """
    classes = np.unique(labels)
    deals = max(DEALS, 40 * len(classes) - 1)
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
                score, p = _score(indices, first, deals, rng)
            rows.append((space, class_names[c], n1, n2, near, score, p))
        tables.append(pd.DataFrame(rows, columns=_COLUMNS))
        known = tables[-1]["p"].notna()
        tables[-1].loc[known, "p_holm"] = holm(tables[-1].loc[known, "p"])
    return pd.concat(tables, ignore_index=True)


_COLUMNS = ["space", "class", "n_first", "n_second", "neighbours", "mixing", "p"]


def mixing_verdicts(table: pd.DataFrame, original: str, shown: str) -> pd.DataFrame:
    """Compare two spaces: whether the map shows, hides or invents a shift.

    Returns
    -------
    DataFrame
        One row per class: class, n_first, n_second, both scores and adjusted p-values (suffixed
        with the name of the space) and verdict: "shown", "hidden", "invented", "no shift".
    """
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


def _score(
    indices: np.ndarray, first: np.ndarray, deals: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mixing score of one class and its p-value."""
    k, n1, n2 = indices.shape[1], int(first.sum()), int((~first).sum())
    h = _entropy(np.arange(k + 1) / k)
    E = _expected(h, k, n1, n2)
    if not E:
        return np.nan, np.nan
    observed = h[first[indices].sum(axis=1)].mean()
    dealt = _dealt(indices, first, h, deals, rng)
    # Sums in another order differ in the last digits; equal deals must count as equal.
    p = (1 + (dealt <= observed * (1 + 1e-9)).sum()) / (1 + deals)
    return float(observed / E), float(p)


def _dealt(
    indices: np.ndarray, first: np.ndarray, h: np.ndarray, deals: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the mean entropy under random deals of the labels, an array of shape (deals,)."""
    means = []
    per_block = max(1, (1 << 22) // len(first))
    for start in range(0, deals, per_block):
        n = min(per_block, deals - start)
        dealt = rng.permuted(np.tile(first.astype(np.uint8)[:, None], n), axis=0)
        m = np.zeros_like(dealt)
        for column in indices.T:  # k columns, each a gather of whole rows
            m += dealt[column]
        means.append(h[m].mean(axis=0))
    return np.concatenate(means)


def _expected(h: np.ndarray, k: int, n1: int, n2: int) -> float:
    """Return the mean entropy when labels are dealt out at random; exact."""
    m, n = np.arange(k + 1), n1 + n2
    of_first = hypergeom.pmf(m, n - 1, n1 - 1, k) @ h if n1 else 0.0
    of_second = hypergeom.pmf(m, n - 1, n1, k) @ h if n2 else 0.0
    return float(n1 / n * of_first + n2 / n * of_second)


def _entropy(p: np.ndarray) -> np.ndarray:
    """Return the entropy of a coin, in nats; 0 for 0 and 1."""
    inner = np.clip(p, 1e-300, 1), np.clip(1 - p, 1e-300, 1)
    return -(p * np.log(inner[0]) + (1 - p) * np.log(inner[1]))
