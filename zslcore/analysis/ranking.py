r"""Ranks of methods, with their intervals and tests.

Methods are ranked on *occasions*, such as data sets, or folds on which parameters are chosen. Rank
1 is the best; tied methods share their mean rank. For n occasions and k methods with mean ranks
:math:`\bar r_j`:

.. math::
    \chi^2_F = \frac{12 n}{k (k + 1)} \sum_j \left( \bar r_j - \frac{k + 1}{2} \right)^2,
    \qquad CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 n}}

Friedman's statistic (shown without the correction for ties, which SciPy includes) tests the
hypothesis that all methods are equal. Two methods do not differ significantly if their mean ranks
are closer than Nemenyi's critical difference CD, where :math:`q_\alpha \sqrt 2` is a quantile of
the studentized range of k values.

The interval of a rank is found by counting the methods that are significantly better, and those
that are significantly worse. Significance is tested on resampled test classes, with the same draws
for all methods. Let x be the metrics on one occasion, :math:`x^*` the resampled metrics, and
:math:`s_{ij}` the standard deviation of :math:`x^*_i - x^*_j`. For method j,

.. math::
    c_j: \; P^* \left( \max_i \frac{|(x^*_i - x^*_j) - (x_i - x_j)|}{s_{ij}} \le c_j \right) = 1 -
    \alpha, \qquad 1 + \# \{ i: x_i - x_j > c_j s_{ij} \} \; \le \; r_j \; \le \;
    k - \# \{ i: x_j - x_i > c_j s_{ij} \}

Unlike percentiles of resampled ranks, the interval covers the true rank even of close methods.

References
----------
J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006. Y. Xian,
C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the good, the
bad and the ugly", TPAMI 2019, figures 4 and 7. E. Fieller, H. Hartley, E. Pearson, "Tests for rank
correlation coefficients I", Biometrika 1957. M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm,
"Inference for ranks with applications to mobility across neighbourhoods and academic achievement
across countries", Review of Economic Studies 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import friedmanchisquare, kendalltau, norm, rankdata, studentized_range

from zslcore.exceptions import DatasetError
from zslcore.metrics.significance import DIGITS, LEVEL, TAIL

#: Number of permutations for the p-value of Friedman's statistic.
N_PERMUTATIONS = 4999


def method_ranks(values: ArrayLike) -> np.ndarray:
    """Rank methods (last axis), largest value first; ties (to 12 digits) share their mean rank."""
    return rankdata(-np.round(np.asarray(values, dtype=np.float64), DIGITS), axis=-1)


def rank_matrix(values: np.ndarray) -> np.ndarray:
    """Count how often each method (row) has each rank (column).

    ``values`` has shape (n_occasions, n_methods). Each of m tied methods gets 1/m of each of their
    m ranks.
    """
    _check(values)
    n_methods = values.shape[1]
    negative = -np.round(values, DIGITS)
    first = rankdata(negative, method="min", axis=1).astype(int) - 1
    last = rankdata(negative, method="max", axis=1).astype(int) - 1
    ranks = np.arange(n_methods)
    inside = (ranks >= first[..., None]) & (ranks <= last[..., None])
    return (inside / (last - first + 1)[..., None]).sum(axis=0)


# --- Intervals of ranks ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Mean ranks over occasions, with intervals from resampled test classes.

    ``low``, ``high`` and ``first`` are NaN if there are no draws, or if a drawn value is missing.
    ``first`` is the share of draws in which the method has the best mean rank; tied methods share
    the draw.
    """

    mean_rank: np.ndarray
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray


def ranking(values: np.ndarray) -> Ranking:
    """Rank methods over occasions, and over draws of test classes.

    ``values`` has shape (1 + n_draws, n_occasions, n_methods), starting with the measured values.
    The bounds of a mean rank are the means of the bounds on the n occasions. Each interval on one
    occasion has the level 1 - 0.05 / n (Bonferroni), so that all n hold jointly.
    """
    if values.ndim != 3 or not values.size:
        raise DatasetError(
            "Ranks: expected values of shape (draws, occasions, methods), at least one of each; "
            f"got shape {values.shape}."
        )
    of_draws = method_ranks(values).mean(axis=1)
    drawn, n = of_draws[1:], values.shape[1]
    if not np.isfinite(values[1:]).all() or not len(drawn):
        unknown = np.full(values.shape[2], np.nan)
        return Ranking(of_draws[0], unknown, unknown, unknown)
    of_occasions = [rank_bounds(values[:, k], 1 - (1 - LEVEL) / n) for k in range(n)]
    low, high = np.mean(of_occasions, axis=0)
    is_first = np.isclose(drawn, drawn.min(axis=1, keepdims=True))
    first = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    return Ranking(of_draws[0], low, high, first)


def rank_bounds(
    values: np.ndarray, level: float = LEVEL, wider: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper bounds of the rank of each method on one occasion.

    ``values`` has shape (1 + n_draws, n_methods), starting with the measured values; ``level`` is
    the nominal coverage of each interval; ``wider`` multiplies :math:`c_j` (for few classes, see
    :func:`zslcore.metrics.significance.widening`).
    """
    k = values.shape[1]
    lowest, highest = np.empty(k), np.empty(k)
    for j in range(k):
        d = values - values[:, [j]]
        deviation = np.abs(d[1:] - d[0])
        s = d[1:].std(axis=0)
        c = wider * np.quantile((deviation / np.where(s > 0, s, 1)).max(axis=1), level)
        lowest[j] = 1 + np.count_nonzero(d[0] > c * s)
        highest[j] = k - np.count_nonzero(-d[0] > c * s)
    return lowest, highest


# --- Tests ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankingTest:
    """Friedman's test of equal ranks.

    ``statistic`` is Friedman's chi-square, corrected for ties; NaN if all methods tie on every
    occasion. ``p`` is from permutations of the methods within each occasion, and valid for any
    number of occasions.
    """

    occasions: int
    methods: int
    statistic: float
    p: float
    critical_difference: float


def friedman_test(values: np.ndarray, seed: int = 0) -> RankingTest:
    """Test for equal ranks of methods; ``values`` is (n_occasions >= 2, n_methods >= 3)."""
    _check(values, at_least=(2, 3))
    n, k = values.shape
    ranks = method_ranks(values)
    statistic = np.nan
    if (np.ptp(ranks, axis=1) > 0).any():
        statistic = float(friedmanchisquare(*ranks.T).statistic)
    rng = np.random.default_rng(seed)
    permuted = rng.permuted(np.broadcast_to(ranks, (N_PERMUTATIONS, n, k)), axis=-1)
    as_large = _spread(permuted) >= _spread(ranks) * (1 - 1e-12)
    return RankingTest(
        occasions=n,
        methods=k,
        statistic=statistic,
        p=float((1 + as_large.sum()) / (1 + N_PERMUTATIONS)),
        critical_difference=critical_difference(n, k),
    )


def _spread(ranks: np.ndarray) -> np.ndarray:
    """Return the sum of squared centred rank sums.

    It is the only part of Friedman's statistic that changes with permutations.
    """
    n, k = ranks.shape[-2:]
    return ((ranks.sum(axis=-2) - n * (k + 1) / 2) ** 2).sum(axis=-1)


def critical_difference(n_occasions: int, n_methods: int) -> float:
    """Return Nemenyi's critical difference between two mean ranks.

    Examples
    --------
    >>> round(critical_difference(14, 4), 3)  # Demšar's example, 2.569 * sqrt(4 * 5 / (6 * 14))
    1.254
    """
    return _critical_value(n_methods) * math.sqrt(n_methods * (n_methods + 1) / (6 * n_occasions))


@cache
def _critical_value(n_methods: int) -> float:
    """Return q of Nemenyi's test, cached: the integral takes a second."""
    return float(studentized_range.ppf(LEVEL, n_methods, np.inf) / np.sqrt(2))


def groups(mean_rank: np.ndarray, critical: float) -> list[list[int]]:
    """Return the maximal groups of methods with mean ranks within the critical difference.

    A group has at least two methods; groups and methods are in the order of mean ranks.
    """
    order = np.argsort(mean_rank, kind="stable")
    ranks = mean_rank[order]
    groups: list[list[int]] = []
    end = 0
    for start in range(len(order)):
        stop = int(np.searchsorted(ranks, ranks[start] + critical, side="right"))
        if stop > max(end, start + 1):
            groups.append(order[start:stop].tolist())
            end = stop
    return groups


# --- Two rankings ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two rankings of the same methods, by Kendall's tau-b.

    ``p`` is for the hypothesis of no association. The interval, by Fieller's approximation, is NaN
    for fewer than five methods.
    """

    tau: float
    low: float
    high: float
    p: float
    methods: int


def agreement(first: ArrayLike, second: ArrayLike) -> Agreement:
    """Compare two arrays of values of the same methods; methods with a NaN are left out."""
    a, b = (np.asarray(x, dtype=np.float64) for x in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        raise DatasetError(
            f"Expected two rankings of the same methods; got shapes {a.shape} and {b.shape}."
        )
    both = np.isfinite(a) & np.isfinite(b)
    n = int(both.sum())
    if n < 2:
        raise DatasetError(f"Expected at least two methods with a value in both rankings; got {n}.")
    test = kendalltau(a[both], b[both])
    tau, low, high = float(test.statistic), np.nan, np.nan
    if n > 4 and np.isfinite(tau):
        half = norm.ppf(1 - TAIL) * np.sqrt(0.437 / (n - 4))
        middle = np.arctanh(np.clip(tau, -1 + 1e-9, 1 - 1e-9))
        low, high = float(np.tanh(middle - half)), float(np.tanh(middle + half))
    return Agreement(tau, low, high, float(test.pvalue), n)


def _check(values: np.ndarray, at_least: tuple[int, int] = (1, 1)) -> None:
    if values.ndim != 2 or any(n < m for n, m in zip(values.shape, at_least, strict=True)):
        raise DatasetError(
            f"Ranks: expected values of shape (occasions, methods), at least {at_least}; got shape "
            f"{values.shape}."
        )
    if not np.isfinite(values).all():
        raise DatasetError(
            "Ranks: expected a value of every method on every occasion; got missing values."
        )
