import pandas as pd
import pytest

from tests.analysis.papers.test_claims import cells, of
from zslcore.analysis.papers.alongside import PRINTED_TABLES, candidates, with_runs
from zslcore.datasets.facts import earlier_version, published, published_tables
from zslcore.exceptions import UnknownNameError

NOTHING = of()


def test_every_printed_table_is_described_and_those_without_ours_say_why():
    assert set(PRINTED_TABLES) == set(published_tables())
    for name, table in PRINTED_TABLES.items():
        assert table.title
        assert table.source
        assert bool(table.columns) != bool(table.why_alone)
        assert set(table.columns) <= set(published(name).columns)


@pytest.mark.parametrize("name", PRINTED_TABLES)
def test_every_printed_figure_comes_through(name):
    made, table = with_runs(name, NOTHING), published(name)
    columns = PRINTED_TABLES[name].columns
    if not columns:
        pd.testing.assert_frame_equal(made, table)
        return
    assert len(made) == len(table) * len(columns)
    assert made["ours"].isna().all()
    printed = sorted(table[list(columns)].to_numpy().ravel())
    assert sorted(made["printed"]) == pytest.approx(printed)


@pytest.mark.parametrize(("name", "moved"), [("zsl_top1", 18), ("gzsl_ps", 30)])
def test_both_versions_of_a_table_stand_in_one(name, moved):
    made = with_runs(name, NOTHING)
    differ = made.dropna(subset=["earlier"])
    assert len(differ) == moved
    assert (differ["earlier"] != differ["printed"]).all()
    at = (differ["method"] == "ESZSL") & (differ["dataset"] == "CUB")
    of_eszsl = differ[at].set_index("figure")
    figure, pair = ("zsl", (0.519, 0.539)) if name == "zsl_top1" else ("H", (0.233, 0.210))
    assert tuple(of_eszsl.loc[figure, ["printed", "earlier"]]) == pytest.approx(pair)


def test_table_4_beside_ours_says_which_version_it_has():
    rows = cells({"SYNC": 0.5, "CONSE": 0.5}, data=("AWA1", "AWA2"))
    made = with_runs("cross_dataset_awa", of(rows)).dropna(subset=["ours"])
    now = published("zsl_top1").query("split == 'PS'").set_index(["method", "dataset"])
    before = earlier_version("zsl_top1").query("split == 'PS'").set_index(["method", "dataset"])
    for row in made.itertuples():
        cell = (row.method, row.train_dataset)
        assert row.printed == before["top1_per_class"][cell] != now["top1_per_class"][cell]
        assert "earlier version" in row.why
    assert len(made) == 4


def test_ours_stands_beside_the_same_data_split_method_and_choice():
    rows = cells({"ESZSL": 0.5}, data=("CUB",))
    rows += cells({"ESZSL": 0.4}, split="SS", data=("CUB",))
    rows += cells({"ESZSL": 0.1}, chosen_for="gzsl", data=("CUB",))
    made = with_runs("zsl_top1", of(rows)).dropna(subset=["ours"])
    assert list(made["method"]) == ["ESZSL", "ESZSL"]
    by_split = made.set_index("split")
    ours = {row["split"]: row["value"] for row in rows if row["chosen_for"] == "zsl"}
    assert by_split["ours"].to_dict() == pytest.approx(ours)
    assert by_split["difference"]["PS"] == pytest.approx(ours["PS"] - 0.519)
    assert set(made["on"]) == {"CUB"}


def test_calibrated_figures_go_by_what_lambda_was_chosen_for():
    rows = cells({"ALE": 0.3}, "H", data=("CUB",))
    rows += cells({"ALE": 0.4}, "H at gamma", data=("CUB",))
    rows += cells({"ALE": 0.5}, "H at gamma", chosen_for="gzsl", data=("CUB",))
    made = with_runs("calibration_gzsl_harmonic", of(rows)).dropna(subset=["ours"])
    assert [round(value, 1) for value in made["ours"]] == [0.3, 0.4, 0.5]
    assert list(made["figure"]) == ["H", "H at gamma", "H at gamma"]


def test_a_crossed_cell_has_no_run_beside_it():
    rows = cells({"ALE": 0.5}, data=("AWA1", "AWA2"))
    made = with_runs("cross_dataset_awa", of(rows)).dropna(subset=["ours"])
    assert len(made) == 2
    assert (made["train_dataset"] == made["test_dataset"]).all()


def test_reasons_are_given_where_there_is_a_difference():
    rows = cells({"SAE": 0.5, "ALE": 0.5, "SYNC": 0.5}, data=("CUB",))
    real = with_runs("zsl_top1", of(rows)).set_index("method")["why"]
    assert set(real["ALE"]) == {"", "CUB here, ResNet-101 there"}
    assert "semantic space" in " ".join(real["SAE"])
    simulated = with_runs("zsl_top1", of(rows, body="simulated"))
    assert set(simulated.dropna(subset=["ours"])["why"]) == {"simulated data"}


def test_of_several_data_sets_the_chosen_one_stands_for_a_benchmark():
    rows = cells({"ALE": 0.5}, data=("CUB",))
    longer = [row | {"data": "CUB-other", "value": 0.1} for row in rows]
    ours = of([*longer, *rows])
    assert candidates("zsl_top1", ours) == {"CUB": ["CUB", "CUB-other"]}
    for name, value in (("CUB", 0.5), ("CUB-other", 0.1)):
        made = with_runs("zsl_top1", ours, [name]).dropna(subset=["ours"])
        assert made["on"].item() == name
        assert made["ours"].item() == pytest.approx(value, abs=0.05)
    # A name says nothing: without a choice there is no figure, but where there is one alone.
    assert with_runs("zsl_top1", ours)["ours"].isna().all()
    assert with_runs("zsl_top1", of(longer))["on"].max() == "CUB-other"
    assert candidates("gzsl_ps", ours) == {}


def test_the_papers_variant_stands_beside_its_table_and_another_scaling_is_other_data():
    rows = cells({"SAE": 0.5, "SAE (V2S)": 0.3, "SAE (V2S, features none)": 0.1}, data=("CUB",))
    ours = of(rows)
    assert candidates("zsl_top1", ours) == {"CUB": ["CUB", "CUB, features none"]}
    values = {row["method"]: row["value"] for row in rows}
    unit = with_runs("zsl_top1", ours, ["CUB"]).dropna(subset=["ours"])
    assert unit["ours"].item() == values["SAE (V2S)"]
    assert unit["why"].item() == "CUB here, ResNet-101 there"
    raw = with_runs("zsl_top1", ours, ["CUB, features none"]).dropna(subset=["ours"])
    assert raw["ours"].item() == values["SAE (V2S, features none)"]
    # The calibration paper has the other direction.
    assert candidates("calibration_zsl_top1", ours) == {"CUB": ["CUB"]}
    there = with_runs("calibration_zsl_top1", ours).dropna(subset=["ours"])
    assert there["ours"].item() == values["SAE"]


def test_a_table_that_is_none_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'zsl_top1'"):
        with_runs("zsl_top", NOTHING)
