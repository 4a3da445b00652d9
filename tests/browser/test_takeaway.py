"""Figures and tables leave the page in every form; choices are steps of the browser's history."""

import csv
import io
import re
import struct
from pathlib import Path

import pytest

from tests.browser.reading import curve_shown, once, settle, visit


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


def test_a_figure_leaves_the_page_in_every_form(server, page):
    visit(page, server, "/evaluate")
    drawn = page.locator(".st-key-evaluate_classes .js-plotly-plot")
    drawn.wait_for()
    menu = menu_of(page, "evaluate_classes")
    menu.get_by_role("button", name="PNG").wait_for()

    name, png = saved(page, menu.get_by_role("button", name="PNG").click)
    assert name == "evaluate_classes.png"
    width, height = struct.unpack(">II", png[16:24])
    box = drawn.bounding_box()
    assert (width, height) == (2 * round(box["width"]), 2 * round(box["height"]))

    name, svg = saved(page, menu.get_by_role("button", name="SVG").click)
    assert name == "evaluate_classes.svg"
    assert svg.startswith(b"<svg")
    assert svg.count(b"<path") > 10

    name, text = saved(page, menu.get_by_role("button", name="CSV").click)
    assert name == "evaluate_classes.csv"
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert len(rows) >= 20  # ten digits, with and without calibration
    assert all(0 <= float(row["y"]) <= 1 for row in rows)

    line = menu.locator("code").inner_text()
    assert line.startswith("![Accuracy of each")
    assert re.search(r"digits, data [0-9a-f]+; zslcore", line)
    assert f"({page.url})" in line
    assert page.errors == []


def test_a_curve_leaves_the_page_as_one_file_that_needs_no_server(server, page, tmp_path):
    visit(page, server, "/calibration")
    curve_shown(page)
    shown = page.locator(".numbers").inner_text()
    menu = menu_of(page, "calibration_curve")
    name, html = saved(page, menu.get_by_role("button", name="HTML, interactive").click)
    assert name == "calibration_curve.html"
    (tmp_path / name).write_bytes(html)

    asked = []
    alone = page.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("pageerror", lambda error: page.errors.append(str(error)))
    alone.goto((tmp_path / name).as_uri())
    curve_shown(alone)
    assert alone.locator(".numbers").inner_text() == shown
    made = alone.locator("small").last.inner_text()
    assert re.search(r"digits, data [0-9a-f]+; zslcore", made)
    assert made.endswith(page.url)
    alone.get_by_role("slider").focus()
    alone.keyboard.press("Shift+ArrowLeft")
    once(alone, lambda: alone.locator(".numbers").inner_text() != shown)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    for theme in ("dark", "light"):
        alone.emulate_media(color_scheme=theme)
        once(alone, lambda t=theme: is_dark(alone) == (t == "dark"))
    assert page.errors == []


def is_dark(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", color)[:3])) < 384


def test_a_table_leaves_the_page_and_goes_into_the_report(server, page):
    visit(page, server, "/evaluate?evaluate_tab=Confusion")
    page.get_by_role("tab", name="Confusion").click()
    table = "table_confused_digits_ESZSL"
    page.locator(f".st-key-take_{table}").wait_for()
    _, text = saved(page, page.locator(f".st-key-download_{table}_LaTeX button").click)
    assert text.startswith(rb"\begin{table}")
    menu = menu_of(page, table)
    _, text = saved(page, menu.get_by_role("button", name="Markdown").click)
    assert text.startswith(b"| true class |")
    menu.get_by_role("button", name="Pin to the report").click()
    page.get_by_text("Pinned. The report has 1 piece.").wait_for()
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Report").first.click()
    name, html = saved(page, page.get_by_role("button", name="Report, HTML").click)
    assert name == "report.html"
    assert b"<h2>Confused digits eszsl</h2>" in html
    assert b"python -m zslcore run --dataset digits" in html


def test_back_undoes_a_choice_and_forward_makes_it_again(server, page):
    visit(page, server, "/evaluate")
    method = page.get_by_label("Method", exact=True)
    before = method.input_value()
    for choice in ("SAE", "SJE"):
        method.click()
        method.fill(choice)
        page.get_by_role("option", name=choice, exact=True).click()
        page.wait_for_url(re.compile(f"method={choice}"))
        settle(page)
    for go, chosen in ((page.go_back, "SAE"), (page.go_back, before), (page.go_forward, "SAE")):
        go()
        once(page, lambda chosen=chosen: method.input_value() == chosen, seconds=60)
        settle(page)
    assert "method=SAE" in page.url


def test_the_link_of_a_page_is_copied(server, page, chromium):
    chromium.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, server, "/evaluate?method=SAE")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_the_glossary_explains_a_term_on_any_page(server, page):
    visit(page, server, "/published")
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


def test_a_figure_leaves_for_print_with_the_width_that_was_chosen(server, page):
    pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
    visit(page, server, "/data")
    menu = menu_of(page, "data_split")
    menu.get_by_text("120 mm").click()
    menu.get_by_text("serif", exact=True).click()
    button = menu.get_by_role("button", name="File for print")
    name, pdf = "", b""
    while name != "data_split-120mm.pdf":  # the menu is made again after each choice
        name, pdf = saved(page, button.click)
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", pdf)
    assert float(box[1]) == pytest.approx(120 / 25.4 * 72)
    once(page, lambda: b"STIX" in saved(page, button.click)[1])
    assert page.errors == []
