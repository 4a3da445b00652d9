"""Overlap gain: what is shown is what the formula gives, for every choice."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.figures import overlap as figures
from ui.figures.palette import OVERLAP, UNSEEN
from zslcore.analysis import overlap_tables
from zslcore.analysis.overlap import overlap_gain

APP = str(Path(__file__).parents[1] / "app.py")
PAGE = "pages/overlap_gain.py"
TABS = ["Who wins without leaky classes?", "SS and PS", "One class", "Matches"]

ACCURACIES = {
    "A": {0: 0.9, 1: 0.8, 2: 0.3, 3: 0.2, 4: 0.25},
    "B": {0: 0.5, 1: 0.6, 2: 0.5, 3: 0.55, 4: 0.5},
}


@pytest.fixture
def visit():
    """Open the page as a new visitor, with choices in the address."""

    def visit(**choices):
        app = AppTest.from_file(APP, default_timeout=60).switch_page(PAGE)
        for key, value in choices.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception
        return app

    return visit


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def words(app):
    return " ".join(element.value for element in [*app.markdown, *app.caption, *app.info])


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


def test_another_choice_gives_other_numbers(visit):
    answers = {tuple(metrics(visit()).values())}
    answers.add(tuple(metrics(visit(overlap_method="ESZSL")).values()))
    answers.add(tuple(metrics(visit(overlap_strength="certain and possible ones")).values()))
    assert len(answers) == 3


def test_a_split_without_overlap_is_explained_and_leads_on(visit):
    app = visit(split="PS")
    assert "no gain to compute" in words(app)
    assert not app.metric
    assert not app.error


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


@pytest.mark.parametrize(
    "query",
    [
        {"overlap_vocabulary": "imagenet-9", "overlap_strength": "?"},
        {"overlap_methods": "Nobody", "overlap_method": "Nobody"},
        {"overlap_class": "<b>unicorn</b>", "overlap_tab": "One class"},
    ],
)
def test_nonsense_in_the_address_is_passed_over(visit, query):
    app = visit(**query)
    assert not app.error
    assert app.title[0].value.endswith("better accuracy?")


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
        overlap_tables.class_accuracies(ACCURACIES["A"], {0}, dict.fromkeys(range(5), n), names)
        for n in (20, 2000)
    )
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
    assert "<script>" not in figure.to_json()
