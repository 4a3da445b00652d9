"""The Transductive page as a visitor meets it."""

from functools import partial

import pytest
import streamlit as st

from tests.pages import until, visit
from ui.numbers import points
from ui.text import GLOSSARY
from zslcore import datasets
from zslcore.analysis.transduction import TransductionSpec


@pytest.fixture
def open_at(tmp_path, monkeypatch):
    """Open the page by a link with these query parameters; nothing has been run before."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    st.cache_data.clear()
    st.cache_resource.clear()
    return partial(visit, "pages/transductive.py")


def metrics(app):
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


@pytest.mark.parametrize("method", ["Propagation", "GFZSL-tran"])
def test_figures_are_those_of_the_package(open_at, method):
    app = open_at(transductive_method=method)
    params = {"base": "ESZSL"} if method == "Propagation" else {}
    if method == "GFZSL-tran":
        params = {"kernel": "quadratic", "assignment": "hard", "covariance": "tied"}
    spec = TransductionSpec("digits", "PS", method, params)
    table = spec.compare(datasets.load("digits")).table()
    value, gain = metrics(app)[f"ZSL accuracy, {method}"]
    assert value == f"{100 * table['zsl'][1]:.1f} %"
    assert gain == points(table["zsl"][1] - table["zsl"][0])
    assert len(app.dataframe[0].value) == 2
    for metric in app.metric:
        assert metric.help == GLOSSARY[metric.label.removesuffix(f", {method}")]


def test_method_without_an_inductive_self_stands_alone(open_at):
    app = open_at(transductive_method="DSRL", parameters="given", DSRL_mu="1", DSRL_alpha="0.5")
    until(app, lambda app: app.metric)
    value, gain = metrics(app)["ZSL accuracy, DSRL"]
    assert value.endswith("%")
    assert not gain
    assert any("there is no inductive one" in caption.value for caption in app.caption)


def test_slow_base_is_waited_for_and_gives_what_a_quick_one_does(open_at):
    app = open_at(transductive_method="Propagation", transductive_base="DEVISE", parameters="given")
    until(app, lambda app: app.metric)
    assert metrics(app)["AUSUC, Propagation"]
    assert not app.exception


@pytest.mark.parametrize("tab", ["Results", "Classes", "Method"])
def test_every_tab_opens(open_at, tab):
    app = open_at(transductive_tab=tab)
    app.session_state["transductive_tab"] = tab
    app.run()
    assert not app.exception


def test_split_without_seen_test_images_has_zsl_only(open_at):
    app = open_at(dataset="simulated-aPY", split="SS", transductive_method="GFZSL-tran")
    until(app, lambda app: app.metric)
    assert list(metrics(app)) == ["ZSL accuracy, GFZSL-tran"]
    assert any("no GZSL" in info.value for info in app.info)


def test_nonsense_in_the_address_is_passed_over(open_at):
    app = open_at(transductive_method="<b>", transductive_base="../..", seed="-1")
    assert not app.error
    assert app.metric
