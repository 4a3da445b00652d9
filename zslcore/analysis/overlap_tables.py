"""OverlapGain of several methods as tables: by class, by method and by split."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.facts import plain_name
from zslcore.metrics import accuracy_interval
from zslcore.metrics.gain import OverlapGain, overlap_gain
from zslcore.metrics.significance import holm

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


def same_classes(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lists of names are the same classes in the same order, however spelt.

    Examples
    --------
    >>> same_classes(["persian cat", "pig"], ["persian+cat", "Pig"])
    True
    """
    return [*map(plain_name, names)] == [*map(plain_name, others)]
