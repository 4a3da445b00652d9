"""Classifiers shared by IAP and CONSE are fitted once, with the same results."""

import numpy as np
import pytest

from tests.methods.plain import training_data
from zslcore.methods import CONSE, IAP, METHODS
from zslcore.methods.classifiers import (
    ClassifierCache,
    rows_digest,
    seconds_saved,
    shared_classifiers,
)

X, Y, S, _ = training_data()
GRID = [{"C": 1.0}, {"C": 10.0}]


def scores(method, y=Y):
    return list(method.score_grid(X, y, S, GRID, X, S))


def counting(monkeypatch):
    """Count the solved paths of both methods."""
    calls = []
    plain = IAP._path

    def path(self, *args):
        calls.append(self.card.name)
        return plain(self, *args)

    for method in (IAP, CONSE):
        monkeypatch.setattr(method, "_path", path)
    return calls


def test_conse_reuses_the_classifiers_of_iap(monkeypatch):
    alone, calls = scores(CONSE()), counting(monkeypatch)
    with shared_classifiers():
        scores(IAP())
        together = scores(CONSE())
    np.testing.assert_array_equal(together, alone)
    assert calls == ["IAP"]


def test_the_recorded_time_of_a_run_excludes_sharing():
    shared = ClassifierCache()
    assert seconds_saved() == shared.seconds_saved == 0
    for expected in (0, 1, 2):
        shared.get("key", lambda: {1.0: X})
        assert shared.seconds_saved == expected * shared._cache["key"][1]
    with shared_classifiers() as here:
        scores(IAP())
        assert seconds_saved() == 0
        scores(CONSE())
        assert seconds_saved() == here.seconds_saved > 0


@pytest.mark.parametrize(
    "other",
    [lambda: scores(CONSE(tol=1e-2)), lambda: scores(CONSE(), (Y + 1) % len(S))],
    ids=["tolerance", "classes"],
)
def test_classifiers_of_another_problem_are_fitted_separately(other, monkeypatch):
    alone, calls = other(), counting(monkeypatch)
    with shared_classifiers():
        scores(IAP())
        together = other()
    np.testing.assert_array_equal(together, alone)
    assert calls == ["IAP", "CONSE"]


def test_without_the_context_no_classifiers_are_shared(monkeypatch):
    calls = counting(monkeypatch)
    for method in (IAP(), CONSE()):
        with shared_classifiers():
            scores(method)
    scores(IAP())
    assert calls == ["IAP", "CONSE", "IAP"]


def test_a_nested_context_shares_classifiers_with_the_outer_context():
    with shared_classifiers() as outer, shared_classifiers() as inner:
        assert inner is outer


def test_methods_that_share_classifiers_have_the_same_settings():
    sharing = [method for method in METHODS.values() if method.shared_classifier]
    assert {method.card.name for method in sharing} == {"IAP", "CONSE"}
    first = sharing[0]()
    for method in sharing[1:]:
        other = method()
        assert other._loss(S) == first._loss(S)
        assert other.param_grid["C"] == first.param_grid["C"]
        assert (other.tol, other.intercept) == (first.tol, first.intercept)
        assert other._ridge(7) == first._ridge(7)


def test_the_oldest_classifiers_are_dropped_when_memory_is_short():
    solved, result = ClassifierCache(limit=2 * 80), []

    def get(key):
        solved.get(key, lambda: result.append(key) or {1.0: np.zeros(10)})

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert result == ["a", "b", "c", "b"]


def test_shared_classifiers_are_read_only():
    W = ClassifierCache().get("a", lambda: {1.0: np.zeros(3)})[1.0]
    with pytest.raises(ValueError, match="read-only"):
        W[0] = 1


def test_the_key_of_shared_classifiers_depends_on_rows_classes_and_settings():
    other = X.copy()
    other[3, 2] += 1e-9
    result = {rows_digest(X, Y), rows_digest(other, Y), rows_digest(X, Y, 1), rows_digest(X, 1 - Y)}
    assert len(result) == 4
    assert rows_digest(np.asfortranarray(X), Y) == rows_digest(X, Y)
