import gc
import threading
import time
import tomllib
from pathlib import Path

import pytest
from streamlit import runtime as served

from tests.waiting import until
from ui.shell import runtime
from ui.shell.runtime import Tidier

ROOT = Path(__file__).parents[2]


class Thing:
    """An object that only the garbage collector can remove."""

    def __init__(self):
        self.itself = self


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def threads():
    return sum(thread.name == "tidier" for thread in threading.enumerate())


@pytest.mark.nightly
def test_a_series_of_page_runs_is_followed_by_one_collection():
    tidier, before = Tidier(quiet=0.5, pause=0.0), threads()
    for _ in range(5):
        tidier.record_page_run()
    until(lambda: tidier.collections == 1)
    tidier.record_page_run()
    until(lambda: tidier.collections == 2)
    assert threads() == before + 1


def test_collections_have_a_minimum_interval():
    tidier = Tidier(quiet=0.0, pause=3600.0)
    tidier.record_page_run()
    until(lambda: tidier.collections == 1)
    tidier.record_page_run()
    time.sleep(0.2)
    assert tidier.collections == 1


def test_no_garbage_is_collected_while_pages_run():
    tidier = Tidier(quiet=3600.0)
    tidier.record_page_run()
    tidier.record_page_run()
    assert tidier.collections == 0


@pytest.mark.nightly
def test_garbage_is_collected_and_imported_objects_are_frozen(monkeypatch):
    gc.disable()
    try:
        Thing()
        before = sum(type(get_object) is Thing for get_object in gc.get_objects())
        tidier = Tidier()
        tidier.tidy()
        assert before == 1
        assert gc.get_freeze_count() > 0
        frozen = gc.get_freeze_count()
        things = [Thing() for _ in range(1000)]
        tidier.tidy()
        # Nothing was imported since, so nothing more is frozen; frozen objects may end meanwhile.
        assert gc.get_freeze_count() <= frozen
        monkeypatch.setattr(runtime, "MANY_MODULES", 0)
        tidier.tidy()
        assert gc.get_freeze_count() > frozen
        assert len(things) == 1000
    finally:
        gc.enable()


@pytest.mark.parametrize("stand_in", [False, True])
def test_without_a_server_no_garbage_collection_starts(monkeypatch, stand_in):
    monkeypatch.setattr(served, "exists", lambda: stand_in)
    monkeypatch.setattr(served, "get_instance", object)  # like Streamlit's own page tests
    before = threads()
    runtime.record_page_run()
    assert threads() == before


def test_streamlit_does_not_collect_after_every_run():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["postScriptGC"] is False
