"""What pages import is there before they are opened, and nobody waits for it."""

import sys
import time
from pathlib import Path

import pytest

from ui import idle, warm
from ui.idle import Tidier

FACTS = (
    ("zslcore.results.results_only", "known_by_results"),
    ("zslcore.analysis.method_table", "printed_cells"),
    ("zslcore.board", "packaged_board"),
    ("zslcore.analysis.papers.claims", "judged_as_printed"),
)
PAGES = Path(__file__).parents[2] / "pages"


def test_everything_that_a_page_imports_of_the_screen_is_wanted():
    wanted = set(warm.wanted())
    for page in PAGES.glob("*.py"):
        named = [line.split()[1] for line in page.read_text().splitlines() if line[:7] == "from ui"]
        assert {name for name in named if "." in name} <= wanted, page.name
    assert {"ui.cache", "ui.sections.audit", "ui.lessons.registry"} <= wanted


@pytest.fixture(autouse=True)
def taken_apart(monkeypatch):
    """Take no list apart and read no facts; return the names of lists that would be."""
    names = []
    for module, name in FACTS:
        monkeypatch.setattr(f"{module}.{name}", lambda name=name: names.append(name))
    monkeypatch.setattr(warm, "match_names", lambda _, vocabulary: names.append(vocabulary.name))
    return names


def test_what_cannot_be_imported_keeps_nobody_from_the_rest(monkeypatch, taken_apart):
    ready = []
    monkeypatch.setattr(warm, "wanted", lambda: ["ui.no_such_module", "wave"])
    monkeypatch.setattr(warm.calling, "make_ready", lambda: ready.append(True))
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    warm.prepare()
    assert "wave" in sys.modules
    assert ready == [True]
    assert taken_apart == ["imagenet-1k", *(name for _, name in FACTS)]


def test_visitors_go_first_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(warm, "wanted", lambda: ["wave"])
    monkeypatch.setattr(warm, "facts", lambda: ())
    monkeypatch.setattr(warm.calling, "make_ready", lambda: None)
    asked = []

    def busy():
        asked.append(True)
        return len(asked) < 3

    warm.prepare(busy)
    assert len(asked) == 3
    monkeypatch.setattr(warm, "PATIENCE", 0.0)
    warm.prepare(lambda: True)  # returns


@pytest.mark.slow
def test_it_is_done_once_after_the_first_spell():
    done = []
    tidier = Tidier(quiet=0.02, first=lambda busy: done.append(busy()))
    for spell in (1, 2):
        tidier.page_runs()
        end = time.monotonic() + 30
        while tidier.collections < spell:
            assert time.monotonic() < end
            time.sleep(0.005)
    assert len(done) == 1


def test_the_servers_own_begins_with_it():
    assert idle._TIDIER.first is warm.prepare
