"""Stored runs: pages read the predictions, and compute nothing again."""

import pytest
import streamlit as st

from tests.pages import forbid_computing, visit, words
from ui.playground import answers as playground_answers
from ui.shell.numbers import percent
from ui.shell.text import AUSUC
from ui.state import waiting
from zslcore.datasets import load
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

METHOD, OTHER = "LinearS2V", "SAE"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with runs tuned for each task, as from a command or an earlier visit."""
    folder = tmp_path_factory.mktemp("stored")
    digits = load("digits")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder))
        for method in (METHOD, OTHER):
            for task in ("gzsl", "zsl"):
                run(spec(method, task), digits, store=ResultStore())
    return folder


@pytest.fixture(autouse=True)
def _later(folder, monkeypatch):
    """A later server with this folder, on which computing is an error."""
    monkeypatch.setenv("ZSL_DATA", str(folder))
    st.cache_data.clear()
    st.cache_resource.clear()
    forbid_computing(monkeypatch)


def spec(method=METHOD, task="gzsl"):
    return RunSpec("digits", "PS", method, select_for=task, digest=load("digits").digest)


@pytest.mark.parametrize("tab", ["Command", "Classes", "Confusion"])
def test_the_drawer_opens_from_stored_predictions(tab, monkeypatch):
    # Play computes no other method for comparison.
    monkeypatch.setattr(playground_answers, "compute_one", lambda *_: False)
    app = visit("play", dataset="digits", method=METHOD)
    app.session_state["playground_drawer"] = True
    app.session_state["playground_tab"] = tab
    app.run()
    assert not app.exception
    assert not app.error
    e = ResultStore().get(spec().key).evaluation
    assert f"{AUSUC} {percent(e.ausuc)}" in words(app)
    figures = app.dataframe[0].value
    assert figures.iloc[0, 1:].tolist() == pytest.approx(
        [
            100 * value
            for value in (
                e.zsl,
                *(e.plain.unseen, e.plain.seen, e.plain.harmonic),
                *(e.calibrated.unseen, e.calibrated.seen, e.calibrated.harmonic),
            )
        ]
    )


def test_downloaded_predictions_are_the_stored_ones():
    run = waiting.run_of(spec())
    make, with_folds = waiting.predictions_of(run)
    assert with_folds
    assert make() is ResultStore().predictions(run.result.key)
    assert make().evaluation == run.result.evaluation


def test_an_address_with_default_parameters_means_the_same_run():
    """Addresses of pages also contain parameters without a grid, at their defaults."""
    params = {"direction": "S2V", "rows": "learned"}
    named = RunSpec("digits", "PS", OTHER, params=params, digest=spec().digest)
    assert named.key != spec(OTHER).key
    assert waiting.stored_run(named).result.key == spec(OTHER).key


def test_with_an_unreadable_store_no_run_counts_as_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    (tmp_path / "runs.sqlite").write_bytes(b"no database" * 100)
    assert waiting.stored_run(spec()) is None


def test_without_stored_predictions_the_run_is_fitted_again(monkeypatch, tmp_path):
    """Its predictions include the folds on which gamma was chosen."""
    result = ResultStore().get(spec().key)
    monkeypatch.undo()
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    ResultStore().put(result)
    assert waiting.stored_run(spec()) is None
    run = waiting.run_of(spec())
    assert isinstance(run.test, ScoredTest)
    make, with_folds = waiting.predictions_of(run)
    assert with_folds
    assert len(make().folds) == len(load("digits").split("PS").folds)
