r"""Confidence of figures: resample classes, and recompute every figure.

A benchmark's classes are a sample of classes, and its accuracies are means over them. Drawn again
with replacement, seen and unseen ones separately and one fewer than there are of either, which
makes the spread of the draws an unbiased estimate of the means' own, class :math:`c` is there
:math:`w_c` times:

.. math::
    u^* = \frac{\sum_{c \in \mathcal{C}_u} w_c \, acc_c}{\sum_{c \in \mathcal{C}_u} w_c}

and likewise every point of the seen-unseen curve, from which the largest H and the AUSUC follow.
What two methods, or one method twice, reach on the same test set is compared on the same draws:
what makes a class hard for both cancels.

References
----------
B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapters 6, 8 and 13. J. Rao,
C. Wu, "Resampling inference with complex survey data", JASA 1988 (one fewer).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np

from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import DatasetError
from zslcore.metrics import Margins, harmonic_mean, per_class_accuracy

__all__ = ["FIGURES", "Figure", "figures", "image_weights"]

Figure = Literal[
    "zsl", "unseen", "seen", "harmonic", "calibrated_harmonic", "best_harmonic", "ausuc"
]
#: Every figure there is: the next three at gamma = 0, H at the given gamma, the largest H (an
#: oracle: its gamma is found on the test set) and the area under the curve.
FIGURES: tuple[Figure, ...] = get_args(Figure)
#: Numbers that are looked at in one go, 64 MB of them.
BLOCK = 1 << 23


def figures(
    scores: AnsweredTest, drawn: np.ndarray, gamma: float = 0.0
) -> dict[Figure, np.ndarray]:
    """Read every figure off the answers to a test set, for every draw of classes.

    Parameters
    ----------
    scores : AnsweredTest
    drawn : array of shape (n_draws, n_candidates), see :func:`class_draws`
    gamma : float
        Of ``calibrated_harmonic``.

    Returns
    -------
    dict of figure -> array of shape (n_draws,), fractions in [0, 1]
        Only ``zsl`` without seen test samples.

    Notes
    -----
    Classes without test samples count for nothing; a draw of none but such gives NaN.
    """
    if drawn.ndim != 2 or drawn.shape[1] != len(scores.classes):
        raise DatasetError(
            f"Draws need one column a candidate class ({len(scores.classes)}); got {drawn.shape}."
        )
    found: dict[Figure, np.ndarray] = {"zsl": _zsl(scores, drawn)}
    if not scores.generalized:
        return found
    m = scores.margins
    at = np.searchsorted(m.gamma, [0.0, gamma], side="right") - 1
    parts = [_of_curve(m, weights, at) for weights in image_weights(scores, m, drawn)]
    of_curve = np.concatenate(parts, axis=1)
    return found | dict(zip(FIGURES[1:], of_curve, strict=True))


def _zsl(scores: AnsweredTest, drawn: np.ndarray) -> np.ndarray:
    accuracy = per_class_accuracy(*scores.zsl_answers)
    weights = drawn[:, list(accuracy)]
    with np.errstate(invalid="ignore"):
        return weights @ np.array(list(accuracy.values())) / weights.sum(axis=1)


def image_weights(scores: AnsweredTest, m: Margins, drawn: np.ndarray) -> Iterator[np.ndarray]:
    """Yield what every sample counts, of as many draws at a time as fit into a block.

    Parameters
    ----------
    scores : AnsweredTest
    m : Margins of its scores
    drawn : array of shape (n_draws, n_candidates), see :func:`class_draws`

    Yields
    ------
    arrays of shape (draws of the block, n_samples), for :meth:`Margins.accuracies`
    """
    images = np.bincount(m.y, minlength=len(scores.classes))
    step = max(BLOCK // len(m.y), 1)
    for start in range(0, len(drawn), step):
        of_class = drawn[start : start + step] * (images > 0)
        per_image = np.zeros(of_class.shape)
        for side in (scores.seen, ~scores.seen):
            with np.errstate(invalid="ignore"):
                share = of_class[:, side] / of_class[:, side].sum(axis=1, keepdims=True)
            per_image[:, side] = share / np.maximum(images[side], 1)
        yield per_image[:, m.y]


def _of_curve(m: Margins, weights: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the figures of :data:`FIGURES` but the first, a row each."""
    seen, unseen = m.accuracies(weights)
    H = harmonic_mean(seen, unseen)
    plain, calibrated = at
    area = np.trapezoid(seen, unseen, axis=-1)
    return np.stack(
        [unseen[:, plain], seen[:, plain], H[:, plain], H[:, calibrated], H.max(axis=-1), area]
    )
