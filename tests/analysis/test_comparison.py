"""A comparison is what its runs say, run once, counted and left out as asked."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks import class_embeddings as benchmark
from benchmarks.class_embeddings import COLUMNS, compare_embeddings, in_a_sentence, per_class
from tests.worlds import linear_world
from zslcore.analysis import comparison, resampling
from zslcore.analysis.comparison import ComparisonSpec, Measure
from zslcore.datasets import Split, ZSLDataset, load
from zslcore.evaluation import protocol
from zslcore.evaluation.runs import run as run_spec
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, UnknownNameError, ZSLError
from zslcore.methods import get_method
from zslcore.metrics import significance
from zslcore.results import planning
from zslcore.results.planning import Plan, planned
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
    given = {"splits": ("PS", "SS"), "methods": METHODS, "task": "gzsl"} | more
    return ComparisonSpec({name: data.digest for name, data in DATA.items()}, **given)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = ResultStore(tmp_path_factory.mktemp("comparison") / "runs.sqlite")
    for data in DATA.values():
        for run in spec_of().runs_on(data):
            Plan([run], choices=("folds", "oracle")).complete_all(data, store)
    return store


def missing(store, choices=()):
    return spec_of().plan(DATA, choices).unfinished(store)


def test_nothing_is_run_twice(store, monkeypatch):
    monkeypatch.setattr(planning, "run", lambda *_, **__: pytest.fail("run again"))
    for data in DATA.values():
        for run in spec_of().runs_on(data):
            assert Plan([run], choices=("folds", "oracle")).complete_all(data, store) == 0
    assert missing(store, ("folds", "oracle")) == []


def test_what_is_missing_is_run_and_no_more(tmp_path):
    store, run = ResultStore(tmp_path / "runs.sqlite"), spec_of().run("first", "PS", "ESZSL")
    assert len(missing(store)) == 9
    assert Plan([run]).complete_all(WORLD, store) == 1
    assert run not in missing(store)
    assert run in missing(store, ("folds",))
    of_folds = Plan([run], choices=("folds",)).complete_all(WORLD, store)
    assert 1 <= of_folds <= len(WORLD.splits["PS"].folds)  # two folds may choose the same
    store.delete(planned(store.get(run.key), "folds")[0].key)
    assert run in missing(store, ("folds",))
    assert Plan([run], choices=("folds",)).complete_all(WORLD, store) == 1


def test_kept_results_that_do_not_tell_the_folds_are_made_again(tmp_path):
    store, run = ResultStore(tmp_path / "runs.sqlite"), spec_of().run("first", "PS", "ESZSL")
    result = run_spec(run, WORLD, with_oracle=False).result
    store.put(replace(result, fold_choices=()))
    assert Plan([run]).first(run, store) is not None
    assert Plan([run], choices=("folds",)).first(run, store) is None
    assert Plan([run], choices=("folds",)).complete_all(WORLD, store) >= 2


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_folds_choose_what_the_protocol_would_choose_with_one_fold(task):
    split = WORLD.splits["PS"]
    chosen = protocol.select(get_method("ESZSL")(), WORLD, split, task=task)
    for k, fold in enumerate(split.folds):
        alone = replace(split, folds=[fold])
        expected = protocol.select(get_method("ESZSL")(), WORLD, alone, task=task)
        assert chosen.of_folds[k].params == expected.params
        assert chosen.of_folds[k].score == expected.score
        if task == "gzsl":
            assert chosen.of_folds[k].gamma == pytest.approx(expected.gamma)


def test_the_calibration_gamma_does_not_hide_a_parameter_of_that_name():
    split = WORLD.splits["PS"]
    table = protocol.select(get_method("ESZSL")(), WORLD, split, task="gzsl").table
    assert set(table["gamma"]) == set(get_method("ESZSL").param_grid["gamma"])
    assert "calibration_gamma" in table


FIGURES: dict[Measure, str] = {
    "zsl": "zsl",
    "u": "plain.unseen",
    "s": "plain.seen",
    "H": "plain.harmonic",
    "u at gamma": "calibrated.unseen",
    "s at gamma": "calibrated.seen",
    "H at gamma": "calibrated.harmonic",
}


def figure(evaluation, path):
    for name in path.split("."):
        evaluation = getattr(evaluation, name)
    return evaluation


@pytest.mark.parametrize("measure", FIGURES)
@pytest.mark.parametrize("average", ["class", "sample"])
def test_every_measure_is_the_one_the_run_reports(store, measure, average):
    found = comparison.occasions(spec_of(), DATA, store, measure, average=average)
    assert found.names == (
        ("first", "PS", "validated"),
        ("first", "SS", "validated"),
        ("second", "PS", "validated"),
    )
    for i, (name, split, _) in enumerate(found.names):
        for j, method in enumerate(METHODS):
            e = store.get(spec_of().run(name, split, method).key).evaluation
            value = found.figures[0, i, j]
            if split == "SS" and measure != "zsl":
                assert np.isnan(value)
                continue
            path = FIGURES[measure]
            if average == "sample":
                path = path.replace(".", "_per_sample.") if "." in path else "zsl_per_sample"
            assert value == pytest.approx(figure(e, path))


def test_every_fold_is_an_occasion_with_its_own_parameters(store):
    found = comparison.occasions(spec_of(splits=("PS",)), DATA, store, "H at gamma", choice="folds")
    assert [name for *_, name in found.names] == ["0", "1", "0", "1"]
    first = store.get(spec_of().run("first", "PS", "LinearS2V").key)
    for k, choice in enumerate(first.fold_choices):
        model = get_method("LinearS2V")(**choice.params)
        scores = protocol.fit_and_score(model, WORLD, WORLD.splits["PS"])
        expected = protocol.evaluate(scores, choice.gamma).calibrated.harmonic
        assert found.figures[0, k, METHODS.index("LinearS2V")] == pytest.approx(expected)
    assert (found.seconds > 0).all()


def test_with_parameters_chosen_for_zsl_gamma_is_that_of_the_folds_never_none(tmp_path):
    store, spec = ResultStore(tmp_path / "runs.sqlite"), spec_of(task="zsl", methods=("ESZSL",))
    run = spec.run("first", "PS", "ESZSL")
    Plan([run], choices=("folds", "oracle")).complete_all(WORLD, store)
    for choice in ("folds", "oracle"):
        for other in planned(store.get(run.key), choice):
            result = store.get(other.key)
            params = dict(other.params.items())
            expected = protocol.select(
                get_method("ESZSL")(**params), WORLD, WORLD.splits["PS"], task="gzsl", grid={}
            )
            assert result.gamma == pytest.approx(expected.gamma)
            assert result.gamma != 0
            assert result.gamma_origin == "validated"


def test_the_oracle_is_never_below_what_the_folds_chose(store):
    validated, oracle = (
        comparison.occasions(spec_of(), DATA, store, "H at gamma", choice=choice).complete
        for choice in ("validated", "oracle")
    )
    assert oracle.names[0][2] == "oracle"
    assert (oracle.figures >= validated.figures - 1e-9).all()


def test_draws_are_those_of_classes_and_the_same_for_all_methods(store):
    spec = spec_of(splits=("PS",))
    found = comparison.occasions(spec, DATA, store, "H", n_draws=20)
    result = store.get(spec.run("first", "PS", "ESZSL").key)
    scores = protocol.fit_and_score(get_method("ESZSL")(**result.params), WORLD, WORLD.splits["PS"])
    drawn = significance.class_draws(scores.seen, 20)
    expected = resampling.figures(scores, drawn)["harmonic"]
    np.testing.assert_allclose(found.figures[:, 0, 0], expected, atol=1e-9)


def test_methods_without_all_runs_are_no_part_of_a_complete_comparison(tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    spec = spec_of(splits=("PS",))
    for name, method in (("first", "ESZSL"), ("second", "ESZSL"), ("first", "LinearS2V")):
        Plan([spec.run(name, "PS", method)]).complete_all(DATA[name], store)
    found = comparison.occasions(spec, DATA, store, "zsl")
    assert np.isnan(found.figures[0]).sum() == 3
    assert found.complete.methods == ("ESZSL",)
    assert found.complete.figures.shape == (1, 2, 1)
    assert len(found.table()) == 6


def test_bad_questions_are_refused(store):
    with pytest.raises(ZSLError, match="measure"):
        comparison.occasions(spec_of(), DATA, store, "accuracy")
    with pytest.raises(DatasetError, match="None of first, second has the split PS v1"):
        comparison.occasions(spec_of(splits=("PS v1",)), DATA, store, "zsl")


# --- The same images, other prototypes ------------------------------------------------------------


DIGITS = load("digits")


def with_prototypes(name, prototypes, **changes):
    told = {
        "features": DIGITS.features,
        "labels": DIGITS.labels,
        "class_names": DIGITS.class_names,
        "splits": list(DIGITS.splits.values()),
    }
    return ZSLDataset(name=name, prototypes=prototypes, **told | changes)


RNG = np.random.default_rng(0)
NOISE = with_prototypes("noise", RNG.normal(size=DIGITS.prototypes.shape))


@pytest.fixture(scope="module")
def runs():
    def of(data):
        given = RunSpec(data.name, "PS", "LinearS2V", {"lam": 0.1}, digest=data.digest)
        specs = [replace(given, select_for=task) for task in ("zsl", "gzsl")]
        return [run_spec(spec, data, with_oracle=False).result for spec in specs]

    return {"attributes": of(DIGITS), "noise": of(NOISE)}


def table_of(differences, n_seen=0):
    """Return accuracies of one method, ``differences`` above those of the reference."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.6, len(differences))
    rows = []
    for embedding, add in (("one", 0.0), ("other", np.asarray(differences))):
        for k, value in enumerate(base + add):
            role = "seen" if k < n_seen else "unseen"
            zsl = np.nan if role == "seen" else value
            rows.append((embedding, "M", f"class {k}", role, zsl, value if n_seen else np.nan))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_figures_are_those_of_the_runs(runs):
    compared = compare_embeddings(per_class(runs)).set_index(["figure", "embedding"])
    for embedding, (zsl, gzsl) in runs.items():
        assert compared.loc[("ZSL", embedding), "value"] == pytest.approx(zsl.evaluation.zsl)
        harmonic = gzsl.evaluation.calibrated.harmonic
        assert compared.loc[("H at gamma", embedding), "value"] == pytest.approx(harmonic)
    one, other = compared.loc["ZSL", "value"]
    assert compared.loc[("ZSL", "noise"), "difference"] == pytest.approx(other - one)
    assert np.isnan(compared.loc[("ZSL", "attributes"), "difference"])


def test_a_steady_difference_is_found_and_has_a_narrow_interval():
    steady = 0.1 + 0.01 * np.random.default_rng(2).normal(size=40)
    (row,) = compare_embeddings(table_of(steady)).dropna(subset=["difference"]).to_dict("records")
    assert row["difference"] == pytest.approx(steady.mean())
    assert 0.09 < row["difference_low"] < row["difference_high"] < 0.11
    # Each figure alone is far less sure: what makes a class hard for both cancels.
    assert row["high"] - row["low"] > 3 * (row["difference_high"] - row["difference_low"])
    assert row["p_holm"] < 1e-6


def test_no_difference_is_not_told_apart():
    nothing = 0.1 * np.random.default_rng(3).normal(size=40)
    compared = compare_embeddings(table_of(nothing - nothing.mean()))
    (row,) = compared.dropna(subset=["difference"]).to_dict("records")
    assert row["difference_low"] < 0 < row["difference_high"]
    assert (
        "higher in 0 of 1 comparisons, lower in 0, and not significantly different in 1"
        in in_a_sentence(compared, "one")
    )


def test_the_reference_may_be_any_and_turns_the_sign():
    table = table_of(np.full(20, 0.1) + 0.01 * np.random.default_rng(4).normal(size=20), n_seen=8)
    there, back = compare_embeddings(table, "one"), compare_embeddings(table, "other")
    differences = [each.dropna(subset=["difference"])["difference"] for each in (there, back)]
    np.testing.assert_allclose(differences[0], -differences[1].to_numpy())
    assert "lower in 1," in in_a_sentence(there, "one")
    assert "higher in 1 of 1" in in_a_sentence(back, "other")


def test_what_cannot_be_compared_is_refused():
    table = table_of(np.zeros(5))
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        compare_embeddings(table, "othr")
    with pytest.raises(DatasetError, match="the same classes under every embedding"):
        compare_embeddings(table.iloc[:-1])
    assert compare_embeddings(table[table["embedding"] == "one"])["difference"].isna().all()


# --- Data sets ------------------------------------------------------------------------------------


def test_the_benchmark_writes_a_table(runs, monkeypatch, tmp_path):
    monkeypatch.setattr("benchmarks.measuring.RESULTS", tmp_path)
    benchmark.write({"digits": per_class(runs)})
    assert "| LinearS2V | noise |" in (tmp_path / "class_embeddings.md").read_text()
