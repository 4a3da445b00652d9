from functools import cache

import numpy as np
import pytest

from tests.methods.plain import gradient, relative_difference, training_data
from zslcore.datasets import load
from zslcore.evaluation.protocol import Problem
from zslcore.features import Preprocessing
from zslcore.methods import SYNC

X, Y, S, _ = training_data()
UNSEEN = training_data(seed=1)[2][:3]
LAM = 0.01


def fitted(**params):
    return SYNC(lam=LAM, tol=1e-10, **params).fit(X, Y, S)


def weights(A, sigma):
    """s_cr as printed in the paper, class by class."""
    out = np.exp([[-((a - b) @ (a - b)) / sigma**2 for b in S] for a in A])
    return out / out.sum(axis=1, keepdims=True)


def printed_objective(loss, V, sigma):
    """The paper's objective in V, image by image."""
    W, total = weights(S, sigma) @ V, 0.0
    for x, y in zip(X, Y, strict=True):
        z = W @ x
        if loss == "ovo":
            t = np.where(np.arange(len(S)) == y, 1, -1)
            total += (np.maximum(1 - t * z, 0) ** 2).mean()
        else:
            margin = np.linalg.norm(S - S[y], axis=1)
            margin = np.where(np.arange(len(S)) == y, 0, 1) if loss == "cs" else margin
            total += max(0, (margin + z - z[y]).max())
    return total / len(X) + LAM / 2 * (W**2).sum()


def test_gradient_of_the_printed_objective_vanishes_at_the_base_classifiers():
    sigma = 0.7
    V = np.linalg.solve(weights(S, sigma), fitted(sigma=sigma).W_.T)
    assert np.abs(gradient(lambda V: printed_objective("ovo", V, sigma), V)).max() < 1e-6
    assert np.abs(gradient(lambda V: printed_objective("ovo", V, sigma), V + 0.1)).max() > 1e-3


@pytest.mark.parametrize("loss", ["cs", "struct"])
def test_no_change_of_the_solution_lowers_the_printed_objective_of_a_hinge(loss):
    V = fitted(loss=loss).W_.T
    best = printed_objective(loss, V, 1e-6)
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert printed_objective(loss, V + 0.01 * rng.normal(size=V.shape), 1e-6) > best - 1e-7


@pytest.mark.parametrize("loss", ["ovo", "cs", "struct"])
def test_narrow_phantom_classes_reproduce_seen_classifiers_and_copy_the_nearest(loss):
    model = fitted(sigma=1e-3, loss=loss)
    np.testing.assert_allclose(model.decision_function(X, S), X @ model.W_, atol=1e-9)
    nearest = weights(UNSEEN, 0.05).argmax(axis=1)
    np.testing.assert_allclose(
        model.decision_function(X, UNSEEN), X @ model.W_[:, nearest], atol=1e-9
    )


@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0])
def test_unseen_classifiers_are_blends_of_base_classifiers(sigma):
    model = fitted(sigma=sigma)
    V = np.linalg.solve(weights(S, sigma), model.W_.T)
    plain = X @ (weights(UNSEEN, sigma) @ V).T
    assert relative_difference(model.decision_function(X, UNSEEN), plain) < 1e-6


def test_the_three_losses_differ():
    ovo, cs, struct = (fitted(loss=loss).W_ for loss in ("ovo", "cs", "struct"))
    assert relative_difference(ovo, cs) > 0.1
    assert relative_difference(cs, struct) > 0.1


@cache
def digits():
    """The training rows and seen test rows of digits."""
    data = load("digits")
    split = data.split("PS")
    return Problem.of(data, Preprocessing(), split.trainval, split.test_seen)


RIDGES = [2.0**k for k in (-8, -10, -12, -14, -16, -18, -20, -22)]


@pytest.mark.parametrize("loss", ["ovo", "cs", "struct"])
def test_a_smaller_ridge_has_a_smaller_minimum(loss):
    problem = digits()
    minima, former = [], None
    for lam in RIDGES:
        model = SYNC(lam=lam, loss=loss).fit(problem.X, problem.y, problem.S)
        path = model._path(problem.X, problem.y, problem.S)
        minima.append(path.objective(model.W_, lam)[0])
        # The classifiers of a larger ridge are no better at this ridge.
        if former is not None:
            assert minima[-1] < (1 + model.tol) * path.objective(former, lam)[0], lam
        former = model.W_
    assert np.all(np.diff(minima) < 0), minima


@pytest.mark.parametrize("loss", ["ovo", "cs", "struct"])
def test_a_sweep_predicts_as_single_fits(loss):
    problem = digits()
    grid = [{"lam": lam} for lam in RIDGES]
    for params, F in zip(grid, problem.sweep(SYNC(loss=loss), grid), strict=True):
        model = SYNC(loss=loss, **params).fit(problem.X, problem.y, problem.S)
        alone = problem.scores_of(model)
        assert np.mean(F.argmax(axis=1) != alone.argmax(axis=1)) <= 0.01, params
