"""The registry of figures shown by every list, table and export of results.

A figure is one entry: where it stands in a row, how it is called, how it follows from an evaluation
or from the answers to a test set, and what it needs. A new metric is one call of :func:`register`;
listings, exports, orders and tables of runs ask the registry, and so do the figures of scores with
their intervals and differences. A stored run has an evaluation and no answers: figures that follow
from the answers alone are those of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from zslcore.evaluation.drawn import Drawn, Sides
    from zslcore.evaluation.protocol import Evaluation
    from zslcore.metrics.accuracy import Average

__all__ = [
    "FIGURES",
    "PER_SAMPLE",
    "Figure",
    "headings",
    "names",
    "on_board",
    "register",
    "values_of",
]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result.

    Attributes
    ----------
    name : column of a row
    label : as it is written next to others, as "H at γ"
    of : how it follows from an evaluation, which follows from predictions; None where it needs the
        answers themselves, or where an evaluation has none
    printed : heading in a text or a paper, ``label`` by default
    unit : "fraction", in [0, 1] and shown in percent, or "" for a plain number
    needs_gzsl : whether it needs seen test samples
    larger_is_better : the order of a list, the best first
    shown : whether lists show it; exports have every figure
    board : its field in an entry of the board; empty where entries have none
    drawn : how it follows from answers, for every draw of classes or images; None where it does not
    needs_gamma : whether it needs a gamma that was chosen
    needs_fixed_scores : whether it needs the best seen class among seen classes alone, which
        predictions hold only if the scores do not depend on the candidates
    """

    name: str
    label: str
    of: Callable[[Evaluation], float | None] | None
    printed: str = ""
    unit: Literal["fraction", ""] = "fraction"
    needs_gzsl: bool = True
    larger_is_better: bool = True
    shown: bool = True
    board: str = ""
    drawn: Callable[[Drawn], np.ndarray] | None = None
    needs_gamma: bool = False
    needs_fixed_scores: bool = False


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
    """Return every figure that follows from an evaluation, by name; None where it has none."""
    return {name: f.of(evaluation) for name, f in FIGURES.items() if f.of is not None}


# --- The figures ----------------------------------------------------------------------------------

#: End of the names of figures in which every sample weighs alike, not every class.
PER_SAMPLE = "_per_sample"
_AVERAGES: tuple[tuple[Average, str, str], ...] = (
    ("class", "", ""),
    ("sample", PER_SAMPLE, " per sample"),
)
_LETTERS = {"unseen": "u", "seen": "s", "harmonic": "H"}


def _of_sides(sides: Callable[[Drawn], Sides], side: str) -> Callable[[Drawn], np.ndarray]:
    def of(drawn: Drawn) -> np.ndarray:
        values: np.ndarray = getattr(sides(drawn), side)
        return values

    return of


def _register_average(average: Average, end: str, said: str) -> None:
    """Register the figures that there are per class and per sample."""
    per_class = average == "class"
    register(
        Figure(
            f"zsl{end}",
            f"ZSL{said}",
            (lambda e: e.zsl) if per_class else (lambda e: e.zsl_per_sample),
            needs_gzsl=False,
            shown=per_class,
            board="zsl" if per_class else "",
            drawn=lambda d: d.zsl(average),
        )
    )
    points: dict[str, tuple[str, str, Callable[[Drawn], Sides]]] = {
        "plain": ("", "", lambda d: d.at(0.0, average)),
        "calibrated": (" at γ", "_gamma", lambda d: d.at(d.gamma, average)),
        "best": (", oracle γ", "", lambda d: d.best(average)),
        "separate": (", separate spaces", "", lambda d: d.separate(average)),
    }
    for point, (at, field, sides) in points.items():
        follows = point in ("plain", "calibrated")
        for side, letter in _LETTERS.items():
            if (point, side) == ("separate", "unseen"):
                continue  # ZSL accuracy by another name
            register(
                Figure(
                    f"{point}_{side}{end}",
                    f"{letter}{at}{said}",
                    _of_point(f"{point}{end}", side) if follows else None,
                    printed="H cal." if (point, side) == ("calibrated", "harmonic") else "",
                    shown=per_class
                    and (point == "plain" or (point, side) == ("calibrated", "harmonic")),
                    board=f"{letter}{field}" if per_class and follows else "",
                    drawn=_of_sides(sides, side),
                    needs_gamma=point == "calibrated",
                    needs_fixed_scores=point == "separate",
                )
            )
    register(
        Figure(
            f"ausuc{end}",
            f"AUSUC{said}",
            (lambda e: e.ausuc) if per_class else None,
            shown=per_class,
            board="ausuc" if per_class else "",
            drawn=lambda d: d.area(average),
        )
    )


for _average in _AVERAGES:
    _register_average(*_average)


def _mean_class(evaluation: Evaluation) -> float | None:
    of_class = evaluation.per_class_plain
    return float(np.mean(list(of_class.values()))) if of_class else None


for _figure in (
    Figure(
        "accuracy",
        "accuracy",
        _mean_class,
        shown=False,
        drawn=lambda d: d.accuracy("class"),
    ),
    Figure(
        f"accuracy{PER_SAMPLE}",
        "accuracy per sample",
        None,
        shown=False,
        drawn=lambda d: d.accuracy("sample"),
    ),
    Figure("macro_f1", "macro F1", None, shown=False, drawn=lambda d: d.macro_f1()),
    Figure("auroc", "AUROC", None, shown=False, drawn=lambda d: d.auroc()),
    Figure(
        "fpr95",
        "FPR95",
        None,
        larger_is_better=False,
        shown=False,
        drawn=lambda d: d.fpr95(),
    ),
):
    register(_figure)
