"""What only a browser shows: gamma moves without the server, links open cold, nothing spills."""

import re

import pytest

from tests.browser.reading import NARROW, PROJECTOR, dressed, fits, numbers, once, open_page, still


def slider_box(page):
    return page.locator(".slider-rail-touch-rect").bounding_box()


def test_gamma_moves_the_numbers_without_asking_the_server(server, page):
    sent = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(frame)))
    open_page(page, f"{server.url}/calibration")
    before, box = numbers(page), slider_box(page)
    middle = box["y"] + box["height"] / 2

    assert sent  # opening the page did ask
    sent.clear()
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    page.mouse.down()
    seen = []
    for share in (0.2, 0.4, 0.6, 0.8):
        page.mouse.move(box["x"] + share * box["width"], middle, steps=5)
        once(page, lambda: numbers(page) != ([before, *seen][-1]))
        seen.append(numbers(page))
    page.mouse.up()

    assert sent == []
    assert len({tuple(step.values()) for step in [before, *seen]}) == 5
    gammas, unseen, of_seen = ([step[name] for step in seen] for name in "γus")
    assert gammas == sorted(gammas)
    assert unseen == sorted(unseen)
    assert of_seen == sorted(of_seen, reverse=True)
    for step in seen:
        H = 2 * step["s"] * step["u"] / (step["s"] + step["u"])
        assert step["H"] == pytest.approx(H, abs=0.11)  # of rounded percents


def test_click_on_the_rail_moves_too(server, page):
    open_page(page, f"{server.url}/calibration")
    box = slider_box(page)
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    once(page, lambda: numbers(page)["s"] < 20)


def test_link_opens_on_a_fresh_server_with_everything_in_place(fresh_server, page):
    open_page(page, f"{fresh_server.url}/calibration?method=SAE&calibration_gamma=0.05")
    assert page.get_by_role("link", name="Evaluate").is_visible()
    assert page.get_by_label("Method").input_value() == "SAE"
    assert numbers(page)["γ"] == 0.05
    assert "calibration_gamma=0.05" in page.url
    assert page.errors == []


def test_choices_follow_from_page_to_page_and_stay_in_the_address(server, page):
    open_page(page, f"{server.url}/calibration?method=SAE&calibration_gamma=0.05")
    page.get_by_role("link", name="Evaluate").click()
    page.get_by_text("How well does a method do?").wait_for()
    page.wait_for_url(re.compile("method=SAE"))
    assert page.get_by_label("Method").input_value() == "SAE"
    assert "calibration_gamma" not in page.url


def test_pinned_gamma_goes_into_the_address_and_the_figure(server, page):
    open_page(page, f"{server.url}/calibration")
    box = page.get_by_role("spinbutton", name="Pin γ")
    box.fill("0.123")
    box.press("Enter")
    page.wait_for_url(re.compile("calibration_gamma=0.123"))
    page.wait_for_function(
        "[...document.querySelectorAll('.textpoint')].some(e => e.textContent === 'γ = 0.123')"
    )


@pytest.mark.parametrize("name", ["calibration", "evaluate"])
def test_nothing_spills_or_overlaps(server, page, name):
    open_page(page, f"{server.url}/{name}?dataset=simulated-AWA2&method=LinearS2V")
    for size, theme in ((PROJECTOR, "light"), (NARROW, "dark")):
        dressed(page, theme)
        fits(page, size)
        still(page)  # figures follow the width of the page
        no_text_on_text(page, size["width"])
    assert page.errors == []


def no_text_on_text(page, width):
    texts = page.locator(".textpoint, .legendtext, .slider-label, .xtitle")
    boxes = [box for box in (text.bounding_box() for text in texts.all()) if box]
    for k, a in enumerate(boxes):
        assert a["x"] >= 0
        assert a["x"] + a["width"] <= width
        for b in boxes[k + 1 :]:
            apart = (
                a["x"] + a["width"] <= b["x"] + 1
                or b["x"] + b["width"] <= a["x"] + 1
                or a["y"] + a["height"] <= b["y"] + 1
                or b["y"] + b["height"] <= a["y"] + 1
            )
            assert apart, (a, b)
