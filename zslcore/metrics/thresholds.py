r"""The gamma at which the answer to every image changes sides, and where images go at any gamma.

For an image let :math:`a` be its best score among seen classes and :math:`b` among unseen ones.
Calibrated stacking answers it with the best seen class while :math:`\gamma < a - b`, and with the
best unseen class from there on: one number an image, and whether either of the two answers is
right, say everything about the test set at every gamma, however many classes there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from zslcore.metrics import Answers, Margins, answers_of


@dataclass(frozen=True, slots=True, eq=False)
class Switches:
    """What every image is answered with at every gamma, in the order in which that changes.

    Attributes
    ----------
    gamma : array of shape (n_samples,), increasing
        An image is answered with its best seen class below this gamma, and with its best unseen
        class from it on. Minus infinity: never with a seen one; infinity: never with an unseen one.
    y : int array of shape (n_samples,), the true columns of the scores
    right_if_seen, right_if_unseen : bool arrays of shape (n_samples,)
        Whether the best class of either side is the true one.
    seen : bool array of shape (n_candidates,)
    order : int array of shape (n_samples,), the row of the scores that each image is

    Notes
    -----
    Where margins are closer together than the scores' own rounding they are one breakpoint of the
    seen-unseen curve, and one gamma here, so that both say the same at every gamma.
    """

    gamma: np.ndarray
    y: np.ndarray
    right_if_seen: np.ndarray
    right_if_unseen: np.ndarray
    seen: np.ndarray
    order: np.ndarray

    def __post_init__(self) -> None:
        for each in fields(self):
            getattr(self, each.name).setflags(write=False)

    def right(self, gamma: float) -> np.ndarray:
        """Return whether each image is answered right at ``gamma``: bool of shape (n_samples,)."""
        return np.where(self.gamma > gamma, self.right_if_seen, self.right_if_unseen)

    def per_class(self, gamma: float) -> tuple[np.ndarray, np.ndarray]:
        """Return how many images of every class are right at ``gamma``, and how many there are."""
        n = len(self.seen)
        return (
            np.bincount(self.y[self.right(gamma)], minlength=n),
            np.bincount(self.y, minlength=n),
        )


def switches(scores: np.ndarray, y: np.ndarray, seen: np.ndarray) -> Switches:
    """Return at which gamma the answer to every image changes sides.

    Parameters and errors are those of :func:`zslcore.metrics.seen_unseen_curve`.
    """
    answers = answers_of(scores, y, seen)
    return switches_of(answers, answers.margins(), seen)


def switches_of(answers: Answers, m: Margins, seen: np.ndarray) -> Switches:
    """Return what :func:`switches` does, from the answers to a score matrix and their margins."""
    gamma = answers.margin.copy()
    # Images that the curve counts change at its breakpoints; the last ones never do.
    point = np.searchsorted(m.points, np.arange(len(m.counting)), side="right")
    gamma[m.counting] = np.append(m.gamma, np.inf)[point]
    order = np.argsort(gamma, kind="stable")
    return Switches(
        gamma[order],
        answers.y[order],
        answers.right_if_seen[order],
        answers.right_if_unseen[order],
        np.array(seen),
        order,
    )
