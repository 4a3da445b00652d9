"""What a file of scores holds, as it is and as it is understood."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from zslcore.evaluation.protocol import AnsweredTest
from zslcore.scores.blocks import blocks
from zslcore.scores.sides import ScoredSides, sides_of


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """Contents of a score file, before its arrays are interpreted.

    Attributes
    ----------
    name : of the file, for sentences
    scores : array of two axes
    labels : int array, or texts, of the images
    unseen : int array, bool array, texts, or None where the unseen classes are not stated
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
    fixes : what was done to the file before, see :data:`zslcore.scores.warnings.FIXES`
    remarks : sentences on what a reader should know
    benchmark, split : what the images were recognised as, empty where unknown
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
        for _, block in blocks(self.F):
            sha.update(np.ascontiguousarray(block, dtype="<f8").data)
        sha.update(self.y.astype("<i8").data)
        sha.update(np.packbits(self.seen).data)
        return sha.hexdigest()[:16]

    @cached_property
    def tested(self) -> ScoredSides:
        """The best classes of either side, for the protocol; classes are columns."""
        return sides_of(self.F, self.y, self.seen)

    @property
    def about(self) -> dict[str, Any]:
        """What the labels alone show of the data."""
        return {}

    @property
    def nbytes(self) -> int:
        """Bytes in memory without those of the scores."""
        return self.tested.nbytes


@dataclass(frozen=True, eq=False)
class ScoreAnswers:
    """A score matrix without its scores: what comes back from where it was judged.

    Attributes
    ----------
    name, class_names, fixes, remarks, benchmark, split, digest : of the :class:`ScoreMatrix`
    tested : ScoredSides
    """

    name: str
    tested: ScoredSides
    class_names: tuple[str, ...]
    digest: str
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""

    @property
    def y(self) -> np.ndarray:
        """True columns: int array of shape (n_images,)."""
        return self.tested.y

    @property
    def seen(self) -> np.ndarray:
        """Bool array of shape (n_classes,)."""
        return self.tested.seen

    @property
    def about(self) -> dict[str, Any]:
        """What the labels alone show of the data."""
        return {}

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.tested.nbytes


class JudgedScores(Protocol):
    """What a score matrix, its answers and predictions have in common."""

    @property
    def name(self) -> str: ...
    @property
    def y(self) -> np.ndarray: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def class_names(self) -> tuple[str, ...]: ...
    @property
    def fixes(self) -> tuple[str, ...]: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...
    @property
    def benchmark(self) -> str: ...
    @property
    def split(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def about(self) -> dict[str, Any]: ...
    @property
    def tested(self) -> AnsweredTest: ...
    @property
    def nbytes(self) -> int: ...
