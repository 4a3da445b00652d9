"""Predictions files as scores, with their claims compared with the data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.predictions_file import read_predictions
from zslcore.evaluation.verification import State
from zslcore.leakage.published import recognise_test, verify_claims
from zslcore.scores.matrix import Scores
from zslcore.texts import clean_text
from zslcore.untrusted.client import DEFAULT_LIMITS, Limits

#: Remark on predictions with correct claims.
VERIFIED_REMARK = "Verified: rows, labels and γ agree with the data."


@dataclass(frozen=True, eq=False)
class PredictedScores(Scores):
    """Scores of a predictions file, with its predictions; the columns are the candidate classes.

    The ``digest`` is of rows, labels, predictions and margins of the test images. The ``state`` is
    VERIFIED if rows, labels and γ agree with the data; ``remarks`` list claims that could not
    be verified, ``reasons`` wrong claims.
    """

    predictions: Predictions = field(kw_only=True)
    state: State = State.STATED
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, predictions: Predictions, **fields: Any) -> PredictedScores:
        """Return predictions as scores, with the published test set recognised by the labels."""
        test, sha = predictions.test, hashlib.sha256()
        for column in (test.rows, test.labels, test.seen_class, test.unseen_class):
            sha.update(column.astype("<i8").data)
        sha.update(test.margin.astype("<f8").data)
        unseen = predictions.unseen_classes
        test_set = recognise_test(test.labels, len(predictions.class_names))
        if test_set and np.array_equal(np.flatnonzero(test_set.unseen), unseen):
            fields |= {"benchmark": test_set.benchmark, "split": test_set.split}
        names = tuple(predictions.class_names[c] for c in test.classes)
        digest = sha.hexdigest()[:16]
        best = test.among_candidates()
        return cls.of_best(name, best, names, digest, predictions=predictions, **fields)

    @property
    def provenance_fields(self) -> dict[str, Any]:
        """Provenance of predictions for rows of a benchmark; else empty."""
        provenance = self.predictions.provenance
        if provenance.rows != "benchmark" or not provenance.dataset:
            return {}
        names = ("benchmark", "features", "pretraining", "simulated", "digest")
        return {
            "data": {"name": provenance.dataset}
            | {name: getattr(provenance, name) for name in names},
            "rows": {"name": provenance.split, "parts": dict(provenance.parts)},
            "params": {"origin": provenance.params_origin, "params": dict(provenance.params)},
        }


def read_predicted(
    path: Path,
    *,
    limits: Limits = DEFAULT_LIMITS,
    load: Callable[[str], ZSLDataset] = load,
    refuse_wrong: bool = True,
) -> PredictedScores:
    """Read a predictions file and compare its claims with the data, if available.

    ``load`` raises ZSLError for data that must not be used for the comparison. Raises
    FileRefusedError for an unreadable file and, with ``refuse_wrong``, for a wrong claim.
    """
    predictions = read_predictions(path, limits=limits)
    return check_predictions(predictions, path.name, load=load, refuse_wrong=refuse_wrong)


def check_predictions(
    predictions: Predictions,
    name: str,
    *,
    load: Callable[[str], ZSLDataset] = load,
    refuse_wrong: bool = True,
) -> PredictedScores:
    """Check the claims of predictions as in :func:`read_predicted`."""
    name, check = (
        clean_text(name),
        verify_claims(predictions, name, load, refuse_wrong=refuse_wrong),
    )
    state = check.state or State.STATED
    remarks = (VERIFIED_REMARK,) * (state is State.VERIFIED) + check.unknown
    return PredictedScores.of(
        name, predictions, remarks=remarks, state=state, reasons=check.reasons
    )
