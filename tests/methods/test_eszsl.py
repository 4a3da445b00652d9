import numpy as np
import pytest

from tests.methods.plain import gradient, relative_difference, squared, training_data
from zslcore.methods import ESZSL

X, Y_INDEX, S, S_Y = training_data()
ONE_HOT = (Y_INDEX[:, None] == np.arange(len(S))).astype(float)
CODINGS = {"01": ONE_HOT, "+-1": 2 * ONE_HOT - 1}


@pytest.mark.parametrize("coding", CODINGS)
def test_gradient_of_the_printed_objective_vanishes(coding):
    gamma, lam, Y = 0.3, 0.2, CODINGS[coding]
    V = ESZSL(gamma, lam, coding).fit(X, Y_INDEX, S).V_

    def objective(V):
        return (
            squared(X @ V @ S.T - Y)
            + gamma * squared(V @ S.T)
            + lam * squared(X @ V)
            + gamma * lam * squared(V)
        )

    assert np.abs(gradient(objective, V)).max() < 1e-7
    assert np.abs(gradient(objective, V + 0.01)).max() > 1e-3


@pytest.mark.parametrize("coding", CODINGS)
def test_the_solution_equals_two_plain_inverses(coding):
    V = ESZSL(0.01, 10.0, coding).fit(X, Y_INDEX, S).V_
    plain = (
        np.linalg.inv(X.T @ X + 0.01 * np.eye(X.shape[1]))
        @ (X.T @ CODINGS[coding] @ S)
        @ np.linalg.inv(S.T @ S + 10 * np.eye(S.shape[1]))
    )
    assert relative_difference(V, plain) < 1e-8


def test_a_grid_may_contain_the_coding():
    grid = [{"coding": coding} for coding in CODINGS]
    first, second = ESZSL().score_grid(X, Y_INDEX, S, grid, X, S)
    assert relative_difference(first, second) > 0.1


def test_centred_features_make_both_codings_agree():
    centred = X - X.mean(axis=0)
    zero_one = ESZSL(1.0, 0.1, "01").fit(centred, Y_INDEX, S).V_
    plus_minus = ESZSL(1.0, 0.1, "+-1").fit(centred, Y_INDEX, S).V_
    np.testing.assert_allclose(plus_minus, 2 * zero_one, atol=1e-10)
