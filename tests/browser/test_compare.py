"""Compare in a browser: started, cancelled, made, found again; a claim's link is followed."""

import re
from pathlib import Path

from tests.browser.reading import settle, visit
from zslcore.results.store import ResultStore

SLOW = (
    "/methods?compare_datasets=simulated-SUN&compare_methods=ALE&compare_methods=LATEM"
    "&compare_methods=LinearS2V"
)
SHORT = "/methods?compare_datasets=digits&compare_methods=LinearS2V&compare_methods=ESZSL"
PANEL = "[class*=st-key-job_]"


def test_a_comparison_is_started_cancelled_and_found_again(page, fresh_server):
    visit(page, fresh_server, SLOW)
    page.get_by_text("3 runs are missing").wait_for()
    page.get_by_role("button", name="Run them").click()
    panel = page.locator(PANEL)
    panel.get_by_role("progressbar").wait_for()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for()

    visit(page, fresh_server, SHORT)
    page.get_by_text("2 runs are missing").wait_for()
    page.get_by_role("button", name="Run them").click()
    page.locator(".st-key-compare_time .js-plotly-plot").wait_for()
    store = ResultStore(Path(fresh_server.log.name).parent / "data" / "runs.sqlite")
    kept = {one.id for one in store.stored()}
    assert {result.spec.method for result in store.results()} >= {"LinearS2V", "ESZSL"}

    page.get_by_role("tab", name="Curves").click()
    page.wait_for_url(re.compile("compare_tab=Curves"))
    address = page.url
    page.goto("about:blank")
    page.goto(address)  # what a colleague who is sent the link sees
    settle(page)
    page.locator(".st-key-compare_curves_chart .numbers > .h:not(:empty)").wait_for()
    assert page.get_by_text("are missing").count() == 0
    assert {one.id for one in store.stored()} == kept
    assert page.errors == []


def test_a_claim_has_an_address_and_leads_to_ones_own_runs(page, server):
    visit(page, server, "/claims?published_claim=cal-gzsl-lambda-smaller")
    page.get_by_text("Where they differ, λ for GZSL is below λ for ZSL, but for").first.wait_for()
    page.get_by_role("link", name="Results over λ").click()
    page.wait_for_url(re.compile("view=regularization"))
    page.get_by_role("heading", level=1).get_by_text("best").wait_for()
    assert page.errors == []
