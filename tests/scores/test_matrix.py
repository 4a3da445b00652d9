"""The data set of a score matrix, and its metrics by name."""

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.methods import LinearS2V
from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.matrix import fits_test_set

WORLD = linear_world(noise=0.8)
FITTED = fit_and_score(LinearS2V(), WORLD, WORLD.split("PS"))


def matrix_of(F, y, unseen, names=()):
    matrix, request = interpret(ScoreFile("own.npz", F, y, unseen, names), ["as-is"])
    assert matrix is not None, request
    return matrix


def ours():
    return matrix_of(FITTED.F, FITTED.y, np.flatnonzero(~FITTED.seen), WORLD.class_names)


def test_the_data_set_of_scores_is_recognised_by_counts_and_unseen_classes():
    assert fits_test_set(ours(), WORLD, "PS")
    fewer = matrix_of(FITTED.F[1:], FITTED.y[1:], np.flatnonzero(~FITTED.seen))
    assert not fits_test_set(fewer, WORLD, "PS")
    other_unseen = matrix_of(FITTED.F, FITTED.y, np.flatnonzero(FITTED.seen)[:3])
    assert not fits_test_set(other_unseen, WORLD, "PS")


def test_a_metric_is_returned_by_name():
    report, expected = judge(ours()), evaluate(FITTED, 0.02)
    assert report.metrics["zsl"] == pytest.approx(expected.zsl)
    assert report.metrics["plain_harmonic"] == pytest.approx(expected.plain.harmonic)
    assert report.metrics["calibrated_harmonic"] is None
    at = judge(ours(), gamma=0.02)
    assert at.metrics["calibrated_unseen"] == pytest.approx(expected.calibrated.unseen)
