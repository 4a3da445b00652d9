"""Compare in a browser: opening a cell, deleting a run, and the link of a claim."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.browser.reading import NARROW, PHONE, box_of, fits, settle, visit
from tests.worlds import linear_world
from ui.sections.method_grid import HEADINGS, ROW
from zslcore.datasets import imports, load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

GRID = ".st-key-table_of_methods canvas"


@pytest.fixture
def store(server):
    """Return the store of the server, with two runs."""
    store = ResultStore(Path(server.log.name).parent / "data" / "runs.sqlite")
    digits = load("digits")
    for method in ("LinearS2V", "LinearV2S"):
        store.put(run(RunSpec("digits", "PS", method), digits, with_oracle=False).result)
    return store


def test_an_opened_cell_does_not_move_the_table(page, as_shipped):
    visit(page, as_shipped, "/compare")
    grid = page.locator(GRID).first
    grid.wait_for()
    before, seen = box_of(grid), page.get_by_text("SJE · CUB birds, VGG")
    assert not seen.count()
    click(page, 1)
    page.wait_for_url(re.compile("table_result=SJE"))
    seen.wait_for()
    settle(page)
    assert before == pytest.approx(box_of(grid), abs=1)
    box = box_of(seen)
    # The opened cell is visible without scrolling.
    assert box["y"] + box["height"] < page.viewport_size["height"]


def own(store):
    """Return the method of each run of this data folder, by key."""
    return {
        stored_run.result.key: stored_run.result.spec.method
        for stored_run in store.stored()
        if not stored_run.shipped
    }


def click(page, row, x=170):
    """Click the table in a row, at ``x`` pixels from its left edge."""
    box = box_of(page.locator(GRID).first)
    page.mouse.click(box["x"] + x, box["y"] + HEADINGS + ROW * (row + 0.5))
    settle(page)


def test_a_clicked_cell_opens_and_a_run_is_deleted_once_confirmed(page, server, store):
    visit(page, server, "/compare?table_whose=your+runs&table_columns=Digits")
    page.locator(GRID).first.wait_for()
    fits(page)
    runs_before = own(store)  # the store also has runs of other tests
    click(page, 1)
    page.wait_for_url(re.compile(r"table_result=\w"))
    page.get_by_text("computed in this data folder").first.wait_for()
    method = re.search(r"table_result=(\w+)", page.url)[1]
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_text("The run was deleted.").wait_for()
    (gone,) = runs_before.keys() - own(store).keys()
    assert runs_before[gone] == method
    assert not page.errors


#: Whether each choice of results, and the hint, is in the window and under no other element.
UNCOVERED = """selector => [...document.querySelectorAll(selector)].map(element => {
  const box = element.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return element.contains(top) && box.right <= innerWidth - 16;
})"""


@pytest.fixture
def run_on_import(store):
    """Store a run on imported data, and delete it after the test."""
    (result, *_) = (each.result for each in store.stored() if not each.shipped)
    imported = replace(result, key="imported", spec=replace(result.spec, dataset="imported"))
    store.put(imported)
    yield
    store.delete(imported.key)


@pytest.mark.usefixtures("run_on_import")
@pytest.mark.parametrize("width", [1920, 1280, 820, PHONE["width"]])
def test_every_choice_of_results_is_visible_with_own_runs(page, server, width):
    page.set_viewport_size({"width": width, "height": 1080})
    visit(page, server, "/compare")
    page.locator(GRID).first.wait_for()
    settle(page)
    assert page.evaluate(UNCOVERED, ".st-key-table_hint") == [True]
    pills = ".st-key-table_whose [data-testid=stButtonGroup] > div button"
    empty = page.locator('[class*="st-key-table_none_"]:is([class*="shipped"], [class*="mine"])')
    assert not empty.count()
    if width > PHONE["width"]:
        assert page.evaluate(UNCOVERED, pills) == [True] * 4
        assert len({box_of(pill)["y"] for pill in page.locator(pills).all()}) == 1


@pytest.fixture
def imported(server, monkeypatch):
    """Import data into the server's folder, and remove them after the test."""
    monkeypatch.setenv("ZSL_DATA", str(Path(server.log.name).parent / "data"))
    imports.import_read_dataset(linear_world(noise=1.0), "linear")
    yield "linear"
    imports.remove("linear")


def test_verdict_and_computation_of_an_import_share_one_row(page, server, imported):
    visit(page, server, f"/data?dataset={imported}")
    page.get_by_role("button", name="Compute").wait_for()
    page.get_by_text("Every finding").wait_for()
    settle(page)
    row = box_of(page.locator(".st-key-data_own"))
    assert row["height"] <= 48
    for name in ("Compute", "Every finding"):
        box = box_of(page.get_by_text(name).first)
        assert row["y"] <= box["y"] <= row["y"] + row["height"]
    page.set_viewport_size(NARROW)
    settle(page)
    places = ".stMarkdownBadge", "[data-testid=stCaptionContainer]", ".stPageLink"
    verdict = page.locator(".st-key-data_verdict")
    middles = [box["y"] + box["height"] / 2 for box in map(box_of, map(verdict.locator, places))]
    assert max(middles) - min(middles) < 16  # pixels
    assert not page.errors
