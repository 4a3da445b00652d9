r"""Bootstrap intervals, paired tests, effect sizes and power for differences of metrics.

For n differences :math:`x_i` with mean :math:`m` and standard deviation :math:`s`:

.. math::
    t = \frac{m}{s / \sqrt n}, \qquad d_z = \frac{m}{s} = \frac{t}{\sqrt n}, \qquad
    r = \frac{W_+ - W_-}{W_+ + W_-}

:math:`W_+` and :math:`W_-` are the sums of the ranks of positive and of negative differences. The
interval of :math:`d_z` inverts the noncentral t distribution; the interval of the Hodges-Lehmann
shift (the median of all means of two differences) inverts the signed-rank test.

*Power* determines how many classes and images it takes to find a difference of two models. On image
:math:`i` of class :math:`c` the models differ by :math:`d_{ci} \in \{-1, 0, 1\}`: the correctness
of the second model minus the correctness of the first. Let :math:`\delta_c` be the mean of
:math:`d_{ci}` in class c, :math:`\tau^2` the variance of :math:`\delta_c` between classes and
:math:`\sigma^2` the mean variance of :math:`d_{ci}` within a class. Over samples of classes, the
difference of two means over C classes with n images each has the variance

.. math:: V = \frac{1}{C} \left( \tau^2 + \frac{\sigma^2}{n} \right).

For a metric of several strata, such as H of seen and unseen classes, the variances add up. With
:math:`\lambda = \Delta / \sqrt V` the power of a two-sided test of a difference :math:`\Delta` is

.. math:: 1 - F_{t'}(t; \nu, \lambda) + F_{t'}(-t; \nu, \lambda)

where t is the quantile at :math:`1 - \alpha / 2`, :math:`F_{t'}` is the noncentral t distribution
and :math:`\nu = C - 1`, or Satterthwaite's degrees of freedom for several strata. More images do
not lower :math:`\tau^2 / C`: some differences need more classes.

References
----------
D. Cousineau, J.-C. Goulet-Pelletier, "A study of confidence intervals for Cohen's d_p in
within-subject designs", TQMP 2021. D. Kerby, "The simple difference formula", Comprehensive
Psychology 2014. J. Hodges, E. Lehmann, "Estimates of location based on rank tests", 1963.
J. Cohen, "Statistical power analysis for the behavioral sciences", 1988, chapter 2. W. Cochran,
"Sampling techniques", 1977, chapter 10 (two stages). F. Satterthwaite, "An approximate distribution
of estimates of variance components", Biometrics Bulletin 1946.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.numbers import signed

#: Decimals to which tied differences agree; in floating point, 0.442 - 0.439 != 0.344 - 0.341.
DIGITS = 12
#: Nominal coverage of all intervals, and the share of each tail outside them.
LEVEL = 0.95
TAIL = (1 - LEVEL) / 2


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Tests and effect sizes of n paired differences; all p-values are two-sided.

    If all differences are equal, statistics that divide by their standard deviation are NaN.

    Attributes
    ----------
    question : subject of the differences, at the start of ``sentence``
    pairs : number of differences
    mean_difference, interval : mean of the differences and its t interval
    t, p : paired t-test
    d_z, d_z_interval : Cohen's d of the differences and its noncentral-t interval
    wilcoxon_p : signed-rank test of the differences that are not zero
    rank_biserial : in [-1, 1], 1 if all differences other than zero are positive
    shift, shift_interval : Hodges-Lehmann estimate and the interval of the signed-rank test
    of : plural noun for the pairs, such as "classes"
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
    of: str = "pairs"

    @property
    def sentence(self) -> str:
        """Sentence with the mean difference and its interval in points, and the p-values."""
        mean, low, high = map(signed, (self.mean_difference, *self.interval))
        if np.isnan(self.p):  # no test without variance
            return f"{self.question} {mean} points in each of {self.pairs} {self.of}."
        return (
            f"{self.question} {mean} points on average over {self.pairs} {self.of}, "
            f"95 % interval {low} to {high} (t-test p = {self.p:.2g}, "
            f"signed-rank p = {self.wilcoxon_p:.2g})."
        )


def paired_test(question: str, differences: ArrayLike, *, of: str = "pairs") -> PairedTest:
    """Test whether paired differences are zero, by a t-test and the signed-rank test.

    ``differences`` are at least two fractions, such as differences of accuracies; ``of`` is a
    plural noun for the pairs; ``question`` begins the sentence of the result. Raises a DatasetError
    for fewer than two differences, or for a difference that is not finite.
    """
    x = np.round(np.asarray(differences, dtype=np.float64), DIGITS)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise DatasetError(
            f"{question} A paired test needs at least two finite differences; got {x.size}, "
            f"{np.isfinite(x).sum()} of them finite."
        )
    n, m, s = len(x), float(x.mean()), float(x.std(ddof=1))
    t, p, interval, d_interval = np.nan, np.nan, (m, m), (np.nan, np.nan)
    if np.ptp(x):
        test = scipy.stats.ttest_1samp(x, 0.0)
        t, p = float(test.statistic), float(test.pvalue)
        low, high = test.confidence_interval(LEVEL)
        interval = float(low), float(high)
        d_interval = _d_interval(t, n)
    shift, shift_interval = _shift(x)
    return PairedTest(
        question=question,
        pairs=n,
        mean_difference=m,
        interval=interval,
        t=t,
        p=p,
        d_z=m / s if np.ptp(x) else np.nan,
        d_z_interval=d_interval,
        wilcoxon_p=float(scipy.stats.wilcoxon(x).pvalue) if x.any() else 1.0,
        rank_biserial=_rank_biserial(x),
        shift=shift,
        shift_interval=shift_interval,
        of=of,
    )


def welch(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Return the ends of the interval of a difference of means, and Welch's two-sided p-value.

    All three are NaN if a sample has fewer than two values.
    """
    if min(len(a), len(b)) < 2:
        return np.nan, np.nan, np.nan
    test = scipy.stats.ttest_ind(a, b, equal_var=False)
    ends = test.confidence_interval(LEVEL)
    return float(ends.low), float(ends.high), float(test.pvalue)


def _d_interval(t: float, n: int) -> tuple[float, float]:
    """Return the interval of d_z by inverting the noncentral t distribution."""
    effects = (scipy.special.nctdtrinc(n - 1, share, t) for share in (1 - TAIL, TAIL))
    low, high = (float(effect / np.sqrt(n)) for effect in effects)
    return low, high


def _rank_biserial(x: np.ndarray) -> float:
    x = x[x != 0]
    ranks = scipy.stats.rankdata(np.abs(x))
    return float((ranks @ np.sign(x)) / ranks.sum()) if len(x) else 0.0


def _shift(x: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Return the Hodges-Lehmann estimate and its interval, NaN for fewer than six values.

    Only the interval can be NaN. It leaves out the k smallest and the k largest means of two
    differences; k follows from the 2.5 % quantile of the signed-rank statistic, which under the
    null hypothesis is the sum of a random subset of 1..n.
    """
    n = len(x)
    i, j = np.triu_indices(n)
    means = np.sort((x[i] + x[j]) / 2)
    share = np.ones(1)
    for rank in range(1, n + 1):
        share = (np.append(share, np.zeros(rank)) + np.append(np.zeros(rank), share)) / 2
    out = int(np.searchsorted(np.cumsum(share), TAIL, side="right"))
    if not out:
        return float(np.median(means)), (np.nan, np.nan)
    return float(np.median(means)), (float(means[out - 1]), float(means[-out]))


def holm(p: ArrayLike) -> np.ndarray:
    """Return the p-values of several comparisons, adjusted by Holm's method."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


#: Unit of resampling.
Over = Literal["classes", "images"]
N_DRAWS = 1000
#: With fewer classes on a side, percentile intervals are too narrow and Student's t is used.
FEW = 20
#: With fewer classes on a side, there is no interval, test or ranking over classes. A resample of
#: two classes is a single class, and Student's quantile is 12.7: in simulations with two classes,
#: 99 % of the intervals of H reach from about 0 to about 100 %; with three classes 1 % do.
FEWEST = 3
#: End of the clause that :func:`too_few` returns.
TOO_FEW = "too few for an interval"
#: Maximum number of counts in memory at a time: 8 MiB.
BLOCK = 1 << 20


def too_few(**sides: int) -> str:
    """Return a clause on sides with too few test classes for an interval; "" without such sides.

    ``sides`` are numbers of test classes by side: ``seen``, ``unseen`` or both.

    Examples
    --------
    >>> too_few(seen=2, unseen=10)
    '2 seen test classes are too few for an interval'
    """
    few = [f"{n} {side}" for side, n in sides.items() if n < FEWEST]
    if not few:
        return ""
    is_one = len(few) == 1 and few[0].startswith("1 ")
    classes = "test class is" if is_one else "test classes are"
    return f"{' and '.join(few)} {classes} {TOO_FEW}"


def class_draws(seen: np.ndarray, n_draws: int = N_DRAWS, seed: int = 0) -> np.ndarray:
    """Draw n - 1 of the n seen classes with replacement, and likewise for the unseen classes.

    Returns the count of each class, shape (1 + n_draws, n_classes); the first row is the original
    sample, with all counts 1.
    """
    if n_draws < 1:
        raise ParameterError(f"n_draws must be at least 1; got {n_draws}.")
    rng = np.random.default_rng(seed)
    drawn = np.ones((1 + n_draws, len(seen)), dtype=np.intp)
    for side in (seen, ~seen):
        n = int(np.count_nonzero(side))
        if n:
            drawn[1:, side] = rng.multinomial(max(n - 1, 1), np.full(n, 1 / n), size=n_draws)
    return drawn


def image_draws(y: np.ndarray, n_draws: int = N_DRAWS, seed: int = 0) -> Iterator[np.ndarray]:
    """Draw images with replacement within each class of ``y``: n - 1 of the n images.

    Yields blocks of shape (draws, n_images) with the count of each image, scaled so that the counts
    of a class sum to its n; the first row of the first block is the original sample, with all
    counts 1.
    """
    if n_draws < 1:
        raise ParameterError(f"n_draws must be at least 1; got {n_draws}.")
    rng, n = np.random.default_rng(seed), len(y)
    order, images = np.argsort(y, kind="stable"), np.bincount(y)
    images = images[images > 0]
    drawn = np.maximum(images - 1, 1)  # a class with one image keeps it
    first = np.repeat(np.cumsum(images) - images, drawn)
    among, scale = np.repeat(images, drawn), np.repeat(images / drawn, images)
    yield np.ones((1, n))
    step = max(1, BLOCK // n)
    for start in range(0, n_draws, step):
        rows = min(step, n_draws - start)
        which = first + (rng.random((rows, len(first))) * among).astype(np.intp)
        which += n * np.arange(rows)[:, None]
        counts = np.empty((rows, n))
        counts[:, order] = scale * np.bincount(which.ravel(), minlength=rows * n).reshape(rows, n)
        yield counts


def mean_draws(
    accuracy: np.ndarray, seen: np.ndarray, n_draws: int = N_DRAWS, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return bootstrap means over the seen and over the unseen classes, see :func:`class_draws`.

    ``accuracy`` and ``seen`` have shape (n_classes,), the means (1 + n_draws,); the first value is
    the mean of the original sample. Means over a side without classes are NaN. Classes are drawn in
    blocks, so that 40,000 classes take only megabytes of memory.
    """
    rng = np.random.default_rng(seed)
    of_seen, of_unseen = (_means(rng, accuracy[side], n_draws) for side in (seen, ~seen))
    return of_seen, of_unseen


def _means(rng: np.random.Generator, accuracy: np.ndarray, n_draws: int) -> np.ndarray:
    n = len(accuracy)
    if not n:
        return np.full(1 + n_draws, np.nan)
    means, step = [np.array([accuracy.mean()])], max(1, BLOCK // n)
    for start in range(0, n_draws, step):
        size = min(step, n_draws - start)
        drawn = rng.multinomial(max(n - 1, 1), np.full(n, 1 / n), size=size)
        means.append(drawn @ accuracy / drawn.sum(axis=1))
    return np.concatenate(means)


def fewest_classes(seen: np.ndarray, metric: str = "") -> int:
    """Return the number of classes of the smaller side that a metric uses; 0 without classes."""
    return min(classes_of_sides(seen, metric).values(), default=0)


def classes_of_sides(seen: np.ndarray, metric: str = "") -> dict[str, int]:
    """Return the number of classes of each non-empty side that a metric uses.

    A metric of one side uses only this side: "zsl", "plain_unseen" or "calibrated_seen".
    """
    sides = {"seen": int(np.count_nonzero(seen)), "unseen": int(np.count_nonzero(~seen))}
    if "unseen" in metric or metric.startswith("zsl"):
        del sides["seen"]
    elif "seen" in metric:
        del sides["unseen"]
    return {side: n for side, n in sides.items() if n}


def widening(classes: int) -> float:
    """Return the ratio of Student's quantile to the normal one, to widen intervals for few classes.

    It is 1 for :data:`FEW` or more classes, for which percentile intervals are wide enough, and for
    fewer than :data:`FEWEST`, which have no interval.
    """
    if not FEWEST <= classes < FEW:
        return 1.0
    return float(scipy.special.stdtrit(classes - 1, 1 - TAIL) / scipy.special.ndtri(1 - TAIL))


def interval(values: np.ndarray, classes: int | None = None) -> tuple[float, float]:
    r"""Return the 95 % interval of a metric from its value in the sample and in the draws.

    It is the percentile interval or, for fewer than :data:`FEW` ``classes``, Student's interval
    :math:`x \pm t_{n - 1} s^*` with the standard deviation :math:`s^*` of the draws, since
    percentile intervals are then too short. For fewer than :data:`FEWEST` classes both ends are
    NaN.

    Parameters
    ----------
    values : array of shape (1 + n_draws,), first the value in the sample
    classes : number of classes on the smaller side, for draws of classes; None for draws of images
    """
    if classes is not None and classes < FEWEST:
        return np.nan, np.nan
    if classes is not None and classes < FEW:
        reach = float(scipy.special.stdtrit(classes - 1, 1 - TAIL) * np.nanstd(values[1:]))
        return float(values[0]) - reach, float(values[0]) + reach
    low, high = np.nanquantile(values[1:], [TAIL, 1 - TAIL])
    return float(low), float(high)


def caution(seen: np.ndarray, images: np.ndarray | None = None) -> str:
    """Describe the coverage of 95 % intervals over few classes; "" for many classes.

    ``seen`` is the mask of seen classes among the classes with test images, shape (n_classes,); for
    intervals over images, ``images`` has the number of images of each of these classes.
    """
    sides = classes_of_sides(seen)
    few = [f"{n} {side}" for side, n in sides.items() if FEWEST <= n < FEW]
    none = too_few(**sides)
    parts = [f"{none} or p over classes."] if none else []
    if few:
        parts.append(
            f"With {' and '.join(few)} classes, 95 % intervals and p use Student's t with the "
            "standard deviation of the resamples; in simulations with 3, 5 and 10 classes per side "
            "they covered 92 to 98 %."
        )
    if images is not None and (single := int((images == 1).sum())):
        which = "1 class has" if single == 1 else f"{single:,} classes have"
        parts.append(
            f"{which} one test image, which adds nothing to the width of intervals over images; "
            "these intervals are too narrow."
        )
    return " ".join(parts)


def p_of_draws(values: np.ndarray, classes: int | None = None) -> float:
    r"""Return the two-sided bootstrap p-value of a difference.

    .. math::
        p = \min \left( 1, \; 2 \, \frac{1 + \min(\#\{x^* \le 0\}, \#\{x^* \ge 0\})}{1 + B} \right)

    Up to rounding by one draw, p is below :math:`\alpha` if the percentile interval at
    :math:`1 - \alpha` excludes 0. With B draws, p is at least 2 / (1 + B). For fewer than
    :data:`FEW` ``classes``, p comes from Student's t: the difference divided by the standard
    deviation of the draws; for fewer than :data:`FEWEST`, p is NaN. ``values`` has shape
    (1 + n_draws,), first the difference in the sample.
    """
    if classes is not None and classes < FEWEST:
        return np.nan
    drawn = values[1:][np.isfinite(values[1:])]
    spread = float(drawn.std()) if len(drawn) else 0.0
    if classes is not None and classes < FEW and spread > 0:
        return float(2 * scipy.special.stdtr(classes - 1, -abs(float(values[0])) / spread))
    fewer = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (1 + fewer) / (1 + len(drawn)))


#: Power of the detectable difference, after Cohen.
POWER = 0.80


@dataclass(frozen=True, slots=True)
class Stratum:
    r"""Classes of one side.

    ``classes`` is C, the number of classes; ``images`` is n, the (harmonic mean) number of images
    per class. ``between`` is :math:`\tau`, the standard deviation over classes of the mean
    difference between the two models; ``within`` is :math:`\sigma`, the standard deviation of their
    difference over the images of one class.
    """

    classes: float
    images: float
    between: float
    within: float

    @property
    def variance(self) -> float:
        """Variance of the mean difference over other samples of classes and images."""
        return (self.within**2 / self.images + self.between**2) / self.classes


@dataclass(frozen=True, slots=True)
class Design:
    """A test set for comparing two models; a mean over classes has one stratum, H has two."""

    strata: tuple[Stratum, ...]

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return float(np.sqrt(sum(stratum.variance for stratum in self.strata)))

    def power(self, difference: float) -> float:
        """Return the probability that a two-sided test finds ``difference``, a fraction."""
        if not self.error:
            return 1.0 if difference else 2 * TAIL
        shift, degrees = abs(difference) / self.error, self._degrees()
        # Beyond 1e4 degrees of freedom the noncentral t may not converge, and the normal
        # approximation has an error below 1e-4.
        if degrees > 1e4:
            z = scipy.special.ndtri(1 - TAIL)
            return float(scipy.special.ndtr(shift - z) + scipy.special.ndtr(-shift - z))
        t = scipy.special.stdtrit(degrees, 1 - TAIL)
        # SciPy gives NaN below 1e-100.
        other = np.nan_to_num(scipy.special.nctdtr(degrees, shift, -t))
        return float(1 - scipy.special.nctdtr(degrees, shift, t) + other)

    def _degrees(self) -> float:
        """Return Satterthwaite's degrees of freedom."""
        parts = [(s.variance, max(s.classes - 1, 1)) for s in self.strata]
        return float(sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts))

    def detectable(self) -> float:
        """Return the smallest difference found with :data:`POWER`; NaN if it would exceed 1."""
        if not self.error:
            return 0.0
        most = min(self.error, 1.0)
        while most < 1 and self.power(most) < POWER:
            most = min(2 * most, 1.0)  # in steps: SciPy may return NaN for a difference of 1
        if not self.power(most) >= POWER:
            return float("nan")
        difference: float = scipy.optimize.brentq(lambda d: self.power(d) - POWER, 0, most)
        return difference


def stratum_of(d: np.ndarray, y: np.ndarray) -> Stratum:
    r"""Estimate a stratum from the moments of the differences in a pilot study.

    :math:`\hat\sigma^2` is the mean of the variances within classes, :math:`\hat\tau^2 =
    \mathrm{var}(\bar d_c) - \hat\sigma^2 / n`, at least 0. ``d`` has the difference of each image,
    ``y`` its class. Raises a DatasetError for fewer than two classes, or if no class has two
    images.
    """
    _, number = np.unique(y, return_inverse=True)
    images = np.bincount(number)
    if len(images) < 2 or (images < 2).all():
        raise DatasetError(
            "A pilot: expected at least two classes, one of them with two images; got "
            f"{len(images)} classes and {len(y):,} images."
        )
    means = np.bincount(number, d) / images
    squares = np.bincount(number, (d - means[number]) ** 2)
    several = images > 1
    within = float((squares[several] / (images[several] - 1)).mean())
    harmonic = float(1 / (1 / images).mean())
    between = max(float(means.var(ddof=1)) - within / harmonic, 0.0)
    return Stratum(len(images), harmonic, float(np.sqrt(between)), float(np.sqrt(within)))
