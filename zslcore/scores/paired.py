"""Two score matrices of the same images compared: class by class, image by image."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from zslcore.exceptions import DatasetError
from zslcore.metrics import per_class_accuracy
from zslcore.metrics.bootstrap import class_draws, interval
from zslcore.scores.matrix import JudgedScores
from zslcore.scores.predicted import PredictedScores

__all__ = ["Pair", "beside"]

N_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class Pair:
    r"""What two matrices say of the same images, at a gamma each.

    Attributes
    ----------
    classes : DataFrame, a row a class: class, seen, images, first, second, difference
    differences : DataFrame, a row a figure (u, s): difference (second less first, mean over
        classes), low and high (95 % of draws of classes)
    agreement : share of images that both answer alike
    only_first, only_second : images that one alone answers rightly
    p : of McNemar's exact test, that both are right equally often:
        :math:`n_1 \sim \mathrm{B}(n_1 + n_2, 1/2)`
    """

    classes: pd.DataFrame
    differences: pd.DataFrame
    agreement: float
    only_first: int
    only_second: int
    p: float


def beside(
    first: JudgedScores,
    second: JudgedScores,
    gamma: tuple[float, float] = (0.0, 0.0),
) -> Pair:
    """Compare two matrices, or predictions, of the same images.

    Parameters
    ----------
    first, second : with the same labels in the same order, and the same unseen classes; two
        predictions that number the benchmark's rows may have them in any order
    gamma : of each

    Raises
    ------
    DatasetError
        When they are not of the same images and classes.
    """
    second = _in_order(first, second)
    alike = np.array_equal(first.y, second.y) and np.array_equal(first.seen, second.seen)
    if not alike:
        raise DatasetError(
            f"{first.name} and {second.name}: expected scores of the same images, with the same "
            f"labels and unseen classes; got {len(first.y):,} and {len(second.y):,} images."
        )
    y, seen = first.y, first.seen
    answers = [m.tested.predicted(g) for m, g in zip((first, second), gamma, strict=True)]
    right = [answer == y for answer in answers]
    of = [per_class_accuracy(y, answer) for answer in answers]
    present = np.array(sorted(of[0]))
    table = pd.DataFrame(
        {
            "class": [first.class_names[c] for c in present],
            "seen": seen[present],
            "images": np.bincount(y, minlength=len(seen))[present],
            "first": [of[0][c] for c in present],
            "second": [of[1][c] for c in present],
        }
    )
    table["difference"] = table["second"] - table["first"]
    one, two = (int((a & ~b).sum()) for a, b in (right, right[::-1]))
    return Pair(
        classes=table,
        differences=_differences(table),
        agreement=float((answers[0] == answers[1]).mean()),
        only_first=one,
        only_second=two,
        p=float(binomtest(one, one + two).pvalue) if one + two else 1.0,
    )


def _in_order(first: JudgedScores, second: JudgedScores) -> JudgedScores:
    """Return the second with its rows in the order of the first, where rows say which they are."""
    if not (isinstance(first, PredictedScores) and isinstance(second, PredictedScores)):
        return second
    both = first.predictions, second.predictions
    if any(of.provenance.rows != "benchmark" for of in both):
        return second
    one, two = (of.test.rows for of in both)
    if not np.array_equal(np.sort(one), np.sort(two)):
        other = np.setxor1d(one, two)
        which = f"row {other[0]:,} is in one alone" if other.size else "some are there more often"
        raise DatasetError(
            f"{first.name} and {second.name}: expected predictions of the same rows; {which}."
        )
    order = np.argsort(two, kind="stable")[np.argsort(np.argsort(one, kind="stable"))]
    test = both[1].test.taken(order)
    return replace(second, predictions=replace(both[1], test=test))


def _differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference of each side with its interval over classes."""
    weights = class_draws(table["seen"].to_numpy(), N_DRAWS)
    rows = []
    for figure, side in (("u", ~table["seen"]), ("s", table["seen"])):
        here = side.to_numpy()
        if here.any():
            w = weights[:, here]
            drawn = w @ table["difference"].to_numpy()[here] / w.sum(axis=1)
            low, high = interval(drawn)
            rows.append({"figure": figure, "difference": drawn[0], "low": low, "high": high})
    return pd.DataFrame(rows, columns=["figure", "difference", "low", "high"])
