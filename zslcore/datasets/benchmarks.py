"""Recognise a benchmark by its content, not by its name.

Class names tell, in any order and spelling, where they are those of a benchmark one by one; where a
file has none, the labels of the release row by row do. AWA1 and AWA2 have the same classes: images
per class, or their share, distinguish them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.datasets.facts import class_facts, fact_sources, plain_name

#: Columns of a benchmark's classes that say its splits: their places, and those in the folds.
_COLUMNS = {"SS": ("ss", "ss_fold"), "PS": ("ps", "fold")}
#: Two sets of the same classes are distinguished when one's shares of images are this much nearer.
_NEARER = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """The benchmark that classes are those of; both AWA1 and AWA2 where nothing tells them apart.

    ``row`` has shape (n_classes,): of each class of the data, its row in the ``class_facts``.
    """

    candidates: tuple[str, ...]
    row: np.ndarray

    @property
    def benchmark(self) -> str | None:
        """The benchmark, None where it is not known which of two it is."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    def test_classes(self, split: str) -> np.ndarray:
        """Return the classes that "SS" or "PS" tests as unseen, numbered as in the data."""
        return np.flatnonzero(self._places(_COLUMNS[split][0]) == "test")

    def folds(self, labels: np.ndarray, split: Split) -> list[Fold]:
        """Return the released folds of a split; none where no benchmark has its unseen classes."""
        for name, (_, fold) in _COLUMNS.items():
            if np.array_equal(np.unique(split.unseen_classes), self.test_classes(name)):
                rows = split.trainval
                places = (self._places(f"{fold}{k}")[labels[rows]] for k in (1, 2, 3))
                return [Fold(rows[of == "train"], rows[of == "val"]) for of in places]
        return []

    def _places(self, column: str) -> np.ndarray:
        return class_facts(self.candidates[0]).classes[column].to_numpy()[self.row]


def benchmark_of(dataset: ZSLDataset) -> str | None:
    """Return the benchmark that a data set is, or stands in for; None for any other data.

    Only their images distinguish AWA1 and AWA2. Where these do not, the beginning of
    the data set's name does, as in ``AWA2-subset``.
    """
    found = recognise(dataset.class_names, dataset.labels)
    if found is None:
        return None
    if found.benchmark:
        return found.benchmark
    called = dataset.name.lower()
    return next((name for name in found.candidates if called.startswith(name.lower())), None)


def recognise(class_names: Sequence[str], labels: np.ndarray) -> Recognised | None:
    """Return what benchmark these classes are those of, if any, in any order and spelling."""
    n_classes = len(class_names)
    if not len(labels) or labels.min() < 0 or labels.max() >= n_classes:
        return None
    by_names = _by_names(tuple(class_names))
    if by_names is None:
        digest = labels_digest(labels)
        for benchmark, facts in fact_sources().items():
            if facts["labels"] == digest and len(_rows(benchmark)) == n_classes:
                return Recognised((benchmark,), np.arange(n_classes))
        return None
    images = np.bincount(labels, minlength=n_classes)
    return Recognised(_nearest(by_names, images), by_names.row)


def named_like(class_names: Sequence[str]) -> tuple[str, ...]:
    """Return the benchmarks whose classes have these names, in any order and spelling."""
    found = _by_names(tuple(class_names))
    return found.candidates if found else ()


@lru_cache(maxsize=64)
def _by_names(class_names: tuple[str, ...]) -> Recognised | None:
    plain = [plain_name(name) for name in class_names]
    found = [name for name in fact_sources() if sorted(plain) == sorted(_rows(name))]
    if not found:
        return None
    rows = _rows(found[0])  # AWA1 and AWA2 list their classes in the same order
    return Recognised(tuple(found), np.array([rows[name] for name in plain]))


@lru_cache
def _rows(benchmark: str) -> dict[str, int]:
    return {plain_name(name): i for i, name in enumerate(class_facts(benchmark).classes["class"])}


def labels_digest(labels: np.ndarray) -> str:
    """Return the SHA-256 of 0-based labels in their order, 16 hex digits."""
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i8").data).hexdigest()[:16]


def _nearest(found: Recognised, images: np.ndarray) -> tuple[str, ...]:
    """Return the candidate whose shares of images per class are nearest, if one is."""
    distance = {}
    for name in found.candidates:
        real = class_facts(name).classes["images"].to_numpy()[found.row]
        distance[name] = np.abs(images / images.sum() - real / real.sum()).sum()
    first, *others = sorted(distance, key=lambda name: distance[name])
    if all(distance[first] * _NEARER < distance[other] for other in others):
        return (first,)
    return found.candidates
