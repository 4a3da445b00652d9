"""Instrument of the first page: a curve, a wall of test images, a rail of choices, one ruler.

The data for all positions of the ruler are sent to the browser once, as bytes. The browser sends
back choices, requests to run a method, and the position at which the ruler is released.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.interactive.one_file import SHARED, Parts, as_bytes, packed
from zslcore.interactive.seen_unseen import InteractiveCurve
from zslcore.metrics import SeenUnseenCurve

PARTS = Parts.of(
    Path(__file__).parent,
    "",
    *map(SHARED.joinpath, ("tooltip.css", "curve_figure.css", "trade.css")),
)
_mount = st.components.v2.component("zsl_playground", **asdict(PARTS))
#: Number that stands for a missing best class, if a side has no candidates.
_NONE = 65535
#: Resolution of a grey curve: points within the same step of both axes are merged.
_STEPS = 1024


@dataclass(frozen=True, slots=True)
class DatasetTile:
    """A data set on the rail; ``kind`` is "real", "simulated" or "precomputed"."""

    key: str
    title: str
    classes: int
    kind: str


@dataclass(frozen=True, slots=True)
class Chip:
    """Method on the rail.

    ``words`` is its name in tables. ``available`` is True if predictions exist; ``needs`` is a
    missing package.
    """

    name: str
    words: str
    available: bool
    title: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Choice of data set, split and method."""

    dataset: str
    split: str
    method: str


@dataclass(frozen=True, slots=True)
class Rail:
    """Choices of the rail; ``split_note`` is the reason why a split is missing."""

    tiles: Sequence[DatasetTile]
    simulated: Sequence[DatasetTile]
    splits: Sequence[str]
    families: Mapping[str, Sequence[Chip]]
    chosen: RunChoice
    split_note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Ghost:
    """Curve of another method, in grey."""

    name: str
    curve: SeenUnseenCurve

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the unseen and seen accuracies of the visibly distinct points."""
        unseen, seen = np.rint(np.stack([self.curve.unseen, self.curve.seen]) * _STEPS)
        distinct = np.append(True, (np.diff(unseen) != 0) | (np.diff(seen) != 0))
        distinct[-1] = True
        return unseen[distinct] / _STEPS, seen[distinct] / _STEPS


@dataclass(frozen=True, slots=True)
class Pending:
    """Message while predictions are missing, and the button that computes them.

    ``covers`` is True if the message replaces the curve; otherwise the curve of provisional
    predictions is shown. ``command`` is a command to copy into a terminal.
    """

    words: str
    button: str
    covers: bool = True
    command: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Stop of a ruler other than gamma: value as text, curve and predictions."""

    words: str
    curves: InteractiveCurve
    predicted: PredictedTest


@dataclass(frozen=True, slots=True)
class NamedStop:
    """Named stop of a ruler: name, index and look."""

    name: str
    place: int
    look: str


@dataclass(frozen=True, slots=True, eq=False)
class Ruler:
    """Ruler of the kind "gamma", "lambda" or "images", with its stops and texts.

    ``symbol`` and ``spoken`` are the label on screen and for screen readers, with ``{}`` for the
    value. ``frames`` are the stops, empty for gamma; ``named`` are the stops with names. ``start``
    and ``reference`` are the indices of the first stop shown and of the stop to compare with.
    ``note`` explains the stops, or why there are none.
    """

    kind: str = "gamma"
    symbol: str = ""
    spoken: str = ""
    frames: Sequence[Frame] = ()
    named: Sequence[NamedStop] = ()
    start: int = 0
    reference: int = 0
    note: str = ""

    def head(self) -> dict[str, Any]:
        """Return the fields for JSON, without the curves at the stops."""
        head = asdict(replace(self, frames=()))
        return head | {"words": [frame.words for frame in self.frames]}


@dataclass(frozen=True, slots=True, eq=False)
class Instrument:
    """Contents of the instrument: a curve and its images, at the ruler's ``reference`` stop.

    ``curves`` has a single curve; ``predicted`` has the predictions of the images. ``names`` are
    the classes in the order of the score columns; ``noun`` is the word for a class, singular and
    plural. ``ghosts`` are the curves of other methods; ``pictures`` is uint8 of shape (n_samples,
    height, width). ``below`` is the height, in pixels, of the elements below the instrument;
    ``only`` is the class to which the wall is limited.
    """

    curves: InteractiveCurve
    predicted: PredictedTest
    names: Sequence[str]
    noun: tuple[str, str]
    rail: Rail
    ghosts: Sequence[Ghost] = ()
    pictures: np.ndarray | None = None
    pending: Pending | None = None
    ruler: Ruler = Ruler()
    below: int = 0
    only: str = ""

    def packed(self, file: str = "playground") -> bytes:
        """Return the contents as bytes; ``file`` is the stem of downloaded files."""
        head, blocks = _parts(self.curves, self.predicted)
        ghosts = []
        for ghost in self.ghosts:
            unseen, seen = ghost.points()
            ghosts.append({"name": ghost.name, "n": len(unseen)})
            blocks += [as_bytes(unseen, "<f4"), as_bytes(seen, "<f4")]
        pictures = None
        if self.pictures is not None:
            blocks.append(as_bytes(self.pictures, "u1"))
            pictures = dict(zip(("height", "width"), self.pictures.shape[1:], strict=True))
        frames = []
        for frame in self.ruler.frames:
            of_frame, of_answers = _parts(frame.curves, frame.predicted)
            frames.append(of_frame)
            blocks += of_answers
        keys = [head["key"], self.ruler.kind, *(frame["key"] for frame in frames)]
        contents = {
            "key": hashlib.sha256(" ".join(keys).encode()).hexdigest()[:16],
            "ruler": self.ruler.head(),
            "frames": frames,
            "file": file,
            "images_key": self._images_key(),
            "noun": self.noun,
            "candidates": list(self.names),
            "ghosts": ghosts,
            "answers": None,
            "pictures": pictures,
            "rail": asdict(self.rail),
            "pending": self.pending and asdict(self.pending),
            "below": self.below,
            "only": self.only,
        }
        return packed(head | contents, blocks)

    def _images_key(self) -> str:
        """Return a digest of classes and images, the same for all methods."""
        sha = hashlib.sha256(repr((list(self.names), self.pictures is None)).encode())
        sha.update(as_bytes(self.predicted.best_classes.y, "<u4"))
        return sha.hexdigest()[:16]


def _parts(
    curves: InteractiveCurve, predicted: PredictedTest
) -> tuple[dict[str, Any], list[bytes]]:
    """Return the head and the arrays of curves and their predictions."""
    head, blocks = curves.parts()
    answers, order = predicted.best_classes, predicted.switches.order
    blocks.append(as_bytes(order, "<u4"))
    for side in (answers.seen_class, answers.unseen_class):
        blocks.append(as_bytes(np.where(side < 0, _NONE, side)[order], "<u2"))
    return head, blocks


def draw(instrument: Instrument, *, key: str, on_change: Callable[[str], None]) -> Any:
    """Draw the instrument.

    ``on_change`` is called with "gamma", "place", "ruler", "choice", "only", "import" or "run"
    before the page runs.
    """
    callbacks: dict[str, Any] = {
        f"on_{name}_change": partial(on_change, name)
        for name in ("gamma", "place", "ruler", "choice", "only", "import", "run")
    }
    return _mount(key=key, data=instrument.packed(key), **callbacks)
