import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.test_metrics import scored
from zslcore.evaluation.protocol import ScoredTest
from zslcore.exceptions import ZSLError
from zslcore.metrics import mean_class_accuracy, seen_unseen_curve
from zslcore.metrics.thresholds import switches


def test_of(F, y, seen):
    return ScoredTest(F, y, np.arange(len(seen)), seen)


test_of.__test__ = False


@given(scored(), st.integers(-20, 20))
def test_classes_and_destinations_are_those_of_the_answers(world, k):
    _, y, seen = world
    for gamma in (k / 8, k / 4):  # between the lattice of score differences, and on it
        answers = test_of(*world).predicted(gamma)
        right, images = switches(*world).per_class(gamma)
        for c in range(len(seen)):
            assert right[c] == np.count_nonzero(answers[y == c] == c)
            assert images[c] == np.count_nonzero(y == c)
        for side, found in zip((~seen, seen), switches(*world).destinations(gamma), strict=True):
            own, answered = y[side[y]], answers[side[y]]
            other = ~side[answered]
            expected = [(own == answered).sum(), ((own != answered) & ~other).sum(), other.sum()]
            assert found.tolist() == expected


@given(scored())
def test_they_say_the_same_as_the_curve_at_every_breakpoint(world):
    curve, told = seen_unseen_curve(*world), switches(*world)
    for gamma in curve.gamma:
        right, images = told.per_class(gamma)
        for side, accuracy in ((told.seen, "seen"), (~told.seen, "unseen")):
            of_side = side & (images > 0)
            mean = (right[of_side] / images[of_side]).mean()
            assert mean == pytest.approx(getattr(curve.at(gamma), accuracy), abs=1e-12)


def test_margins_within_the_rounding_of_the_scores_switch_together():
    scores = np.array([[1, 0], [1, 0], [0, 0.5]], dtype=np.float32)
    scores[1, 0] = np.nextafter(np.float32(1), np.float32(2))
    y, seen = np.array([0, 0, 1]), np.array([True, False])
    told = switches(scores, y, seen)
    assert len(set(told.gamma[told.y == 0])) == 1
    curve = seen_unseen_curve(scores, y, seen)
    assert set(told.gamma) == set(curve.gamma[1:])


def test_what_is_ruled_out_never_switches():
    scores = np.array([[-np.inf, 0.0], [0.0, -np.inf], [-np.inf, -np.inf], [2.0, 1.0]])
    told = switches(scores, np.array([1, 0, 1, 0]), np.array([True, False]))
    assert told.gamma.tolist() == [-np.inf, -np.inf, 1.0, np.inf]
    assert told.destinations(1e300).tolist() == [[2, 0, 0], [1, 0, 1]]
    assert told.destinations(-1e300).tolist() == [[2, 0, 0], [2, 0, 0]]


def test_scores_come_from_a_test_set_once_and_stay():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    scores = test_of(rng.normal(size=(40, 4)), y, np.arange(4) < 2)
    assert scores.switches is scores.switches
    with pytest.raises(ValueError, match="read-only"):
        scores.switches.gamma[0] = 0
    answers = scores.predicted(0.3)
    right, images = scores.switches.per_class(0.3)
    assert (right / images).mean() == pytest.approx(mean_class_accuracy(y, answers))


def test_both_sides_need_images():
    with pytest.raises(ZSLError, match="seen and of unseen"):
        switches(np.eye(2), np.array([0, 0]), np.array([True, False]))
