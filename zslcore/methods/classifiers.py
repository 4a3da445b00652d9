"""Classifiers that several methods share, fitted once for consecutive runs.

IAP and CONSE start with the same multinomial logistic regression over seen classes, which takes
nine tenths of their time. Solutions depend only on their key, so a cached solution gives the same
numbers as a fresh fit.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from zslcore.features import Features, chunks

#: Maximum bytes of cached solutions; the least recently used solution is dropped first.
WORKING_BYTES = 1 << 28

#: Ridge weight -> fitted coefficients of the classifiers.
Solutions = dict[float, np.ndarray]


class ClassifierCache:
    """Cache of fitted classifiers by problem, of at most ``limit`` bytes."""

    def __init__(self, limit: int = WORKING_BYTES) -> None:
        self.limit = limit
        self.seconds_saved = 0.0
        self._cache: OrderedDict[str, tuple[Solutions, float]] = OrderedDict()

    def get(self, key: str, solve: Callable[[], Solutions]) -> Solutions:
        """Return the solutions of the problem ``key``; call ``solve`` if they are not cached."""
        entry = self._cache.pop(key, None)
        if entry is None:
            entry = _measure(solve)
        else:
            self.seconds_saved += entry[1]
        self._cache[key] = entry
        while (
            sum(W.nbytes for classifiers, _ in self._cache.values() for W in classifiers.values())
            > self.limit
        ):
            self._cache.popitem(last=False)
        return entry[0]


def _measure(solve: Callable[[], Solutions]) -> tuple[Solutions, float]:
    """Return read-only solutions, and the seconds that they took."""
    start = time.perf_counter()
    solutions = solve()
    for W in solutions.values():
        W.setflags(write=False)
    return solutions, time.perf_counter() - start


_ACTIVE: ContextVar[ClassifierCache | None] = ContextVar("_ACTIVE", default=None)


@contextmanager
def shared_classifiers(limit: int = WORKING_BYTES) -> Iterator[ClassifierCache]:
    """Return a context in which classifiers shared by several methods are fitted once."""
    cache = _ACTIVE.get() or ClassifierCache(limit)
    token = _ACTIVE.set(cache)
    try:
        yield cache
    finally:
        _ACTIVE.reset(token)


def active_cache() -> ClassifierCache | None:
    """Return the active cache; None outside of :func:`shared_classifiers`."""
    return _ACTIVE.get()


def seconds_saved() -> float:
    """Return the seconds that the cache has saved."""
    cache = active_cache()
    return 0.0 if cache is None else cache.seconds_saved


def rows_digest(X: Features, y: np.ndarray, *settings: object) -> str:
    """Return the SHA-256 (hex) of rows, their classes and the ``repr`` of ``settings``."""
    sha = hashlib.sha256(repr((X.shape, *settings)).encode())
    sha.update(np.ascontiguousarray(y, np.int64).data)
    for _, block in chunks(X):
        sha.update(np.ascontiguousarray(block).data)
    return sha.hexdigest()
