import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph

from tests.methods.plain import training_data
from zslcore.exceptions import ParameterError, UnknownNameError
from zslcore.methods import METHODS, Propagation, propagation
from zslcore.methods.propagation import NeighbourGraph, propagate

X, Y, S, _ = training_data()
UNSEEN = training_data(seed=1)[2][:4]
TEST = training_data(seed=2)[0]


def fitted(**params):
    return Propagation(**params).fit(X, Y, S, unlabeled=TEST, candidates=UNSEEN)


def dense(places, k, sigma):
    """M and L as printed in the benchmark, with dense matrices."""
    lengths = kneighbors_graph(places, k, mode="distance").toarray()
    lengths = np.maximum(lengths, lengths.T)
    M = np.where(lengths > 0, np.exp(-lengths / (2 * sigma**2)), 0)
    q = M.sum(axis=1)
    return M / np.sqrt(np.outer(q, q))


def test_the_graph_equals_the_printed_formula():
    L = NeighbourGraph(TEST, 4, 0.7).L.toarray()
    np.testing.assert_allclose(L, dense(TEST, 4, 0.7))


@pytest.mark.parametrize("alpha", [0.3, 0.95])
def test_scores_equal_the_dense_inverse(alpha):
    model = fitted(k=4, sigma=0.7, alpha=alpha)
    S0 = model.base_.decision_function(TEST, UNSEEN)
    L = dense(TEST @ model.base_.V_, 4, 0.7)
    plain = np.linalg.inv(np.eye(len(TEST)) - alpha * L) @ S0
    np.testing.assert_allclose(model.decision_function(TEST, UNSEEN), plain, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("base", ["ESZSL", "LinearS2V"])
def test_alpha_zero_gives_the_scores_of_the_base(base):
    model = fitted(base=base, alpha=0.0)
    inductive = METHODS[base]().fit(X, Y, S)
    for images in (TEST, X):
        np.testing.assert_array_equal(
            model.decision_function(images, UNSEEN), inductive.decision_function(images, UNSEEN)
        )


def test_parameters_of_the_base_reach_it():
    assert fitted(base="SAE", base_params={"lam": 3.0}).base_.lam == 3.0


def test_near_images_agree_more_with_larger_alpha():
    spread = []
    for alpha in (0.0, 0.5, 0.9, 0.99):
        F = fitted(k=5, alpha=alpha).decision_function(TEST, UNSEEN)
        spread.append((F.std(axis=0) / np.abs(F.mean(axis=0))).mean())
    assert spread == sorted(spread, reverse=True)


def test_a_single_image_and_equal_images_keep_their_scores():
    graph = NeighbourGraph(np.ones((3, 2)), 2)
    assert graph.L.nnz == 0
    alone = NeighbourGraph(np.ones((1, 2)), 2)
    np.testing.assert_array_equal(propagate(alone.L, np.ones((1, 3)), 0.5), np.ones((1, 3)))


def test_rows_of_the_graph_are_found_for_known_images():
    graph = NeighbourGraph(TEST, 5)
    np.testing.assert_allclose(graph.rows(TEST[7:20]).toarray(), graph.L.toarray()[7:20])


def test_a_misspelt_base_gets_the_nearest_one():
    with pytest.raises(UnknownNameError, match="did you mean 'ESZSL'"):
        fitted(base="EZSL")


def test_too_many_candidates_for_propagation_are_refused(monkeypatch):
    monkeypatch.setattr(propagation, "MAX_CANDIDATES", 3)
    with pytest.raises(
        ParameterError, match=r"^Propagation: expected at most 3 candidates, .* 4\.$"
    ):
        fitted().decision_function(TEST, UNSEEN)
