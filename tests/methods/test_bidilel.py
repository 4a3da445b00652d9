import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from tests.methods.plain import training_data
from zslcore.exceptions import ParameterError
from zslcore.methods import BiDiLEL, bidilel

X, Y, S, _ = training_data()
UNSEEN = training_data(seed=1)[2]


def affinities(k):
    """M as the formula has it, one pair after the other."""
    M = np.zeros((len(X), len(X)))
    for c in range(len(S)):
        rows = np.flatnonzero(c == Y)
        near = NearestNeighbors(n_neighbors=k + 1).fit(X[rows]).kneighbors(X[rows])[1][:, 1:]
        for i, others in zip(rows, near, strict=True):
            for j in rows[others]:
                M[i, j] = M[j, i] = np.exp(-((X[i] - X[j]) ** 2).sum() / 2)
    return M


def stress(b, model, prototype):
    delta = model.rho_ * np.linalg.norm(prototype - model.S_, axis=1)
    return (((np.linalg.norm(b - model.landmarks_, axis=1) - delta) ** 2) / delta).sum()


def test_directions_solve_the_printed_problem():
    model = BiDiLEL(alpha=0.5, k=3, n_components=4).fit(X, Y, S)
    M, P = affinities(3), model.P_
    spread = X.T @ np.diag(M.sum(axis=1)) @ X + 0.5 * np.eye(X.shape[1])
    np.testing.assert_allclose(P.T @ spread @ P, np.eye(4), atol=1e-9)
    largest = np.sort(np.linalg.eigvals(np.linalg.solve(spread, X.T @ M @ X)).real)[::-1]
    np.testing.assert_allclose(np.diag(P.T @ X.T @ M @ X @ P), largest[:4])


def test_every_round_of_the_top_down_map_lowers_the_stress(monkeypatch):
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    last = np.inf
    for rounds in (0, 1, 2, 5, 20, 100):
        monkeypatch.setattr(bidilel, "ROUNDS", rounds)
        now = np.array(
            [stress(b, model, s) for b, s in zip(model.embed(UNSEEN), UNSEEN, strict=True)]
        )
        assert (now <= last + 1e-12).all()
        last = now
    assert last.sum() < np.inf


def test_places_are_where_the_stress_has_no_slope():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    for b, s in zip(model.embed(UNSEEN), UNSEEN, strict=True):
        slope = [
            (stress(b + h, model, s) - stress(b - h, model, s)) / 2e-6 for h in 1e-6 * np.eye(4)
        ]
        assert np.abs(slope).max() < 1e-3 * stress(model.landmarks_.mean(axis=0) + 1, model, s)


def test_distances_that_can_be_kept_are_kept():
    model = BiDiLEL(n_components=3).fit(X, Y, S)
    hidden = model.landmarks_.mean(axis=0) + 0.1
    model.S_, model.rho_ = model.landmarks_, 1.0  # prototypes that are the places themselves
    np.testing.assert_allclose(model.embed(hidden[None])[0], hidden, atol=1e-3)


def test_a_seen_class_is_placed_on_its_landmark():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    np.testing.assert_allclose(model.embed(S), model.landmarks_, atol=1e-5)


def test_scale_matches_mean_distances():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    latent, semantic = pairwise_distances(model.landmarks_), pairwise_distances(S)
    assert model.rho_ == pytest.approx(latent.mean() / semantic.mean())


def test_classes_of_one_or_two_samples_do_no_harm():
    y = np.repeat(np.arange(3), [1, 2, 57])
    scores = BiDiLEL(n_components=3).fit(X, y, S[:3]).decision_function(X, S)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("params", [{"alpha": 0}, {"k": 0}, {"n_components": 1.5}])
def test_senseless_parameters_are_refused(params):
    with pytest.raises(ParameterError, match=f"BiDiLEL: {next(iter(params))} must be"):
        BiDiLEL(**params).fit(X, Y, S)
