"""The predictions of a run that is known already."""

import numpy as np
import pytest

from zslcore.datasets import load
from zslcore.evaluation import Reference, State, verify_predictions
from zslcore.evaluation.runs import (
    WITHOUT_FOLDS,
    execute_with_predictions,
    fit_again,
    predictions_of_run,
)
from zslcore.evaluation.specs import RunSpec


@pytest.fixture(scope="module")
def done():
    return execute_with_predictions(RunSpec("digits", "PS", "LinearS2V"), with_oracle=False)


def test_validation_rows_of_a_known_run_are_those_that_chose_its_gamma(done):
    digits = load("digits")
    run, scores = fit_again(done[0], digits)
    found = predictions_of_run(run, scores, digits, folds=True)
    assert len(found.folds) == len(done[1].folds) > 0
    for one, other in zip(found.folds, done[1].folds, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.seen_class, other.seen_class)
    check = verify_predictions(found, Reference.of(digits, digits.split("PS")))
    assert check.state is State.VERIFIED


def test_without_them_the_file_says_so_and_is_stated(done):
    digits = load("digits")
    run, scores = fit_again(done[0], digits)
    found = predictions_of_run(run, scores, digits, folds=False)
    assert found.folds == ()
    assert found.provenance.source == f"{digits.source} {WITHOUT_FOLDS}"
    check = verify_predictions(found, Reference.of(digits, digits.split("PS")))
    assert check.state is State.STATED
