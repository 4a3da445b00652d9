"""A regularization path equals single fits at its values, and is chosen on the folds only."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from tests.studies import computed
from tests.worlds import linear_world
from zslcore.analysis.regularization import (
    VALIDATION,
    GridPredictionsStudy,
    RegularizationSpec,
    follow,
    lambda_parameter,
    path_values,
    predict_along_grid,
    regularized_methods,
    split_of,
)
from zslcore.datasets import load
from zslcore.evaluation import protocol, runs
from zslcore.evaluation.protocol import Problem, Setting, evaluate, fit_and_score, select
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError, ZSLError
from zslcore.features import Preprocessing
from zslcore.methods import METHODS, get_method
from zslcore.metrics import mean_class_accuracy

WORLD = linear_world(n_per_class=10, noise=0.6)
SPLIT = WORLD.splits["PS"]
SETTING = Setting(WORLD, SPLIT)
VALUES = (1e-4, 1e-2, 1.0)
#: Each fit of a path starts at the previous solution, so results are equal up to convergence.
EXACT = {"SYNC": {"tol": 1e-7}}


def path_of(name, values=VALUES, dataset=WORLD, **params):
    method = get_method(name)(**params)
    return follow(
        method, Setting(dataset, dataset.split("PS")), next(iter(method.regularizers)), values
    )


@pytest.mark.parametrize("name", ["LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL", "SYNC"])
def test_every_value_equals_a_separate_run(name):
    path = path_of(name, **EXACT.get(name, {}))
    for k, value in enumerate(VALUES):
        model = get_method(name)(**{path.parameter: value}, **EXACT.get(name, {}))
        alone = evaluate(fit_and_score(model, WORLD, SPLIT), path.gamma[k])
        assert path.zsl[k] == pytest.approx(alone.zsl)
        assert path.unseen[k] == pytest.approx(alone.plain.unseen)
        assert path.seen[k] == pytest.approx(alone.plain.seen)
        assert path.harmonic[k] == pytest.approx(alone.plain.harmonic)
        assert path.calibrated_unseen[k] == pytest.approx(alone.calibrated.unseen)
        assert path.calibrated_seen[k] == pytest.approx(alone.calibrated.seen)
        assert path.calibrated_harmonic[k] == pytest.approx(alone.calibrated.harmonic)


def test_epochs_are_a_path_too():
    path = path_of("DEVISE", (1, 3, 6), learning_rate=1.0)
    assert (path.parameter, path.effect) == ("epochs", "weaker")
    for k, epochs in enumerate((1, 3, 6)):
        scores = fit_and_score(get_method("DEVISE")(epochs=epochs, learning_rate=1.0), WORLD, SPLIT)
        assert path.zsl[k] == pytest.approx(evaluate(scores).zsl)


def test_separate_seen_accuracy_is_among_seen_classes():
    data, values = load("digits"), (0.01, 0.5)
    path = path_of("LinearV2S", values, data)
    for k, value in enumerate(values):
        scores = fit_and_score(get_method("LinearV2S")(lam=value), data, data.split("PS"))
        rows = scores.seen[scores.y]
        F, y = scores.F[np.ix_(rows, scores.seen)], scores.y[rows]
        expected = mean_class_accuracy(y, np.flatnonzero(scores.seen)[F.argmax(axis=1)])
        assert path.seen_alone[k] == pytest.approx(expected)
    assert path.seen_alone[1] > path.seen[1] + 0.02  # the accuracy among all classes is lower


def test_lambda_for_both_tasks_and_gamma_equal_the_choice_of_select():
    data = load("digits")
    path = RegularizationSpec("digits", "PS", "LinearV2S").follow()
    grid = {"lam": path.values.tolist()}
    for task, place in (("zsl", path.for_zsl), ("gzsl", path.for_gzsl)):
        chosen = select(get_method("LinearV2S")(), data, data.split("PS"), task=task, grid=grid)
        assert path.values[place] == chosen.params["lam"]
        assert path.gamma[place] == pytest.approx(chosen.gamma, rel=1e-9)
    assert path.fold_harmonic.mean(axis=0)[path.for_gzsl] == pytest.approx(chosen.score)


def test_the_test_set_has_no_influence_on_choices():
    """Other test labels change the test results but not the choice."""
    labels = WORLD.labels.copy()
    for part in (SPLIT.test_seen, SPLIT.test_unseen):
        labels[part] = np.roll(labels[part], 7)
    before, after = path_of("ESZSL"), path_of("ESZSL", dataset=relabelled(labels))
    np.testing.assert_array_equal(before.gamma, after.gamma)
    assert (before.for_zsl, before.for_gzsl) == (after.for_zsl, after.for_gzsl)
    assert not np.allclose(before.zsl, after.zsl)
    assert before.best_harmonic.max() >= before.calibrated_harmonic.max()


def test_the_first_validation_split_chooses_on_the_images_it_is_measured_on():
    data = load("digits")
    spec = RegularizationSpec("digits", VALIDATION, "LinearV2S")
    path, split = spec.follow(), split_of(data, VALIDATION)
    assert set(split.test_unseen) == set(data.split("PS").folds[0].val)
    assert not {*data.split("PS").test_seen, *data.split("PS").test_unseen} & {
        *split.trainval,
        *split.test_seen,
        *split.test_unseen,
    }
    assert path.for_gzsl == np.argmax(path.best_harmonic)
    np.testing.assert_allclose(path.calibrated_harmonic, path.best_harmonic)
    on_test = RegularizationSpec("digits", "PS", "LinearV2S").follow()
    assert not np.allclose(path.zsl, on_test.zsl)


def relabelled(labels):
    names = ("name", "features", "prototypes", "class_names", "source", "simulated")
    fields = {name: getattr(WORLD, name) for name in names}
    return type(WORLD)(labels=labels, splits=[SPLIT], **fields)


def test_other_parameters_are_chosen_on_the_folds_and_then_fixed():
    method = get_method("ESZSL")(gamma=77.0)
    path = follow(method, SETTING, "lam", VALUES, choose=["gamma", "lam"])
    chosen = select(method, WORLD, SPLIT, task="gzsl")
    assert path.origin == "validated"
    assert path.params["gamma"] == chosen.params["gamma"] != method.gamma
    given_path = follow(method, SETTING, "lam", VALUES)
    assert (given_path.origin, given_path.params["gamma"]) == ("given", 77.0)
    assert "lam" not in given_path.params


def test_a_path_applies_the_selection_rule_of_the_method():
    """SSE takes the simplest value that the folds cannot distinguish from the best."""
    method, values = get_method("SSE")(), (0.1, 1.0, 10.0)
    path = follow(method, SETTING, "c", values)
    for task, place in (("zsl", path.for_zsl), ("gzsl", path.for_gzsl)):
        chosen = select(method, WORLD, SPLIT, task=task, grid={"c": values})
        assert chosen.rule == "one standard error"
        assert values[place] == chosen.params["c"]


# --- Attributes -----------------------------------------------------------------------------------


def test_error_of_attributes_is_the_mean_over_attributes_and_images():
    path = path_of("LinearV2S")
    problem = Problem.of_test(WORLD, SPLIT, Preprocessing())
    true = problem.candidates[problem.y_test]
    of_seen = problem.seen[problem.y_test]
    for k, lam in enumerate(VALUES):
        W = get_method("LinearV2S")(lam=lam).fit(problem.X, problem.y, problem.S).W_
        error = (np.asarray(problem.X_test) @ W.T - true) ** 2
        assert path.mse_seen[k] == pytest.approx(error[of_seen].mean())
        assert path.mse_unseen[k] == pytest.approx(error[~of_seen].mean())


PREDICTED = {
    "LinearV2S": lambda fitted, X: X @ fitted.W_.T,
    "SAE": lambda fitted, X: X @ fitted.W_.T,
    "ESZSL": lambda fitted, X: X @ fitted.V_,
    "CMT": lambda f, X: np.tanh(X @ f.W2_.T + f.b2_) @ f.W1_.T + f.b1_,
    "CMT*": lambda f, X: np.tanh(X @ f.W2_.T + f.b2_) @ f.W1_.T + f.b1_,
}


def test_only_methods_that_predict_attributes_have_attribute_errors():
    predict = {n for n, m in METHODS.items() if m.predicted_attributes != "no"}
    assert predict == set(PREDICTED)
    assert path_of("LinearS2V").mse_seen.size == 0
    assert "mse_seen" not in path_of("LinearS2V").table()


@pytest.mark.parametrize("name", PREDICTED)
def test_attributes_of_a_grid_are_those_of_its_points(name):
    problem = Problem.of_test(WORLD, SPLIT, Preprocessing())
    method = get_method(name)()
    parameter = next(iter(method.regularizers))
    grid = [{parameter: value} for value in ((1, 3) if parameter == "epochs" else (0.01, 1.0))]
    result = method.attribute_grid(problem.X, problem.y, problem.S, grid, problem.X_test)
    for params, A in zip(grid, result, strict=True):
        fitted = clone(method).set_params(**params).fit(problem.X, problem.y, problem.S)
        expected = PREDICTED[name](fitted, np.asarray(problem.X_test))
        np.testing.assert_allclose(A, expected, rtol=1e-6, atol=1e-9)


# --- Statements of the paper ----------------------------------------------------------------------


def test_with_more_regularisation_seen_classes_lose_and_their_attributes_get_worse():
    path = RegularizationSpec("simulated-aPY", "PS", "LinearV2S", n_values=13).follow()
    at_best, end = path.for_gzsl, -1
    assert path.seen_alone[end] < path.seen_alone[at_best] / 2
    assert path.mse_seen[end] > 2 * path.mse_seen[at_best]
    lowest = np.argmin(path.mse_unseen)
    assert 0 < lowest < len(path.values) - 1  # the error is lowest inside the grid


def test_gzsl_wants_less_regularisation_than_zsl():
    path = RegularizationSpec("simulated-AWA2", "PS", "ESZSL", n_values=13).follow()
    assert path.difference == "weaker"
    assert path.values[path.for_gzsl] < path.values[path.for_zsl]
    assert path.seen_alone[path.for_gzsl] > path.seen_alone[path.for_zsl]


@pytest.mark.parametrize(
    ("effect", "places", "expected"),
    [
        ("stronger", (4, 2), "weaker"),
        ("stronger", (2, 4), "stronger"),
        ("weaker", (4, 2), "stronger"),
        ("weaker", (2, 4), "weaker"),
        ("weaker", (2, 2), "same"),
    ],
)
def test_the_difference_of_the_two_choices_depends_on_the_effect(effect, places, expected):
    zsl, gzsl = places
    path = replace(path_of("LinearV2S"), effect=effect, for_zsl=zsl, for_gzsl=gzsl)
    assert path.difference == expected


# --- Requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_regularizers_are_parameters_with_valid_values(name):
    method = METHODS[name]()
    for parameter, effect in method.regularizers.items():
        assert effect in ("stronger", "weaker")
        values = path_values(method, parameter)
        assert 2 <= len(values) <= 25
        assert (np.diff(values) > 0).all()
        for value in (values[0], values[-1]):
            clone(method).set_params(**{parameter: value})._check_params()
        grid_values = method.param_grid.get(parameter, (getattr(method, parameter),))
        assert min(values) <= min(grid_values) * (1 + 1e-9)
        assert max(values) >= max(grid_values) * (1 - 1e-9)
    assert (name in regularized_methods()) == bool(method.regularizers)


@pytest.mark.parametrize("name", ["LinearV2S", "LinearS2V", "SYNC"])
def test_more_of_a_stronger_regularizer_fits_the_training_images_less(name):
    """More regularization brings the scores of true classes closer together."""
    problem = Problem.of_test(WORLD, SPLIT, Preprocessing())
    spread = []
    for value in path_values(METHODS[name](), "lam", 3):
        fitted = METHODS[name](lam=value)
        if name == "LinearV2S":
            fitted.set_params(similarity="dot")
        F = fitted.fit(problem.X, problem.y, problem.S).decision_function(problem.X, problem.S)
        spread.append(F.std(axis=1).mean())
    assert spread == sorted(spread, reverse=True)
    assert METHODS[name].regularizers["lam"] == "stronger"


def test_a_path_has_the_requested_number_of_values_evenly_spaced():
    values = path_values(get_method("LinearV2S")(), "lam", 25)
    assert (values[0], values[-1], len(values)) == (1e-7, 10.0, 25)
    np.testing.assert_allclose(np.diff(np.log10(values)), 1 / 3, rtol=1e-9)
    assert path_values(get_method("DEVISE")(), "epochs", 5) == (1, 2, 5, 13, 30)
    narrow = path_values(get_method("DAP")(), "C", 3)  # the path is wider than the grid of DAP
    assert narrow[-1] / narrow[0] == pytest.approx(1e4)


def test_methods_without_a_path_are_refused_in_one_sentence():
    with pytest.raises(
        ParameterError, match=r"PrototypeCosine: expected a method with a regularizer.*ESZSL"
    ):
        RegularizationSpec("digits", "PS", "PrototypeCosine")
    with pytest.raises(UnknownNameError, match="regularizer of ESZSL.*'gama'.*'gamma'"):
        RegularizationSpec("digits", "PS", "ESZSL", "gama")
    with pytest.raises(ParameterError, match="at least 2 values; got 1"):
        RegularizationSpec("digits", "PS", "ESZSL", n_values=1)
    with pytest.raises(
        DatasetError, match="expected test images of seen classes, which GZSL needs; got none"
    ):
        RegularizationSpec("simulated-aPY", "SS", "ESZSL").follow()
    with pytest.raises(DatasetError, match="expected data 123"):
        RegularizationSpec("digits", "PS", "ESZSL", digest="123").follow()
    bare = replace(SPLIT, folds=())
    with pytest.raises(DatasetError, match="no folds"):
        follow(get_method("ESZSL")(), Setting(WORLD, bare), "lam", VALUES)


def test_a_spec_is_read_from_json_with_its_provenance(monkeypatch):
    spec = RegularizationSpec("digits", "PS", "ESZSL", params={"lam": 1.0}, seed=3)
    assert RegularizationSpec(**json.loads(spec.to_json())) == spec
    assert spec.parameter == "gamma"
    before = spec.code_versions
    monkeypatch.setattr(protocol, "REVISION", 99)
    assert spec.code_versions != before
    assert replace(spec, n_values=7).code_versions["values"] != before["values"]


def test_progress_is_reported_and_can_end_the_computation():
    events = []
    telling = replace(SETTING, progress=lambda *t: events.append(t))
    follow(get_method("ESZSL")(), telling, "lam", VALUES)
    assert list(dict.fromkeys(task for *_, task in events)) == [
        "The folds, for ZSL",
        "The folds, for GZSL",
        "The test set",
    ]

    def stop(*_):
        raise ZSLError("Enough.")

    with pytest.raises(ZSLError, match="Enough"):
        follow(get_method("ESZSL")(), replace(SETTING, progress=stop), "lam", VALUES)


def test_table_marks_the_chosen_value():
    path = path_of("LinearV2S")
    table = path.table()
    assert len(table) == 3
    marked = " ".join(table["chosen_for"]).split()
    assert sorted(set(marked) - {"and"}) == ["GZSL", "ZSL"]
    assert "ZSL" in table["chosen_for"][path.for_zsl]
    with pytest.raises(ValueError, match="read-only"):
        path.zsl[0] = 1


# --- Predictions along the grid equal those of runs with these values -----------------------------


PARAMS = {"coding": "01", "gamma": 1.0}


@pytest.fixture(scope="module")
def digits():
    return load("digits")


@pytest.fixture(scope="module")
def grid_answers(digits):
    spec = RunSpec(dataset="digits", split="PS", method="ESZSL", params=PARAMS)
    return predict_along_grid(spec, digits)


@pytest.mark.parametrize("place", [0, 3, 6])
def test_each_stop_is_the_run_with_its_value(digits, grid_answers, place):
    value = float(grid_answers.values[place])
    params = PARAMS | {"lam": value}
    run_result = runs.run(
        RunSpec(dataset="digits", split="PS", method="ESZSL", params=params), digits
    )
    run, scores = run_result.result, run_result.scores
    test, curve = grid_answers.tests[place], scores.curve
    assert grid_answers.gamma[place] == pytest.approx(run.gamma, abs=1e-9)
    np.testing.assert_array_equal(test.rows[:3], digits.split("PS").test_seen[:3])
    for gamma in (0.0, run.gamma):
        ours, theirs = test.curve.at(gamma), curve.at(gamma)
        assert (ours.seen, ours.unseen) == pytest.approx((theirs.seen, theirs.unseen), abs=1e-9)


def test_grid_predictions_cover_the_grid_in_order_and_the_oracle_is_the_largest_h(grid_answers):
    assert grid_answers.parameter == "lam"
    np.testing.assert_array_equal(grid_answers.values, sorted(METHODS["ESZSL"].param_grid["lam"]))
    pairs = zip(grid_answers.tests, grid_answers.gamma, strict=True)
    reached = [test.curve.at(gamma).harmonic for test, gamma in pairs]
    assert reached[grid_answers.best] == max(reached) > min(reached)


def test_a_job_gives_the_same_result_with_progress(tmp_path, digits, grid_answers):
    spec = RunSpec(
        dataset="digits", split="PS", method="ESZSL", params=PARAMS, digest=digits.digest
    )
    read, computed_result = computed(GridPredictionsStudy(spec), tmp_path)
    for name in ("values", "gamma", "for_zsl", "parameter"):
        np.testing.assert_array_equal(getattr(read, name), getattr(grid_answers, name))
    for ours, theirs in zip(read.tests, grid_answers.tests, strict=True):
        np.testing.assert_array_equal(ours.margin, theirs.margin)
        np.testing.assert_array_equal(ours.curve.unseen, theirs.curve.unseen)
    done = [line[0] for line in computed_result]
    assert done == sorted(done)
    assert computed_result[-1][:2] == (7 * (2 * 3 + 1),) * 2


def test_a_grid_needs_one_open_parameter_and_matching_data(digits):
    open_ = RunSpec(dataset="digits", split="PS", method="ESZSL")
    with pytest.raises(ParameterError, match="expected one parameter in the grid; got gamma, lam"):
        predict_along_grid(open_, digits)
    other = RunSpec(dataset="digits", split="PS", method="ESZSL", params=PARAMS, digest="0" * 16)
    with pytest.raises(DatasetError):
        predict_along_grid(other, digits)


def test_the_lambda_of_each_method_is_in_its_grid():
    parameters = {name: lambda_parameter(name) for name in METHODS}
    assert parameters["LinearS2V"] == parameters["ESZSL"] == parameters["SAE"] == "lam"
    assert parameters["ALE"] is None
    for name, parameter in parameters.items():
        assert parameter is None or parameter in METHODS[name].param_grid
