"""A comparison equals its runs, computes each run once, and leaves out excluded runs."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.analysis import comparison, resampling
from zslcore.analysis.comparison import ComparisonSpec
from zslcore.analysis.metric_names import Metric
from zslcore.datasets import Split
from zslcore.evaluation import protocol
from zslcore.evaluation.runs import run as run_spec
from zslcore.exceptions import DatasetError, ZSLError
from zslcore.methods import get_method
from zslcore.metrics import significance
from zslcore.results import planning
from zslcore.results.planning import RunPlan, specs_of_choice
from zslcore.results.store import ResultStore

WORLD = replace(linear_world(noise=0.8), name="first", known_digest="")
STANDARD = Split.from_classes(
    "SS", WORLD.labels, [8, 9, 10, 11], folds=[[0, 1], [4, 5]], seen_test_fraction=0
)
WORLD = replace(WORLD, splits=[*WORLD.splits.values(), STANDARD])
OTHER = replace(linear_world(noise=0.9, seed=5), name="second", known_digest="")
DATA = {data.name: data for data in (WORLD, OTHER)}
METHODS = ("ESZSL", "LinearS2V", "LinearV2S")


def spec_of(**more):
    arguments = {"splits": ("PS", "SS"), "methods": METHODS, "task": "gzsl"} | more
    return ComparisonSpec({name: data.digest for name, data in DATA.items()}, **arguments)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = ResultStore(tmp_path_factory.mktemp("comparison") / "runs.sqlite")
    for data in DATA.values():
        for run in spec_of().runs_on(data):
            RunPlan([run], choices=("folds", "oracle")).complete_all(data, store)
    return store


def missing(store, choices=()):
    return spec_of().plan(DATA, choices).unfinished(store)


def test_no_run_of_a_comparison_is_computed_twice(store, monkeypatch):
    monkeypatch.setattr(planning, "run", lambda *_, **__: pytest.fail("run again"))
    for data in DATA.values():
        for run in spec_of().runs_on(data):
            assert RunPlan([run], choices=("folds", "oracle")).complete_all(data, store) == 0
    assert missing(store, ("folds", "oracle")) == []


def test_only_missing_runs_are_computed(tmp_path):
    store, run = ResultStore(tmp_path / "runs.sqlite"), spec_of().run("first", "PS", "ESZSL")
    assert len(missing(store)) == 9
    assert RunPlan([run]).complete_all(WORLD, store) == 1
    assert run not in missing(store)
    assert run in missing(store, ("folds",))
    of_folds = RunPlan([run], choices=("folds",)).complete_all(WORLD, store)
    # Two folds may choose the same parameters.
    assert 1 <= of_folds <= len(WORLD.splits["PS"].folds)
    store.delete(specs_of_choice(store.get(run.key), "folds")[0].key)
    assert run in missing(store, ("folds",))
    assert RunPlan([run], choices=("folds",)).complete_all(WORLD, store) == 1


def test_stored_results_without_folds_are_computed_again(tmp_path):
    store, run = ResultStore(tmp_path / "runs.sqlite"), spec_of().run("first", "PS", "ESZSL")
    result = run_spec(run, WORLD, with_oracle=False).result
    store.put(replace(result, fold_choices=()))
    assert RunPlan([run]).stored_first_run(run, store) is not None
    assert RunPlan([run], choices=("folds",)).stored_first_run(run, store) is None
    assert RunPlan([run], choices=("folds",)).complete_all(WORLD, store) >= 2


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_a_single_fold_chooses_like_the_protocol(task):
    split = WORLD.splits["PS"]
    chosen = protocol.select(get_method("ESZSL")(), WORLD, split, task=task)
    for k, fold in enumerate(split.folds):
        alone = replace(split, folds=[fold])
        expected = protocol.select(get_method("ESZSL")(), WORLD, alone, task=task)
        assert chosen.of_folds[k].params == expected.params
        assert chosen.of_folds[k].score == expected.score
        if task == "gzsl":
            assert chosen.of_folds[k].gamma == pytest.approx(expected.gamma)


def test_calibration_gamma_has_its_own_column_next_to_a_parameter_gamma():
    split = WORLD.splits["PS"]
    table = protocol.select(get_method("ESZSL")(), WORLD, split, task="gzsl").table
    assert set(table["gamma"]) == set(get_method("ESZSL").param_grid["gamma"])
    assert "calibration_gamma" in table


FIGURES: dict[Metric, str] = {
    "zsl": "zsl",
    "u": "plain.unseen",
    "s": "plain.seen",
    "H": "plain.harmonic",
    "u at gamma": "calibrated.unseen",
    "s at gamma": "calibrated.seen",
    "H at gamma": "calibrated.harmonic",
}


def metric(evaluation, path):
    for name in path.split("."):
        evaluation = getattr(evaluation, name)
    return evaluation


@pytest.mark.parametrize("measure", FIGURES)
@pytest.mark.parametrize("average", ["class", "sample"])
def test_every_metric_equals_the_run(store, measure, average):
    occasions = comparison.occasions(spec_of(), DATA, store, measure, average=average)
    assert occasions.names == (
        ("first", "PS", "validated"),
        ("first", "SS", "validated"),
        ("second", "PS", "validated"),
    )
    for i, (name, split, _) in enumerate(occasions.names):
        for j, method in enumerate(METHODS):
            e = store.get(spec_of().run(name, split, method).key).evaluation
            value = occasions.metrics[0, i, j]
            if split == "SS" and measure != "zsl":
                assert np.isnan(value)
                continue
            path = FIGURES[measure]
            if average == "sample":
                path = path.replace(".", "_per_sample.") if "." in path else "zsl_per_sample"
            assert value == pytest.approx(metric(e, path))


def test_every_fold_is_one_occasion_with_its_own_parameters(store):
    occasions = comparison.occasions(
        spec_of(splits=("PS",)), DATA, store, "H at gamma", choice="folds"
    )
    assert [name for *_, name in occasions.names] == ["0", "1", "0", "1"]
    first = store.get(spec_of().run("first", "PS", "LinearS2V").key)
    for k, choice in enumerate(first.fold_choices):
        model = get_method("LinearS2V")(**choice.params)
        scores = protocol.fit_and_score(model, WORLD, WORLD.splits["PS"])
        expected = protocol.evaluate(scores, choice.gamma).calibrated.harmonic
        assert occasions.metrics[0, k, METHODS.index("LinearS2V")] == pytest.approx(expected)
    assert (occasions.seconds > 0).all()


def test_with_parameters_for_zsl_gamma_is_from_the_folds(tmp_path):
    store, spec = ResultStore(tmp_path / "runs.sqlite"), spec_of(task="zsl", methods=("ESZSL",))
    run = spec.run("first", "PS", "ESZSL")
    RunPlan([run], choices=("folds", "oracle")).complete_all(WORLD, store)
    for choice in ("folds", "oracle"):
        for other in specs_of_choice(store.get(run.key), choice):
            result = store.get(other.key)
            params = dict(other.params.items())
            expected = protocol.select(
                get_method("ESZSL")(**params), WORLD, WORLD.splits["PS"], task="gzsl", grid={}
            )
            assert result.gamma == pytest.approx(expected.gamma)
            assert result.gamma != 0
            assert result.gamma_origin == "validated"


def test_the_oracle_is_never_below_the_choice_on_folds(store):
    validated, oracle = (
        comparison.occasions(spec_of(), DATA, store, "H at gamma", choice=choice).complete
        for choice in ("validated", "oracle")
    )
    assert oracle.names[0][2] == "oracle"
    assert (oracle.metrics >= validated.metrics - 1e-9).all()


def test_classes_are_resampled_in_the_same_way_for_all_methods(store):
    spec = spec_of(splits=("PS",))
    occasions = comparison.occasions(spec, DATA, store, "H", n_draws=20)
    result = store.get(spec.run("first", "PS", "ESZSL").key)
    scores = protocol.fit_and_score(get_method("ESZSL")(**result.params), WORLD, WORLD.splits["PS"])
    drawn = significance.class_draws(scores.seen, 20)
    expected = resampling.metrics_of_draws(scores, drawn)["harmonic"]
    np.testing.assert_allclose(occasions.metrics[:, 0, 0], expected, atol=1e-9)


def test_a_complete_comparison_leaves_out_methods_with_missing_runs(tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    spec = spec_of(splits=("PS",))
    for name, method in (("first", "ESZSL"), ("second", "ESZSL"), ("first", "LinearS2V")):
        RunPlan([spec.run(name, "PS", method)]).complete_all(DATA[name], store)
    occasions = comparison.occasions(spec, DATA, store, "zsl")
    assert np.isnan(occasions.metrics[0]).sum() == 3
    assert occasions.complete.methods == ("ESZSL",)
    assert occasions.complete.metrics.shape == (1, 2, 1)
    assert len(occasions.table()) == 6


def test_a_comparison_refuses_unknown_metrics_and_splits(store):
    with pytest.raises(ZSLError, match="metric"):
        comparison.occasions(spec_of(), DATA, store, "accuracy")
    with pytest.raises(DatasetError, match="None of first, second has the split PS v1"):
        comparison.occasions(spec_of(splits=("PS v1",)), DATA, store, "zsl")


def test_too_few_test_classes_give_means_without_ranking(tmp_path):
    """Two unseen classes are too few; seen accuracy alone still has draws."""
    labels = WORLD.labels
    few = Split.from_classes("few", labels, [8, 9], folds=[[0, 1], [4, 5]], seen_test_fraction=0.2)
    world = replace(WORLD, splits=[*WORLD.splits.values(), few])
    spec = ComparisonSpec({"first": world.digest}, ("few",), METHODS, "gzsl")
    store = ResultStore(tmp_path / "runs.sqlite")
    for run in spec.runs_on(world):
        RunPlan([run]).complete_all(world, store)
    compared = comparison.occasions(spec, {"first": world}, store, "H at gamma", n_draws=20)
    text = comparison.as_text(compared)
    reason = "2 unseen test classes are too few for an interval"
    assert text.startswith(f"No ranking: first, split few: {reason}.")
    assert "interval" not in text.replace(reason, "")
    assert all(f"{method} " in text for method in METHODS)
    seen_only = comparison.occasions(spec, {"first": world}, store, "s at gamma", n_draws=20)
    assert not seen_only.too_few
    assert np.isfinite(seen_only.metrics).all()
