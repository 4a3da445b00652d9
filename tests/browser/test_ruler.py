"""Rulers of lambda and of unlabelled images: numbers, figures and address follow."""

import re

from tests.browser.reading import box_of, once, settle
from tests.browser.test_playground import numbers, opened

STOPS = "?playground_ruler=lambda&method=SAE"


def at(page, words):
    once(page, lambda: page.locator(".ruler .g").inner_text() == words)


def test_lambda_moves_sentence_numbers_wall_and_address(server, page):
    opened(page, server, "?method=SAE")
    page.get_by_role("radio", name="λ").click()
    at(page, "λ 0.316")
    slider = page.locator(".track > input")
    settle(page)
    assert slider.get_attribute("aria-valuetext").startswith("lambda 0.316, validated: unseen")
    before = numbers(page), page.locator(".heads .left").inner_text()
    slider.focus()
    page.keyboard.press("End")
    at(page, "λ 1e+04")
    once(page, lambda: (numbers(page), page.locator(".heads .left").inner_text()) != before)
    page.wait_for_url(re.compile(r"playground_value=1e%2B04"))
    settle(page)
    sentence = page.locator(".sentence").inner_text()
    assert sentence.startswith("λ 1e+04 instead of 0.316: ")
    page.reload()
    at(page, "λ 1e+04")
    once(page, lambda: page.locator(".sentence").inner_text() == sentence)
    page.get_by_role("button", name="tuned for ZSL").click()
    at(page, "λ 0.1")
    assert page.errors == []


def test_the_handle_goes_to_the_nearest_stop(server, page):
    opened(page, server, STOPS)
    at(page, "λ 0.316")
    stops = page.locator(".trail circle")
    once(page, lambda: stops.count() == 15)
    box = box_of(stops.last)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    at(page, "λ 1e+04")


def test_an_open_image_stays_open_when_the_ruler_moves(server, page):
    opened(page, server, STOPS)
    at(page, "λ 0.316")
    page.get_by_label("Images on the wall").select_option("◆ 7")
    settle(page)
    box = box_of(page.locator(".wall > canvas"))
    page.mouse.click(box["x"] + box["width"] / 2 + 20, box["y"] + 10)
    card = page.get_by_role("group", name="One image")
    card.wait_for()
    drawn = card.locator("canvas").evaluate("each => each.toDataURL()")
    title = card.locator("strong").inner_text()
    page.locator(".track > input").focus()
    page.keyboard.press("End")
    at(page, "λ 1e+04")
    for shown in "", "7":  # the server answers each choice with a new instrument
        page.get_by_label("Images on the wall").select_option(shown)
        settle(page)
        assert card.locator("strong").inner_text() == title
        assert card.locator("canvas").evaluate("each => each.toDataURL()") == drawn


BOXES = """(all) => all.map((one) => one.getBoundingClientRect()).map(
    ({ left, top, right, bottom }) => [left, top, right, bottom])"""


def test_the_hint_covers_no_stop_and_no_name_on_a_phone(server, page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{server.url}/{STOPS}")
    at(page, "λ 0.316")
    once(page, lambda: page.locator(".trail circle").count() == 15)
    settle(page)
    (hint,) = page.locator(".hint rect").evaluate_all(BOXES)
    assert hint[2] - hint[0] > 70
    for box in page.locator(".trail circle, .trade text.label").evaluate_all(BOXES):
        across = hint[0] < box[2] and box[0] < hint[2]
        down = hint[1] < box[3] and box[1] < hint[3]
        assert not (across and down)
