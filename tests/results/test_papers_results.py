"""Whole tables of the papers, written from finished runs."""

import pandas as pd
import pytest

from benchmarks import measuring, papers
from tests.worlds import linear_world
from zslcore.analysis.papers.experiments.reproducing import reproduce
from zslcore.results import shipped
from zslcore.results.store import ResultStore

WORLD = linear_world(noise=1.0)


@pytest.fixture(autouse=True)
def _world(own_data, tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(shipped, "load", {WORLD.name: WORLD}.__getitem__)
    shipped.read_once.cache_clear()
    yield
    shipped.read_once.cache_clear()


def written(method, *options):
    papers.main([WORLD.name, "--method", method, "--jobs", "1", *options])
    text = (measuring.RESULTS / "papers.md").read_text(encoding="utf-8")
    return text, pd.read_csv(measuring.RESULTS / "papers.csv")


def test_a_table_has_the_cells_and_durations_of_its_runs():
    text, table = written("LinearS2V", "--only", "gbu:figure3", "cal:table2")
    processes_result = reproduce("cal:table2", [WORLD.name], ["LinearS2V"], jobs=1)
    ours = table[table["experiment"] == "cal:table2"]
    assert list(ours["ours"]) == pytest.approx(list(processes_result["ours"]), rel=1e-12)
    stored = {run.key: run.seconds for run in ResultStore().results()}
    assert list(ours["seconds"]) == pytest.approx([stored[key] for key in processes_result["key"]])
    # The chosen parameters and the choice of each of two folds; then one run per task.
    for name, runs in (("gbu:figure3", 3), ("cal:table2", 2)):
        assert f"{runs} runs or paths" in text.split(f"## {name}")[1].split("##")[0]


def test_a_report_writes_finished_cells_without_runs():
    assert "Not run." in written("LinearV2S", "--only", "cal:figure3", "--report")[0]
    assert not ResultStore().study_results()
    first, _ = written("LinearV2S", "--only", "cal:figure3")
    (path,) = ResultStore().study_results(["path"])
    assert f"1 run or path, {path.about['seconds']:,.0f} s." in first
    again, table = written("LinearV2S", "--only", "cal:figure3", "--report")
    assert again == first
    assert set(table["key"]) == {path.key}


def test_a_precomputed_table_replaces_only_its_earlier_version(tmp_path):
    file = tmp_path / "papers.csv"
    header = ",".join(papers.SHIPPED)
    stays = "gbu:table3,CUB-vgg_fc7,DAP,,SS,0.3641286114122734,,,,1,f344"
    file.write_text(f"{header}\n{stays}\ncal:figure1,toy,LinearV2S,1,H,0.5,,,,1,old\n")
    row = {"experiment": "cal:figure1", "dataset": "toy", "method": "LinearV2S", "at": "1"}
    row |= {"cell": "H", "ours": 0.1 + 0.2, "std": None, "low": None, "high": None}
    cells = pd.DataFrame([row | {"seeds": 1, "key": "new"}, row | {"seeds": 1, "key": ""}])
    papers.ship(cells, "test", file)
    ours = "LinearV2S,1,H,0.30000000000000004,,,,1,new"
    assert file.read_text().splitlines() == [header, stays, f"cal:figure1,toy,{ours}"]
    papers.ship(cells, "validation", file)
    assert file.read_text().splitlines()[3:] == [f'"cal:figure1, validation",toy,{ours}']


def test_every_precomputed_table_is_written_by_default():
    measured = pd.read_csv(papers.MEASURED)["experiment"]
    assert {name for name in measured if ", " not in name} <= {*papers.DEFAULT_TABLES}
