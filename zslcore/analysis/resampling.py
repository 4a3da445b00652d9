r"""Bootstrap of metrics: resample classes or images, and recompute the metrics.

The classes of a benchmark are a sample, and its accuracies are means over them. Seen and unseen
classes are resampled separately, with replacement. A draw has one seen and one unseen class fewer
than the test set, so that the variance over draws estimates the variance of the mean without bias.
With class :math:`c` drawn :math:`w_c` times,

.. math::
    u^* = \frac{\sum_{c \in \mathcal{C}_u} w_c \, acc_c}{\sum_{c \in \mathcal{C}_u} w_c}

Every point of the seen-unseen curve is resampled in the same way, and with it the largest H and the
AUSUC. Two methods, or two runs of one method, are compared on the same draws of the test set, so
that the difficulty of a class, which is the same for both, cancels.

Draws of classes estimate the variation of metrics over samples of classes, draws of images within
classes the variation over samples of images of the same classes. :mod:`zslcore.evaluation.registry`
computes each metric from the draws.

References
----------
B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapters 6, 8 and 13. J. Rao,
C. Wu, "Resampling inference with complex survey data", JASA 1988 (one class fewer per draw).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, TypeVar, get_args

import numpy as np
import scipy

from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.registry import REGISTRY
from zslcore.exceptions import DatasetError
from zslcore.metrics import harmonic_mean
from zslcore.metrics.significance import DIGITS, N_DRAWS, Over, class_draws, image_draws
from zslcore.names import class_key, class_keys

#: Number or name of a class.
ClassId = TypeVar("ClassId", int, str)
ResampledMetric = Literal[
    "zsl", "unseen", "seen", "harmonic", "calibrated_harmonic", "best_harmonic", "ausuc"
]
#: All metrics: ZSL; u, s and H at gamma = 0; H at the chosen gamma; the largest H (an oracle: its
#: gamma is chosen on the test set); the area under the curve.
RESAMPLED_METRICS: tuple[ResampledMetric, ...] = get_args(ResampledMetric)
#: Metrics with a different name in the registry.
_NAMES: dict[ResampledMetric, str] = {
    side: f"plain_{side}" for side in ("unseen", "seen", "harmonic")
}
#: Values processed at a time: 8 MiB, which fit into a processor cache.
BLOCK = 1 << 20


def metrics_of_draws(
    scores: PredictedTest, drawn: np.ndarray, gamma: float = 0.0
) -> dict[ResampledMetric, np.ndarray]:
    """Return all metrics of a test set for each draw of classes.

    ``drawn`` has shape (n_draws, n_candidates): how often each class is drawn. Classes without test
    samples are ignored; metrics of a draw are NaN if it has no class with test samples.
    """
    computed = RESAMPLED_METRICS if scores.generalized else RESAMPLED_METRICS[:1]
    names = [_NAMES.get(metric, metric) for metric in computed]
    (values,) = _metrics_of_counts([(scores, gamma)], names, counts_of_classes(scores, drawn))
    return dict(zip(computed, values.values(), strict=True))


def draws_of(
    test: PredictedTest,
    names: Collection[str],
    gamma: float = 0.0,
    *,
    over: Over,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Return metrics of the test set and of resampled classes or images, each (1 + n_draws,).

    Metrics that need more than the best seen and the best unseen class of each image are left out.
    """
    (values,) = draws_of_all([(test, gamma)], names, over=over, n_draws=n_draws, seed=seed)
    return values


def draws_of_all(
    tests: Sequence[tuple[PredictedTest, float]],
    names: Collection[str],
    *,
    over: Over,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> list[dict[str, np.ndarray]]:
    """Return :func:`draws_of` for several predictions of the same images, with their gammas."""
    test, _ = tests[0]
    if over == "classes":
        counts = counts_of_classes(test, class_draws(test.seen, n_draws, seed))
    else:
        counts = image_draws(test.y, n_draws, seed)
    return _metrics_of_counts(tests, names, counts)


def _metrics_of_counts(
    tests: Sequence[tuple[PredictedTest, float]],
    names: Collection[str],
    counts: Iterator[np.ndarray],
) -> list[dict[str, np.ndarray]]:
    functions = {name: drawn for name in names if (drawn := REGISTRY[name].drawn) is not None}
    parts: list[dict[str, list[np.ndarray]]] = [{name: [] for name in functions} for _ in tests]
    for block in counts:
        for (test, gamma), draws in zip(tests, parts, strict=True):
            resampled = BootstrapMetrics(test, block, gamma)
            for name, function in functions.items():
                draws[name].append(function(resampled))
    return [{name: np.concatenate(values) for name, values in draws.items()} for draws in parts]


def counts_of_classes(test: PredictedTest, drawn: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the weights of images in each draw of classes, in blocks (draws, n_images)."""
    if drawn.ndim != 2 or drawn.shape[1] != len(test.classes):
        raise DatasetError(
            f"Draws need one column per candidate class ({len(test.classes)}); got {drawn.shape}."
        )
    step = max(BLOCK // len(test.y), 1)
    for start in range(0, len(drawn), step):
        yield drawn[start : start + step, test.y].astype(float)


def tested_sides(test: PredictedTest) -> np.ndarray:
    """Return the mask of seen classes among the classes with test images."""
    return test.seen[np.unique(test.y)]


def accuracies_by_key(accuracy: Mapping[str, float]) -> dict[str, float]:
    """Return accuracies by class key; a key does not depend on spelling."""
    return dict(zip(class_keys([*accuracy]), accuracy.values(), strict=True))


def match_unseen_keys(unseen: Collection[str], named: Collection[str]) -> frozenset[str]:
    """Return the keys of the ``named`` classes that are unseen, in any spelling."""
    plain = {class_key(name) for name in unseen}
    pairs = zip(named, class_keys([*named]), strict=True)
    return frozenset(key for name, key in pairs if name in unseen or class_key(name) in plain)


def order_of_classes(accuracies: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return an order of classes for resampling, by accuracy instead of name or position.

    ``accuracies`` has shape (n_methods, n_classes). Unseen classes come first, on each side by
    increasing accuracy. The draws then depend neither on the spelling of names nor on the order of
    classes or methods; classes with equal accuracies are exchangeable.
    """
    rounded = np.round(accuracies, DIGITS)
    ordered = rounded[np.lexsort(np.sort(rounded, axis=1).T[::-1])]
    keys = [*ordered[::-1], *np.sort(rounded, axis=0)[::-1], seen]
    return np.lexsort(keys)


def accuracies_of_sides(
    accuracy: Mapping[ClassId, float], unseen: Collection[ClassId], metric: str
) -> tuple[dict[ClassId, float], dict[ClassId, float]]:
    """Return the class accuracies that ``metric`` averages, of unseen and of seen classes."""
    return (
        {c: value for c, value in accuracy.items() if c in unseen and metric[0] != "s"},
        {c: value for c, value in accuracy.items() if c not in unseen and metric[0] in "sH"},
    )


def metric_of_class_draws(drawn: np.ndarray, seen: np.ndarray, accuracy: np.ndarray) -> np.ndarray:
    """Return the mean over classes, or H of the means of both sides, for each row of ``drawn``."""
    sides = [
        drawn[:, side] @ accuracy[side] / drawn[:, side].sum(axis=1)
        for side in (seen, ~seen)
        if side.any()
    ]
    return sides[0] if len(sides) == 1 else harmonic_mean(*sides)


def student_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of a mean; NaN for fewer than two values."""
    n = len(values)
    if n < 2:
        return np.nan, np.nan
    reach = scipy.stats.t.ppf((1 + level) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return float(values.mean() - reach), float(values.mean() + reach)
