import numpy as np
import pytest

from tests.methods.plain import gradient, training_data
from zslcore.features import l2_rows
from zslcore.methods import SSE, sse
from zslcore.methods.sse import simplex_weights, sort_to_simplex

X, Y, S, _ = training_data()
X = np.abs(X)
UNSEEN = l2_rows(training_data(seed=1)[2])
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("c", [0.001, 0.1, 0.3, 10.0])
def test_weights_are_the_minimum_to_rounding(c):
    many = l2_rows(RNG.random((300, 40)))
    some = np.concatenate([l2_rows(RNG.random((20, 40))), many[:5]])
    alpha = simplex_weights(some, many, c)
    slope = alpha @ (many @ many.T + c * np.eye(len(many))) - some @ many.T
    # Moving weight from one class to another brings no gain: slopes are equal where weights are
    # positive, and nowhere smaller.
    least = slope.min(axis=1, keepdims=True)
    assert (alpha * (slope - least)).max() < 1e-12
    np.testing.assert_allclose(alpha.sum(axis=1), 1)
    assert alpha.min() >= 0


def test_a_repeated_class_has_two_equal_weights():
    alpha = simplex_weights(UNSEEN, np.concatenate([S, S[:1]]), 0.1)
    np.testing.assert_allclose(alpha[:, 0], alpha[:, -1], atol=1e-12)


def test_projection_finds_the_nearest_point_of_the_simplex():
    V = RNG.normal(size=(20, 6))
    P = sort_to_simplex(V)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    points = RNG.dirichlet(np.ones(6), size=200)
    for v, p in zip(V, P, strict=True):
        assert ((v - p) ** 2).sum() <= ((v - points) ** 2).sum(axis=1).min()
    np.testing.assert_allclose(sort_to_simplex(points), points)


@pytest.mark.parametrize("transform", ["intersection", "relu"])
def test_score_is_the_printed_sum(transform):
    model = SSE(c=0.5, transform=transform).fit(X, Y, S)
    alpha = simplex_weights(UNSEEN, S, 0.5)
    means = [X[y == Y].mean(axis=0) for y in range(len(S))]
    for x, row in zip(X[:5], model.decision_function(X[:5], UNSEEN), strict=True):
        pi = [
            np.minimum(x, v) if transform == "intersection" else np.maximum(0, x - v) for v in means
        ]
        np.testing.assert_allclose(row, alpha @ pi @ model.w_)


def test_both_transforms_have_the_same_margins():
    scores = [SSE(c=0.5, transform=t).fit(X, Y, S) for t in ("intersection", "relu")]
    a, b = (model.decision_function(X, UNSEEN) for model in scores)
    np.testing.assert_allclose(a - a[:, :1], b - b[:, :1], atol=1e-2 * np.ptp(a))


def test_every_wrong_class_and_never_the_right_class_is_drawn():
    model = SSE(c=0.1)
    model._store_classes(X, Y, S)
    margins = model._margins(X, Y, S, [0.1])[0.1]
    alpha = simplex_weights(S, S, 0.1)
    means = np.array([X[y == Y].mean(axis=0) for y in range(len(S))])
    turns = []
    for n in np.flatnonzero(Y == 2):
        pi = np.minimum(X[n], means)
        possible = [(alpha[2] - alpha[c]) @ pi for c in range(len(S)) if c != 2]
        distance = np.abs(np.array(possible) - margins[n]).max(axis=1)
        assert distance.min() < 1e-5
        turns.append(distance.argmin())
    assert len(turns) > len(S)
    assert len(set(turns)) == len(S) - 1


def test_gradient_of_the_printed_objective_vanishes_at_the_weights():
    model = SSE(c=0.1, C=3.0).fit(X, Y, S)
    margins = model._margins(X, Y, S, [0.1])[0.1]

    def objective(w):
        return w @ w / 2 + 3.0 * (np.maximum(0, 1 - margins @ w) ** 2).sum()

    at_zero = np.abs(gradient(objective, np.zeros_like(model.w_))).max()
    assert np.abs(gradient(objective, model.w_)).max() < 1e-2 * at_zero


def test_classes_beyond_max_samples_are_cut_equally():
    few, many = SSE(max_samples=7), SSE(max_samples=14)
    for model, n in ((few, 7), (many, 14)):
        model._store_classes(X, Y, S)
        assert len(model._margins(X, Y, S, [1.0])[1.0]) == n


def test_margins_in_blocks_and_for_several_ridges_equal_single_computations(monkeypatch):
    model = SSE()
    model._store_classes(X, Y, S)
    together = model._margins(X, Y, S, [0.1, 10.0])
    monkeypatch.setattr(sse, "BLOCK_VALUES", 2 * X.shape[1])
    for c, margins in together.items():
        np.testing.assert_array_equal(margins, model._margins(X, Y, S, [c])[c])
    assert np.abs(together[0.1] - together[10.0]).max() > 0.01
