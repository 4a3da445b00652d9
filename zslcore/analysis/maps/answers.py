"""What a method answers to every image of a data set, to colour a map by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zslcore.datasets.base import Split
from zslcore.evaluation.protocol import ScoredTest


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a method, over all n images of a data set.

    ``predicted`` are rows of the data set's prototypes, -1 where not tested; ``lead`` is how far
    the answer's score lies above the next one, 0 where not tested.
    """

    tested: np.ndarray
    predicted: np.ndarray
    right: np.ndarray
    lead: np.ndarray


def answers(scores: ScoredTest, split: Split, n: int, *, gamma: float = 0.0) -> Answers:
    r"""Return what a method answers, among all classes, of a data set with ``n`` images.

    With the scores :math:`F_{ic}` and :math:`\gamma` taken from seen classes, the answer to image
    :math:`i` is :math:`\hat c = \arg\max_c F_{ic} - \gamma [c \text{ seen}]`, and its lead
    :math:`\max_c - \max_{c \ne \hat c}` of the same.
    """
    test = np.concatenate([split.test_seen, split.test_unseen])
    answer = scores.predicted(gamma)
    F = np.where(scores.seen, scores.F - gamma, scores.F)
    best = np.take_along_axis(F, answer[:, None], axis=1)[:, 0]
    np.put_along_axis(F, answer[:, None], -np.inf, axis=1)
    out = Answers(
        tested=np.zeros(n, dtype=bool),
        predicted=np.full(n, -1, dtype=np.int32),
        right=np.zeros(n, dtype=bool),
        lead=np.zeros(n),
    )
    out.tested[test] = True
    out.predicted[test] = scores.classes[answer]
    out.right[test] = answer == scores.y
    with np.errstate(invalid="ignore"):  # two scores of -inf have no difference
        out.lead[test] = np.nan_to_num(best - F.max(axis=1), posinf=np.finfo(float).max)
    return out
