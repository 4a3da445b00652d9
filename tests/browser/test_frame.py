"""The frame of every page in a browser: one line of navigation and tools, and nothing jumps."""

import pytest

from tests.browser.reading import NARROW, PHONE, is_shown, once, settle
from tests.browser.test_playground import SHIFT
from ui.site_map import PAGES

DESK = {"width": 1280, "height": 720}
ADDRESSES = ["/", *(f"/{page.name}" for page in PAGES[1:])]


def opened_at(chromium, url, size):
    """Return how far things move while a page opens in a window of its own."""
    page = chromium.new_page()
    if size == PHONE:  # which says what it is
        known = {"userAgent": "Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile"}
        chromium.new_cdp_session(page).send("Emulation.setUserAgentOverride", known)
    page.set_viewport_size(size)
    page.add_init_script(f"({SHIFT})()")
    page.goto(url)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    moved = page.evaluate("window.shift")
    page.close()
    return moved


@pytest.mark.parametrize("size", [DESK, NARROW, PHONE], ids=["desk", "narrow", "phone"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_page_jumps_while_it_opens(server, page, chromium, address, size):
    """Once in three times: a browser with other work gets the style after what it places."""
    url = server.url + address
    assert any(opened_at(chromium, url, size) < 0.1 for _ in range(3))


def test_navigation_and_tools_share_a_line_and_the_views_that_of_the_heading(server, page):
    page.set_viewport_size(DESK)
    page.goto(server.url)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    links = [link.bounding_box() for link in page.get_by_test_id("stTopNavLink").all()]
    tools = page.locator(".st-key-tools").bounding_box()
    assert len(links) == len(PAGES)
    starts = [box["x"] for box in links]
    assert starts == sorted(set(starts))  # what does not fit lies on the first
    assert max(box["x"] + box["width"] for box in links) <= tools["x"]
    assert tools["y"] + tools["height"] <= 60
    page.get_by_role("button", name="Search").click(trial=True)  # nothing lies over it
    heading = page.get_by_role("heading", level=1).bounding_box()
    views = page.locator(".st-key-view_of_playground").bounding_box()
    assert abs(heading["y"] + heading["height"] / 2 - views["y"] - views["height"] / 2) < 4


def choose_theme(page, theme):
    """Choose a theme in the menu, and wait for it."""
    menu = page.get_by_test_id("stMainMenuButton")
    # A run that ends after the click closes the menu.
    once(page, lambda: menu.get_attribute("aria-expanded") == "true" or menu.click())
    page.get_by_role("menuitemradio", name=theme).click()
    is_shown(page, "dark" if theme == "Dark" else "light")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_menu_changes_the_theme_at_once(server, page, size):
    page.set_viewport_size(size)
    page.goto(server.url)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    for theme in ("Dark", "Light", "System"):  # the last forgets the choice, for other tests
        choose_theme(page, theme)
    assert page.errors == []


def test_a_chosen_theme_holds_on_pages_opened_by_their_address(server, page):
    for address, theme in (("", "Dark"), ("/teach", "System"), ("/claims", None)):
        page.goto(server.url + address)
        page.get_by_role("heading", level=1).first.wait_for()
        settle(page)
        is_shown(page, "dark" if address == "/teach" else "light")
        if theme:
            choose_theme(page, theme)
    assert page.errors == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_page_scrolls_sideways_in_a_narrow_window(server, page, address):
    for size in (PHONE, NARROW):
        page.set_viewport_size(size)
        page.goto(server.url + address)
        page.get_by_role("heading", level=1).first.wait_for()
        settle(page)
        page.wait_for_function(
            "(() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth <= m.clientWidth })()"
        )
