"""Every view in windows of each size and in both themes.

The tests follow the list of views in ui/shell/site.toml. Layout shifts while a page opens are
measured in a desktop window by the gate, and on a phone at night.
"""

import re
import time

import pytest

from tests.browser.reading import (
    NARROW,
    PHONE,
    SlowServer,
    box_of,
    drawn,
    go_to,
    once,
    settle,
    use_theme,
    wait_for_theme,
)
from ui.shell.site_map import PAGES

DESK = {"width": 1280, "height": 800}
VIEWS = {view.name: (page, view) for page in PAGES for view in page.views}
MOST_SHIFT = 0.1  # "good" according to Web Vitals
#: Picture of a view -> maximum number of pixels above it.
TOPS = {
    "map": ("canvas.points", 250),
    "table": (".st-key-table_of_methods canvas", 280),
    "gains": (".st-key-gain_printed", 290),
    "contamination": (".st-key-contamination_map", 270),
    "scores": (".st-key-scores_curve", 270),
    "wall": (".st-key-claims_wall", 290),
}
TALL = 2600  # axe checks visible elements only
ESCAPE = re.compile(r"\\[^\w\s]")

#: Elements of Streamlit that a page cannot change: selector -> reason.
EXCLUDED = {
    "[data-testid=stSidebarNavItems]": "a narrow menu wraps each group of pages in a div of a list",
}
#: Excused violations: rule of axe -> content of the element that breaks it, and reason.
EXCUSED = {
    "presentation-role-conflict": ("stFileUploaderDropzone", "it has a role of none and a label"),
}
VIOLATIONS = """async ([excluded, rules]) => {
    const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
    const found = await axe.run(
        { exclude: excluded.map(each => [each]) }, { resultTypes: ["violations"], ...only });
    return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(n => `${id}: ${n.html.slice(0, 200)} ${(n.any[0] || n.all[0] || {}).message}`));
}"""
#: Rules of axe that depend on the theme; for the others, both themes are equal.
COLOURS = ("color-contrast", "link-in-text-block")
WIDER_THAN_THE_WINDOW = """() => {
    const main = document.querySelector("[data-testid=stMain]");
    return main.scrollWidth > main.clientWidth
        || document.documentElement.scrollWidth > innerWidth;
}"""
#: Sums the layout shifts without user input.
SHIFT = """() => { window.shift = 0; new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
}).observe({ type: "layout-shift", buffered: true }); }"""
#: The text of the page and of its components, without code and formulas.
TEXT = """() => {
    const unread = "script, style, pre, code, .katex, [data-testid=stIconMaterial]";
    const read = (node) => {
        if (node.nodeType === 3) return [node.data];
        if (node.nodeType === 1 && node.matches(unread)) return [];
        return [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].flatMap(read);
    };
    return read(document.querySelector("[data-testid=stApp]"));
}"""
#: Texts in the icon font, such as "keyboard_arrow_down", and whether a screen reader skips them.
LIGATURES = """() => [...document.querySelectorAll("body *")]
    .filter(node => getComputedStyle(node).fontFamily.includes("Material Symbols"))
    .filter(node => !node.children.length && node.textContent.trim())
    .map(node => [node.textContent.trim(), !!node.closest("[aria-hidden=true]")])"""
#: Element with the focus, also within a component.
FOCUSED = """() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    window.focused ??= [];
    let k = window.focused.indexOf(at);
    if (k < 0) k = window.focused.push(at) - 1;
    return [k, at === document.body, !!at?.getRootNode().host
        || !!at?.closest("[data-testid=stMain]")];
}"""


def address_of(name):
    """Return the address of a view: its page, and its name unless it is the first view."""
    page, view = VIEWS[name]
    path = "" if page is PAGES[0] else page.name
    return f"/{path}" if view is page.views[0] else f"/{path}?view={name}"


def heading(page):
    """Return the heading of a view."""
    return page.get_by_role("heading", level=1).first


def violations(page, *rules):
    """Return the violations that axe finds on a page, except those of Streamlit.

    A chart is drawn for a while after its theme or width has changed, so a violation has to last.
    """
    end = time.monotonic() + 30
    while True:
        every = page.evaluate(VIOLATIONS, [list(EXCLUDED), rules])
        violations = [item for item in every if not is_excused(*item.split(": ", 1))]
        if not violations or time.monotonic() > end:
            return violations
        page.wait_for_timeout(500)


def icons_read_aloud(page):
    """Return the icon names that a screen reader reads, alone or within another name."""
    icons = dict(sorted(map(tuple, page.evaluate(LIGATURES)), reverse=True))
    assert icons
    spoken = page.locator("body").aria_snapshot()
    inside = {icon for icon in icons if "_" in icon and re.search(rf"(?<!/){icon}\b", spoken)}
    return {icon for icon, is_hidden in icons.items() if not is_hidden} | inside


def is_excused(rule, element):
    return rule in EXCUSED and EXCUSED[rule][0] in element


def stops(page, most=200):
    """Return the number of elements that the Tab key reaches within the view."""
    seen, inside = [], 0
    for _ in range(most):
        page.keyboard.press("Tab")
        place, is_body, in_view = page.evaluate(FOCUSED)
        if is_body or place in seen[:1]:
            return inside  # the focus is back at the first element
        seen.append(place)
        inside += in_view
    assert len(set(seen[-most // 2 :])) > 1, "the Tab key does not leave an element"
    return inside


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_opens_in_a_browser(name, as_shipped, page, axe):
    """The gate opens each view once, in a desktop window and the light theme, and runs axe."""
    opened(page, as_shipped, name)
    assert [text for text in page.evaluate(TEXT) if ESCAPE.search(text)] == []
    assert not page.get_by_test_id("stException").count()
    assert icons_read_aloud(page) == set()
    if name in TOPS:
        picture, most = TOPS[name]
        assert box_of(page.locator(picture).first)["y"] <= most
    page.evaluate(axe)
    page.set_viewport_size({"width": DESK["width"], "height": TALL})
    settle(page)
    assert violations(page) == []
    assert page.errors == []


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_accessible_fits_the_window_and_has_an_address(name, shipped_server, page, axe):
    """Each night, a view is opened in a phone's window, and then width and theme change."""
    opened(page, shipped_server, name, PHONE)
    words = heading(page).inner_text()
    for size in (NARROW, DESK):
        page.set_viewport_size(size)
        settle(page)
        page.wait_for_function(f"!({WIDER_THAN_THE_WINDOW})()")
    assert stops(page) > 0
    page.evaluate(axe)
    page.set_viewport_size({"width": DESK["width"], "height": TALL})
    use_theme(page, "dark")
    settle(page)
    assert violations(page, *COLOURS) == []
    go_to(page, next(page for page in PAGES if page is not VIEWS[name][0]).title)
    once(page, lambda: heading(page).inner_text() != words)
    settle(page)
    page.go_back()
    once(page, lambda: heading(page).inner_text() == words)
    assert page.errors == []


def opened(page, server, name, size=DESK):
    """Open a view in a window of a size; check that layout shifts are small."""
    page.add_init_script(f"({SHIFT})()")
    loaded(page, size, lambda: page.goto(server.url + address_of(name)))


def loaded(page, size, load):
    """Load a view in a window of a size; check for overflow and for layout shifts."""
    session = page.context.new_cdp_session(page)
    if size == PHONE:  # a slow processor draws each part separately
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.set_viewport_size(size)
    moved = []
    # Retry: about one load in three draws placeholders of widgets if the browser is busy.
    while not moved or (moved[-1] >= MOST_SHIFT and len(moved) < 3):
        load()
        heading(page).wait_for()
        settle(page)
        page.wait_for_function(f"!({WIDER_THAN_THE_WINDOW})()")
        moved.append(page.evaluate("window.shift"))
    assert moved[-1] < MOST_SHIFT, size
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})


#: Whether a placeholder text is in place of the picture.
WORD = """() => [...document.querySelectorAll(".stMainBlockContainer *")].some(node => {
    const { content, opacity } = getComputedStyle(node, "::after");
    return content.includes("…") && Number(opacity) > 0;
})"""


@pytest.mark.parametrize("name", ["play", "table", "gains", "wall"])
def test_a_view_shows_a_placeholder_until_its_picture(name, shipped_server, page):
    """Messages after the heading are delayed, as on a slow server or a slow connection."""
    question = VIEWS[name][1].question.encode()
    line = SlowServer(page, after=question)
    page.goto(shipped_server.url + address_of(name))
    heading(page).wait_for()
    page.wait_for_function(f"({WORD})()")
    line.go_on()
    settle(page)
    page.wait_for_function(f"!({WORD})()")


#: Whether figures are no wider than their places.
WITHIN_PLACE = """charts => charts.map(chart => chart.getBoundingClientRect().right
    <= chart.parentElement.getBoundingClientRect().right + 1)"""


@pytest.mark.parametrize("name", ["splits", "lessons"])
def test_figures_are_as_wide_as_their_place_in_a_large_window(name, shipped_server, page):
    opened(page, shipped_server, name, {"width": 1920, "height": 1080})
    charts = page.locator(".chart svg")
    once(page, lambda: charts.count() and all(charts.evaluate_all(WITHIN_PLACE)))


def test_axe_detects_a_planted_violation(page, axe):
    page.set_content("<img src='data:,'>")
    page.evaluate(axe)
    assert any(violation.startswith("image-alt") for violation in violations(page))


def test_a_planted_layout_shift_and_a_wide_page_are_detected(page):
    page.goto("data:text/html,<div data-testid=stMain><p id=a>a<p style='width:3000px'>b")
    drawn(page)
    page.evaluate(f"({SHIFT})()")
    page.evaluate("document.getElementById('a').style.height = '500px'")
    once(page, lambda: page.evaluate("window.shift") > 0)
    assert page.evaluate(WIDER_THAN_THE_WINDOW)


def choose_theme(page, theme):
    """Choose a theme in the menu, and wait for it."""
    menu = page.get_by_test_id("stMainMenuButton")
    # A run that ends after the click closes the menu.
    once(page, lambda: menu.get_attribute("aria-expanded") == "true" or menu.click())
    page.get_by_role("menuitemradio", name=theme).click()
    wait_for_theme(page, "dark" if theme == "Dark" else "light")
    page.keyboard.press("Escape")


def test_a_chosen_theme_applies_at_once_on_all_pages(shipped_server, page):
    page.set_viewport_size(PHONE)
    for address, theme in (("", "Dark"), ("/teach", "Light"), ("/claims", "System")):
        page.goto(shipped_server.url + address)
        heading(page).wait_for()
        settle(page)
        wait_for_theme(page, "dark" if address == "/teach" else "light")
        choose_theme(page, theme)  # the last click resets the choice, for other tests
    assert page.errors == []


def test_navigation_shares_a_line_with_tools_and_views_with_the_heading(shipped_server, page):
    page.set_viewport_size({"width": 1280, "height": 720})
    opened(page, shipped_server, PAGES[0].views[0].name)
    links = [box_of(link) for link in page.get_by_test_id("stTopNavLink").all()]
    tools = box_of(page.locator(".st-key-tools"))
    assert len(links) == len(PAGES)
    starts = [box["x"] for box in links]
    assert starts == sorted(set(starts))  # no link is above another
    assert max(box["x"] + box["width"] for box in links) <= tools["x"]
    assert tools["y"] + tools["height"] <= 60
    page.get_by_role("button", name="Search").click(trial=True)  # nothing covers the button
    title, views = box_of(heading(page)), box_of(page.locator(".st-key-view_of_playground"))
    assert abs(title["y"] + title["height"] / 2 - views["y"] - views["height"] / 2) < 4
