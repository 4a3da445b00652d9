"""A sweep over methods loses nothing that is finished, and stands beside the papers."""

import argparse
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from benchmarks import features, measuring
from benchmarks.features import Source
from tests.worlds import linear_world
from zslcore.datasets import Split
from zslcore.evaluation import protocol
from zslcore.evaluation.runs import execute_in_full
from zslcore.results import planning
from zslcore.results.store import ResultStore

SOURCE = Source("A linear world", "AWA2", linear_world, seeds=3)
METHODS = ["LinearS2V", "CMT"]  # a closed form, and a method with seeds


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of data after all runs, and what they said."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder))
        return folder, run_all()


@pytest.fixture
def finished(stored, tmp_path):
    """All runs are in the store of a test; what they said."""
    folder, lines = stored
    shutil.copytree(folder, tmp_path / "data")
    return lines


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")


def run_all():
    world = linear_world()
    return [
        features.run(SOURCE, runs)
        for runs in features.specs(world, ["PS"], METHODS, variants=False)
    ]


def test_what_is_finished_is_not_run_again(finished):
    assert [line.split("# ")[1].split(",")[0] for line in finished] == ["2 runs", "6 runs"]
    assert all("# 0 runs" in line for line in run_all())


def test_an_interrupted_sweep_goes_on_where_it_stopped(monkeypatch):
    execute, calls = planning.execute_in_full, []

    def until_the_fifth(spec, *args, **options):
        calls.append(spec.key)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return execute(spec, *args, **options)

    monkeypatch.setattr(planning, "execute_in_full", until_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        run_all()
    assert len(ResultStore().results()) == 4
    run_all()
    assert len(ResultStore().results()) == 8
    assert len(calls) == 9  # the one that was cut short is the only one begun twice
    assert len(set(calls)) == 8


def test_both_tasks_have_the_oracle_that_was_swept_once(monkeypatch):
    swept = []
    oracle = protocol.Setting.oracle
    spy = lambda *a, **k: swept.append(a) or oracle(*a, **k)  # noqa: E731
    monkeypatch.setattr(protocol.Setting, "oracle", spy)
    (both, _) = features.specs(linear_world(), ["PS"], METHODS, variants=False)
    features.run(SOURCE, both)
    one, other = ResultStore().results()
    assert len(swept) == 1
    assert one.oracle == other.oracle is not None
    assert {one.spec.select_for, other.spec.select_for} == {"zsl", "gzsl"}


def report(folder):
    features.sweep(
        "world", "# A title\n", {"linear world": SOURCE}, argparse.Namespace(report=True)
    )
    return (folder / "results" / "world.md").read_text()


@pytest.mark.usefixtures("finished")
def test_methods_keep_their_order_where_a_task_is_missing(tmp_path):
    store = ResultStore()
    specs = (result.spec for result in store.results() if result.spec.method == "LinearS2V")
    store.delete(next(spec.key for spec in specs if spec.select_for == "gzsl"))
    text = report(tmp_path)
    assert 0 < text.index("| LinearS2V |") < text.index("| CMT |")


@pytest.mark.usefixtures("finished")
@pytest.mark.slow
def test_methods_that_are_not_run_again_keep_their_rows(tmp_path, monkeypatch):
    before = report(tmp_path)
    old = pd.read_csv(tmp_path / "results" / "world.csv", dtype={"version": str})
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "another store"))

    def of_another_version(*args, **options):
        done = execute_in_full(*args, **options)
        return replace(done, result=replace(done.result, version="9.9"))

    monkeypatch.setattr(planning, "execute_in_full", of_another_version)
    (spec,) = features.specs(linear_world(), ["PS"], METHODS[:1], variants=False)
    features.run(SOURCE, spec)
    assert [line for line in report(tmp_path).splitlines() if line.startswith("|")] == [
        line for line in before.splitlines() if line.startswith("|")
    ]
    new = pd.read_csv(tmp_path / "results" / "world.csv", dtype={"version": str})
    pd.testing.assert_frame_equal(new[new.method == "CMT"], old[old.method == "CMT"])
    assert set(new[new.method == "LinearS2V"].version) == {"9.9"}
    # Rows of other data say nothing about these.
    other = Source("Other data", "AWA2", lambda: linear_world(seed=1), seeds=3)
    features.sweep("world", "# A title\n", {"linear world": other}, argparse.Namespace(report=True))
    assert len(pd.read_csv(tmp_path / "results" / "world.csv")) == len(new)  # nothing was finished


@pytest.mark.slow
def test_the_standard_split_is_run_for_zsl_with_one_seed_and_stands_in_a_column(tmp_path):
    world = linear_world()
    standard = Split.from_classes(
        "SS", world.labels, [8, 9, 10, 11], folds=[[0, 1], [4, 5]], seen_test_fraction=0
    )
    world = replace(world, splits=[*world.splits.values(), standard], known_digest="")
    source = Source("A linear world", "AWA2", lambda: world, seeds=3)
    for runs_ in features.specs(world, ["PS", "SS"], ["ESZSL", "CMT"], variants=False):
        features.run(source, runs_)
    features.sweep(
        "world", "# A title\n", {"linear world": source}, argparse.Namespace(report=True)
    )
    rows = pd.read_csv(tmp_path / "results" / "world.csv")
    on_standard = rows[rows["split"] == "SS"]
    assert sorted(on_standard["method"]) == ["CMT", "ESZSL"]
    assert set(on_standard["select_for"]) == {"zsl"}
    text = (tmp_path / "results" / "world.md").read_text()
    head, _, *lines = (line for line in text.splitlines() if line.startswith("| "))
    at = head.split(" | ").index("ZSL on SS")
    (value,) = on_standard.loc[on_standard["method"] == "ESZSL", "zsl"]
    line = next(line for line in [_, *lines] if line.startswith("| ESZSL"))
    assert line.split(" | ")[at].strip() == f"{100 * value:.1f}"


@pytest.mark.usefixtures("finished")
def test_the_report_stands_beside_the_papers_and_says_what_it_averages(tmp_path):
    text = report(tmp_path)
    rows = pd.read_csv(tmp_path / "results" / "world.csv")
    assert len(rows) == 8
    cmt = next(line for line in text.splitlines() if line.startswith("| CMT |"))
    zsl = 100 * rows[(rows["method"] == "CMT") & (rows["select_for"] == "zsl")]["zsl"]
    assert cmt.startswith(f"| CMT | {zsl.mean():.1f} | {zsl.std():.1f} |")
    assert " 37.9 |" in cmt  # the comprehensive paper's figure on AWA2
    mean = rows[rows["select_for"] == "zsl"].groupby("method").mean(numeric_only=True)
    lifted = (mean["calibrated_harmonic"] > mean["plain_harmonic"]).sum()
    assert f"lifts H in {lifted} of 2 rows" in text


@pytest.mark.usefixtures("finished")
def test_figures_of_the_fit_for_gzsl_have_a_heading_that_says_so(tmp_path):
    """H at gamma and AUSUC of two fits are no two figures of one model."""
    report(tmp_path)
    rows = pd.read_csv(tmp_path / "results" / "world.csv")
    values = rows["select_for"].map({"zsl": 0.25, "gzsl": 0.5})
    figures = ["zsl", "plain_unseen", "plain_harmonic", "calibrated_harmonic", "ausuc"]
    found = features.summary(rows.assign(**dict.fromkeys(figures, values)))
    for column in ("ZSL", "u", "H plain", "H calibrated"):
        assert set(found[column]) == {0.25}
    for column in ("H calibrated, for GZSL", "AUSUC, for GZSL"):
        assert set(found[column]) == {0.5}
    assert "AUSUC" not in found
