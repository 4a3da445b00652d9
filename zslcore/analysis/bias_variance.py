r"""Bias and variance of predicted attributes, and their sources.

A method :math:`f_D` that predicts attributes is fitted to resampled training sets :math:`D`. First,
classes are drawn with replacement from the training classes of the split; then, images of each
drawn class are drawn with replacement. The numbers of classes and of images per class stay as in
the split. For an image :math:`x` with the attributes :math:`t = h(x) + \varepsilon` of its class

.. math::
    E[(t - f_D(x))^2] = \sigma^2 + (h(x) - E f_D(x))^2 + \mathrm{Var}_D f_D(x), \qquad
    \mathrm{Var}_D f_D = \underbrace{\mathrm{Var}_{C} \, E[f_D \mid C]}_{\text{between classes}}
    + \underbrace{E_C \, \mathrm{Var}[f_D \mid C]}_{\text{within classes}}

where :math:`C` are the drawn classes. From K draws of classes with L draws of images each,
with means :math:`m_k` and grand mean :math:`m`, both variances and the squared bias are estimated
without bias, as in a one-way analysis of variance:

.. math::
    \hat\sigma_w^2 = \frac{\sum_{kl} (f_{kl} - m_k)^2}{K (L - 1)}, \qquad
    \hat\sigma_b^2 = \frac{\sum_k (m_k - m)^2}{K - 1} - \frac{\hat\sigma_w^2}{L}, \qquad
    \widehat{\mathrm{bias}}^2 = (h - m)^2 - \frac{\hat\sigma_b^2}{K} - \frac{\hat\sigma_w^2}{KL}.

These three parts and the noise add up to the error of the same draws. For real data :math:`h` is
unknown, so bias and noise cannot be separated. An image of a seen class counts only in the draws
that contain its class; in all other draws its class is not seen.

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, equation 4 and figure 3b. S. R. Searle, G. Casella, C. E.
McCulloch, "Variance components", 1992, chapter 3. B. Efron, R. Tibshirani, "An introduction to the
bootstrap", 1993, chapter 11 (the jackknife).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from zslcore.datasets import Split
from zslcore.evaluation.protocol import Problem, Setting
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.methods.base import ZSLEstimator, with_seed

#: Default number of draws of classes, and of draws of images for each of them.
CLASS_DRAWS, IMAGE_DRAWS = 12, 2
#: Minimum number of draws of classes in which an image must count; all other images are left out.
MIN_DRAWS = 3
#: Maximum number of predicted values in memory at a time (256 MB), and of test images per class.
BUFFERED_VALUES, IMAGES_OF_A_CLASS = 1 << 25, 20


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Summary of predictions per draw of classes.

    Attributes
    ----------
    mean : array of shape (n_class_draws, n_images, n_attributes), mean over draws of images
    within : array of shape (n_class_draws, n_images), sum of squared distances to ``mean``
    error : array of shape (n_class_draws, n_images), mean squared distance to the true attributes
    """

    mean: np.ndarray
    within: np.ndarray
    error: np.ndarray
    n_image_draws: int

    @classmethod
    def of(cls, predicted: np.ndarray, t: np.ndarray) -> Draws:
        """Summarise predictions (n_class_draws, n_image_draws, n_images, n_attributes) of ``t``."""
        mean = predicted.mean(axis=1)
        return cls(
            mean=mean,
            within=((predicted - mean[:, None]) ** 2).sum(axis=(1, 3)),
            error=((predicted - t) ** 2).sum(axis=3).mean(axis=1),
            n_image_draws=predicted.shape[1],
        )

    @classmethod
    def join(cls, draws: Sequence[Draws], images: np.ndarray) -> Draws:
        """Join summaries of different draws of classes, limited to some images."""
        return cls(
            mean=np.concatenate([draw.mean[:, images] for draw in draws]),
            within=np.concatenate([draw.within[:, images] for draw in draws]),
            error=np.concatenate([draw.error[:, images] for draw in draws]),
            n_image_draws=draws[0].n_image_draws,
        )


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Parts of the mean squared error, averaged over attributes and images.

    Attributes
    ----------
    bias : squared bias; includes the noise unless the truth is known
    between, within : variance due to the draw of classes, and to the draw of their images
    noise : variance of the attributes around their truth; 0 if ``bias`` includes it
    share : share of ``between`` in the variance
    low, high : 95 % interval of ``share`` by the jackknife over draws of classes
    """

    error: float
    bias: float
    between: float
    within: float
    noise: float
    share: float
    low: float
    high: float
    n_images: int


def decompose(
    draws: Draws,
    t: np.ndarray,
    *,
    present: np.ndarray | None = None,
    truth: np.ndarray | None = None,
) -> Decomposition:
    """Decompose the mean squared error of predictions.

    Parameters
    ----------
    t : array of shape (n_images, n_attributes), true attributes
    present : bool array of shape (n_class_draws, n_images)
        Draws in which an image counts; all by default.
    truth : ``t`` without its noise, if known
        With a given truth, the parts add up to the error if the noise has mean 0 at every image.

    Raises
    ------
    DatasetError, ParameterError
        If no image counts in enough draws, or if there is only one draw of images.
    """
    if draws.n_image_draws < 2:
        raise ParameterError(
            f"Variance: expected at least 2 draws of images; got {draws.n_image_draws}."
        )
    present = np.ones(draws.error.shape, bool) if present is None else present
    enough = present.sum(axis=0) >= MIN_DRAWS
    if not enough.any():
        raise DatasetError(
            f"Variance: expected images tested in at least {MIN_DRAWS} draws of classes; got "
            f"none in {len(present)} draws."
        )
    h = t if truth is None else truth
    squares = _Squares.of(draws, present, h)
    between, within = (
        part[enough].mean() / t.shape[1] for part in squares.variances(draws, present)
    )
    K = present.sum(axis=0)
    spread = _spread(squares, draws, present)
    bias = (squares.to_mean - spread)[enough].mean() / t.shape[1]
    error = ((draws.error * present).sum(axis=0)[enough] / K[enough]).mean() / t.shape[1]
    noise = 0.0 if truth is None else float(((t - truth) ** 2)[enough].mean())
    share, low, high = _share(squares, draws, present, enough)
    return Decomposition(
        error=float(error),
        bias=float(bias),
        between=float(between),
        within=float(within),
        noise=noise,
        share=share,
        low=low,
        high=high,
        n_images=int(enough.sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    """Sums of squares from which the parts are computed.

    ``length`` is |m_k|^2 and ``projection`` is m_k' sum_j m_j, both of shape (n_class_draws,
    n_images); ``total`` is |sum_k m_k|^2 and ``to_mean`` |h - m|^2, both of shape (n_images,).
    """

    length: np.ndarray
    projection: np.ndarray
    total: np.ndarray
    to_mean: np.ndarray

    @classmethod
    def of(cls, draws: Draws, present: np.ndarray, h: np.ndarray) -> _Squares:
        # Subtract the truth first: differences of squares of small numbers lose fewer digits.
        m = draws.mean - h
        total = np.einsum("kn,kna->na", present, m)
        K = np.maximum(present.sum(axis=0), 1)
        return cls(
            length=np.einsum("kna,kna->kn", m, m),
            projection=np.einsum("kna,na->kn", m, total),
            total=np.einsum("na,na->n", total, total),
            to_mean=np.einsum("na,na->n", total, total) / K**2,
        )

    def variances(
        self, draws: Draws, present: np.ndarray, omitted: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return both variances of each image, between and within, summed over attributes."""
        L, p, total = draws.n_image_draws, present, self.total
        if omitted is not None:
            p = present.copy()
            p[omitted] = False
            left_out = present[omitted]
            total = total - left_out * (2 * self.projection[omitted] - self.length[omitted])
        K = np.maximum(p.sum(axis=0), 2)
        within = (p * draws.within).sum(axis=0) / (K * (L - 1))
        between = ((p * self.length).sum(axis=0) - total / K) / (K - 1) - within / L
        return between, within


def _spread(squares: _Squares, draws: Draws, present: np.ndarray) -> np.ndarray:
    """Return the variance of the grand mean of each image."""
    between, within = squares.variances(draws, present)
    K = np.maximum(present.sum(axis=0), 1)
    return between / K + within / (K * draws.n_image_draws)


def _share(
    squares: _Squares, draws: Draws, present: np.ndarray, enough: np.ndarray
) -> tuple[float, float, float]:
    """Return the share of ``between`` in the variance, and its jackknife interval over draws."""

    def share(omitted: int | None = None) -> float:
        between, within = (
            part[enough].mean() for part in squares.variances(draws, present, omitted)
        )
        variance = between + within
        return float(between / variance) if variance > 0 else np.nan

    n, share_of_all = len(present), share()
    if not np.isfinite(share_of_all):
        return np.nan, np.nan, np.nan
    left_out = np.array([share(k) for k in range(n)])
    deviation = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    reach = deviation * stats.t.ppf(0.975, n - 1)
    return share_of_all, float(max(share_of_all - reach, 0)), float(min(share_of_all + reach, 1))


# --- Along a path ---------------------------------------------------------------------------------


def bias_variance(
    method: ZSLEstimator,
    setting: Setting,
    parameter: str,
    values: Sequence[float],
    *,
    class_draws: int = CLASS_DRAWS,
    image_draws: int = IMAGE_DRAWS,
) -> dict[str, tuple[Decomposition, ...]]:
    """Fit a method to resampled training sets, and decompose its error on test images.

    Returns the parts of the error per value of a regulariser, by side ("unseen", "seen"); the
    seen side is empty if there are no test images of seen classes.

    There are ``class_draws`` draws of classes, at least 3, and in each ``image_draws`` draws of
    images, at least 2. Raises ParameterError for fewer draws, or a method that does not predict
    attributes.
    """
    if method.predicted_attributes == "no":
        raise ParameterError(
            f"{method.card.name}: expected a method that predicts attributes, to compute their "
            "error."
        )
    if class_draws < MIN_DRAWS or image_draws < 2:
        raise ParameterError(
            f"Variance: expected at least {MIN_DRAWS} draws of classes and 2 of images; "
            f"got {class_draws} and {image_draws}."
        )
    points = [{parameter: value} for value in values]
    dataset, split, test_problem = setting.dataset, setting.split, setting.test
    rows = _sample_test_rows(test_problem, len(points) * class_draws)
    y, test = test_problem.y_test[rows], np.concatenate([split.test_seen, split.test_unseen])[rows]
    t, classes, of_seen = test_problem.candidates[y], test_problem.classes[y], test_problem.seen[y]

    summaries, drawn_classes, done = [], [], 0
    for draws in _draw_rows(dataset.labels, split, class_draws, image_draws, setting.seed):
        predicted = []
        for training in draws:
            problem = Problem.of(dataset, setting.preprocessing, training, test)
            model = with_seed(method, setting.seed)
            predicted.append(list(problem.attributes(model, points)))
            done += 1
            setting.progress(done, class_draws * image_draws, "Fitting to the next training set")
        by_value = zip(*predicted, strict=True)
        summaries.append([Draws.of(np.array(of_value)[None], t) for of_value in by_value])
        drawn_classes.append(np.isin(classes, dataset.labels[draws[0]]))

    present = np.array(drawn_classes)
    parts = partial(_parts, summaries, t)
    return {
        "unseen": parts(~of_seen, np.ones_like(present)),
        "seen": parts(of_seen, present) if of_seen.any() else (),
    }


def _parts(
    summaries: Sequence[Sequence[Draws]], t: np.ndarray, side: np.ndarray, present: np.ndarray
) -> tuple[Decomposition, ...]:
    """Return the parts of the error at each value, over the images of one side."""
    return tuple(
        decompose(Draws.join(of_value, side), t[side], present=present[:, side])
        for of_value in zip(*summaries, strict=True)
    )


def _draw_rows(
    labels: np.ndarray, split: Split, class_draws: int, image_draws: int, seed: int
) -> Iterator[list[np.ndarray]]:
    """Yield, for each draw of classes, one array of training rows per draw of images."""
    rng = np.random.default_rng(seed)
    rows = {c: split.trainval[labels[split.trainval] == c] for c in split.seen_classes}
    for _ in range(class_draws):
        classes = rng.choice(split.seen_classes, len(split.seen_classes))
        yield [
            np.concatenate([rng.choice(rows[c], len(rows[c])) for c in classes])
            for _ in range(image_draws)
        ]


def _sample_test_rows(problem: Problem, n_predictions: int) -> np.ndarray:
    """Return the rows of the first test images of each class, as many as the limits allow."""
    y = problem.y_test
    n_classes = len(np.unique(y))
    limit = BUFFERED_VALUES // (n_predictions * problem.candidates.shape[1] * n_classes)
    order = np.argsort(y, kind="stable")
    rank = np.empty(len(y), np.intp)
    rank[order] = np.arange(len(y)) - np.searchsorted(y[order], y[order])
    return np.flatnonzero(rank < np.clip(limit, 1, IMAGES_OF_A_CLASS))
