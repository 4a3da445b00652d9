"""Lambda moves through every panel in the browser; the server hears of it when it is let go."""

import re

import pytest

from tests.browser.reading import (
    NARROW,
    PHONE,
    PROJECTOR,
    dressed,
    fits,
    no_text_on_text,
    once,
    open_page,
    sent_by,
    still,
)
from ui.numbers import percent, three_digits
from zslcore.analysis.regularization import RegularizationSpec

PAGE = "regularization?method=LinearV2S"


@pytest.fixture(scope="module")
def path():
    """What the page shows."""
    return RegularizationSpec("digits", "PS", "LinearV2S").follow()


def slider(page):
    return page.locator(".main > input")


def place(page):
    return int(slider(page).evaluate("r => r.value"))


def keys(page):
    """What stands above the panels: each line with its number."""
    return page.locator(".key > span > span").all_text_contents()


def numbers_at(path, k):
    """The same, from the path itself."""
    test = [path.zsl, path.seen_alone, path.unseen, path.seen, path.harmonic]
    folds = [path.fold_zsl.mean(axis=0), path.fold_harmonic.mean(axis=0)]
    accuracies = [percent(values[k]) for values in [*test, path.calibrated_harmonic, *folds]]
    return [*accuracies, three_digits(path.mse_unseen[k]), three_digits(path.mse_seen[k])]


def shown_at(page, path, k):
    """Wait until the page shows the numbers of a place."""
    once(page, lambda: place(page) == k)
    expected = numbers_at(path, k)
    once(page, lambda: all(map(str.endswith, keys(page), expected)))
    assert len(keys(page)) == len(expected)


@pytest.mark.parametrize(
    "panel", [".main", ".others figure:first-child", ".others figure + figure"]
)
def test_lambda_is_dragged_without_asking_the_server_and_told_when_let_go(
    server, page, path, panel
):
    sent = sent_by(page)
    open_page(page, f"{server.url}/{PAGE}")
    assert sent  # opening the page did ask
    drawing = page.locator(f"{panel} > svg")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    left, right = box["x"] + 48, box["x"] + box["width"] - 12
    middle, n = box["y"] + box["height"] / 2, len(path.values)
    page.mouse.move(left, middle)
    sent.clear()
    page.mouse.down()
    for k in (3, 18, 9):
        page.mouse.move(left + (right - left) * k / (n - 1), middle, steps=4)
        shown_at(page, path, k)
    assert sent == []
    page.mouse.up()
    page.wait_for_url(re.compile("regularization_value="))
    told = float(re.search(r"regularization_value=([-\d.e]+)", page.url)[1])
    assert told == pytest.approx(path.values[9], rel=0.01)
    assert page.errors == []


def test_keys_move_lambda_from_end_to_end(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    shown_at(page, path, path.for_gzsl)
    slider(page).focus()
    page.keyboard.press("Home")
    shown_at(page, path, 0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    shown_at(page, path, 2)
    page.keyboard.press("End")
    shown_at(page, path, len(path.values) - 1)
    said = slider(page).get_attribute("aria-valuetext")
    assert said.startswith(f"λ = {three_digits(path.values[-1])}")
    assert percent(path.zsl[-1]) in said
    assert page.errors == []


def test_reload_keeps_lambda_and_back_undoes_it(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    shown_at(page, path, path.for_gzsl)
    slider(page).press("End")  # once: a key after a pause is an entry of its own
    page.wait_for_url(re.compile("regularization_value="))
    page.reload()
    shown_at(page, path, len(path.values) - 1)
    page.go_back()
    shown_at(page, path, path.for_gzsl)
    assert page.errors == []


def test_a_value_with_a_name_is_one_press_away(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    page.get_by_role("button", name=re.compile("^chosen for ZSL, λ")).click()
    shown_at(page, path, path.for_zsl)
    once(page, lambda: "chosen for ZSL" in page.locator(".numbers > .also").inner_text())
    page.get_by_role("button", name=re.compile("^oracle for GZSL, λ")).click()
    shown_at(page, path, path.oracle_gzsl)


def test_what_lies_below_the_pointer_is_told(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    drawing = page.locator(".main > svg")
    box = drawing.bounding_box()
    page.mouse.move(box["x"] + 48, box["y"] + box["height"] / 2)
    once(page, lambda: f"λ = {three_digits(path.values[0])}" in page.locator(".tip").inner_text())
    assert percent(path.zsl[0]) in page.locator(".tip").inner_text()
    assert place(page) == path.for_gzsl


@pytest.mark.parametrize("method", ["LinearV2S", "LinearS2V"])
def test_nothing_spills_or_overlaps(server, page, method):
    open_page(page, f"{server.url}/regularization?method={method}&regularization_tab=Figures")
    for size, theme in ((PROJECTOR, "light"), (NARROW, "dark"), (PHONE, "light")):
        dressed(page, theme)
        fits(page, size)
        still(page)
        no_text_on_text(page, size["width"])
    assert page.errors == []
