"""The registry of figures shown by every list, table and export of results.

A figure is one entry: where it stands in a row, how it is called, how it follows from an
evaluation, and what it needs. A new metric is one call of :func:`register`; listings, exports,
orders and tables of runs ask the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from zslcore.evaluation.protocol import Evaluation

__all__ = ["FIGURES", "Figure", "headings", "names", "on_board", "register", "values_of"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result.

    Attributes
    ----------
    name : column of a row
    label : as it is written next to others, as "H at γ"
    of : how it follows from an evaluation, which follows from predictions; None where it has none
    printed : heading in a text or a paper, ``label`` by default
    unit : "fraction", in [0, 1] and shown in percent, or "" for a plain number
    needs_gzsl : whether it needs seen test samples
    larger_is_better : the order of a list, the best first
    shown : whether lists show it; exports have every figure
    board : its field in an entry of the board; empty where entries have none
    """

    name: str
    label: str
    of: Callable[[Evaluation], float | None]
    printed: str = ""
    unit: Literal["fraction", ""] = "fraction"
    needs_gzsl: bool = True
    larger_is_better: bool = True
    shown: bool = True
    board: str = ""

    @property
    def at_gamma(self) -> bool:
        """Whether it depends on gamma."""
        return self.name.startswith("calibrated_")


def _of_point(point: str, side: str) -> Callable[[Evaluation], float | None]:
    def of(evaluation: Evaluation) -> float | None:
        value: float | None = getattr(getattr(evaluation, point), side, None)
        return value

    return of


#: All figures by name, in the order of a table.
FIGURES: dict[str, Figure] = {}


def register(figure: Figure) -> Figure:
    """Add a figure; every list of figures has it from then on.

    Raises
    ------
    ValueError
        When another figure has its name.
    """
    if figure.name in FIGURES:
        raise ValueError(f"A figure {figure.name!r} is registered already; its name must be new.")
    FIGURES[figure.name] = figure
    return figure


def names(*, shown: bool = True, unit: str | None = None) -> tuple[str, ...]:
    """Return the names of figures, those that lists show or all, of one unit or of any."""
    return tuple(
        figure.name
        for figure in FIGURES.values()
        if (figure.shown or not shown) and unit in (None, figure.unit)
    )


def headings(*, printed: bool = False) -> dict[str, str]:
    """Return the labels of the figures that lists show, by name; as papers head them on request."""
    shown = (figure for figure in FIGURES.values() if figure.shown)
    return {each.name: (printed and each.printed) or each.label for each in shown}


def on_board() -> dict[str, Figure]:
    """Return the figures that an entry of the board has, by their fields there."""
    return {figure.board: figure for figure in FIGURES.values() if figure.board}


def values_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return every figure of an evaluation, by name; None where it has none."""
    return {figure.name: figure.of(evaluation) for figure in FIGURES.values()}


for _figure in (
    Figure("zsl", "ZSL", lambda e: e.zsl, needs_gzsl=False, board="zsl"),
    Figure("plain_unseen", "u", _of_point("plain", "unseen"), board="u"),
    Figure("plain_seen", "s", _of_point("plain", "seen"), board="s"),
    Figure("plain_harmonic", "H", _of_point("plain", "harmonic"), board="H"),
    Figure(
        "calibrated_unseen",
        "u at γ",
        _of_point("calibrated", "unseen"),
        shown=False,
        board="u_gamma",
    ),
    Figure(
        "calibrated_seen", "s at γ", _of_point("calibrated", "seen"), shown=False, board="s_gamma"
    ),
    Figure(
        "calibrated_harmonic",
        "H at γ",
        _of_point("calibrated", "harmonic"),
        "H cal.",
        board="H_gamma",
    ),
    Figure("ausuc", "AUSUC", lambda e: e.ausuc, board="ausuc"),
):
    register(_figure)
