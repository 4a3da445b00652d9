"""Runs with their predictions for every image."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from zslcore.datasets import ZSLDataset
from zslcore.evaluation.checking import check_predictions
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.protocol import FoldAnswers, ScoredTest
from zslcore.evaluation.runs import Execution, RunResult, answer_folds, execute_in_full
from zslcore.evaluation.specs import RunSpec

#: Note in the source of a file whose validation rows are not stored.
WITHOUT_FOLDS = "Test rows alone: the validation rows of this run are not stored."


def execute_with_predictions(
    spec: RunSpec, dataset: ZSLDataset | None = None, **options: Any
) -> tuple[RunResult, Predictions]:
    """Run a spec and return its predictions; nothing is fitted for them but what a run fits anyway.

    Parameters
    ----------
    spec, dataset, options : those of :func:`zslcore.evaluation.runs.execute`

    Returns
    -------
    RunResult, Predictions with the validation rows of the folds where these chose gamma
    """
    done = execute_in_full(spec, dataset, **options)
    return done.result, predictions_of(done)


def predictions_of(done: Execution) -> Predictions:
    """Return what a run has answered, with where it comes from."""
    split = done.dataset.split(done.result.spec.split)
    return Predictions.of_scores(
        done.scores,
        np.concatenate([split.test_seen, split.test_unseen]),
        done.dataset.class_names,
        validation=done.validation,
        provenance=_provenance(done),
    )


def predictions_of_run(
    result: RunResult, scores: ScoredTest, dataset: ZSLDataset, *, folds: bool
) -> Predictions:
    """Return the predictions of a result that is known, of which the scores are there.

    Parameters
    ----------
    result, scores, dataset : the run
    folds : bool
        Whether to fit on the folds again, with the result's own parameters, for the validation
        rows that chose gamma. Without it the source of a file notes that they are missing.
    """
    validated = result.gamma_origin == "validated"
    validation: tuple[FoldAnswers, ...] = ()
    if folds and validated:
        spec = replace(result.spec, params=result.params)
        validation = answer_folds(spec, dataset.required(spec.digest)).validation
    found = predictions_of(Execution(result, scores, validation, dataset))
    # Fitted again, scores may differ in the last digit; a gamma is not to be accused for that.
    if not validated or (validation and not check_predictions(found).reasons):
        return found
    provenance = found.provenance
    source = f"{provenance.source} {WITHOUT_FOLDS}".strip()
    return replace(found, folds=(), provenance=replace(provenance, source=source))


def _provenance(done: Execution) -> Provenance:
    result, dataset = done.result, done.dataset
    spec = result.spec
    return Provenance.on(
        dataset,
        dataset.split(spec.split),
        method=spec.method,
        params=result.params,
        params_origin=result.params_origin,
        gamma=result.gamma,
        gamma_origin=result.gamma_origin or "none",
        seed=spec.seed,
        created=result.created,
        version=result.version,
        commit=result.commit,
        revisions=spec.revisions,
        spec=json.loads(spec.to_json()),
        source=dataset.source,
    )
