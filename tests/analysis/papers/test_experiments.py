"""Experiments of the papers: their runs, resuming, and the printed values next to the results."""

import argparse
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.analysis.papers.experiments import reproducing
from zslcore.analysis.papers.experiments.experiment import TablePart, widen_table
from zslcore.analysis.papers.experiments.reproducing import EXPERIMENTS, NOT_COMPUTED, reproduce
from zslcore.analysis.papers.experiments.runs import RunsExperiment
from zslcore.commands.reproduce import heading
from zslcore.datasets.base import Split
from zslcore.datasets.facts import published_table
from zslcore.evaluation import runs
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError
from zslcore.methods import METHODS, VARIANTS
from zslcore.methods._two_stage import TwoStageModel
from zslcore.results import planning, shipped
from zslcore.results.store import ResultStore
from zslcore.scores.fold_scores import parts_to_score

WORLD = linear_world(noise=1.0)
OTHER = replace(linear_world(noise=1.0, seed=1), name="other world", class_names=WORLD.class_names)
SS = Split.from_classes(
    "SS", WORLD.labels, unseen=range(8, 12), folds=[[0, 1], [2, 3]], seen_test_fraction=0
)
BOTH = replace(WORLD, name="both splits", splits=[WORLD.splits["PS"], SS])
WORLDS = {world.name: world for world in (WORLD, OTHER, BOTH)}


@pytest.fixture(autouse=True)
def _worlds(monkeypatch, own_data):
    monkeypatch.setattr(shipped, "load", WORLDS.__getitem__)
    shipped.read_once.cache_clear()
    yield
    shipped.read_once.cache_clear()


def reproduced(name, *datasets, methods=("LinearS2V",), **options):
    return reproduce(name, datasets or [WORLD.name], methods, jobs=1, **options)


OF_RUNS = [name for name, item in EXPERIMENTS.items() if isinstance(item, RunsExperiment)]


@pytest.mark.parametrize("name", OF_RUNS)
def test_every_cell_is_a_metric_of_a_result_and_a_column_of_its_table(name):
    of_table = EXPERIMENTS[name]
    assert len(set(of_table.methods)) == len(of_table.methods) >= 3
    printed = of_table.printed_table
    for benchmark in printed["benchmark"].unique():
        table = of_table.printed(benchmark)
        assert set(table.index) == set(printed["method"])
        assert list(table) == [cell.title for cell in of_table.cells]
        assert table.notna().any(axis=None)
        assert table.index.is_unique
    assert of_table.printed(None).empty


def test_printed_cells_are_those_of_the_papers():
    CUB = {name: EXPERIMENTS[name].printed("CUB") for name in ("gbu:table3", "gbu:table6")}
    assert CUB["gbu:table3"].loc["SJE"].tolist() == pytest.approx([0.553, 0.539])
    assert CUB["gbu:table6"].loc["DAP"].tolist() == pytest.approx([0.017, 0.679, 0.033])
    H = EXPERIMENTS["cal:table2"].printed("CUB").loc["LinearV2S"]
    assert H.tolist() == pytest.approx([0.182, 0.343, 0.355])


def test_h_in_three_settings_equals_the_runs():
    table = reproduced("cal:table2", methods=["ESZSL"], benchmark="CUB").set_index("cell")
    by_task = {r.spec.select_for: r for r in ResultStore().results()}
    assert set(by_task) == {"zsl", "gzsl"}
    zsl, gzsl = (by_task[task].evaluation for task in ("zsl", "gzsl"))
    ours = [zsl.plain.harmonic, zsl.calibrated.harmonic, gzsl.calibrated.harmonic]
    assert table["ours"].tolist() == ours
    printed_row = EXPERIMENTS["cal:table2"].printed("CUB").loc["ESZSL"].tolist()
    assert table["printed"].isna().all()  # simulated data have no printed values
    part = TablePart((WORLD.name,), ("ESZSL",), benchmark="CUB")
    assert EXPERIMENTS["cal:table2"].table(part)["printed"].tolist() == printed_row
    assert table["difference"].isna().all()  # a simulated world has no printed values
    assert table["key"].tolist() == [by_task[t].key for t in ("zsl", "zsl", "gzsl")]


def test_runs_are_shared_between_tables(monkeypatch):
    calls = []
    monkeypatch.setattr(
        planning, "run", lambda *a, **k: calls.append(a[0].key) or runs.run(*a, **k)
    )
    first = reproduced("cal:table2")
    assert len(calls) == 2
    again = reproduced("cal:table2")
    pd.testing.assert_frame_equal(first, again)
    reproduced("gbu:table6", features="l2")
    reproduced("cal:table1")
    assert len(calls) == 2
    monkeypatch.setattr(reproducing, "parallel", None)  # all runs are stored, so none is started
    reproduced("cal:table2")


class ReportingTask:
    """A task that reports its progress."""

    def complete(self, progress):
        progress(0, 1, "draw 1 of 1")
        return 1

    def is_stored(self):
        return False


def test_a_task_may_report_progress_without_a_listener():
    assert list(reproducing.run_tasks({"a": [ReportingTask()]}, 1, None)) == [("a", 1)]


def test_an_interrupted_experiment_resumes(monkeypatch):
    calls = []

    def until_the_third(spec, *args, **options):
        calls.append(spec.key)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return runs.run(spec, *args, **options)

    monkeypatch.setattr(planning, "run", until_the_third)
    methods = ["LinearS2V", "ESZSL"]
    with pytest.raises(KeyboardInterrupt):
        reproduced("cal:table2", methods=methods)
    assert len(ResultStore().results()) == 2
    events = []
    table = reproduced("cal:table2", methods=methods, on_done=lambda *event: events.append(event))
    assert len(calls) == 5
    assert table["ours"].notna().all()
    assert events == [(1, 2, "LinearS2V, PS", 0), (2, 2, "ESZSL, PS", 2)]


def test_methods_with_shared_classifiers_are_one_task(monkeypatch):
    solved, events = [], []
    plain = TwoStageModel._path

    def path(self, *args):
        solved.append(self.card.name)
        return plain(self, *args)

    monkeypatch.setattr(TwoStageModel, "_path", path)
    methods = ["CONSE", "IAP", "ESZSL"]
    reproduced("gbu:table3", methods=methods, on_done=lambda *event: events.append(event))
    assert events == [(1, 2, "CONSE and IAP, PS", 2), (2, 2, "ESZSL, PS", 1)]
    folds = len(WORLD.splits["PS"].folds)
    # The sweep over C is made once per fold; each fold may choose another C.
    assert solved[: 2 * folds + 1] == ["CONSE"] * (2 * folds + 1)
    assert solved.count("IAP") <= folds + 1


def test_seeds_of_a_stochastic_method_give_mean_and_deviation(monkeypatch):
    def quick(spec, dataset, **options):
        """A run of a closed form under the spec of a stochastic one."""
        changed = replace(spec, method="LinearS2V", params={}, grid=None, revisions={})
        done = runs.run(replace(changed, seed=0), dataset, with_oracle=False)
        metrics = replace(done.result.evaluation, zsl=0.2 + 0.1 * spec.seed)
        new = {"key": spec.key, "spec": spec, "params": {"margin": 1.0}, "evaluation": metrics}
        return replace(done, result=replace(done.result, **new))

    monkeypatch.setattr(planning, "run", quick)
    table = reproduced("cal:table1", methods=["SJE"], seeds=3)
    row = table.iloc[0]
    assert (row["seeds"], row["ours"]) == (3, pytest.approx(0.3))
    assert row["std"] == pytest.approx(0.1)


def test_only_available_splits_are_run(monkeypatch):
    assert reproduced("gbu:table3")["cell"].tolist() == ["PS"]
    both = reproduced("gbu:table3", BOTH.name)
    assert both["cell"].tolist() == ["SS", "PS"]
    assert both["ours"].notna().all()
    monkeypatch.setitem(WORLDS, "bare", replace(WORLD, name="bare", splits=[]))
    with pytest.raises(DatasetError, match=r"needs split SS or PS; bare has none\."):
        reproduced("gbu:table3", "bare")


def test_two_data_sets_are_crossed_next_to_printed_cells():
    table = reproduced("gbu:table4", WORLD.name, OTHER.name).set_index("cell")
    assert list(table.index) == ["AWA1:AWA1", "AWA1:AWA2", "AWA2:AWA2", "AWA2:AWA1"]
    assert table["ours"].notna().all()
    events = []
    how = {"methods": ["ESZSL"], "on_done": lambda *event: events.append(event[-1])}
    for _ in range(2):
        reproduced("gbu:table4", WORLD.name, OTHER.name, **how)
    assert events == [2, 0]


def test_transductive_methods_are_compared_with_inductive_forms_and_stored():
    table = reproduced("gbu:figure8", methods=["GFZSL-tran"])
    kinds = ("inductive", "transductive")
    assert table["cell"].tolist() == [
        f"{metric}, {kind}" for kind in kinds for metric in ("ZSL", "H")
    ]
    assert table["ours"].between(0, 1).all()
    events = []
    again = reproduced(
        "gbu:figure8", methods=["GFZSL-tran"], on_done=lambda *event: events.append(event[-1])
    )
    assert events == [0]
    pd.testing.assert_frame_equal(table, again)
    (stored,) = ResultStore().study_results(["transductive"])
    assert [row["contender"] for row in stored.rows] == ["inductive", "transductive"]
    assert stored.about["dataset"] == WORLD.name
    with closing(sqlite3.connect(ResultStore().path)) as db, db:
        db.execute("UPDATE results SET result = '{'")
    assert EXPERIMENTS["gbu:figure8"].study(WORLD.name, "GFZSL-tran").stored() is None


@pytest.mark.parametrize("name", ["gbu:table3", "gbu:table6"])
def test_tables_of_the_benchmark_paper_run_its_variants_on_raw_features(name):
    reproduced(name, methods=["SAE", "GFZSL", "LinearS2V"])
    specs = {run.spec.method: run.spec for run in ResultStore().results()}
    assert specs["SAE"].params == {"direction": "V2S"}
    assert specs["GFZSL"].params == {"seen": "estimated"}
    assert specs["LinearS2V"].params == {}
    assert {spec.features for spec in specs.values()} == {"none"}


def test_variants_are_stored_under_separate_keys():
    """The calibration paper scores SAE in the visual space, which changes its results."""
    of_gbu = reproduced("gbu:table6", methods=["SAE"]).iloc[0]
    of_cal = reproduced("cal:table2", methods=["SAE"]).iloc[0]
    unit = reproduced("gbu:table6", methods=["SAE"], features="l2").iloc[0]
    same = reproduced(
        "gbu:table6", methods=["SAE"], features="l2", params={"SAE": {"direction": "S2V"}}
    ).iloc[0]
    assert len({of_gbu["key"], of_cal["key"], unit["key"]}) == 3
    assert same["key"] == of_cal["key"]
    assert len(ResultStore().results()) == 4  # cal:table2 also chooses parameters for GZSL
    assert {run.spec.params["direction"] for run in ResultStore().results()} == {"S2V", "V2S"}


def test_parameters_and_features_of_the_command_reach_the_runs_and_are_named(printed):
    words = ["reproduce", "gbu:table3", "--dataset", WORLD.name, "--jobs", "1"]
    output = printed(*words, "--method", "SAE", "LinearS2V", "--param", "LinearS2V.lam=0.1")
    assert "Features without scaling, prototypes of unit length." in output
    assert "Parameters set: SAE with direction = V2S; LinearS2V with lam = 0.1." in output
    assert "Features of unit length" in printed(
        *words, "--method", "LinearS2V", "--features", "unit"
    )
    result = {(run.spec.features, *run.spec.params.items()) for run in ResultStore().results()}
    assert result == {("none", ("direction", "V2S")), ("none", ("lam", 0.1)), ("l2",)}
    for options, sentence in (
        ("lam=0.1", "--param: expected METHOD.NAME=VALUE; got 'lam=0.1'."),
        ("SEA.lam=1", "did you mean 'SAE'"),
        ("SAE.lma=1", "did you mean 'lam'"),
    ):
        assert sentence in printed(*words, "--method", "SAE", "--param", options, status=2)
    assert "gbu:table4 takes no parameters; got parameters of SAE." in printed(
        "reproduce", "gbu:table4", "--param", "SAE.lam=1", status=2
    )


def test_unknown_experiments_and_methods_are_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean 'cal:table2'"):
        reproduced("cal:tabel2")
    with pytest.raises(UnknownNameError, match="did you mean 'ESZSL'"):
        reproduced("cal:table2", methods=["ESZLS"])
    with pytest.raises(UnknownNameError, match="method for gbu:figure8 'ESZSL'"):
        reproduced("gbu:figure8", methods=["ESZSL"])
    with pytest.raises(ParameterError, match=r"gbu:table4 needs 2 data sets; got 1\."):
        reproduced("gbu:table4")


def test_every_variant_has_parameters_of_its_method():
    for name, variants in VARIANTS.items():
        for variant in variants:
            METHODS[name](**variant)


def test_a_difference_that_rounds_to_zero_has_no_sign():
    row = {"dataset": "digits", "method": "SYNC", "at": "", "cell": "PS", "ours": 0.1977}
    row |= {"printed": 0.198, "difference": -0.0003}
    table = pd.DataFrame([row]).assign(std=np.nan, low=np.nan, high=np.nan)
    shown = widen_table(table, EXPERIMENTS["gbu:table3"]).to_numpy().tolist()
    assert shown == [["SYNC", "19.8", "19.8", "0.0"]]  # a single method has no row of means


def test_a_method_with_a_missing_cell_is_left_out_of_all_means():
    """DSRL has no inductive form, and the means of all cells are over the same methods."""
    rows = [
        ("DSRL", "ZSL, transductive", 0.5),
        ("ALE-tran", "ZSL, inductive", 0.25),
        ("ALE-tran", "ZSL, transductive", 0.75),
        ("GFZSL-tran", "ZSL, inductive", 0.35),
        ("GFZSL-tran", "ZSL, transductive", 0.45),
    ]
    table = pd.DataFrame(rows, columns=["method", "cell", "ours"])
    missing = dict.fromkeys(["std", "low", "high", "printed", "difference"], np.nan)
    table = table.assign(dataset="digits", at="", **missing)
    assert widen_table(table, EXPERIMENTS["gbu:figure8"]).to_numpy().tolist() == [
        ["DSRL", "50.0", "-"],
        ["ALE-tran", "75.0", "25.0"],
        ["GFZSL-tran", "45.0", "35.0"],
        ["mean of 2", "60.0", "30.0"],
    ]
    # One complete method has no row of means.
    with_one_complete = table[table["method"] != "GFZSL-tran"]
    assert len(widen_table(with_one_complete, EXPERIMENTS["gbu:figure8"])) == 2
    over_lambda = widen_table(table.assign(at="1"), EXPERIMENTS["cal:figure1"])
    assert "mean" not in over_lambda["method"].tolist()


def test_the_command_prints_our_results_next_to_printed_ones(capsys, printed):
    listed = printed("reproduce", "--list")
    names = [line.split()[0] for line in filter(None, listed.splitlines())]
    assert names == [*EXPERIMENTS, *NOT_COMPUTED]
    words = ["reproduce", "cal:table2", "--dataset", WORLD.name, "--jobs", "1", "--as", "CUB"]
    assert main([*words, "--method", "LinearS2V", "LinearV2S"]) == 0
    out, err = capsys.readouterr()
    assert "2/2  LinearV2S, PS: 2 runs" in err
    table = reproduced("cal:table2", methods=["LinearS2V", "LinearV2S"], benchmark="CUB")
    ours, printed_value = table.iloc[0][["ours", "printed"]]
    row = next(line for line in out.splitlines() if line.split()[:1] == ["LinearS2V"])
    assert row.split()[1] == f"{100 * ours:.1f}"
    assert np.isnan(printed_value)
    assert "diff" not in out
    mean = next(line for line in out.splitlines() if line.split()[:3] == ["mean", "of", "2"])
    assert mean.split()[3] == f"{100 * table[table['cell'] == 'H plain']['ours'].mean():.1f}"
    assert "linear world (simulated)" in out
    assert "ResNet-101" in out
    main([*words[:-2], "--method", "LinearS2V"])
    assert "The paper prints no metrics for these rows." in capsys.readouterr().out
    assert main(["reproduce"]) == main([*words, "--seeds", "0"]) == 2
    err = capsys.readouterr().err
    assert "expected one of gbu:table1" in err
    assert "--seeds: expected at least 1; got 0." in err


def test_the_example_drawing_counts_the_same_parts_as_a_run():
    table = reproduce("cal:figure2", [WORLD.name, OTHER.name])
    example = table[table["dataset"] == "20 classes of 10 images"]
    # The caption states 10 training, 5 validation and 5 unseen classes of ten images. Two images of
    # each seen class are for testing, and two of each training class for validation.
    images = [10 * 6, 10 * 2, 5 * 8, 15 * 2, 5 * 10]
    assert list(example[example["cell"] == "images"]["ours"]) == images
    assert (example["difference"] == 0).all()
    ours = table[(table["dataset"] == WORLD.name) & (table["cell"] == "images")]
    test, first, *_ = parts_to_score(WORLD, WORLD.splits["PS"])
    of_fold = WORLD.splits["PS"].folds[0].val
    held_out = np.setdiff1d(first.rows, of_fold)
    sizes = [first.train, held_out, of_fold, test.rows[test.seen[WORLD.labels[test.rows]]]]
    assert list(ours["ours"])[:4] == [*map(len, sizes)]
    assert ours["printed"].isna().all()


@pytest.mark.parametrize(("seeds", "over"), [(1, "one seed"), (5, "over up to 5 seeds")])
def test_the_heading_states_seeds_and_methods_of_a_mean(seeds, over):
    methods, printed = ["SAE", "ALE", "LinearV2S"], [0.6, 0.6, None]
    table = pd.DataFrame({"method": methods, "printed": printed, "seeds": [seeds, 1, 1]})
    table = table.assign(dataset=WORLD.name, at="", cell="SS", ours=[0.5, 0.6, 0.7])
    table = table.assign(difference=table["ours"] - table["printed"])
    about = argparse.Namespace(experiment="gbu:table3", dataset=[WORLD.name], seeds=seeds, draws=2)
    output = heading(about, EXPERIMENTS["gbu:table3"], table)
    assert over in output
    assert "the N methods with a value in every column." in output
    both = heading(about, EXPERIMENTS["gbu:table3"], table[:2])
    assert "mean of" not in both


@pytest.mark.parametrize("name", ["gbu:table3", "gbu:table6", "cal:table2"])
def test_precomputed_results_make_a_table_without_features(name, monkeypatch, printed, precomputed):
    monkeypatch.setattr(reproducing, "parallel", None)  # nothing is computed
    table = reproduce(name, ["CUB-vgg_fc7"])
    assert set(table["method"]) == set(EXPERIMENTS[name].methods)
    assert table[["ours", "printed", "difference"]].notna().all(axis=None)
    np.testing.assert_allclose(table["difference"], table["ours"] - table["printed"])
    assert "No cell needs features." in printed("reproduce", name, "--dataset", "CUB-vgg_fc7")


def test_our_ranks_are_next_to_the_printed_ranks_of_figure_4(monkeypatch, precomputed):
    """Figure 4 ranks over five data sets, so its ranks are not compared with ranks on one."""
    monkeypatch.setattr(reproducing, "parallel", None)
    table = reproduce("gbu:figure4", ["CUB-vgg_fc7"])
    ranks = table[table["cell"] == "mean rank"].set_index(["at", "method"])
    printed = published_table("zsl_mean_ranks").set_index(["split", "method"])["mean_rank"]
    assert len(ranks) == 26
    assert ranks["printed"].to_dict() == printed.to_dict()
    assert table["difference"].isna().all()


@pytest.mark.nightly
def test_cells_that_need_features_are_named(monkeypatch, printed, precomputed):
    out = printed("reproduce", "cal:table2", "--dataset", "AWA1-lss")
    assert "Cells that need features: SYNC (H plain, H calibrated, H calibrated, for GZSL); " in out
    assert "Import them under the name AWA1-lss" in out
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert main(["reproduce", "cal:table2", "--dataset", "AWA1-lss"]) == 2


@pytest.mark.parametrize("on", ["test", "validation"])
def test_a_precomputed_path_is_shown_without_features(on, precomputed):
    table = reproduce("cal:figure1", ["CUB-vgg_fc7"], on=on)
    assert table["ours"].between(0, 1).all()
    assert len(table["at"].unique()) == 25
    assert set(table["cell"]) == set(EXPERIMENTS["cal:figure1"].cells)
