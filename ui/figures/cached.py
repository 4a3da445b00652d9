"""A figure is drawn once for the same data, theme and width; from then on it is plain JSON.

Plotly looks at every property that it is given, and again at every figure that Streamlit sends:
most of what a changed choice cost. Figures are known by the content of what they show.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec

import joblib
import plotly.graph_objects as go

from ui.figures import palette

P = ParamSpec("P")


class Drawn(go.Figure):
    """A figure that no longer changes: what goes to the browser is made once."""

    def __init__(self, figure: go.Figure) -> None:
        super().__init__(figure)
        self._plain = json.loads(figure.to_json(validate=False))

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as lists, numbers and words; do not change them."""
        return {**self._plain}


class Gallery:
    """The figures that were drawn last, at most so many."""

    def __init__(self, most: int) -> None:
        self.most, self.made = most, 0
        self._kept: OrderedDict[str, Drawn] = OrderedDict()
        self._lock = Lock()

    def figure(self, known_by: str, draw: Callable[[], go.Figure]) -> Drawn:
        """Return the figure known by a digest, drawn unless it hangs here."""
        with self._lock:
            if known_by in self._kept:
                self._kept.move_to_end(known_by)
                return self._kept[known_by]
        drawn = Drawn(draw())  # outside the lock: two who want the same at once both draw it
        with self._lock:
            self.made += 1
            self._kept[known_by] = drawn
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        return drawn


_GALLERY = Gallery(most=192)


def cached_figure(draw: Callable[P, go.Figure]) -> Callable[P, Drawn]:
    """Let a function of figures draw only what it has not drawn for the same arguments.

    The viewer's theme and width count as arguments, and arrays and tables by all they hold.
    """
    name = f"{draw.__module__}.{draw.__qualname__}"

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Drawn:
        seen_by = palette.dark(), palette.narrow()
        known_by = joblib.hash((name, seen_by, args, sorted(kwargs.items())))
        return _GALLERY.figure(known_by, lambda: draw(*args, **kwargs))

    return drawn
