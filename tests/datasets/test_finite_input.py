"""Invalid numbers are refused in one sentence by every method."""

import tracemalloc
import warnings
from contextlib import contextmanager

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tests.worlds import linear_world
from zslcore.evaluation.protocol import Problem
from zslcore.exceptions import DatasetError, ZSLError
from zslcore.features import FeatureView, Preprocessing, as_array, require_finite
from zslcore.large.shards import write_shards
from zslcore.methods import METHODS, TRANSDUCTIVE, bidilel
from zslcore.methods.calls import method_errors, require_scores

ALL = {**METHODS, **TRANSDUCTIVE}
WORLD = linear_world()
SPLIT = next(iter(WORLD.splits.values()))
#: Arguments of methods, in order.
PLACES = ("features", "labels", "prototypes", "features", "prototypes")


def in_turn(kinds):
    """Pair every method with one kind of input, so that every kind is tried on several methods."""
    kinds = list(kinds)
    return [(name, kinds[n % len(kinds)]) for n, name in enumerate(ALL)]


def ready(name):
    """A fast estimator of a method, and the arguments of its fit."""
    method = ALL[name]()
    params = method.get_params()
    quick = {"n_epochs": 2, "epochs": 2, "max_iter": 5}
    method.set_params(**{key: value for key, value in quick.items() if key in params})
    plain = Preprocessing("none", "none")
    problem = Problem.of_test(WORLD, SPLIT, plain)
    joint = method.card.joint_space
    S, candidates = problem.S, problem.candidates
    X, X_test = np.asarray(problem.X), np.asarray(problem.X_test)
    if joint:
        X, X_test = X[:, : S.shape[1]], X_test[:, : S.shape[1]]
    return method, X, problem.y, S, X_test, candidates


@contextmanager
def record_refusals(refusals):
    """Record the refusals."""
    try:
        yield
    except ZSLError as error:
        refusals.append(str(error))


def fit_and_score(method, X, y, S, X_test, candidates):
    more = {"unlabeled": X_test, "candidates": candidates} if method.card.transductive else {}
    with method_errors(method, *(A for A in (X, S, candidates) if isinstance(A, np.ndarray))):
        F = method.fit(X, y, S, **more).decision_function(X_test, candidates)
        return require_scores(F, method, (len(X_test), len(candidates)))


@pytest.mark.parametrize("name", ALL)
def test_numbers_that_are_not_finite_are_refused_at_first_reading(name):
    method, *arrays = ready(name)
    for place, bad in ((0, np.nan), (2, np.inf), (3, np.inf), (4, np.nan)):
        title = PLACES[place]
        changed = [np.array(array) for array in arrays]
        changed[place][1, 0] = bad
        with pytest.raises(DatasetError, match=rf"{title}: expected finite numbers; got {bad} in"):
            fit_and_score(method, *changed)


@pytest.mark.parametrize(("name", "scales"), in_turn([(1e-300, 3e38), (1e-38, 1e300)]))
def test_tiny_and_huge_numbers_give_finite_scores_or_a_refusal(name, scales):
    method, X, y, S, X_test, candidates = ready(name)
    for of_X, of_S in [pair for scale in scales for pair in ((scale, 1.0), (1.0, scale))]:
        refusals = []
        with warnings.catch_warnings(), record_refusals(refusals):
            warnings.simplefilter("ignore")
            F = fit_and_score(method, of_X * X, y, of_S * S, of_X * X_test, of_S * candidates)
            assert not np.isnan(F).any()
        for sentence in refusals:
            # The sentence names the method or its inductive form.
            assert sentence.split(": ")[0] in ALL
            assert ". " not in sentence


def test_a_view_refuses_nan_and_names_row_and_column():
    X = np.ones((4, 3), np.float32)
    X[2, 1] = np.nan
    view = FeatureView(X)
    assert view[:2].shape == (2, 3)
    with pytest.raises(DatasetError, match="got nan in row 2, column 1"):
        view[:]


def test_large_numbers_with_infinite_sum_are_finite():
    require_finite(np.full((3, 3), 1e308), "Features")


def test_other_errors_are_not_converted():
    with pytest.raises(ValueError, match="shapes"), method_errors(METHODS["ESZSL"]()):
        raise ValueError("shapes do not match")
    with (
        pytest.raises(DatasetError, match="ESZSL: expected .* singular"),
        method_errors(METHODS["ESZSL"]()),
    ):
        np.linalg.inv(np.zeros((2, 2)))


def mask_large_values(A):
    return np.ma.masked_greater(A, np.median(A))


def tensor(A):
    import torch

    return torch.as_tensor(A)


#: Inputs that are not numeric arrays, and part of the sentence on each.
NO_ARRAYS = {
    "sparse": (sparse.csr_matrix, "sparse data was passed.*toarray"),
    "sparse array": (sparse.csr_array, "sparse data was passed.*toarray"),
    "text": (lambda A: np.asarray(A).astype(str), "got <U"),
    "texts in a list": (lambda A: np.asarray(A).astype(str).tolist(), "got a list"),
    "complex": (lambda A: np.asarray(A) + 1j, "got complex128 values"),
    "masked": (mask_large_values, "masked values"),
    "tensor with gradients": (
        lambda A: tensor(A).double().requires_grad_(),
        "a Tensor: can't call .* requires grad",
    ),
    "bfloat16": (lambda A: tensor(A).bfloat16(), "a Tensor: .*BFloat16"),
    "none": (lambda A: None, "got a NoneType"),
    "ragged": (lambda A: [[1.0], [1.0, 2.0]], "got a list"),
    "days": (lambda A: np.zeros(np.shape(A), "datetime64[D]"), "datetime64"),
}


@pytest.mark.parametrize(
    ("name", "kind"), [*in_turn(NO_ARRAYS), *(("ESZSL", kind) for kind in NO_ARRAYS)]
)
def test_inputs_without_numbers_are_refused_in_one_sentence(name, kind):
    method, *arrays = ready(name)
    convert, sentence = NO_ARRAYS[kind]
    for place, item in enumerate(PLACES):
        if kind == "none" and place > 2 and method.card.transductive:
            continue  # another error reports a missing argument
        changed = list(arrays)
        changed[place] = convert(arrays[place])
        with pytest.raises(DatasetError, match=rf"{item}: expected .*{sentence}") as refused:
            fit_and_score(method, *changed)
        assert ". " not in str(refused.value)


#: The same numbers in another form.
FORMS = {
    "frame": pd.DataFrame,
    "list": lambda A: A.tolist(),
    "objects": lambda A: A.astype(object),
    "tensor": lambda A: tensor(A.copy()),
    "reversed in memory": lambda A: np.flip(np.flip(A).copy()),
    "other order of bytes": lambda A: A.astype(A.dtype.newbyteorder()),
    "nothing masked": np.ma.masked_array,
}


@pytest.mark.parametrize(("name", "form"), [*in_turn(FORMS), *(("ESZSL", form) for form in FORMS)])
def test_other_forms_of_the_same_numbers_give_the_same_scores(name, form):
    method, X, y, *further = ready(name)
    X, *further = (np.abs(A).astype(np.float64) for A in (X, *further))  # DSRL needs X >= 0
    expected = fit_and_score(method, X, y, *further)
    convert = FORMS[form]
    of_y = {"frame": pd.Series, "objects": np.asarray}.get(form, convert)
    got = fit_and_score(method, convert(X), of_y(y), *map(convert, further))
    assert type(got) is np.ndarray
    # Another memory order changes rounding and where solvers stop; a misread row or column
    # makes a larger difference.
    np.testing.assert_allclose(got, expected, rtol=0, atol=0.05 * np.abs(expected).max())


@pytest.mark.parametrize("form", ["frame", "list"])
@pytest.mark.parametrize("name", ALL)
def test_whole_grids_accept_other_forms_of_the_same_numbers(name, form):
    method, X, y, *further = ready(name)
    X, S, X_test, candidates = (np.abs(A).astype(np.float64) for A in (X, *further))
    convert = FORMS[form]
    grid = [{key: values[0]} for key, values in list(method.param_grid.items())[:1]] * 2 or [{}]
    expected = list(method.score_grid(X, y, S, grid, X_test, candidates))
    got = list(
        method.score_grid(convert(X), y, convert(S), grid, convert(X_test), convert(candidates))
    )
    np.testing.assert_allclose(got, expected, rtol=0, atol=0.05 * np.abs(expected).max())


def mapped(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.ones((5, 3), np.float32))
    return np.load(path, mmap_mode="r")


def test_arrays_and_row_readers_are_not_copied(tmp_path):
    shards = write_shards(tmp_path / "shards", [(np.ones((5, 3), np.float32), np.arange(5))])
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = np.ones((5, 3), np.float32)
        plain = np.ones((5, 3), np.float32)
        inputs = (plain, plain[::-1, ::2], mapped(tmp_path), FeatureView(plain), shards, file["X"])
        for A in inputs:
            assert as_array(A, "features") is A


def test_checking_a_large_matrix_does_not_copy_it():
    X, y, S = np.ones((1 << 16, 64), np.float32), np.zeros(1 << 16, int), np.eye(3)
    tracemalloc.start()
    as_array(X, "features")
    looked = tracemalloc.get_traced_memory()[1]
    METHODS["ESZSL"]()._check_training(X, y, S)
    checked = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert looked < 10_000
    assert checked < X.nbytes / 4


@pytest.mark.parametrize("name", ALL)
def test_data_without_features_or_attributes_or_of_one_image_are_scored_or_refused(name):
    method, X, y, S, X_test, candidates = ready(name)
    X, X_test = np.abs(X), np.abs(X_test)
    for arrays in (
        (X[:, :0], y, S, X_test[:, :0], candidates),
        (X, y, S[:, :0], X_test, candidates[:, :0]),
        (X[:0], y[:0], S, X_test, candidates),
    ):
        with pytest.raises(DatasetError, match="with n, d and a > 0; got"):
            fit_and_score(method, *arrays)
    refusals = []
    with record_refusals(refusals):
        F = fit_and_score(method, X[:1], y[:1], S, X_test, candidates)
        assert np.isfinite(F).all()


def test_scores_of_minus_infinity_for_every_candidate_are_refused():
    scores = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
    with pytest.raises(DatasetError, match="give NaN or inf"):
        require_scores(scores, ready("LinearS2V")[0], (2, 2))


def test_numbers_with_infinite_squares_are_refused_by_methods():
    method, X, y, S, _, _ = ready("ESZSL")
    with pytest.raises(DatasetError, match=r"expected features up to 1e\+150"):
        method.fit(1e300 * X.astype(float), y, S)


def test_too_many_classes_to_place_together_are_refused_before_allocation(monkeypatch):
    method, X, y, S, X_test, candidates = ready("BiDiLEL")
    method.fit(X, y, S)
    many = np.random.default_rng(0).normal(size=(200_000, S.shape[1]))
    sentence = "expected at most 23,170 classes to place together.*got 200,000"
    with pytest.raises(ZSLError, match=sentence):
        method.decision_function(X_test[:2], many)
    alone = ALL["BiDiLEL"](semi_supervised=False).fit(X, y, S)
    assert alone.decision_function(X_test[:2], many[:500]).shape == (2, 500)
    monkeypatch.setattr(
        bidilel, "MAX_DISTANCE_BYTES", 8 * len(candidates) * (len(S) + len(candidates))
    )
    assert np.isfinite(method.decision_function(X_test, candidates)).all()


def test_a_memory_error_is_reported_in_one_sentence():
    sentence = "ESZSL: expected .* fit into memory; got: unable to allocate"
    with pytest.raises(DatasetError, match=sentence), method_errors(METHODS["ESZSL"]()):
        np.empty((1 << 40, 1 << 12))
