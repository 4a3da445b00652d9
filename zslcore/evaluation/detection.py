r"""Seen against unseen as detection: how well the margin separates the two sides.

.. math::
    \mathrm{AUROC} = P(m_s > m_u) + \tfrac12 P(m_s = m_u)

for the margins :math:`m_s` of an image of a seen and :math:`m_u` of one of an unseen class. FPR95
is the share of images of unseen classes whose margin reaches the largest threshold that at least
95 % of the images of seen classes reach. Seen is the positive side, as in-distribution is in the
detection of other data. Which class is answered plays no part.

References
----------
D. Hendrycks, K. Gimpel, "A baseline for detecting misclassified and out-of-distribution examples in
neural networks", ICLR 2017. S. Liang, Y. Li, R. Srikant, "Enhancing the reliability of
out-of-distribution image detection in neural networks", ICLR 2018 (FPR95).
"""

from __future__ import annotations

from dataclasses import dataclass

from zslcore.evaluation.drawn import Drawn
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import DatasetError


@dataclass(frozen=True, slots=True)
class Detection:
    """How well the margin separates images of seen classes from those of unseen ones.

    Attributes
    ----------
    auroc : area under the receiver operating characteristic, in [0, 1]; 0.5 is chance
    fpr95 : share of unseen images taken for seen where 95 % of seen images are, in [0, 1]
    """

    auroc: float
    fpr95: float


def detection(test: AnsweredTest) -> Detection:
    """Return how well the margin separates seen from unseen images; all images weigh the same.

    Raises
    ------
    DatasetError
        Without images of either side.
    """
    of_seen = int(test.seen[test.y].sum())
    of_unseen = len(test.y) - of_seen
    if not of_seen or not of_unseen:
        raise DatasetError(
            f"Detection needs images of both sides; got {of_seen} seen, {of_unseen} unseen."
        )
    once = Drawn.once(test)
    return Detection(float(once.auroc()[0]), float(once.fpr95()[0]))
