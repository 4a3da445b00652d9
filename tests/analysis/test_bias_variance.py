"""Bias, both variances and noise equal their simulated values, and add up to the error."""

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.analysis import bias_variance as module
from zslcore.analysis.bias_variance import Draws, bias_variance, decompose
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.methods import get_method

WORLD = linear_world(n_seen=10, noise=0.5)
SPLIT = WORLD.splits["PS"]
SETTING = Setting(WORLD, SPLIT)


def drawn(rng, K, L, n, A, between=0.5, within=0.2, bias=0.3):
    """Predictions with known components, of a truth that is 0 everywhere."""
    shape = np.full((n, A), bias)
    of_classes = between * rng.normal(size=(K, 1, n, A))
    return shape + of_classes + within * rng.normal(size=(K, L, n, A))


def test_bias_variance_and_noise_add_up_to_the_error_of_a_method_on_known_noise():
    """The method is ridge regression on t = h(x) + noise, with symmetric noise at every x."""
    rng = np.random.default_rng(0)
    D, A, sigma, K, L = 6, 3, 0.7, 8, 4
    true = rng.normal(size=(D, A))
    X = np.repeat(rng.normal(size=(40, D)), 2, axis=0)
    h = np.tanh(X @ true)  # h is not linear in X, so a linear method has a bias
    noise = sigma * np.tile([[1.0], [-1.0]], (40, A))
    t, predicted = h + noise, np.empty((K, L, 80, A))
    for k in range(K):
        centre = rng.normal(size=D)  # the outer draw is a centre in place of classes
        for j in range(L):
            Z = centre + rng.normal(size=(30, D))
            T = np.tanh(Z @ true) + sigma * rng.choice([-1.0, 1.0], size=(30, A))
            predicted[k, j] = X @ np.linalg.solve(Z.T @ Z + 2.0 * np.eye(D), Z.T @ T)
    actual = decompose(Draws.of(predicted, t), t, truth=h)
    parts = actual.bias + actual.between + actual.within + actual.noise
    assert parts == pytest.approx(actual.error, abs=1e-6)
    assert actual.error == pytest.approx(((t - predicted) ** 2).mean(), abs=1e-12)
    assert actual.noise == pytest.approx(sigma**2, abs=1e-12)
    assert min(actual.bias, actual.between, actual.within) > 0.001
    together = decompose(Draws.of(predicted, t), t)
    assert together.bias == pytest.approx(actual.bias + actual.noise, abs=1e-12)
    assert together.noise == 0


def test_components_are_estimated_without_bias():
    rng = np.random.default_rng(1)
    t = np.zeros((5, 2))
    result = [decompose(Draws.of(drawn(rng, 4, 2, 5, 2), t), t) for _ in range(800)]
    for name, true in (("between", 0.25), ("within", 0.04), ("bias", 0.09)):
        values = np.array([getattr(part, name) for part in result])
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - true) < 4 * error, name
        assert error < 0.02


def test_interval_of_the_share_covers_it():
    rng, t, true = np.random.default_rng(2), np.zeros((20, 3)), 0.25 / 0.29
    result = [decompose(Draws.of(drawn(rng, 12, 2, 20, 3), t), t) for _ in range(100)]
    covered = sum(part.low <= true <= part.high for part in result)
    assert covered >= 90
    assert np.mean([part.high - part.low for part in result]) < 0.1


def test_an_image_is_judged_by_draws_that_tested_its_class():
    rng, t = np.random.default_rng(4), np.zeros((4, 2))
    predicted = drawn(rng, 6, 2, 4, 2)
    present = np.ones((6, 4), bool)
    present[4:] = False
    part = decompose(Draws.of(predicted, t), t, present=present)
    alone = decompose(Draws.of(predicted[:4], t), t)
    assert part.error == pytest.approx(alone.error)
    assert part.between == pytest.approx(alone.between)
    assert part.bias == pytest.approx(alone.bias)
    present[2:, 0] = False  # the first image now has too few draws
    assert decompose(Draws.of(predicted, t), t, present=present).n_images == 3


@pytest.mark.parametrize("name", ["LinearV2S", "SAE", "ESZSL"])
def test_parts_of_a_method_add_up_on_both_sides(name):
    method = get_method(name)()
    parameter = next(iter(method.regularizers))
    parts = bias_variance(method, SETTING, parameter, (0.01, 1.0), class_draws=6)
    for part in (*parts["unseen"], *parts["seen"]):
        assert part.bias + part.between + part.within == pytest.approx(part.error, abs=1e-12)
        assert 0 <= part.low <= part.share <= part.high <= 1
        assert part.error > 0
    assert list(map(len, parts.values())) == [2, 2]


def test_more_regularisation_means_less_variance_and_more_bias():
    actual = bias_variance(get_method("LinearV2S")(), SETTING, "lam", (1e-6, 1e-2, 10.0))
    for parts in actual.values():
        variances = [part.between + part.within for part in parts]
        assert variances == sorted(variances, reverse=True)
        assert parts[-1].bias > parts[0].bias


def test_classes_carry_most_of_the_variance_and_more_for_unseen_images():
    """This is the paper's statement on unseen classes, which does not hold for seen classes."""
    parts = bias_variance(get_method("LinearV2S")(), SETTING, "lam", (1e-2,))
    (unseen,), (seen,) = parts["unseen"], parts["seen"]
    assert unseen.low > 0.5
    assert seen.between < unseen.between


def test_paired_training_sets_have_the_same_classes_and_other_rows():
    draws = list(module._draw_rows(WORLD.labels, SPLIT, 4, 2, seed=5))
    assert len(draws) == 4
    for first, other in draws:
        classes = np.unique(WORLD.labels[first])
        assert set(classes) <= set(SPLIT.seen_classes)
        np.testing.assert_array_equal(classes, np.unique(WORLD.labels[other]))
        assert np.isin(first, SPLIT.trainval).all()
        assert len(np.unique(first)) < len(first)  # rows are drawn with replacement
        assert not np.array_equal(first, other)
    again = list(module._draw_rows(WORLD.labels, SPLIT, 4, 2, seed=5))
    np.testing.assert_array_equal(draws[3][1], again[3][1])


def test_some_images_of_every_class_are_judged(monkeypatch):
    monkeypatch.setattr(module, "BUFFERED_VALUES", 3 * 6 * 14 * 12)
    parts = bias_variance(get_method("LinearV2S")(), SETTING, "lam", (1e-2, 1.0), class_draws=6)
    assert parts["unseen"][0].n_images == 3 * len(SPLIT.unseen_classes)


def test_undefined_decompositions_are_refused_in_one_sentence():
    t = np.zeros((2, 2))
    with pytest.raises(
        ParameterError, match="LinearS2V: expected a method that predicts attributes"
    ):
        bias_variance(get_method("LinearS2V")(), SETTING, "lam", (1.0,))
    with pytest.raises(ParameterError, match="at least 3 draws of classes and 2 of images"):
        bias_variance(get_method("LinearV2S")(), SETTING, "lam", (1.0,), class_draws=2)
    with pytest.raises(ParameterError, match="at least 2 draws of images"):
        decompose(Draws.of(np.zeros((4, 1, 2, 2)), t), t)
    with pytest.raises(DatasetError, match="images tested in at least 3 draws of classes"):
        decompose(Draws.of(np.zeros((2, 2, 2, 2)), t), t)


def test_no_variance_has_no_share():
    t = np.zeros((2, 2))
    part = decompose(Draws.of(np.ones((4, 2, 2, 2)), t), t)
    assert (part.error, part.bias) == (1.0, 1.0)
    assert part.between + part.within == 0
    assert np.isnan(part.share)
