"""Laws of methods that are also fitted on unlabelled test images."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from tests.worlds import linear_world
from zslcore.evaluation.contract import CONTRACT, MethodUnderTest
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
UNLABELED = {"unlabeled": PROBLEM.X_test, "candidates": PROBLEM.candidates}

pytestmark = pytest.mark.parametrize("method", TRANSDUCTIVE.values(), ids=TRANSDUCTIVE.keys())


class Case(MethodUnderTest):
    """A transductive method, fitted on the test images of :data:`PROBLEM` unless stated."""

    problem = PROBLEM

    def __init__(self, method):
        class Bound(method):
            def fit(self, X, y, prototypes, **changes):
                return super().fit(X, y, prototypes, **UNLABELED | changes)

        super().__init__(Bound)


def fit(method, **changes):
    return method().fit(PROBLEM.X, PROBLEM.y, PROBLEM.S, **UNLABELED | changes)


@cache
def case_of(method):
    return Case(method)


@pytest.mark.parametrize("law", CONTRACT, ids=lambda law: law.name)
def test_law(method, law):
    law.check(case_of(method))


def test_fit_without_test_images_names_the_missing_arguments(method):
    with pytest.raises(ParameterError, match="expected unlabeled= and candidates="):
        method().fit(PROBLEM.X, PROBLEM.y, PROBLEM.S)
    with pytest.raises(NotFittedError):
        method().predict(PROBLEM.X_test, PROBLEM.candidates)


def test_test_images_of_another_width_are_refused(method):
    with pytest.raises(DatasetError, match="unlabelled images of 20 features"):
        fit(method, unlabeled=np.asarray(PROBLEM.X_test)[:, :-1])
    with pytest.raises(DatasetError, match="candidates of 6 attributes"):
        fit(method, candidates=PROBLEM.candidates[:, :-1])
    with pytest.raises(DatasetError, match="got none"):
        fit(method, unlabeled=np.empty((0, 20)))


def test_order_and_form_of_the_unlabelled_images_do_not_matter(method):
    order = np.random.default_rng(0).permutation(len(TEST))
    for unlabeled in (PROBLEM.X_test.rows(order), np.asarray(PROBLEM.X_test)):
        model = fit(method, unlabeled=unlabeled)
        again = model.decision_function(PROBLEM.X_test, PROBLEM.candidates)
        np.testing.assert_allclose(again, case_of(method).scores, rtol=1e-6, atol=1e-7)


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
