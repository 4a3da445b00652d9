"""Seen-unseen curve with named points, for cards and lessons."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ui.figures.cached import cached_figure
from ui.figures.palette import HARMONIC, Mark
from ui.figures.vocabulary import Chart, Part, axis, dots, figure, line, scatter

#: Name of a point, its unseen and its seen accuracy, and its mark.
Point = tuple[str, float, float, Mark]


@cached_figure
def curve_with_points(
    unseen: ArrayLike, seen: ArrayLike, points: Sequence[Point], *, height: int, name: str = ""
) -> Chart:
    """Draw seen over unseen accuracy for every gamma; the legend has the points and ``name``."""
    marks = [
        scatter(x=[x], y=[y], name=label, marker=dots(mark, 11)) for label, x, y, mark in points
    ]
    look: Part = {"name": name, "showlegend": bool(name)}
    plane: Part = {"percent": True, "grid": True, "range": [-0.02, 1.02]}
    return figure(
        [line(HARMONIC.color, width=2.5, x=unseen, y=seen, **look), *marks],
        height=height,
        legend="top",
        xaxis=axis("unseen accuracy u", **plane),
        yaxis=axis("seen accuracy s", **plane),
    )
