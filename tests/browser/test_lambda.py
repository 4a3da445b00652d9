"""Lambda moves through every panel in the browser; the server hears of it when it is let go."""

import math
import re

import numpy as np
import pytest

from tests.browser.reading import (
    NARROW,
    PHONE,
    PROJECTOR,
    SlowServer,
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


def series_of(path):
    """The lines of every panel, from the path itself."""
    test = [path.zsl, path.seen_alone, path.unseen, path.seen, path.harmonic]
    folds = [path.fold_zsl.mean(axis=0), path.fold_harmonic.mean(axis=0)]
    errors = [path.mse_unseen, path.mse_seen] if len(path.mse_seen) else []
    return [[*test, path.calibrated_harmonic], folds, errors]


def numbers_at(path, k):
    """What stands above the panels, from the path itself."""
    *accuracies, errors = series_of(path)
    said = [percent(line[k]) for panel in accuracies for line in panel]
    return said + [three_digits(line[k]) for line in errors]


def shown_at(page, path, k):
    """Wait until the page shows the numbers of a place."""
    once(page, lambda: place(page) == k)
    expected = numbers_at(path, k)
    once(page, lambda: told(page, expected), why=lambda: (keys(page), expected))


def told(page, expected):
    """Whether what stands above the panels ends in these numbers, all of them and no others."""
    said = keys(page)
    return len(said) == len(expected) and all(map(str.endswith, said, expected))


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


def test_a_late_answer_does_not_take_lambda_back(server, page, path):
    slow, sent = SlowServer(page), sent_by(page)
    open_page(page, f"{server.url}/{PAGE}")
    shown_at(page, path, path.for_gzsl)
    slow.wait()
    slider(page).press("Home")
    for k in (1, 2):
        before = len(sent)
        once(page, lambda before=before: len(sent) > before)  # the place so far is told
        slider(page).press("ArrowRight")
        shown_at(page, path, k)
    slider(page).evaluate("""range => {
        window.places = [];
        const look = () => { window.places.push(range.value); requestAnimationFrame(look) };
        look();
    }""")
    slow.go_on()
    page.wait_for_url(re.compile(f"regularization_value={path.values[2]:.3g}"))
    still(page)
    assert set(page.evaluate("window.places")) == {"2"}


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


DRAWN = """drawing => {
    const all = name => [...drawing.querySelectorAll(name)];
    const numbers = each => each.getAttribute("d").match(/-?[\\d.]+/g).map(Number);
    return {
        ticks: all("text.tick").map(t =>
            [t.textContent, Number(t.getAttribute("x")), Number(t.getAttribute("y"))]),
        lines: all("path.curve").map(numbers),
        stops: all("path.stop").map(numbers),
        upright: numbers(drawing.querySelector(".upright")),
        moving: all(".moving").map(m => m.getBBox()).map(b => [b.x, b.y, b.width, b.height]),
    } }"""
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def scales(ticks):
    """Return where values stand in a drawing: across, of the logarithm, and upwards."""
    bottom = max(y for _, _, y in ticks)
    across = [(math.log10(tick_value(text)), x) for text, x, y in ticks if y == bottom]
    up = [(tick_value(text), y - 4) for text, _, y in ticks if y != bottom]  # a letter's middle
    return [np.poly1d(np.polyfit(*zip(*side, strict=True), 1)) for side in (across, up)]


def tick_value(text):
    if text.endswith("%"):
        return float(text[:-1]) / 100
    raised = re.fullmatch("10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", text)
    return 10.0 ** int(raised[1].translate(POWERS)) if raised else float(text)


@pytest.mark.parametrize("width", [PROJECTOR, PHONE])
def test_what_is_drawn_is_the_path(server, page, path, width):
    page.set_viewport_size(width)
    open_page(page, f"{server.url}/{PAGE}")
    k = len(path.values) - 3
    assert k != path.for_gzsl
    for _ in range(abs(k - path.for_gzsl)):
        slider(page).press("ArrowRight" if k > path.for_gzsl else "ArrowLeft")
    shown_at(page, path, k)
    panels = page.locator(".main > svg, .others svg[role=img]").all()
    for panel, series in zip(panels, series_of(path), strict=True):
        drawn = panel.evaluate(DRAWN)
        across, up = scales(drawn["ticks"])
        places = across(np.log10(path.values))
        assert drawn["upright"][0] == pytest.approx(places[k], abs=1)
        for heights, line, (left, top, wide, high) in zip(
            series, drawn["lines"], drawn["moving"], strict=True
        ):
            on_line = np.interp(places, line[::2], line[1::2])
            np.testing.assert_allclose(on_line, up(heights), atol=1.5)
            assert left <= places[k] <= left + wide
            assert top <= up(heights[k]) <= top + high
        named = [path.for_zsl, path.for_gzsl, path.oracle_zsl, path.oracle_gzsl]
        uprights = sorted({round(stop[0]) for stop in drawn["stops"]})
        np.testing.assert_allclose(uprights, sorted({round(places[n]) for n in named}), atol=1)


def test_a_value_with_a_name_is_one_press_away(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    named = {
        "tuned for ZSL": path.for_zsl,
        "tuned for GZSL": path.for_gzsl,
        "oracle for ZSL": path.oracle_zsl,
        "oracle for GZSL": path.oracle_gzsl,
    }
    assert len(set(named.values())) > 1
    for name, k in named.items():
        page.get_by_role("button", name=re.compile(f"^{name}, λ")).click()
        shown_at(page, path, k)
        here = ", ".join(other for other in named if named[other] == k)
        once(page, lambda here=here: page.locator(".numbers > .also").inner_text() == here)


def test_another_method_is_another_path(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    shown_at(page, path, path.for_gzsl)
    other = RegularizationSpec("digits", "PS", "LinearS2V").follow()
    page.get_by_label("Method").click()
    page.get_by_role("option", name="LinearS2V", exact=True).click()
    page.wait_for_url(re.compile("method=LinearS2V"))
    expected = numbers_at(other, other.for_gzsl)
    assert len(expected) == len(numbers_at(path, path.for_gzsl)) - 2  # it predicts no attributes
    once(page, lambda: told(page, expected), why=lambda: (keys(page), expected))


def test_what_lies_below_the_pointer_is_told(server, page, path):
    open_page(page, f"{server.url}/{PAGE}")
    drawing = page.locator(".main > svg")
    box = drawing.bounding_box()
    k, left, right = 4, box["x"] + 48, box["x"] + box["width"] - 12
    across = left + (right - left) * k / (len(path.values) - 1)
    page.mouse.move(across, box["y"] + box["height"] / 2)
    tip = page.locator(".tip")
    once(page, lambda: tip.inner_text().startswith(f"λ = {three_digits(path.values[k])}:"))
    assert percent(path.zsl[k]) in tip.inner_text()
    assert place(page) == path.for_gzsl


@pytest.mark.parametrize("method", ["LinearV2S", "LinearS2V"])
def test_nothing_spills_or_overlaps(server, page, method):
    open_page(page, f"{server.url}/regularization?method={method}&regularization_tab=Results")
    for size, theme in ((PROJECTOR, "light"), (NARROW, "dark"), (PHONE, "light")):
        dressed(page, theme)
        fits(page, size)
        still(page)
        no_text_on_text(page, size["width"])
    assert page.errors == []
