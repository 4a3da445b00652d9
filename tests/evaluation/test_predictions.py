"""All metrics from predictions equal those from the score matrix, to the last bit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.test_metrics import scored
from tests.worlds import linear_world, scored_again
from zslcore.analysis.confusion import confusion
from zslcore.analysis.resampling import metrics_of_draws
from zslcore.datasets import load
from zslcore.datasets.base import Split
from zslcore.evaluation.predicted_tests import FoldPredictions, ScoredTest, best_common_gamma
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.predictions_file import read_predictions, write_predictions
from zslcore.evaluation.protocol import Problem, evaluate, fit_and_score, select
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import Reference, State, verify_predictions
from zslcore.methods import METHODS, CMTStar, LinearS2V, get_method
from zslcore.metrics.significance import class_draws

WORLD = linear_world(noise=0.8)
SPLIT = WORLD.split("PS")
ROWS = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])


def matrix_of(F, y, seen):
    return ScoredTest(F, y, np.arange(len(seen)), seen)


def predicted(scores, **options):
    names = [f"class {c}" for c in range(scores.classes.max() + 1)]
    return Predictions.of_scores(scores, np.arange(len(scores.y)), names, **options)


def through_a_file(predictions, folder):
    write_predictions(folder / "p.parquet", predictions)
    return read_predictions(folder / "p.parquet")


def assert_same_figures(scores, test, gammas):
    """Compare all results on a test set, without tolerance."""
    drawn = class_draws(scores.seen, 20)
    for gamma in gammas:
        assert evaluate(test, gamma) == evaluate(scores, gamma)
        np.testing.assert_array_equal(test.predicted(gamma), scores.predicted(gamma))
        metrics, expected = (
            metrics_of_draws(test, drawn, gamma),
            metrics_of_draws(scores, drawn, gamma),
        )
        assert set(metrics) == set(expected)
        for name, values in expected.items():
            np.testing.assert_array_equal(metrics[name], values)
    if scores.generalized:
        for average in ("class", "sample"):
            metrics, expected = test.curve_of(average), scores.curve_of(average)
            for name in ("gamma", "seen", "unseen"):
                np.testing.assert_array_equal(getattr(metrics, name), getattr(expected, name))
        np.testing.assert_array_equal(test.switches.gamma, scores.switches.gamma)


@pytest.mark.nightly
@given(scored(), st.integers(0, 2**32 - 1), st.sampled_from([np.float64, np.float32]))
def test_metrics_of_predictions_equal_the_matrix_with_ties_and_excluded_classes(world, seed, dtype):
    F, y, seen = world
    rng = np.random.default_rng(seed)
    F = (F * rng.choice([1.0, 1 / 3, 1e-9])).astype(dtype)
    F[rng.random(F.shape) < 0.1] = -np.inf
    scores = matrix_of(F, y, seen)
    gammas = {0.0, float(scores.curve.best().gamma), 0.25, *scores.curve.gamma[1:3].tolist()}
    assert_same_figures(scores, predicted(scores).test, gammas)


def test_a_predictions_file_preserves_every_bit(tmp_path):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(60, 9)).astype(np.float32)
    F[0, :5], F[1, 5:], F[2] = -np.inf, -np.inf, -np.inf
    scores = matrix_of(F, rng.integers(0, 9, 60), np.arange(9) < 5)
    text = Provenance(
        dataset="d", method="m", gamma=0.1 + 0.2, gamma_origin="given", params={"lam": 1e-300}
    )
    before = predicted(scores, provenance=text)
    after = through_a_file(before, tmp_path)
    assert after.provenance == text
    assert after.class_names == before.class_names
    assert after.test.resolution == before.test.resolution
    for column in (
        "rows",
        "labels",
        "seen_class",
        "unseen_class",
        "margin",
        "zsl_class",
        "zsl_rank",
    ):
        np.testing.assert_array_equal(getattr(after.test, column), getattr(before.test, column))
    assert_same_figures(scores, after.test, [0.0, 0.3])
    table = confusion(scores, 0.3, before.class_names)
    assert table.equals(confusion(after.test, 0.3, before.class_names))


CLOSED = [
    name
    for name, method in METHODS.items()
    if not (method.iterative or method.card.transductive or method.card.joint_space)
]


@pytest.mark.parametrize("name", CLOSED)
def test_predictions_read_from_a_file_give_the_metrics_of_the_run(name, tmp_path):
    """Every closed form on digits has the same metrics, curve and gamma after reading."""
    digits = load("digits")
    defaults = get_method(name)().get_params()
    params = {key: defaults[key] for key in get_method(name).param_grid}
    done = run(RunSpec("digits", "PS", name, params), digits, with_oracle=False)
    result = through_a_file(done.predictions, tmp_path)
    assert result.evaluation == done.result.evaluation
    assert result.chosen_gamma == result.gamma == done.result.gamma
    assert_same_figures(done.scores, result.test, [0.0, result.gamma])
    check = verify_predictions(result, Reference.of(digits, digits.split("PS")))
    assert check.reasons == ()
    assert check.state is State.VERIFIED


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_validation_rows_are_those_that_chose_gamma_among_parameters(task):
    chosen = select(LinearS2V(), WORLD, SPLIT, task=task, grid={"lam": (1e3, 1e-3)})
    scores = fit_and_score(LinearS2V(**chosen.params), WORLD, SPLIT)
    result = Predictions.of_scores(scores, ROWS, WORLD.class_names, validation=chosen.validation)
    assert result.chosen_gamma == chosen.gamma
    assert [fold.name for fold in result.folds] == ["fold_1", "fold_2"]
    for fold, of_split in zip(result.folds, SPLIT.folds, strict=True):
        assert set(of_split.val) < set(fold.rows) < set(SPLIT.trainval)
        np.testing.assert_array_equal(fold.labels, WORLD.labels[fold.rows])
    if task == "gzsl":
        assert chosen.params == {"lam": 1e-3}
        for fold, curve in zip(result.folds, chosen.curves[1], strict=True):
            np.testing.assert_array_equal(fold.curve.gamma, curve.gamma)


def test_predictions_preserve_the_metrics_of_a_novelty_detector(tmp_path):
    model = CMTStar(hidden=4, epochs=3)
    chosen = select(model, WORLD, SPLIT, grid={})
    scores = fit_and_score(model, WORLD, SPLIT)
    result = through_a_file(
        Predictions.of_scores(scores, ROWS, WORLD.class_names, validation=chosen.validation),
        tmp_path,
    )
    assert_same_figures(scores, result.test, [0.0, chosen.gamma])
    assert result.chosen_gamma == chosen.gamma
    problem = Problem.of_test(WORLD, SPLIT, RunSpec("digits", "PS", "CMT*").preprocessing)
    fitted = next(model.fit_grid(problem.X, problem.y, problem.S, [{}]))
    np.testing.assert_allclose(result.test.margin, -fitted.seen_penalty(problem.X_test), atol=1e-9)


def test_predictions_among_unseen_classes_may_differ_from_those_among_all(tmp_path):
    """If scores depend on the candidates, ZSL accuracy is among unseen classes only."""
    scores = fit_and_score(get_method("BiDiLEL")(), WORLD, SPLIT)
    unseen = ~scores.seen
    rng = np.random.default_rng(0)
    F = rng.normal(size=scores.unseen_part[0].shape)
    alone = ScoredTest(F, scores.unseen_part[1], scores.classes[unseen], np.zeros(4, bool))
    plain = Predictions.of_scores(scores, ROWS, WORLD.class_names)
    assert_same_figures(scores, plain.test, [0.0, 0.1])
    both = replace(plain, test=scored_again(plain.test, F))
    evaluation = evaluate(through_a_file(both, tmp_path).test, 0.1)
    expected = evaluate(alone)
    for name in ("zsl", "zsl_per_sample", "zsl_top5", "per_class_zsl"):
        assert getattr(evaluation, name) == getattr(expected, name)
    assert evaluation.calibrated == evaluate(scores, 0.1).calibrated
    assert evaluation.zsl != evaluate(scores).zsl


def test_top_5_needs_ranks(tmp_path):
    scores = fit_and_score(LinearS2V(), WORLD, SPLIT)
    write_predictions(
        tmp_path / "p.parquet", Predictions.of_scores(scores, ROWS, WORLD.class_names)
    )
    table = pd.read_parquet(tmp_path / "p.parquet")
    bare = table.drop(columns=["zsl_rank", "zsl_class"])
    bare.to_parquet(tmp_path / "bare.parquet")
    predictions = read_predictions(tmp_path / "bare.parquet").evaluation
    assert predictions.zsl_top5 is None
    assert predictions.zsl == evaluate(scores).zsl


def test_without_seen_test_images_only_zsl_is_computed(tmp_path):
    split = Split.from_classes("SS", WORLD.labels, unseen=range(8, 12), seen_test_fraction=0)
    scores = fit_and_score(LinearS2V(), WORLD, split)
    result = through_a_file(
        Predictions.of_scores(scores, split.test_unseen, WORLD.class_names), tmp_path
    )
    assert result.evaluation == evaluate(scores)
    assert result.evaluation.plain is None


# --- Size -----------------------------------------------------------------------------------------


def test_a_predictions_file_of_cub_is_small(tmp_path):
    """It has the rows of the test set and of three folds, with margins of full precision."""
    rng = np.random.default_rng(0)
    classes = np.arange(200)
    seen = classes < 150

    def scored_rows(n_seen, n_unseen, seen):
        rows_of_side = [np.flatnonzero(side) for side in (seen, ~seen)]
        y = np.concatenate(
            [
                np.sort(rng.choice(c, n))
                for c, n in zip(rows_of_side, (n_seen, n_unseen), strict=True)
            ]
        )
        F = rng.normal(size=(len(y), len(seen))) + 2 * (np.arange(len(seen)) == y[:, None])
        return matrix_of(F, y, seen)

    names = [f"{c:03d}.Long_named_Bird_of_the_Woods" for c in classes]
    test = scored_rows(1764, 2967, seen)
    rows = rng.permutation(11_788)
    alone = Predictions.of_scores(test, np.sort(rows[:4731]), names)
    write_predictions(tmp_path / "test.parquet", alone)
    assert (tmp_path / "test.parquet").stat().st_size <= 60_000
    folds = []
    for _ in range(3):
        fold = scored_rows(930, 2350, np.arange(150) < 100)
        folds.append(
            FoldPredictions(
                np.sort(rows[4731:][:3280]), classes[:150], fold.seen, fold.best_classes
            )
        )
    with_folds = Predictions.of_scores(test, np.sort(rows[:4731]), names, validation=folds)
    result = through_a_file(with_folds, tmp_path)
    assert (tmp_path / "p.parquet").stat().st_size <= 250_000
    assert result.chosen_gamma == best_common_gamma([fold.curve for fold in folds])
