"""Every page for every reader: axe finds nothing, nothing sticks out, and charts follow the theme.

A page is opened once; theme and width change under it, as they may on a visitor's machine.
"""

from importlib.resources import files

import pytest

from tests.browser.reading import dressed, settle, visit

PAGES = {
    "playground": "/",
    "ruler of lambda": "/?playground_ruler=lambda&method=SAE",
    "what is this": "/?view=about",
    "data and splits": "/splits?dataset=simulated-AWA2",
    "AWA1 and AWA2": "/awa1_and_awa2?view=crossed",
    "lessons": "/lessons",
    "compare": "/compare",
    "large scale": "/large_scale",
    "scores": "/scores",
    "published": "/published",
    "leakage review": "/leakage?leakage_source=a data set",
    "overlap gain": "/overlap_gain",
    "contamination map": "/contamination",
    "runs": "/runs",
    "board": "/board",
}
WIDE, TABLET, TELEPHONE = 1280, 820, 390
TALL = 2600  # axe looks at what is in view

#: What is Streamlit's own and cannot be mended from a page: selector -> why.
EXCLUDED = {
    "[data-testid=stSidebarNavItems]": "a narrow menu wraps each group of pages in a div of a list",
}
#: The same of single rules: rule -> what the element holds that breaks it, and why.
EXCUSED = {
    "presentation-role-conflict": ("stFileUploaderDropzone", "it has a role of none and a label"),
}
FIND = """async excluded => {
    const found = await axe.run(
        { exclude: excluded.map(each => [each]) }, { resultTypes: ["violations"] });
    return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(n => `${id}: ${n.html.slice(0, 200)} ${(n.any[0] || n.all[0] || {}).message}`));
}"""
STICKS_OUT = """() => {
    const main = document.querySelector("[data-testid=stMain]");
    return main.scrollWidth > main.clientWidth
        || document.documentElement.scrollWidth > innerWidth;
}"""


def lasting(page):
    """What axe goes on finding: a chart is drawn for a while after its theme or width changed."""
    for _ in range(10):
        if not (found := violations(page)):
            break
        page.wait_for_timeout(500)
    return found


def violations(page):
    """What axe finds on a page now, but for what is Streamlit's own."""
    found = page.evaluate(FIND, list(EXCLUDED))
    return [each for each in found if not is_excused(*each.split(": ", 1))]


def is_excused(rule, element):
    return rule in EXCUSED and EXCUSED[rule][0] in element


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, as the package ships it."""
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def narrowed(page, width):
    """Change the width of the window and wait until the page is drawn for it."""
    page.set_viewport_size({"width": width, "height": TALL})
    page.wait_for_timeout(150)  # what hears of it asks for a new run
    settle(page)


#: Each look differs from the one before in one thing, which a page is drawn anew for.
LOOKS = (("light", WIDE), ("light", TELEPHONE), ("dark", TELEPHONE), ("dark", WIDE))


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_can_be_read_by_everybody(page, server, axe, path):
    visit(page, server, path)
    page.evaluate(axe)
    for theme, width in LOOKS:
        dressed(page, theme)
        narrowed(page, width)
        assert lasting(page) == [], (theme, width)
        assert not page.evaluate(STICKS_OUT), width
    narrowed(page, TABLET)
    assert not page.evaluate(STICKS_OUT), TABLET
    assert not page.get_by_test_id("stException").count()


def test_axe_would_find_something(page, axe):
    page.set_content("<img src='data:,'>")
    page.evaluate(axe)
    assert any(found.startswith("image-alt") for found in violations(page))
