"""The panel of a job, and runs that are computed as jobs."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import PATIENCE, backslashes, sent_down, until, visit
from tests.works import Work
from ui.playground import answers as playground_answers
from ui.shell import frame
from ui.state import cache, waiting
from zslcore import jobs
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import runner
from zslcore.results.store import ResultStore
from zslcore.storage import artifacts, extras


@pytest.fixture(autouse=True)
def _own_data(own_data):
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def panel(monkeypatch):
    """A page that waits for a function of tests/jobs/functions.py."""
    jobs.close()
    monkeypatch.setattr(runner._RUNNER, "module", "tests.jobs.functions")
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)

    def script(function, arguments):
        import streamlit as st

        from tests.works import Work
        from ui.state import waiting

        work = Work("A *test*", function, arguments)
        folder = waiting.wait_for(work, draw=lambda arrays: st.metric("so far", int(arrays["i"])))
        st.metric("counted to", (folder / "count.txt").read_text())

    def opened(function, **arguments):
        options = {"args": (function, arguments), "default_timeout": PATIENCE}
        return AppTest.from_function(script, **options).run()

    yield opened
    jobs.close()
    runner._RUNNER._jobs.clear()


def button(app, label):
    (result,) = [element for element in app.button if element.label == label]
    return result


def labels(app):
    return [element.label for element in app.button]


def test_a_job_shows_its_progress_and_then_its_result(panel, tmp_path):
    go = tmp_path / "go"
    app = panel("until_told", go=str(go))
    assert labels(app) == ["Cancel"]
    assert "test" in app.markdown[0].value
    # Preview and progress arrive separately, in any order.
    until(app, lambda app: app.metric and app.get("progress")[0].proto.value)
    assert (app.metric[0].label, app.metric[0].value) == ("so far", "1")
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (50, "step 1")
    go.touch()
    until(app, lambda app: not app.get("progress"))
    assert (app.metric[0].label, app.metric[0].value) == ("counted to", "2")
    assert labels(app) == []


def test_a_slow_page_does_not_wait_long_for_a_job(monkeypatch):
    waits, done = [], iter([None, "folder"] * 4)
    standing = SimpleNamespace(
        finished=lambda study: next(done),
        status=lambda key: None,
        submit=lambda study, who: None,
        wait=lambda key, seconds: waits.append(seconds),
    )
    monkeypatch.setattr(waiting, "jobs", standing)
    monkeypatch.setattr(waiting, "PATIENCE", 10.0)
    for gone, left in ((0.0, 10.0), (6.0, 4.0), (60.0, waiting.AT_LEAST)):
        monkeypatch.setitem(st.session_state, frame.BEGAN, time.monotonic() - gone)
        assert waiting.wait_for(Work("A test", "count", {})) == "folder"
        assert waits.pop() == pytest.approx(left, abs=3.0)
    del st.session_state[frame.BEGAN]
    assert waiting.wait_for(Work("A test", "count", {})) == "folder"
    assert waits == [10.0]


def test_a_cancelled_job_restarts_only_on_request(panel):
    app = panel("count", to=600, seconds=600)
    button(app, "Cancel").click().run()
    assert (app.info[0].value, labels(app)) == ("Cancelled.", ["Start again"])
    app.run()
    assert labels(app) == ["Start again"]
    button(app, "Start again").click().run()
    assert labels(app) == ["Cancel"]


def test_a_job_ended_by_a_restart_restarts_on_request(panel, own_data):
    request = Work("A *test*", "count", {"to": 600, "seconds": 600})
    mark = own_data / "jobs" / f".{request.key}.job"
    mark.parent.mkdir(parents=True)
    artifacts.write_owner(mark)
    mark.write_text(mark.read_text().replace(f'"pid": {os.getpid()}', f'"pid": {2**22 + 1}'))
    app = panel("count", to=600, seconds=600)
    assert app.warning[0].value == r"The server was restarted before this job was done\."
    assert labels(app) == ["Start again"]
    button(app, "Start again").click().run()
    assert labels(app) == ["Cancel"]


def test_every_page_reports_a_full_queue_in_one_sentence(panel, monkeypatch):
    monkeypatch.setattr(runner, "MAX_OF_BROWSER", 0)

    def script():
        from tests.works import Work
        from ui.state import waiting

        waiting.submit(Work("A *test*", "count", {}))

    for app in (AppTest.from_function(script, default_timeout=PATIENCE).run(), panel("count")):
        assert "of your jobs are waiting already" in app.error[0].value
        assert not app.exception
    sources = {path.name: path.read_text() for path in Path(waiting.__file__).parent.rglob("*.py")}
    assert [name for name, text in sources.items() if "jobs.submit(" in text] == ["waiting.py"]


def test_a_failed_job_is_reported_in_one_sentence(panel, tmp_path):
    app = panel("refuse", once=str(tmp_path / "once"))
    until(app, lambda app: app.error)
    assert app.error[0].value == r"digits\: there are none\."
    assert labels(app) == ["Try again"]
    button(app, "Try again").click().run()
    assert labels(app) == ["Cancel"]


@pytest.mark.parametrize("public", ["0", "1"])
def test_a_job_with_a_missing_extra_shows_the_install_command(public, panel, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", public)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    app = until(panel("lack"), lambda app: app.info)
    assert app.info[0].value.startswith(r"A \*method\* needs PyTorch \(extra torch\), which is not")
    # A public server shows no install command.
    lines = [extras.install_command("torch")] if public == "0" else []
    assert [element.value for element in app.code] == lines
    assert labels(app) == []
    monkeypatch.undo()
    assert labels(app.run()) == ["Try again"]  # umap has been installed in the meantime


def test_a_refusal_because_of_a_missing_extra_shows_the_install_command():
    def script():
        from ui.shell.guard import errors_as_sentences
        from zslcore.storage.extras import extra

        with errors_as_sentences(), extra("maps", "umap", "A UMAP map"):
            raise ModuleNotFoundError(name="umap")

    app = AppTest.from_function(script).run()
    assert not app.error
    assert "needs umap" in app.info[0].value
    assert app.code[0].value == extras.install_command("maps")
    assert backslashes(app) == []


def test_the_position_in_the_queue_is_shown(panel):
    panel("count", to=600, seconds=600)
    app = panel("count", to=601, seconds=600)
    assert app.get("progress")[0].proto.text == "Number 1 in the queue"
    button(app, "Cancel").click().run()
    assert app.info[0].value == "Cancelled."


def test_a_method_trained_in_epochs_is_run_by_a_job_and_stored():
    app = visit("play", dataset="simulated-aPY", method="CMT")
    pending = sent_down(app, "zsl_playground")["pending"]
    assert pending["button"].startswith("Run it")
    spec = RunSpec.of(cache.dataset("simulated-aPY"), "PS", "CMT")
    work = playground_answers.study_of(spec)
    jobs.submit(work)
    assert jobs.wait(work.key, 180).state == "done"
    assert "CMT" in [result.spec.method for result in ResultStore().results()]
    shown = sent_down(visit("play", dataset="simulated-aPY", method="CMT"), "zsl_playground")
    assert shown["pending"] is None
