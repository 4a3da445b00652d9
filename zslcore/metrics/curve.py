r"""The exact seen-unseen curve, and the gamma at which each prediction changes sides.

For an image let :math:`a` be its best score among seen classes and :math:`b` its best score among
unseen classes. Calibrated stacking predicts the best seen class while :math:`\gamma < a - b`, and
the best unseen class for larger :math:`\gamma`. The number :math:`a - b` and the correctness of the
two classes determine the metrics of the test set at every gamma, for any number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, overload

import numpy as np

from zslcore.exceptions import ZSLError
from zslcore.metrics.accuracy import (
    Average,
    Numbers,
    _check_labels,
    _check_shapes,
    _mask,
    _require_scores,
    _weights,
    harmonic_mean,
)
from zslcore.numbers import percent

if TYPE_CHECKING:
    import pandas as pd

#: Scores per block, small enough for the processor cache: half a megabyte of float64.
BLOCK_VALUES = 1 << 16


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The three numbers in a generalised zero-shot table, and their gamma."""

    gamma: float
    seen: float
    unseen: float

    @property
    def harmonic(self) -> float:
        """Harmonic mean of seen and unseen accuracy, the headline number."""
        return harmonic_mean(self.seen, self.unseen)

    @property
    def in_words(self) -> str:
        """The three numbers in percent: ``u 53.5 %, s 80.7 %, H 64.3 %``."""
        accuracies = {"u": self.unseen, "s": self.seen, "H": self.harmonic}
        return ", ".join(f"{name} {percent(value)}" for name, value in accuracies.items())


@dataclass(frozen=True, slots=True, eq=False)
class SeenUnseen:
    """Seen and unseen accuracies, arrays of equal shape: one value per gamma or draw."""

    seen: np.ndarray
    unseen: np.ndarray

    @property
    def harmonic(self) -> np.ndarray:
        """Harmonic mean of each pair of accuracies."""
        return harmonic_mean(self.seen, self.unseen)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SeenUnseenCurve:
    r"""All pairs of seen and unseen accuracy, over all values of gamma.

    The curve is a step function of gamma: the accuracies of point ``k`` hold for ``gamma[k] <=
    gamma < gamma[k + 1]``, and those of the last point for all larger gammas.

    Attributes
    ----------
    gamma : array of shape (n_points,), increasing; the first is minus infinity
    seen : array of shape (n_points,), :math:`A_{S \to C}`, falls to 0
    unseen : array of shape (n_points,), :math:`A_{U \to C}`, rises from 0 to :math:`A_{U \to C_u}`

    Notes
    -----
    If all scores of a sample on one side are minus infinity, no gamma changes the side of its
    prediction: then ``seen`` ends above 0, or ``unseen`` starts above 0.
    """

    gamma: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray

    def __repr__(self) -> str:
        best = self.best()
        return (
            f"<SeenUnseenCurve: {len(self.gamma):,} points, AUSUC {self.ausuc:.3f}, "
            f"H at most {best.harmonic:.3f} (at gamma {best.gamma:.3g})>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point: ``gamma``, ``seen``, ``unseen``, ``harmonic``."""
        import pandas as pd

        names = ("gamma", "seen", "unseen", "harmonic")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    @property
    def harmonic(self) -> np.ndarray:
        """Harmonic mean at each point."""
        return harmonic_mean(self.seen, self.unseen)

    @property
    def ausuc(self) -> float:
        """Area under the seen-unseen curve by the trapezoidal rule, from unseen = 0."""
        return float(self.seen[0] * self.unseen[0] + np.trapezoid(self.seen, self.unseen))

    @overload
    def at(self, gamma: float) -> OperatingPoint: ...
    @overload
    def at(self, gamma: Numbers) -> SeenUnseen: ...
    def at(self, gamma: float | Numbers) -> OperatingPoint | SeenUnseen:
        """Return the accuracies at ``gamma``, a number or an array."""
        gamma = np.asarray(gamma, dtype=float)
        k = np.searchsorted(self.gamma, gamma, side="right") - 1
        if gamma.ndim:
            return SeenUnseen(self.seen[k], self.unseen[k])
        return OperatingPoint(float(gamma), float(self.seen[k]), float(self.unseen[k]))

    def best(self) -> OperatingPoint:
        """Return the point with the largest harmonic mean; the first of several equal points.

        Its gamma is the middle of the interval of this point, where it is least sensitive to small
        changes of the scores.
        """
        return self.at(middle_gamma(self.gamma, int(np.argmax(self.harmonic))))

    def thinned(self, n: int) -> SeenUnseenCurve:
        """Return the curve with about ``n`` evenly spaced points, its ends and its best point."""
        if len(self.gamma) <= n:
            return self
        length = np.cumsum(np.abs(np.diff(self.seen)) + np.abs(np.diff(self.unseen)))
        even = np.searchsorted(length, np.linspace(0, length[-1], max(n - 3, 1))) + 1
        keep = np.unique([0, *even.clip(max=len(length)), np.argmax(self.harmonic), len(length)])
        return SeenUnseenCurve(self.gamma[keep], self.seen[keep], self.unseen[keep])


def middle_gamma(gamma: np.ndarray, k: int) -> float:
    """Return the middle of the interval from breakpoint ``k`` to the next one.

    The first and the last interval are unbounded; their gamma lies a hundredth of the width of the
    curve beyond their only breakpoint.
    """
    inner = gamma[1:]
    if not len(inner):  # no prediction is right at any gamma
        return 0.0
    first, last = float(inner[0]), float(inner[-1])
    width = last - first
    # Differences of scores near the largest float may overflow.
    margin = (width / 100 if width < np.inf else last / 100 - first / 100) or 1.0
    low = float(gamma[k]) if k > 0 else first - 2 * margin
    high = float(inner[k]) if k < len(inner) else last + 2 * margin
    return low / 2 + high / 2


def seen_unseen_curve(
    scores: np.ndarray, y: np.ndarray, seen: np.ndarray, *, average: Average = "class"
) -> SeenUnseenCurve:
    r"""Return the exact seen-unseen curve of a score matrix, in one sort.

    For a sample let :math:`a` be its best score among seen classes and :math:`b` its best score
    among unseen classes. It is predicted as a seen class exactly while :math:`\gamma < a - b`, so
    predictions change only at the values :math:`a - b`. A tie, :math:`\gamma = a - b`, goes to the
    unseen side; ties within a side go to the first column.

    Parameters
    ----------
    scores : array of shape (n_samples, n_candidates), larger for a better match
    y : int array of shape (n_samples,), the true column of ``scores``
    seen : bool array of shape (n_candidates,), True for the columns of seen classes
    average : "class" (mean of per-class accuracies, the protocol) or "sample"

    Raises
    ------
    ZSLError
        If shapes do not match, a score is NaN or plus infinity, or one side has no columns or no
        samples.

    Notes
    -----
    Values :math:`a - b` that differ by at most the rounding of the scores (one unit in the last
    place of the largest score, in the precision of the input) form one breakpoint: float32 scores
    cannot distinguish such samples.
    """
    seen = np.asarray(seen)
    if seen.dtype == bool and (seen.all() or not seen.any()):
        raise ZSLError(
            "The seen-unseen curve needs seen and unseen candidates; "
            f"got {np.count_nonzero(seen)} seen of {seen.size}."
        )
    return find_best_classes(scores, y, seen).margins().curve(average)


@dataclass(frozen=True, slots=True, eq=False)
class CurveSteps:
    """Steps of the curve of a score matrix, before samples are weighted.

    Attributes
    ----------
    y : int array of shape (n_samples,), the true columns
    of_seen : bool array of shape (n_samples,), whether the true class is seen
    counting : int array of shape (n_counting,), samples predicted correctly at some gamma, sorted
        by the gamma at which this changes
    gamma : array of shape (n_points,), increasing; the first is minus infinity
    points : int array of shape (n_points,), number of ``counting`` samples that have changed at
        each gamma
    """

    y: np.ndarray
    of_seen: np.ndarray
    counting: np.ndarray
    gamma: np.ndarray
    points: np.ndarray

    @classmethod
    def of(
        cls,
        y: np.ndarray,
        of_seen: np.ndarray,
        right: np.ndarray,
        margin: np.ndarray,
        resolution: float,
    ) -> CurveSteps:
        """Sort samples by margin; ``right`` marks samples with the true class best on its side.

        Raises a ZSLError if one side has no samples.
        """
        if of_seen.all() or not of_seen.any():
            raise ZSLError(
                "The seen-unseen curve needs test samples of seen and of unseen classes; "
                f"got {np.count_nonzero(of_seen)} and {np.count_nonzero(~of_seen)}."
            )
        # A prediction is correct at some gamma only if the true class is the best one on its side.
        counting = np.flatnonzero(right)
        d = margin[counting]
        order = np.argsort(d, kind="stable")
        d, counting = d[order], counting[order]

        # Infinite margins are not breakpoints: no gamma changes these predictions.
        low, high = np.searchsorted(d, -np.inf, side="right"), np.searchsorted(d, np.inf)
        inner = d[low:high]
        last = np.flatnonzero(np.append(np.diff(inner) > resolution, True))[: len(inner)]
        points = low + np.append(0, last + 1)
        return cls(y, of_seen, counting, np.append(-np.inf, inner[last]), points)

    def curve(self, average: Average = "class") -> SeenUnseenCurve:
        """Return the seen-unseen curve, averaged over classes or samples."""
        sides = (self.of_seen, ~self.of_seen)
        weights = np.where(self.of_seen, *(_weights(self.y, average, side) for side in sides))
        return SeenUnseenCurve(self.gamma, *self.accuracies(weights))

    def accuracies(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return seen and unseen accuracy at each gamma: arrays of shape (..., n_points).

        ``weights`` has shape (..., n_samples) and sums to 1 over the samples of seen classes, and
        to 1 over those of unseen classes.
        """
        of_seen, weights = self.of_seen[self.counting], weights[..., self.counting]
        lost, won = np.where(of_seen, weights, 0.0), np.where(of_seen, 0.0, weights)
        none = np.zeros((*weights.shape[:-1], 1))
        # Sum from the end, so that the last value is exactly 0.
        remaining = np.concatenate([np.cumsum(lost[..., ::-1], axis=-1)[..., ::-1], none], axis=-1)
        reached = np.concatenate([none, np.cumsum(won, axis=-1)], axis=-1)
        return remaining[..., self.points], reached[..., self.points]


@dataclass(frozen=True, slots=True, eq=False)
class BestClasses:
    r"""The best seen and unseen class of each sample, and the margin between their scores.

    Together they determine all metrics of generalised zero-shot learning: a sample is predicted as
    its best seen class while :math:`\gamma < margin`, and as its best unseen class for larger
    :math:`\gamma`.

    Attributes
    ----------
    y : int array of shape (n_samples,), the true classes
    of_seen : bool array of shape (n_samples,), whether the true class is seen
    seen_class, unseen_class : int arrays of shape (n_samples,)
        The best class of each side, numbered like ``y``; -1 for a side without candidates.
    margin : float64 array of shape (n_samples,), best seen minus best unseen score, infinite if one
        side is ruled out
    resolution : float
        Margins that differ by at most this much, in units of scores, form one breakpoint.
    """

    y: np.ndarray
    of_seen: np.ndarray
    seen_class: np.ndarray
    unseen_class: np.ndarray
    margin: np.ndarray
    resolution: float

    @property
    def right_if_seen(self) -> np.ndarray:
        """Whether the best seen class is the true one: bool array of shape (n_samples,)."""
        return self.seen_class == self.y

    @property
    def right_if_unseen(self) -> np.ndarray:
        """Whether the best unseen class is the true one: bool array of shape (n_samples,)."""
        return self.unseen_class == self.y

    def at(self, gamma: float) -> np.ndarray:
        """Return the predicted class of each sample at ``gamma``; ties go to the unseen side."""
        return np.where(self.margin > gamma, self.seen_class, self.unseen_class)

    def margins(self) -> CurveSteps:
        """Return the steps of the curve, for averages over classes or samples."""
        right = np.where(self.of_seen, self.right_if_seen, self.right_if_unseen)
        return CurveSteps.of(self.y, self.of_seen, right, self.margin, self.resolution)


def find_best_classes(scores: np.ndarray, y: np.ndarray, seen: np.ndarray) -> BestClasses:
    """Return the best seen and unseen class and the margin of each sample.

    For parameters and errors see :func:`seen_unseen_curve`, but one side may be empty.
    """
    scores, y = _check_labels(*_check_shapes(scores, y))
    seen = _mask(seen, scores.shape[1])
    of_seen, of_unseen = (best_column(scores, np.flatnonzero(side)) for side in (seen, ~seen))
    # NaN and infinity win the comparison, so checking the largest scores is enough.
    _require_scores(scores, of_seen[1], of_unseen[1])
    return combine_sides(y, seen, of_seen, of_unseen, scores.dtype)


#: The best column of each sample and its score, see :func:`best_column`.
Side = tuple[np.ndarray, np.ndarray]


def combine_sides(
    y: np.ndarray, seen: np.ndarray, of_seen: Side, of_unseen: Side, dtype: np.dtype
) -> BestClasses:
    """Compute :func:`find_best_classes` from the :func:`best_column` of both sides.

    ``dtype`` is the original precision of the scores.
    """
    (i, a), (j, b) = of_seen, of_unseen
    return BestClasses(y, seen[y], i, j, *compute_margins(a, b, dtype))


def compute_margins(a: np.ndarray, b: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, float]:
    """Return the best seen minus the best unseen scores, and the resolution.

    If both scores are minus infinity, so is the margin: the tie goes to the unseen side at any
    gamma. The resolution is one unit in the last place of the largest score, in the original
    ``dtype`` of the scores.
    """
    margin = np.subtract(a, b, out=np.full(np.shape(a), -np.inf), where=~np.isneginf(a))
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    best = np.abs(np.concatenate([a, b]))
    return margin, float(np.finfo(dtype).eps * best.max(initial=0, where=np.isfinite(best)))


def best_column(scores: np.ndarray, columns: np.ndarray) -> Side:
    """Return the best of ``columns`` and its score for each sample; -1 if ``columns`` is empty.

    ``columns`` are column numbers in any order; of equal scores, the first in ``columns`` is the
    best.
    """
    if not len(columns):
        return np.full(len(scores), -1, np.int32), np.full(len(scores), -np.inf)
    best, value = np.empty(len(scores), np.int32), np.empty(len(scores))
    size = max(1, BLOCK_VALUES // len(columns))
    rows = np.arange(min(size, len(scores)))
    for start in range(0, len(scores), size):
        block = slice(start, start + size)
        block_scores = _columns_of(scores[block], columns)
        k = block_scores.argmax(axis=1)
        best[block], value[block] = columns[k], block_scores[rows[: len(k)], k]
    return best, value


def _columns_of(scores: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return ``scores[:, columns]``, without a copy if the columns are consecutive."""
    first, last = int(columns[0]), int(columns[-1])
    if last - first + 1 == len(columns) and (np.diff(columns) == 1).all():
        return scores[:, first : last + 1]
    return scores.take(columns, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class GammaThresholds:
    """Gamma at which each image's prediction switches from seen to unseen.

    Attributes
    ----------
    gamma : array of shape (n_samples,), increasing
        An image is predicted as its best seen class below this gamma, else as its best unseen
        class. With minus infinity it is never predicted as a seen class, with infinity never as an
        unseen class.
    y : int array of shape (n_samples,), the true columns of the scores
    right_if_seen, right_if_unseen : bool arrays of shape (n_samples,)
        Whether the best seen or the best unseen class is the true class.
    seen : bool array of shape (n_candidates,)
    order : int array of shape (n_samples,), the row of each image in the scores

    Notes
    -----
    Margins that differ by at most the rounding of the scores form one breakpoint of the
    seen-unseen curve and have one gamma here, so that curve and predictions agree at every gamma.
    """

    gamma: np.ndarray
    y: np.ndarray
    right_if_seen: np.ndarray
    right_if_unseen: np.ndarray
    seen: np.ndarray
    order: np.ndarray

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    def right(self, gamma: float) -> np.ndarray:
        """Return whether each prediction is right at ``gamma``: bool of shape (n_samples,)."""
        return np.where(self.gamma > gamma, self.right_if_seen, self.right_if_unseen)

    def per_class(self, gamma: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of correct images and of all images per class at ``gamma``."""
        n = len(self.seen)
        return (
            np.bincount(self.y[self.right(gamma)], minlength=n),
            np.bincount(self.y, minlength=n),
        )


def switches(scores: np.ndarray, y: np.ndarray, seen: np.ndarray) -> GammaThresholds:
    """Return the gamma at which each image's prediction changes sides.

    For parameters and errors see :func:`zslcore.metrics.seen_unseen_curve`.
    """
    best_classes = find_best_classes(scores, y, seen)
    return find_gamma_thresholds(best_classes, best_classes.margins(), seen)


def find_gamma_thresholds(
    best_classes: BestClasses, m: CurveSteps, seen: np.ndarray
) -> GammaThresholds:
    """Compute :func:`switches` from the best classes and the steps of the curve ``m``."""
    gamma = best_classes.margin.copy()
    # Images in ``counting`` change sides at breakpoints; those after the last one never change.
    point = np.searchsorted(m.points, np.arange(len(m.counting)), side="right")
    gamma[m.counting] = np.append(m.gamma, np.inf)[point]
    order = np.argsort(gamma, kind="stable")
    return GammaThresholds(
        gamma[order],
        best_classes.y[order],
        best_classes.right_if_seen[order],
        best_classes.right_if_unseen[order],
        np.array(seen),
        order,
    )
