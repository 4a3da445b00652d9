"""A lesson in a browser: keyboard, Back button, and legible text for the last row."""

import re
from pathlib import Path

import pytest

from tests.browser.reading import PROJECTOR, box_of, fits, once, settle, visit
from ui.lessons.registry import LESSONS
from ui.lessons.room import ROOMS


def heading(page, begins):
    page.get_by_role("heading", level=2, name=re.compile(f"^{begins}")).wait_for()
    settle(page)


def test_a_lesson_is_walked_by_keyboard_and_its_link_restores_it(server, page):
    visit(page, server, "/lessons?lesson=calibration")
    heading(page, "1 of 13")
    text = page.get_by_text("A method was given a description")
    assert text.evaluate("e => getComputedStyle(e).fontSize") == "32px"
    assert not page.locator(".chart").count()
    name = box_of(page.get_by_text("Zero-shot lab", exact=True))
    question = box_of(page.get_by_role("heading", level=1))
    assert name["x"] + name["width"] < question["x"]
    for step in (1, 2):
        page.keyboard.press("ArrowRight")
        page.get_by_text("What to notice:").wait_for()
        settle(page)
        assert f"lessons_step={step}" in page.url
        assert "lessons_shown=1" in page.url
        page.keyboard.press("ArrowRight")
        heading(page, f"{step + 1} of 13")
    page.keyboard.press("ArrowLeft")
    heading(page, "2 of 13")
    page.go_back()
    heading(page, "3 of 13")
    page.go_back()
    page.get_by_text("What to notice:").wait_for()
    heading(page, "2 of 13")
    fits(page)

    link = page.url
    page.goto(link)
    page.get_by_text("What to notice:").wait_for()
    heading(page, "2 of 13")
    assert page.errors == []


def test_the_teacher_sees_the_answer_of_a_student_counted(server, page, chromium):
    visit(page, server, "/lessons?lesson=calibration")
    page.get_by_role("button", name="Room").click()
    page.get_by_role("button", name="Open a room").click()
    page.wait_for_url(re.compile("room="))
    link = page.locator("code").filter(has_text="room=").inner_text()
    # The only image is the QR code.
    once(page, lambda: page.locator("[data-testid=stImage] img").count() == 1)

    student = chromium.new_page()
    student.goto(link)
    student.get_by_role("heading", level=1).wait_for()
    settle(student)
    student.get_by_role("radio", name="60 to 80 %").click()
    page.get_by_text(re.compile(": 1 answer$")).wait_for()
    code, window = box_of(page.locator("[data-testid=stImage] img")), page.viewport_size
    assert code["width"] >= 0.3 * window["width"]  # students in the last row scan it
    page.keyboard.press("ArrowRight")
    page.get_by_text("Predictions of room").wait_for()
    page.get_by_role("img", name=re.compile("1 60 to 80 %")).wait_for()
    page.set_viewport_size({"width": 1280, "height": 800})
    settle(page)
    parts = ".st-key-lesson_next", ".st-key-lesson_figure svg", ".st-key-lesson_room svg"
    for box in map(box_of, map(page.locator, parts)):  # a projector shows all without scrolling
        assert box["y"] + box["height"] <= 800


SHIFT = """() => { window.shift = 0; new PerformanceObserver((list) => {
    for (const each of list.getEntries()) window.shift += each.value;
}).observe({ type: "layout-shift" }); }"""


def test_nothing_moves_on_a_phone_when_the_teacher_reveals_the_answer(server, page, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(Path(server.log.name).parent / "data"))
    code = ROOMS.open()
    ROOMS.show(code, ("calibration", 1, False))
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, server, f"/lessons?room={code}")
    heading(page, "1 of 13")
    page.evaluate(SHIFT)
    for shown, words in ((True, "What to notice:"), (False, "Your prediction")):
        ROOMS.show(code, ("calibration", 1 if shown else 2, shown))
        page.get_by_text(words).wait_for()
        settle(page)
    assert page.evaluate("shift") < 0.05


#: Pixels by which a page is longer than its window, and texts of figures that leave their figure.
OUTSIDE = """() => {
    const page = document.querySelector("[data-testid=stMain]"), cut = [], margin = 6;
    for (const each of document.querySelectorAll("*"))
        for (const figure of each.shadowRoot?.querySelectorAll(".chart svg") ?? []) {
            const all = figure.getBoundingClientRect();
            for (const text of figure.querySelectorAll("text")) {
                const { left, right, top, bottom } = text.getBoundingClientRect();
                if (left < all.left - margin || right > all.right + margin ||
                    top < all.top - margin || bottom > all.bottom + margin)
                    cut.push(text.textContent);
            }
        }
    return { hidden: page.scrollHeight - page.clientHeight, cut };
}"""


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_step_fits_a_projector_with_the_votes_of_a_room(server, page, monkeypatch, lesson):
    monkeypatch.setenv("ZSL_DATA", str(Path(server.log.name).parent / "data"))
    page.set_viewport_size(PROJECTOR)
    visit(page, server, f"/lessons?lesson={lesson}")
    page.get_by_role("button", name="Room").click()
    page.get_by_role("button", name="Open a room").click()
    page.wait_for_url(re.compile("room="))
    (code,) = re.findall(r"room=(\w+)", page.url)
    steps = LESSONS[lesson].steps
    for number, step in enumerate(steps, start=1):
        labels = step.answers.labels
        for k, label in enumerate(labels):
            for visitor in range(11 - k):
                ROOMS.answer(code, f"{lesson} {number}", f"{k} {visitor}", label)
        heading(page, f"{number} of {len(steps)}")
        assert page.evaluate(OUTSIDE) == {"hidden": 0, "cut": []}, (number, "open")
        page.keyboard.press("ArrowRight")
        page.get_by_text("What to notice:").wait_for()
        settle(page)
        votes = page.locator(".st-key-lesson_room svg text").all_text_contents()
        assert {text.removesuffix(" ✓") for text in votes} >= set(labels)
        assert box_of(page.locator(".st-key-lesson_figure svg"))["height"] >= 300
        assert page.evaluate(OUTSIDE) == {"hidden": 0, "cut": []}, (number, "revealed")
        page.set_viewport_size({"width": 1280, "height": 720})
        settle(page)
        assert page.evaluate(OUTSIDE)["hidden"] == 0, (number, "revealed, 720 pixels high")
        page.set_viewport_size(PROJECTOR)
        if number < len(steps):
            page.keyboard.press("ArrowRight")


def test_a_lesson_is_left_after_a_choice(page, server):
    visit(page, server, "/lessons?lesson=calibration&lessons_step=2&lessons_shown=1")
    page.get_by_role("radio", name="SAE").click()
    page.wait_for_url(re.compile("lessons_calibration_2=SAE"))
    page.get_by_role("button", name="All lessons").click()
    page.get_by_role("button", name="Begin").first.wait_for()
    assert "lesson" not in page.url.partition("?")[2]
    assert page.errors == []
