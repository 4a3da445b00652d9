"""Epochs chosen on the folds, on the test set, and the last epoch."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from benchmarks.epoch_choice import choices, mean_gains, points
from tests.worlds import linear_world
from zslcore.evaluation import protocol
from zslcore.evaluation.protocol import Setting
from zslcore.methods import ALE

WORLD = linear_world(noise=1.0)
SPLIT = WORLD.splits["PS"]
GRID = {"epochs": (1, 4, 2)}


@pytest.fixture(scope="module")
def measured():
    return points(ALE(), Setting(WORLD, SPLIT, seed=3), GRID)


def test_points_equal_the_protocol_at_each_epoch(measured):
    for row in measured.to_dict("records"):
        selection = protocol.select(ALE(), WORLD, SPLIT, grid={"epochs": (row["epochs"],)}, seed=3)
        assert row["gamma"] == pytest.approx(selection.gamma)
        assert row["folds_calibrated"] == pytest.approx(selection.score)
        plain = [curve.at(0.0).harmonic for curve in selection.curves[0]]
        assert row["folds_plain"] == pytest.approx(np.mean(plain))
        scores = protocol.fit_and_score(ALE(epochs=row["epochs"]), WORLD, SPLIT, seed=3)
        evaluation = protocol.evaluate(scores, selection.gamma)
        assert row["test_plain"] == pytest.approx(evaluation.plain.harmonic)
        assert row["test_calibrated"] == pytest.approx(evaluation.calibrated.harmonic)
        assert row["unseen_calibrated"] == pytest.approx(evaluation.calibrated.unseen)
        assert (row["zsl"], row["ausuc"]) == pytest.approx((evaluation.zsl, evaluation.ausuc))


def table(**columns):
    """Three epochs of two seeds; the folds choose the first epoch, the test set the second."""
    rows = {
        "epochs": [3, 1, 2] * 2,
        "classifier_epochs": [np.nan] * 6,
        "seed": [0] * 3 + [1] * 3,
        "dataset": ["digits"] * 6,
        "method": ["ALE"] * 6,
    }
    for metric in ("plain", "calibrated"):
        rows[f"folds_{metric}"] = [0.1, 0.9, 0.2] * 2
        rows[f"test_{metric}"] = [0.5, 0.6, 0.7, 0.5, 0.5, 0.8]
    return pd.DataFrame(rows | columns)


def test_epochs_are_chosen_by_the_folds_by_the_test_set_and_as_the_largest():
    result = choices(table()[:3], "plain", ["epochs"])
    assert result["epochs"].to_dict() == {"folds": 1, "test": 2, "last": 3}


def test_the_first_number_of_epochs_wins_a_tie():
    result = choices(table(folds_plain=[0.4] * 6)[:3], "plain", ["epochs"])
    assert result.loc["folds", "epochs"] == 1


def test_gains_are_differences_within_a_seed_with_students_interval():
    actual = mean_gains(table(), ["epochs", "classifier_epochs"]).set_index("metric").loc["plain"]
    assert actual[["folds", "test", "last"]].tolist() == pytest.approx([0.55, 0.75, 0.5])
    differences = [0.1, 0.3]
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    assert actual["seeds"] == 2
    assert actual["over_folds"] == pytest.approx(0.2)
    assert actual["over_folds_low"] == pytest.approx(interval.low)
    assert actual["over_folds_high"] == pytest.approx(interval.high)
    assert actual["over_last"] == pytest.approx(0.25)


def test_one_seed_has_no_interval():
    actual = mean_gains(table()[:3], ["epochs"])
    assert actual["over_folds"].tolist() == pytest.approx([0.1, 0.1])
    assert actual[["over_folds_low", "over_last_high"]].isna().all(axis=None)


def test_the_test_set_never_chooses_worse(measured):
    labelled = measured.assign(dataset="world", method="ALE", seed=3)
    actual = mean_gains(labelled, ["epochs"])
    assert (actual[["over_folds", "over_last"]] >= 0).all(axis=None)
