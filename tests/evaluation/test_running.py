"""Predictions of a stored run."""

from dataclasses import replace

import numpy as np
import pytest

from zslcore.datasets import load
from zslcore.evaluation import runs
from zslcore.evaluation.runs import WITHOUT_FOLDS
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import Reference, State, verify_predictions


@pytest.fixture(scope="module")
def done():
    return runs.run(RunSpec("digits", "PS", "LinearS2V"), with_oracle=False)


def test_validation_rows_of_a_stored_run_are_those_that_chose_its_gamma(done):
    digits = load("digits")
    result = runs.refit(done.result, digits).with_validation().predictions
    assert len(result.folds) == len(done.predictions.folds) > 0
    for first, other in zip(result.folds, done.predictions.folds, strict=True):
        np.testing.assert_array_equal(first.rows, other.rows)
        np.testing.assert_array_equal(first.seen_class, other.seen_class)
    check = verify_predictions(result, Reference.of(digits, digits.split("PS")))
    assert check.state is State.VERIFIED


def test_a_file_without_folds_is_marked_and_stated(done):
    digits = load("digits")
    result = runs.refit(done.result, digits).predictions
    assert result.folds == ()
    assert result.provenance.source == f"{digits.source} {WITHOUT_FOLDS}"
    check = verify_predictions(result, Reference.of(digits, digits.split("PS")))
    assert check.state is State.STATED


def test_validation_rows_that_choose_another_gamma_are_left_out(done):
    refitted = runs.refit(done.result, load("digits"))
    other = replace(done.result, gamma=done.result.gamma + 1)
    assert replace(refitted, result=other).with_validation().predictions.folds == ()
