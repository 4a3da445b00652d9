"""What figures read of curves and answers; the classes that have it lie above."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Point(Protocol):
    """Accuracies at one gamma, as :class:`zslcore.metrics.OperatingPoint` has them."""

    @property
    def gamma(self) -> float: ...
    @property
    def harmonic(self) -> float: ...


class Curve(Protocol):
    """What is drawn of a curve, as :class:`zslcore.metrics.SeenUnseenCurve` has it."""

    @property
    def gamma(self) -> np.ndarray: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def unseen(self) -> np.ndarray: ...
    @property
    def harmonic(self) -> np.ndarray: ...
    @property
    def ausuc(self) -> float: ...
    def at(self, gamma: float, /) -> Point: ...
    def best(self) -> Point: ...


class Switches(Protocol):
    """The gamma at which each image changes sides, as :mod:`zslcore.metrics.thresholds` has it."""

    @property
    def gamma(self) -> np.ndarray: ...
    @property
    def y(self) -> np.ndarray: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def right_if_seen(self) -> np.ndarray: ...
    @property
    def right_if_unseen(self) -> np.ndarray: ...


class Answered(Protocol):
    """The answers to a test set, as :class:`zslcore.evaluation.protocol.AnsweredTest` has them."""

    @property
    def curve(self) -> Curve: ...
    @property
    def classes(self) -> np.ndarray: ...
    @property
    def switches(self) -> Switches: ...
