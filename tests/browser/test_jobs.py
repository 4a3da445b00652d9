"""A new server: a link, then a run that is offered, in progress, cancelled and finished."""

from pathlib import Path

import pytest

from tests.browser.reading import box_of, once, settle, visit
from zslcore.datasets import imports, load

SLOW = "dataset=simulated-SUN&method=ALE"
SHORT = "dataset=simulated-aPY&method=ALE"


def test_a_deep_link_opens_on_a_fresh_server(page, fresh_server):
    visit(page, fresh_server, "/splits?dataset=simulated-AWA2&split=SS")
    page.get_by_text("698 images of 10 unseen classes").wait_for()
    assert page.get_by_text("Playground", exact=True).count()


def unfinished(server):
    """Return the keys of unfinished jobs; each has a folder and an owner file."""
    hidden = (Path(server.log.name).parent / "data" / "jobs").glob(".*")
    return {path.name.split(".")[1] for path in hidden}


def started(server, page, choices):
    """Open a method without a stored run, and run it."""
    visit(page, server, f"/?{choices}")
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("button", name="Cancel").wait_for()


def test_a_job_is_shown_in_the_bar_without_layout_shift(fresh_server, page):
    page.set_viewport_size({"width": 1280, "height": 720})
    started(fresh_server, page, SLOW)
    page.goto(fresh_server.url + "/teach")
    page.get_by_text("1 job", exact=True).wait_for()
    settle(page)
    heading, tools = page.get_by_role("heading", level=1), page.locator(".st-key-tools")
    before, box = box_of(heading)["y"], box_of(tools)
    assert box["y"] + box["height"] <= 60  # the bar has a single line
    page.get_by_text("1 job", exact=True).click()
    page.get_by_role("button", name="Leave").click()
    once(page, lambda: not unfinished(fresh_server))
    page.goto(fresh_server.url + "/teach")
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    assert page.get_by_text("1 job", exact=True).count() == 0
    assert box_of(heading)["y"] == before


def test_the_progress_of_methods_does_not_move_the_picture(fresh_server, page, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(Path(fresh_server.log.name).parent / "data"))
    imports.import_read_dataset(load("digits"), "own-digits")
    visit(page, fresh_server, "/splits?dataset=own-digits")
    picture = page.locator(".st-key-data_split")
    before = box_of(picture)["y"]
    page.get_by_role("button", name="closed-form methods").click()
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    assert box_of(picture)["y"] == pytest.approx(before, abs=8)
    cancel.click()
    page.get_by_role("button", name="Start again").wait_for()
    assert box_of(picture)["y"] == pytest.approx(before, abs=8)
    once(page, lambda: not unfinished(fresh_server))


def test_a_run_can_be_cancelled_and_another_survives_a_reload(fresh_server, page):
    started(fresh_server, page, SLOW)
    page.get_by_text("elapsed").first.wait_for()
    assert len(unfinished(fresh_server)) == 1
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Run it").wait_for()
    # The server deletes the files of the job after the page updates.
    once(page, lambda: not unfinished(fresh_server))

    started(fresh_server, page, SHORT)
    page.locator(".numbers > .h:not(:empty)").wait_for()
    settle(page)
    shown = page.locator(".numbers > .h").inner_text()
    page.reload()
    page.locator(".numbers > .h:not(:empty)").wait_for()
    once(page, lambda: page.locator(".numbers > .h").inner_text() == shown)
    assert page.errors == []
