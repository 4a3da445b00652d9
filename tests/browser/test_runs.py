"""The Runs page in a browser: rows that are clicked, a link that opens, a deletion confirmed."""

import re
from pathlib import Path

import pytest

from tests.browser.reading import fits, settle, visit
from zslcore.datasets import load
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore


@pytest.fixture
def store(server):
    """The store of the server, with two runs."""
    store = ResultStore(Path(server.log.name).parent / "data" / "runs.sqlite")
    digits = load("digits")
    for lam in (1e-6, 1e-5):
        spec = RunSpec("digits", "PS", "LinearS2V", params={"lam": lam}, seed=77)
        store.put(execute(spec, digits, with_oracle=False))
    return store


def tick(page, row):
    """Click the box before a row of the list."""
    box = page.locator(".st-key-runs_table canvas").first.bounding_box()
    page.mouse.click(box["x"] + 17, box["y"] + 35 * (row + 1.5))
    settle(page)


def test_rows_that_are_clicked_are_compared_and_a_run_is_deleted_once_confirmed(
    page, server, store
):
    visit(page, server, "/runs")
    page.locator(".st-key-runs_table canvas").first.wait_for()
    fits(page)
    keys = [one.id for one in store.stored()]
    tick(page, 1)
    page.wait_for_url(re.compile(f"runs_run=.*{keys[1]}"))
    tick(page, 0)
    page.wait_for_url(re.compile(f"runs_beside=.*{keys[1]}|runs_run=.*{keys[0]}"))
    page.get_by_text("Class by class").wait_for()
    visit(page, server, f"/runs?runs_run=LinearS2V%2C+digits%2C+PS+%C2%B7+{keys[0]}")
    page.get_by_role("link", name="Run it on Evaluate").wait_for()
    page.get_by_role("button", name="Delete …").click()
    page.get_by_text("All visitors of this server share").wait_for()
    assert store.find(keys[0])
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_text("The run is deleted.").wait_for()
    assert keys[0] not in {one.id for one in store.stored()}
    page.get_by_role("link", name="Run it on Evaluate").click()
    page.wait_for_url(re.compile(r"view=evaluate.*LinearS2V_lam="))
    assert not page.errors
