"""LinearV2S and LinearS2V: the same regression in two directions."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tests.methods.plain import gradient, relative_difference, squared, training_data
from zslcore.features import l2_rows
from zslcore.methods import LinearS2V, LinearV2S

X, Y_INDEX, S, S_Y = training_data()
N = len(X)
LAMS = (1e-6, 1e-2, 1.0)


def test_gradient_of_v2s_objective_vanishes():
    W = LinearV2S(0.02).fit(X, Y_INDEX, S).W_
    slope = gradient(lambda W: squared(X @ W.T - S_Y) / N + 0.02 * squared(W), W)
    assert np.abs(slope).max() < 1e-8


def test_gradient_of_s2v_objective_vanishes():
    W = LinearS2V(0.02).fit(X, Y_INDEX, S).W_
    slope = gradient(lambda W: squared(X - S_Y @ W) / N + 0.02 * squared(W), W)
    assert np.abs(slope).max() < 1e-8


@pytest.mark.parametrize("lam", LAMS)
def test_both_directions_equal_scikit_learns_ridge_without_intercept(lam):
    ridge = Ridge(alpha=lam * N, fit_intercept=False, solver="cholesky")
    v2s, s2v = LinearV2S(lam).fit(X, Y_INDEX, S), LinearS2V(lam).fit(X, Y_INDEX, S)
    assert relative_difference(v2s.W_, ridge.fit(X, S_Y).coef_) < 1e-8
    assert relative_difference(s2v.W_, ridge.fit(S_Y, X).coef_.T) < 1e-8


def test_v2s_scores_are_similarities_of_predicted_attributes():
    model = LinearV2S(0.01).fit(X, Y_INDEX, S)
    np.testing.assert_allclose(
        model.decision_function(X, S), l2_rows(X @ model.W_.T) @ l2_rows(S).T, atol=1e-12
    )
    dot = LinearV2S(0.01, similarity="dot").fit(X, Y_INDEX, S)
    np.testing.assert_allclose(dot.decision_function(X, S), X @ model.W_.T @ S.T, atol=1e-12)


def test_s2v_scores_are_distances_to_predicted_features():
    model = LinearS2V(0.01).fit(X, Y_INDEX, S)
    distance = ((X[:, None] - (S @ model.W_)[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.decision_function(X, S), -distance, atol=1e-12)
