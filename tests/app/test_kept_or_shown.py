"""Results are shown even if they cannot be stored; damage to the store loses damaged rows only."""

import pytest
import streamlit as st

from tests.pages import visit
from tests.works import Work
from zslcore.__main__ import main
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import Runner
from zslcore.results.store import ResultStore

RUN = ["run", "--dataset", "digits", "--method", "LinearS2V", "--no-oracle", "--param", "lam=1"]


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """A data folder that is read-only, even for root."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "file" / "data"))
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.mark.usefixtures("unwritable")
def test_the_command_line_prints_metrics_before_it_warns(capsys):
    assert main(RUN) == 0
    output = capsys.readouterr()
    assert "LinearS2V" in output.out
    assert "The result will be printed but not stored." in output.err
    assert "The result is not stored." in output.err
    assert "Traceback" not in output.err


def test_writing_is_checked_before_a_long_run(unwritable, monkeypatch):
    assert "expected a run store" in ResultStore().refusal()
    request = []
    monkeypatch.setattr(
        "zslcore.results.store.ResultStore.refusal", lambda store: request.append("asked") or ""
    )
    monkeypatch.setattr(
        "zslcore.evaluation.runs.run", lambda *_, **__: request.append("run") or 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        main(RUN)
    assert request == ["asked", "run"]


@pytest.mark.usefixtures("unwritable")
@pytest.mark.parametrize("page", ["play", "about", "splits", "table"])
def test_pages_show_what_they_compute(page):
    app = visit(page)
    assert not app.error


@pytest.mark.usefixtures("unwritable")
def test_jobs_use_a_temporary_folder_until_the_runner_closes():
    runner = Runner("tests.jobs.functions")
    try:
        assert runner.folder.is_dir()
        assert runner.folder == runner.folder
        assert runner.finished(Work("x", "x")) is None
        refuge = runner.folder
    finally:
        runner.close()
    assert not refuge.exists()


def test_metrics_are_shown_while_the_store_is_locked(tmp_path, monkeypatch):
    monkeypatch.setattr("zslcore.results.store.PATIENCE", 0.05)
    store = ResultStore(tmp_path / "runs.sqlite")
    with store.writing():
        other = ResultStore(store.path)
        spec = RunSpec("digits", "PS", "LinearS2V", {"lam": 1.0})
        run_result = run(spec, store=other, with_oracle=False)
        assert "locked" in other.not_stored_because
    assert run_result.result.evaluation.zsl > 0
    assert len(run_result.scores.F)
    assert store.results() == []
