"""Numbers that nothing can be computed with are one sentence, from every method."""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.exceptions import DatasetError, ZSLError
from zslcore.features import FeatureView, Preprocessing
from zslcore.finite import require_finite, told_in_a_sentence
from zslcore.methods import METHODS, TRANSDUCTIVE
from zslcore.protocol import Problem

ALL = {**METHODS, **TRANSDUCTIVE}
WORLD = linear_world()
SPLIT = next(iter(WORLD.splits.values()))


def ready(name):
    """A method that takes no longer than it must, and what it is fitted on."""
    method = ALL[name]()
    known = method.get_params()
    quick = {"n_epochs": 2, "epochs": 2, "max_iter": 5}
    method.set_params(**{key: value for key, value in quick.items() if key in known})
    plain = Preprocessing("none", "none")
    problem = Problem.of_test(WORLD, SPLIT, plain)
    joint = method.card.joint_space
    S, candidates = problem.S, problem.candidates
    X, X_test = np.asarray(problem.X), np.asarray(problem.X_test)
    if joint:
        X, X_test = X[:, : S.shape[1]], X_test[:, : S.shape[1]]
    return method, X, problem.y, S, X_test, candidates


@contextmanager
def told(refusals):
    """Take note of what is refused."""
    try:
        yield
    except ZSLError as error:
        refusals.append(str(error))


def scored(method, X, y, S, X_test, candidates):
    more = {"unlabeled": X_test, "candidates": candidates} if method.card.transductive else {}
    return method.fit(X, y, S, **more).decision_function(X_test, candidates)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ALL)
def test_what_is_not_finite_is_refused_when_it_is_first_read(name, bad):
    method, *arrays = ready(name)
    for place, what in ((0, "features"), (2, "prototypes"), (3, "features"), (4, "prototypes")):
        changed = [np.array(array) for array in arrays]
        changed[place][1, 0] = bad
        with pytest.raises(DatasetError, match=rf"{what}: expected finite numbers, got {bad} in"):
            scored(method, *changed)


@pytest.mark.parametrize("scale", [1e-300, 1e-38, 3e38, 1e300])
@pytest.mark.parametrize("name", ALL)
def test_tiny_and_huge_numbers_give_finite_scores_or_one_sentence(name, scale):
    method, X, y, S, X_test, candidates = ready(name)
    for of_X, of_S in ((scale, 1.0), (1.0, scale)):
        refusals = []
        with warnings.catch_warnings(), told(refusals):
            warnings.simplefilter("ignore")
            F = scored(method, of_X * X, y, of_S * S, of_X * X_test, of_S * candidates)
            assert not np.isnan(F).any()
        for sentence in refusals:
            assert sentence.split(": ")[0] in ALL  # the method, or the one it grows out of
            assert ". " not in sentence


def test_a_view_looks_at_what_it_reads_and_names_the_place():
    X = np.ones((4, 3), np.float32)
    X[2, 1] = np.nan
    view = FeatureView(X)
    assert view[:2].shape == (2, 3)
    with pytest.raises(DatasetError, match="got nan in row 2, column 1"):
        view[:]


def test_large_numbers_whose_sum_is_none_are_finite():
    require_finite(np.full((3, 3), 1e308), "Features")


def test_other_errors_stay_what_they_are():
    with pytest.raises(ValueError, match="shapes"), told_in_a_sentence("X"):
        raise ValueError("shapes do not match")
    with pytest.raises(DatasetError, match="X: expected .* singular"), told_in_a_sentence("X"):
        np.linalg.inv(np.zeros((2, 2)))
