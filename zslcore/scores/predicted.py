"""Predictions in place of a score matrix: judged, checked, and made of a matrix."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from zslcore.datasets import load
from zslcore.datasets.door import clean_text
from zslcore.datasets.facts import plain_name
from zslcore.datasets.rows import row_facts
from zslcore.evaluation import (
    Predictions,
    Provenance,
    State,
    Truth,
    check_predictions,
    read_predictions,
)
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage.known import known_splits
from zslcore.protocol import AnsweredTest, FoldAnswers, ScoredTest
from zslcore.scores.judging import ScoreReport
from zslcore.scores.known import KnownTest, known_tests, recognised
from zslcore.scores.matrix import ScoreMatrix
from zslcore.version import commit, version

__all__ = ["PredictedScores", "predictions_of_scores", "read_predicted"]


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

    @property
    def tested(self) -> AnsweredTest:
        """The answers to the test images."""
        return self.predictions.test

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

    @cached_property
    def digest(self) -> str:
        """SHA-256 over rows, labels, answers and margins of the test, 16 hex digits."""
        test, sha = self.predictions.test, hashlib.sha256()
        for column in (test.rows, test.labels, test.seen_class, test.unseen_class):
            sha.update(column.astype("<i8").data)
        sha.update(test.margin.astype("<f8").data)
        return sha.hexdigest()[:16]


def read_predicted(path: Path) -> PredictedScores:
    """Read a file of predictions and check what it claims, as far as the data are here.

    Raises
    ------
    FileRefusedError
        When it cannot be read, or a claim is wrong: which, what was expected, what was found.
    """
    predictions = read_predictions(path)
    name = clean_text(path.name)
    check = check_predictions(predictions, _truth(predictions))
    if check.reasons:
        raise FileRefusedError(f"{name}, {check.reasons[0]}")
    state = State.STATED if check.unknown else State.VERIFIED
    good = ("Verified: rows, labels and gamma agree with the data.",) * (state is State.VERIFIED)
    return PredictedScores(name, predictions, good + check.unknown, state)


def _truth(predictions: Predictions) -> Truth | None:
    """Return what the data that predictions name know of themselves, or their benchmark's facts.

    Data of the same name and another content are other data.
    """
    said = predictions.provenance
    if said.digest:
        with suppress(ZSLError):
            dataset = load(said.dataset).required(said.digest)
            return Truth.of(dataset, dataset.split(said.split))
    return _facts(predictions)


def _facts(predictions: Predictions) -> Truth | None:
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
        return None  # classes of other names: nothing says which is which
    return Truth(
        name=f"{benchmark} {split}",
        labels=order[row_facts(benchmark).labels],
        class_names=predictions.class_names,
        unseen_classes=np.sort(order[known.unseen]),
        parts=released[key].parts,
    )


def predictions_of_scores(
    report: ScoreReport, validation: ScoreMatrix | None = None
) -> Predictions:
    """Return the predictions of a judged score matrix.

    Parameters
    ----------
    report : ScoreReport of a ScoreMatrix
    validation : the scores on which gamma was chosen, where it was

    Returns
    -------
    Predictions whose rows are those of the file
    """
    matrix = report.matrix
    if isinstance(matrix, PredictedScores):
        return matrix.predictions
    names, folds = matrix.class_names, []
    if validation is not None:
        # Its columns may be other classes than those of the test.
        names += tuple(name for name in validation.class_names if name not in names)
        classes = np.array([names.index(name) for name in validation.class_names])
        rows, answers = np.arange(len(validation.y)), validation.tested.answers
        folds.append(FoldAnswers(rows, classes, validation.seen, answers))
    if not isinstance(matrix, ScoreMatrix):
        raise ZSLError(f"{matrix.name}: expected the scores themselves; got their answers alone.")
    return Predictions.of_scores(
        ScoredTest(matrix.F, matrix.y, np.arange(len(matrix.seen)), matrix.seen),
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
