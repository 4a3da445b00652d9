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

import numpy as np
from scipy.stats import rankdata

from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import DatasetError

__all__ = ["Detection", "detection"]

#: Share of images of seen classes above the threshold of FPR95.
SEEN_RECALL = 0.95


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

    def in_words(self) -> str:
        """Return both figures by their names, in percent."""
        figures = f"AUROC of the margin {self.auroc:.1%}, FPR95 {self.fpr95:.1%}"
        return f"seen against unseen, over images: {figures}"


def detection(test: AnsweredTest) -> Detection:
    """Return how well the margin separates seen from unseen images; all images weigh the same.

    Raises
    ------
    DatasetError
        Without images of either side.
    """
    answers = test.answers
    seen, unseen = answers.margin[answers.of_seen], answers.margin[~answers.of_seen]
    n, m = len(seen), len(unseen)
    if not n or not m:
        raise DatasetError(f"Detection needs images of both sides; got {n} seen, {m} unseen.")
    ranks = rankdata(np.concatenate([seen, unseen]))
    auroc = (ranks[:n].sum() - n * (n + 1) / 2) / (n * m)
    last = int(np.searchsorted(np.arange(1, n + 1) / n, SEEN_RECALL))
    threshold = np.sort(seen)[::-1][last]
    return Detection(float(auroc), float(np.mean(unseen >= threshold)))
