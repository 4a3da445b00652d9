"""Ranks counted without a score matrix equal those of the score matrix."""

import numpy as np
import pytest

from tests.large.shards_of import arrays_of, written
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError
from zslcore.features import FeatureView
from zslcore.large import ranks
from zslcore.large.engine import Engine
from zslcore.large.ranks import KS, Atoms, count_ranks
from zslcore.methods.score_map import ScoreMap, linear
from zslcore.metrics import seen_unseen_curve, top_k_accuracy

N, C, D, A = 600, 90, 16, 7
SEEN = np.arange(C) % 3 == 0
#: Overlapping sets, nested and not; one also contains two seen classes.
SETS = {
    "near": np.flatnonzero(~SEEN)[:20],
    "far": np.flatnonzero(~SEEN)[:45],
    "most": np.flatnonzero(~SEEN)[10:30],
    "all": ~SEEN,
    "odd": np.array([80, 2, 0, 3, 44]),
}
HERE = Engine(workers=1)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(ranks, "BLOCK_VALUES", 37 * C)


def world(dtype, ties):
    """Features, labels and a score map; with ``ties``, small whole numbers with exact sums."""
    rng = np.random.default_rng(3)
    if ties:
        X, V, S = (rng.integers(-1, 2, size=s).astype(float) for s in ((N, D), (D, A), (C, A)))
        S[40:44] = S[10]
    else:
        X, V, S = (rng.normal(size=s) for s in ((N, D), (D, A), (C, A)))
    y = rng.integers(C, size=N)
    y[y == 17] = 18  # a class without images
    return X.astype(np.float32), y, ScoreMap(linear, (V,), S).astype(dtype)


def dense(F, y, candidates):
    """Scores of the images of ``candidates`` for these classes, and their columns."""
    rows = np.isin(y, candidates)
    return F[np.ix_(rows, candidates)], np.searchsorted(candidates, y[rows])


def check(counts, F, y):
    for name, members in SETS.items():
        inside = np.sort(np.flatnonzero(members) if members.dtype == bool else members)
        both = np.union1d(inside, np.flatnonzero(SEEN))
        for k in KS:
            for average in ("class", "sample"):
                ours = counts.accuracy(name, k, average=average)
                unseen = inside[~SEEN[inside]]
                rows = np.isin(y, unseen)
                columns = np.searchsorted(inside, y[rows])
                plain = top_k_accuracy(F[np.ix_(rows, inside)], columns, k, average=average)
                assert ours == pytest.approx(plain, abs=1e-14), (name, k)
                for side, wanted in (("unseen", unseen), ("seen", np.flatnonzero(SEEN))):
                    rows = np.isin(y, wanted)
                    columns = np.searchsorted(both, y[rows])
                    plain = top_k_accuracy(F[np.ix_(rows, both)], columns, k, average=average)
                    ours = counts.accuracy(name, k, task="gzsl", side=side, average=average)
                    assert ours == pytest.approx(plain, abs=1e-14), (name, k, side)
        part, columns = dense(F, y, both)
        for average in ("class", "sample"):
            ours = counts.curve(name, average=average)
            plain = seen_unseen_curve(part, columns, SEEN[both], average=average)
            for field in ("gamma", "seen", "unseen"):
                np.testing.assert_array_equal(getattr(ours, field), getattr(plain, field))
            assert ours.ausuc == plain.ausuc


@pytest.mark.parametrize("ties", [False, True], ids=["reals", "ties"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counts_and_curves_are_those_of_the_dense_scores(dtype, ties):
    X, y, scorer = world(dtype, ties)
    blocks = [scorer.scores(X[k : k + 37].astype(float)) for k in range(0, N, 37)]
    F = np.concatenate(blocks)
    assert F.dtype == dtype
    if ties:  # the test needs many ties
        assert np.mean([len(np.unique(row)) < C // 2 for row in F]) > 0.5
        np.testing.assert_array_equal(F, scorer.scores(X))
    check(count_ranks(X, y, scorer, SETS, SEEN, engine=HERE), F, y)


def test_every_rank_is_counted(monkeypatch):
    X, y, scorer = world(np.float64, True)
    F = scorer.scores(X)
    t = F[np.arange(N), y][:, None]
    rank = ((t < F) | ((t == F) & (np.arange(C) < y[:, None]))).sum(axis=1)
    every = {"every": np.ones(C, bool)}
    counts = count_ranks(X, y, scorer, every, np.zeros(C, bool), ks=range(1, C + 1), engine=HERE)
    for k in range(1, C + 1):
        classes, accuracy = counts.per_class("every", k)
        plain = [np.mean(rank[y == c] < k) for c in classes]
        np.testing.assert_allclose(accuracy, plain, rtol=0, atol=1e-15)


def test_predictions_are_the_first_best_class_of_each_side():
    X, y, scorer = world(np.float64, True)
    F = scorer.scores(X)
    images = count_ranks(X, y, scorer, SETS, SEEN, curves=["near"], engine=HERE).images
    near = SETS["near"]
    np.testing.assert_array_equal(images.best_class[:, 0], near[F[:, near].argmax(axis=1)])
    seen = np.flatnonzero(SEEN)
    np.testing.assert_array_equal(images.best_seen_class, seen[F[:, seen].argmax(axis=1)])
    np.testing.assert_array_equal(images.y, y)
    np.testing.assert_array_equal(images.rows, np.arange(N))


@pytest.mark.parametrize("scaled", [False, True])
def test_shards_a_view_and_an_array_give_the_same(tmp_path, scaled):
    X, y, scorer = world(np.float64, False)
    shards = written(tmp_path / "set", X, y)
    test = np.random.default_rng(0).permutation(N)[:400]
    plain = FeatureView(X, test, unit=scaled)
    whole = count_ranks(plain, y[test], scorer, SETS, SEEN, engine=HERE)
    view = FeatureView(shards, test, unit=scaled)
    parts = count_ranks(view, y[test], scorer, SETS, SEEN, engine=HERE)
    assert len(ranks.chunks_of(view)) == 5
    same(parts, whole, rtol=1e-12)  # BLAS rounds rows differently in blocks of another size


def same(first, other, rtol=0.0):
    for name, array in arrays_of(first).items():
        if array.dtype.kind == "f" and rtol:
            np.testing.assert_allclose(array, arrays_of(other)[name], rtol, err_msg=name)
        else:
            np.testing.assert_array_equal(array, arrays_of(other)[name], name)


def test_images_in_no_test_set_are_left_out():
    X, y, scorer = world(np.float64, False)
    near = {"near": SETS["near"]}
    counts = count_ranks(X, y, scorer, near, SEEN, engine=HERE)
    used = np.isin(y, SETS["near"]) | SEEN[y]
    assert len(counts.images.y) == counts.totals.sum() == used.sum() < N
    np.testing.assert_array_equal(counts.images.rows, np.flatnonzero(used))


def test_a_function_may_score_and_exclude_a_class():
    X, y, scorer = world(np.float64, False)

    def ruled_out(block):
        F = scorer.scores(block)
        F[:, [3, 4]] = -np.inf
        return F

    check(count_ranks(X, y, ruled_out, SETS, SEEN, engine=HERE), ruled_out(X.astype(float)), y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_nan_score_is_refused(bad):
    X, y, scorer = world(np.float64, False)

    def broken(block):
        F = scorer.scores(block)
        F[3, 50] = bad
        return F

    with pytest.raises(DatasetError, match="Scores must be numbers, or minus infinity"):
        count_ranks(X, y, broken, SETS, SEEN, engine=HERE)


def test_an_atom_is_the_classes_in_the_same_sets():
    atoms = Atoms.of(SETS, SEEN)
    for name, members in SETS.items():
        mask = np.zeros(C, bool)
        mask[members] = True
        i = atoms.names.index(name)
        np.testing.assert_array_equal(atoms.in_set[i][atoms.of_class], mask)
    np.testing.assert_array_equal(atoms.seen[atoms.of_class], SEEN)
    together = np.vstack([atoms.in_set, atoms.seen])
    assert len(np.unique(together, axis=1).T) == atoms.n_atoms


def test_the_nine_sets_are_unions_of_21_atoms_besides_the_seen_classes(shared):
    from scipy.io import loadmat

    file = loadmat(shared / "data/imagenet/paper_splits.mat", squeeze_me=True)
    sizes = {"hops2": 1509, "hops3": 7678, "mp500": 500, "lp5000": 5000, "all": 20345}
    names = ["hops2", "hops3", *(f"{p}p{n}" for p in "ml" for n in (500, 1000, 5000)), "all"]
    sets = {name: file[name].ravel().astype(int) - 1 for name in names}
    assert {name: len(sets[name]) for name in sizes} == sizes
    trained = file["trainval_classes"].ravel().astype(int) - 1
    seen = np.zeros(1 + max(members.max() for members in (trained, *sets.values())), bool)
    seen[trained] = True
    atoms = Atoms.of(sets, seen)
    assert atoms.n_atoms == 22
    assert atoms.seen.sum() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sets": {}}, "at least one"),
        ({"sets": {"a": np.array([90])}}, r"Candidate set 'a': expected candidate numbers 0\.\.89"),
        ({"sets": {"a": np.array([0.5])}}, r"got \(1,\) of float64"),
        ({"sets": {"a": np.zeros(C, bool)}}, "at least one; got"),
        ({"sets": {"a": np.zeros(3, bool)}}, r"got \(3,\) of bool"),
        ({"seen": np.arange(C)}, "one bool per candidate"),
        ({"y": np.full(N, C)}, r"0\.\.89, for 600 rows"),
        ({"y": np.zeros(3, int)}, r"got \(3,\) of int64"),
        ({"ks": ()}, "whole numbers of at least 1"),
        ({"ks": (1, 0)}, "whole numbers of at least 1"),
        ({"sets": {"a": np.array([1])}, "y": np.full(N, 2)}, "No image belongs to a class"),
    ],
)
def test_invalid_sets_and_ranks_are_refused_in_one_sentence(change, message):
    X, y, scorer = world(np.float64, False)
    arguments = {"y": y, "sets": SETS, "seen": SEEN, "ks": KS} | change
    with pytest.raises((ParameterError, DatasetError), match=message):
        count_ranks(
            X,
            arguments["y"],
            scorer,
            arguments["sets"],
            arguments["seen"],
            ks=arguments["ks"],
            engine=HERE,
        )


def test_a_misspelt_set_name_gets_the_nearest():
    X, y, scorer = world(np.float64, False)
    counts = count_ranks(X, y, scorer, SETS, SEEN, curves=["all"], engine=HERE)
    with pytest.raises(UnknownNameError, match="did you mean 'near'"):
        counts.accuracy("neer")
    with pytest.raises(UnknownNameError, match="'all'"):
        counts.curve("al")
    with pytest.raises(ParameterError, match="k of 1, 2, 5, 10, 20"):
        counts.accuracy("near", 3)
    with pytest.raises(ParameterError, match="average must be"):
        counts.accuracy("near", average="row")
    with pytest.raises(UnknownNameError, match="did you mean 'near'"):
        count_ranks(X, y, scorer, SETS, SEEN, curves=["neer"], engine=HERE)
