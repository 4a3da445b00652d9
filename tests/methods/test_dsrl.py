import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import cosine_similarity

from tests.methods.plain import relative_difference, squared, training_data
from zslcore.exceptions import DatasetError
from zslcore.methods import DSRL, dsrl

X, Y, S, S_Y = training_data()
X, TEST = np.abs(X), np.abs(training_data(seed=2)[0])
UNSEEN = training_data(seed=1)[2][:4]


def fitted(**params):
    return DSRL(**params).fit(X, Y, S, unlabeled=TEST, candidates=UNSEEN)


@pytest.mark.parametrize("mu", [0.1, 10.0])
def test_no_iteration_increases_the_objective(mu):
    objective = np.array(fitted(mu=mu, n_iter=60).objective_)
    assert (np.diff(objective) <= 1e-12 * objective[0]).all()
    assert objective[-1] < 0.95 * objective[0]


def test_the_objective_equals_the_printed_formula(monkeypatch):
    shares, maps = [], []

    def keep(H, X, product=dsrl._product):
        shares.append(H)  # updated in place up to the final factor
        return product(H, X)

    def keep_map(self, H, S_y, fit=DSRL._map):
        maps.append(fit(self, H, S_y))
        return maps[-1]

    monkeypatch.setattr(dsrl, "_product", keep)
    monkeypatch.setattr(DSRL, "_map", keep_map)
    model = fitted(mu=0.5, lam=0.2, n_iter=4)
    (H, H_u), W = shares[:2], maps[-2]  # the last map comes after the factorisation
    printed = squared(X - H @ model.B_) + squared(TEST - H_u @ model.B_)
    printed += 0.5 * squared(H @ W - S_Y) + 0.2 * squared(W)
    assert model.objective_[-1] == pytest.approx(printed)


def test_the_map_is_the_ridge_regression_of_prototypes_on_unsupervised_factors():
    model = fitted(mu=0.5, lam=0.2)
    H = model.encode(X)
    plain = Ridge(alpha=0.2 / 0.5, fit_intercept=False).fit(H, S_Y).coef_.T
    np.testing.assert_allclose(model.W_, plain, atol=1e-9)


def test_factors_stay_non_negative():
    model = fitted()
    assert (model.B_ >= 0).all()
    assert (model.encode(TEST) >= 0).all()


def test_factors_of_an_image_converge_to_non_negative_least_squares(monkeypatch):
    monkeypatch.setattr("zslcore.methods.dsrl.ROUNDS", 5000)
    model = fitted()
    plain = np.array([nnls(model.B_.T, x)[0] for x in TEST])
    assert relative_difference(model.encode(TEST) @ model.B_, plain @ model.B_) < 1e-3


def test_without_propagation_the_initial_scores_are_cosines():
    model = fitted(alpha=0.0)
    plain = cosine_similarity(model.encode(TEST) @ model.W_, UNSEEN)
    np.testing.assert_allclose(model.decision_function(TEST, UNSEEN), plain)


def test_negative_features_are_refused():
    with pytest.raises(DatasetError, match="non-negative features; got -"):
        DSRL().fit(X - 0.5, Y, S, unlabeled=TEST, candidates=UNSEEN)
