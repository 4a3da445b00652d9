"""A run that takes a while, in a real browser: progress, cancel, start again, reload, result."""

from pathlib import Path

from tests.browser.reading import once, present, settle

SLOW = "dataset=simulated-SUN&method=ALE&parameters=given&ALE_epochs=30"
SHORT = "dataset=digits&method=ALE&parameters=given&ALE_epochs=3"
PANEL = "[class*=st-key-job_]"


def unfinished(server):
    return list((Path(server.log.name).parent / "data" / "jobs").glob(".*"))


def test_a_job_stands_in_the_bar_and_moves_nothing(fresh_server, page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(fresh_server.url + present(f"/evaluate?{SLOW}"))
    page.locator(PANEL).get_by_text("left. You can leave the page").wait_for()
    page.goto(fresh_server.url + "/teach")
    page.get_by_text("1 job", exact=True).wait_for()
    settle(page)
    heading, tools = page.get_by_role("heading", level=1), page.locator(".st-key-tools")
    before, box = heading.bounding_box()["y"], tools.bounding_box()
    assert box["y"] + box["height"] <= 60  # one line, that of the navigation
    page.get_by_text("1 job", exact=True).click()
    page.get_by_role("button", name="Leave").click()
    once(page, lambda: not unfinished(fresh_server))
    page.goto(fresh_server.url + "/teach")
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    assert page.get_by_text("1 job", exact=True).count() == 0
    assert heading.bounding_box()["y"] == before


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
