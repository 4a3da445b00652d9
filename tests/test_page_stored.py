"""Runs that are stored: their pages read the predictions, and compute nothing again."""

import pytest
import streamlit as st

from tests.pages import forbid_computing, metrics, visit, words
from ui import known, served, waiting
from zslcore.datasets import load
from zslcore.evaluation.protocol import ScoredTest
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

METHOD, OTHER = "LinearS2V", "SAE"
TABS = ["Classes", "Confusion", "Reproduce"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with runs tuned for either task, as a command or an earlier visit left it."""
    folder = tmp_path_factory.mktemp("stored")
    digits = load("digits")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder))
        for method in (METHOD, OTHER):
            for task in ("gzsl", "zsl"):
                ResultStore().run(spec(method, task), digits)
    return folder


@pytest.fixture(autouse=True)
def _later(folder, monkeypatch):
    """A later server with this folder, on which nothing may be computed."""
    monkeypatch.setenv("ZSL_DATA", str(folder))
    st.cache_data.clear()
    st.cache_resource.clear()
    forbid_computing(monkeypatch)


def spec(method=METHOD, task="gzsl"):
    return RunSpec("digits", "PS", method, select_for=task, digest=load("digits").digest)


@pytest.mark.parametrize("page", ["evaluate", "calibration"])
def test_figures_are_there(page):
    app = visit(page, dataset="digits", method=METHOD)
    e = ResultStore().get(spec().key).evaluation
    assert not app.error
    assert metrics(app)["AUSUC"] == f"{100 * e.ausuc:.1f} %"


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_that_predictions_suffice_for_opens(tab):
    app = visit("evaluate", dataset="digits", method=METHOD)
    app.session_state["evaluate_tab"] = tab
    app.run()
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("beside", [OTHER, "tuned for ZSL"])
def test_another_curve_and_the_folds_come_from_the_store(beside):
    app = visit(
        "calibration",
        dataset="digits",
        method=METHOD,
        calibration_beside=beside,
        calibration_band="of the validation folds",
    )
    assert not app.error


def test_the_first_figure_of_a_visit_waits_until_the_metrics_are_painted(monkeypatch):
    pauses, sleep = [], served.time.sleep

    def noted(seconds):
        pauses.append(seconds) if seconds == served.PAINT else sleep(seconds)

    monkeypatch.setattr(served.time, "sleep", noted)
    app = visit("evaluate", dataset="digits", method=METHOD)
    assert app.get("plotly_chart")
    assert pauses == []  # a test waits for no browser
    monkeypatch.setattr(served, "is_served", lambda: True)
    app.run()
    app.run()
    assert pauses == [served.PAINT]


def test_predictions_to_take_away_are_the_stored_ones():
    result, answers = waiting.run_of(spec())
    make, with_folds = waiting.predictions_of(spec(), result, answers)
    assert with_folds
    assert make() is ResultStore().predictions(result.key)
    assert make().evaluation == result.evaluation


def test_a_page_that_names_every_variant_means_the_same_run():
    """The address of a page has the default of a parameter that no grid searches."""
    params = {"direction": "S2V", "rows": "learned"}
    named = RunSpec("digits", "PS", OTHER, params=params, digest=spec().digest)
    assert named.key != spec(OTHER).key
    assert known.known_run(named).result.key == spec(OTHER).key


def test_a_store_that_cannot_be_read_is_no_stored_run(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    (tmp_path / "runs.sqlite").write_bytes(b"no database" * 100)
    assert known.known_run(spec()) is None


def test_where_only_figures_are_stored_the_run_is_fitted_again(monkeypatch, tmp_path):
    """With the folds, on which gamma was chosen."""
    result = ResultStore().get(spec().key)
    monkeypatch.undo()
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    ResultStore().put(result)
    assert known.known_run(spec()) is None
    result, answers = waiting.run_of(spec())
    assert isinstance(answers, ScoredTest)
    make, with_folds = waiting.predictions_of(spec(), result, answers)
    assert with_folds
    assert len(make().folds) == len(load("digits").split("PS").folds)


def test_the_place_among_all_classes_is_computed_on_request(folder, monkeypatch):
    """Predictions do not have it; a quick method is fitted once for it."""
    monkeypatch.undo()
    monkeypatch.setenv("ZSL_DATA", str(folder))
    app = visit("evaluate", dataset="digits", method=METHOD)
    app.session_state["evaluate_tab"] = "Top k"
    app.run()
    assert not app.exception
    assert "Among all classes it is unknown" not in words(app)
    assert len(app.get("plotly_chart")) == 1
