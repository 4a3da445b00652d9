"""What a file of scores holds, as it is and as it is understood."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zslcore.protocol import ScoredTest

__all__ = ["ScoreFile", "ScoreMatrix"]


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """What was found in a file, before anybody has said what it means.

    Attributes
    ----------
    name : of the file, for sentences
    scores : array of two axes
    labels : int array, or texts, of the images
    unseen : int array, bool array, texts, or None where nobody said which classes are unseen
    class_names : one a column, or nothing
    """

    name: str
    scores: np.ndarray
    labels: np.ndarray | Sequence[str]
    unseen: np.ndarray | Sequence[str] | None = None
    class_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of test images, understood.

    Attributes
    ----------
    name : of the file they are from
    F : array of shape (n_images, n_classes), larger is closer
    y : int array of shape (n_images,), columns of ``F``
    seen : bool array of shape (n_classes,)
    class_names : one a column
    fixes : what was done to the file before, see :data:`zslcore.scores.oddities.FIXES`
    remarks : sentences on what a reader should know
    benchmark, split : what the images were recognised as, empty where nobody knows
    """

    name: str
    F: np.ndarray
    y: np.ndarray
    seen: np.ndarray
    class_names: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())
    benchmark: str = ""
    split: str = ""

    def __post_init__(self) -> None:
        for array in (self.F, self.y, self.seen):
            array.setflags(write=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over scores, labels and unseen classes as they are understood, 16 hex digits."""
        sha = hashlib.sha256(repr(self.F.shape).encode())
        for start in range(0, len(self.F), 4096):
            sha.update(np.ascontiguousarray(self.F[start : start + 4096], dtype="<f8").data)
        sha.update(self.y.astype("<i8").data)
        sha.update(np.packbits(self.seen).data)
        return sha.hexdigest()[:16]

    @cached_property
    def tested(self) -> ScoredTest:
        """The same for the protocol; classes are columns."""
        return ScoredTest(self.F, self.y, np.arange(self.F.shape[1]), self.seen)
