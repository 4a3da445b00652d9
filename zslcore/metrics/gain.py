"""OverlapGain: relative gain in accuracy of classes that overlap the pre-training set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from zslcore.exceptions import DatasetError
from zslcore.metrics.significance import TAIL

if TYPE_CHECKING:
    import pandas as pd

#: Accuracy of each class, and whether the class overlaps.
ByClass: TypeAlias = "tuple[pd.Series, pd.Series]"


#: Relation of a class to a pre-training set: in the set, related (a kind of the class or a broader
#: class is in the set), or unrelated.
Group = Literal["in the set", "related", "unrelated"]
GROUPS: tuple[Group, ...] = get_args(Group)

#: The permutation test is exact for at most this many choices of the overlapping classes.
EXACT = 20_000


#: A sum of two accuracies below this counts as 0; an accuracy on n images is 0 or at least 1 / n.
TINY = 1e-12


@dataclass(frozen=True, slots=True)
class OverlapGain:
    """Relative gain in accuracy of overlapping classes over truly unseen classes.

    Attributes
    ----------
    acc_ouc, acc_tuc : mean per-class accuracy of overlapping classes (in the pre-training set), and
        of truly unseen classes
    gain : relative difference, in [-2, 2]
    interval : bootstrap-t interval of the gain over classes; NaN with a single class on a side
    p : two-sided permutation p-value over classes
    n_ouc, n_tuc : numbers of classes
    """

    acc_ouc: float
    acc_tuc: float
    gain: float
    interval: tuple[float, float]
    p: float
    n_ouc: int
    n_tuc: int

    @property
    def all(self) -> float:
        """Mean per-class accuracy of all test classes."""
        n = self.n_ouc + self.n_tuc
        return (self.n_ouc * self.acc_ouc + self.n_tuc * self.acc_tuc) / n

    @property
    def overlap(self) -> float:
        """Accuracy of the overlapping classes; another name for ``acc_ouc``."""
        return self.acc_ouc

    @property
    def clean(self) -> float:
        """Accuracy of the truly unseen classes; another name for ``acc_tuc``."""
        return self.acc_tuc

    @property
    def all_minus_clean(self) -> float:
        """Mean accuracy over all classes minus mean accuracy over the truly unseen classes."""
        return self.all - self.clean


def gain_of(acc_ouc: ArrayLike, acc_tuc: ArrayLike) -> np.ndarray:
    """Return the relative difference of two accuracies, 0 if both are 0; arrays broadcast."""
    a, b = np.asarray(acc_ouc, dtype=float), np.asarray(acc_tuc, dtype=float)
    mean = (a + b) / 2
    return (a - b) / np.where(mean > 0, mean, 1)


def overlap_gain(
    per_class_accuracy: np.ndarray | Sequence[float] | Mapping[int, float],
    overlapping: np.ndarray | Collection[int],
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> OverlapGain:
    """Return the OverlapGain of one method on one set of test classes.

    Parameters
    ----------
    per_class_accuracy : array of shape (n_classes,), or mapping from class to accuracy
    overlapping : bool array of shape (n_classes,), or classes of the mapping
        Test classes that the extractor was trained on.
    n_resamples : number of bootstrap samples, and of random permutations if an exact test would
        need too many

    Raises
    ------
    DatasetError
        If accuracies are outside [0, 1], or no class or all classes overlap.
    """
    accuracy, in_pretraining = _arrays(per_class_accuracy, overlapping)
    a, b = accuracy[in_pretraining], accuracy[~in_pretraining]
    rng = np.random.default_rng(seed)
    return OverlapGain(
        acc_ouc=float(a.mean()),
        acc_tuc=float(b.mean()),
        gain=float(gain_of(a.mean(), b.mean())),
        interval=_interval(a[:, None], b[:, None], n_resamples, rng),
        p=_permutation_p(accuracy, in_pretraining, n_resamples, rng),
        n_ouc=len(a),
        n_tuc=len(b),
    )


def _arrays(
    accuracy: np.ndarray | Sequence[float] | Mapping[int, float],
    overlapping: np.ndarray | Collection[int],
) -> tuple[np.ndarray, np.ndarray]:
    """Convert mappings and sequences to arrays; refuse data that define no gain."""
    if isinstance(accuracy, Mapping):
        classes = sorted(accuracy)
        unknown = set(overlapping) - set(classes)
        if unknown:
            raise DatasetError(f"Overlapping classes without an accuracy: {sorted(unknown)[:5]}.")
        overlapping = np.isin(classes, list(overlapping))
        accuracy = [accuracy[c] for c in classes]
    accuracy = np.asarray(accuracy, dtype=np.float64)
    in_pretraining = np.asarray(overlapping)
    if accuracy.ndim != 1 or in_pretraining.shape != accuracy.shape or in_pretraining.dtype != bool:
        raise DatasetError(
            f"Expected one accuracy and one boolean per class; got shapes {accuracy.shape} and "
            f"{in_pretraining.shape} of {in_pretraining.dtype}."
        )
    if not ((accuracy >= 0) & (accuracy <= 1)).all():
        raise DatasetError("Accuracies must lie in [0, 1].")
    if not in_pretraining.any() or in_pretraining.all():
        raise DatasetError(
            "A gain needs overlapping and non-overlapping classes; got "
            f"{in_pretraining.sum()} of {len(in_pretraining)} overlapping."
        )
    return accuracy, in_pretraining


def _interval(
    A: np.ndarray, B: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the bootstrap-t interval over classes; NaN for a single class on a side.

    Percentile intervals are too short for the few classes of a test set; dividing by the standard
    error of each resample restores coverage. ``A`` and ``B`` are the accuracies of the two sides,
    with one row per class and one column per set of features. The sides are resampled separately.
    For two columns, the interval is that of the difference between their gains, resampled
    together.
    """
    if min(len(A), len(B)) < 2:
        return (np.nan, np.nan)
    gain, error = _gain_and_error(A[None], B[None])
    if not error[0]:
        return (float(gain[0]), float(gain[0]))
    resampled = (X[rng.integers(len(X), size=(n_resamples, len(X)))] for X in (A, B))
    gains, errors = _gain_and_error(*resampled)
    # Almost equal values have a standard error near zero; use that of the sample instead.
    t = (gains - gain) / np.where(errors > 0.1 * error, errors, error)
    low, high = np.quantile(t, [TAIL, 1 - TAIL])
    most = 2 * A.shape[1]
    low, high = (float(np.clip(gain[0] - q * error[0], -most, most)) for q in (high, low))
    return low, high


def _gain_and_error(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gain in each resample and its standard error.

    Shapes are (resamples, classes, columns); with two columns, the difference between their gains
    and its error are returned. The error follows from the delta method: the gain
    :math:`g = 2 (a - b) / (a + b)` has the derivatives :math:`4 b / (a + b)^2` in a and :math:`-4 a
    / (a + b)^2` in b.
    """
    sign = np.array([1.0, -1.0])[: A.shape[2]]
    a, b = A.mean(axis=1), B.mean(axis=1)
    squared = np.where(a + b > TINY, a + b, 1) ** 2
    by_class = (
        X @ slope[:, :, None]
        for X, slope in (
            (A, sign * 4 * b / squared),
            (B, sign * 4 * a / squared),
        )
    )
    variance = sum(x[..., 0].var(axis=1, ddof=1) / x.shape[1] for x in by_class)
    return gain_of(a, b) @ sign, np.sqrt(variance)


def _permutation_p(
    accuracy: np.ndarray, in_pretraining: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return the share of permutations of the overlap with at least the observed difference.

    The test statistic is the absolute difference of the two means, not the gain: a difference and
    its negative may give gains of different size.
    """
    n, k = len(in_pretraining), int(in_pretraining.sum())
    total = accuracy.sum()
    observed = abs(accuracy[in_pretraining].mean() - accuracy[~in_pretraining].mean())
    if comb(n, k) <= EXACT:
        sums = np.array([accuracy[list(chosen)].sum() for chosen in combinations(range(n), k)])
        n_itself = 0
    else:
        sums = rng.permuted(np.tile(accuracy, (n_resamples, 1)), axis=1)[:, :k].sum(axis=1)
        n_itself = 1  # the sample itself is one of the permutations
    at_least = (np.abs(sums / k - (total - sums) / (n - k)) >= observed - 1e-12).sum()
    return float((at_least + n_itself) / (len(sums) + n_itself))
