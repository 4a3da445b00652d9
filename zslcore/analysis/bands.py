r"""Bands of a seen-unseen curve: over folds, or over resampled classes.

A band holds at every unseen accuracy :math:`u` the seen accuracies that go with it, and at every
:math:`\gamma` the harmonic means. Folds are few, and their band spans them all. Of classes drawn
again (see :mod:`zslcore.analysis.resampling`) there are many, and the band leaves out as many draws
above as below, point by point: a whole curve stays in it less often than its nominal level.

References
----------
B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentiles).
S. A. Macskassy, F. Provost, "Confidence bands for ROC curves: methods and an empirical study",
ROCAI 2004 (bands point by point, vertical averaging).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zslcore.analysis.resampling import counts_of_classes
from zslcore.evaluation.drawn import Drawn
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import ParameterError
from zslcore.metrics import SeenUnseenCurve, harmonic_mean
from zslcore.metrics.bootstrap import class_draws

#: Draws of classes, and places at which a band is computed.
N_DRAWS, N_PLACES = 200, 201


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The area between two curves; all accuracies are fractions in [0, 1].

    Attributes
    ----------
    unseen : array of shape (n,), increasing from 0
    low, high : arrays of shape (n,), seen accuracy there
    gamma : array of shape (m,), increasing
    least, most : arrays of shape (m,), harmonic mean there
    """

    unseen: np.ndarray
    low: np.ndarray
    high: np.ndarray
    gamma: np.ndarray
    least: np.ndarray
    most: np.ndarray


def of_curves(curves: Sequence[SeenUnseenCurve], limits: tuple[float, float]) -> Band:
    """Return the band that holds all of some curves, such as those of the folds.

    Parameters
    ----------
    curves : at least one
    limits : the first and the last gamma at which it is computed
    """
    if not curves:
        raise ParameterError("A band needs at least one curve; got none.")
    unseen = np.linspace(0, max(curve.unseen[-1] for curve in curves), N_PLACES)
    gamma = np.linspace(*limits, N_PLACES)
    s = np.array([_seen_at(unseen, curve.seen, curve.unseen) for curve in curves])
    H = np.array([curve.at(gamma).harmonic for curve in curves])
    return Band(unseen, s.min(axis=0), s.max(axis=0), gamma, H.min(axis=0), H.max(axis=0))


def of_classes(
    scores: AnsweredTest,
    limits: tuple[float, float],
    *,
    level: float = 0.95,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> Band:
    """Return the band in which the curve lies when test classes are drawn again.

    Parameters
    ----------
    scores : AnsweredTest with images of seen and of unseen classes
    limits : the first and the last gamma at which it is computed
    level : nominal coverage at every place, in (0, 1)
    n_draws : int
    seed : int
    """
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")
    m = scores.margins
    unseen = np.linspace(0, 1, N_PLACES)
    gamma = np.linspace(*limits, N_PLACES)
    at = np.searchsorted(m.gamma, gamma, side="right") - 1
    s, H = [], []
    for counts in counts_of_classes(scores, class_draws(scores.seen, n_draws, seed)[1:]):
        curve = Drawn(scores, counts).curve("class")
        s += [_seen_at(unseen, *one) for one in zip(curve.seen, curve.unseen, strict=True)]
        H += list(harmonic_mean(curve.seen[:, at], curve.unseen[:, at]))
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.nanquantile(s, ends, axis=0)
    least, most = np.nanquantile(H, ends, axis=0)
    there = slice(0, int(np.count_nonzero(high > 0)) + 1)
    return Band(unseen[there], low[there], high[there], gamma, least, most)


def _seen_at(u: np.ndarray, seen: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Return seen accuracy where unseen accuracy is ``u``, 0 where a curve does not come so far.

    Between two points of the curve it is that of the straight line between them, as in the AUSUC.
    """
    return np.interp(u, unseen, seen, right=0.0)
