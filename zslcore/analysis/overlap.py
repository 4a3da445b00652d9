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
12 (bootstrap-t). S. Holm, "A simple sequentially rejective multiple test procedure", 1979. B. L.
Welch, "The generalization of Student's problem when several different population variances are
involved", Biometrika 34, 1947.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from zslcore.analysis.study import LiveProgress, Study, made_by
from zslcore.datasets import load
from zslcore.datasets.base import Split, ZSLDataset, class_folds
from zslcore.evaluation.protocol import ScoredTest, Setting
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Preprocessing
from zslcore.methods import get_method
from zslcore.methods.base import ZSLEstimator
from zslcore.metrics import accuracy_interval, per_class_accuracy
from zslcore.metrics.gain import (
    GROUPS,
    TINY,
    ByClass,
    OverlapGain,
    _interval,
    gain_of,
    overlap_gain,
)
from zslcore.metrics.significance import holm
from zslcore.names import class_key
from zslcore.progress import Progress, silent

#: Columns of a study, see :func:`overlap_study`.
STUDY_COLUMNS = ("draw", "features", "method", "class", "overlapping", "images", "accuracy")


# --- The study of FAIR ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One draw of classes: to train, overlapping test classes (OUC), truly unseen ones (TUC)."""

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
    ``overlapping`` is a bool array of shape (n_classes,).
    """
    overlapping = np.asarray(overlapping, dtype=bool)
    of_kind = np.flatnonzero(overlapping), np.flatnonzero(~overlapping)
    left = len(overlapping) - n_ouc - n_tuc
    n_train = left if n_train is None else n_train
    enough = n_ouc <= len(of_kind[0]) and n_tuc <= len(of_kind[1])
    if min(n_ouc, n_tuc, n_train) < 1 or n_train > left or not enough:
        raise ParameterError(
            f"Cannot draw {n_ouc} overlapping, {n_tuc} other and {n_train} training classes from "
            f"{len(of_kind[0])} overlapping and {len(of_kind[1])} other classes."
        )
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(n_draws):
        ouc, tuc = (
            np.sort(rng.choice(available, n, replace=False))
            for available, n in zip(of_kind, (n_ouc, n_tuc), strict=True)
        )
        rest = np.setdiff1d(np.arange(len(overlapping)), np.concatenate([ouc, tuc]))
        draws.append(Draw(np.sort(rng.choice(rest, n_train, replace=False)), ouc, tuc))
    return tuple(draws)


def half_and_half(overlapping: ArrayLike, *, n_draws: int = 30, seed: int = 0) -> tuple[Draw, ...]:
    """Draw as many overlapping as other test classes, a fifth of all classes together.

    Fewer where there are not twice as many of a kind, so that all are not tested at once. Raises
    ParameterError when there are fewer than four classes of a kind: two tested and two others.
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
    progress: Progress = silent,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
) -> pd.DataFrame:
    """Fit every method on every draw of classes with every feature set.

    Parameters
    ----------
    methods : name -> estimator with its parameters, fitted afresh on each draw
    datasets : name of the features -> data set; the same classes, in the same order
    progress : callable(done, total, message), called after each fit

    Returns
    -------
    DataFrame
        One row per draw, features, method and test class; ``accuracy`` is among the draw's test
        classes.
    """
    rows = []
    fits = list(product(datasets.items(), enumerate(draws), methods.items()))
    for n, ((features, dataset), (k, draw), (method, estimator)) in enumerate(fits, start=1):
        split = split_of_draw(dataset, draw)
        scores = Setting(dataset, split, preprocessing, seed).score(estimator)
        of_draw = draw_accuracies(scores, draw)
        rows += [(k, features, method, *row) for row in of_draw]
        progress(n, len(fits), f"Fit {n} of {len(fits)}")
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


@dataclass(frozen=True)
class OverlapStudy(Study[pd.DataFrame]):
    """Methods, with their defaults, on draws of test classes, half of them known to the extractor.

    ``datasets`` are of the same classes, names -> digests.
    """

    kind = "overlap_study"

    datasets: Mapping[str, str]
    methods: tuple[str, ...]
    known: tuple[int, ...]
    n_draws: int

    @classmethod
    def of(
        cls,
        datasets: Sequence[ZSLDataset],
        methods: Sequence[str],
        known: Sequence[int],
        n_draws: int,
    ) -> Self:
        """Return the study of open data sets."""
        digests = {dataset.name: dataset.digest for dataset in datasets}
        return cls(digests, tuple(methods), tuple(sorted(map(int, known))), n_draws)

    @property
    def title(self) -> str:
        """Description on the screen."""
        return f"{self.n_draws} draws of test classes of {', '.join(self.datasets)}"

    @property
    def made_by(self) -> dict[str, Any]:
        """Revisions of the methods and, where they are searched, their grids."""
        return made_by(*(get_method(name)() for name in self.methods))

    def compute(self, progress: LiveProgress) -> pd.DataFrame:
        """Fit every method on every draw with all features."""
        opened = {name: load(name) for name in self.datasets}
        n_classes = next(iter(opened.values())).n_classes
        return overlap_study(
            {name: get_method(name)() for name in self.methods},
            opened,
            half_and_half(np.isin(np.arange(n_classes), self.known), n_draws=self.n_draws),
            progress=progress,
        )


def split_of_draw(dataset: ZSLDataset, draw: Draw, *, n_folds: int = 0) -> Split:
    """Return the split of a draw; each of ``n_folds`` groups of training classes validates once."""
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
        is_overlapping = bool(np.isin(classes[c], draw.ouc))
        yield int(classes[c]), is_overlapping, int(images[c]), float(value)


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

    Returns
    -------
    DataFrame
        ``minus_low`` and ``minus_high`` are the interval of ``gain_minus_baseline`` over classes,
        resampled for both features alike, ``minus_p`` that of :func:`gain_difference`.
    """
    features = list(study["features"].unique())
    if baseline is not None and baseline not in features:
        raise ParameterError(f"No features called {baseline!r}; got {', '.join(features)}.")
    rows = []
    parts = dict(iter(study.groupby(["features", "method"], sort=False)))
    by_class = {key: _by_class(part) for key, part in parts.items()}
    for (name, method), part in parts.items():
        own = accuracy, overlapping = by_class[name, method]
        gain = overlap_gain(
            accuracy.to_numpy(),
            overlapping.to_numpy(),
            level=level,
            n_resamples=n_resamples,
            seed=seed,
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
    """Return the gain of every draw of one method on one set of features, by draw."""
    overlapping = part["overlapping"].to_numpy(bool)
    ouc, tuc = (
        part[side].groupby("draw")["accuracy"].mean() for side in (overlapping, ~overlapping)
    )
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
    difference = _difference(own, of_baseline, level, n_resamples, seed)
    return dict(
        zip(columns, (difference.difference, *difference.interval, difference.p), strict=True)
    )


@dataclass(frozen=True, slots=True)
class GainDifference:
    """How much larger one gain is than another on the same classes, a class counting once in each.

    Attributes
    ----------
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

    ``part`` and ``other`` are rows of :func:`overlap_study`; classes that both are tested on count.
    """
    return _difference(_by_class(part), _by_class(other), level, n_resamples, seed)


def _difference(
    own: ByClass, other: ByClass, level: float, n_resamples: int, seed: int
) -> GainDifference:
    (accuracy, overlapping), (of_other, _) = own, other
    common = accuracy.index.intersection(of_other.index)
    pair = np.column_stack([accuracy[common], of_other[common]])
    is_known = overlapping[common].to_numpy()
    A, B = pair[is_known], pair[~is_known]
    gains, rng = gain_of(A.mean(axis=0), B.mean(axis=0)), np.random.default_rng(seed)
    interval = _interval(A, B, (1 - level) / 2, n_resamples, rng)
    p = _difference_p(pair, is_known, n_resamples, rng)
    return GainDifference(float(gains[0] - gains[1]), interval, p)


def _difference_p(
    pair: np.ndarray, in_pretraining: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Share of relabellings of the classes with at least as large a difference of gains."""
    order = rng.permuted(np.tile(np.arange(len(pair)), (n_resamples, 1)), axis=1)
    chosen = np.vstack([np.flatnonzero(in_pretraining), order[:, : in_pretraining.sum()]])
    a = pair[chosen].mean(axis=1)
    b = (pair.sum(axis=0) - a * in_pretraining.sum()) / (~in_pretraining).sum()
    differences = np.abs(np.subtract(*gain_of(a, b).T))
    return float((differences >= differences[0] - TINY).mean())


# --- Gains of several methods as tables -----------------------------------------------------------

Accuracy = Mapping[int, float]

_FIGURES = ("all", "clean", "overlap", "all_minus_clean", "gain", "low", "high", "p")


def class_accuracies(
    accuracy: Accuracy,
    overlapping: Collection[int],
    images: Mapping[int, int],
    names: Mapping[int, str],
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the accuracy of every test class, among unseen classes, with its interval, best first.

    The exact binomial interval (Clopper-Pearson) takes the class as fixed.
    """
    rows = []
    for c, share in accuracy.items():
        n, correct = images[c], round(share * images[c])
        interval = accuracy_interval(correct, n, level)
        rows.append((c, names[c], c in overlapping, n, correct, share, *interval))
    columns = ["number", "class", "overlapping", "images", "correct", "accuracy", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def test_images(dataset: ZSLDataset, split: Split) -> dict[int, int]:
    """Count the unseen test images of every unseen class."""
    classes, counts = np.unique(dataset.labels[split.test_unseen], return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def gain_figures(gain: OverlapGain) -> dict[str, float]:
    """Return the figures of one gain: mean accuracies, gain, its interval and p, by name."""
    accuracies = (gain.all, gain.clean, gain.overlap, gain.all_minus_clean)
    return dict(zip(_FIGURES, (*accuracies, gain.gain, *gain.interval, gain.p), strict=True))


def method_gains(
    accuracies: Mapping[str, Accuracy],
    overlapping: Collection[int],
    related: Collection[int] = (),
) -> pd.DataFrame:
    """Return one row per method: accuracies, gain, its interval and p, and ranks.

    Parameters
    ----------
    accuracies : method -> {class: accuracy among unseen classes}
    overlapping : classes in the pre-training set
    related : classes that are neither in the set nor in the group that these are compared with

    Returns
    -------
    DataFrame
        ``all``, ``clean`` (unrelated) and ``overlap`` are mean per-class accuracies, ``p_holm`` is
        Holm's over the methods, rank 1 the best; best of all classes first.

    Raises
    ------
    DatasetError
        When no test class overlaps, or all do.
    """
    rows = []
    for method, accuracy in accuracies.items():
        compared = {c: a for c, a in accuracy.items() if c in overlapping or c not in related}
        gain = overlap_gain(compared, [c for c in compared if c in overlapping])
        every = float(np.mean([*accuracy.values()]))
        figures = gain_figures(gain) | {"all": every, "all_minus_clean": every - gain.clean}
        rows.append({"method": method, **figures})
    table = pd.DataFrame(rows, columns=["method", *_FIGURES])
    table["p_holm"] = holm(table["p"].to_numpy()) if len(table) else table["p"]
    for column in ("all", "clean"):
        table[f"rank_{column}"] = table[column].rank(ascending=False, method="min").astype(int)
    return table.sort_values("all", ascending=False, kind="stable", ignore_index=True)


def same_classes(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lists of names are the same classes in the same order, however spelt.

    Examples
    --------
    >>> same_classes(["persian cat", "pig"], ["persian+cat", "Pig"])
    True
    """
    return [*map(class_key, names)] == [*map(class_key, others)]


# --- Effect of pre-training, class by class -------------------------------------------------------


#: Methods that are compared: closed forms, all draws in seconds. The first fits word vectors, too.
GAIN_METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")
#: Simulated data -> the same classes with features of an extractor that was trained on nothing.
UNTRAINED = {
    f"simulated-{name}{twin}": f"simulated-{name}{baseline}"
    for name, baseline in (
        ("AWA2", "-untrained"),
        ("AWA1", "-untrained"),
        ("UCF101", "-idt"),
        ("HMDB51", "-idt"),
    )
    for twin in ("", "-unplanted")
}


def class_gains(
    study: pd.DataFrame,
    features: str,
    baseline: str,
    method: str,
    names: Sequence[str],
    related: Collection[int] = (),
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the gain of every class by pre-training, largest first.

    The gain is the mean over the draws that test a class of its accuracy with the features of a
    pre-trained extractor minus that with features that were trained on nothing; both are measured
    on the same draws, so that the interval is Student's over their differences.

    Parameters
    ----------
    study : from :func:`overlap_study`
    features, baseline : features with pre-training, and those without
    names : of all classes
    related : classes that are not in the pre-training set, but related to one of it

    Returns
    -------
    DataFrame
        One row per class that was tested: ``group``, see :data:`GROUPS`, ``draws`` (that tested
        it), ``accuracy`` and ``baseline`` (means with and without pre-training); ``low`` and
        ``high`` are NaN for a class that was tested once.

    Raises
    ------
    ParameterError
        When the study lacks the method with these features.
    """
    of_method = study[study["method"] == method]
    pairs = of_method.pivot_table(
        index=["class", "draw", "overlapping"], columns="features", values="accuracy"
    )
    if missing := [name for name in (features, baseline) if name not in pairs]:
        raise ParameterError(f"{method}: expected a study with {', '.join(missing)}; got none.")
    pairs = pairs.assign(gain=pairs[features] - pairs[baseline]).reset_index()
    by_class = pairs.groupby("class")
    draws, gain = by_class.size(), by_class["gain"].mean()
    error = by_class["gain"].std().to_numpy() / np.sqrt(draws.to_numpy())
    reach = error * stats.t.ppf((1 + level) / 2, np.maximum(draws.to_numpy() - 1, 1))
    inside = by_class["overlapping"].first().astype(bool).to_numpy()
    near = np.isin(gain.index, sorted(related))
    table = pd.DataFrame(
        {
            "number": gain.index,
            "class": [names[c] for c in gain.index],
            "group": np.select([inside, near], GROUPS[:2], GROUPS[2]),
            "draws": draws,
            "accuracy": by_class[features].mean(),
            "baseline": by_class[baseline].mean(),
            "gain": gain,
            "low": gain - reach,
            "high": gain + reach,
        }
    )
    return table.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True, slots=True)
class GroupGain:
    """How much more pre-training adds to classes in its set than to unrelated ones, as fractions.

    Attributes
    ----------
    every, inside, related, unrelated : mean gain of all classes and of each group; NaN of none
    others : mean gain of all classes that are not in the set, related or not
    difference : ``inside`` minus ``unrelated``
    low, high : Welch's 95 % interval of the difference over classes
    p : two-sided, of Welch's test
    """

    every: float
    inside: float
    related: float
    unrelated: float
    others: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def group_gain(table: pd.DataFrame) -> GroupGain:
    """Compare the gains of classes in the pre-training set with those of unrelated ones.

    Related classes are in neither group: the set may have their kinds, so that they are no control
    (FAIR counts semantically similar names as overlapping). Classes are the unit: the difference
    has Welch's interval.

    Parameters
    ----------
    table : from :func:`class_gains`

    Raises
    ------
    DatasetError
        With fewer than two classes in the set, or unrelated.
    """
    gains = [table.loc[table["group"] == group, "gain"].to_numpy() for group in GROUPS]
    inside, related, unrelated = gains
    if min(len(inside), len(unrelated)) < 2:
        raise DatasetError(
            "Expected two classes in the pre-training set and two unrelated ones; got "
            f"{len(inside)} and {len(unrelated)}."
        )
    test = stats.ttest_ind(inside, unrelated, equal_var=False)
    interval = test.confidence_interval(0.95)
    return GroupGain(
        every=float(table["gain"].mean()),
        inside=float(inside.mean()),
        related=float(related.mean()) if len(related) else np.nan,
        unrelated=float(unrelated.mean()),
        others=float(np.concatenate([related, unrelated]).mean()),
        difference=float(inside.mean() - unrelated.mean()),
        low=float(interval.low),
        high=float(interval.high),
        p=float(test.pvalue),
    )
