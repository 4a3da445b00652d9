"""Imports of pages are preloaded, without delaying anyone."""

import sys
from pathlib import Path

import pytest

from tests.waiting import until
from ui.shell import runtime
from ui.shell.runtime import Tidier
from ui.shell.serving import ready

FACTS = (
    ("zslcore.results.shipped", "precomputed_digests"),
    ("zslcore.analysis.method_table", "printed_cells"),
    ("zslcore.board.checking", "packaged_board"),
    ("zslcore.analysis.papers.claims", "judge_on_printed_tables"),
)
PAGES = Path(__file__).parents[2] / "pages"


def test_modules_to_preload_include_everything_that_pages_import():
    wanted = set(runtime.modules_of_pages())
    for page in PAGES.glob("*.py"):
        named = [line.split()[1] for line in page.read_text().splitlines() if line[:7] == "from ui"]
        assert {name for name in named if "." in name} <= wanted, page.name
    assert {"ui.state.cache", "ui.sections.audit", "ui.lessons.registry"} <= wanted


@pytest.fixture(autouse=True)
def parsed_lists(monkeypatch):
    """Replace the readers of lists and facts; return the names requested."""
    names = []
    for module, name in FACTS:
        monkeypatch.setattr(f"{module}.{name}", lambda name=name: names.append(name))
    monkeypatch.setattr(runtime, "match_names", lambda _, vocabulary: names.append(vocabulary.name))
    return names


def test_failed_imports_do_not_stop_other_imports(monkeypatch, parsed_lists):
    ready = []
    monkeypatch.setattr(runtime, "modules_of_pages", lambda: ["ui.no_such_module", "wave"])
    monkeypatch.setattr(runtime.worker, "warm_up", lambda *_: ready.append(True))
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    runtime.import_ahead()
    assert "wave" in sys.modules
    assert ready == [True]
    assert parsed_lists == ["imagenet-1k", *(name for _, name in FACTS)]


def test_preloading_waits_for_visitors_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(runtime, "modules_of_pages", lambda: ["wave"])
    monkeypatch.setattr(runtime, "fact_loaders", lambda: ())
    monkeypatch.setattr(runtime.worker, "warm_up", lambda *_: None)
    request = []

    def busy():
        request.append(True)
        return len(request) < 3

    runtime.import_ahead(busy)
    assert len(request) == 3
    monkeypatch.setattr(runtime, "PATIENCE", 0.0)
    runtime.import_ahead(lambda: True)  # returns although busy


@pytest.mark.nightly
def test_preloading_happens_once_after_the_first_page_runs():
    done = []
    tidier = Tidier(quiet=0.02, pause=0.0, first=lambda busy: done.append(busy()))
    for spell in (1, 2):
        tidier.record_page_run()
        until(lambda spell=spell: tidier.collections >= spell)
    assert len(done) == 1


def test_a_server_begins_before_the_first_visitor(monkeypatch):
    runs = []
    monkeypatch.setattr(runtime, "record_page_run", lambda: runs.append("ui.views.playground.play"))

    async def served():
        async with ready(None):
            assert runs[0] in sys.modules

    with pytest.raises(StopIteration):  # without waiting, and without its own event loop
        served().send(None)
    assert len(runs) == 1


def test_preloading_starts_with_the_server():
    assert runtime._TIDIER.first is runtime.import_ahead
