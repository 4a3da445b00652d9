"""Whole tables of the papers, written from finished runs."""

import pandas as pd
import pytest

from benchmarks import measuring, papers
from tests.worlds import linear_world
from zslcore.analysis.papers.experiments import experiment, reproduce
from zslcore.results.store import ResultStore

WORLD = linear_world(noise=1.0)


@pytest.fixture(autouse=True)
def _world(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(experiment, "load", {WORLD.name: WORLD}.__getitem__)
    experiment.read_once.cache_clear()
    yield
    experiment.read_once.cache_clear()


def written(method, *options):
    papers.main([WORLD.name, "--method", method, "--jobs", "1", *options])
    text = (measuring.RESULTS / "papers.md").read_text(encoding="utf-8")
    return text, pd.read_csv(measuring.RESULTS / "papers.csv")


def test_a_table_holds_the_cells_and_the_seconds_of_its_runs():
    text, table = written("LinearS2V", "--only", "gbu:figure3", "cal:table2")
    there = reproduce("cal:table2", [WORLD.name], ["LinearS2V"], jobs=1)
    ours = table[table["experiment"] == "cal:table2"]
    assert list(ours["ours"]) == pytest.approx(list(there["ours"]), rel=1e-12)
    stored = {run.key: run.seconds for run in ResultStore().results()}
    assert list(ours["seconds"]) == pytest.approx([stored[key] for key in there["key"]])
    # The chosen parameters and what each of two folds chooses; then one run a task.
    for name, runs in (("gbu:figure3", 3), ("cal:table2", 2)):
        assert f"{runs} runs or paths" in text.split(f"## {name}")[1].split("##")[0]


def test_a_report_runs_nothing_and_writes_what_is_finished():
    assert "Not run." in written("LinearV2S", "--only", "cal:figure3", "--report")[0]
    assert not ResultStore().others()
    first, _ = written("LinearV2S", "--only", "cal:figure3")
    (path,) = ResultStore().others(["path"])
    assert f"1 run or path, {path.about['seconds']:,.0f} s." in first
    again, table = written("LinearV2S", "--only", "cal:figure3", "--report")
    assert again == first
    assert set(table["key"]) == {path.key}
