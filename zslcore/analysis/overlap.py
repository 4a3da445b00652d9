r"""Whether classes that the feature extractor had seen get better accuracy.

.. math::
    \mathrm{gain} = \frac{\mathrm{ACC_{OUC}} - \mathrm{ACC_{TUC}}}
                         {\tfrac12 (\mathrm{ACC_{OUC}} + \mathrm{ACC_{TUC}})}

with the mean per-class accuracies of the overlapping (OUC) and of the truly unseen test classes
(TUC). Classes, not images, are the unit: another benchmark would have other classes. So the
interval resamples classes and the p-value permutes which of them overlap. Of features with
pre-training and a baseline without, the difference of gains is what pre-training adds.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, section 4. B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapter
12 (bootstrap-t). S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from zslcore.analysis.significance import holm
from zslcore.base import ZSLEstimator
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.folds import class_folds
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Preprocessing
from zslcore.metrics import accuracy_interval, per_class_accuracy
from zslcore.protocol import ScoredTest, fit_and_score

__all__ = [
    "STUDY_COLUMNS",
    "Draw",
    "GainDifference",
    "ImageAccuracy",
    "OverlapGain",
    "draw_accuracies",
    "fair_draws",
    "gain_difference",
    "gain_of",
    "gains_by_draw",
    "half_and_half",
    "overlap_gain",
    "overlap_study",
    "split_of_draw",
    "study_summary",
]

#: Accuracy of every class, and whether it overlaps.
ByClass = tuple[pd.Series, pd.Series]
#: Columns of a study, see :func:`overlap_study`.
STUDY_COLUMNS = ("draw", "features", "method", "class", "overlapping", "images", "accuracy")

#: Up to this many ways to choose the overlapping classes, all of them are looked at.
EXACT = 20_000
#: Below this a sum of two accuracies is nothing: no count of images is so large.
TINY = 1e-12


@dataclass(frozen=True, slots=True)
class ImageAccuracy:
    """Accuracy over images, with the exact binomial interval, which takes classes as fixed.

    Attributes
    ----------
    correct, images : counts
    low, high : exact (Clopper-Pearson) interval
    """

    correct: int
    images: int
    low: float
    high: float

    @property
    def accuracy(self) -> float:
        """Share of images that are right."""
        return self.correct / self.images


@dataclass(frozen=True, slots=True)
class OverlapGain:
    """What classes known to the extractor gain; fractions, a gain of 0.1 is 10 %.

    Attributes
    ----------
    acc_ouc, acc_tuc : mean per-class accuracy of overlapping and of truly unseen classes
    gain : relative difference, in [-2, 2]
    interval : bootstrap-t interval of the gain over classes; NaN with fewer than two classes on
        a side
    level : its nominal coverage
    p : two-sided permutation p-value over classes
    n_ouc, n_tuc : numbers of classes
    images_ouc, images_tuc : accuracy over images, None when counts were not given
    """

    acc_ouc: float
    acc_tuc: float
    gain: float
    interval: tuple[float, float]
    level: float
    p: float
    n_ouc: int
    n_tuc: int
    images_ouc: ImageAccuracy | None = None
    images_tuc: ImageAccuracy | None = None

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
        """What the overlap adds to the figure that a paper prints."""
        return self.all - self.clean


def gain_of(acc_ouc: ArrayLike, acc_tuc: ArrayLike) -> np.ndarray:
    """Return the relative difference of two accuracies, 0 when both are 0; arrays broadcast."""
    a, b = np.asarray(acc_ouc, dtype=float), np.asarray(acc_tuc, dtype=float)
    mean = (a + b) / 2
    return (a - b) / np.where(mean > 0, mean, 1)


def overlap_gain(
    per_class_accuracy: np.ndarray | Sequence[float] | Mapping[int, float],
    overlapping: np.ndarray | Collection[int],
    *,
    images: np.ndarray | Sequence[int] | Mapping[int, int] | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> OverlapGain:
    """Return the OverlapGain of one method on one set of test classes.

    Parameters
    ----------
    per_class_accuracy : array of shape (n_classes,), or mapping from class to accuracy
    overlapping : bool array of shape (n_classes,), or classes of the mapping
        Which test classes the extractor was trained on.
    images : int array of shape (n_classes,) or mapping, optional
        Test images per class, for the intervals over images.
    level : float, default=0.95
        Nominal coverage of the intervals.
    n_resamples : int, default=2000
        Bootstrap samples, and permutations where there are too many to try all.
    seed : int, default=0

    Raises
    ------
    DatasetError
        When accuracies are outside [0, 1], or no class overlaps, or all do.
    """
    accuracy, known, n = _arrays(per_class_accuracy, overlapping, images)
    a, b = accuracy[known], accuracy[~known]
    rng = np.random.default_rng(seed)
    tail = (1 - level) / 2
    return OverlapGain(
        acc_ouc=float(a.mean()),
        acc_tuc=float(b.mean()),
        gain=float(gain_of(a.mean(), b.mean())),
        interval=_interval(a[:, None], b[:, None], tail, n_resamples, rng),
        level=level,
        p=_permutation_p(accuracy, known, n_resamples, rng),
        n_ouc=len(a),
        n_tuc=len(b),
        images_ouc=None if n is None else _over_images(a, n[known], level),
        images_tuc=None if n is None else _over_images(b, n[~known], level),
    )


def _arrays(
    accuracy: np.ndarray | Sequence[float] | Mapping[int, float],
    overlapping: np.ndarray | Collection[int],
    images: np.ndarray | Sequence[int] | Mapping[int, int] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Bring mappings and arrays to one form, and refuse what has no gain."""
    if isinstance(accuracy, Mapping):
        classes = sorted(accuracy)
        stray = set(overlapping) - set(classes)
        if stray:
            raise DatasetError(f"Overlapping classes without an accuracy: {sorted(stray)[:5]}.")
        overlapping = np.isin(classes, list(overlapping))
        images = None if images is None else [images[c] for c in classes]
        accuracy = [accuracy[c] for c in classes]
    accuracy = np.asarray(accuracy, dtype=np.float64)
    known = np.asarray(overlapping)
    if accuracy.ndim != 1 or known.shape != accuracy.shape or known.dtype != bool:
        raise DatasetError(
            f"Expected one accuracy and one boolean per class; got shapes {accuracy.shape} and "
            f"{known.shape} of {known.dtype}."
        )
    if not ((accuracy >= 0) & (accuracy <= 1)).all():
        raise DatasetError("Accuracies must lie in [0, 1].")
    if not known.any() or known.all():
        raise DatasetError(f"A gain needs overlapping and other classes; got {known.sum()} of "
                           f"{len(known)} overlapping.")  # fmt: skip
    return accuracy, known, None if images is None else np.asarray(images, dtype=np.int64)


def _interval(
    A: np.ndarray, B: np.ndarray, tail: float, n_resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Bootstrap-t over classes, each side resampled by itself; NaN for a single class on a side.

    The percentile interval is too short with the few classes a test set has; dividing by each
    resample's own standard error restores its coverage. ``A`` and ``B`` hold accuracies, one line a
    class and one column for features or two: for a difference of gains both are resampled alike.
    """
    if min(len(A), len(B)) < 2:
        return (np.nan, np.nan)
    gain, error = _gain_and_error(A[None], B[None])
    if not error[0]:
        return (float(gain[0]), float(gain[0]))
    resampled = (X[rng.integers(len(X), size=(n_resamples, len(X)))] for X in (A, B))
    gains, errors = _gain_and_error(*resampled)
    # A resample of equal values has no error of its own; the sample's stands in for it.
    t = (gains - gain) / np.where(errors > 0.1 * error, errors, error)
    low, high = np.quantile(t, [tail, 1 - tail])
    most = 2 * A.shape[1]
    low, high = (float(np.clip(gain[0] - q * error[0], -most, most)) for q in (high, low))
    return low, high


def _gain_and_error(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gain of each resample, less that of a second column, and its error by the delta method.

    Shapes are (resamples, classes, columns); with :math:`g = 2 (a - b) / (a + b)` the derivatives
    are :math:`4 b / (a + b)^2` by a and :math:`-4 a / (a + b)^2` by b.
    """
    sign = np.array([1.0, -1.0])[: A.shape[2]]
    a, b = A.mean(axis=1), B.mean(axis=1)
    squared = np.where(a + b > TINY, a + b, 1) ** 2
    by_class = (X @ slope[:, :, None] for X, slope in (
        (A, sign * 4 * b / squared), (B, sign * 4 * a / squared),
    ))  # fmt: skip
    variance = sum(x[..., 0].var(axis=1, ddof=1) / x.shape[1] for x in by_class)
    return gain_of(a, b) @ sign, np.sqrt(variance)


def _permutation_p(
    accuracy: np.ndarray, known: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Share of ways to call as many classes overlapping that differ at least as much.

    Of a given set of accuracies the gain is a rising function of the difference, which unlike the
    gain is symmetric.
    """
    n, k = len(known), int(known.sum())
    total = accuracy.sum()
    observed = abs(accuracy[known].mean() - accuracy[~known].mean())
    if comb(n, k) <= EXACT:
        sums = np.array([accuracy[list(chosen)].sum() for chosen in combinations(range(n), k)])
        counted = 0
    else:
        sums = rng.permuted(np.tile(accuracy, (n_resamples, 1)), axis=1)[:, :k].sum(axis=1)
        counted = 1  # the sample itself is one of the permutations
    at_least = (np.abs(sums / k - (total - sums) / (n - k)) >= observed - 1e-12).sum()
    return float((at_least + counted) / (len(sums) + counted))


def _over_images(accuracy: np.ndarray, images: np.ndarray, level: float) -> ImageAccuracy:
    n, correct = int(images.sum()), round(float(accuracy @ images))
    return ImageAccuracy(correct, n, *accuracy_interval(correct, n, level))


# --- The study of FAIR ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One draw of classes: training, overlapping test and truly unseen test classes."""

    train: np.ndarray
    ouc: np.ndarray
    tuc: np.ndarray


def fair_draws(
    overlapping: ArrayLike,
    *,
    n_ouc: int,
    n_tuc: int,
    n_train: int | None = None,
    n_draws: int = 30,
    seed: int = 0,
) -> tuple[Draw, ...]:
    """Draw test classes, part overlapping and part truly unseen; the rest trains.

    FAIR draws 30 times, for UCF101 51 training, 25 overlapping and 25 truly unseen classes.

    Parameters
    ----------
    overlapping : bool array of shape (n_classes,)
    n_ouc, n_tuc : test classes of each kind
    n_train : training classes, by default all that are left
    n_draws : int, default=30
    seed : int, default=0
    """
    overlapping = np.asarray(overlapping, dtype=bool)
    of_kind = np.flatnonzero(overlapping), np.flatnonzero(~overlapping)
    left = len(overlapping) - n_ouc - n_tuc
    n_train = left if n_train is None else n_train
    if min(n_ouc, n_tuc, n_train) < 1 or n_train > left or any(
        wanted > len(there) for wanted, there in zip((n_ouc, n_tuc), of_kind, strict=True)
    ):  # fmt: skip
        raise ParameterError(
            f"Cannot draw {n_ouc} overlapping, {n_tuc} other and {n_train} training classes from "
            f"{len(of_kind[0])} overlapping and {len(of_kind[1])} other classes."
        )
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(n_draws):
        ouc, tuc = (
            np.sort(rng.choice(there, n, replace=False))
            for there, n in zip(of_kind, (n_ouc, n_tuc), strict=True)
        )
        rest = np.setdiff1d(np.arange(len(overlapping)), np.concatenate([ouc, tuc]))
        draws.append(Draw(np.sort(rng.choice(rest, n_train, replace=False)), ouc, tuc))
    return tuple(draws)


def half_and_half(overlapping: ArrayLike, *, n_draws: int = 30, seed: int = 0) -> tuple[Draw, ...]:
    """Draw as many overlapping as other test classes, a fifth of all classes together.

    Fewer where there are not twice as many of a kind, so that all are not tested at once.

    Raises
    ------
    ParameterError
        When there are fewer than four classes of a kind: two tested and two others.
    """
    overlapping = np.asarray(overlapping, dtype=bool)
    of_kind = int(overlapping.sum()), int((~overlapping).sum())
    if min(of_kind) < 4:
        raise ParameterError(
            f"Draws need four overlapping and four other classes or more; got {of_kind[0]} and "
            f"{of_kind[1]}."
        )
    n = min(max(2, round(len(overlapping) / 10)), of_kind[0] // 2, of_kind[1] // 2)
    return fair_draws(overlapping, n_ouc=n, n_tuc=n, n_draws=n_draws, seed=seed)


def overlap_study(
    methods: Mapping[str, ZSLEstimator],
    datasets: Mapping[str, ZSLDataset],
    draws: Sequence[Draw],
    *,
    on_progress: Callable[[int, int], None] | None = None,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
) -> pd.DataFrame:
    """Fit every method on every draw of classes with every feature set.

    Parameters
    ----------
    methods : name -> estimator with its parameters, fitted afresh on each draw
    datasets : name of the features -> data set; the same classes, in the same order
    draws : from :func:`fair_draws`
    on_progress : called with the fits done and those to do in all, after each
    preprocessing, seed : as of :func:`zslcore.protocol.fit_and_score`

    Returns
    -------
    DataFrame
        One row per draw, features, method and test class: ``draw``, ``features``, ``method``,
        ``class``, ``overlapping``, ``images``, ``accuracy`` (among the draw's test classes).
    """
    rows = []
    fits = list(product(datasets.items(), enumerate(draws), methods.items()))
    for n, ((features, dataset), (k, draw), (method, estimator)) in enumerate(fits, start=1):
        split = split_of_draw(dataset, draw)
        scores = fit_and_score(estimator, dataset, split, preprocessing=preprocessing, seed=seed)
        of_draw = draw_accuracies(scores, draw)
        rows += [(k, features, method, *row) for row in of_draw]
        if on_progress is not None:
            on_progress(n, len(fits))
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


def split_of_draw(dataset: ZSLDataset, draw: Draw, *, n_folds: int = 0) -> Split:
    """Return the split of a draw: all images of its classes train, or are tested.

    Parameters
    ----------
    dataset : ZSLDataset
    draw : Draw
    n_folds : int, default=0
        Groups of training classes that validate once each, drawn with seed 0.
    """
    labels, test = dataset.labels, np.union1d(draw.ouc, draw.tuc)
    trainval = np.flatnonzero(np.isin(labels, draw.train))
    return Split.from_rows(
        "draw",
        labels,
        trainval=trainval,
        test_seen=[],
        test_unseen=np.flatnonzero(np.isin(labels, test)),
        folds=class_folds(labels, trainval, n_folds) if n_folds else (),
    )


def draw_accuracies(scores: ScoredTest, draw: Draw) -> Iterator[tuple[int, bool, int, float]]:
    """Yield (class, overlapping, images, accuracy) of every test class of a draw."""
    F, y = scores.unseen_part
    accuracy = per_class_accuracy(y, F.argmax(axis=1))
    classes, images = scores.classes[~scores.seen], np.bincount(y)
    for c, value in accuracy.items():
        known = bool(np.isin(classes[c], draw.ouc))
        yield int(classes[c]), known, int(images[c]), float(value)


def study_summary(
    study: pd.DataFrame,
    *,
    baseline: str | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return gains by features and method, p adjusted over methods, and the gain over a baseline.

    Draws share classes, so they are no independent repetitions: a class counts once, with its mean
    accuracy over the draws that tested it; ``draw_deviation`` tells how much single draws vary.

    Parameters
    ----------
    study : from :func:`overlap_study`
    baseline : features without pre-training, whose gain is subtracted
    level : coverage of the intervals
    n_resamples : int, default=2000
        See :func:`overlap_gain`.
    seed : int, default=0

    Returns
    -------
    DataFrame
        ``features``, ``method``, ``acc_ouc``, ``acc_tuc``, ``all``, ``all_minus_clean``, ``gain``,
        ``low``, ``high``, ``p``, ``p_holm``, ``draw_mean``, ``draw_deviation`` and, with a
        baseline, ``gain_minus_baseline`` with ``minus_low`` and ``minus_high``, the interval of the
        difference over classes, resampled for both features alike, and ``minus_p``, that of
        :func:`gain_difference`.
    """
    features = list(study["features"].unique())
    if baseline is not None and baseline not in features:
        raise ParameterError(f"No features called {baseline!r}; got {', '.join(features)}.")
    rows = []
    parts = dict(iter(study.groupby(["features", "method"], sort=False)))
    by_class = {key: _by_class(part) for key, part in parts.items()}
    for (name, method), part in parts.items():
        own = accuracy, known = by_class[name, method]
        gain = overlap_gain(
            accuracy.to_numpy(), known.to_numpy(), level=level, n_resamples=n_resamples, seed=seed
        )
        gains = gains_by_draw(part).to_numpy()
        row = {"features": name, "method": method, "acc_ouc": gain.acc_ouc, "acc_tuc": gain.acc_tuc}
        row |= {"all": gain.all, "all_minus_clean": gain.all_minus_clean, "gain": gain.gain}
        row |= {"low": gain.interval[0], "high": gain.interval[1], "p": gain.p}
        row |= {"draw_mean": gains.mean(), "draw_deviation": gains.std(ddof=min(1, len(gains) - 1))}
        if baseline is not None:
            of_baseline = own if name == baseline else by_class.get((baseline, method))
            row |= _over_baseline(own, of_baseline, level, n_resamples, seed)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.insert(10, "p_holm", table.groupby("features")["p"].transform(lambda p: holm(p)))
    return table


def gains_by_draw(part: pd.DataFrame) -> pd.Series:
    """Return the gain of every draw of one method on one set of features, by draw.

    Parameters
    ----------
    part : rows of a study, see :func:`overlap_study`
    """
    known = part["overlapping"].to_numpy(bool)
    ouc, tuc = (part[side].groupby("draw")["accuracy"].mean() for side in (known, ~known))
    return pd.Series(gain_of(ouc, tuc.reindex(ouc.index)), ouc.index)


def _by_class(part: pd.DataFrame) -> ByClass:
    """Mean accuracy of every class over draws, and whether it overlaps."""
    by_class = part.groupby("class")
    return by_class["accuracy"].mean(), by_class["overlapping"].first()


def _over_baseline(
    own: ByClass, of_baseline: ByClass | None, level: float, n_resamples: int, seed: int
) -> dict[str, float]:
    """Gain minus the baseline's, with an interval over classes that both are tested on."""
    columns = ("gain_minus_baseline", "minus_low", "minus_high", "minus_p")
    if of_baseline is None or of_baseline is own:
        return dict.fromkeys(columns, np.nan if of_baseline is None else 0.0)
    found = _difference(own, of_baseline, level, n_resamples, seed)
    return dict(zip(columns, (found.difference, *found.interval, found.p), strict=True))


@dataclass(frozen=True, slots=True)
class GainDifference:
    """How much larger one gain is than another on the same classes.

    Attributes
    ----------
    difference : of the gains of both, a class counting once in each
    interval : bootstrap-t interval over classes, resampled for both alike
    p : two-sided permutation p-value over classes, of which overlap
    """

    difference: float
    interval: tuple[float, float]
    p: float


def gain_difference(
    part: pd.DataFrame,
    other: pd.DataFrame,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> GainDifference:
    """Return the gain of one method on one set of features minus that of another.

    Parameters
    ----------
    part, other : rows of a study, see :func:`overlap_study`, of one method and features each;
        classes that both are tested on count
    level, n_resamples, seed : as of :func:`overlap_gain`
    """
    return _difference(_by_class(part), _by_class(other), level, n_resamples, seed)


def _difference(
    own: ByClass, other: ByClass, level: float, n_resamples: int, seed: int
) -> GainDifference:
    (accuracy, known), (of_other, _) = own, other
    common = accuracy.index.intersection(of_other.index)
    pair = np.column_stack([accuracy[common], of_other[common]])
    is_known = known[common].to_numpy()
    A, B = pair[is_known], pair[~is_known]
    gains, rng = gain_of(A.mean(axis=0), B.mean(axis=0)), np.random.default_rng(seed)
    interval = _interval(A, B, (1 - level) / 2, n_resamples, rng)
    p = _difference_p(pair, is_known, n_resamples, rng)
    return GainDifference(float(gains[0] - gains[1]), interval, p)


def _difference_p(
    pair: np.ndarray, known: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Share of ways to call as many classes overlapping whose gains differ at least as much."""
    order = rng.permuted(np.tile(np.arange(len(pair)), (n_resamples, 1)), axis=1)
    chosen = np.vstack([np.flatnonzero(known), order[:, : known.sum()]])
    a = pair[chosen].mean(axis=1)
    b = (pair.sum(axis=0) - a * known.sum()) / (~known).sum()
    differences = np.abs(np.subtract(*gain_of(a, b).T))
    return float((differences >= differences[0] - TINY).mean())
