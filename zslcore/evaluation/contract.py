"""Checks of the contract of a method, on small simulated data that take milliseconds to fit.

A check is a function of a :class:`MethodUnderTest`; the first line of its docstring states the law,
and it raises a :class:`ContractError` if the method breaks it. The tests run all checks on every
method of the package; ``zslcore check-method`` runs them on a plugin.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ParameterGrid

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import Problem
from zslcore.exceptions import DatasetError, ParameterError, ZSLError
from zslcore.features import Preprocessing
from zslcore.methods.base import MethodCard, ZSLEstimator
from zslcore.methods.calls import failure, source_files
from zslcore.metrics import mean_class_accuracy
from zslcore.numbers import percent


def linear_world(
    n_seen: int = 8,
    n_unseen: int = 4,
    n_per_class: int = 12,
    n_features: int = 20,
    n_attributes: int = 6,
    noise: float = 0.3,
    seed: int = 0,
    joint: bool = False,
) -> ZSLDataset:
    """Simulate classes with mean features linear in their prototypes, plus noise.

    The last ``n_unseen`` classes are unseen; each of two folds holds out two seen classes. With
    ``joint``, features scatter around the prototypes, in the same space.
    """
    rng = np.random.default_rng(seed)
    n_classes = n_seen + n_unseen
    S = rng.random((n_classes, n_attributes))
    W = rng.normal(size=(n_attributes, n_features))
    y = np.repeat(np.arange(n_classes), n_per_class)
    if joint:
        W = np.eye(n_attributes, n_features)
    X = S[y] @ W + noise * rng.normal(size=(len(y), n_features))
    order = rng.permutation(len(y))
    split = Split.from_classes(
        "PS", y[order], unseen=np.arange(n_seen, n_classes), folds=[[0, 1], [2, 3]]
    )
    return ZSLDataset(
        name="linear world",
        features=X[order].astype(np.float32),
        labels=y[order],
        prototypes=S,
        class_names=tuple(f"class {c}" for c in range(n_classes)),
        splits={"PS": split},
        source="made for tests",
        simulated=True,
    )


#: Tolerances for scores that are equal up to rounding.
RTOL, ATOL = 1e-6, 1e-9


class ContractError(ZSLError):
    """A broken law of the contract, with the expected and the actual value."""


@cache
def _problem(*, joint: bool) -> Problem:
    """Return a problem of eight seen and four unseen classes, with twenty features.

    With ``joint``, the six features and the prototypes lie in one space, like embeddings of an
    image-text encoder; a method without training needs such a problem.
    """
    world = linear_world(n_features=6, noise=0.1, joint=True) if joint else linear_world()
    split = world.splits["PS"]
    test = np.concatenate([split.test_seen, split.test_unseen])
    return Problem.of(world, Preprocessing("l2", "l2"), split.trainval, test)


@dataclass(eq=False)
class MethodUnderTest:
    """A method class, parameters that replace its defaults, and the problem to check it on."""

    method: type[ZSLEstimator]
    params: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def problem(self) -> Problem:
        """The training rows, test rows and candidates."""
        return _problem(joint=self.method.card.joint_space)

    def exact(self, **params: Any) -> ZSLEstimator:
        """Return the unfitted method, with ``tol=1e-10`` if it has a ``tol``."""
        tight = {"tol": 1e-10} if "tol" in inspect.signature(self.method).parameters else {}
        return self.method(**{**tight, **self.params, **params})

    @cached_property
    def fitted(self) -> ZSLEstimator:
        """The method, fitted to the seen classes."""
        return self.exact().fit(self.problem.X, self.problem.y, self.problem.S)

    @cached_property
    def scores(self) -> np.ndarray:
        """The scores of the test rows among all candidates."""
        return self.score(self.problem.candidates)

    def score(self, candidates: np.ndarray) -> np.ndarray:
        """Return the scores of the test rows among some candidates."""
        return self.fitted.decision_function(self.problem.X_test, candidates)


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """One law: a function that raises :class:`ContractError` if a method breaks it.

    A law with ``is_waivable`` is skipped if the card states ``depends_on_candidates``.
    """

    check: Callable[[MethodUnderTest], None]
    is_waivable: bool = False

    @property
    def name(self) -> str:
        """The name of the check function."""
        return self.check.__name__

    @property
    def sentence(self) -> str:
        """The first line of the check function's docstring."""
        return (self.check.__doc__ or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class ContractVerdict:
    """The outcome of a law for a method.

    ``why`` states the expected and the actual value, or the card's reason for a skipped law; it is
    empty if the law holds.
    """

    law: ContractCheck
    state: Literal["hold", "waived", "broken"]
    why: str = ""


def check_contract(
    method: type[ZSLEstimator], params: Mapping[str, Any] | None = None
) -> Iterator[ContractVerdict]:
    """Yield the verdict on every law for a method class with these parameters."""
    case = MethodUnderTest(method, params or {})
    for law in CONTRACT:
        if law.is_waivable and method.card.depends_on_candidates:
            reason = method.card.depends_on_candidates
            why = f"the card states that scores depend on the candidates: {reason}"
            yield ContractVerdict(law, "waived", f"{why}.")
            continue
        try:
            law.check(case)
        except ZSLError as error:
            yield ContractVerdict(law, "broken", str(error))
        except Exception as error:  # noqa: BLE001 - any error of the method breaks the law
            yield ContractVerdict(law, "broken", failure(error, "the method", source_files(method)))
        else:
            yield ContractVerdict(law, "hold")


# --- Helpers of the checks ------------------------------------------------------------------------


def _expect(holds: object, expected: str, got: object) -> None:
    if not holds:
        raise ContractError(f"expected {expected}; got {got}.")


def _require_same(
    got: np.ndarray, expected: np.ndarray, name: str, rtol: float = RTOL, atol: float = ATOL
) -> None:
    if got.shape != expected.shape:
        raise ContractError(f"expected {name} of shape {expected.shape}; got {got.shape}.")
    if not np.allclose(got, expected, rtol=rtol, atol=atol):
        row, column = np.unravel_index(np.abs(got - expected).argmax(), got.shape)
        raise ContractError(
            f"expected {name}; got {got[row, column]:.6g} instead of {expected[row, column]:.6g} "
            f"for sample {row}, candidate {column}."
        )


@contextmanager
def _refusal(kind: type[Exception], expected: str, message: str = "") -> Iterator[None]:
    """Expect an exception of type ``kind`` with ``message`` in its message."""
    try:
        yield
    except kind as error:
        _expect(
            message in str(error), f"{kind.__name__} with {message!r} in its message", f"{error}"
        )
    except Exception as error:
        raise ContractError(f"expected {expected}; got {type(error).__name__}: {error}") from error
    else:
        raise ContractError(f"expected {expected}; got no refusal.")


# --- The laws -------------------------------------------------------------------------------------


def constructor_only_stores_its_arguments(case: MethodUnderTest) -> None:
    """The constructor stores its arguments and does nothing else."""
    model = case.method()
    expected, got = model.get_params(deep=False), vars(model)
    _expect(got == expected, f"the attributes {sorted(expected)}", sorted(got))
    _expect(
        clone(model).get_params() == model.get_params(),
        "a clone with equal parameters",
        "other values",
    )


def fit_returns_self_and_changes_no_parameter(case: MethodUnderTest) -> None:
    """Fit returns self, changes no parameter, and sets only attributes that end in _."""
    model = case.method(**case.params)
    before = model.get_params()
    fitted = model.fit(case.problem.X, case.problem.y, case.problem.S)
    _expect(fitted is model, "fit to return self", type(fitted).__name__)
    _expect(model.get_params() == before, f"parameters {before}", model.get_params())
    learned = sorted(set(vars(model)) - set(before))
    wrong = [name for name in learned if not name.endswith("_")]
    _expect(not wrong, "learned attributes that end in _", ", ".join(wrong))


def scoring_before_fitting_is_refused(case: MethodUnderTest) -> None:
    """Scoring before fitting raises NotFittedError."""
    with _refusal(NotFittedError, "scikit-learn's NotFittedError (_check_scoring raises it)"):
        case.method().predict(case.problem.X_test, case.problem.candidates)


def scores_are_one_finite_number_per_sample_and_class(case: MethodUnderTest) -> None:
    """Scores are one finite float64 per sample and candidate."""
    F, shape = case.scores, (len(case.problem.X_test), len(case.problem.candidates))
    _expect(F.shape == shape, f"scores of shape {shape}", F.shape)
    _expect(F.dtype == np.float64, "float64", F.dtype)
    _expect(np.isfinite(F).all(), "finite scores", f"{int((~np.isfinite(F)).sum())} that are not")


def prediction_is_the_highest_score(case: MethodUnderTest) -> None:
    """The prediction is the candidate with the highest score."""
    predicted = case.fitted.predict(case.problem.X_test, case.problem.candidates)
    differ = int((predicted != case.scores.argmax(axis=1)).sum())
    _expect(not differ, "the candidate with the highest score", f"{differ} other predictions")


def scores_follow_the_classes_when_these_are_reordered(case: MethodUnderTest) -> None:
    """Reordering the candidates reorders the scores and changes nothing else."""
    order = np.random.default_rng(0).permutation(len(case.problem.candidates))
    reordered = case.score(case.problem.candidates[order])
    _require_same(reordered, case.scores[:, order], "the same scores in a different order")


def score_of_a_class_does_not_depend_on_the_other_candidates(case: MethodUnderTest) -> None:
    """The score of a candidate does not depend on the other candidates."""
    some = [1, 5, 9]
    subset_scores = case.score(case.problem.candidates[some])
    if case.fitted.card.depends_on_candidates:  # a dependence stated on the card must exist
        equal = np.allclose(subset_scores, case.scores[:, some], rtol=RTOL, atol=ATOL)
        _expect(
            not equal, "scores that depend on the candidates, as the card states", "equal scores"
        )
        some = some[:2]  # only seen classes
        subset_scores = case.score(case.problem.candidates[some])
    _require_same(subset_scores, case.scores[:, some], "the scores among all candidates")


def unseen_scores_do_not_depend_on_seen_candidates(
    case: MethodUnderTest,
) -> None:
    """Unseen classes have the same scores among themselves and among all candidates."""
    unseen = ~case.problem.seen
    _require_same(
        case.score(case.problem.candidates[unseen]), case.scores[:, unseen], "the same scores"
    )


def scores_of_a_sample_do_not_depend_on_its_batch(case: MethodUnderTest) -> None:
    """The scores of a sample do not depend on the other samples."""
    first_scores = case.fitted.decision_function(case.problem.X_test[:1], case.problem.candidates)
    _require_same(first_scores, case.scores[:1], "the scores of the sample in the whole batch")


def fitting_twice_gives_the_same_scores(case: MethodUnderTest) -> None:
    """Fitting twice gives the same scores, to the last bit."""
    refitted = case.exact().fit(case.problem.X, case.problem.y, case.problem.S)
    F = refitted.decision_function(case.problem.X_test, case.problem.candidates)
    _require_same(F, case.scores, "the same scores from a second fit", rtol=0, atol=0)


def numbering_of_the_seen_classes_does_not_matter(case: MethodUnderTest) -> None:
    """The order in which the seen classes are numbered does not matter."""
    problem, order = case.problem, np.random.default_rng(1).permutation(len(case.problem.S))
    model = case.exact().fit(problem.X, np.argsort(order)[problem.y], problem.S[order])
    renamed = model.decision_function(problem.X_test, problem.candidates)
    _require_same(
        renamed, case.scores, "the same scores for renumbered classes", rtol=1e-4, atol=1e-6
    )


def arrays_and_views_give_the_same_scores(case: MethodUnderTest) -> None:
    """A NumPy array and a FeatureView of the same features give the same scores."""
    X, X_test = np.asarray(case.problem.X), np.asarray(case.problem.X_test)
    model = case.exact().fit(X, case.problem.y, case.problem.S)
    plain = model.decision_function(X_test, case.problem.candidates)
    _require_same(plain, case.scores, "the same scores for arrays as for views")


def a_sweep_equals_separate_fits(case: MethodUnderTest) -> None:
    """A sweep over the grid gives each point the scores of a separate fit."""
    problem, method = case.problem, case.method
    # A line search compares objective values, so it finds the minimiser to only half their digits.
    slack = 1e-6 if "tol" in method().get_params() else 1e-8
    searched = {n: v[:2] for n, v in method.param_grid.items() if n not in case.params}
    grid = list(ParameterGrid(searched))
    for params, fast in zip(grid, problem.sweep(case.exact(), grid), strict=True):
        model = case.exact(**params).fit(problem.X, problem.y, problem.S)
        slow = problem.scores_of(model)
        _require_same(
            fast, slow, f"the scores of a fit with {params}", atol=slack * np.abs(slow).max()
        )


def invalid_parameter_values_are_refused(case: MethodUnderTest) -> None:
    """An invalid parameter value is refused, and the message names the parameter."""
    names = [*case.method.param_grid, *case.method().get_params()]
    if not names:
        return
    expected = "ParameterError (raise it in _check_params, which _check_training calls)"
    with _refusal(ParameterError, expected, f"{names[0]} must be"):
        list(case.problem.sweep(case.method(), [{}, {names[0]: "nonsense"}]))


def unseen_classes_are_recognised_in_a_linear_world(case: MethodUnderTest) -> None:
    """Unseen classes are recognised in a linear world, at more than twice chance."""
    problem = case.problem
    F, y = ScoredTest(case.scores, problem.y_test, problem.classes, problem.seen).unseen_part
    accuracy = mean_class_accuracy(y, F.argmax(axis=1))
    _expect(accuracy > 2 / F.shape[1], f"more than {percent(2 / F.shape[1])}", percent(accuracy))


def penalising_seen_classes_never_lowers_unseen_accuracy(case: MethodUnderTest) -> None:
    """A larger gamma never lowers the accuracy of unseen classes."""
    problem = case.problem
    curve = ScoredTest(case.scores, problem.y_test, problem.classes, problem.seen).curve
    unseen = curve.at(np.array([0, 0.01, 0.1, 1.0, 100.0])).unseen
    _expect((np.diff(unseen) >= 0).all(), "an accuracy that does not fall", unseen)


def mismatched_training_data_are_refused(case: MethodUnderTest) -> None:
    """Labels that do not match the features or the prototypes are refused."""
    problem, name = case.problem, case.method.card.name
    expected = "DatasetError (_check_training raises it)"
    with _refusal(DatasetError, expected, name):
        case.method().fit(problem.X, problem.y[:-1], problem.S)
    with _refusal(DatasetError, expected, "rows of prototypes"):
        case.method().fit(problem.X, problem.y + 100, problem.S)


def candidates_of_the_wrong_width_are_refused(case: MethodUnderTest) -> None:
    """Candidates with the wrong number of attributes are refused."""
    with _refusal(DatasetError, "DatasetError (_check_scoring raises it)", "fitted on"):
        case.score(case.problem.candidates[:, :-1])


def card_is_complete(case: MethodUnderTest) -> None:
    """The card has the method's title, authors, year, idea and formula."""
    card = case.method.card
    _expect(isinstance(card, MethodCard), "a MethodCard", type(card).__name__)
    missing = [n for n in ("title", "authors", "idea", "formula") if not getattr(card, n)]
    _expect(not missing, "a card with title, authors, idea and formula", f"no {missing}")
    _expect(1990 < card.year < 2100, "a year from 1991 to 2099", card.year)


def grid_names_parameters_and_holds_several_values(case: MethodUnderTest) -> None:
    """The grid has only parameters of the method, each with several values."""
    parameters = inspect.signature(case.method).parameters
    unknown = sorted(set(case.method.param_grid) - set(parameters))
    _expect(not unknown, f"names among {sorted(parameters)}", unknown)
    single = [name for name, values in case.method.param_grid.items() if len(set(values)) < 2]
    _expect(not single, "several values per parameter", f"one value of {', '.join(single)}")


def only_stochastic_methods_have_a_seed(case: MethodUnderTest) -> None:
    """A method has random_state if and only if its card is marked stochastic."""
    seeded = "random_state" in case.method().get_params()
    _expect(
        seeded == case.method.card.stochastic,
        f"stochastic={seeded}, since it has {'a' if seeded else 'no'} random_state",
        f"stochastic={case.method.card.stochastic} on the card",
    )


CONTRACT: tuple[ContractCheck, ...] = (
    ContractCheck(constructor_only_stores_its_arguments),
    ContractCheck(fit_returns_self_and_changes_no_parameter),
    ContractCheck(scoring_before_fitting_is_refused),
    ContractCheck(scores_are_one_finite_number_per_sample_and_class),
    ContractCheck(prediction_is_the_highest_score),
    ContractCheck(scores_follow_the_classes_when_these_are_reordered, is_waivable=True),
    ContractCheck(score_of_a_class_does_not_depend_on_the_other_candidates, is_waivable=True),
    ContractCheck(unseen_scores_do_not_depend_on_seen_candidates, is_waivable=True),
    ContractCheck(scores_of_a_sample_do_not_depend_on_its_batch),
    ContractCheck(fitting_twice_gives_the_same_scores),
    ContractCheck(numbering_of_the_seen_classes_does_not_matter),
    ContractCheck(arrays_and_views_give_the_same_scores),
    ContractCheck(a_sweep_equals_separate_fits),
    ContractCheck(invalid_parameter_values_are_refused),
    ContractCheck(unseen_classes_are_recognised_in_a_linear_world),
    ContractCheck(penalising_seen_classes_never_lowers_unseen_accuracy),
    ContractCheck(mismatched_training_data_are_refused),
    ContractCheck(candidates_of_the_wrong_width_are_refused),
    ContractCheck(card_is_complete),
    ContractCheck(grid_names_parameters_and_holds_several_values),
    ContractCheck(only_stochastic_methods_have_a_seed),
)
