"""``zslcore actions``: the shipped study, studies of one's own, and what is refused."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from tools.shipped import study_of_actions
from zslcore.__main__ import main
from zslcore.analysis.action_tables import action_gains
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    FeatureSet,
    baseline_of,
    feature_sets,
    paper_sets,
    semantics_in_words,
    usual_sets,
)
from zslcore.analysis.papers.experiments import actions as study
from zslcore.commands.actions import _verdict
from zslcore.datasets import load
from zslcore.exceptions import DatasetError
from zslcore.jobs.studies import stored_result
from zslcore.results.store import ResultStore

OS4 = CONFIGURATIONS["OS4"]


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


@pytest.mark.slow
def test_the_usual_study_is_the_shipped_one(monkeypatch, capsys):
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    monkeypatch.setattr(study, "make_fit", None)  # nothing is fitted
    assert main(["actions", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    study_shipped = stored_result(study_of_actions())
    gains = action_gains(study_shipped, "idt", configuration="OS1")
    assert [row["minus"] for row in rows] == pytest.approx(
        gains["minus"].astype(object).where(gains["minus"].notna(), None).tolist()
    )
    assert {row["configuration"] for row in rows} == {"OS1"}
    assert all(row["simulated"] for row in rows)
    assert main(["actions"]) == 0
    out = capsys.readouterr().out
    assert "30 draws of 25 known and 25 other test classes" in out
    assert "Figures of simulated data say nothing about the paper." in out
    assert "Attributes and word vectors" in out
    effect = "video network, Kinetics-400, word vectors, SYNC ovo, 50.3 (23.3 to 77.8) %."
    assert f"in 1 of 8 comparisons (interval above 0, p below 0.05 after Holm): {effect}" in out
    assert _verdict(gains.assign(p_holm=1.0)).endswith(": no effect is shown.")


@pytest.mark.slow
def test_a_study_is_made_once_and_its_gains_are_written(tmp_path, capsys):
    words = ["actions", "OS4", "--method", "CONSE", "BiDiLEL", "--draws", "2", "--jobs", "1"]
    file = tmp_path / "gains.csv"
    assert main([*words, "--output", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Released and controlled splits" in out
    fits = {result.key for result in ResultStore().others(["action"])}
    assert len(fits) == 3 * (2 + 4)  # features x (draws + controlled and released draws)
    assert main([*words, "--json"]) == 0
    rows = pd.DataFrame(json.loads(capsys.readouterr().out))
    assert {result.key for result in ResultStore().others(["action"])} == fits
    written = pd.read_csv(file)
    assert written["minus"].tolist() == pytest.approx(rows["minus"].tolist(), nan_ok=True)
    assert written["version"].notna().all()


def test_what_is_wrong_is_refused_in_a_sentence(capsys):
    for words, sentence in (
        (["OS5"], "did you mean"),
        (["--method", "CONS"], "did you mean 'CONSE'"),
        (["--draws", "0"], "--draws must be at least 1; got 0."),
        (["--output", "gains.txt"], "--output: expected a name that ends in .csv; got gains.txt."),
        (["--dataset", "digits"], "expected data with the classes of UCF101; digits has others."),
        (["--dataset", "simulated-UCF101", "--unplanted"], "--unplanted belongs to simulated"),
    ):
        assert main(["actions", *words]) == 2
        assert sentence in capsys.readouterr().err


def test_features_are_called_by_what_they_were_trained_on():
    names = [each.dataset for each in paper_sets(OS4)]
    sets = feature_sets(OS4, {name: load(name) for name in names})
    assert [(each.features, each.dataset) for each in sets] == [
        ("idt", "simulated-HMDB51-idt"), ("sports", "simulated-HMDB51-sports")
    ]  # fmt: skip
    assert {each.features for each in usual_sets(OS4)} == {"idt", "imagenet", "sports"}


def test_two_networks_of_one_pretraining_go_by_their_own_names():
    one = load("simulated-HMDB51")
    both = {"i3d": replace(one, name="i3d"), "resnet": replace(one, name="resnet")}
    baseline = load("simulated-HMDB51-idt")
    sets = feature_sets(OS4, both | {baseline.name: baseline})
    assert [each.features for each in sets] == ["i3d", "resnet", "idt"]
    assert baseline_of(sets) == "idt"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["simulated-HMDB51"], "trained on nothing, as the baseline"),
        (["simulated-HMDB51-idt"], "expected features of a network next to the baseline"),
        (["simulated-UCF101"], "expected data with the classes of HMDB51"),
    ],
)
def test_data_that_make_no_study_are_refused(names, sentence):
    with pytest.raises(DatasetError, match=sentence):
        feature_sets(OS4, {name: load(name) for name in names})


@pytest.mark.parametrize(
    ("attributes", "dataset", "end"),
    [
        (0.6, "simulated-UCF101", "So do these."),
        (0.2, "simulated-UCF101", "the model gives known classes the same advantage with both."),
        (0.2, "videos", "These do not."),
    ],
)
def test_a_sentence_says_which_prototypes_gain_more(attributes, dataset, end):
    """The baseline, and a network that knows no actions, count for nothing."""
    rows = [
        ("idt", "attributes", float("nan")),
        ("imagenet", "attributes", 9.0),
        ("kinetics", "attributes", attributes),
        ("kinetics", "word2vec", 0.4),
    ]
    gains = pd.DataFrame(rows, columns=["features", "semantics", "minus"])
    sets = [FeatureSet("kinetics", "attributes", dataset)]
    said = semantics_in_words(gains, sets, "Kinetics-400")
    assert f"known classes gain {100 * attributes:.1f} % with attributes and 40.0 % with" in said
    assert said.endswith(end)
    assert not semantics_in_words(gains[:3], sets, "Kinetics-400")


def test_the_classes_of_every_draw_are_written_and_nothing_is_fitted(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "make_fit", None)
    path = tmp_path / "draws.csv"
    assert main(["actions", "OS3", "--draws", "3", "--splits", str(path)]) in (None, 0)
    table = pd.read_csv(path)
    setting = CONFIGURATIONS["OS3"]
    assert (table["draw"].max(), table["pretraining"].unique().tolist()) == (3, ["Kinetics-400"])
    for _, draw in table.groupby("draw"):
        assert sorted(draw["number"]) == [*range(1, 52)]
        tested = draw[draw["part"] == "test"]
        assert (len(tested), tested["known"].sum()) == (25, setting.n_ouc)
    assert main(["actions", "OS3", "--splits", str(tmp_path / "draws.xlsx")]) == 2
