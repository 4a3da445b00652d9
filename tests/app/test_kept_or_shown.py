"""Results are shown even if they cannot be stored; damage to the store loses damaged rows only."""

import sqlite3
from contextlib import closing

import pytest
import streamlit as st

from tests.pages import visit
from tests.works import Work
from zslcore.__main__ import main
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner
from zslcore.results.database import damage_of, repair_store
from zslcore.results.store import ResultStore

RUN = ["run", "--dataset", "digits", "--method", "LinearS2V", "--no-oracle", "--param", "lam=1"]


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """A data folder that is read-only, even for root."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "file" / "data"))
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def store(tmp_path):
    """A store with thirty results on many pages."""
    store = ResultStore(tmp_path / "runs.sqlite")
    result = run(
        RunSpec("digits", "PS", "LinearS2V", {"lam": 1.0}), with_oracle=False, store=store
    ).result
    with store.writing() as db:
        for k in range(30):
            db.execute("INSERT INTO runs VALUES (?, ?, ?)", (f"{k:016}", "", result.to_json()))
    return store


def damage(path):
    """Overwrite a page of the file, between the rows."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(content)


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


def test_a_damaged_store_is_set_aside_and_readable_rows_are_kept(store):
    assert damage_of(store.path) == ""
    assert repair_store(store.path) == ""
    damage(store.path)
    assert damage_of(store.path)
    with pytest.raises(ZSLError, match=r"`zslcore doctor --repair` sets it aside"):
        store.results()
    sentence = repair_store(store.path)
    assert "was set aside as runs.damaged-" in sentence
    assert damage_of(store.path) == ""
    stored = len(store.results())
    assert 15 <= stored < 31
    assert f"{stored} readable results were recovered" in sentence
    assert len(list(store.path.parent.glob("runs.damaged-*.sqlite"))) == 1


@pytest.mark.parametrize("content", [b"no store at all, but a text" * 99, b"SQLite format 3\0"])
def test_a_file_that_is_not_a_store_is_set_aside(tmp_path, content):
    store = ResultStore(tmp_path / "runs.sqlite")
    store.path.write_bytes(content)
    assert "0 readable results were recovered" in repair_store(store.path)
    assert store.results() == []
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("PRAGMA quick_check").fetchall() == [("ok",)]
