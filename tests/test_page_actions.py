"""The page of actions: what it shows is the study, and its controls are in the address."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from tests import pages
from tests.pages import settled, words
from ui.figures import actions as figures
from ui.figures.palette import FIRST, SECOND
from zslcore.analysis import action_tables
from zslcore.analysis.actions import CONFIGURATIONS, ActionSpec, class_rows, simulated_sets
from zslcore.analysis.actions import study_table as table_of
from zslcore.datasets import load

PAGE = "pages/actions.py"
HMDB51 = "OS4: HMDB51, Sports-1M"


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """Open the page; what one test has fitted, the next one finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        few = {"actions_draws": "3, a first look"}
        yield partial(
            pages.visit, PAGE, actions_configuration=HMDB51, actions_methods="LinearS2V", **few
        )


def test_the_table_holds_what_the_study_gives(visit):
    app = settled(visit(actions_tab="Results"))
    shown = app.dataframe[0].value
    sets = simulated_sets(CONFIGURATIONS["OS4"], ["idt", "imagenet", "sports"])
    units = ActionSpec("OS4", sets, ("LinearS2V",), n_draws=3).units()
    data = {each.dataset: load(each.dataset) for each in sets}
    study = table_of(units, [class_rows(unit, data[unit.set.dataset]) for unit in units])
    gains = action_tables.action_gains(study, "idt", configuration="OS4")
    for column in ("acc_ouc", "acc_tuc", "minus", "minus_low", "draws_high"):
        np.testing.assert_allclose(shown[column], 100 * gains[column])
    assert "the gain is planted: classes of Sports-1M" in words(app)
    assert "5.75 % to 10.36 %" in words(app)
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


@pytest.mark.parametrize(
    "tab",
    ["Attributes and word vectors", "Controlled and released splits", "One class after the other"],
)
def test_every_tab_runs(visit, tab):
    app = settled(visit(actions_tab=tab))
    assert not app.error
    assert [t.label for t in app.tabs if t.children] == [tab]
    for chart in app.get("plotly_chart"):
        assert len(chart.proto.alt) > 20


def test_without_the_planted_effect_the_page_says_so(visit):
    app = settled(visit(planted="false"))
    assert "no effect is planted" in words(app)


def test_one_kind_of_features_has_nothing_to_be_compared_with(visit):
    app = visit()
    app.multiselect(key="actions_features").set_value(["IDT, hand-crafted"]).run()
    assert not app.exception
    assert "two kinds of features" in words(app)


def test_the_button_asks_for_what_the_paper_did(visit, monkeypatch):
    asked = []
    monkeypatch.setattr("ui.waiting.result_of", lambda work: asked.append(work) or st.stop())
    app = visit()
    button = next(b for b in app.button if b.label == "As in the paper")
    button.click().run()
    spec = asked[-1].arguments["spec"]
    assert list(spec["methods"]) == ["CONSE", "BiDiLEL", "LATEM", "SYNC ovo", "SYNC struct"]
    assert (spec["n_draws"], spec["parameters"]) == (30, "paper")
    assert spec["splits"] == ("controlled", "released")


def test_gains_are_filled_when_they_hold_and_names_are_no_html():
    table = pd.DataFrame(
        {
            "features": ["<b>own</b>", "deep"],
            "semantics": "attributes",
            "method": "CONSE",
            "minus": [0.1, 0.5],
            "minus_low": [-0.1, 0.2],
            "minus_high": [0.3, 0.8],
            "p_holm": [0.6, 0.01],
            "printed": [np.nan, 0.19],
        }
    )
    figure = figures.gains_over_baseline(table)
    own, deep, printed = figure.data
    assert own.marker.symbol == (f"{FIRST.symbol}-open",)
    assert deep.marker.symbol == (SECOND.symbol,)
    assert own.name == "&lt;b&gt;own&lt;/b&gt;"
    assert tuple(printed.x) == (0.19,)
    assert (deep.error_x.array[0], deep.error_x.arrayminus[0]) == pytest.approx((0.3, 0.3))
