r"""What penalising seen classes trades.

Calibrated stacking answers :math:`\arg\max_c F(x, c) - \gamma [c \in \mathcal{C}_s]`. Everything
here reads the exact seen-unseen curve or the runs it came from; nothing is fitted.

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from zslcore.evaluation.protocol import AnsweredTest


def per_class_table(
    scores: AnsweredTest, gammas: Mapping[str, float], class_names: Sequence[str]
) -> pd.DataFrame:
    """Return the accuracy of every class with test images, among all classes, at some gammas.

    Parameters
    ----------
    gammas : name of a column -> gamma
    class_names : one name per row of the data set's prototypes

    Returns
    -------
    DataFrame with the columns class, side ("seen" or "unseen"), images (of the test set), and one
    accuracy for each of ``gammas``; one row per class, in the data set's order
    """
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


def _accuracy(scores: AnsweredTest, gamma: float) -> np.ndarray:
    """Return the accuracy of every candidate class; NaN without test images."""
    if scores.generalized:
        right, images = scores.switches.per_class(gamma)
    else:
        n, answers = len(scores.classes), scores.predicted(gamma)
        right, images = (
            np.bincount(y, minlength=n) for y in (scores.y[answers == scores.y], scores.y)
        )
    with np.errstate(invalid="ignore"):
        return right / images
