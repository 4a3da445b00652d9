"""Ties between the sides: the sentence, the metrics, and the effect of file order."""

import numpy as np
import pytest

from zslcore.metrics import mean_class_accuracy
from zslcore.numbers import percent
from zslcore.scores import ScoreFile, interpret, judge


def matrix_of(scores, y):
    result, questions = interpret(ScoreFile("mine.npz", scores, y, np.array([4, 5])), ("as-is",))
    assert not questions
    return result


def test_the_sentence_on_ties_between_sides_agrees_with_the_metrics():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 50)
    scores = np.round(rng.normal(size=(300, 6)) + np.eye(6)[y])
    matrix = matrix_of(scores, y)
    report, first = judge(matrix), scores.argmax(axis=1)
    (message,) = (text for text in matrix.remarks if "share the highest" in text)
    for side, letter, name in ((y >= 4, "u", "unseen"), (y < 4, "s", "seen")):
        assert (f"{letter} {percent(report.metrics[f'plain_{name}'])}") in message.split(
            "the first in file order"
        )[0]
        by_argmax = f"{letter} {percent(mean_class_accuracy(y[side], first[side]))}"
        assert by_argmax in message.split("the first in file order")[1]
    assert report.metrics["plain_unseen"] - mean_class_accuracy(y[y >= 4], first[y >= 4]) > 0.05


@pytest.mark.parametrize("side", [slice(0, 4), slice(4, 6)])
def test_ties_within_a_side_change_no_metric_of_the_other_side(side):
    y = np.repeat(np.arange(6), 50)
    scores = np.random.default_rng(0).normal(size=(300, 6)) + 3 * np.eye(6)[y]
    scores[:, side] = np.round(scores[:, side])
    assert not [text for text in matrix_of(scores, y).remarks if "unseen one is predicted" in text]
