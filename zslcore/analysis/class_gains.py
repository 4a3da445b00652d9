"""What pre-training adds to the accuracy of each class, and to known classes more than to others.

The study of :func:`zslcore.analysis.overlap.overlap_study` fits a method on the same draws of
classes with the features of a pre-trained extractor and with features that were trained on nothing.
Of a class, the gain is the mean over the draws that test it of the accuracy with pre-training minus
that without; both are measured on the same draws, so that the interval is Student's over their
differences.

Classes are the unit of the summary, as another benchmark would have other classes: a mean gain has
Student's interval over classes, and the difference between known classes and others Welch's.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, section 4. B. L. Welch, "The generalization of Student's problem when several different
population variances are involved", Biometrika 34, 1947.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from zslcore.exceptions import DatasetError, ParameterError

#: Methods that are compared: closed forms, all draws in seconds. The first fits word vectors, too.
METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")
#: Simulated data -> the same classes with features of an extractor that was trained on nothing.
WITHOUT = {
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
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return what every class gains by pre-training, largest first.

    Parameters
    ----------
    study : from :func:`zslcore.analysis.overlap.overlap_study`
    features, baseline : features with pre-training, and those without
    names : of all classes

    Returns
    -------
    DataFrame
        One row per class that was tested: ``number``, ``class``, ``known`` (in pre-training),
        ``draws`` (that tested it), ``accuracy`` and ``baseline`` (mean accuracies with and without
        pre-training), ``gain`` (their difference), ``low`` and ``high``, NaN for a class that was
        tested once.

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
    table = pd.DataFrame(
        {
            "number": gain.index,
            "class": [names[c] for c in gain.index],
            "known": by_class["overlapping"].first().astype(bool),
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
class KnownGain:
    """How much more pre-training adds to known classes than to others, as fractions.

    Attributes
    ----------
    every, known, other : mean gain of all classes, of those in pre-training, and of the others
    difference : ``known`` minus ``other``
    low, high : Welch's 95 % interval of the difference over classes
    p : two-sided, of Welch's test
    """

    every: float
    known: float
    other: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def known_gain(table: pd.DataFrame) -> KnownGain:
    """Compare the gains of known classes in :func:`class_gains` with those of the others.

    Raises
    ------
    DatasetError
        With fewer than two classes of a kind.
    """
    known = table.loc[table["known"], "gain"].to_numpy()
    other = table.loc[~table["known"], "gain"].to_numpy()
    if min(len(known), len(other)) < 2:
        raise DatasetError(
            "Expected two classes in pre-training and two others; got "
            f"{len(known)} and {len(other)}."
        )
    test = stats.ttest_ind(known, other, equal_var=False)
    interval = test.confidence_interval(0.95)
    return KnownGain(
        every=float(table["gain"].mean()),
        known=float(known.mean()),
        other=float(other.mean()),
        difference=float(known.mean() - other.mean()),
        low=float(interval.low),
        high=float(interval.high),
        p=float(test.pvalue),
    )
