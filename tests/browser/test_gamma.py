"""What only a browser shows: gamma moves without the server, links open cold, nothing spills."""

import json
import random
import re
from pathlib import Path

import pytest

from tests.browser.reading import (
    NARROW,
    PHONE,
    PROJECTOR,
    curve_shown,
    dressed,
    fits,
    go_to,
    no_text_on_text,
    numbers,
    once,
    open_page,
    place_of,
    present,
    sent_by,
    slider,
    still,
)
from ui.numbers import percent, three_digits
from zslcore.evaluation.runs import execute_with_scores
from zslcore.evaluation.specs import RunSpec


@pytest.fixture(scope="module")
def scores():
    """What the page shows unless asked for something else."""
    spec = RunSpec(dataset="digits", split="PS", method="ESZSL")
    return execute_with_scores(spec, with_oracle=False)[1]


@pytest.mark.parametrize("part", ["point", "gamma", "slider"])
def test_gamma_is_dragged_without_asking_the_server_and_told_when_let_go(server, page, part):
    sent = sent_by(page)
    open_page(page, f"{server.url}/calibration")
    assert sent  # opening the page did ask
    before = numbers(page)
    sent.clear()
    slider(page).scroll_into_view_if_needed()
    page.mouse.move(*place_of(page, part))
    page.mouse.down()
    seen = []
    for way in (-60, -30, 15, 40):
        x, y = place_of(page, part)
        page.mouse.move(x + way, y + (way if part == "point" else 0), steps=4)
        once(page, lambda: numbers(page) != ([before, *seen][-1]))
        seen.append(numbers(page))
    assert sent == []
    page.mouse.up()
    page.wait_for_url(re.compile("calibration_gamma="))
    assert sent
    told = float(re.search(r"calibration_gamma=([-\d.e]+)", page.url)[1])
    assert three_digits(told) == three_digits(seen[-1]["γ"])
    once(page, lambda: f"H at γ = {three_digits(told)}" in page.locator("body").inner_text())
    assert page.errors == []


def test_the_numbers_are_those_of_the_curve_at_fifty_gammas(server, page, scores):
    open_page(page, f"{server.url}/calibration")
    low, high = json.loads(slider(page).evaluate("r => `[${r.min}, ${r.max}]`"))
    random.seed(0)
    for gamma in (random.uniform(low, high) for _ in range(50)):
        text, exact = slider(page).evaluate(
            """(range, gamma) => new Promise(done => {
                range.value = gamma;
                range.dispatchEvent(new Event("input"));
                requestAnimationFrame(() => requestAnimationFrame(() =>
                    done([range.closest(".whole").querySelector(".numbers").innerText,
                        range.valueAsNumber])));
            })""",
            gamma,
        )
        point = scores.curve.at(exact)
        for words in (
            f"u = {percent(point.unseen)}",
            f"s = {percent(point.seen)}",
            f"H = {percent(point.harmonic)}",
        ):
            assert words in text, (exact, text)
        went = scores.switches.destinations(exact)
        said = page.locator(".flow svg text").all_text_contents()
        shown = [words for words in said if words.endswith("%")]
        unseen, seen = went / went.sum(axis=1, keepdims=True)
        expected = [*unseen[:2], seen[2], unseen[2], seen[1], seen[0]]
        assert [" ".join(words.split()[-2:]) for words in shown] == list(map(percent, expected))


def test_keys_move_gamma_and_shift_goes_from_breakpoint_to_breakpoint(server, page, scores):
    open_page(page, f"{server.url}/calibration")
    slider(page).focus()
    page.keyboard.press("Home")
    once(page, lambda: numbers(page)["u"] < 1)
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    before = numbers(page)["γ"]
    page.keyboard.press("ArrowRight")
    once(page, lambda: numbers(page)["γ"] > before)
    page.keyboard.press("End")
    once(page, lambda: numbers(page)["s"] < 2)
    page.keyboard.press("Home")
    once(page, lambda: numbers(page)["u"] < 1)

    gamma = float(slider(page).evaluate("r => r.value"))
    k = int((scores.curve.gamma <= gamma).sum()) - 1
    for step in range(1, 4):
        page.keyboard.press("Shift+ArrowRight")
        point = scores.curve.unseen[k + step], scores.curve.seen[k + step]
        once(page, lambda point=point: (numbers(page)["u"], numbers(page)["s"]) == rounded(*point))
    assert "unseen accuracy" in slider(page).get_attribute("aria-valuetext")
    page.wait_for_url(re.compile("calibration_gamma="))
    assert page.errors == []


def rounded(*accuracies):
    return tuple(float(percent(a).split()[0]) for a in accuracies)


def test_a_stop_is_named_and_one_press_away(server, page):
    open_page(page, f"{server.url}/calibration")
    page.get_by_role("button", name=re.compile("^uncalibrated, γ")).click()
    once(page, lambda: numbers(page)["γ"] == 0)
    assert "uncalibrated" in slider(page).get_attribute("aria-valuetext")
    page.wait_for_url(re.compile(r"calibration_gamma=0(\.0)?($|&)"))


def test_reload_keeps_gamma_and_back_undoes_it(server, page):
    open_page(page, f"{server.url}/calibration")
    begun = numbers(page)
    page.get_by_role("button", name=re.compile("^uncalibrated, γ")).click()
    page.wait_for_url(re.compile("calibration_gamma=0"))
    page.reload()
    curve_shown(page)
    assert numbers(page)["γ"] == 0
    page.get_by_role("button", name=re.compile("^oracle, γ")).click()
    page.wait_for_url(re.compile(r"calibration_gamma=0\.[1-9]"))  # not 0.0
    page.go_back()
    once(page, lambda: numbers(page)["γ"] == 0)
    page.go_back()
    once(page, lambda: numbers(page) == begun)


def test_the_curve_is_taken_away_as_a_drawing_and_as_a_picture(server, page):
    open_page(page, f"{server.url}/calibration")
    page.get_by_role("button", name=re.compile("Download")).first.click()
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=kind, exact=True).click()
        assert saved.value.suggested_filename == f"calibration_curve.{kind.lower()}"
        data = Path(saved.value.path()).read_bytes()
        assert data.startswith(start)
        assert kind == "PNG" or (b"unseen u = 53.5" in data and b"var(" not in data)
    assert page.errors == []


def test_both_plots_share_a_crosshair(server, page):
    open_page(page, f"{server.url}/calibration")
    box = page.locator(".over > svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.locator(".tip")
    tip.wait_for()
    assert re.search(r"γ = .*: u .* %, s .* %, H .* %", tip.inner_text())
    assert all(cross.get_attribute("d") for cross in page.locator(".cross").all())
    page.mouse.move(0, 0)
    tip.wait_for(state="hidden")


def test_link_opens_on_a_fresh_server_with_everything_in_place(fresh_server, page):
    open_page(page, fresh_server.url + present("/calibration?method=SAE&calibration_gamma=0.05"))
    assert page.get_by_text("Playground", exact=True).first.is_visible()
    assert page.get_by_label("Method").input_value() == "SAE"
    assert numbers(page)["γ"] == 0.05
    assert "calibration_gamma=0.05" in page.url
    assert page.errors == []


def test_choices_follow_from_page_to_page_and_stay_in_the_address(server, page):
    open_page(page, f"{server.url}/calibration?method=SAE&calibration_gamma=0.05")
    go_to(page, "Playground", "Evaluate")
    page.get_by_text("How well does a method do?").wait_for()
    page.wait_for_url(re.compile("method=SAE"))
    assert page.get_by_label("Method").input_value() == "SAE"
    page.wait_for_url(lambda url: "calibration_gamma" not in url)


def test_a_gamma_that_is_typed_goes_into_the_address_and_the_curve(server, page):
    open_page(page, f"{server.url}/calibration")
    box = page.get_by_role("spinbutton", name="γ")
    box.fill("0.123")
    box.press("Enter")
    page.wait_for_url(re.compile("calibration_gamma=0.123"))
    once(page, lambda: numbers(page)["γ"] == 0.123)


@pytest.mark.parametrize("name", ["calibration", "evaluate"])
def test_nothing_spills_or_overlaps(server, page, name):
    open_page(page, f"{server.url}/{name}?dataset=simulated-AWA2&method=LinearS2V")
    sizes = [(PROJECTOR, "light"), (NARROW, "dark")]
    for size, theme in [*sizes, (PHONE, "light")] if name == "calibration" else sizes:
        dressed(page, theme)
        fits(page, size)
        still(page)  # figures follow the width of the page
        no_text_on_text(page, size["width"])
    assert page.errors == []
