"""Downloads of figures and tables in all formats; choices are entries of the browser's history."""

import re
from pathlib import Path

import pytest

from tests.browser.reading import once, visit


def menu_of(page, key):
    """Open the menu below a figure or table, by keyboard."""
    button = page.locator(f".st-key-take_{key}").get_by_role("button").first
    button.focus()
    page.keyboard.press("Enter")
    return page.locator("[data-testid=stPopoverBody]")


def saved(page, press):
    with page.expect_download() as download:
        press()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def is_dark(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", color)[:3])) < 384


def test_the_glossary_explains_a_term_on_any_page(server, page):
    visit(page, server, "/claims")
    page.get_by_role("button", name="Glossary").click()
    menu = page.locator("[data-testid=stPopoverBody]")
    box = menu.get_by_label("Find a term")
    box.fill("ausuc")
    box.press("Enter")
    menu.get_by_text("Area under the seen-unseen curve").wait_for()
    menu.get_by_text("Hubness").wait_for(state="detached")
    menu.get_by_text("OpenworldAUC").first.wait_for()  # its text names AUSUC, too
    assert menu.locator(".katex").count() == 2
    assert page.errors == []


@pytest.mark.parametrize(
    ("width", "file", "mm"),
    [("120 mm", "data_split-120mm.pdf", 120), ("slide, 16:9", "data_split-slide.pdf", 160)],
)
def test_a_figure_leaves_for_print_with_the_width_that_was_chosen(server, page, width, file, mm):
    pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
    visit(page, server, "/data?dataset=digits")  # an import would be shown on another tab
    menu = menu_of(page, "data_split")
    menu.get_by_text(width).click()
    menu.get_by_text("serif", exact=True).click()
    button = menu.get_by_role("button", name="File for print")
    name, pdf = "", b""
    while name != file:  # the menu is created again after each choice
        name, pdf = saved(page, button.click)
    across, down = map(float, re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", pdf).groups())
    assert across == pytest.approx(mm / 25.4 * 72)
    assert across / down == pytest.approx(16 / 9) or width == "120 mm"
    once(page, lambda: b"STIX" in saved(page, button.click)[1])
    assert page.errors == []
