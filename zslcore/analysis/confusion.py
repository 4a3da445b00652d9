r"""Per-class accuracies and confusions at any gamma.

Calibrated stacking predicts :math:`\arg\max_c F(x, c) - \gamma [c \in \mathcal{C}_s]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix

from zslcore.evaluation.predicted_tests import PredictedTest


def confusion(
    scores: PredictedTest, gamma: float, class_names: Sequence[str], min_images: int = 1
) -> pd.DataFrame:
    """Return the confusion matrix as shares of the test images of each true class.

    The table has shape (n_candidates, n_candidates), seen classes first. Rows are true classes and
    sum to 1; they are NaN for classes with fewer than ``min_images`` test images.
    """
    order = np.argsort(~scores.seen, kind="stable")
    count = confusion_matrix(scores.y, scores.predicted(gamma), labels=order)
    images = count.sum(axis=1, keepdims=True)
    share = np.where(images >= max(min_images, 1), count / np.maximum(images, 1), np.nan)
    names = [class_names[c] for c in scores.classes[order]]
    return pd.DataFrame(share, index=names, columns=names)


def most_confused(
    scores: PredictedTest,
    gamma: float,
    class_names: Sequence[str],
    n: int = 25,
    min_images: int = 1,
) -> pd.DataFrame:
    """Return the ``n`` pairs (true class, predicted class) with the largest error rate.

    The rate, in the column ``share``, is over the test images of the true class. Only true classes
    with at least ``min_images`` test images are listed: with two images, one error is 50 %.
    """
    labels = np.arange(len(scores.seen))
    count = confusion_matrix(scores.y, scores.predicted(gamma), labels=labels)
    images = count.sum(axis=1, keepdims=True)
    share = np.where(images >= min_images, count / np.maximum(images, 1), 0.0)
    np.fill_diagonal(share, 0)
    order = np.argsort(-share, axis=None, kind="stable")[:n]
    true, predicted = np.unravel_index(order[share.flat[order] > 0], share.shape)
    names = np.asarray(class_names)[scores.classes]
    side = np.where(scores.seen, "seen", "unseen")
    return pd.DataFrame(
        {
            "class": names[true],
            "side": side[true],
            "predicted": names[predicted],
            "predicted_side": side[predicted],
            "images": count[true, predicted],
            "share": share[true, predicted],
        }
    )


def per_class_table(
    scores: PredictedTest, gammas: Mapping[str, float], class_names: Sequence[str]
) -> pd.DataFrame:
    """Return the accuracy of each class with test images, one column per gamma."""
    columns, images = np.unique(scores.y, return_counts=True)
    table = pd.DataFrame(
        {
            "class": [class_names[c] for c in scores.classes[columns]],
            "side": np.where(scores.seen[columns], "seen", "unseen"),
            "images": images,
        }
    )
    for name, gamma in gammas.items():
        table[name] = _accuracy(scores, gamma)[columns]
    return table


def _accuracy(scores: PredictedTest, gamma: float) -> np.ndarray:
    """Return the accuracy of each candidate class; NaN for classes without test images."""
    if scores.generalized:
        right, images = scores.switches.per_class(gamma)
    else:
        n, predicted = len(scores.classes), scores.predicted(gamma)
        right, images = (
            np.bincount(y, minlength=n) for y in (scores.y[predicted == scores.y], scores.y)
        )
    with np.errstate(invalid="ignore"):
        return right / images
