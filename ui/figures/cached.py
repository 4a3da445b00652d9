"""Cache of figures, each drawn once for the same data, theme and width."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from threading import Lock
from typing import ParamSpec

from ui.figures import palette
from ui.figures.vocabulary import Chart

P = ParamSpec("P")


class Gallery:
    """Cache of the capacity recently used figures, at capacity ``capacity``."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.n_drawn = capacity, 0
        self._kept: OrderedDict[str, Chart] = OrderedDict()
        self._lock = Lock()

    def figure(self, digest: str, draw: Callable[[], Chart]) -> Chart:
        """Return the figure cached under ``digest``; draw it if there is none."""
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest]
        drawn = draw()  # outside the lock, so two threads may both draw the same figure
        with self._lock:
            self.n_drawn += 1
            self._kept[digest] = drawn
            while len(self._kept) > self.capacity:
                self._kept.popitem(last=False)
        return drawn


_GALLERY = Gallery(capacity=192)


def cached_figure(draw: Callable[P, Chart]) -> Callable[P, Chart]:
    """Cache a function that draws figures, by its arguments.

    The key includes the viewer's theme and width; arrays and tables enter it by their contents.
    """
    name = f"{draw.__module__}.{draw.__qualname__}"

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Chart:
        seen_by = palette.dark(), palette.narrow()
        content = pickle.dumps((name, seen_by, args, sorted(kwargs.items())))
        return _GALLERY.figure(blake2b(content).hexdigest(), lambda: draw(*args, **kwargs))

    return drawn
