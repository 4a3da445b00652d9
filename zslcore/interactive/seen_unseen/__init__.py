"""An interactive seen-unseen curve: one draggable gamma moves through every panel.

A curve goes down once, exact, as bytes, and so does, for every image of the test set, the gamma at
which its answer changes sides. What comes up is one number, when the visitor lets go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.interactive.forms import Curve, Switches
from zslcore.interactive.hues import Look
from zslcore.interactive.modules import SHARED, joined, styled
from zslcore.interactive.one_file import Parts, one_file
from zslcore.interactive.packing import as_bytes, packed

_HERE = Path(__file__).parent
_HTML = """
<div class="whole">
  <div class="lines" role="group" aria-label="Curve to drag"></div>
  <div class="numbers"><span class="g"></span><span class="u"></span><span class="s"></span
    ><span class="h"></span></div>
  <div class="pair">
    <figure class="trade"><svg role="img"></svg></figure>
    <figure class="over"><svg role="img" aria-label="Accuracies and H over gamma"></svg>
      <input type="range" aria-label="Gamma, subtracted from the scores of seen classes">
      <div class="stops" role="group" aria-label="Gammas with a name"></div></figure>
  </div>
  <div class="pair images">
    <figure class="flow"><figcaption>Predictions by group</figcaption>
      <svg role="img"></svg></figure>
    <figure class="classes"><figcaption>Accuracy per class
      <small>(line: at γ = 0)</small></figcaption>
      <canvas role="img"></canvas></figure>
  </div>
  <div class="tip" hidden></div>
</div>
"""
PARTS = Parts(
    html=_HTML,
    css=styled(SHARED / "held.css", SHARED / "trade.css", _HERE / "seen_unseen.css"),
    js=joined(_HERE / "seen_unseen.js"),
)


@dataclass(frozen=True, slots=True)
class Stop:
    """A gamma with a name, and which look it has."""

    name: str
    gamma: float
    look: str


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A curve, whose images are compared with what they do at the first of its ``stops``.

    ``limits`` are the gammas at both ends of the axis, ``start`` is the one to begin with.
    """

    name: str
    curve: Curve
    look: str
    stops: Sequence[Stop]
    limits: tuple[float, float]
    start: float


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """The images of the first line's test set; class names in the order of the scores' columns."""

    switches: Switches
    names: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class SeenUnseen:
    """Curves, of which the first can be dragged, and its images; ``alt`` says what is shown.

    ``looks`` has "seen", "unseen", "harmonic" and all that lines and stops name. With ``choose`` a
    visitor may select another line to drag; with ``tell`` the server hears where the first was let
    go.
    """

    lines: Sequence[Line]
    looks: Mapping[str, Look]
    alt: str
    images: Images | None = None
    choose: bool = False
    tell: bool = True
    sides: tuple[str, str] = ("seen", "unseen")

    def packed(self, file: str = "curve") -> bytes:
        """Return everything as bytes; ``file`` is what the menu to take it away calls it."""
        head, blocks = self.parts()
        return packed(head | {"file": file}, blocks)

    def page(self, *, title: str, made: str, caption: str = "") -> str:
        """Return the curve as one HTML file, see :func:`.one_file.one_file`."""
        return one_file(
            PARTS, self.packed(title), title=title, caption=caption or self.alt, made=made
        )

    def parts(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return what JSON holds, with the key of what is drawn, and the arrays."""
        blocks = [
            as_bytes(values, "<f8")
            for line in self.lines
            for values in (line.curve.gamma, line.curve.seen, line.curve.unseen)
        ]
        head = self._head()
        if self.images:
            head["images"], of_images = _packed_images(self.images)
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
            "tell": self.tell,
            "sides": self.sides,
        }


def _packed_images(images: Images) -> tuple[dict[str, Any], list[bytes]]:
    """Return head and arrays of the images: only classes with images are listed."""
    switches = images.switches
    present, of = np.unique(switches.y, return_inverse=True)
    head = {
        "n": len(switches.gamma),
        "classes": [str(images.names[c]) for c in present],
        "seen": switches.seen[present].tolist(),
    }
    right = switches.right_if_seen + 2 * switches.right_if_unseen
    return head, [as_bytes(switches.gamma, "<f8"), as_bytes(of, "<u2"), as_bytes(right, "u1")]
