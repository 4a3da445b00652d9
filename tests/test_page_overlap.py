"""Overlap gain: what is shown is what the formula gives, for every choice."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from tests import pages
from tests.pages import metrics, until, words
from ui.figures import overlap as figures
from ui.figures.palette import OVERLAP, UNSEEN
from zslcore.analysis import overlap_tables
from zslcore.analysis.nearest import nearest_classes
from zslcore.analysis.overlap import study_summary
from zslcore.datasets import load
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.jobs import run
from zslcore.methods import get_method
from zslcore.metrics.gain import overlap_gain

PAGE = "pages/overlap_gain.py"
TABS = ["Who wins without leaky classes?", "Methods × features", "SS and PS", "Distance",
        "One class", "Matches"]  # fmt: skip

#: Test classes of SS that are among ImageNet-1K.
KNOWN = {"persian cat", "hippopotamus", "leopard", "chimpanzee", "giant panda", "pig"}
ACCURACIES = {
    "A": {0: 0.9, 1: 0.8, 2: 0.3, 3: 0.2, 4: 0.25},
    "B": {0: 0.5, 1: 0.6, 2: 0.5, 3: 0.55, 4: 0.5},
}


@pytest.fixture
def visit(tmp_path, monkeypatch):
    """Open the page as a new visitor, with choices in the address."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    return partial(pages.visit, PAGE)


def test_the_first_look_shows_a_gain(visit):
    app = visit()
    shown = metrics(app)
    ouc, tuc, gain = (
        float(shown[name].split()[0]) for name in ("ACC_OUC, overlapping", "ACC_TUC, clean",
                                                   "OverlapGain")
    )  # fmt: skip
    assert gain == pytest.approx(100 * (ouc - tuc) / ((ouc + tuc) / 2), abs=0.2)
    assert gain > 0
    assert "not a cause" in words(app)
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


def test_without_the_planted_effect_the_gain_is_gone_and_the_page_says_so(visit):
    app = visit()
    assert "the gain is planted" in words(app)
    planted = float(metrics(app)["OverlapGain"].split()[0])
    app.toggle(key="planted").set_value(False).run()
    assert not app.exception
    assert "no effect is planted" in words(app)
    assert abs(float(metrics(app)["OverlapGain"].replace("−", "-").split()[0])) < planted / 2
    again = visit(planted="false", overlap_tab="Methods × features")
    assert metrics(again) == metrics(app)
    assert again.multiselect(key="overlap_features_simulated-AWA2-unplanted").value == [
        "simulated-AWA2-unplanted",
        "simulated-AWA2-untrained",
    ]


def test_data_without_a_planted_effect_have_no_switch(visit):
    for name in ("digits", "simulated-AWA2-untrained"):
        assert "planted" not in [toggle.key for toggle in visit(dataset=name).toggle]


def test_a_single_overlapping_class_has_no_interval_and_says_so(visit):
    app = visit(dataset="simulated-CUB")
    gain = next(metric for metric in app.metric if metric.label == "OverlapGain")
    assert gain.delta == "no interval: one class"


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_runs_cold_and_warm(visit, tab):
    app = visit(overlap_tab=tab)
    for _ in range(2):
        app.run()
        assert not app.exception
        assert not app.error
        assert [t.label for t in app.tabs if t.children] == [tab]
    for chart in app.get("plotly_chart"):
        assert len(chart.proto.alt) > 20


def test_distance_says_what_it_rests_on(visit):
    said = words(visit(overlap_tab="Distance"))
    assert "**10 test classes** of simulated" in said
    assert "Spearman's ρ = −0." in said
    assert "The data are simulated." in said
    actions = visit(overlap_tab="Distance", overlap_vocabulary="kinetics-400")
    assert "training classes with WordNet ids; got none" in words(actions)


def test_another_choice_gives_other_numbers(visit):
    answers = {tuple(metrics(visit()).values())}
    answers.add(tuple(metrics(visit(overlap_method="ESZSL")).values()))
    answers.add(tuple(metrics(visit(overlap_strength="certain and possible ones")).values()))
    assert len(answers) == 3


def test_a_split_without_overlap_is_explained_and_leads_on(visit):
    app = visit(overlap_split="PS")
    assert "no gain to compute" in words(app)
    assert not app.metric
    assert not app.error
    assert len(app.get("plotly_chart")) == 1  # accuracies there are
    pages.press(app, "Open simulated AWA2, split SS")
    assert app.selectbox(key="overlap_split").value == "SS"
    assert metrics(app)


def test_a_class_from_the_address_is_shown_under_every_method(visit):
    app = visit(overlap_tab="One class", overlap_class="seal")
    assert app.selectbox(key="overlap_class").value == "seal"
    assert "sea lion" in words(app)
    assert len(app.dataframe[0].value) == len(app.multiselect(key="overlap_methods").value)


def test_without_leaky_classes_the_order_is_that_of_the_clean_ones(visit):
    table = visit(overlap_clean="true").dataframe[0].value
    assert list(table["rank_clean"]) == sorted(table["rank_clean"])
    assert (np.diff(table["clean"]) <= 0).all()
    table = visit().dataframe[0].value
    assert (np.diff(table["all"]) <= 0).all()


def test_the_matrix_holds_what_the_study_of_the_split_gives(visit):
    app = visit(overlap_tab="Methods × features")
    table = app.dataframe[0].value.set_index(["features", "method"])
    sets = {name: load(name) for name in ("simulated-AWA2", "simulated-AWA2-untrained")}
    for (features, method), row in table.iterrows():
        data = sets[features]
        scores = fit_and_score(get_method(method)(), data, data.split("SS"))
        accuracy = evaluate(scores).per_class_zsl
        gain = overlap_gain(accuracy, [c for c in accuracy if data.class_names[c] in KNOWN])
        assert row["gain"] / 100 == pytest.approx(gain.gain)
        assert (row["low"] / 100, row["high"] / 100) == pytest.approx(gain.interval)
        difference = row["gain"] - table.loc[("simulated-AWA2-untrained", method), "gain"]
        assert row["gain_minus_baseline"] == pytest.approx(difference)
    assert len(table) == 8


def test_features_of_other_classes_are_not_offered(visit):
    app = visit(overlap_tab="Methods × features")
    options = app.multiselect(key="overlap_features_simulated-AWA2").options
    assert set(options) == {
        *("simulated-AWA1", "simulated-AWA1-untrained", "simulated-AWA2"),
        "simulated-AWA2-untrained",
    }


def test_without_features_or_a_baseline_the_matrix_says_so(visit):
    app = visit(overlap_tab="Methods × features", overlap_baseline="none")
    assert "would show whether the overlapping classes" in words(app)
    assert "gain_minus_baseline" not in app.dataframe[0].value
    app.multiselect(key="overlap_features_simulated-AWA2").set_value([]).run()
    assert not app.exception
    assert "Choose features" in words(app)


def test_what_takes_long_is_waited_for_and_then_shown(visit, monkeypatch):
    monkeypatch.setattr(run, "is_quick", lambda *_: False)
    app = visit(overlap_methods="LinearS2V")
    waited = metrics(until(app, lambda app: app.metric))
    monkeypatch.setattr(run, "is_quick", lambda *_: True)
    assert waited == metrics(visit(overlap_methods="LinearS2V"))


def test_every_split_is_asked_for_every_method(visit):
    app = visit(overlap_tab="SS and PS")
    table = app.dataframe[0].value
    assert len(table) == 2 * len(app.multiselect(key="overlap_methods").value)
    of = table.set_index(["method", "split"])
    ss, ps = (of.loc[("LinearS2V", split), "all"] for split in ("SS", "PS"))
    assert f"{ps - ss:+.1f}".replace("-", "−") + " points" in words(app)


def test_a_class_is_shown_with_its_images_and_what_is_near(visit):
    app = visit(dataset="digits", split="PS", overlap_tab="One class", overlap_class="8")
    alts = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert "16 test images of the class 8." in alts
    assert any("classes most like 8" in alt for alt in alts)
    alts = [c.proto.alt for c in visit(overlap_tab="One class").get("plotly_chart")]
    assert not any("test images of the class" in alt for alt in alts)


def test_a_decision_by_hand_changes_the_gain(visit):
    before = metrics(visit())
    said = json.dumps({"simulated-AWA2": {"imagenet-1k": {"seal": "confirmed"}}})
    app = visit(decisions=said, overlap_tab="Matches")
    assert metrics(app)["OverlapGain"] != before["OverlapGain"]
    assert metrics(app)["All"] == before["All"]


@pytest.mark.parametrize(
    "query",
    [
        {"overlap_vocabulary": "imagenet-9", "overlap_strength": "?"},
        {"overlap_methods": "Nobody", "overlap_method": "Nobody"},
        {"overlap_class": "<b>unicorn</b>", "overlap_tab": "One class"},
        {"overlap_features_simulated-AWA2": "digits", "overlap_tab": "Methods × features"},
        {
            "overlap_study": "300 draws",
            "overlap_baseline": "x",
            "overlap_tab": "Methods × features",
        },
    ],
)
def test_nonsense_in_the_address_is_passed_over(visit, query):
    app = visit(**query)
    assert not app.error
    assert app.title[0].value.endswith("what do they gain?")


def test_tables_hold_what_the_formula_gives():
    table = overlap_tables.method_gains(ACCURACIES, {0, 1}).set_index("method")
    for method, accuracy in ACCURACIES.items():
        gain = overlap_gain(accuracy, [0, 1])
        assert table.loc[method, "gain"] == gain.gain
        assert table.loc[method, "clean"] == gain.acc_tuc
        assert tuple(table.loc[method, ["low", "high"]]) == gain.interval
    assert (table["p_holm"] >= table["p"]).all()
    accuracies = {**ACCURACIES, "A": {**ACCURACIES["A"], 0: 1.0, 1: 1.0}}
    assert overlap_tables.winners(overlap_tables.method_gains(accuracies, {0, 1})) == ("A", "B")


def test_a_split_without_overlap_has_no_gain_but_an_accuracy():
    table = overlap_tables.gains_by_split(
        {"SS": ACCURACIES["A"], "PS": ACCURACIES["B"]}, {"SS": {0, 1}, "PS": set()}
    ).set_index("split")
    assert table.loc["PS", "all"] == table.loc["PS", "clean"]
    assert np.isnan(table.loc["PS", "gain"])
    assert table.loc["SS", "overlapping"] == 2


def test_intervals_hold_the_accuracy_and_narrow_with_images():
    names = dict(enumerate("abcde"))
    few, many = (
        overlap_tables.class_accuracies(ACCURACIES["B"], {0}, dict.fromkeys(range(5), n), names)
        for n in (20, 2000)
    )
    half = few[few["correct"] == 10]
    assert tuple(half[["low", "high"]].round(4).to_numpy()[0]) == (0.272, 0.728)
    for table in (few, many):
        assert (table["low"] <= table["accuracy"]).all()
        assert (table["high"] >= table["accuracy"]).all()
    assert (many["high"] - many["low"] < few["high"] - few["low"]).all()


def test_sides_are_told_apart_by_more_than_colour_and_names_are_no_html():
    names = dict(enumerate(["<script>", "b", "c", "d", "e"]))
    images = dict.fromkeys(range(5), 20)
    table = overlap_tables.class_accuracies(ACCURACIES["A"], {0}, images, names)
    figure = figures.class_accuracy_bars(table, {True: 0.9, False: 0.4}, "b")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.marker.color for bar in bars] == [OVERLAP.color, UNSEEN.color]
    assert len({bar.marker.pattern.shape for bar in bars}) == 2
    assert len({bar.name for bar in bars}) == 2
    assert len({bar.width for bar in bars}) == 1
    labels = [*figure.layout.xaxis.ticktext, *(bar.customdata[:, 0] for bar in bars)]
    assert "&lt;script&gt;" in str(labels)
    assert "<script>" not in str(labels)


def test_the_matrix_fills_what_holds_and_escapes_names():
    of = {
        "<b>deep</b>": {"A": {**ACCURACIES["A"], 5: 0.22, 6: 0.91, 7: 0.88}, "B": ACCURACIES["B"]},
        "plain": {"A": ACCURACIES["B"]},
    }
    images = {name: dict.fromkeys(range(8), 20) for name in of}
    study = overlap_tables.study_of_split(of, {0, 1, 6, 7}, images)
    table = study_summary(study[study["method"] == "A"], baseline="plain")
    table["p_holm"] = [0.01, 0.8]
    figure = figures.gain_matrix(table, "plain")
    assert [trace.marker.symbol for trace in figure.data][:2] == [
        ("triangle-up",), ("circle-open",)
    ]  # fmt: skip
    titles = " ".join(note.text for note in figure.layout.annotations)
    assert "&lt;b&gt;deep" in titles
    assert "<b>deep" not in titles
    assert len(figure.data) == 3
    assert figure.data[0].x[0] == pytest.approx(table["gain"].iloc[0])


def test_neighbours_are_told_apart_by_more_than_colour():
    table = nearest_classes(load("digits"), 7, n=4)
    roles = dict(zip("0123456789", ["seen"] * 7 + ["unseen", "both", "unseen"], strict=True))
    figure = figures.nearest_classes(table, roles)
    patterns, labels = {}, ""
    for bar, axis in zip(figure.data, (figure.layout.yaxis, figure.layout.yaxis2), strict=True):
        names = list(bar.customdata)
        patterns |= dict(zip(names, bar.marker.pattern.shape, strict=True))
        labels += "".join(axis.ticktext)
    shapes = {roles[name]: shape for name, shape in patterns.items()}
    assert len(set(shapes.values())) == len(shapes) >= 2
    assert "●" in labels


def test_a_class_has_the_mean_and_the_range_of_its_draws():
    study = pd.DataFrame(
        {
            "class": [2, 0, 2, 1],
            "overlapping": [True, False, True, False],
            "accuracy": [0.5, 0.6, 1.0, 0.1],
        }
    )
    table = overlap_tables.classes_over_draws(study, ["bat", "ant", "cow"])
    assert list(table["class"]) == ["cow", "bat", "ant"]
    assert table.iloc[0].tolist() == ["cow", True, 2, 0.75, 0.5, 1.0]
    figure = figures.class_accuracy_bars(table, {}, "")
    assert [d[1] for d in figure.data[0].customdata] == ["mean of 2 draws"]
