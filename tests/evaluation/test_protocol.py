import math
import statistics
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from tests.worlds import linear_world
from zslcore.datasets.base import Fold, Split, hold_out
from zslcore.evaluation import predicted_tests
from zslcore.evaluation.predicted_tests import ScoredTest, best_common_gamma
from zslcore.evaluation.protocol import (
    Setting,
    apply_penalty,
    evaluate,
    fit_and_score,
    select,
    simplest_of_ties,
)
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Preprocessing
from zslcore.methods import ESZSL, LinearS2V
from zslcore.metrics import (
    find_best_classes,
    mean_class_accuracy,
    sample_accuracy,
    seen_unseen_curve,
)

WORLD = linear_world(noise=1.0, n_per_class=20)
SPLIT = WORLD.splits["PS"]
RAW = Preprocessing("none", "none")
GRID = {"lam": (1e-4, 1e-2, 1.0)}
#: Which trainval rows are of the first seen class.
IS_FIRST = WORLD.labels[SPLIT.trainval] == SPLIT.seen_classes[0]


def plain_scores(lam, train, test, classes):
    """Fit LinearS2V by hand on ``train`` and score ``test`` against ``classes``."""
    X, y = WORLD.features.astype(float), WORLD.labels
    S = WORLD.prototypes.astype(float)
    S_y = S[y[train]]
    A = S_y.T @ S_y + lam * len(train) * np.eye(S.shape[1])
    W = np.linalg.solve(A, S_y.T @ X[train])
    return -((X[test][:, None] - (S[classes] @ W)[None]) ** 2).sum(axis=2)


def test_zsl_selection_is_the_mean_over_folds_done_by_hand():
    means = []
    for lam in GRID["lam"]:
        scores = []
        for fold in SPLIT.folds:
            classes = np.unique(WORLD.labels[fold.val])
            F = plain_scores(lam, fold.train, fold.val, classes)
            scores.append(mean_class_accuracy(WORLD.labels[fold.val], classes[F.argmax(axis=1)]))
        means.append(np.mean(scores))
    chosen = select(LinearS2V(), WORLD, SPLIT, task="zsl", grid=GRID, preprocessing=RAW)
    assert chosen.params == {"lam": GRID["lam"][int(np.argmax(means))]}
    assert chosen.score == pytest.approx(max(means))
    assert len(chosen.table) == len(GRID["lam"]) * len(SPLIT.folds)


def test_gzsl_selection_is_the_best_harmonic_mean_after_the_folds_own_gamma():
    means, curves = [], []
    for lam in GRID["lam"]:
        of_folds = []
        for fold in SPLIT.folds:
            train, held_out = hold_out(WORLD.labels, fold.train, 0.2, 3)
            test = np.concatenate([held_out, fold.val])
            classes = np.unique(WORLD.labels[np.concatenate([train, test])])
            F = plain_scores(lam, train, test, classes)
            y = np.searchsorted(classes, WORLD.labels[test])
            seen = np.isin(classes, WORLD.labels[train])
            of_folds.append(seen_unseen_curve(F, y, seen))
        means.append(np.mean([curve.best().harmonic for curve in of_folds]))
        curves.append(of_folds)
    chosen = select(LinearS2V(), WORLD, SPLIT, task="gzsl", grid=GRID, preprocessing=RAW, seed=3)
    best = int(np.argmax(means))
    assert chosen.params == {"lam": GRID["lam"][best]}
    assert chosen.score == pytest.approx(means[best])
    assert chosen.gamma == pytest.approx(best_common_gamma(curves[best]))


class Counted(LinearS2V):
    """LinearS2V that counts its fits."""

    n_fits = 0

    def fit(self, X, y, prototypes):
        Counted.n_fits += 1
        return super().fit(X, y, prototypes)

    def _score_together(self, *args):
        Counted.n_fits += len(args[1])
        return super()._score_together(*args)


@pytest.mark.parametrize(("with_gamma", "fits"), [(True, 8), (False, 6)])
def test_choosing_gamma_for_zsl_parameters_adds_one_fit_per_fold(monkeypatch, with_gamma, fits):
    monkeypatch.setattr(Counted, "n_fits", 0)
    chosen = select(Counted(), WORLD, SPLIT, task="zsl", grid=GRID, with_gamma=with_gamma)
    assert (Counted.n_fits, len(SPLIT.folds)) == (fits, 2)
    assert (chosen.gamma is None) == (not with_gamma)
    assert bool(chosen.validation) == with_gamma
    plain = select(LinearS2V(), WORLD, SPLIT, task="zsl", grid=GRID)
    assert (chosen.params, chosen.score) == (plain.params, plain.score)


def test_selection_does_not_use_the_test_set():
    features = WORLD.features.copy()
    test = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])
    features[test] = np.nan
    blind = linear_world(noise=1.0, n_per_class=20)
    object.__setattr__(blind, "features", features)
    for task in ("zsl", "gzsl"):
        seen = select(LinearS2V(), WORLD, SPLIT, task=task, grid=GRID)
        unseen = select(LinearS2V(), blind, blind.splits["PS"], task=task, grid=GRID)
        assert (unseen.params, unseen.gamma, unseen.score) == (seen.params, seen.gamma, seen.score)


def test_common_gamma_beats_every_gamma_of_a_fine_sweep():
    rng = np.random.default_rng(0)
    curves = []
    for _ in range(3):
        y = rng.integers(0, 10, 200)
        F = rng.normal(size=(200, 10)) + 1.5 * np.eye(10)[y] + 0.5 * (np.arange(10) < 6)
        curves.append(seen_unseen_curve(F, y, np.arange(10) < 6))

    def mean_harmonic(gamma):
        return np.mean([curve.at(gamma).harmonic for curve in curves], axis=0)

    best = mean_harmonic(best_common_gamma(curves))
    assert best >= mean_harmonic(np.linspace(-5, 5, 5001)).max() - 1e-12


def test_selection_of_a_grid_reports_progress_to_the_end():
    seen = []
    select(LinearS2V(), WORLD, SPLIT, grid=GRID, progress=lambda *tick: seen.append(tick))
    assert seen == [(k, 6, "") for k in range(1, 7)]


FOLDS = np.array(
    [  # the points are best, tied with the best, clearly worse, slightly worse on each fold
        [0.50, 0.52, 0.44, 0.49],
        [0.40, 0.36, 0.36, 0.39],
        [0.30, 0.31, 0.22, 0.29],
    ]
)
POINTS = [{"c": 10, "C": 1}, {"c": 1, "C": 9}, {"c": 0.1, "C": 1}, {"c": 0.5, "C": 1}]


def test_a_tie_goes_to_the_simplest_point_within_one_standard_error():
    # The last point is not tied, because its small loss is the same on all folds.
    assert simplest_of_ties(FOLDS, POINTS, ["c"]) == 1
    loss = FOLDS[:, 0] - FOLDS[:, 1]
    assert 0 < loss.mean() < loss.std(ddof=1) / np.sqrt(3)


def test_the_first_parameter_orders_complexity_and_the_mean_breaks_ties():
    # Among the tied points, only this one has C = 1.
    assert simplest_of_ties(FOLDS, POINTS, ["C", "c"]) == 0
    alike = [{"c": 1}, {"c": 1}, {"c": 1}, {"c": 1}]
    assert simplest_of_ties(FOLDS, alike, ["c"]) == 0
    assert simplest_of_ties(FOLDS[:1], POINTS, ["c"]) == 1  # a single fold chooses the best point


def test_a_tie_is_within_one_standard_error_not_one_standard_deviation():
    # The mean is between the standard error and the standard deviation.
    lost = np.array([0, 0.015, 0.04])
    assert lost.std(ddof=1) / np.sqrt(3) < lost.mean() < lost.std(ddof=1)
    scores = 0.5 - np.column_stack([np.zeros(3), lost])
    assert simplest_of_ties(scores, [{"c": 10}, {"c": 1}], ["c"]) == 0


def plain_choice(scores, values):
    """The textbook rule, number by number."""
    folds = [list(map(float, row)) for row in scores]
    means = [statistics.fmean(column) for column in zip(*folds, strict=True)]
    best, reach = means.index(max(means)), []
    for k in range(len(values)):
        lost = [row[best] - row[k] for row in folds]
        if statistics.fmean(lost) <= statistics.stdev(lost) / math.sqrt(len(lost)):
            reach.append((values[k], -means[k], k))
    return min(reach)[-1]


def test_the_rule_of_ties_is_that_of_a_plain_implementation():
    rng = np.random.default_rng(0)
    chosen_other = 0
    for _ in range(300):
        n_folds, n_points = rng.integers(2, 6), rng.integers(2, 9)
        scores = rng.normal(size=(n_folds, 1)) + rng.normal(size=(n_folds, n_points))
        scores += 0.5 * rng.normal(size=n_points)
        values = rng.permutation(n_points).tolist()
        points = [{"c": value} for value in values]
        expected = plain_choice(scores, values)
        assert simplest_of_ties(scores, points, ["c"]) == expected
        chosen_other += expected != scores.mean(axis=0).argmax()
    assert 30 < chosen_other < 270


class Simplest(LinearS2V):
    """LinearS2V that wrongly declares a smaller ridge penalty as simpler."""

    complexity_order = ("lam",)


@pytest.mark.parametrize(("task", "lams"), [("zsl", (1e-5, 1e-3, 1.0)), ("gzsl", (1e-4, 1.0))])
def test_rule_of_one_standard_error_applies_to_methods_with_a_complexity_order(task, lams):
    grid = {"lam": lams}

    def chosen(method, **how):
        return select(method(), WORLD, SPLIT, task=task, grid=grid, **how)

    plain, simple = chosen(LinearS2V), chosen(Simplest)
    assert (plain.rule, simple.rule) == ("best", "one standard error")
    assert chosen(Simplest, rule="best").params == plain.params
    scores = simple.table["score"].to_numpy().reshape(len(SPLIT.folds), -1)
    expected = simplest_of_ties(scores, list(ParameterGrid(grid)), ["lam"])
    assert simple.params == {"lam": lams[expected]}
    assert (simple.params["lam"] < plain.params["lam"]) == (task == "zsl")  # only ZSL has a tie
    assert simple.score == pytest.approx(scores[:, expected].mean())
    assert simple.score <= plain.score


def test_rule_is_the_best_if_the_grid_has_no_complexity_parameter():
    chosen = select(Simplest(lam=1e-2), WORLD, SPLIT, grid={})
    assert chosen.rule == "best"


def test_unknown_rules_and_rules_without_an_order_are_refused():
    with pytest.raises(ParameterError, match="rule must be 'best' or 'one standard error'; got 'x"):
        select(LinearS2V(), WORLD, SPLIT, grid=GRID, rule="x")
    with pytest.raises(
        ParameterError, match="LinearS2V: expected rule 'best', since the method has no"
    ):
        select(LinearS2V(), WORLD, SPLIT, grid=GRID, rule="one standard error")


def test_the_default_grid_is_that_of_the_method():
    chosen = select(ESZSL(), WORLD, SPLIT)
    assert set(chosen.params) == {"gamma", "lam"}
    assert len(chosen.table) == 49 * 2


@pytest.mark.parametrize(
    ("folds", "sentence"),
    [
        ((), "expected folds to choose parameters on"),
        (
            (Fold(SPLIT.trainval, SPLIT.trainval[:9]),),
            "fold 0 needs train and val rows of disjoint",
        ),
        ((Fold(SPLIT.trainval, []),), "got 8 and 0 classes"),
        (
            (Fold(SPLIT.trainval[IS_FIRST], SPLIT.trainval[~IS_FIRST]),),
            "fold 0 needs train rows of at least two classes; got one, '.+', of 8 seen classes",
        ),
    ],
)
def test_invalid_folds_are_refused(folds, sentence):
    split = Split.from_rows(
        "bad",
        WORLD.labels,
        trainval=SPLIT.trainval,
        test_seen=SPLIT.test_seen,
        test_unseen=SPLIT.test_unseen,
        folds=folds,
    )
    with pytest.raises(DatasetError, match=sentence):
        select(LinearS2V(), WORLD, split, grid=GRID)


def test_unknown_task_is_refused():
    with pytest.raises(ParameterError, match="task must be 'zsl' or 'gzsl'; got 'ZSL'"):
        select(LinearS2V(), WORLD, SPLIT, task="ZSL")


def test_evaluation_computes_every_metric_from_one_score_matrix():
    scores = fit_and_score(LinearS2V(1e-3), WORLD, SPLIT)
    gamma = 0.03
    metrics = evaluate(scores, gamma)
    y = scores.classes[scores.y]
    of_unseen = np.isin(y, SPLIT.unseen_classes)

    among_unseen = SPLIT.unseen_classes[scores.F[of_unseen][:, 8:].argmax(axis=1)]
    assert metrics.zsl == pytest.approx(mean_class_accuracy(y[of_unseen], among_unseen))
    assert metrics.zsl_per_sample == pytest.approx(sample_accuracy(y[of_unseen], among_unseen))
    assert metrics.zsl <= metrics.zsl_top5 <= 1

    penalised = scores.F - gamma * scores.seen
    answer = scores.classes[penalised.argmax(axis=1)]
    seen = mean_class_accuracy(y[~of_unseen], answer[~of_unseen])
    unseen = mean_class_accuracy(y[of_unseen], answer[of_unseen])
    assert metrics.calibrated.seen == pytest.approx(seen)
    assert metrics.calibrated.unseen == pytest.approx(unseen)
    assert metrics.calibrated_per_sample.seen == pytest.approx(
        sample_accuracy(y[~of_unseen], answer[~of_unseen])
    )
    means = [[metrics.per_class[c] for c in part] for part in (range(8), range(8, 12))]
    assert np.mean(means[0]) == pytest.approx(seen)
    assert np.mean(means[1]) == pytest.approx(unseen)


def test_a_score_matrix_is_read_once_for_all_its_curves(monkeypatch):
    """A large matrix is not scanned again for every metric."""
    looks = []
    monkeypatch.setattr(
        predicted_tests,
        "find_best_classes",
        lambda *arguments: looks.append(arguments) or find_best_classes(*arguments),
    )
    scores = fit_and_score(LinearS2V(), WORLD, WORLD.split("PS"))
    for gamma in (0.0, 0.02):
        evaluate(scores, gamma)
        scores.predicted(gamma)
    assert len(looks) == 1
    for average in ("class", "sample"):
        curve = seen_unseen_curve(scores.F, scores.y, scores.seen, average=average)
        assert scores.curve_of(average).ausuc == curve.ausuc


def test_predictions_from_float32_scores_agree_with_the_curve():
    """1 - 1e-9 equals 1 in float32, so the curve and the predictions use float64."""
    F = np.array([[1, 1e-9], [0, 1]], dtype=np.float32)
    scores = ScoredTest(F, np.array([0, 1]), np.arange(2), np.array([True, False]))
    for gamma in (1 - 1.5e-9, 1 - 0.5e-9):
        right = scores.predicted(gamma)[0] == 0
        assert scores.curve.at(gamma).seen == right == (gamma < 1 - 1e-9)


def test_without_seen_test_samples_only_zsl_is_evaluated():
    split = Split.from_classes("SS", WORLD.labels, unseen=range(8, 12), seen_test_fraction=0)
    scores = fit_and_score(LinearS2V(), WORLD, split)
    metrics = evaluate(scores)
    assert not scores.generalized
    assert metrics.plain is None
    assert metrics.ausuc is None
    assert metrics.zsl > 0.25
    peek = Setting(WORLD, split).oracle(LinearS2V(), GRID)
    assert (peek.harmonic, peek.gamma) == (None, None)


def test_oracle_is_never_below_any_point_it_may_choose():
    peek = Setting(WORLD, SPLIT).oracle(LinearS2V(), GRID)
    for params in ParameterGrid(GRID):
        metrics = evaluate(fit_and_score(LinearS2V(**params), WORLD, SPLIT))
        assert metrics.zsl <= peek.zsl
        assert metrics.plain.harmonic <= peek.harmonic
    best = fit_and_score(LinearS2V(**peek.gzsl_params), WORLD, SPLIT)
    assert evaluate(best, peek.gamma).calibrated.harmonic == pytest.approx(peek.harmonic)


def test_predictions_agree_with_the_curve_on_both_sides_of_a_tie():
    F = np.array([[0.5, 0.25], [1.0, 0.0]])
    scores = ScoredTest(F, np.array([0, 1]), np.array([3, 4]), np.array([True, False]))
    for gamma, answer in ((0.2, [0, 0]), (0.25, [1, 0]), (1.0, [1, 1])):
        assert scores.predicted(gamma).tolist() == answer
        metrics = evaluate(scores, gamma)
        assert metrics.per_class == {3: answer[0] == 0, 4: answer[1] == 1}
        assert metrics.calibrated.seen == metrics.per_class[3]


def test_classes_with_scores_of_minus_infinity_count_like_very_low_scores():
    scores = fit_and_score(LinearS2V(), WORLD, SPLIT)
    out = np.random.default_rng(0).random(scores.F.shape) < 0.3
    out[0] = True  # the first image has no candidate
    hard = replace(scores, F=np.where(out, -np.inf, scores.F))
    low = replace(scores, F=np.where(out, -1e6, scores.F))
    assert (hard.predicted(0.1) == low.predicted(0.1))[1:].all()
    assert not hard.seen[hard.predicted(0.1)][0]
    metrics, expected = evaluate(hard, 0.1), evaluate(low, 0.1)
    assert (metrics.zsl, metrics.zsl_top5) == (expected.zsl, expected.zsl_top5)
    assert metrics.calibrated.seen == pytest.approx(expected.calibrated.seen, abs=0.02)
    assert 0 < metrics.ausuc < 1
    penalty = np.random.default_rng(1).normal(size=len(scores.F))
    detected = apply_penalty(hard.F, hard.seen, penalty)
    assert not np.isnan(detected).any()
    assert (np.isneginf(detected) == out).all()


def test_a_larger_gamma_moves_predictions_to_unseen_classes():
    scores = fit_and_score(LinearS2V(), WORLD, SPLIT)
    shares = [(~scores.seen)[scores.predicted(gamma)].mean() for gamma in (-9, 0, 0.05, 0.2, 9)]
    assert shares[0] == 0
    assert shares[-1] == 1
    assert all(a <= b for a, b in pairwise(shares))


def test_split_without_training_rows_is_refused():
    split = Split("empty", [], [], SPLIT.test_unseen, [], SPLIT.unseen_classes)
    with pytest.raises(
        DatasetError, match="expected training rows and unseen test rows; got 0 and"
    ):
        fit_and_score(LinearS2V(), WORLD, split)
