"""Top-k accuracy is shown only with more classes than k."""

import numpy as np
import pytest

from zslcore.scores import ScoreFile, interpret, judge


def report_of(unseen, seen=3):
    """Judge random scores of the given number of unseen classes, forty images of each."""
    rng = np.random.default_rng(unseen)
    labels = np.repeat(np.arange(seen + unseen), 40)
    scores = rng.normal(size=(len(labels), seen + unseen))
    names = tuple(f"class {k}" for k in range(seen + unseen))
    file = ScoreFile("own.npz", scores, labels, np.arange(seen, seen + unseen), names)
    matrix, _ = interpret(file, ())
    return judge(matrix)


@pytest.mark.parametrize(
    ("unseen", "ranks"), [(2, [1]), (3, [1, 2]), (5, [1, 2]), (6, [1, 2, 5]), (10, [1, 2, 5])]
)
def test_top_k_needs_more_classes_than_k(unseen, ranks):
    report = report_of(unseen)
    assert list(report.top_k) == ranks
    assert max(report.top_k.values()) < 1
    assert f"top-{unseen} " not in report.as_text()
