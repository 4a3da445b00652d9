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
    """The figures that were drawn last, at most so many."""

    def __init__(self, most: int) -> None:
        self.most, self.made = most, 0
        self._kept: OrderedDict[str, Chart] = OrderedDict()
        self._lock = Lock()

    def figure(self, known_by: str, draw: Callable[[], Chart]) -> Chart:
        """Return the figure known by a digest, drawn unless it hangs here."""
        with self._lock:
            if known_by in self._kept:
                self._kept.move_to_end(known_by)
                return self._kept[known_by]
        drawn = draw()  # outside the lock: two who want the same at once both draw it
        with self._lock:
            self.made += 1
            self._kept[known_by] = drawn
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        return drawn


_GALLERY = Gallery(most=192)


def cached_figure(draw: Callable[P, Chart]) -> Callable[P, Chart]:
    """Let a function of figures draw only what it has not drawn for the same arguments.

    The viewer's theme and width count as arguments, and arrays and tables by all they hold.
    """
    name = f"{draw.__module__}.{draw.__qualname__}"

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Chart:
        seen_by = palette.dark(), palette.narrow()
        content = pickle.dumps((name, seen_by, args, sorted(kwargs.items())))
        return _GALLERY.figure(blake2b(content).hexdigest(), lambda: draw(*args, **kwargs))

    return drawn
