"""Laws that hold for every zero-shot method, whatever its mathematics."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ParameterGrid

from tests.worlds import linear_world
from zslcore.evaluation.protocol import Problem, ScoredTest
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureView, Preprocessing
from zslcore.methods import METHODS
from zslcore.methods.base import MethodCard
from zslcore.metrics import mean_class_accuracy


def problem_of(world):
    split = world.splits["PS"]
    test = np.concatenate([split.test_seen, split.test_unseen])
    return Problem.of(world, Preprocessing("l2", "l2"), split.trainval, test)


PROBLEM = problem_of(linear_world())
#: Image-text encoders put features and prototypes into one space; a method that learns nothing
#: can only be asked to recognise classes there.
JOINT_PROBLEM = problem_of(linear_world(n_features=6, noise=0.1, joint=True))
TOLERANCE = {"rtol": 1e-6, "atol": 1e-9}

pytestmark = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


@pytest.fixture
def problem(method):
    return JOINT_PROBLEM if method.card.joint_space else PROBLEM


def exact(method, **params):
    """Methods that iterate agree with themselves to their ``tol``: ask for more than laws see."""
    tight = {"tol": 1e-10} if "tol" in inspect.signature(method).parameters else {}
    return method(**tight, **params)


@pytest.fixture
def fitted(method, problem):
    return exact(method).fit(problem.X, problem.y, problem.S)


@pytest.fixture
def scores(fitted, problem):
    return fitted.decision_function(problem.X_test, problem.candidates)


def test_constructor_only_stores_its_arguments(method):
    model = method()
    assert vars(model) == model.get_params(deep=False)
    assert clone(model).get_params() == model.get_params()


def test_fit_returns_itself_and_leaves_its_parameters_alone(method, problem):
    model = method()
    before = model.get_params()
    assert model.fit(problem.X, problem.y, problem.S) is model
    assert model.get_params() == before
    assert all(name.endswith("_") for name in set(vars(model)) - set(before))


def test_scoring_before_fitting_says_so(method, problem):
    with pytest.raises(NotFittedError):
        method().predict(problem.X_test, problem.candidates)


def test_scores_are_one_finite_number_per_sample_and_class(scores, problem):
    assert scores.shape == (len(problem.X_test), len(problem.candidates))
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()


def test_prediction_is_the_highest_score(scores, fitted, problem):
    predicted = fitted.predict(problem.X_test, problem.candidates)
    np.testing.assert_array_equal(predicted, scores.argmax(axis=1))


def test_scores_follow_the_classes_when_these_are_reordered(scores, fitted, problem):
    order = np.random.default_rng(0).permutation(len(problem.candidates))
    reordered = fitted.decision_function(problem.X_test, problem.candidates[order])
    np.testing.assert_allclose(reordered, scores[:, order], **TOLERANCE)


def test_score_of_a_class_does_not_depend_on_the_other_candidates(scores, fitted, problem):
    some = [1, 5, 9]
    alone = fitted.decision_function(problem.X_test, problem.candidates[some])
    if fitted.card.company:  # the card says why the law does not hold: then it must not
        assert not np.allclose(alone, scores[:, some], **TOLERANCE)
        some = some[:2]  # seen ones
        alone = fitted.decision_function(problem.X_test, problem.candidates[some])
    np.testing.assert_allclose(alone, scores[:, some], **TOLERANCE)


def test_unseen_classes_have_the_same_scores_among_themselves_and_among_all(
    scores, fitted, problem
):
    among_unseen = fitted.decision_function(problem.X_test, problem.candidates[~problem.seen])
    np.testing.assert_allclose(among_unseen, scores[:, ~problem.seen], **TOLERANCE)


def test_scores_of_a_sample_do_not_depend_on_its_batch(scores, fitted, problem):
    one = fitted.decision_function(problem.X_test[:1], problem.candidates)
    np.testing.assert_allclose(one, scores[:1], **TOLERANCE)


def test_fitting_twice_gives_the_same_scores(method, scores, problem):
    model = exact(method).fit(problem.X, problem.y, problem.S)
    again = model.decision_function(problem.X_test, problem.candidates)
    np.testing.assert_array_equal(again, scores)


def test_names_of_the_seen_classes_do_not_matter(method, scores, problem):
    order = np.random.default_rng(1).permutation(len(problem.S))
    y = np.argsort(order)[problem.y]
    model = exact(method).fit(problem.X, y, problem.S[order])
    renamed = model.decision_function(problem.X_test, problem.candidates)
    np.testing.assert_allclose(renamed, scores, rtol=1e-4, atol=1e-6)


def test_an_array_and_a_view_of_it_are_the_same_to_a_method(method, scores, problem):
    model = exact(method).fit(np.asarray(problem.X), problem.y, problem.S)
    plain = model.decision_function(np.asarray(problem.X_test), problem.candidates)
    assert isinstance(problem.X, FeatureView)
    np.testing.assert_allclose(plain, scores, **TOLERANCE)


def test_a_grid_gives_what_its_points_give_one_by_one(method, problem):
    # A line search compares values of the objective, which tell its minimiser to half their digits.
    slack = 1e-6 if "tol" in method().get_params() else 1e-8
    grid = list(ParameterGrid({name: v[:2] for name, v in method.param_grid.items()}))
    for params, fast in zip(grid, problem.sweep(exact(method), grid), strict=True):
        slow = problem.scores_of(exact(method, **params).fit(problem.X, problem.y, problem.S))
        np.testing.assert_allclose(fast, slow, rtol=1e-6, atol=slack * np.abs(slow).max())


def test_a_point_of_a_grid_that_makes_no_sense_is_refused(method, problem):
    name = next(iter(method.param_grid or method().get_params()))
    grid = [{}, {name: "nonsense"}]
    with pytest.raises(ParameterError, match=f"{name} must be"):
        list(problem.sweep(method(), grid))


def test_unseen_classes_are_recognised_in_a_linear_world(scores, problem):
    F, y = ScoredTest(scores, problem.y_test, problem.classes, problem.seen).unseen_part
    assert mean_class_accuracy(y, F.argmax(axis=1)) > 2 / F.shape[1]  # twice chance


def test_penalising_seen_classes_never_lowers_unseen_accuracy(scores, problem):
    curve = ScoredTest(scores, problem.y_test, problem.classes, problem.seen).curve
    unseen = curve.at(np.array([0, 0.01, 0.1, 1.0, 100.0])).unseen
    assert (np.diff(unseen) >= 0).all()


def test_training_that_does_not_fit_together_is_refused(method, problem):
    with pytest.raises(DatasetError, match=method.card.name.replace("*", r"\*")):
        method().fit(problem.X, problem.y[:-1], problem.S)
    with pytest.raises(DatasetError, match="rows of prototypes"):
        method().fit(problem.X, problem.y + 100, problem.S)


def test_candidates_of_another_width_are_refused(fitted, problem):
    with pytest.raises(DatasetError, match="fitted on"):
        fitted.decision_function(problem.X_test, problem.candidates[:, :-1])


def test_card_and_docstring_name_the_paper(method):
    assert isinstance(method.card, MethodCard)
    assert "References" in method.__doc__
    assert ".. math::" in method.__doc__
    assert method.card.url.startswith("https://")
    assert all((method.card.title, method.card.authors, method.card.idea, method.card.formula))
    assert 1990 < method.card.year < 2100


def test_grid_names_parameters_and_holds_several_values(method):
    assert set(method.param_grid) <= set(inspect.signature(method).parameters)
    assert all(len(set(values)) > 1 for values in method.param_grid.values())


def test_stochastic_methods_take_a_seed_and_only_they(method):
    assert ("random_state" in method().get_params()) == method.card.stochastic
