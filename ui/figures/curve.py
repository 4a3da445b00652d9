"""The interactive seen-unseen curve: which gammas are marked, and how lines look.

One colour for each theme, with a contrast of at least 4.5 : 1 to the page, for words and lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from ui.components.seen_unseen import Images, Line, SeenUnseen, Shade, Stop
from ui.figures.looks import look_of
from ui.figures.palette import (
    FIRST,
    HARMONIC,
    INDUCTIVE,
    ORACLE,
    OVERLAP,
    SECOND,
    SEEN,
    TRANSDUCTIVE,
    UNSEEN,
    VALIDATED,
)
from ui.numbers import percent, three_digits
from zslcore.analysis.calibration import gamma_range
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.metrics import SeenUnseenCurve

__all__ = ["GHOSTS", "LOOKS", "curve_in_hand", "line_of"]


LOOKS = {
    "seen": look_of(SEEN),
    "unseen": look_of(UNSEEN, "diamond"),
    "harmonic": look_of(HARMONIC),
    "plain": look_of(HARMONIC, "circle", "2 3"),
    "validated": look_of(VALIDATED, "square"),
    "oracle": look_of(ORACLE, "x", "6 4"),
    "folds": look_of(VALIDATED, "square"),
    "classes": look_of(HARMONIC),
    "inductive": look_of(INDUCTIVE, "circle", "2 4"),
    "transductive": look_of(TRANSDUCTIVE, "square"),
    "first": look_of(FIRST, "triangle-left", "7 4"),
    "second": look_of(SECOND, "triangle-right", "2 3"),
    "third": look_of(OVERLAP, "triangle-up", "9 3 2 3"),
    "fourth": look_of(VALIDATED, "square", "4 2"),
}
#: Looks of curves that are there to compare with: none of them is a meaning on this plane.
GHOSTS = ("first", "second", "third", "fourth")


def line_of(
    name: str,
    curve: SeenUnseenCurve,
    look: str,
    chosen: float | None,
    start: float,
    origin: str | None = "validated",
) -> Line:
    """Return a curve with the gammas that have a name: none, the chosen one, and the best.

    Parameters
    ----------
    name : its label
    curve : SeenUnseenCurve
    look : one of :data:`LOOKS`
    chosen : the gamma that counts, or None
    start : the gamma to begin with
    origin : where the chosen one comes from, "validated" on the folds or else
    """
    best = curve.best().gamma
    stops = [Stop("uncalibrated", 0.0, "plain")]
    if chosen is not None:
        stops.append(Stop(origin or "given", chosen, "validated"))
    stops.append(Stop("oracle", best, "oracle"))
    limits = gamma_range(curve, [stop.gamma for stop in stops])
    return Line(name, curve, look, stops, limits, start)


def curve_in_hand(
    lines: Sequence[Line],
    scores: AnsweredTest | None = None,
    names: Sequence[str] = (),
    shades: Sequence[Shade] = (),
    *,
    choose: bool = False,
    tell: bool = True,
) -> SeenUnseen:
    """Return curves to drag, the first of them with its images.

    Parameters
    ----------
    lines : see :func:`line_of`
    scores : those of the first line; None where only curves are shown
    names : of the classes, in the order of the data set's prototypes
    shades : bands behind the curves
    choose : whether a visitor may select another line to drag
    tell : whether the page asks where the first line's gamma was let go
    """
    images = scores and Images(scores.switches, [names[c] for c in scores.classes])
    return SeenUnseen(lines, LOOKS, _alt(lines), shades, images or None, choose, tell)


def _alt(lines: Sequence[Line]) -> str:
    """Say what is to be seen: what may be reported, and the oracle by its name."""
    first, *others = lines
    said = f"{first.name}: without calibration H is {percent(first.curve.at(0.0).harmonic)}"
    for stop in first.stops:
        if stop.look == "validated":
            at = first.curve.at(stop.gamma)
            said += (
                f", at the {stop.name} gamma {three_digits(stop.gamma)} it is "
                f"{percent(at.harmonic)}"
            )
    best = first.curve.best()
    said += (
        f". Oracle, gamma chosen on the test set: {percent(best.harmonic)}, a bound and no result."
    )
    if others:
        listed = ", ".join(f"{line.name} (AUSUC {percent(line.curve.ausuc)})" for line in others)
        said += f" Compared with: {listed}."
    return said
