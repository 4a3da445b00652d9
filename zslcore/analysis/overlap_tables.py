"""OverlapGain of several methods as tables: by class, by method and by split."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from zslcore.analysis.overlap import STUDY_COLUMNS
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.facts import plain_name
from zslcore.exceptions import DatasetError
from zslcore.metrics import accuracy_interval
from zslcore.metrics.gain import OverlapGain, overlap_gain
from zslcore.metrics.significance import holm

__all__ = [
    "class_accuracies",
    "class_under_methods",
    "classes_over_draws",
    "gain_figures",
    "gains_by_split",
    "method_gains",
    "same_classes",
    "study_of_split",
    "test_images",
    "winners",
]

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
    """Return the accuracy of every test class with its exact binomial interval, best first.

    Parameters
    ----------
    accuracy : class -> accuracy among unseen classes
    overlapping : classes known to the extractor
    images : class -> test images
    names : class -> its name
    level : coverage of the interval (Clopper-Pearson), which takes the class as fixed

    Returns
    -------
    DataFrame with the columns ``number``, ``class``, ``overlapping``, ``images``, ``correct``,
    ``accuracy``, ``low`` and ``high``
    """
    rows = []
    for c, share in accuracy.items():
        n, correct = images[c], round(share * images[c])
        interval = accuracy_interval(correct, n, level)
        rows.append((c, names[c], c in overlapping, n, correct, share, *interval))
    columns = ["number", "class", "overlapping", "images", "correct", "accuracy", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def class_under_methods(
    accuracies: Mapping[str, Accuracy], c: int, images: Mapping[int, int]
) -> pd.DataFrame:
    """Return the accuracy of class ``c`` under every method, with its exact interval.

    Returns
    -------
    DataFrame with the columns ``method``, ``images``, ``correct``, ``accuracy``, ``low``, ``high``
    """
    rows = [
        class_accuracies({c: accuracy[c]}, (), images, {c: ""}).assign(method=method)
        for method, accuracy in accuracies.items()
    ]
    return pd.concat(rows)[["method", "images", "correct", "accuracy", "low", "high"]]


def test_images(dataset: ZSLDataset, split: Split) -> dict[int, int]:
    """Count the unseen test images of every unseen class."""
    classes, counts = np.unique(dataset.labels[split.test_unseen], return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def gain_figures(gain: OverlapGain) -> dict[str, float]:
    """Return the figures of one gain: mean accuracies, gain, its interval and p, by name.

    Parameters
    ----------
    gain : OverlapGain
    """
    accuracies = (gain.all, gain.clean, gain.overlap, gain.all_minus_clean)
    return dict(zip(_FIGURES, (*accuracies, gain.gain, *gain.interval, gain.p), strict=True))


def method_gains(accuracies: Mapping[str, Accuracy], overlapping: Collection[int]) -> pd.DataFrame:
    """Return one row per method: accuracies, gain, its interval and p, and ranks.

    Parameters
    ----------
    accuracies : method -> {class: accuracy among unseen classes}
    overlapping : classes known to the extractor

    Returns
    -------
    DataFrame
        ``method``, ``all``, ``clean``, ``overlap`` (mean per-class accuracies),
        ``all_minus_clean``, ``gain``, ``low``, ``high``, ``p``, ``p_holm`` (Holm over the
        methods), ``rank_all`` and ``rank_clean``, 1 for the best; best of all classes first.

    Raises
    ------
    DatasetError
        When no test class overlaps, or all do.
    """
    rows = []
    for method, accuracy in accuracies.items():
        gain = overlap_gain(accuracy, [c for c in accuracy if c in overlapping])
        rows.append({"method": method} | gain_figures(gain))
    table = pd.DataFrame(rows, columns=["method", *_FIGURES])
    table["p_holm"] = holm(table["p"].to_numpy()) if len(table) else table["p"]
    for column in ("all", "clean"):
        table[f"rank_{column}"] = table[column].rank(ascending=False, method="min").astype(int)
    return table.sort_values("all", ascending=False, kind="stable", ignore_index=True)


def winners(table: pd.DataFrame) -> tuple[str, str]:
    """Return the best method on all test classes and on the clean ones.

    Parameters
    ----------
    table : from :func:`method_gains`
    """
    by_method = table.set_index("method")
    return str(by_method["all"].idxmax()), str(by_method["clean"].idxmax())


def gains_by_split(
    accuracies: Mapping[str, Accuracy], overlapping: Mapping[str, Collection[int]]
) -> pd.DataFrame:
    """Return one row per split of one method; a split without overlap has no gain.

    Parameters
    ----------
    accuracies : split -> {class: accuracy among unseen classes}
    overlapping : split -> classes known to the extractor

    Returns
    -------
    DataFrame
        ``split``, ``classes``, ``overlapping`` (numbers of test classes), then ``all``, ``clean``,
        ``overlap``, ``all_minus_clean``, ``gain``, ``low``, ``high``, ``p``, missing where they
        do not exist.
    """
    rows = []
    for split, accuracy in accuracies.items():
        known = [c for c in accuracy if c in overlapping[split]]
        row = {"split": split, "classes": len(accuracy), "overlapping": len(known)}
        rows.append(row | _figures(accuracy, known))
    return pd.DataFrame(rows, columns=["split", "classes", "overlapping", *_FIGURES])


def _figures(accuracy: Accuracy, known: Collection[int]) -> dict[str, float]:
    try:
        table = method_gains({"": accuracy}, known)
    except DatasetError:
        mean = float(np.mean(list(accuracy.values())))
        sides = {"overlap": mean} if known else {"clean": mean, "all_minus_clean": 0.0}
        return {"all": mean} | sides
    return {name: float(table[name].iloc[0]) for name in _FIGURES}


def study_of_split(
    accuracies: Mapping[str, Mapping[str, Accuracy]],
    overlapping: Collection[int],
    images: Mapping[str, Mapping[int, int]],
) -> pd.DataFrame:
    """Return accuracies on the test classes of a split as a study with one draw.

    Parameters
    ----------
    accuracies : features -> method -> {class: accuracy among unseen classes}
    overlapping : classes known to the extractor
    images : features -> {class: test images}

    Returns
    -------
    DataFrame, as :func:`zslcore.analysis.overlap.overlap_study` gives
    """
    rows = [
        (0, features, method, c, c in overlapping, images[features][c], value)
        for features, of_methods in accuracies.items()
        for method, accuracy in of_methods.items()
        for c, value in accuracy.items()
    ]
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


def classes_over_draws(study: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the mean accuracy of every class over the draws that tested it, best first.

    Parameters
    ----------
    study : rows of one method on one set of features, see
        :func:`zslcore.analysis.overlap.overlap_study`
    names : of all classes

    Returns
    -------
    DataFrame with the columns ``class``, ``overlapping``, ``draws``, ``accuracy`` and, the ends of
    the range over the draws, ``low`` and ``high``
    """
    by_class = study.groupby("class")
    accuracy = by_class["accuracy"]
    table = pd.DataFrame(
        {
            "class": by_class["class"].first().map(dict(enumerate(names))),
            "overlapping": by_class["overlapping"].first(),
            "draws": accuracy.size(),
            "accuracy": accuracy.mean(),
            "low": accuracy.min(),
            "high": accuracy.max(),
        }
    )
    return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def same_classes(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lists of names are the same classes in the same order, however spelt.

    Examples
    --------
    >>> same_classes(["persian cat", "pig"], ["persian+cat", "Pig"])
    True
    """
    return [*map(plain_name, names)] == [*map(plain_name, others)]
