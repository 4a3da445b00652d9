"""Laws of methods that are also fitted on unlabelled test images."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ParameterGrid

from tests.worlds import linear_world
from zslcore.evaluation.protocol import Problem, Setting, select
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Preprocessing
from zslcore.methods import TRANSDUCTIVE, get_method
from zslcore.methods.base import MethodCard
from zslcore.metrics import mean_class_accuracy

WORLD = linear_world(noise=0.2)
WORLD = replace(WORLD, features=WORLD.features - WORLD.features.min(axis=0))  # DSRL needs X >= 0
SPLIT = WORLD.splits["PS"]
TEST = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])
PROBLEM = Problem.of(WORLD, Preprocessing("l2", "l2"), SPLIT.trainval, TEST)
TOLERANCE = {"rtol": 1e-6, "atol": 1e-7}

pytestmark = pytest.mark.parametrize("method", TRANSDUCTIVE.values(), ids=TRANSDUCTIVE.keys())


def fit(model, **changes):
    arguments = {"unlabeled": PROBLEM.X_test, "candidates": PROBLEM.candidates} | changes
    return model.fit(PROBLEM.X, PROBLEM.y, PROBLEM.S, **arguments)


@pytest.fixture
def fitted(method):
    return fit(method())


@pytest.fixture
def scores(fitted):
    return fitted.decision_function(PROBLEM.X_test, PROBLEM.candidates)


def test_the_constructor_only_stores_parameters_and_fit_does_not_change_them(method):
    model = method()
    before = model.get_params()
    assert vars(model) == model.get_params(deep=False)
    assert fit(model) is model
    assert model.get_params() == before
    assert all(name.endswith("_") for name in set(vars(model)) - set(before))


def test_fit_without_test_images_names_the_missing_arguments(method):
    with pytest.raises(ParameterError, match="expected unlabeled= and candidates="):
        method().fit(PROBLEM.X, PROBLEM.y, PROBLEM.S)
    with pytest.raises(NotFittedError):
        method().predict(PROBLEM.X_test, PROBLEM.candidates)


def test_test_images_of_another_width_are_refused(method):
    with pytest.raises(DatasetError, match="unlabelled images of 20 features"):
        fit(method(), unlabeled=np.asarray(PROBLEM.X_test)[:, :-1])
    with pytest.raises(DatasetError, match="candidates of 6 attributes"):
        fit(method(), candidates=PROBLEM.candidates[:, :-1])
    with pytest.raises(DatasetError, match="got none"):
        fit(method(), unlabeled=np.empty((0, 20)))


def test_scores_are_one_finite_number_per_sample_and_class(scores):
    assert scores.shape == (len(TEST), WORLD.n_classes)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()


def test_scores_do_not_depend_on_the_batch(fitted, scores):
    single = fitted.decision_function(PROBLEM.X_test[3:4], PROBLEM.candidates)
    np.testing.assert_allclose(single, scores[3:4], **TOLERANCE)


def test_permuted_classes_permute_the_scores(fitted, scores):
    order = np.random.default_rng(0).permutation(WORLD.n_classes)
    reordered = fitted.decision_function(PROBLEM.X_test, PROBLEM.candidates[order])
    np.testing.assert_allclose(reordered, scores[:, order], **TOLERANCE)


def test_order_of_the_unlabelled_images_does_not_matter(method, scores):
    order = np.random.default_rng(0).permutation(len(TEST))
    model = fit(method(), unlabeled=PROBLEM.X_test.rows(order))
    again = model.decision_function(PROBLEM.X_test, PROBLEM.candidates)
    np.testing.assert_allclose(again, scores, **TOLERANCE)


def test_an_array_and_a_view_are_the_same(method, scores):
    model = fit(method(), unlabeled=np.asarray(PROBLEM.X_test))
    plain = model.decision_function(np.asarray(PROBLEM.X_test), PROBLEM.candidates)
    np.testing.assert_allclose(plain, scores, **TOLERANCE)


def test_a_grid_equals_separate_fits_at_its_points(method):
    grid = list(ParameterGrid({name: v[:2] for name, v in method.param_grid.items()}))
    for params, fast in zip(grid, PROBLEM.sweep(method(), grid), strict=True):
        slow = fit(clone(method()).set_params(**params))
        slow = slow.decision_function(PROBLEM.X_test, PROBLEM.candidates)
        np.testing.assert_allclose(fast, slow, **TOLERANCE)


def test_an_invalid_point_of_a_grid_is_refused(method):
    name = next(iter(method.param_grid))
    with pytest.raises(ParameterError, match=f"{name} must be"):
        list(PROBLEM.sweep(method(), [{}, {name: "nonsense"}]))


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_protocol_scores_the_unlabelled_images(method, task):
    scored = Setting(WORLD, SPLIT).transduce(method(), task)
    F, y = scored.unseen_part
    assert scored.generalized == (task == "gzsl")
    assert F.shape == (len(SPLIT.test_unseen), 4)
    assert mean_class_accuracy(y, F.argmax(axis=1)) > 0.5  # 0.5 is twice the accuracy of chance


def test_protocol_chooses_parameters_on_folds(method):
    chosen = select(method(), WORLD, SPLIT, task="zsl")
    assert set(chosen.params) == set(method.param_grid)


def test_transductive_methods_are_not_listed_as_inductive(method):
    with pytest.raises(Exception, match="Unknown method"):
        get_method(method.card.name)


def test_card_and_docstring_name_the_paper(method):
    assert isinstance(method.card, MethodCard)
    assert method.card.transductive
    assert "References" in method.__doc__
    assert ".. math::" in method.__doc__
    assert "unlabelled test images" in method.card.requires
