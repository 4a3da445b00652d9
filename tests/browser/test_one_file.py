"""Single-file pages in a browser without a network: curve, review, map, and notebook frame."""

import numpy as np
import pytest

from tests.browser.reading import curve_shown, once, saved
from tests.browser.test_every_view import violations
from tests.commands.test_one_file import small_map
from ui.takeaway.report import Pin, as_html
from zslcore.interactive.one_file import frame_page, html_page
from zslcore.scores import interpret, judge
from zslcore.scores.matrix import ScoreFile
from zslcore.scores.review import Submission, review, review_html

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Scores of 12 classes, four of them unseen, with their file."""
    rng = np.random.default_rng(0)
    y = np.append(np.arange(12), rng.integers(0, 12, 400))
    F = rng.normal(size=(412, 12)) + 2 * np.eye(12)[y]
    path = tmp_path_factory.mktemp("scores") / "ann.npz"
    np.savez(path, scores=F, y=y, unseen_classes=np.arange(8, 12))
    matrix, _ = interpret(ScoreFile("ann.npz", F, y, np.arange(8, 12)))
    return judge(matrix, gamma=0.5), path


def opened(page, tmp_path, html, theme="light"):
    """Open a page from its file; any request to the network is an error."""
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.on(
        "request",
        lambda request: (
            request.url.startswith(("file:", "data:", "blob:")) or page.errors.append(request.url)
        ),
    )
    page.emulate_media(color_scheme=theme)
    page.goto((tmp_path / "page.html").as_uri())


def dragged(place, page):
    """Move gamma by keyboard; return whether the numbers change."""
    numbers = place.locator(".numbers")
    shown = numbers.inner_text()
    place.get_by_role("slider").focus()
    page.keyboard.press("Shift+ArrowLeft")
    once(page, lambda: numbers.inner_text() != shown)
    return True


@pytest.mark.parametrize(("kind", "theme"), [("curve", "dark"), ("review", "light")])
def test_a_single_file_page_works_offline_and_by_keyboard(page, tmp_path, axe, report, kind, theme):
    scores, path = report
    blind = Submission(report=scores, files={"scores": path})
    html = scores.page() if kind == "curve" else review_html(*review(blind, blind=True))
    opened(page, tmp_path, html, theme)
    curve_shown(page)
    page.evaluate(axe)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 2600})
        assert violations(page) == [], width
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), width
    assert dragged(page, page)
    assert page.errors == []


def test_a_map_is_drawn_and_saved_without_a_server(page, tmp_path, axe):
    opened(
        page, tmp_path, small_map(["a", "b", "c"]).page(title="Map", footnote="x", theme="light")
    )
    page.locator("canvas.points").wait_for()
    page.evaluate(axe)
    assert violations(page) == []
    page.get_by_text("More", exact=True).click()
    svg = saved(page, page.get_by_role("button", name="SVG", exact=True).click)[1]
    assert svg.startswith(b"<svg")
    assert page.errors == []


def test_the_frame_of_a_notebook_runs_its_curve(page, tmp_path, report):
    """A notebook is a separate page that allows frames."""
    scores, _ = report
    body = frame_page(scores.page(), "Curve")
    opened(page, tmp_path, html_page(body, title="Notebook").replace("default-src 'none'; ", ""))
    frame = page.frame_locator("iframe")
    frame.get_by_role("slider").wait_for()
    assert dragged(frame, page)
    assert page.errors == []


def test_the_report_of_a_visit_has_an_interactive_curve(page, tmp_path, axe, report):
    scores, _ = report
    result = ("ann.npz",), (), "http://127.0.0.1"
    pin = Pin("Curve", "A curve", *result, page=scores.page())
    opened(page, tmp_path, as_html([pin]))
    frame = page.frame_locator("iframe")
    frame.get_by_role("slider").wait_for()
    page.evaluate(axe)
    assert violations(page) == []
    assert dragged(frame, page)
    assert page.errors == []
