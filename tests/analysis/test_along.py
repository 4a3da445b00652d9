"""Answers along the grid of a regulariser are those of runs with these values."""

import numpy as np
import pytest

from tests.studies import computed
from zslcore.analysis.regularization import GridAnswersStudy, answer_grid, lambda_parameter
from zslcore.datasets import load
from zslcore.evaluation.runs import execute_with_scores
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.methods import METHODS

GIVEN = {"coding": "01", "gamma": 1.0}


@pytest.fixture(scope="module")
def digits():
    return load("digits")


@pytest.fixture(scope="module")
def found(digits):
    spec = RunSpec(dataset="digits", split="PS", method="ESZSL", params=GIVEN)
    return answer_grid(spec, digits)


@pytest.mark.parametrize("place", [0, 3, 6])
def test_each_stop_is_the_run_with_its_value(digits, found, place):
    value = float(found.values[place])
    params = GIVEN | {"lam": value}
    run, scores = execute_with_scores(
        RunSpec(dataset="digits", split="PS", method="ESZSL", params=params), digits
    )
    test, curve = found.tests[place], scores.curve
    assert found.gamma[place] == pytest.approx(run.gamma, abs=1e-9)
    np.testing.assert_array_equal(test.rows[:3], digits.split("PS").test_seen[:3])
    for gamma in (0.0, run.gamma):
        ours, theirs = test.curve.at(gamma), curve.at(gamma)
        assert (ours.seen, ours.unseen) == pytest.approx((theirs.seen, theirs.unseen), abs=1e-9)


def test_the_grid_is_whole_and_in_order_and_its_oracle_is_the_largest_h(found):
    assert found.parameter == "lam"
    np.testing.assert_array_equal(found.values, sorted(METHODS["ESZSL"].param_grid["lam"]))
    pairs = zip(found.tests, found.gamma, strict=True)
    reached = [test.curve.at(gamma).harmonic for test, gamma in pairs]
    assert reached[found.best] == max(reached) > min(reached)


def test_a_job_leaves_the_same_and_says_how_far_it_is(tmp_path, digits, found):
    spec = RunSpec(dataset="digits", split="PS", method="ESZSL", params=GIVEN, digest=digits.digest)
    read, said = computed(GridAnswersStudy(spec), tmp_path)
    for name in ("values", "gamma", "for_zsl", "parameter"):
        np.testing.assert_array_equal(getattr(read, name), getattr(found, name))
    for ours, theirs in zip(read.tests, found.tests, strict=True):
        np.testing.assert_array_equal(ours.margin, theirs.margin)
        np.testing.assert_array_equal(ours.curve.unseen, theirs.curve.unseen)
    done = [line[0] for line in said]
    assert done == sorted(done)
    assert said[-1][:2] == (7 * (2 * 3 + 1),) * 2


def test_it_wants_one_open_parameter_and_its_own_data(digits):
    open_ = RunSpec(dataset="digits", split="PS", method="ESZSL")
    with pytest.raises(ParameterError, match="expected one open parameter; got gamma, lam"):
        answer_grid(open_, digits)
    other = RunSpec(dataset="digits", split="PS", method="ESZSL", params=GIVEN, digest="0" * 16)
    with pytest.raises(DatasetError):
        answer_grid(other, digits)


def test_lambda_is_a_parameter_of_the_grid():
    known = {name: lambda_parameter(name) for name in METHODS}
    assert known["LinearS2V"] == known["ESZSL"] == known["SAE"] == "lam"
    assert known["ALE"] is None
    for name, parameter in known.items():
        assert parameter is None or parameter in METHODS[name].param_grid
