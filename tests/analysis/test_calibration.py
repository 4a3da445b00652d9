import numpy as np
import pytest

from zslcore.analysis.confusion import per_class_table
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.interactive.seen_unseen import gamma_range
from zslcore.metrics import per_class_accuracy


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    y = rng.integers(6, size=500)
    F = rng.normal(size=(500, 6)) + 1.5 * np.eye(6)[y] + [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    return ScoredTest(F, y, np.array([1, 2, 5, 6, 7, 8]), np.arange(6) < 4)


def test_the_range_of_gamma_contains_the_trade_off_and_the_chosen_gamma(scores):
    low, high = gamma_range(scores.curve)
    ends = scores.curve.at(np.array([low, high]))
    assert ends.unseen[0] <= 0.01 * scores.curve.unseen[-1]
    assert ends.seen[1] <= 0.01 * scores.curve.seen[0]
    wide = gamma_range(scores.curve, [-100.0, 50.0])
    assert wide[0] < -100
    assert wide[1] > 50


def test_a_curve_without_right_predictions_has_a_range():
    scores = ScoredTest(
        np.array([[0.0, 1.0, 5.0, 0.0], [9.0, 0.0, 0.0, 1.0]]),
        np.array([0, 2]),
        np.arange(4),
        np.array([True, True, False, False]),
    )
    assert scores.curve.best().harmonic == 0
    low, high = gamma_range(scores.curve, [0.0])
    assert low < 0 < high


def test_class_accuracies_are_among_all_classes_at_each_gamma(scores):
    names = [f"class {k}" for k in range(9)]
    table = per_class_table(scores, {"plain": 0.0, "all unseen": np.inf}, names)
    assert list(table["class"]) == [names[k] for k in (1, 2, 5, 6, 7, 8)]
    assert list(table["side"]) == ["seen"] * 4 + ["unseen"] * 2
    assert table["images"].sum() == 500
    plain = per_class_accuracy(scores.y, scores.F.argmax(axis=1))
    assert list(table["plain"]) == list(plain.values())
    assert (table.loc[table["side"] == "seen", "all unseen"] == 0).all()
    unseen = table.loc[table["side"] == "unseen", "all unseen"]
    assert unseen.mean() == pytest.approx(scores.curve.unseen[-1])
