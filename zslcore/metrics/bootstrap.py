"""Bootstrap over classes: weights of resampled classes and percentile intervals."""

from __future__ import annotations

import numpy as np

from zslcore.exceptions import ParameterError

__all__ = ["N_DRAWS", "class_draws", "interval"]


N_DRAWS = 1000


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
