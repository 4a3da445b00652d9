"""Stored and precomputed results with predictions, available without computation."""

from __future__ import annotations

from dataclasses import dataclass

from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import is_known_by_results as is_known_by_results
from zslcore.results.shipped import known_by_results, plain_spec, shipped_predictions
from zslcore.results.store import ResultStore


@dataclass(frozen=True, slots=True, eq=False)
class StoredAnswers:
    """Result of a run with its stored predictions."""

    result: RunResult
    predictions: Predictions


def precomputed_datasets() -> tuple[str, ...]:
    """Return the data sets that have precomputed results, but are not imported."""
    return tuple(name for name in known_by_results() if is_known_by_results(name))


def stored_run(spec: RunSpec) -> StoredAnswers | None:
    """Return a run with stored or precomputed predictions; None without any.

    A stored result is preferred to a precomputed result: the metrics are the same, and the stored
    result may have an oracle. If its predictions were deleted to save space, the precomputed
    predictions are used.
    """
    store = ResultStore()
    for key in dict.fromkeys((spec.key, plain_spec(spec).key)):
        result = predictions = None
        with store.tolerated():
            result = store.get(key)
            predictions = result and store.predictions(key)
        if predictions is None and store.with_shipped:
            predictions = shipped_predictions(key)
        if result and predictions:
            return StoredAnswers(result, predictions)
    return None
