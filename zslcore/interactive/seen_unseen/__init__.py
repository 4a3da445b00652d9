"""Interactive seen-unseen curve: one draggable gamma updates every panel.

The exact curve is sent to the browser once, as bytes, with the gamma at which the prediction of
each test image switches from seen to unseen. The browser returns one number, the gamma where the
visitor stops dragging.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from zslcore.interactive import colors
from zslcore.interactive.colors import Look
from zslcore.interactive.one_file import SHARED, Parts, as_bytes, frame_page, one_file, packed
from zslcore.metrics import SeenUnseenCurve
from zslcore.metrics.curve import GammaThresholds
from zslcore.numbers import percent, three_digits


class CurvePredictions(Protocol):
    """Predictions of a test set, like :class:`zslcore.evaluation.protocol.PredictedTest`."""

    @property
    def curve(self) -> SeenUnseenCurve: ...
    @property
    def classes(self) -> np.ndarray: ...
    @property
    def switches(self) -> GammaThresholds: ...


#: Height in pixels of a curve without images in a notebook.
CURVE_HEIGHT = 640
_HERE = Path(__file__).parent
_HTML = """
<div class="whole">
  <div class="lines" role="group" aria-label="Curve to drag"></div>
  <div class="stops" role="group" aria-label="Named values of gamma"></div>
  <div class="numbers"><span class="g"></span><span class="u"></span><span class="s"></span
    ><span class="h"></span><span class="average">per class</span></div>
  <div class="pair">
    <figure class="trade"><svg role="img"></svg></figure>
    <figure class="over"><svg role="img" aria-label="Accuracies and H against gamma"></svg>
      <input type="range" aria-label="Gamma, subtracted from the scores of seen classes"></figure>
  </div>
  <details class="images"><summary>Predictions by group, and accuracy per class</summary>
  <div class="pair">
    <figure class="flow"><figcaption>Predictions by group
      <small>(per image)</small></figcaption>
      <svg role="img"></svg></figure>
    <figure class="classes"><figcaption>Accuracy per class
      <small>(line: at γ = 0)</small></figcaption>
      <canvas role="img"></canvas></figure>
  </div></details>
  <div class="tip" hidden></div>
</div>
"""
COMPONENT = Parts.of(
    _HERE, _HTML, *map(SHARED.joinpath, ("tooltip.css", "curve_figure.css", "trade.css"))
)


@dataclass(frozen=True, slots=True)
class Stop:
    """Named gamma and its look."""

    name: str
    gamma: float
    look: str


@dataclass(frozen=True, slots=True, eq=False)
class CurveLine:
    """Curve with named gammas (``stops``); other gammas are compared with the first stop.

    ``limits`` are the gammas at both ends of the axis; ``start`` is the initial gamma.
    """

    name: str
    curve: SeenUnseenCurve
    look: str
    stops: Sequence[Stop]
    limits: tuple[float, float]
    start: float


@dataclass(frozen=True, slots=True, eq=False)
class InteractiveCurve:
    """Curves with a draggable gamma on the first curve, and the images of the first curve.

    ``scores`` are the predictions of the first line; ``names`` are class names in the order of the
    prototypes. With ``choose``, a visitor can select another line to drag; with ``sends_value``,
    the server receives the gamma of the first line at the end of a drag. ``looks`` has "seen",
    "unseen", "harmonic" and the looks of all lines and stops.
    """

    lines: Sequence[CurveLine]
    scores: CurvePredictions | None = None
    names: Sequence[str] = ()
    choose: bool = False
    sends_value: bool = True
    sides: tuple[str, str] = ("seen", "unseen")
    looks: Mapping[str, Look] = field(default_factory=lambda: LOOKS)

    @property
    def alt(self) -> str:
        """Description of the curves: the metrics to report, and the oracle."""
        first, *more_lines = self.lines
        text = f"{first.name}: without calibration H is {percent(first.curve.at(0.0).harmonic)}"
        for stop in first.stops:
            if stop.look == "validated":
                at = first.curve.at(stop.gamma)
                text += (
                    f"; at the {stop.name} gamma {three_digits(stop.gamma)} it is "
                    f"{percent(at.harmonic)}"
                )
        best = first.curve.best()
        text += f". Oracle, gamma chosen on the test set: {percent(best.harmonic)}, an upper bound."
        if more_lines:
            listed = ", ".join(
                f"{line.name} (AUSUC {percent(line.curve.ausuc)})" for line in more_lines
            )
            text += f" Compared with: {listed}."
        return text

    def packed(self, file: str = "curve") -> bytes:
        """Return the packed bytes of the component; ``file`` is the name of downloads."""
        head, blocks = self.parts()
        return packed(head | {"file": file}, blocks)

    def page(self, *, title: str, footnote: str, caption: str = "") -> str:
        """Return the curve as one HTML file; see :func:`.one_file.one_file`."""
        return one_file(
            COMPONENT,
            self.packed(title),
            title=title,
            caption=caption or self.alt,
            footnote=footnote,
        )

    def parts(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the JSON head, with a key of the contents, and the arrays."""
        blocks = [
            as_bytes(values, "<f8")
            for line in self.lines
            for values in (line.curve.gamma, line.curve.seen, line.curve.unseen)
        ]
        head = self._head()
        if self.scores is not None:
            head["images"], of_images = _packed_images(self.scores, self.names)
            blocks += of_images
        sha = hashlib.sha256(b"/".join(blocks))
        for line in head["lines"]:
            sha.update(repr({k: v for k, v in line.items() if k != "start"}).encode())
        return head | {"key": sha.hexdigest()[:16]}, blocks

    def _head(self) -> dict[str, Any]:
        return {
            "alt": self.alt,
            "looks": {name: asdict(look) for name, look in self.looks.items()},
            "lines": [
                {
                    "name": line.name,
                    "look": line.look,
                    "n": len(line.curve.gamma),
                    "stops": [asdict(stop) for stop in line.stops],
                    "limits": line.limits,
                    "start": line.start,
                }
                for line in self.lines
            ],
            "images": None,
            "choose": self.choose,
            "sendsValue": self.sends_value,
            "sides": self.sides,
        }


def _packed_images(
    scores: CurvePredictions, names: Sequence[str]
) -> tuple[dict[str, Any], list[bytes]]:
    """Return head and arrays of the images; classes without images are left out."""
    switches = scores.switches
    present, class_number = np.unique(switches.y, return_inverse=True)
    head = {
        "n": len(switches.gamma),
        "classes": [str(names[c]) for c in scores.classes[present]],
        "seen": switches.seen[present].tolist(),
    }
    right = switches.right_if_seen + 2 * switches.right_if_unseen
    return head, [
        as_bytes(switches.gamma, "<f8"),
        as_bytes(class_number, "<u2"),
        as_bytes(right, "u1"),
    ]


LOOKS: dict[str, Look] = {
    "seen": Look.of(colors.SEEN),
    "unseen": Look.of(colors.UNSEEN, "diamond"),
    "harmonic": Look.of(colors.HARMONIC),
    "plain": Look.of(colors.HARMONIC, "circle", "2 3"),
    "validated": Look.of(colors.VALIDATED, "square"),
    "oracle": Look.of(colors.ORACLE, "x", "6 4"),
    "folds": Look.of(colors.VALIDATED, "square"),
    "classes": Look.of(colors.HARMONIC),
    "inductive": Look.of(colors.HARMONIC, "circle", "2 4"),
    "transductive": Look.of(colors.INK, "square"),
    "first": Look.of(colors.NEUTRAL, "triangle-left", "9 3 2 3"),
    "second": Look.of(colors.NEUTRAL, "triangle-right", "2 3"),
    "third": Look.of(colors.NEUTRAL, "triangle-up", "12 4"),
    "fourth": Look.of(colors.NEUTRAL, "triangle-down", "4 2"),
}
#: Looks of curves for comparison, which differ in dashes and marks; all are grey, since colours
#: have meanings.
GHOSTS = ("first", "second", "third", "fourth")


def gamma_range(curve: SeenUnseenCurve, also: Sequence[float] = ()) -> tuple[float, float]:
    """Return the range of gamma with 98 % of the changes of u and s, extended to ``also``."""
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
    curve: SeenUnseenCurve,
    look: str,
    chosen: float | None,
    start: float,
    origin: str | None = "validated",
) -> CurveLine:
    """Return a curve with its named gammas: 0, the chosen gamma, and the best gamma.

    ``look`` is one of :data:`LOOKS`; ``start`` is the initial gamma; ``origin`` is the origin of
    the chosen gamma, such as "validated" on the folds.
    """
    best = curve.best().gamma
    stops = [Stop("uncalibrated", 0.0, "plain")]
    if chosen is not None:
        stops.append(Stop(origin or "given", chosen, "validated"))
    stops.append(Stop("oracle", best, "oracle"))
    limits = gamma_range(curve, [stop.gamma for stop in stops])
    return CurveLine(name, curve, look, stops, limits, start)


def notebook_curve(curve: SeenUnseenCurve) -> str:
    """Return a curve with a draggable gamma as an element of a notebook."""
    title = "Seen-unseen curve"
    footnote = f"AUSUC {curve.ausuc:.4f}, {len(curve.gamma):,} points."
    figure = InteractiveCurve([line_of(title, curve, "harmonic", None, 0.0)], sends_value=False)
    return frame_page(figure.page(title=title, footnote=footnote), title, height=CURVE_HEIGHT)


def page_of_predictions(
    test: CurvePredictions,
    names: Sequence[str],
    *,
    title: str,
    footnote: str,
    gamma: float | None = None,
    origin: str | None = None,
) -> str:
    """Return the curve of a GZSL test set, with its images, as one HTML file.

    ``gamma`` is the chosen gamma and ``origin`` its origin; without a chosen gamma, both are None.
    """
    line = line_of(title, test.curve, "harmonic", gamma, gamma or 0.0, origin)
    return InteractiveCurve([line], test, names, sends_value=False).page(
        title=title, footnote=footnote
    )
