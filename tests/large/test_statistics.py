"""Statistics add up: parts, folds and whole grids come from one pass over the rows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from tests.large.shards_of import rows, written
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureView
from zslcore.large import statistics
from zslcore.large.engine import Engine
from zslcore.large.statistics import FullStatistics, Groups, gather
from zslcore.methods import METHODS, get_method
from zslcore.methods.statistics import ClassStatistics, GramStatistics, MomentStatistics

X, Y = rows()
X += 50  # far from zero: sums of squares would cancel
C = 12
HERE = Engine(workers=1)
CLOSED = [name for name, method in METHODS.items() if method.statistics]
KINDS = (ClassStatistics, GramStatistics, MomentStatistics, FullStatistics)
FIELDS = ("counts", "sums", "scatter", "gram")
S = np.random.default_rng(5).random((C, 16))


def same(ours, plain, rtol=1e-12):
    for name in FIELDS:
        wanted = getattr(plain, name)
        np.testing.assert_allclose(
            getattr(ours, name), wanted, rtol=0, atol=rtol * np.abs(wanted).max(), err_msg=name
        )


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return written(tmp_path_factory.mktemp("statistics") / "set", X, Y)


def test_they_are_what_they_say(monkeypatch):
    monkeypatch.setattr(statistics, "BLOCK_BYTES", 64 * 16 * 8)
    found = FullStatistics.of(FeatureView(X), Y, C + 1)
    np.testing.assert_array_equal(found.counts, np.bincount(Y, minlength=C + 1))
    A = X.astype(np.float64)
    np.testing.assert_allclose(found.gram, A.T @ A, rtol=1e-13)
    for c in range(C):
        np.testing.assert_allclose(found.means[c], A[c == Y].mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(found.variances[c], A[c == Y].var(axis=0), rtol=1e-11)
    assert not found.means[C].any()


@pytest.mark.parametrize(
    "kind", [ClassStatistics, GramStatistics, MomentStatistics, FullStatistics]
)
def test_merged_statistics_are_those_of_the_whole(kind):
    whole = kind.of(FeatureView(X), Y, C)
    cuts = np.array_split(np.random.default_rng(0).permutation(len(X)), [1, 3, 200, 499])
    merged = [kind.of(FeatureView(X, part), Y[part], C) for part in cuts]
    for order in (range(5), (3, 0, 4, 2, 1)):
        total = merged[order[0]]
        for k in order[1:]:
            total = total + merged[k]
        assert isinstance(total, kind)
        for name in set(FIELDS) & set(dir(whole)):
            wanted = getattr(whole, name)
            scale = np.abs(wanted).max()
            np.testing.assert_allclose(getattr(total, name), wanted, rtol=0, atol=1e-12 * scale)


def test_every_training_set_comes_from_one_pass(shards, monkeypatch):
    sets = [
        np.flatnonzero(Y < 8),
        np.flatnonzero(Y > 3)[::-1],
        np.arange(0, 500, 3),
        np.arange(500),
    ]
    read = []
    monkeypatch.setattr(
        FeatureView,
        "__getitem__",
        lambda view, key, get=FeatureView.__getitem__: (
            read.append(block := get(view, key)) or block
        ),
    )
    found = gather(shards, Y, C, sets, engine=HERE)
    assert sum(map(len, read)) == len(X)
    monkeypatch.undo()
    for rows_of_set, ours in zip(sets, found, strict=True):
        same(ours, FullStatistics.of(FeatureView(X, rows_of_set), Y[rows_of_set], C))


def test_rows_of_no_training_set_are_not_read(tmp_path):
    few = written(tmp_path / "set", X, Y)
    few.parts()[1].path.unlink()
    some = np.r_[0:120, 300:350]
    (ours,) = gather(few, Y, C, [some], engine=HERE)
    same(ours, FullStatistics.of(FeatureView(X, some), Y[some], C))


def test_any_order_of_shards_gives_the_same_figures(tmp_path, shards):
    (one,) = gather(shards, Y, C, engine=HERE)
    order = np.r_[360:480, 0:120, 240:360, 120:240, 480:500]
    other = written(tmp_path / "other", X[order], Y[order])
    (two,) = gather(other, Y[order], C, engine=HERE)
    for name in FIELDS:  # to the last digit: parts are merged in the order of their content
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_scaling_is_that_of_the_view(shards):
    view = FeatureView(shards, unit=True)
    (ours,) = gather(view, Y, C, engine=HERE)
    same(ours, FullStatistics.of(FeatureView(X, unit=True), Y, C))


def test_single_precision_is_near(shards):
    view = FeatureView(shards, unit=True)
    (single,) = gather(view, Y, C, products="single", engine=HERE)
    (double,) = gather(view, Y, C, engine=HERE)
    difference = np.abs(single.gram - double.gram).max() / np.abs(double.gram).max()
    assert 0 < difference < 1e-6


def test_what_is_kept_is_what_was_gathered():
    sets = FullStatistics.of(FeatureView(X), Y, C + 3)
    back = Groups.of_arrays(Groups({5: sets}).arrays()).of[5]
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(back, name), getattr(sets, name))


@pytest.mark.parametrize("name", CLOSED)
def test_a_whole_grid_from_statistics_is_the_grid_fitted_to_rows(name):
    A = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = FullStatistics.of(FeatureView(A), Y, C)
    before = {field: getattr(found, field).copy() for field in FIELDS}
    grid = list(ParameterGrid(dict(METHODS[name].param_grid)))
    model = get_method(name)()
    fits = list(model.fit_statistics(found, S, grid))
    assert len(fits) == len(grid)
    for params, ours in zip(
        grid[:: max(1, len(grid) // 5)], fits[:: max(1, len(grid) // 5)], strict=True
    ):
        plain = clone(model).set_params(**params).fit(A, Y, S)
        assert ours.get_params() == plain.get_params()
        F, G = (fitted.decision_function(A[:50], S) for fitted in (ours, plain))
        np.testing.assert_allclose(F, G, rtol=0, atol=1e-7 * np.abs(G).max())
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(found, field), before[field])


def test_the_six_methods_of_sums_are_those():
    six = {"LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL", "PrototypeCosine"}
    assert set(CLOSED) == six


def test_a_method_of_rows_says_so():
    found = FullStatistics.of(FeatureView(X), Y, C)
    with pytest.raises(ParameterError, match="ALE: is fitted to the rows themselves"):
        list(get_method("ALE")().fit_statistics(found, S))
    with pytest.raises(DatasetError, match="ESZSL: expected statistics with their gram"):
        list(get_method("ESZSL")().fit_statistics(ClassStatistics.of(FeatureView(X), Y, C), S))
    with pytest.raises(DatasetError, match=r"12 classes and prototypes \(11, 16\)"):
        list(get_method("ESZSL")().fit_statistics(found, S[:-1]))
    with pytest.raises(ParameterError, match="lam must be a positive number"):
        next(get_method("SAE")().fit_statistics(found, S, [{}, {"lam": -1}]))


def test_no_class_is_dropped_that_has_samples():
    found = FullStatistics.of(FeatureView(X), Y, C + 2)
    own = found.of_classes(np.arange(C))
    np.testing.assert_array_equal(own.counts, found.counts[:C])
    with pytest.raises(DatasetError, match="class 0 has"):
        found.of_classes(np.arange(1, C))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"y": Y[:-1]}, r"for 500 rows; got \(499,\)"),
        ({"y": Y + 1}, r"0\.\.11, for 500 rows"),
        ({"training": []}, "1 to 62 training sets; got 0"),
        ({"training": [np.array([500])]}, r"Training set 0: expected row numbers, 0\.\.499"),
        ({"training": [np.arange(3), np.array([], int)]}, "Training set 1"),
        ({"products": "half"}, "'double' or 'single'"),
    ],
)
def test_bad_input_gets_a_sentence(change, said):
    given = {"y": Y, "training": None, "products": "double"} | change
    with pytest.raises((DatasetError, ParameterError), match=said):
        gather(X, given["y"], C, given["training"], products=given["products"], engine=HERE)
