import numpy as np
import pytest
from scipy.linalg import solve_sylvester

from tests.methods.plain import gradient, relative_difference, squared, training_data
from zslcore.features import l2_rows
from zslcore.methods import SAE

X, Y_INDEX, S, S_Y = training_data()
LAMS = (0.05, 1.0, 500.0)


def sylvester(lam):
    return solve_sylvester(S_Y.T @ S_Y, lam * X.T @ X, (1 + lam) * S_Y.T @ X)


@pytest.mark.parametrize("lam", LAMS)
def test_the_solution_equals_the_sylvester_solver(lam):
    assert relative_difference(SAE(lam).fit(X, Y_INDEX, S).W_, sylvester(lam)) < 1e-8


def test_gradient_of_the_printed_objective_vanishes():
    W = SAE(0.7).fit(X, Y_INDEX, S).W_
    slope = gradient(lambda W: squared(X - S_Y @ W) + 0.7 * squared(X @ W.T - S_Y), W)
    assert np.abs(slope).max() < 1e-7


@pytest.mark.parametrize("direction", ["S2V", "V2S"])
def test_grid_equals_the_sylvester_solver(direction):
    X_test = X * np.linspace(0.5, 2, len(X))[:, None]  # a cosine ignores length
    scores = SAE(direction=direction).score_grid(
        X, Y_INDEX, S, [{"lam": lam} for lam in LAMS], X_test, S
    )
    for lam, F in zip(LAMS, scores, strict=True):
        W = sylvester(lam)
        a, b = (X @ W.T, S) if direction == "V2S" else (X, S @ W)
        assert relative_difference(F, l2_rows(a) @ l2_rows(b).T) < 1e-8


@pytest.mark.parametrize("direction", ["S2V", "V2S"])
def test_rows_of_unit_length_are_a_variant(direction):
    model = SAE(0.5, direction, rows="unit").fit(X, Y_INDEX, S)
    W = l2_rows(sylvester(0.5))
    a, b = (X @ W.T, S) if direction == "V2S" else (X, S @ W)
    np.testing.assert_allclose(model.decision_function(X, S), l2_rows(a) @ l2_rows(b).T)
    (of_grid,) = SAE(0.5, direction, rows="unit").score_grid(X, Y_INDEX, S, [{}], X, S)
    np.testing.assert_allclose(of_grid, model.decision_function(X, S))
    learned = SAE(0.5, direction).fit(X, Y_INDEX, S).decision_function(X, S)
    assert np.abs(learned - of_grid).max() > 1e-3


def test_undetermined_coefficients_are_zero():
    wide = np.hstack([X, np.zeros((len(X), 1))])  # a feature that is always zero
    deep = np.hstack([S, np.zeros((len(S), 1))])  # an attribute of no class
    W = SAE(0.5).fit(wide, Y_INDEX, deep).W_
    assert np.abs(W[-1]).max() < 1e-9
    assert np.abs(W[:, -1]).max() < 1e-9
    assert relative_difference(W[:-1, :-1], SAE(0.5).fit(X, Y_INDEX, S).W_) < 1e-8


def test_repeated_features_and_attributes_share_their_weight():
    wide, deep = np.hstack([X, X[:, :1]]), np.hstack([S, S[:, :1]])
    W = SAE(0.5).fit(wide, Y_INDEX, deep).W_
    np.testing.assert_allclose(W[:, -1], W[:, 0], atol=1e-9)
    np.testing.assert_allclose(W[-1], W[0], atol=1e-9)
