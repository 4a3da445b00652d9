from dataclasses import FrozenInstanceError

import h5py
import numpy as np
import pytest

from zslcore.exceptions import ParameterError
from zslcore.features import FeatureView, Preprocessing, chunks, compare, project, squared_distances
from zslcore.methods.statistics import (
    MAX_CHOLESKY_WEIGHTS,
    ClassStatistics,
    GramStatistics,
    Spectrum,
    ridge_path,
)

MATRIX = np.random.default_rng(0).normal(size=(23, 4)).astype(np.float32)
ROWS = np.array([7, 3, 20, 3, 0])


@pytest.fixture(params=["array", "memory map", "HDF5"])
def matrix(request, tmp_path):
    if request.param == "array":
        yield MATRIX
    elif request.param == "memory map":
        np.save(tmp_path / "X.npy", MATRIX)
        yield np.load(tmp_path / "X.npy", mmap_mode="r")
    else:
        with h5py.File(tmp_path / "X.h5", "w") as file:
            yield file.create_dataset("X", data=MATRIX)


def test_view_reads_its_rows_in_order_and_repeatedly(matrix):
    view = FeatureView(matrix, ROWS)
    assert view.shape == (5, 4)
    np.testing.assert_array_equal(np.asarray(view), MATRIX[ROWS])
    np.testing.assert_array_equal(view[1:3], MATRIX[[3, 20]])
    np.testing.assert_array_equal(view[np.array([4, 0])], MATRIX[[0, 7]])
    np.testing.assert_array_equal(view.rows(np.array([2, 2]))[:], MATRIX[[20, 20]])
    np.testing.assert_array_equal(FeatureView(matrix).rows(ROWS)[:], MATRIX[ROWS])
    np.testing.assert_array_equal(FeatureView(matrix)[ROWS], MATRIX[ROWS])
    np.testing.assert_array_equal(FeatureView(matrix)[MATRIX[:, 0] > 0], MATRIX[MATRIX[:, 0] > 0])
    assert np.asarray(view).dtype == np.float64
    assert np.asarray(view, dtype=np.float32).dtype == np.float32


def test_l2_gives_unit_rows_and_leaves_zeros(matrix):
    view = Preprocessing("l2").of_features(matrix, ROWS)
    np.testing.assert_allclose(np.linalg.norm(view[:], axis=1), 1)
    assert not Preprocessing("l2").of_features(np.zeros((2, 3)), np.array([0]))[:].any()


def test_zscore_uses_training_rows_only(matrix):
    view = Preprocessing("zscore").of_features(matrix, np.array([7, 3, 20, 0]))
    train = view.rows(np.array([7, 3, 20, 0]))[:]
    np.testing.assert_allclose(train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(train.std(axis=0), 1)
    assert np.abs(view[:].mean(axis=0)).max() > 0.05


def test_zscore_leaves_constant_columns_alone():
    constant = np.full((5, 2), 1e6, dtype=np.float32)
    assert not Preprocessing("zscore").of_features(constant, np.arange(5))[:].any()


@pytest.mark.parametrize(
    ("mean", "deviation", "constant"),
    [
        (0.0, 0.8e-12, True),
        (0.0, 1.2e-12, False),
        (1.0, 1.6e-12, True),
        (-1.0, 1.6e-12, True),
        (1.0, 2.4e-12, False),
    ],
)
def test_a_column_that_varies_only_by_rounding_is_constant(mean, deviation, constant):
    column = mean + deviation * np.array([[-1.0], [1.0], [-1.0], [1.0]])
    scaled = Preprocessing("zscore").of_features(column, np.arange(4))[:]
    assert (np.abs(scaled).max() < 0.5) == constant


@pytest.mark.parametrize("how", ["none", "l2", "binary"])
def test_prototypes_are_scaled_as_named(how):
    S = np.array([[1.0, 0.0], [3.0, 4.0]])
    expected = {"none": S, "l2": [[1, 0], [0.6, 0.8]], "binary": [[0, 0], [1, 1]]}[how]
    np.testing.assert_allclose(Preprocessing("none", how).of_prototypes(S), expected)


def test_unknown_preprocessing_is_refused():
    with pytest.raises(ParameterError, match="features must be one of none, l2, zscore; got 'L2'"):
        Preprocessing("L2")
    with pytest.raises(ParameterError, match="prototypes must be one of none, l2, binary; got 'b'"):
        Preprocessing("l2", "b")


def test_preprocessing_is_checked_and_immutable():
    assert len({Preprocessing(), Preprocessing("l2", "l2"), Preprocessing("none")}) == 2
    with pytest.raises(FrozenInstanceError):
        Preprocessing().features = "none"


def test_rows_are_compared_by_angle_or_by_product():
    A, B = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[0.0, 2.0], [1.0, 0.0], [-6.0, -8.0]])
    np.testing.assert_allclose(compare(A, B, "cosine"), [[0.8, 0.6, -1], [0, 0, 0]])
    np.testing.assert_allclose(compare(A, B, "dot"), [[8, 3, -50], [0, 0, 0]])
    np.testing.assert_allclose(project(A, B.T, unit=True), [[1.6, 0.6, -10], [0, 0, 0]])


@pytest.mark.parametrize(
    ("n_features", "rows"), [(0, 5), (1, 5), (1 << 19, 4), (1 << 20, 2), (1 << 21, 1), (1 << 22, 1)]
)
def test_a_block_has_16_mib_or_one_row(n_features, rows):
    X = np.broadcast_to(np.float64(0), (5, n_features))
    assert [part.start for part, _ in chunks(X)] == list(range(0, 5, rows))


def test_rows_of_one_value_fill_a_block(monkeypatch):
    monkeypatch.setattr("zslcore.features.BLOCK_VALUES", 3)
    assert [part.start for part, _ in chunks(np.zeros((7, 1)))] == [0, 3, 6]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_chunks_cover_every_row_once(matrix, size):
    blocks = list(chunks(matrix, size))
    np.testing.assert_array_equal(np.vstack([block for _, block in blocks]), MATRIX)
    assert [part.start for part, _ in blocks] == list(range(0, 23, size))


def test_projection_and_distances_in_blocks_equal_plain_code(matrix, monkeypatch):
    monkeypatch.setattr("zslcore.features.BLOCK_VALUES", 12)  # three rows per block
    B = np.random.default_rng(1).normal(size=(4, 3))
    np.testing.assert_allclose(project(matrix, B), MATRIX.astype(float) @ B, rtol=1e-12)
    plain = ((MATRIX.astype(float)[:, None] - B.T[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_distances(matrix, B.T), plain, rtol=1e-10)


def test_class_statistics_are_sums_over_chunks(matrix, monkeypatch):
    monkeypatch.setattr("zslcore.features.BLOCK_VALUES", 12)
    y = np.arange(23) % 5
    statistics = GramStatistics.of(FeatureView(matrix), y, 6)
    X, Y = MATRIX.astype(float), np.eye(6)[y]
    S = np.random.default_rng(2).random((6, 2))
    np.testing.assert_array_equal(statistics.counts, [5, 5, 5, 4, 4, 0])
    np.testing.assert_allclose(statistics.sums, Y.T @ X, atol=1e-12)
    np.testing.assert_allclose(statistics.means[3], X[y == 3].mean(axis=0), rtol=1e-12)
    assert not statistics.means[5].any()
    np.testing.assert_allclose(statistics.gram, X.T @ X, rtol=1e-12)
    np.testing.assert_allclose(statistics.cross(S), S[y].T @ X, rtol=1e-10)
    np.testing.assert_allclose(statistics.semantic_gram(S), S[y].T @ S[y], rtol=1e-12)
    np.testing.assert_array_equal(ClassStatistics.of(matrix, y, 6).sums, statistics.sums)


def test_the_spectrum_reconstructs_the_matrix():
    A = MATRIX.T.astype(float) @ MATRIX
    spectrum = Spectrum.of(A)
    np.testing.assert_allclose(
        spectrum.vectors * spectrum.values @ spectrum.vectors.T, A, atol=1e-10
    )
    assert (Spectrum.of(np.zeros((3, 3))).values >= 0).all()


@pytest.mark.parametrize("n_weights", [MAX_CHOLESKY_WEIGHTS, MAX_CHOLESKY_WEIGHTS + 1])
def test_a_ridge_path_solves_for_every_weight_in_primal_and_dual_form(n_weights):
    G, B = MATRIX.T.astype(float) @ MATRIX, np.random.default_rng(3).normal(size=(4, 2))
    before, weights = G.copy(), np.logspace(-3, 3, n_weights)
    for w, solution in zip(weights, ridge_path(G, weights, B), strict=True):
        np.testing.assert_allclose(solution, np.linalg.solve(G + w * np.eye(4), B), rtol=1e-8)
    np.testing.assert_array_equal(G, before)
