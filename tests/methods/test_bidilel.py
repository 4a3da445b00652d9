import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from tests.methods.plain import gradient, training_data
from zslcore.methods import BiDiLEL, bidilel

X, Y, S, _ = training_data()
UNSEEN = training_data(seed=1)[2]


def affinities(k):
    """Return M of the formula, computed pair by pair."""
    M = np.zeros((len(X), len(X)))
    for c in range(len(S)):
        rows = np.flatnonzero(c == Y)
        near = NearestNeighbors(n_neighbors=k + 1).fit(X[rows]).kneighbors(X[rows])[1][:, 1:]
        for i, neighbours in zip(rows, near, strict=True):
            for j in rows[neighbours]:
                M[i, j] = M[j, i] = np.exp(-((X[i] - X[j]) ** 2).sum() / 2)
    return M


def stress(b, model, prototypes):
    """Return the printed sum over pairs, computed term by term."""
    total = 0.0
    for c, (place, s) in enumerate(zip(b, prototypes, strict=True)):
        placed = [*zip(model.landmarks_, model.S_, strict=True)]
        if model.semi_supervised:
            placed += [*zip(b[:c], prototypes[:c], strict=True)]
        for other, t in placed:
            delta = model.rho_ * np.linalg.norm(s - t)
            total += (np.linalg.norm(place - other) - delta) ** 2 / delta
    return total


def test_directions_solve_the_printed_problem():
    model = BiDiLEL(alpha=0.5, k=3, n_components=4).fit(X, Y, S)
    M, P = affinities(3), model.P_
    spread = X.T @ np.diag(M.sum(axis=1)) @ X + 0.5 * np.eye(X.shape[1])
    np.testing.assert_allclose(P.T @ spread @ P, np.eye(4), atol=1e-9)
    largest = np.sort(np.linalg.eigvals(np.linalg.solve(spread, X.T @ M @ X)).real)[::-1]
    np.testing.assert_allclose(np.diag(P.T @ X.T @ M @ X @ P), largest[:4])


@pytest.fixture(params=[True, False], ids=["together", "alone"])
def model(request):
    return BiDiLEL(n_components=4, semi_supervised=request.param).fit(X, Y, S)


def test_every_iteration_of_the_top_down_map_lowers_the_stress(model, monkeypatch):
    last = np.inf
    for rounds in (0, 1, 2, 5, 20, 100):
        monkeypatch.setattr(bidilel, "ROUNDS", rounds)
        now = stress(model.embed(UNSEEN), model, UNSEEN)
        assert now <= last + 1e-12
        last = now
    assert last < np.inf


def test_the_gradient_of_the_stress_vanishes_at_the_positions(model):
    b = model.embed(UNSEEN)
    far = stress(b + 1, model, UNSEEN)
    assert np.abs(gradient(lambda b: stress(b, model, UNSEEN), b)).max() < 1e-3 * far


def test_unseen_classes_keep_their_distances_among_each_other():
    alone, together = (
        BiDiLEL(n_components=4, semi_supervised=semi_supervised).fit(X, Y, S)
        for semi_supervised in (False, True)
    )
    assert stress(together.embed(UNSEEN), together, UNSEEN) < stress(
        alone.embed(UNSEEN), together, UNSEEN
    )


def test_without_semi_supervision_scores_do_not_depend_on_other_candidates():
    model = BiDiLEL(n_components=4, semi_supervised=False).fit(X, Y, S)
    F = model.decision_function(X, UNSEEN)
    np.testing.assert_allclose(model.decision_function(X, UNSEEN[[4, 1]]), F[:, [4, 1]])


def test_equal_prototypes_have_one_position():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    b = model.embed(np.vstack([UNSEEN, UNSEEN[:1]]))
    assert np.abs(b[0] - b[-1]).max() < 1e-6 * np.abs(b).max()


def test_similarity_is_the_cosine_or_the_distance():
    for similarity in ("cosine", "euclidean"):
        model = BiDiLEL(n_components=4, similarity=similarity).fit(X, Y, S)
        Z, b = X @ model.P_, model.embed(UNSEEN)
        means = Z
        if similarity == "cosine":
            means = Z / np.linalg.norm(Z, axis=1, keepdims=True)
            plain = cosine_similarity(Z, b)
        else:
            plain = -(pairwise_distances(Z, b) ** 2)
        means = [means[y == Y].mean(axis=0) for y in range(len(S))]
        np.testing.assert_allclose(model.landmarks_, means)
        np.testing.assert_allclose(model.decision_function(X, UNSEEN), plain, atol=1e-12)


def test_distances_that_a_point_can_have_are_preserved():
    model = BiDiLEL(n_components=3).fit(X, Y, S)
    hidden = model.landmarks_.mean(axis=0) + 0.1
    model.S_, model.rho_ = model.landmarks_, 1.0  # prototypes equal to the landmarks
    np.testing.assert_allclose(model.embed(hidden[None])[0], hidden, atol=1e-3)


def test_a_seen_class_is_placed_on_its_landmark():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    both = model.embed(np.vstack([UNSEEN, S]))
    np.testing.assert_array_equal(both[len(UNSEEN) :], model.landmarks_)
    np.testing.assert_array_equal(both[: len(UNSEEN)], model.embed(UNSEEN))


def test_scale_matches_mean_distances():
    model = BiDiLEL(n_components=4).fit(X, Y, S)
    latent, semantic = pairwise_distances(model.landmarks_), pairwise_distances(S)
    assert model.rho_ == pytest.approx(latent.mean() / semantic.mean())


def test_classes_of_one_or_two_samples_are_accepted():
    y = np.repeat(np.arange(3), [1, 2, 57])
    scores = BiDiLEL(n_components=3).fit(X, y, S[:3]).decision_function(X, S)
    assert np.isfinite(scores).all()
