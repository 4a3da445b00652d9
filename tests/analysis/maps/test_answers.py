"""Answers on a map are those of the test set, with how sure they are."""

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.analysis.maps.reading import answers
from zslcore.evaluation.protocol import ScoredTest, fit_and_score
from zslcore.methods import LinearS2V


@pytest.mark.parametrize("gamma", [0.0, 0.05, 10.0])
def test_answers_are_those_of_the_test_set(gamma):
    world = linear_world(noise=0.8)
    split, n = world.split("PS"), len(world.labels)
    scores = fit_and_score(LinearS2V(), world, split)
    out = answers(scores, split, n, gamma=gamma)
    test = np.concatenate([split.test_seen, split.test_unseen])
    assert set(np.flatnonzero(out.tested)) == set(test)
    assert (out.predicted[~out.tested] == -1).all()
    assert not out.right[~out.tested].any()
    np.testing.assert_array_equal(out.right[test], scores.predicted(gamma) == scores.y)
    np.testing.assert_array_equal(out.predicted[test] == world.labels[test], out.right[test])
    F = np.sort(scores.F - gamma * scores.seen, axis=1)
    np.testing.assert_allclose(out.lead[test], F[:, -1] - F[:, -2], atol=1e-12)


def test_scores_of_nothing_have_a_lead_that_can_be_ranked():
    world = linear_world()
    split = world.split("PS")
    scores = fit_and_score(LinearS2V(), world, split)
    F = scores.F.copy()
    F[0, 1:], F[1] = -np.inf, -np.inf
    out = answers(ScoredTest(F, scores.y, scores.classes, scores.seen), split, len(world.labels))
    first, second = np.concatenate([split.test_seen, split.test_unseen])[:2]
    assert out.lead[first] == np.finfo(float).max
    assert out.lead[second] == 0
    assert np.isfinite(out.lead).all()


def test_a_gamma_beyond_all_scores_leaves_unseen_answers():
    world = linear_world()
    split = world.split("PS")
    scores = fit_and_score(LinearS2V(), world, split)
    out = answers(scores, split, len(world.labels), gamma=1e6)
    assert not out.right[split.test_seen].any()
    assert np.isin(out.predicted[out.tested], split.unseen_classes).all()
