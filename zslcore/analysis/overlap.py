r"""Gain in accuracy for test classes that are in the pre-training set of the extractor.

.. math::
    \mathrm{gain} = \frac{\mathrm{ACC_{OUC}} - \mathrm{ACC_{TUC}}}
                         {\tfrac12 (\mathrm{ACC_{OUC}} + \mathrm{ACC_{TUC}})}

where :math:`\mathrm{ACC}` is the mean per-class accuracy of the overlapping (OUC) or the truly
unseen test classes (TUC). The sample consists of test classes, not images: the interval resamples
classes, and the p-value permutes the labels "overlapping" among them. The effect of pre-training is
the gain with pre-trained features minus the gain with features without pre-training.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos"
(FAIR), VISAPP 2021, section 4. B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993,
chapter 12 (bootstrap-t). S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
B. L. Welch, "The generalization of Student's problem when several different population variances
are involved", Biometrika 34, 1947.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from zslcore.analysis.study import Study, code_versions
from zslcore.datasets import load
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import DatasetError, ParameterError
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
from zslcore.metrics.significance import holm, welch
from zslcore.names import class_key
from zslcore.progress import Progress, silent

#: Columns of a study; see :func:`overlap_study`.
STUDY_COLUMNS = ("draw", "features", "method", "class", "overlapping", "images", "accuracy")


# --- The study of FAIR ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Draw of training classes, overlapping unseen classes (OUC) and truly unseen classes (TUC)."""

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
    """Draw overlapping and truly unseen test classes, and training classes from the rest.

    FAIR makes 30 draws; for UCF101 each has 51 training, 25 overlapping and 25 truly unseen
    classes. By default all classes that are not drawn for the test are training classes.
    ``overlapping`` is a bool array of shape (n_classes,).
    """
    overlapping = np.asarray(overlapping, dtype=bool)
    groups = np.flatnonzero(overlapping), np.flatnonzero(~overlapping)
    n_left = len(overlapping) - n_ouc - n_tuc
    n_train = n_left if n_train is None else n_train
    enough = n_ouc <= len(groups[0]) and n_tuc <= len(groups[1])
    if min(n_ouc, n_tuc, n_train) < 1 or n_train > n_left or not enough:
        raise ParameterError(
            f"Cannot draw {n_ouc} overlapping, {n_tuc} other and {n_train} training classes from "
            f"{len(groups[0])} overlapping and {len(groups[1])} other classes."
        )
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(n_draws):
        ouc, tuc = (
            np.sort(rng.choice(available, n, replace=False))
            for available, n in zip(groups, (n_ouc, n_tuc), strict=True)
        )
        remaining = np.setdiff1d(np.arange(len(overlapping)), np.concatenate([ouc, tuc]))
        draws.append(Draw(np.sort(rng.choice(remaining, n_train, replace=False)), ouc, tuc))
    return tuple(draws)


def half_and_half(overlapping: ArrayLike, *, n_draws: int = 30, seed: int = 0) -> tuple[Draw, ...]:
    """Draw equal numbers of overlapping and other test classes, together a fifth of all classes.

    At most half of the overlapping and half of the other classes are drawn, so the test classes can
    be fewer than a fifth. Raises ParameterError with fewer than four overlapping or four other
    classes: two to test, and two to train.
    """
    overlapping = np.asarray(overlapping, dtype=bool)
    groups = int(overlapping.sum()), int((~overlapping).sum())
    if min(groups) < 4:
        raise ParameterError(
            f"Draws need at least four overlapping and four other classes; got {groups[0]} and "
            f"{groups[1]}."
        )
    n = min(max(2, round(len(overlapping) / 10)), groups[0] // 2, groups[1] // 2)
    return fair_draws(overlapping, n_ouc=n, n_tuc=n, n_draws=n_draws, seed=seed)


def overlap_study(
    methods: Mapping[str, ZSLEstimator],
    datasets: Mapping[str, ZSLDataset],
    draws: Sequence[Draw],
    *,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Fit every method on every draw of classes, with each kind of features.

    Parameters
    ----------
    methods : name -> estimator, cloned and fitted for each draw
    datasets : name of the features -> data set; all with the same classes in the same order
    progress : callable(done, total, message), called after each fit

    Returns
    -------
    DataFrame
        One row per draw, features, method and test class; the candidates for ``accuracy`` are the
        test classes of the draw.
    """
    rows = []
    fits = list(product(datasets.items(), enumerate(draws), methods.items()))
    for n, ((features, dataset), (k, draw), (method, estimator)) in enumerate(fits, start=1):
        of_draw = draw_accuracies(estimator, dataset, draw)
        rows += [(k, features, method, *row) for row in of_draw]
        progress(n, len(fits), f"Fit {n} of {len(fits)}")
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


@dataclass(frozen=True)
class OverlapStudy(Study[pd.DataFrame]):
    """Study of methods with default parameters on draws in which half of the test classes overlap.

    ``datasets`` maps names of data sets with the same classes to digests.
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
        in_set: Sequence[int],
        n_draws: int,
    ) -> Self:
        """Return the study of data sets; ``in_set`` are the classes in the pre-training set."""
        digests = {dataset.name: dataset.digest for dataset in datasets}
        return cls(digests, tuple(methods), tuple(sorted(map(int, in_set))), n_draws)

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{self.n_draws} draws of test classes of {', '.join(self.datasets)}"

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of the methods."""
        return code_versions(*(get_method(name)() for name in self.methods))

    def compute(self, progress: Progress) -> pd.DataFrame:
        """Fit every method on every draw, with each kind of features."""
        opened = {name: load(name) for name in self.datasets}
        n_classes = next(iter(opened.values())).n_classes
        return overlap_study(
            {name: get_method(name)() for name in self.methods},
            opened,
            half_and_half(np.isin(np.arange(n_classes), self.known), n_draws=self.n_draws),
            progress=progress,
        )


def draw_accuracies(
    method: ZSLEstimator, dataset: ZSLDataset, draw: Draw, seed: int = 0
) -> list[tuple[int, bool, int, float]]:
    """Fit on the training classes of a draw; return a row per test class.

    A row has class, whether it overlaps, number of images, and accuracy.
    """
    labels, test = dataset.labels, np.union1d(draw.ouc, draw.tuc)
    split = Split.from_rows(
        "draw",
        labels,
        trainval=np.flatnonzero(np.isin(labels, draw.train)),
        test_seen=[],
        test_unseen=np.flatnonzero(np.isin(labels, test)),
    )
    scores = Setting(dataset, split, seed=seed).score(method)
    F, y = scores.unseen_part
    accuracy = per_class_accuracy(y, F.argmax(axis=1))
    classes, images = scores.classes[~scores.seen], np.bincount(y)
    return [
        (int(classes[c]), bool(np.isin(classes[c], draw.ouc)), int(images[c]), float(value))
        for c, value in accuracy.items()
    ]


def study_summary(
    study: pd.DataFrame,
    *,
    baseline: str | None = None,
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return gains by features and method, adjusted p-values, and differences from a baseline.

    Draws share classes, so they are not independent repetitions: each class counts once, with its
    mean accuracy over the draws that test it. ``draw_deviation`` is the standard deviation of the
    gain over draws; p-values are adjusted over methods.

    Parameters
    ----------
    study : from :func:`overlap_study`
    baseline : features without pre-training; their gain is subtracted

    Returns
    -------
    DataFrame
        ``minus_low`` to ``minus_high`` is the bootstrap-t interval of ``gain_minus_baseline`` over
        classes, with the same resampled classes for both features; ``minus_p`` is its two-sided
        p-value, from permutations of the labels "overlapping" among classes.
    """
    features = list(study["features"].unique())
    if baseline is not None and baseline not in features:
        raise ParameterError(f"Baseline: expected one of {', '.join(features)}; got {baseline!r}.")
    rows = []
    parts = dict(iter(study.groupby(["features", "method"], sort=False)))
    by_class = {key: _by_class(part) for key, part in parts.items()}
    for (name, method), part in parts.items():
        values = accuracy, overlapping = by_class[name, method]
        gain = overlap_gain(
            accuracy.to_numpy(),
            overlapping.to_numpy(),
            n_resamples=n_resamples,
            seed=seed,
        )
        gains = gains_by_draw(part).to_numpy()
        row = {"features": name, "method": method, "acc_ouc": gain.acc_ouc, "acc_tuc": gain.acc_tuc}
        row |= {"all": gain.all, "all_minus_clean": gain.all_minus_clean, "gain": gain.gain}
        row |= {"low": gain.interval[0], "high": gain.interval[1], "p": gain.p}
        row |= {"draw_mean": gains.mean(), "draw_deviation": gains.std(ddof=min(1, len(gains) - 1))}
        if baseline is not None:
            of_baseline = values if name == baseline else by_class.get((baseline, method))
            row |= _difference_from_baseline(values, of_baseline, n_resamples, seed)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.insert(10, "p_holm", table.groupby("features")["p"].transform(lambda p: holm(p)))
    return table


def gains_by_draw(part: pd.DataFrame) -> pd.Series:
    """Return the gain of each draw, for one method with one kind of features."""
    overlapping = part["overlapping"].to_numpy(bool)
    ouc, tuc = (
        part[side].groupby("draw")["accuracy"].mean() for side in (overlapping, ~overlapping)
    )
    return pd.Series(gain_of(ouc, tuc.reindex(ouc.index)), ouc.index)


def _by_class(part: pd.DataFrame) -> ByClass:
    """Return the mean accuracy of each class over draws, and whether it overlaps."""
    by_class = part.groupby("class")
    return by_class["accuracy"].mean(), by_class["overlapping"].first()


def _difference_from_baseline(
    by_class: ByClass, of_baseline: ByClass | None, n_resamples: int, seed: int
) -> dict[str, float]:
    """Return the gain minus the baseline's gain, with an interval over their common classes."""
    columns = ("gain_minus_baseline", "minus_low", "minus_high", "minus_p")
    if of_baseline is None or of_baseline is by_class:
        return dict.fromkeys(columns, np.nan if of_baseline is None else 0.0)
    (accuracy, overlapping), (baseline_accuracy, _) = by_class, of_baseline
    common = accuracy.index.intersection(baseline_accuracy.index)
    pair = np.column_stack([accuracy[common], baseline_accuracy[common]])
    overlaps = overlapping[common].to_numpy()
    A, B = pair[overlaps], pair[~overlaps]
    gains, rng = gain_of(A.mean(axis=0), B.mean(axis=0)), np.random.default_rng(seed)
    low, high = _interval(A, B, n_resamples, rng)
    p = _difference_p(pair, overlaps, n_resamples, rng)
    return dict(zip(columns, (float(gains[0] - gains[1]), low, high, p), strict=True))


def _difference_p(
    pair: np.ndarray, overlaps: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return the share of label permutations with at least the observed difference of gains."""
    order = rng.permuted(np.tile(np.arange(len(pair)), (n_resamples, 1)), axis=1)
    chosen = np.vstack([np.flatnonzero(overlaps), order[:, : overlaps.sum()]])
    a = pair[chosen].mean(axis=1)
    b = (pair.sum(axis=0) - a * overlaps.sum()) / (~overlaps).sum()
    differences = np.abs(np.subtract(*gain_of(a, b).T))
    return float((differences >= differences[0] - TINY).mean())


# --- Gains of several methods as tables -----------------------------------------------------------

Accuracy = Mapping[int, float]

_METRICS = ("all", "clean", "overlap", "all_minus_clean", "gain", "low", "high", "p")


def class_accuracies(
    accuracy: Accuracy,
    overlapping: Collection[int],
    images: Mapping[int, int],
    names: Mapping[int, str],
) -> pd.DataFrame:
    """Return the ZSL accuracy of each test class, with its interval, best first.

    The exact binomial interval (Clopper-Pearson) is over images of the class.
    """
    rows = []
    for c, share in accuracy.items():
        n, correct = images[c], round(share * images[c])
        interval = accuracy_interval(correct, n)
        rows.append((c, names[c], c in overlapping, n, correct, share, *interval))
    columns = ["number", "class", "overlapping", "images", "correct", "accuracy", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def test_images(dataset: ZSLDataset, split: Split) -> dict[int, int]:
    """Return the number of test images of each unseen class."""
    classes, counts = np.unique(dataset.labels[split.test_unseen], return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def gain_metrics(gain: OverlapGain) -> dict[str, float]:
    """Return the values of a gain by name: mean accuracies, gain, its interval, and p."""
    accuracies = (gain.all, gain.clean, gain.overlap, gain.all_minus_clean)
    return dict(zip(_METRICS, (*accuracies, gain.gain, *gain.interval, gain.p), strict=True))


def method_gains(
    accuracies: Mapping[str, Accuracy],
    overlapping: Collection[int],
    related: Collection[int] = (),
) -> pd.DataFrame:
    """Return one row per method: mean accuracies, gain with interval and p-value, and ranks.

    Parameters
    ----------
    accuracies : method -> {class: accuracy with the unseen classes as candidates}
    overlapping : classes in the pre-training set
    related : classes that count only in ``all``

    Returns
    -------
    DataFrame
        ``all``, ``clean`` (unrelated classes) and ``overlap`` are mean per-class accuracies;
        ``p_holm`` is adjusted over methods; rank 1 is the best. Sorted by ``all``, best first.

    Raises
    ------
    DatasetError
        If no test class or every test class overlaps.
    """
    rows = []
    for method, accuracy in accuracies.items():
        compared = {c: a for c, a in accuracy.items() if c in overlapping or c not in related}
        gain = overlap_gain(compared, [c for c in compared if c in overlapping])
        mean = float(np.mean([*accuracy.values()]))
        metrics = gain_metrics(gain) | {"all": mean, "all_minus_clean": mean - gain.clean}
        rows.append({"method": method, **metrics})
    table = pd.DataFrame(rows, columns=["method", *_METRICS])
    table["p_holm"] = holm(table["p"].to_numpy()) if len(table) else table["p"]
    for column in ("all", "clean"):
        table[f"rank_{column}"] = table[column].rank(ascending=False, method="min").astype(int)
    return table.sort_values("all", ascending=False, kind="stable", ignore_index=True)


def same_classes(names: Sequence[str], other_names: Sequence[str]) -> bool:
    """Whether two lists name the same classes in the same order, in any spelling.

    Examples
    --------
    >>> same_classes(["persian cat", "pig"], ["persian+cat", "Pig"])
    True
    """
    return [*map(class_key, names)] == [*map(class_key, other_names)]


# --- Effect of pre-training, class by class -------------------------------------------------------


#: Compared methods: they have closed-form solutions, so that all draws take seconds. The first also
#: works with word vectors as class embeddings.
GAIN_METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")
#: Simulated data set -> the same classes with features without pre-training.
UNTRAINED = {
    f"simulated-{name}{ending}": f"simulated-{name}{baseline}"
    for name, baseline in (
        ("AWA2", "-untrained"),
        ("AWA1", "-untrained"),
        ("UCF101", "-idt"),
        ("HMDB51", "-idt"),
    )
    for ending in ("", "-unplanted")
}


def class_gains(
    study: pd.DataFrame,
    features: str,
    baseline: str,
    method: str,
    names: Sequence[str],
    related: Collection[int] = (),
) -> pd.DataFrame:
    """Return the gain of each class from pre-training, largest first.

    The gain of a class in a draw is its accuracy with pre-trained features minus its accuracy with
    features without pre-training. The table has the mean over the draws that test the class, with
    Student's interval over these draws.

    Parameters
    ----------
    study : from :func:`overlap_study`
    features, baseline : names of features with and without pre-training
    names : names of all classes
    related : classes that are not in the pre-training set, but related to a class in it

    Returns
    -------
    DataFrame
        One row per tested class: ``group`` (see :data:`GROUPS`), ``draws`` (number of draws that
        test it), ``accuracy`` and ``baseline`` (means with and without pre-training), and ``gain``
        with its interval; ``low`` and ``high`` are NaN for a single draw.

    Raises
    ------
    ParameterError
        If the study has no rows of the method with these features.
    """
    of_method = study[study["method"] == method]
    pairs = of_method.pivot_table(
        index=["class", "draw", "overlapping"], columns="features", values="accuracy"
    )
    if missing := [name for name in (features, baseline) if name not in pairs]:
        raise ParameterError(f"{method}: expected results with {' and '.join(missing)}; got none.")
    pairs = pairs.assign(gain=pairs[features] - pairs[baseline]).reset_index()
    by_class = pairs.groupby("class")
    draws, gain = by_class.size(), by_class["gain"].mean()
    error = by_class["gain"].std().to_numpy() / np.sqrt(draws.to_numpy())
    reach = error * stats.t.ppf(0.975, np.maximum(draws.to_numpy() - 1, 1))
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
    """Gain from pre-training by group of classes, as fractions.

    Attributes
    ----------
    inside, related, unrelated : mean gain by group of classes (NaN if empty)
    others : mean gain of all classes outside the pre-training set, related or not
    difference : ``inside`` minus ``unrelated``
    low, high : Welch's 95 % interval of the difference over classes
    p : two-sided p-value of Welch's test
    """

    inside: float
    related: float
    unrelated: float
    others: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def group_gain(table: pd.DataFrame) -> GroupGain:
    """Compare the gains of classes in the pre-training set with the gains of unrelated classes.

    Related classes are in neither group: the pre-training set may contain kinds of them, so they
    are not a control (FAIR counts semantically similar names as overlapping). The difference has
    Welch's interval over classes.

    Parameters
    ----------
    table : from :func:`class_gains`

    Raises
    ------
    DatasetError
        With fewer than two classes in the pre-training set, or fewer than two unrelated classes.
    """
    gains = [table.loc[table["group"] == group, "gain"].to_numpy() for group in GROUPS]
    inside, related, unrelated = gains
    if min(len(inside), len(unrelated)) < 2:
        raise DatasetError(
            "Expected two classes in the pre-training set and two unrelated ones; got "
            f"{len(inside)} and {len(unrelated)}."
        )
    low, high, p = welch(inside, unrelated)
    return GroupGain(
        inside=float(inside.mean()),
        related=float(related.mean()) if len(related) else np.nan,
        unrelated=float(unrelated.mean()),
        others=float(np.concatenate([related, unrelated]).mean()),
        difference=float(inside.mean() - unrelated.mean()),
        low=low,
        high=high,
        p=p,
    )
