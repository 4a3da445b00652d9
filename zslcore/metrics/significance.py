r"""Paired tests and effect sizes of differences, and corrections for several comparisons.

Of n differences :math:`x_i` with mean :math:`m` and deviation :math:`s`:

.. math::
    t = \frac{m}{s / \sqrt n}, \qquad d_z = \frac{m}{s} = \frac{t}{\sqrt n}, \qquad
    r = \frac{W_+ - W_-}{W_+ + W_-}

:math:`W_+` and :math:`W_-` are the sums of the ranks of positive and of negative differences. The
interval of :math:`d_z` inverts the noncentral t distribution, that of the Hodges-Lehmann shift (the
median of all means of two differences) the signed-rank test.

References
----------
D. Cousineau, J.-C. Goulet-Pelletier, "A study of confidence intervals for Cohen's d_p in
within-subject designs", TQMP 2021. D. Kerby, "The simple difference formula", Comprehensive
Psychology 2014. J. Hodges, E. Lehmann, "Estimates of location based on rank tests", 1963.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import nctdtrinc
from scipy.stats import rankdata, ttest_1samp, wilcoxon

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.interactive.hues import signed

#: Differences that agree to so many digits are ties: 0.442 - 0.439 and 0.344 - 0.341 do not quite.
DIGITS = 12


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Mean and ranks of n differences; all p-values are two-sided.

    Where all differences are equal, statistics that divide by their deviation are NaN.

    Attributes
    ----------
    pairs : number of differences
    mean_difference, interval : their mean and its t interval
    t, p : paired t-test
    d_z, d_z_interval : Cohen's d of the differences and its noncentral-t interval
    wilcoxon_p : signed-rank test, differences of zero left out
    rank_biserial : in [-1, 1], 1 when no difference is negative
    shift, shift_interval : Hodges-Lehmann estimate and the signed-rank test's interval
    level : nominal coverage of the intervals
    of : what the differences are of, in the plural
    """

    question: str
    pairs: int
    mean_difference: float
    interval: tuple[float, float]
    t: float
    p: float
    d_z: float
    d_z_interval: tuple[float, float]
    wilcoxon_p: float
    rank_biserial: float
    shift: float
    shift_interval: tuple[float, float]
    level: float = 0.95
    of: str = "pairs"

    @property
    def sentence(self) -> str:
        """One sentence with the means in percentage points."""
        mean, low, high = map(signed, (self.mean_difference, *self.interval))
        return (
            f"{self.question} {mean} points on average over {self.pairs} {self.of}, "
            f"{self.level:.0%} interval {low} to {high} (t-test p = {self.p:.2g}, signed-rank "
            f"p = {self.wilcoxon_p:.2g}, d_z = {self.d_z:.2f})."
        ).replace("= -", "= −")


def paired_test(
    question: str, differences: ArrayLike, *, level: float = 0.95, of: str = "pairs"
) -> PairedTest:
    """Test whether paired differences are zero: t-test on their mean, and signed ranks.

    ``differences``, n >= 2, are fractions as accuracies are; ``of`` says what they are of, in the
    plural; ``level`` is the nominal coverage of the intervals. Raises a DatasetError for fewer than
    two, or one that is not finite.
    """
    x = np.round(np.asarray(differences, dtype=np.float64), DIGITS)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise DatasetError(
            f"{question} A paired test needs at least two finite differences; got {x.size}, "
            f"{np.isfinite(x).sum()} of them finite."
        )
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")
    n, m, s = len(x), float(x.mean()), float(x.std(ddof=1))
    t, p, interval, d_interval = np.nan, np.nan, (m, m), (np.nan, np.nan)
    if np.ptp(x):
        test = ttest_1samp(x, 0.0)
        t, p = float(test.statistic), float(test.pvalue)
        low, high = test.confidence_interval(level)
        interval = float(low), float(high)
        d_interval = _d_interval(t, n, level)
    shift, shift_interval = _shift(x, level)
    return PairedTest(
        question=question,
        pairs=n,
        mean_difference=m,
        interval=interval,
        t=t,
        p=p,
        d_z=m / s if np.ptp(x) else np.nan,
        d_z_interval=d_interval,
        wilcoxon_p=float(wilcoxon(x).pvalue) if x.any() else 1.0,
        rank_biserial=_rank_biserial(x),
        shift=shift,
        shift_interval=shift_interval,
        level=level,
        of=of,
    )


def _d_interval(t: float, n: int, level: float) -> tuple[float, float]:
    """Return the d_z under which t is as extreme as the level allows, on either side."""
    tail = (1 - level) / 2
    low, high = (float(nctdtrinc(n - 1, share, t) / np.sqrt(n)) for share in (1 - tail, tail))
    return low, high


def _rank_biserial(x: np.ndarray) -> float:
    x = x[x != 0]
    ranks = rankdata(np.abs(x))
    return float((ranks @ np.sign(x)) / ranks.sum()) if len(x) else 0.0


def _shift(x: np.ndarray, level: float) -> tuple[float, tuple[float, float]]:
    """Return the Hodges-Lehmann estimate and its interval; NaN where n is too small for the level.

    The interval leaves out as many of the ordered means of two as the signed-rank statistic may
    stay below with probability (1 - level) / 2; its null distribution counts subsets of 1..n by
    their sum.
    """
    n = len(x)
    i, j = np.triu_indices(n)
    means = np.sort((x[i] + x[j]) / 2)
    share = np.ones(1)
    for rank in range(1, n + 1):
        share = (np.append(share, np.zeros(rank)) + np.append(np.zeros(rank), share)) / 2
    out = int(np.searchsorted(np.cumsum(share), (1 - level) / 2, side="right"))
    if not out:
        return float(np.median(means)), (np.nan, np.nan)
    return float(np.median(means)), (float(means[out - 1]), float(means[-out]))


def holm(p: ArrayLike) -> np.ndarray:
    """Return p-values adjusted for looking at several methods, after Holm."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted
