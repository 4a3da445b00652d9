"""Predictions as scores: read, and their claims compared with the data or the facts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import plain_name, row_facts
from zslcore.datasets.sandbox.client import DEFAULT_LIMITS, Limits
from zslcore.evaluation import (
    Predictions,
    State,
    Truth,
    check_predictions,
    read_predictions,
)
from zslcore.evaluation.predictions import PredictedRows
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage.published import KnownTest, known_splits, known_tests, recognised
from zslcore.texts import clean_text

#: The remark on predictions whose claims are right.
AGREES = "Verified: rows, labels and gamma agree with the data."


@dataclass(frozen=True, eq=False)
class PredictedScores:
    """Predictions with what a report needs of a score matrix; classes are the candidates.

    They are VERIFIED where rows, labels and gamma agree with the data; ``remarks`` say what could
    not be, ``reasons`` which claims are wrong.
    """

    name: str
    predictions: Predictions
    remarks: tuple[str, ...] = ()
    state: State = State.STATED
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = field(default=(), init=False)

    @cached_property
    def tested(self) -> PredictedRows:
        """The answers to the test images; classes are numbered among the candidates."""
        return self.predictions.test.among_candidates()

    @property
    def y(self) -> np.ndarray:
        """Numbers of the true candidates, shape (n_images,)."""
        return self.predictions.test.y

    @property
    def seen(self) -> np.ndarray:
        """Which candidates are seen classes, shape (n_candidates,)."""
        return self.predictions.test.seen

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the candidates."""
        return tuple(self.predictions.class_names[c] for c in self.predictions.test.classes)

    @cached_property
    def known(self) -> KnownTest | None:
        """The published test set that has as many images of every class, and the same unseen."""
        known = recognised(self.predictions.test.labels, len(self.predictions.class_names))
        unseen = self.predictions.unseen_classes
        return known if known and np.array_equal(np.flatnonzero(known.unseen), unseen) else None

    @property
    def benchmark(self) -> str:
        """The benchmark that the labels tell, empty for none."""
        return self.known.benchmark if self.known else ""

    @property
    def split(self) -> str:
        """The split that the labels tell, empty for none."""
        return self.known.split if self.known else ""

    @property
    def about(self) -> dict[str, Any]:
        """What the predictions state of their data, where they number its rows."""
        said = self.predictions.provenance
        if said.rows != "benchmark" or not said.dataset:
            return {}
        names = ("benchmark", "features", "pretraining", "simulated", "digest")
        return {
            "data": {"name": said.dataset} | {name: getattr(said, name) for name in names},
            "rows": {"name": said.split, "parts": dict(said.parts)},
            "params": {"origin": said.params_origin, "params": dict(said.params)},
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 over rows, labels, answers and margins of the test, 16 hex digits."""
        test, sha = self.predictions.test, hashlib.sha256()
        for column in (test.rows, test.labels, test.seen_class, test.unseen_class):
            sha.update(column.astype("<i8").data)
        sha.update(test.margin.astype("<f8").data)
        return sha.hexdigest()[:16]


def read_predicted(
    path: Path,
    *,
    limits: Limits = DEFAULT_LIMITS,
    load: Callable[[str], ZSLDataset] = load,
    refuse_wrong: bool = True,
) -> PredictedScores:
    """Read a file of predictions and compare its claims with the data, as far as they are here.

    ``load`` raises a ZSLError for data that the file may not be checked with. A FileRefusedError
    when it cannot be read; for a wrong claim, too, with ``refuse_wrong``.
    """
    predictions = read_predictions(path, limits=limits)
    return checked(predictions, path.name, load=load, refuse_wrong=refuse_wrong)


def checked(
    predictions: Predictions,
    name: str,
    *,
    load: Callable[[str], ZSLDataset] = load,
    refuse_wrong: bool = True,
) -> PredictedScores:
    """Check what predictions claim, as :func:`read_predicted` does."""
    name, check = clean_text(name), check_predictions(predictions, _truth_for(predictions, load))
    if check.reasons and refuse_wrong:
        raise FileRefusedError(f"{name}, {check.reasons[0]}")
    state = check.state or State.STATED
    remarks = (AGREES,) * (state is State.VERIFIED) + check.unknown
    return PredictedScores(name, predictions, remarks, state, check.reasons)


def _truth_for(predictions: Predictions, load: Callable[[str], ZSLDataset]) -> Truth | None:
    """Return what the data, of the same content, or their benchmark's facts know of themselves."""
    claimed = predictions.provenance
    if claimed.digest:
        with suppress(ZSLError):
            dataset = load(claimed.dataset).required(claimed.digest)
            return Truth.of(dataset, dataset.split(claimed.split))
    return _truth_of_benchmark(predictions)


def _truth_of_benchmark(predictions: Predictions) -> Truth | None:
    """Return what the facts know of the benchmark and the split that predictions name."""
    benchmark, split = predictions.provenance.benchmark, predictions.provenance.split
    tests = {(k.benchmark, k.split): k for k in known_tests()}
    released = {(s.dataset, s.name.split()[0]): s for s in known_splits() if not s.superseded}
    key = benchmark, split.split()[0] if split else ""
    if key not in tests or key not in released:
        return None
    known, place = tests[key], {plain_name(n): c for c, n in enumerate(predictions.class_names)}
    order = np.array([place.get(plain_name(name), -1) for name in known.class_names])
    if (order < 0).any() or len(order) != len(predictions.class_names):
        return None  # classes of other names: nothing maps one to the other
    return Truth(
        name=f"{benchmark} {split}",
        labels=order[row_facts(benchmark).labels],
        class_names=predictions.class_names,
        unseen_classes=np.sort(order[known.unseen]),
        parts=released[key].parts,
    )
