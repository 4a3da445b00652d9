"""Bootstrap over classes: weights of resampled classes and percentile intervals."""

from __future__ import annotations

import numpy as np

from zslcore.exceptions import ParameterError

__all__ = ["N_DRAWS", "class_draws", "interval", "mean_draws"]


N_DRAWS = 1000
#: How often a class is drawn, in so many draws and classes at a time: 8 MiB.
BLOCK = 1 << 20


def class_draws(seen: np.ndarray, n_draws: int = N_DRAWS, seed: int = 0) -> np.ndarray:
    """Draw classes with replacement, one seen and one unseen class fewer than there are.

    Parameters
    ----------
    seen : bool array of shape (n_classes,)
    n_draws : int
    seed : int

    Returns
    -------
    int array of shape (1 + n_draws, n_classes)
        How often each class is drawn; the first row is the classes as they are, once each.
    """
    if n_draws < 1:
        raise ParameterError(f"n_draws must be at least 1; got {n_draws}.")
    rng = np.random.default_rng(seed)
    drawn = np.ones((1 + n_draws, len(seen)), dtype=np.intp)
    for side in (seen, ~seen):
        n = int(np.count_nonzero(side))
        if n:
            drawn[1:, side] = rng.multinomial(max(n - 1, 1), np.full(n, 1 / n), size=n_draws)
    return drawn


def mean_draws(
    accuracy: np.ndarray, seen: np.ndarray, n_draws: int = N_DRAWS, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return means over the seen and over the unseen classes that :func:`class_draws` draws.

    The draws are made block by block: 40,000 classes take megabytes.

    Parameters
    ----------
    accuracy : array of shape (n_classes,)
    seen : bool array of shape (n_classes,)
    n_draws, seed : as for :func:`class_draws`

    Returns
    -------
    seen, unseen : arrays of shape (1 + n_draws,); the first of each is the mean itself, NaN where
        there is no such class
    """
    rng = np.random.default_rng(seed)
    of_seen, of_unseen = (_means(rng, accuracy[side], n_draws) for side in (seen, ~seen))
    return of_seen, of_unseen


def _means(rng: np.random.Generator, accuracy: np.ndarray, n_draws: int) -> np.ndarray:
    n = len(accuracy)
    if not n:
        return np.full(1 + n_draws, np.nan)
    means, step = [np.array([accuracy.mean()])], max(1, BLOCK // n)
    for start in range(0, n_draws, step):
        size = min(step, n_draws - start)
        drawn = rng.multinomial(max(n - 1, 1), np.full(n, 1 / n), size=size)
        means.append(drawn @ accuracy / drawn.sum(axis=1))
    return np.concatenate(means)


def interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of a figure's draws, the first of which is the figure itself.

    Parameters
    ----------
    values : array of shape (1 + n_draws,)
    level : nominal coverage
    """
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")
    low, high = np.nanquantile(values[1:], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
