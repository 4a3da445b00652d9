"""A run that takes a while, in a real browser: progress, cancel, start again, reload, result."""

from pathlib import Path

from tests.browser.reading import once, present

SLOW = "dataset=simulated-SUN&method=ALE&parameters=given&ALE_epochs=30"
SHORT = "dataset=digits&method=ALE&parameters=given&ALE_epochs=3"
PANEL = "[class*=st-key-job_]"


def unfinished(server):
    return list((Path(server.log.name).parent / "data" / "jobs").glob(".*"))


def test_a_run_shows_progress_is_cancelled_and_is_there_after_a_reload(fresh_server, page):
    page.goto(fresh_server.url + present(f"/evaluate?{SLOW}"))
    panel = page.locator(PANEL)
    panel.get_by_text("Choosing on the folds, training").wait_for()
    assert panel.get_by_text("ALE on simulated-SUN, split PS").is_visible()
    panel.get_by_text("left. You can leave the page").wait_for()
    before = panel.get_by_role("progressbar").get_attribute("aria-valuenow")
    page.wait_for_function(
        "before => document.querySelector('[class*=st-key-job_] [role=progressbar]')"
        ".getAttribute('aria-valuenow') != before",
        arg=before,
    )
    assert len(unfinished(fresh_server)) == 1

    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for()
    once(page, lambda: not unfinished(fresh_server))  # the page is told before the files go
    panel.get_by_role("button", name="Start again").click()
    panel.get_by_role("button", name="Cancel").wait_for()

    page.reload()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for()

    page.goto(fresh_server.url + present(f"/evaluate?{SHORT}"))
    page.get_by_text("ZSL accuracy").wait_for()
    assert panel.count() == 0
    page.reload()
    page.get_by_text("ZSL accuracy").wait_for()
    assert page.errors == []
