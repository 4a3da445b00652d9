r"""Power of a comparison: how many classes and images a difference of two models needs.

On image :math:`i` of class :math:`c` the models differ by :math:`d_{ci} \in \{-1, 0, 1\}`, second
right less first right. Let :math:`\delta_c` be the mean of :math:`d_{ci}` in class c,
:math:`\tau^2` the variance of :math:`\delta_c` between classes and :math:`\sigma^2` the mean
variance of :math:`d_{ci}` within a class. The difference of two means over C classes with n images
each has the variance

.. math::
    V_{\mathrm{images}} = \frac{\sigma^2}{C n}, \qquad
    V_{\mathrm{classes}} = \frac{1}{C} \left( \tau^2 + \frac{\sigma^2}{n} \right)

over other images of the same classes, and over other classes of the same kind. A figure with
several strata, as H of its seen and unseen classes, sums their variances. With
:math:`\lambda = \Delta / \sqrt V` the power of a two-sided test of a difference :math:`\Delta` is

.. math::
    \Phi(\lambda - z) + \Phi(-\lambda - z) \;\text{over images}, \qquad
    1 - F_{t'}(t; \nu, \lambda) + F_{t'}(-t; \nu, \lambda) \;\text{over classes}

where z and t are quantiles at :math:`1 - \alpha / 2`, :math:`F_{t'}` is the noncentral t
distribution and :math:`\nu = C - 1`, of several strata Satterthwaite's. More images do not lower
:math:`\tau^2 / C`: some differences need more classes.

References
----------
J. Cohen, "Statistical power analysis for the behavioral sciences", 1988, chapter 2. W. Cochran,
"Sampling techniques", 1977, chapter 10 (two stages). F. Satterthwaite, "An approximate distribution
of estimates of variance components", Biometrics Bulletin 1946.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics.bootstrap import Over

#: Level and power by default, those of Cohen.
ALPHA, POWER = 0.05, 0.80
#: No more images a class, and no more classes, are counted.
MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class Stratum:
    r"""Classes of one side.

    There are ``classes``, C, with ``images``, n, each; of unequal classes that is the harmonic
    mean. ``between``, :math:`\tau`, is the deviation of the difference between classes, ``within``,
    :math:`\sigma`, that of an image within its class.
    """

    classes: float
    images: float
    between: float
    within: float

    def variance(self, over: Over) -> float:
        """Variance of the difference of the stratum's mean."""
        of_images = self.within**2 / self.images
        return (of_images + (self.between**2 if over == "classes" else 0.0)) / self.classes


@dataclass(frozen=True, slots=True)
class Design:
    """A test set on which two models are compared; a mean over classes has one stratum, H two."""

    strata: tuple[Stratum, ...]

    def error(self, over: Over) -> float:
        """Return the standard error of the difference."""
        return float(np.sqrt(sum(stratum.variance(over) for stratum in self.strata)))

    def power(self, difference: float, over: Over, alpha: float = ALPHA) -> float:
        """Return the probability that a two-sided test finds ``difference``, a fraction.

        ``over`` other "classes" of the kind, or other "images" of these classes.
        """
        _check_share("alpha", alpha)
        error = self.error(over)
        if not error:
            return 1.0 if difference else alpha
        shift = abs(difference) / error
        degrees = np.inf if over == "images" else self._degrees()
        # Beyond 1e4 degrees the noncentral t may not converge, and the normal is within 1e-4.
        if degrees > 1e4:
            z = ndtri(1 - alpha / 2)
            return float(ndtr(shift - z) + ndtr(-shift - z))
        t = stdtrit(degrees, 1 - alpha / 2)
        other = np.nan_to_num(nctdtr(degrees, shift, -t))  # NaN where it is below 1e-100
        return float(1 - nctdtr(degrees, shift, t) + other)

    def _degrees(self) -> float:
        """Return Satterthwaite's degrees of freedom."""
        parts = [(s.variance("classes"), max(s.classes - 1, 1)) for s in self.strata]
        return float(sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts))

    def detectable(self, over: Over, power: float = POWER, alpha: float = ALPHA) -> float:
        """Return the smallest difference that is found with ``power``; NaN where none of 1 is."""
        _check_share("power", power, above=alpha)
        error = self.error(over)
        if not error:
            return 0.0
        most = min(error, 1.0)
        while most < 1 and self.power(most, over, alpha) < power:
            most = min(2 * most, 1.0)  # not 1 at once: of that, SciPy's noncentral t may be NaN
        if not self.power(most, over, alpha) >= power:
            return float("nan")
        found: float = brentq(lambda d: self.power(d, over, alpha) - power, 0, most)
        return found

    def with_images(self, images: float) -> Design:
        """Return the same classes with ``images`` each."""
        return Design(tuple(replace(stratum, images=images) for stratum in self.strata))

    def with_classes(self, times: float) -> Design:
        """Return ``times`` as many classes in every stratum, with as many images each."""
        grown = (replace(stratum, classes=stratum.classes * times) for stratum in self.strata)
        return Design(tuple(grown))

    def images_needed(
        self, difference: float, over: Over, power: float = POWER, alpha: float = ALPHA
    ) -> int | None:
        """Return how many images a class find ``difference``; None where no number of them does."""
        _check_difference(difference)
        _check_share("power", power, above=alpha)
        return _smallest(lambda n: self.with_images(n).power(difference, over, alpha) >= power, 1)

    def classes_needed(
        self, difference: float, over: Over, power: float = POWER, alpha: float = ALPHA
    ) -> tuple[int, ...] | None:
        """Return how many classes of each stratum find ``difference``, in today's proportion."""
        _check_difference(difference)
        _check_share("power", power, above=alpha)
        fewest = min(stratum.classes for stratum in self.strata)
        found = _smallest(
            lambda n: self.with_classes(n / fewest).power(difference, over, alpha) >= power, 2
        )
        if found is None:
            return None
        return tuple(int(np.ceil(s.classes * found / fewest - 1e-9)) for s in self.strata)


def stratum_of(d: np.ndarray, y: np.ndarray) -> Stratum:
    r"""Estimate a stratum from the differences of a pilot by their moments.

    :math:`\hat\sigma^2` is the mean of the variances within classes, :math:`\hat\tau^2 =
    \mathrm{var}(\bar d_c) - \hat\sigma^2 / n`, at least 0. ``d`` is the difference of every image,
    ``y`` its class. Raises a DatasetError without two classes of at least two images.
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


def assumed_stratum(
    classes: int, images: int, disagreement: float, between: float, difference: float
) -> Stratum:
    r"""Return a stratum from assumptions, without a pilot.

    As :math:`d_{ci}^2` is 1 where one model alone is right, :math:`\sigma^2 = q - \Delta^2 -
    \tau^2` with q, the share of such images, their ``disagreement``; ``between`` is :math:`\tau`,
    ``difference`` :math:`\Delta`, ``images`` are those of a class. Raises a ParameterError for
    numbers that no two models can have.
    """
    if classes < 2 or images < 1:
        raise ParameterError(
            f"Expected at least two classes and one image a class; got {classes} and {images}."
        )
    _check_share("disagreement", disagreement)
    if not (between >= 0 and difference**2 + between**2 <= disagreement):
        raise ParameterError(
            f"With {disagreement:.1%} of the images right in one model alone, a difference of "
            f"{difference:.1%} and a deviation of {between:.1%} between classes cannot be: their "
            "squares sum to at most the first."
        )
    within = np.sqrt(disagreement - difference**2 - between**2)
    return Stratum(classes, images, between, float(within))


def _smallest(enough: Callable[[int], bool], least: int) -> int | None:
    """Return the smallest whole number from ``least`` that is enough, None where none is."""
    high = least
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = max(high // 2, least)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def _check_difference(difference: float) -> None:
    if not 0 < abs(difference) < 1:
        raise ParameterError(
            f"difference: expected a fraction between 0 and 1, and not 0; got {difference!r}."
        )


def _check_share(name: str, value: float, above: float = 0.0) -> None:
    if not above < value < 1:
        raise ParameterError(f"{name}: expected a fraction between {above} and 1; got {value!r}.")
