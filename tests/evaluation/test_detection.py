"""Detection of unseen classes by the margin: metrics equal those of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tests.worlds import linear_world
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import fit_and_score
from zslcore.methods import ESZSL
from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.protocols import metrics_of_test

WORLD = linear_world(noise=0.8)
SCORES = fit_and_score(ESZSL(), WORLD, WORLD.split("PS"))


def of_margins(seen, unseen):
    """Return a test set with one class per side and the given margins."""
    margin = np.concatenate([seen, unseen]).astype(float)
    F = np.stack([margin, np.zeros(len(margin))], axis=1)
    y = np.repeat([0, 1], [len(seen), len(unseen)])
    return ScoredTest(F, y, np.arange(2), np.array([True, False]))


@pytest.mark.parametrize("step", [0.0, 0.05])
def test_auroc_equals_scikit_learn_with_and_without_ties(step):
    F = np.round(SCORES.F / step) * step if step else SCORES.F.copy()
    scores = ScoredTest(F, SCORES.y.copy(), SCORES.classes, SCORES.seen)
    margin = F[:, SCORES.seen].max(axis=1) - F[:, ~SCORES.seen].max(axis=1)
    of_seen = SCORES.seen[SCORES.y]
    assert (len(np.unique(margin)) < len(margin) / 2) == bool(step)
    expected = roc_auc_score(of_seen, margin)
    assert 0.5 < expected < 1
    assert BootstrapMetrics.once(scores).auroc() == pytest.approx(expected, abs=1e-12)


def test_fpr95_is_the_share_of_unseen_images_above_the_threshold_of_95_percent():
    test = of_margins(seen=range(1, 21), unseen=[0, 1, 1.9, 2, 2, 30, 40, 50])
    assert BootstrapMetrics.once(test).fpr95() == 5 / 8  # threshold 2: 19 of 20 reach it
    separated = BootstrapMetrics.once(of_margins(seen=[5, 6], unseen=[1, 2]))
    assert (separated.auroc(), separated.fpr95()) == (1.0, 0.0)


def test_detection_needs_both_sides():
    metrics = metrics_of_test(of_margins(seen=[], unseen=[1, 2]), None)
    assert metrics["auroc"] is metrics["fpr95"] is None


def test_a_report_has_the_metrics_in_text_and_json():
    file = ScoreFile("own.npz", SCORES.F, SCORES.y, np.flatnonzero(~SCORES.seen))
    report = judge(interpret(file, ["as-is"])[0])
    (auroc,), (fpr95,) = (
        BootstrapMetrics.once(SCORES).auroc(),
        BootstrapMetrics.once(SCORES).fpr95(),
    )
    lines = [line.split() for line in report.as_text().splitlines()]
    assert ["AUROC", f"{100 * auroc:.1f}", "%"] in lines
    assert ["FPR95", f"{100 * fpr95:.1f}", "%"] in lines
    assert f'"detection": {{"auroc": {auroc}, "fpr95": {fpr95}}}' in report.to_json()
