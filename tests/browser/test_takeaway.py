"""The glossary on any page, and downloads of figures for print."""

import re

import pytest

from tests.browser.reading import SlowServer, once, saved, settle, visit


def menu_of(page, key):
    """Open the menu below a figure or table, by keyboard."""
    button = page.locator(f".st-key-take_{key}").get_by_role("button").first
    button.focus()
    page.keyboard.press("Enter")
    return page.locator("[data-testid=stPopoverBody]")


def test_the_glossary_explains_a_term_on_any_page(server, page):
    visit(page, server, "/claims")
    page.get_by_role("button", name="Glossary").click()
    menu = page.locator("[data-testid=stPopoverBody]")
    box = menu.get_by_label("Find a term")
    box.fill("ausuc")
    box.press("Enter")
    menu.get_by_text("Area under the seen-unseen curve").first.wait_for()
    menu.get_by_text("Hubness").wait_for(state="detached")
    menu.get_by_text("OpenworldAUC").first.wait_for()  # the text of OpenworldAUC mentions AUSUC
    assert menu.locator(".katex").count() == 2
    assert page.errors == []


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_a_menu_opens_to_the_larger_side_with_all_its_files(server, page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    visit(page, server, "/overlap_gain")
    button = page.locator(".st-key-take_gain_printed").get_by_role("button").first
    button.evaluate("button => button.scrollIntoView({ block: 'end' })")
    menu = menu_of(page, "gain_printed")
    menu.get_by_role("button", name="Pin to the report").wait_for()
    settle(page)
    hidden = menu.evaluate("menu => menu.scrollHeight - menu.clientHeight")
    assert (hidden, page.locator(".st-key-print_now_gain_printed").count()) == (0, 1)
    box = menu.bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= size[0]
    assert page.errors == []


@pytest.mark.parametrize(
    ("width", "file", "mm"),
    [("120 mm", "data_split-120mm.pdf", 120), ("slide, 16:9", "data_split-slide.pdf", 160)],
)
def test_a_figure_is_saved_for_print_with_the_chosen_width(server, page, width, file, mm):
    pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
    visit(page, server, "/data?dataset=digits")
    menu = menu_of(page, "data_split")
    menu.get_by_text(width).click()
    menu.get_by_text("serif", exact=True).click()
    name, pdf = saved(page, menu.get_by_role("button", name="Figure file").click)
    assert name == file
    assert b"STIX" in pdf
    across, down = map(float, re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", pdf).groups())
    assert across == pytest.approx(mm / 25.4 * 72)
    assert across / down == pytest.approx(16 / 9) or width == "120 mm"
    assert page.errors == []


def test_a_download_button_works_while_the_page_is_drawn_again(server, page):
    """The server draws the menu again while the browser still shows the former one."""
    pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
    line = SlowServer(page)
    visit(page, server, "/data?dataset=digits")
    menu = menu_of(page, "data_split")
    button = menu.get_by_role("button", name="Figure file")
    button.wait_for()
    settle(page)
    line.wait()
    menu.get_by_text("120 mm").click()
    once(page, lambda: line.has("script_finished"))
    with page.expect_download() as download:
        button.click()
        once(page, lambda: line.has("backend_operation_response"))
        line.go_on()
    # The file name has the width that the page showed.
    assert download.value.suggested_filename == "data_split-84mm.pdf"
    assert page.errors == []
