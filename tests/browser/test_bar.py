"""Menu bar: theme button, all pages while a script runs, terms and claims in the search."""

import re

from tests.browser.reading import SlowServer, once, settle, visit, wait_for_theme
from ui.shell import site_map


def test_the_theme_button_works_and_a_new_visit_keeps_the_theme(page, server):
    visit(page, server, "/teach")
    for theme in ("dark", "light", "dark"):
        page.get_by_role("button", name="Light or dark theme").click()
        wait_for_theme(page, theme)
        page.get_by_test_id("stMainMenuList").wait_for(state="detached")
    page.reload()
    wait_for_theme(page, "dark")
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    page.get_by_role("button", name="Light or dark theme").click()
    wait_for_theme(page, "light")
    assert page.errors == []


def test_every_page_stays_in_the_bar_while_a_script_runs(page, server):
    line = SlowServer(page, after=b"Glossary")
    page.goto(server.url + "/claims")
    sign = page.get_by_test_id("stStatusWidget")
    sign.wait_for()
    style = sign.evaluate("e => (({position, bottom}) => [position, bottom])(getComputedStyle(e))")
    assert style == ["fixed", "8px"]
    links = page.get_by_test_id("stTopNavLink").filter(visible=True)
    once(page, lambda: links.count() == len(site_map.PAGES))
    line.go_on()
    settle(page)
    assert links.count() == len(site_map.PAGES)


def test_the_search_shows_a_term_and_opens_a_claim(page, server):
    visit(page, server, "/teach")
    page.get_by_role("button", name="Search").click()
    box = page.get_by_role("dialog").get_by_role("combobox")
    box.fill("AUSUC")
    page.get_by_role("option", name="Term · AUSUC").click()
    page.get_by_role("dialog").get_by_text("Area under").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    settle(page)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("dialog").get_by_role("combobox").fill("p = 0.007")
    page.get_by_role("option").filter(has_text=re.compile("^Claim ·")).first.click()
    page.wait_for_url("**/claims?**gbu-cross-p**")


def test_a_page_opens_while_a_menu_of_the_previous_page_is_open(page, server):
    for view, menu, name in (
        *(("drop", "Report", "Playground"), ("play", "Report", "Leakage")),
        *(("table", "Report", "Data"), ("lessons", "Report", "Claims")),
        ("drop", "Copy for a review", "Claims"),
    ):
        visit(page, server, f"/{view}")
        page.get_by_role("button", name=menu).first.click()
        settle(page)
        # As for a visitor, the click also closes the menu, which then requests the previous page.
        page.get_by_test_id("stTopNavLink").filter(has_text=name).click(force=True)
        settle(page)
        opened = next(each for each in site_map.PAGES if each.title == name).views[0]
        page.get_by_role("heading", level=1, name=opened.question).wait_for()
    assert page.errors == []
