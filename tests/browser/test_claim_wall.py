"""The wall of claims in a browser: a tile opens its claim, by mouse and by keyboard."""

import re

from tests.browser.reading import fits, once, settle, visit
from zslcore.analysis.papers.claims import CLAIMS, FINDINGS
from zslcore.leakage.released_codes import codes


def test_a_tile_opens_its_claim_by_mouse_and_by_key(page, server):
    visit(page, server, "/claims")
    tiles = page.locator(".wall button")
    once(page, lambda: tiles.count() == len(CLAIMS) + len(FINDINGS) + len(codes()) + 1)
    fits(page)
    page.get_by_text("24 pairs give p = 0.35").first.wait_for()
    margin = page.get_by_role("button", name="Max-margin compatibility")
    assert not margin.is_visible()  # groups that do not fit are closed
    page.locator("summary", has_text="TPAMI 2019").click()
    margin.click()
    page.wait_for_url(re.compile("claims_open=gbu-max-margin-better"))
    page.get_by_text("minus all others").first.wait_for()
    settle(page)
    page.keyboard.press("Tab")  # Tab moves to the next tile in reading order
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("claims_open=gbu-eight-of-twelve"))
    page.locator('.wall button[aria-pressed="true"]').get_by_text("For 8 of 12").wait_for()
    assert page.errors == []
