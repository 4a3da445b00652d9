r"""Confidence of figures: resample classes or images, and recompute every figure.

A benchmark's classes are a sample of classes, and its accuracies are means over them. Each
draw takes classes with replacement, seen and unseen ones separately, one fewer than either side
has: then the spread of the draws estimates that of the means without bias. With class :math:`c`
drawn :math:`w_c` times:

.. math::
    u^* = \frac{\sum_{c \in \mathcal{C}_u} w_c \, acc_c}{\sum_{c \in \mathcal{C}_u} w_c}

and likewise every point of the seen-unseen curve, from which the largest H and the AUSUC follow.
Two methods, or two runs of one, are compared on the same draws of the test set: the difficulty
that a class has for both cancels.

Draws of classes estimate results on other classes, draws of images within their class results on
other images of the same classes. How a figure follows from either is in
:mod:`zslcore.evaluation.figures`.

References
----------
B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapters 6, 8 and 13. J. Rao,
C. Wu, "Resampling inference with complex survey data", JASA 1988 (one fewer).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, TypeVar, get_args

import numpy as np
from scipy import stats

from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.figures import FIGURES as REGISTERED
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import DatasetError
from zslcore.metrics import harmonic_mean
from zslcore.metrics.significance import DIGITS, N_DRAWS, Over, class_draws, image_draws
from zslcore.names import class_key, class_keys

#: The number or the name of a class.
ClassId = TypeVar("ClassId", int, str)
Figure = Literal[
    "zsl", "unseen", "seen", "harmonic", "calibrated_harmonic", "best_harmonic", "ausuc"
]
#: All metrics: ZSL, three at gamma = 0, H at the given gamma, the largest H (an oracle: its gamma
#: is found on the test set) and the area under the curve.
FIGURES: tuple[Figure, ...] = get_args(Figure)
#: Metrics with another name in the registry.
_NAMES: dict[Figure, str] = {side: f"plain_{side}" for side in ("unseen", "seen", "harmonic")}
#: Numbers processed at a time, 8 MiB of them: more would not fit into a cache.
BLOCK = 1 << 20


def figures(
    scores: AnsweredTest, drawn: np.ndarray, gamma: float = 0.0
) -> dict[Figure, np.ndarray]:
    """Read every figure off the answers to a test set, for every draw of classes.

    ``drawn`` has shape (n_draws, n_candidates). Classes without test samples are ignored; a
    draw of only such classes gives NaN.
    """
    wanted = FIGURES if scores.generalized else FIGURES[:1]
    names = [_NAMES.get(figure, figure) for figure in wanted]
    (values,) = _read([(scores, gamma)], names, counts_of_classes(scores, drawn))
    return dict(zip(wanted, values.values(), strict=True))


def draws_of(
    test: AnsweredTest,
    names: Collection[str],
    gamma: float = 0.0,
    *,
    over: Over,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Return figures of the test set, then of draws of classes or images, each (1 + n_draws,).

    Metrics that cannot be computed from the best class of each side are left out.
    """
    (values,) = draws_of_all([(test, gamma)], names, over=over, n_draws=n_draws, seed=seed)
    return values


def draws_of_all(
    tests: Sequence[tuple[AnsweredTest, float]],
    names: Collection[str],
    *,
    over: Over,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> list[dict[str, np.ndarray]]:
    """Return :func:`draws_of` for several predictions of the same images, at a gamma each."""
    test, _ = tests[0]
    if over == "classes":
        counts = counts_of_classes(test, class_draws(test.seen, n_draws, seed))
    else:
        counts = image_draws(test.y, n_draws, seed)
    return _read(tests, names, counts)


def _read(
    tests: Sequence[tuple[AnsweredTest, float]],
    names: Collection[str],
    counts: Iterator[np.ndarray],
) -> list[dict[str, np.ndarray]]:
    how = {name: of for name in names if (of := REGISTERED[name].drawn) is not None}
    parts: list[dict[str, list[np.ndarray]]] = [{name: [] for name in how} for _ in tests]
    for block in counts:
        for (test, gamma), draws in zip(tests, parts, strict=True):
            drawn = BootstrapMetrics(test, block, gamma)
            for name, of in how.items():
                draws[name].append(of(drawn))
    return [{name: np.concatenate(of) for name, of in draws.items()} for draws in parts]


def counts_of_classes(test: AnsweredTest, drawn: np.ndarray) -> Iterator[np.ndarray]:
    """Yield blocks of shape (draws, n_images): how often each image counts in ``drawn`` classes."""
    if drawn.ndim != 2 or drawn.shape[1] != len(test.classes):
        raise DatasetError(
            f"Draws need one column a candidate class ({len(test.classes)}); got {drawn.shape}."
        )
    step = max(BLOCK // len(test.y), 1)
    for start in range(0, len(drawn), step):
        yield drawn[start : start + step, test.y].astype(float)


def tested_sides(test: AnsweredTest) -> np.ndarray:
    """Return whether each class with test images is seen."""
    return test.seen[np.unique(test.y)]


def accuracies_by_key(accuracy: Mapping[str, float]) -> dict[str, float]:
    """Return accuracies by the key of their class, which is the same in every spelling."""
    return dict(zip(class_keys([*accuracy]), accuracy.values(), strict=True))


def keys_among(unseen: Collection[str], named: Collection[str]) -> frozenset[str]:
    """Return the keys of the named classes that are unseen, each under any spelling."""
    plain = {class_key(name) for name in unseen}
    pairs = zip(named, class_keys([*named]), strict=True)
    return frozenset(key for name, key in pairs if name in unseen or class_key(name) in plain)


def order_of_classes(accuracies: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the order of drawn classes: by their accuracies, not by name or place.

    ``accuracies`` has shape (n_methods, n_classes): unseen classes come first, then those with
    lower accuracies. So neither other spellings of names nor another order of classes, nor of
    methods, changes which class a draw takes; classes with the same accuracies are exchangeable.
    """
    rounded = np.round(accuracies, DIGITS)
    ordered = rounded[np.lexsort(np.sort(rounded, axis=1).T[::-1])]
    keys = [*ordered[::-1], *np.sort(rounded, axis=0)[::-1], seen]
    return np.lexsort(keys)


def accuracies_of_sides(
    accuracy: Mapping[ClassId, float], unseen: Collection[ClassId], figure: str
) -> tuple[dict[ClassId, float], dict[ClassId, float]]:
    """Return the accuracies of unseen and of seen classes that enter ZSL, u, s or H."""
    return (
        {c: value for c, value in accuracy.items() if c in unseen and figure[0] != "s"},
        {c: value for c, value in accuracy.items() if c not in unseen and figure[0] in "sH"},
    )


def drawn_figure(drawn: np.ndarray, seen: np.ndarray, accuracy: np.ndarray) -> np.ndarray:
    """Return the mean over classes, or H of both means, for every draw (n_draws, n_classes)."""
    sides = [
        drawn[:, side] @ accuracy[side] / drawn[:, side].sum(axis=1)
        for side in (seen, ~seen)
        if side.any()
    ]
    return sides[0] if len(sides) == 1 else harmonic_mean(*sides)


def student_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of a mean; NaN of fewer than two values."""
    n = len(values)
    if n < 2:
        return np.nan, np.nan
    reach = stats.t.ppf((1 + level) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return float(values.mean() - reach), float(values.mean() + reach)
