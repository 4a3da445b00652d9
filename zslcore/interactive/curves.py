"""The interactive seen-unseen curve: which gammas are marked, and how lines look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zslcore.interactive import hues
from zslcore.interactive.forms import Answered, Curve
from zslcore.interactive.numbers import percent, three_digits
from zslcore.interactive.seen_unseen import Images, Line, SeenUnseen, Stop

LOOKS = {
    "seen": hues.Look.of(hues.SEEN),
    "unseen": hues.Look.of(hues.UNSEEN, "diamond"),
    "harmonic": hues.Look.of(hues.HARMONIC),
    "plain": hues.Look.of(hues.HARMONIC, "circle", "2 3"),
    "validated": hues.Look.of(hues.VALIDATED, "square"),
    "oracle": hues.Look.of(hues.ORACLE, "x", "6 4"),
    "folds": hues.Look.of(hues.VALIDATED, "square"),
    "classes": hues.Look.of(hues.HARMONIC),
    "inductive": hues.Look.of(hues.HARMONIC, "circle", "2 4"),
    "transductive": hues.Look.of(hues.INK, "square"),
    "first": hues.Look.of(hues.FIRST, "triangle-left", "7 4"),
    "second": hues.Look.of(hues.SECOND, "triangle-right", "2 3"),
    "third": hues.Look.of(hues.OVERLAP, "triangle-up", "9 3 2 3"),
    "fourth": hues.Look.of(hues.NEUTRAL, "circle", "4 2"),
}
#: Looks of curves that are there to compare with: none of them is a meaning on this plane.
GHOSTS = ("first", "second", "third", "fourth")


def gamma_range(curve: Curve, also: Sequence[float] = ()) -> tuple[float, float]:
    """Return the gammas between which 98 % of either trade happens, widened to hold ``also``."""
    gamma = curve.gamma[1:]
    if not len(gamma):
        return min([-1.0, *also]), max([1.0, *also])
    low = gamma[np.searchsorted(curve.unseen[1:], 0.01 * curve.unseen[-1])]
    high = gamma[np.searchsorted(-curve.seen[1:], -0.01 * curve.seen[0])]
    low, high = min(low, high, *also), max(low, high, *also)
    margin = 0.03 * (high - low) or 1.0
    return float(low - margin), float(high + margin)


def line_of(
    name: str,
    curve: Curve,
    look: str,
    chosen: float | None,
    start: float,
    origin: str | None = "validated",
) -> Line:
    """Return a curve with the gammas that have a name: none, the chosen one, and the best.

    ``look`` is one of :data:`LOOKS`, ``start`` the gamma to begin with; ``origin`` says where the
    chosen one comes from, "validated" on the folds or else.
    """
    best = curve.best().gamma
    stops = [Stop("uncalibrated", 0.0, "plain")]
    if chosen is not None:
        stops.append(Stop(origin or "given", chosen, "validated"))
    stops.append(Stop("oracle", best, "oracle"))
    limits = gamma_range(curve, [stop.gamma for stop in stops])
    return Line(name, curve, look, stops, limits, start)


def interactive_curve(
    lines: Sequence[Line],
    scores: Answered | None = None,
    names: Sequence[str] = (),
    *,
    choose: bool = False,
    tell: bool = True,
    sides: tuple[str, str] = ("seen", "unseen"),
) -> SeenUnseen:
    """Return curves to drag, the first of them with its images.

    ``scores`` are those of the first line, ``names`` of the classes in the order of the prototypes.
    With ``choose`` a visitor may select another line to drag; with ``tell`` the page hears where
    the first line's gamma was let go.
    """
    images = scores and Images(scores.switches, [names[c] for c in scores.classes])
    return SeenUnseen(lines, LOOKS, _alt(lines), images or None, choose, tell, sides)


def page_of_answers(
    test: Answered,
    names: Sequence[str],
    *,
    title: str,
    made: str,
    gamma: float | None = None,
    origin: str | None = None,
) -> str:
    """Return the curve of a test set of seen and unseen classes, with its images, as one HTML file.

    ``gamma`` is the one that counts and ``origin`` where it comes from, None without one.
    """
    line = line_of(title, test.curve, "harmonic", gamma, gamma or 0.0, origin)
    return interactive_curve([line], test, names, tell=False).page(title=title, made=made)


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
