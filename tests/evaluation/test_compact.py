"""Compact predictions: no metric, prediction or chosen gamma changes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from tools.shipped import compact, largest_difference
from zslcore.evaluation.predictions_file import predictions_bytes
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions


@pytest.fixture(scope="module", params=["LinearS2V", "ESZSL"])
def predictions(request):
    spec = RunSpec("linear world", "PS", request.param)
    return run(spec, linear_world(), with_oracle=False).predictions


def test_compact_predictions_change_no_reported_result(predictions):
    small = compact(predictions)
    assert largest_difference(small.evaluation, predictions.evaluation) <= 1e-10
    assert verify_predictions(small) == verify_predictions(predictions)
    assert small.gamma == predictions.gamma
    order = np.argsort(predictions.test.rows, kind="stable")
    for gamma in (0.0, predictions.gamma):
        assert np.array_equal(small.test.predicted(gamma), predictions.test.predicted(gamma)[order])


def test_compact_predictions_are_smaller_and_marked(predictions):
    small = compact(predictions)
    assert len(predictions_bytes(small)) < len(predictions_bytes(predictions))
    assert "Margins of test rows are rounded to" in small.provenance.source
    assert "CurveSteps" not in predictions.provenance.source


def test_a_margin_just_above_gamma_is_not_rounded_down(predictions):
    """Rounding alone would move a margin onto gamma, and change the prediction of its image."""
    margin = predictions.test.margin.copy()
    gamma = predictions.gamma
    margin[0] = np.nextafter(gamma, np.inf)
    close = replace(predictions, test=replace(predictions.test, margin=margin))
    small = compact(close)
    (where,) = np.flatnonzero(small.test.rows == close.test.rows[0])
    assert small.test.margin[where] > gamma


def test_a_metric_that_differs_is_detected(predictions):
    e = predictions.evaluation
    assert largest_difference(e, e) == 0
    assert largest_difference(e, replace(e, zsl=e.zsl + 1e-3)) == pytest.approx(1e-3)
    assert largest_difference(e, replace(e, ausuc=None)) == np.inf
    assert largest_difference(e, replace(e, per_class={})) == np.inf
