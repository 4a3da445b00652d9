"""Memory of score files: limits per visitor and for all visitors."""

import threading

import pytest
import streamlit as st

from tests import pages
from ui.intake import memory
from ui.intake.memory import Budget
from zslcore.exceptions import ParameterError, ZSLError

MB = 1 << 20


@pytest.fixture(autouse=True)
def _limits(monkeypatch):
    monkeypatch.setenv("ZSL_MEMORY", str(1000 * MB))
    monkeypatch.setenv("ZSL_MEMORY_A_VISITOR", str(600 * MB))


def test_a_visitor_gets_the_remaining_memory_and_then_a_refusal():
    budget = Budget(patience=0)
    budget.hold("a", 200 * MB)
    with budget.reserve("a", 900 * MB, "x.npz") as n_bytes:
        assert n_bytes == 400 * MB
        refused(budget, "a", r"x.npz: expected 64 MB of free memory .* got 0 MB of 600")
    assert budget.used("a") == 200 * MB


def refused(budget, visitor, sentence):
    reservation = budget.reserve(visitor, 600 * MB, "x.npz")
    with pytest.raises(ZSLError, match=sentence):
        reservation.__enter__()


def test_all_visitors_share_the_memory_of_the_server():
    budget = Budget(patience=0)
    with budget.reserve("a", 600 * MB, "a.npz"), budget.reserve("b", 300 * MB, "b.npz"):
        refused(budget, "c", r"got 100 MB of 1,000 MB \(ZSL_MEMORY\)")
    assert budget.used() == 0


def test_a_file_waits_until_another_is_done():
    budget, ready, lent_bytes = Budget(patience=60), threading.Event(), []

    def second():
        ready.set()
        with budget.reserve("b", 600 * MB, "b.npz") as n_bytes:
            lent_bytes.append(n_bytes)

    thread = threading.Thread(target=second)
    with budget.reserve("a", 600 * MB, "a.npz"):
        thread.start()
        ready.wait(60)
        assert not lent_bytes
    thread.join(60)
    assert lent_bytes == [600 * MB]


@pytest.mark.parametrize("value", ["4 apples", "-1", "5"])
def test_a_setting_that_is_not_a_number_is_refused_in_one_sentence(monkeypatch, value):
    monkeypatch.setenv("ZSL_MEMORY", value)
    with pytest.raises(ParameterError, match="ZSL_MEMORY: expected a size"):
        memory.server_limit()


@pytest.mark.nightly
def test_uploads_count_until_they_are_removed(tmp_path):
    from tests.scores.test_sandboxed import write_archive

    path = write_archive(tmp_path)
    st.cache_resource.clear()  # remove results of earlier tests
    before = memory.BUDGET.used()
    app = pages.visit("scores")
    app.file_uploader(key="scores_files").upload(path.name, path.read_bytes()).run()
    visitor = app.session_state["visitor"]
    assert 0 < memory.BUDGET.used(visitor) < 1 << 16
    app.file_uploader(key="scores_files").set_value([]).run()
    assert memory.BUDGET.used() == before
    app.file_uploader(key="scores_files").upload(path.name, path.read_bytes()).run()
    assert memory.BUDGET.used() > before
    st.cache_resource.clear()  # as at the end of the visit
    assert memory.BUDGET.used() == before
