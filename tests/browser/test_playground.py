"""Playground in a browser: everything follows gamma, no scrolling, full keyboard control."""

import re

import numpy as np
import pytest

from tests.browser.reading import NARROW, SlowServer, box_of, drawn, once, sent_by, settle
from tests.browser.test_every_view import SHIFT
from zslcore.datasets import load
from zslcore.datasets.facts import title

SMALL = {"width": 1280, "height": 720}
SHOWN = ".numbers > .h:not(:empty)"
# Counts drawings on the wall during a movement, compared with the frames of the browser.
COUNT = """() => {
    const find = (root) => root.querySelector(".wall > canvas") ||
        [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot))
            .find(Boolean);
    const ctx = find(document).getContext("2d"), clear = ctx.clearRect.bind(ctx);
    window.drawn = 0;
    window.frames_ = 0;
    ctx.clearRect = (...box) => { window.drawn++; clear(...box); };
    const frame = () => { window.frames_++; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
}"""

LAYOUT = """root => { const all = []; const walk = (each) => { for (const e of each.children) {
    all.push(e); if (e.shadowRoot) walk(e.shadowRoot); walk(e); } }; walk(document);
    const of = (name) => all.filter((e) => e.matches(name)).map((e) => e.getBoundingClientRect());
    const [ruler] = of(".ruler"), [heads] = of(".heads"), [wall] = of(".wall");
    const words = [...of(".heads > .left"), ...of(".heads > select"), ...of(".heads > .right")];
    const over = words.some((a, i) => words.slice(i + 1).some((b) => a.right > b.left + 1));
    return { ruler: ruler.bottom, heads: heads.bottom <= wall.top, over }; }"""


def opened(page, server, query=""):
    page.set_viewport_size(SMALL)
    page.goto(f"{server.url}/{query}")
    page.locator(SHOWN).wait_for()
    settle(page)


def numbers(page):
    return page.locator(".said > .numbers").inner_text()


def test_the_handle_moves_sentence_numbers_and_wall_without_the_server(server, page):
    requests = sent_by(page)
    opened(page, server)
    # The curves of all quick methods are drawn.
    once(page, lambda: page.locator(".other").count() >= 4)
    settle(page)
    before = numbers(page), page.locator(".heads .left").inner_text()
    requests.clear()
    box = box_of(page.locator(".ring circle.harmonic"))
    assert box["width"] >= 28
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 60, steps=5)
    once(page, lambda: (numbers(page), page.locator(".heads .left").inner_text()) != before)
    once(page, lambda: "unseen digits gain" in page.locator(".sentence").inner_text())
    assert requests == []
    page.mouse.up()
    page.wait_for_url(re.compile("playground_gamma=0"))
    assert page.errors == []


def test_sentence_and_numbers_have_the_same_gamma_while_the_ruler_plays(server, page):
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script("localStorage.removeItem('zsl-played')")
    opened(page, server)
    page.locator(".ruler [aria-label=Pause]").wait_for()
    sentence = page.locator(".sentence")
    once(page, lambda: sentence.inner_text().startswith("At γ"))
    assert page.locator(".whole").evaluate(
        "whole => whole.querySelector('.sentence').textContent.replaceAll('\u00a0', ' ')"
        ".includes(`At ${whole.querySelector('.g').textContent.replaceAll('\u00a0', ' ')},`)"
    )
    page.locator(".ruler [aria-label=Play]").wait_for()
    u, s = (
        float(re.search(r"([\d.]+) %", page.locator(f".whole .{side}").inner_text())[1])
        for side in "us"
    )
    won = f"Seen digits win by {s - u:.0f} points."
    assert sentence.inner_text().replace("\u00a0", " ") == won


@pytest.mark.parametrize("query", ["", "?dataset=CUB-vgg_fc7"])
def test_nothing_scrolls_or_shifts_at_1280_by_720(server, page, query):
    page.add_init_script(f"({SHIFT})()")
    opened(page, server, query)
    assert page.evaluate(LAYOUT)["ruler"] <= SMALL["height"]  # the drawer is below the ruler
    assert page.evaluate(
        "(() => { const m = document.querySelector('[data-testid=stMain]');"
        " return m.scrollWidth <= m.clientWidth })()"
    )
    assert page.evaluate("window.shift") < 0.1
    bottom = box_of(page.locator(".ruler"))
    assert bottom["y"] + bottom["height"] <= SMALL["height"]


def test_the_wall_is_drawn_at_most_once_per_frame(server, page):
    opened(page, server)
    page.evaluate(COUNT)
    box = box_of(page.locator(".track > input"))
    page.mouse.move(box["x"] + 20, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 14, steps=40)
    once(page, lambda: page.evaluate("window.drawn") > 3)
    page.mouse.up()
    drawn, frames = page.evaluate("[window.drawn, window.frames_]")
    assert drawn <= frames + 1
    once(page, lambda: rests(page))


def rests(page):
    """Return whether nothing was drawn on the wall for ten frames."""
    return page.evaluate("""() => new Promise((done) => {
        const from = window.drawn, end = window.frames_ + 10;
        const look = () => window.frames_ < end ? requestAnimationFrame(look)
            : done(window.drawn === from);
        look();
    })""")


def test_keys_move_gamma_and_choose_a_method(server, page):
    opened(page, server)
    slider = page.locator(".track > input")
    slider.focus()
    text = slider.get_attribute("aria-valuetext")
    assert text.startswith("gamma 0, uncalibrated: unseen accuracy")
    for key in ("End", "Home", "PageUp", "ArrowRight"):
        page.keyboard.press(key)
        once(page, lambda text=text: slider.get_attribute("aria-valuetext") != text)
        text = slider.get_attribute("aria-valuetext")
    page.wait_for_url(re.compile("playground_gamma="))
    settle(page)
    page.get_by_role("radio", name="LinearS2V").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("method=ESZSL"))
    chip = page.get_by_role("radio", name="ESZSL")
    once(page, lambda: chip.get_attribute("aria-checked") == "true")
    once(page, lambda: chip.evaluate("each => each.getRootNode().activeElement === each"))
    assert page.errors == []


INK = """canvas => [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    .data].filter((_, at) => at % 4 === 3)"""


def test_an_opened_picture_shows_the_digit_named_in_its_text(shipped_server, page):
    digits = load("digits")
    labels = dict(zip(map(np.ndarray.tobytes, digits.images), digits.labels, strict=True))
    opened(page, shipped_server, "?method=LinearS2V")
    card = page.get_by_role("group", name="One image")
    compared = 0
    for row in range(2, 10):  # eight rows and four columns of points on the wall
        box = box_of(page.locator(".wall > canvas"))
        y = box["y"] + (row + 0.5) * box["height"] / 10
        for x in (0.25, 0.4, 0.6, 0.8):
            page.mouse.click(box["x"] + x * box["width"], y)
            drawn(page)
            if not card.is_visible():
                continue
            ink = np.array(card.locator("canvas").evaluate(INK), dtype=np.uint8)
            digit = digits.class_names[labels[ink.tobytes()]]
            assert card.inner_text().strip().startswith(f"{digit}, ")
            compared += 1
            page.get_by_role("button", name="Close").click()
    assert compared >= 8
    assert page.errors == []


def test_a_grey_curve_is_named_and_can_be_chosen(server, page):
    opened(page, server)
    once(page, lambda: page.locator(".other").count() >= 4)
    settle(page)
    ghost = page.locator(".other[data-method=ESZSL]")
    ghost.dispatch_event("pointermove", {"clientX": 500, "clientY": 400, "bubbles": True})
    once(page, lambda: page.locator(".tip").inner_text() == "ESZSL: click to choose it")
    ghost.dispatch_event("pointerdown", {"bubbles": True})
    page.wait_for_url(re.compile("method=ESZSL"))
    once(page, lambda: page.locator(".other[data-method=LinearS2V]").count() == 1)


#: Names of the plane that a grey curve crosses.
CROSSED = """plane => [...plane.querySelectorAll("text.label")].filter((name) => {
    const { x, y, width, height } = name.getBBox();
    return [...plane.querySelectorAll(".faded")].some((curve) => {
        for (let at = 0; at < curve.getTotalLength(); at++) {
            const point = curve.getPointAtLength(at);
            if (x < point.x && point.x < x + width && y + 2 < point.y && point.y < y + height - 2)
                return true;
        }
    });
}).map((name) => name.textContent)"""


def test_no_grey_curve_crosses_a_name(shipped_server, page):
    opened(page, shipped_server, "?method=ALE")
    once(page, lambda: page.locator(".other").count() >= 10)
    plane = page.locator(".trade svg")
    assert "uncalibrated" in plane.locator("text.label").all_text_contents()
    assert plane.evaluate(CROSSED) == []


BOXES = """() => { const all = []; const walk = (each) => { for (const e of each.children) {
    all.push(e); if (e.shadowRoot) walk(e.shadowRoot); walk(e); } }; walk(document);
    return [".numbers > .h", ".pending", ".pending > button", ".st-key-playground_menu"]
        .map((name) => all.find((e) => e.matches(name)).getBoundingClientRect())
        .map(({ left, right, top, bottom }) => [left, right, top, bottom]); }"""


def test_the_button_that_validates_gamma_is_next_to_numbers_and_menu(server, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{server.url}/?dataset=simulated-AWA1-full&method=LinearS2V")
    page.get_by_role("button", name="Choose γ by validation").wait_for()
    page.locator(SHOWN).wait_for()
    settle(page)
    numbers_at, pending, button, menu = page.evaluate(BOXES)
    assert numbers_at[1] <= pending[0]
    assert button[1] <= menu[0]  # button and menu do not overlap
    assert button[3] - button[2] < 40
    page.get_by_role("button", name="PDF").click(trial=True)


def test_in_a_narrowed_window_curve_and_wall_use_its_height(server, page):
    opened(page, server)
    page.set_viewport_size(NARROW)
    once(page, lambda: box_of(page.locator(".wall > canvas"))["height"] > 300)
    curve, bars = (box_of(page.locator(name)) for name in (".trade > svg", ".classes > canvas"))
    below = bars["y"] + bars["height"] - curve["y"] - curve["height"]
    assert 0 <= below < 60  # hardly any space is free below the curve


def test_back_undoes_a_choice_and_forward_makes_it_again(server, page):
    opened(page, server)
    for choice in ("ESZSL", "SAE"):
        page.get_by_role("radio", name=choice).click()
        page.wait_for_url(re.compile(f"method={choice}"))
        settle(page)
    for go, chosen in ((page.go_back, "ESZSL"), (page.go_forward, "SAE")):
        go()
        chip = page.get_by_role("radio", name=chosen)
        once(page, lambda chip=chip: chip.get_attribute("aria-checked") == "true")
        settle(page)
    assert "method=SAE" in page.url
    page.go_back()
    once(page, lambda: "method=ESZSL" in page.url)
    settle(page)
    page.get_by_role("radio", name="SAE").click()
    page.wait_for_url(re.compile("method=SAE"))


def test_two_choices_before_a_response_of_the_server_are_both_applied(shipped_server, page):
    between = SlowServer(page)
    opened(page, shipped_server)
    between.wait()
    page.get_by_role("radio", name="CUB birds").click()
    page.get_by_role("radio", name="ESZSL").click()
    between.go_on()
    page.wait_for_url(re.compile("dataset=CUB-vgg_fc7"))
    page.wait_for_url(re.compile("method=ESZSL"))
    chosen = [page.get_by_role("radio", name=name) for name in ("CUB birds", "ESZSL")]
    once(page, lambda: all(item.get_attribute("aria-checked") == "true" for item in chosen))


def test_a_choice_made_again_before_the_previous_response_is_shown(server, page):
    between = SlowServer(page)
    opened(page, server)
    wall = page.get_by_label("Images on the wall")
    for earlier in ("1",), ("1", "2"), ("1", "2", "3"):
        for shown in ("", *earlier):
            wall.select_option(shown)
            settle(page)
        between.wait()  # the page has not removed the first message when it asks for it again
        wall.select_option("4")
        once(page, lambda: between.has("script_finished"))
        wall.select_option("")
        once(page, lambda: between.has("script_finished", 2))
        between.go_on()
        settle(page)
        assert page.get_by_role("dialog").count() == 0
    assert page.errors == []


def test_the_link_of_a_page_is_copied(server, page, chromium):
    chromium.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, server, "?method=SAE")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


DATA = ["digits", "AWA1-lss", "CUB-vgg_fc7", "simulated-CUB", "simulated-SUN"]


def test_the_ruler_is_in_the_window_and_no_texts_overlap(shipped_server, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    for name in DATA:
        if name != "digits":
            label = "simulated" if name.startswith("simulated") else "precomputed"
            words = title(name).removesuffix(" (simulated)")
            if label == "simulated":
                page.locator(".opens").click()
                panel = page.locator("[popover]")
                panel.wait_for()
                box = box_of(panel)
                assert box["y"] >= 0
                assert box["y"] + box["height"] <= 800
            page.get_by_title(f"{words}, {label}").click()
            page.wait_for_url(re.compile(f"dataset={name}"))
        else:
            page.goto(f"{shipped_server.url}/?dataset={name}")
        page.locator(SHOWN).wait_for()
        settle(page)
        layout = page.evaluate(LAYOUT)
        assert layout["ruler"] <= 800, (name, layout)
        assert layout["heads"], name
        assert not layout["over"], name


def test_the_ruler_plays_once_on_a_first_visit_until_touched(server, chromium):
    page = chromium.new_page()
    page.emulate_media(reduced_motion="no-preference")
    page.goto(server.url)
    page.evaluate("localStorage.removeItem('zsl-played')")
    page.reload()
    play = page.locator(".play")
    once(page, lambda: play.get_attribute("aria-label") == "Pause")
    first = numbers(page)
    once(page, lambda: numbers(page) != first)
    assert (
        float(page.locator(".ruler input[type=range]").input_value()) > 0
    )  # towards the validated γ
    page.locator("div.said").click()
    once(page, lambda: play.get_attribute("aria-label") == "Play")
    page.reload()
    page.locator(SHOWN).wait_for()
    page.wait_for_timeout(5000)
    assert play.get_attribute("aria-label") == "Play"
    play.click()
    once(page, lambda: play.get_attribute("aria-label") == "Pause")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("localStorage.removeItem('zsl-played')")
    page.reload()
    page.locator(SHOWN).wait_for()
    page.wait_for_timeout(5000)
    assert not play.is_visible()
    page.close()
