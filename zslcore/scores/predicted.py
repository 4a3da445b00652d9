"""Predictions in place of a score matrix: judged, checked, and made of a matrix."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.sandbox.client import DEFAULT_LIMITS, Limits
from zslcore.evaluation import Predictions, Provenance, State
from zslcore.evaluation.protocol import AnsweredTest, FoldAnswers
from zslcore.leakage.known import KnownTest, recognised
from zslcore.leakage.truth import CheckedPredictions, read_checked
from zslcore.scores.judging import ScoreReport, judge
from zslcore.version import commit, version


@dataclass(frozen=True, eq=False)
class PredictedScores:
    """Predictions with what a report needs of a score matrix; classes are the candidates.

    Attributes
    ----------
    name : of the file they are from
    predictions : Predictions
    remarks : sentences on what a reader should know
    state : State of their claim
    """

    name: str
    predictions: Predictions
    remarks: tuple[str, ...] = ()
    state: State = State.STATED
    fixes: tuple[str, ...] = field(default=(), init=False)

    @cached_property
    def tested(self) -> AnsweredTest:
        """The answers to the test images; classes are numbered among the candidates."""
        return self.predictions.test.among_candidates()

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.predictions.nbytes

    @property
    def y(self) -> np.ndarray:
        """Numbers of the true candidates: int array of shape (n_images,)."""
        return self.predictions.test.y

    @property
    def seen(self) -> np.ndarray:
        """Which candidates are seen classes: bool array of shape (n_candidates,)."""
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
        """What the predictions state of their data, where they number its rows.

        Under "data" name, benchmark, digest, simulated, features and pretraining; under "rows" the
        split and the digests of its parts; under "params" the parameters and how they were found.
        """
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
    path: Path, *, limits: Limits = DEFAULT_LIMITS, load: Callable[[str], ZSLDataset] = load
) -> PredictedScores:
    """Read a file of predictions as :func:`zslcore.leakage.truth.read_checked` does."""
    return predicted_of(read_checked(path, limits=limits, load=load))


def predicted_of(found: CheckedPredictions) -> PredictedScores:
    """Return checked predictions with what a report needs of them."""
    return PredictedScores(found.name, found.predictions, found.remarks, found.state)


def judge_predicted(predicted: PredictedScores) -> ScoreReport:
    """Return the figures of predictions at the gamma that they name."""
    said = predicted.predictions.provenance
    if said.gamma_origin in ("validated", "given"):
        return judge(predicted, gamma=said.gamma, origin=said.gamma_origin)
    return judge(predicted)


def predictions_of_scores(report: ScoreReport) -> Predictions:
    """Return the predictions of a judged score matrix, or of the answers that are left of one.

    Returns
    -------
    Predictions whose rows are those of the file
    """
    matrix, validation = report.matrix, report.validation
    if isinstance(matrix, PredictedScores):
        return matrix.predictions
    names, folds = matrix.class_names, []
    for each in validation:
        # Its columns may be other classes than those of the test.
        names += tuple(name for name in each.class_names if name not in names)
        classes = np.array([names.index(name) for name in each.class_names])
        rows, answers = np.arange(len(each.y)), each.tested.answers
        folds.append(FoldAnswers(rows, classes, each.seen, answers))
    return Predictions.of_scores(
        matrix.tested,
        np.arange(len(matrix.y)),
        names,
        validation=folds,
        provenance=Provenance(
            dataset=matrix.name,
            benchmark=matrix.benchmark,
            split=matrix.split,
            rows="file",
            gamma=report.gamma,
            gamma_origin=report.origin or "none",
            version=version(),
            commit=commit(),
            source=f"Scores {matrix.digest} of {matrix.name}.",
        ),
    )
