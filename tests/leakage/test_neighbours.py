import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from zslcore.leakage import neighbours
from zslcore.leakage.neighbours import identical_rows, near_rows


def by_sets(group):
    return {frozenset(np.flatnonzero(group == g).tolist()) for g in set(group.tolist()) - {-1}}


@settings(max_examples=60, deadline=None)
@given(
    pattern=st.lists(st.integers(0, 6), min_size=1, max_size=40),
    d=st.integers(1, 9),
    dtype=st.sampled_from(["f4", "f8", "u2", "u1", "f2"]),
)
def test_groups_of_equal_rows_equal_a_dictionary(pattern, d, dtype):
    values = np.random.default_rng(0).integers(0, 3, size=(7, d))
    values[0] = 0
    X = values[pattern].astype(dtype)
    group, zero = identical_rows(X)
    expected = {}
    for row, x in enumerate(X):
        if x.any():
            expected.setdefault(x.tobytes(), set()).add(row)
    assert by_sets(group) == {frozenset(s) for s in expected.values() if len(s) > 1}
    np.testing.assert_array_equal(zero, ~X.any(axis=1))
    np.testing.assert_array_equal(group[zero], -1)


def test_groups_are_numbered_by_their_first_row():
    X = np.array([[5.0], [1.0], [9.0], [1.0], [5.0], [2.0]])
    assert identical_rows(X)[0].tolist() == [0, 1, -1, 1, 0, -1]


def test_the_two_zeros_are_equal():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -0.0]], dtype=np.float32)
    group, zero = identical_rows(X)
    assert group.tolist() == [0, 0, -1]
    assert zero.tolist() == [False, False, True]


def test_rows_with_equal_hashes_are_still_compared(monkeypatch):
    monkeypatch.setattr(
        neighbours, "_row_codes", lambda X: (np.ones(len(X), np.uint64), np.zeros(len(X), bool))
    )
    X = np.array([[1.0], [1.0], [2.0], [2.0], [3.0]])
    assert by_sets(identical_rows(X)[0]) == {frozenset({0, 1}), frozenset({2, 3})}


@pytest.fixture(scope="module")
def clusters():
    """Rows in clusters, wide enough to be projected, with some rows planted near others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 400))[rng.integers(20, size=600)] + rng.normal(size=(600, 400))
    train, test = np.arange(400), np.arange(400, 600)
    X[400:405] = X[10:15] + 0.02 * rng.normal(size=(5, 400))
    X[405] = X[15]
    return X.astype(np.float32), train, test


def test_near_rows_equal_a_plain_search(clusters):
    X, train, test = clusters
    near = near_rows(X, train, test)
    distance, _ = NearestNeighbors(n_neighbors=1).fit(X[train]).kneighbors(X[test])
    plain = np.flatnonzero(distance[:, 0] <= 0.25 * near.median)
    assert set(near.test.tolist()) == set(test[plain].tolist()) == set(range(400, 406))
    assert dict(zip(near.test.tolist(), near.train.tolist(), strict=True)) == {
        400 + k: 10 + k for k in range(6)
    }
    assert near.median == pytest.approx(np.median(distance), rel=1e-6)
    assert (np.diff(near.distance) >= 0).all()
    assert near.distance[0] == 0


@pytest.mark.parametrize("kind", ["memory map", "HDF5"])
def test_features_may_be_read_from_a_file(clusters, kind, tmp_path):
    X, train, test = clusters
    expected = near_rows(X, train, test)
    if kind == "memory map":
        np.save(tmp_path / "x.npy", X)
        stored = np.load(tmp_path / "x.npy", mmap_mode="r")
    else:
        stored = h5py.File(tmp_path / "x.h5", "w").create_dataset("x", data=X)
    near = near_rows(stored, train, test)
    np.testing.assert_array_equal(near.test, expected.test)
    np.testing.assert_array_equal(near.train, expected.train)
    group, _ = identical_rows(stored)
    assert by_sets(group) == by_sets(identical_rows(X)[0]) == {frozenset({15, 405})}
    if kind == "HDF5":
        stored.file.close()


def test_shifted_or_scaled_features_have_the_same_near_pairs(clusters):
    X, train, test = clusters
    shifted = near_rows(X.astype(np.float64) + 1000, train, test)
    scaled = near_rows(X / 1000, train, test)
    assert set(shifted.test.tolist()) == set(scaled.test.tolist()) == set(range(400, 406))


def test_equal_rows_are_all_near():
    X = np.ones((30, 5), dtype=np.float32)
    near = near_rows(X, np.arange(20), np.arange(20, 30))
    assert near.median == 0
    assert (near.distance == 0).all()


@pytest.fixture(scope="module")
def crowded_rows():
    """Most rows far apart and some very close, like plain pictures with hand-crafted features."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 300)).astype(np.float32)
    X[rng.permutation(900)[:300]] *= 0.05
    return X, np.arange(600), np.arange(600, 900)


def test_a_dense_cluster_gives_no_near_pairs(crowded_rows):
    X, train, test = crowded_rows
    assert not len(near_rows(X, train, test).test)
    assert len(near_rows(X, train, test, alone=np.inf).test) > 50


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), jitter=st.floats(1e-4, 0.2), copies=st.integers(1, 9))
def test_copies_are_found_inside_and_outside_a_dense_cluster(crowded_rows, seed, jitter, copies):
    X, train, test = crowded_rows
    X, rng = X.copy(), np.random.default_rng(seed)
    sources, planted = rng.permutation(train[9:])[:20], rng.permutation(test[:-1])[:20]
    noise = rng.normal(size=(20, X.shape[1])) / np.sqrt(X.shape[1])
    X[planted] = X[sources] + jitter * np.linalg.norm(X[sources], axis=1, keepdims=True) * noise
    # One test image has several near copies in training, as crops would be.
    X[train[:copies]] = X[test[-1]] + 1e-3 * rng.normal(size=(copies, X.shape[1]))
    near = near_rows(X, train, test)
    assert set(near.test.tolist()) == {*planted.tolist(), int(test[-1])}
    assert {*zip(sources, planted, strict=True)} <= {*zip(near.train, near.test, strict=True)}


def test_rows_are_equal_up_to_a_positive_factor_unless_they_have_few_values():
    X = np.random.default_rng(4).normal(size=(6, 40)).astype(np.float32)
    X[1], X[2], X[3] = 3 * X[0], -X[0], X[0] / np.linalg.norm(X[0])
    blank = np.stack([np.full(40, 5), np.full(40, 7)])
    group, skipped = identical_rows(np.concatenate([X, blank]), scaled=True)
    assert group.tolist() == [0, 0, -1, 0, -1, -1, -1, -1]
    assert skipped[-2:].all()
    assert not skipped[[0, 1, 3]].any()
    assert identical_rows(X)[0].tolist() == [-1] * 6
    assert identical_rows(np.repeat(X[:1], 2, axis=0), scaled=True)[0].tolist() == [-1, -1]
