r"""Bootstrap metrics of a test set: each image counts as often as it is drawn.

Image :math:`i` has the count :math:`k_i`, and its class :math:`y_i` has :math:`n_{y_i}` images. A
mean over classes weights the image by :math:`k_i / n_{y_i}`, a mean over samples by :math:`k_i`.
With all counts equal to one, the metrics are those of the test set; counts from resampled classes
or images give bootstrap draws of the metrics (:mod:`zslcore.analysis.resampling`). The same
definitions therefore give a metric and its interval:

*Separate label spaces.* Images of seen classes are predicted as their best seen class :math:`a_i`,
images of unseen classes as their best unseen class :math:`b_i`; H is the harmonic mean of the
two accuracies.

*Joint label space.* The exact seen-unseen curve has u, s and H at every :math:`\gamma`; AUSUC is
the area under the curve of s against u. The margin :math:`m_i` of an image is its score for
:math:`a_i` minus its score for :math:`b_i` or, with a novelty detector, the negated penalty.
Averaged over samples, AUSUC equals OpenworldAUC with the margin as detector:

.. math::
    \mathrm{AUSUC} = \frac{1}{N_s N_u} \sum_{i \in S} \sum_{j \in U} [a_i = y_i] \, [b_j = y_j]
    \left( [m_i > m_j] + \tfrac12 [m_i = m_j] \right)

*Proof.* At :math:`\gamma`, image :math:`i` of a seen class is predicted correctly iff :math:`a_i =
y_i` and :math:`m_i > \gamma`; image :math:`j` of an unseen class iff :math:`b_j = y_j` and
:math:`m_j \le \gamma`. As :math:`\gamma` passes a value :math:`t`, u rises by :math:`1 / N_u` for
each :math:`j` with :math:`b_j = y_j` and :math:`m_j = t`. The area grows by trapezoids of this
width, and their height is the mean of s before and after :math:`t`: a sum of :math:`1 / N_s` for
each :math:`i` with :math:`a_i = y_i` and :math:`m_i > t`, and half as much for :math:`m_i = t`. The
sum over all :math:`t` is the double sum. (Margins that the precision of the scores cannot
distinguish count as equal.)

*Detection.* The same double sum without :math:`[a_i = y_i] \, [b_j = y_j]` is AUROC, :math:`P(m_s >
m_u) + \tfrac12 P(m_s = m_u)`, where :math:`m_s` and :math:`m_u` are the margins of a random image
of a seen and of an unseen class. FPR95 is the share of images of unseen classes with a margin at or
above a threshold: the largest threshold that at least 95 % of the images of seen classes reach.
Seen classes are the positives, like in-distribution data in out-of-distribution detection.

*One accuracy.* Accuracy over all test images at :math:`\gamma = 0`; macro F1 is the mean of
:math:`2 TP / (2 TP + FP + FN)` over the classes with test images. Every draw weights images of seen
and of unseen classes in the proportions of the test set.

References
----------
K. Zhou et al., "Conditional prompt learning for vision-language models", CVPR 2022 (base-to-new).
W.-L. Chao et al., "An empirical study and analysis of generalized zero-shot learning for object
recognition in the wild", ECCV 2016 (AUSUC). C. Hua et al., "OpenworldAUC: towards unified
evaluation and optimization for open-world prompt tuning", ICML 2025. D. Hendrycks, K. Gimpel, "A
baseline for detecting misclassified and out-of-distribution examples in neural networks", ICLR
2017. S. Liang, Y. Li, R. Srikant, "Enhancing the reliability of out-of-distribution image detection
in neural networks", ICLR 2018 (FPR95).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.exceptions import DatasetError
from zslcore.metrics import Average, SeenUnseen

#: Share of images of seen classes at or above the threshold of FPR95.
SEEN_RECALL = 0.95
#: Tolerance for rounding: harmonic means that differ by less are ties.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class BootstrapMetrics:
    """Metrics of a test set under bootstrap draws, given the count of each image.

    Each metric is an array of shape (n_draws,), fractions in [0, 1]; NaN where a draw lacks images
    of seen or of unseen classes. ``counts`` has shape (n_draws, n_samples). In each draw the counts
    of a class must sum to a multiple of its number of images: whole classes are drawn, or images
    within classes. Calibrated metrics are computed at the chosen ``gamma``.
    """

    test: PredictedTest
    counts: np.ndarray
    gamma: float = 0.0

    def __post_init__(self) -> None:
        if self.counts.ndim != 2 or self.counts.shape[1] != len(self.test.y):
            raise DatasetError(
                f"Counts: expected one column per test image ({len(self.test.y)}); got an array of "
                f"shape {self.counts.shape}."
            )

    @classmethod
    def once(cls, test: PredictedTest, gamma: float = 0.0) -> BootstrapMetrics:
        """Return the metrics of the test set itself: one draw with every count equal to 1."""
        return cls(test, np.ones((1, len(test.y))), gamma)

    # --- Weights ----------------------------------------------------------------------------------

    @cached_property
    def _of_seen(self) -> np.ndarray:
        return self.test.seen[self.test.y]

    @cached_property
    def _size(self) -> np.ndarray:
        """Number of images in the class of each image: shape (n_samples,)."""
        y = self.test.y
        return np.bincount(y)[y]

    @cached_property
    def _columns(self) -> np.ndarray:
        """The counts with one column per draw: shape (n_samples, n_draws)."""
        return np.ascontiguousarray(self.counts.T)

    @cached_property
    def _cache(self) -> dict[tuple[str, Average], SeenUnseen]:
        """Cache of the accuracies that several metrics need."""
        return {}

    def _cached(
        self, name: str, average: Average, make: Callable[[Average], SeenUnseen]
    ) -> SeenUnseen:
        if (name, average) not in self._cache:
            self._cache[name, average] = make(average)
        return self._cache[name, average]

    def _weights(self, average: Average) -> np.ndarray:
        """Return the weight of each image before its count: shape (n_samples,)."""
        return 1 / self._size if average == "class" else np.ones(len(self._size))

    def _sums(self, right: np.ndarray, average: Average) -> SeenUnseen:
        images = np.flatnonzero(right)
        weights = self._weights(average)[images]
        rows = np.where(self._of_seen[images], 0, 1)
        return SeenUnseen(*(_sum_matrix(rows, images, (2, len(right)), weights) @ self._columns))

    def _totals(self, average: Average) -> SeenUnseen:
        all_images = np.ones(len(self._size), dtype=bool)
        return self._cached("totals", average, lambda average: self._sums(all_images, average))

    def _sides(self, right: np.ndarray, average: Average) -> SeenUnseen:
        """Return the weighted share of images with True in ``right`` (n_samples,), per side."""
        return _ratios(self._sums(right, average), self._totals(average))

    # --- Separate label spaces --------------------------------------------------------------------

    @property
    def right_in_separate(self) -> np.ndarray:
        """Whether each image is predicted correctly among the classes of its side: (n_samples,)."""
        right = np.empty(len(self._of_seen), dtype=bool)
        right[self._of_seen] = self.test.best_classes.right_if_seen[self._of_seen]
        y, predicted = self.test.zsl_predictions
        right[~self._of_seen] = y == predicted
        return right

    def separate(self, average: Average) -> SeenUnseen:
        """Return the accuracies with only the classes of an image's own side as candidates."""
        return self._cached(
            "separate", average, lambda average: self._sides(self.right_in_separate, average)
        )

    def zsl(self, average: Average) -> np.ndarray:
        """Return the accuracy of images of unseen classes among unseen classes."""
        return self.separate(average).unseen

    # --- Joint label space ------------------------------------------------------------------------

    def curve(self, average: Average) -> SeenUnseen:
        """Return the accuracies at each point of the curve: arrays of shape (n_draws, n_points)."""
        both = self._accuracies_at(self.test.margins.points, average)
        return SeenUnseen(both.seen.T, both.unseen.T)

    def _corners(self, average: Average) -> SeenUnseen:
        """Return the accuracies at the corners of the curve: arrays of shape (n_corners, n_draws).

        Between two corners only one accuracy changes, whatever the counts: the corners are enough
        for the largest H and the area.
        """
        m = self.test.margins
        ends = _merge_groups(m.of_seen[m.counting], m.points)
        return self._cached("corners", average, lambda average: self._accuracies_at(ends, average))

    def _accuracies_at(self, points: np.ndarray, average: Average) -> SeenUnseen:
        images = self.test.margins.counting
        seen_lost, unseen_won = (
            self._sum_groups(points, images, side, average) for side in (True, False)
        )
        # Sum from the end, so that the last value is exactly 0.
        seen, unseen = (
            np.cumsum(seen_lost[::-1], axis=0)[::-1][1:],
            np.cumsum(unseen_won, axis=0)[:-1],
        )
        return _ratios(SeenUnseen(seen, unseen), self._totals(average))

    def _sum_groups(
        self, ends: np.ndarray, images: np.ndarray, of_seen: bool, average: Average
    ) -> np.ndarray:
        """Return the summed weights of one side's images in each group of ``images``.

        The increasing positions ``ends`` separate the groups; the sums have shape (1 + n_ends,
        n_draws).
        """
        on_side = self._of_seen[images] == of_seen
        rows, images = np.searchsorted(ends, np.flatnonzero(on_side), side="right"), images[on_side]
        weights, shape = self._weights(average)[images], (len(ends) + 1, len(self._size))
        summed: np.ndarray = _sum_matrix(rows, images, shape, weights) @ self._columns
        return summed

    def at(self, gamma: float, average: Average) -> SeenUnseen:
        """Return the accuracies at ``gamma``; NaN for a side without images."""
        if self._of_seen.all() or not self._of_seen.any():  # a curve needs both sides
            right = self.test.predicted(gamma) == self.test.y
            return self._cached(
                f"at {gamma!r}", average, lambda average: self._sides(right, average)
            )
        m = self.test.margins
        n_passed = m.points[int(np.searchsorted(m.gamma, gamma, side="right")) - 1]
        right = np.zeros(len(m.of_seen), dtype=bool)
        right[m.counting] = m.of_seen[m.counting] == (np.arange(len(m.counting)) >= n_passed)
        return self._cached(f"at {gamma!r}", average, lambda average: self._sides(right, average))

    def best(self, average: Average) -> SeenUnseen:
        """Return the accuracies at the gamma with the largest H on the test images: an oracle."""
        return self._cached("best", average, self._best)

    def _best(self, average: Average) -> SeenUnseen:
        corners = self._corners(average)
        harmonic = corners.harmonic
        equal = harmonic > harmonic.max(axis=0) - EQUAL
        k = np.argmax(equal, axis=0), np.arange(len(self.counts))
        return SeenUnseen(corners.seen[k], corners.unseen[k])

    def area(self, average: Average) -> np.ndarray:
        """Return AUSUC, the area under the seen-unseen curve; per sample, it is OpenworldAUC."""
        corners = self._corners(average)
        s, u = corners.seen, corners.unseen
        area: np.ndarray = s[0] * u[0] + np.trapezoid(s, u, axis=0)
        return area

    # --- Detection --------------------------------------------------------------------------------

    @cached_property
    def _roc(self) -> SeenUnseen:
        """ROC curve: shares of each side's images that reach a threshold, shape (n_ends, n_draws).

        Thresholds on the margin decrease. Each adds images of one side, or images of both sides
        with equal margins.
        """
        margin = self.test.best_classes.margin
        order = np.argsort(-margin, kind="stable")
        last = np.append(margin[order][1:] != margin[order][:-1], True)
        ends = _merge_groups(self._of_seen[order], np.append(0, 1 + np.flatnonzero(last)))
        sums = (self._sum_groups(ends, order, side, "sample") for side in (True, False))
        seen, unseen = (np.cumsum(weights, axis=0)[1:-1] for weights in sums)
        return _ratios(SeenUnseen(seen, unseen), SeenUnseen(seen[-1], unseen[-1]))

    def auroc(self) -> np.ndarray:
        """Return the area under the ROC curve of seen against unseen images by their margins."""
        seen, unseen = self._roc.seen, self._roc.unseen
        area: np.ndarray = np.trapezoid(seen, unseen, axis=0) + seen[0] * unseen[0] / 2
        return area

    def fpr95(self) -> np.ndarray:
        """Return FPR95: the share of unseen images that reach the threshold of the seen images."""
        first = np.argmax(self._roc.seen >= SEEN_RECALL, axis=0)
        shares: np.ndarray = self._roc.unseen[first, np.arange(len(self.counts))]
        return shares

    # --- One accuracy -----------------------------------------------------------------------------

    def accuracy(self, average: Average) -> np.ndarray:
        """Return the accuracy among all classes at gamma = 0, averaged over classes or samples."""
        return self._pooled(self._sides(self.test.predicted() == self.test.y, average), average)

    def macro_f1(self) -> np.ndarray:
        """Return the mean F1 over the classes with test images, at gamma = 0.

        False positives are counted on all test images, also on those of classes that are not drawn:
        the candidates of a prediction are all classes in each resample.
        """
        y, predicted = self.test.y, self.test.predicted()
        n = len(self.test.seen)
        pairs, of_image, images = np.unique(
            y * n + predicted, return_inverse=True, return_counts=True
        )
        classes, predicted_class = np.divmod(pairs, n)
        counts = _sum_matrix(of_image, np.arange(len(y)), (len(pairs), len(y))) @ self._columns
        of_class = _sum_matrix(classes, np.arange(len(pairs)), (n, len(pairs)))
        size = np.maximum(of_class @ images, 1)[:, None]
        times = (of_class @ counts) / size  # number of times each class is drawn
        sizes = np.broadcast_to(images[:, None], counts.shape).astype(float)
        weight_per_draw = np.divide(counts, times[classes], out=sizes, where=times[classes] > 0)
        right = classes == predicted_class
        true_positives = (
            _sum_matrix(classes[right], np.flatnonzero(right), of_class.shape) @ weight_per_draw
        )
        times_predicted = (
            _sum_matrix(predicted_class, np.arange(len(pairs)), of_class.shape) @ weight_per_draw
        )
        f1 = 2 * true_positives / np.maximum(size + times_predicted, 1)
        seen = self.test.seen
        means = (_ratio((times * f1)[side].sum(0), times[side].sum(0)) for side in (seen, ~seen))
        return self._pooled(SeenUnseen(*means), "class")

    def _pooled(self, sides: SeenUnseen, average: Average) -> np.ndarray:
        """Return the mean of the two sides, in the proportions of the test set, not of the draw."""
        seen = self._of_seen
        weights = 1 / self._size if average == "class" else np.ones(len(seen))
        share = weights[seen].sum() / weights.sum()
        pooled: np.ndarray = share * sides.seen + (1 - share) * sides.unseen
        return pooled


def depends_on_candidates(test: PredictedTest) -> bool:
    """Return whether some best unseen class changes if only unseen classes are candidates.

    Only images of unseen classes are compared. If the result is True, the best seen class may
    depend on the candidates, too.
    """
    of_unseen = ~test.seen[test.y]
    return not np.array_equal(test.zsl_predictions[1], test.best_classes.unseen_class[of_unseen])


def _ratio(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return ``part / total``, NaN where ``total`` is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return part / total


def _sum_matrix(
    rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], weights: np.ndarray | None = None
) -> scipy.sparse.csr_array:
    """Return the sparse matrix that sums ``weights`` (1 by default) into ``rows``.

    A sparse product runs in one thread; a dense product of a few rows would wait for other threads
    on a busy machine.
    """
    weights = np.ones(len(rows)) if weights is None else weights
    return scipy.sparse.csr_array((weights, (rows, columns)), shape=shape)


def _ratios(part: SeenUnseen, total: SeenUnseen) -> SeenUnseen:
    return SeenUnseen(_ratio(part.seen, total.seen), _ratio(part.unseen, total.unseen))


def _merge_groups(of_seen: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Merge neighbouring groups that have images of the same single side; return their bounds.

    ``of_seen`` marks the images of seen classes, in order; ``ends`` are the increasing bounds of
    the groups.
    """
    n, n_seen = np.diff(ends), np.diff(np.append(0, np.cumsum(of_seen))[ends])
    kind = np.where((n_seen > 0) & (n_seen < n), 2, n_seen > 0)
    last = np.append((kind[1:] != kind[:-1]) | (kind[1:] == 2), True)[: len(kind)]
    return np.append(ends[0], ends[1:][last])
