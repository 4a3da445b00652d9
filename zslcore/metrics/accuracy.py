r"""Accuracies of zero-shot and generalised zero-shot learning.

.. math::
    acc_{\mathcal{Y}} = \frac{1}{|\mathcal{Y}|} \sum_{c \in \mathcal{Y}}
    \frac{\#\,\text{correct in } c}{\#\,\text{samples of } c},
    \qquad H = \frac{2 \, s \, u}{s + u}

Calibrated stacking subtracts :math:`\gamma` from the scores of seen classes:

.. math:: \hat y = \arg\max_c \; F(x, c) - \gamma \, [c \in \mathcal{C}_s]

The calibration paper and the benchmark name these accuracies differently; this package uses the
names in the first column:

======  ==================  =============  ====================================================
name    calibration paper   benchmark      samples of ... among the candidates ...
======  ==================  =============  ====================================================
zsl     A_U->Cu             acc (ZSL)      unseen classes, among unseen classes
u       A_U->C              ts             unseen classes, among all classes
s       A_S->C              tr             seen classes, among all classes
======  ==================  =============  ====================================================

All values are fractions in [0, 1].

A score of minus infinity rules a class out: it ranks below all other classes at any gamma.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019 (protocol). W.-L. Chao et al., "An empirical study and
analysis of generalized zero-shot learning for object recognition in the wild", ECCV 2016 (AUSUC).
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019 (calibration).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, overload

import numpy as np
import scipy
from numpy.typing import ArrayLike

from zslcore.exceptions import ParameterError, ZSLError

Average = Literal["class", "sample"]


def per_class_accuracy(y_true: np.ndarray, y_pred: np.ndarray) -> dict[int, float]:
    """Map each class present in ``y_true`` to its recall."""
    y_true, y_pred = _check_pairs(y_true, y_pred)
    classes, position = np.unique(y_true, return_inverse=True)
    correct = np.bincount(position, weights=y_true == y_pred)
    return dict(zip(classes.tolist(), (correct / np.bincount(position)).tolist(), strict=True))


def mean_class_accuracy(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    """Return the mean recall over classes: large and small classes have equal weight."""
    return float(np.mean(list(per_class_accuracy(y_true, y_pred).values())))


def sample_accuracy(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    """Return the share of correct predictions: large classes weigh more."""
    y_true, y_pred = _check_pairs(y_true, y_pred)
    return float(np.mean(y_true == y_pred))


@lru_cache(maxsize=4096)  # the root search takes half a millisecond
def accuracy_interval(correct: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact binomial (Clopper-Pearson) interval for ``correct`` of ``n`` predictions.

    Examples
    --------
    >>> [round(end, 3) for end in accuracy_interval(10, 20)]
    [0.272, 0.728]
    """
    interval = scipy.stats.binomtest(correct, n).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


def top_k_accuracy(
    scores: np.ndarray, y: np.ndarray, k: int = 5, *, average: Average = "class"
) -> float:
    """Return the share of samples with the true class among the ``k`` highest scores.

    ``scores`` has shape (n_samples, n_candidates), ``y`` has the true columns; ``average`` is
    "class" (mean of per-class accuracies) or "sample". Ties are ranked by column, as in ``argmax``,
    so that ``k = 1`` is plain accuracy.
    """
    return top_k_of_ranks(ranks_of(scores, y), y, k, average=average)


def ranks_of(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the rank of the true class of each sample among the candidates, 1 for the best.

    For parameters see :func:`top_k_accuracy`; ties are ranked by column.
    """
    scores, y = _check_scores(scores, y)
    true = scores[np.arange(len(y)), y][:, None]
    before = (scores == true) & (np.arange(scores.shape[1]) < y[:, None])
    return 1 + np.count_nonzero((scores > true) | before, axis=1)


def top_k_of_ranks(
    ranks: np.ndarray, y: np.ndarray, k: int = 5, *, average: Average = "class"
) -> float:
    """Compute :func:`top_k_accuracy` from the ranks of the true classes."""
    if k < 1:
        raise ParameterError(f"top-k accuracy needs k >= 1; got {k}.")
    return float(np.sum(_weights(y, average) * (ranks <= k)))


Numbers = np.ndarray | Sequence[float]


@overload
def harmonic_mean(seen: float, unseen: float) -> float: ...
@overload
def harmonic_mean(seen: Numbers, unseen: Numbers) -> np.ndarray: ...
def harmonic_mean(seen: float | Numbers, unseen: float | Numbers) -> float | np.ndarray:
    """Return ``2su / (s + u)`` of numbers or arrays, and 0 where both accuracies are 0."""
    s, u = np.asarray(seen, dtype=float), np.asarray(unseen, dtype=float)
    H = 2 * s * u / np.where(s + u > 0, s + u, 1)
    return H if H.ndim else float(H)


def _weights(y: np.ndarray, average: Average, part: np.ndarray | None = None) -> np.ndarray:
    """Return sample weights for a mean over ``part``, per class or per sample; they sum to 1."""
    part = np.ones(len(y), bool) if part is None else part
    if average == "sample":
        return np.full(len(y), 1 / np.count_nonzero(part))
    if average != "class":
        raise ParameterError(f"average must be 'class' or 'sample'; got {average!r}.")
    count = np.bincount(y[part], minlength=y.max() + 1)
    return 1 / (np.maximum(count, 1)[y] * np.count_nonzero(count))


def _check_pairs(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if y_true.shape != y_pred.shape or y_true.ndim != 1 or not y_true.size:
        raise ZSLError(
            "Accuracy needs one prediction per label and at least one; "
            f"got shapes {y_true.shape} and {y_pred.shape}."
        )
    return y_true, y_pred


def _check_scores(scores: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    scores, y = _check_shapes(scores, y)
    _require_scores(scores, scores)
    return _check_labels(scores, y)


def _check_shapes(scores: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    scores, y = np.asarray(scores), np.asarray(y)
    if scores.ndim != 2 or y.shape != scores.shape[:1] or not y.size:
        raise ZSLError(
            "Scores must be (n_samples, n_candidates) with one label per row and at least one row; "
            f"got {scores.shape} and {y.shape}."
        )
    return scores, y


def _require_scores(scores: np.ndarray, *largest: np.ndarray) -> None:
    """Refuse NaN and plus infinity in ``scores``; each is also in one of the ``largest``."""
    if not all((values < np.inf).all() for values in largest):
        raise ZSLError(
            "Scores must be numbers, or minus infinity for a class that is ruled out; got "
            f"{np.count_nonzero(np.isnan(scores))} missing values and "
            f"{np.count_nonzero(np.isposinf(scores))} values of plus infinity."
        )


def _check_labels(scores: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= scores.shape[1]:
        raise ZSLError(
            f"Labels must be column numbers of the scores, 0..{scores.shape[1] - 1}; "
            f"got {y.min()}..{y.max()} as {y.dtype}."
        )
    return scores, y


def _mask(seen: ArrayLike, n_candidates: int) -> np.ndarray:
    seen = np.asarray(seen)
    if seen.dtype != bool or seen.shape != (n_candidates,):
        raise ZSLError(
            f"seen must be one bool per column of scores ({n_candidates}); "
            f"got shape {seen.shape} of {seen.dtype}."
        )
    return seen
