"""One step of gamma in the browser, against a slider that asks the server.

    python -m benchmarks.gamma_step

Both run in the same headless Chromium, on the digits. Ours is the slider inside the figure of the
calibration page. The plain baseline is a page of a dozen lines: ``st.slider``, the accuracies at
its gamma, and a figure with the point on the curve. A step lasts from the input to the first frame
that shows the new numbers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from benchmarks.serving import FLAGS, ROOT, Server
from benchmarks.timing import check, report

STEPS = 40
CHROMIUM = Path("/usr/bin/chromium")
PLAIN = """
import plotly.graph_objects as go
import streamlit as st

from zslcore import protocol
from zslcore.datasets import load
from zslcore.methods import get_method


@st.cache_resource
def curve():
    data = load("digits")
    return protocol.fit_and_score(get_method("ESZSL")(), data, data.split("PS")).curve


gamma = st.slider("gamma", -0.2, 0.8, 0.0, 0.005)
point = curve().at(gamma)
st.text(f"u {point.unseen:.3f} s {point.seen:.3f} H {point.harmonic:.3f} at {gamma}")
drawn = curve().thinned(800)
figure = go.Figure(go.Scatter(x=drawn.unseen, y=drawn.seen))
st.plotly_chart(figure.add_scatter(x=[point.unseen], y=[point.seen]))
"""

# The browser's own clock, from the time stamp of the input to the frame after the change.
WATCH = """([text, event]) => {
    const read = () => [...document.querySelectorAll(text)].map(e => e.textContent).join();
    let last = read(), start = null;
    window.took = [];
    addEventListener(event, e => { start ??= e.timeStamp; }, true);
    new MutationObserver(() => {
        if (start === null || read() === last) return;
        const begun = start;
        [last, start] = [read(), null];
        requestAnimationFrame(() => window.took.push(performance.now() - begun));
    }).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


def steps(page: Page, text: str, event: str, move) -> float:
    """Return the median seconds from an input to the frame in which ``text`` has changed."""
    page.evaluate(WATCH, [text, event])
    for k in range(STEPS):
        move(k)
        page.wait_for_function("k => window.took.length > k", arg=k)
        page.wait_for_timeout(100)
    return median(page.evaluate("window.took")) / 1000


def in_the_browser(page: Page, url: str) -> float:
    page.goto(f"{url}/calibration")
    page.locator(".slider-rail-touch-rect").wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    box = page.locator(".slider-rail-touch-rect").bounding_box()
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(500)
    share = 0.8 / STEPS

    def move(k: int) -> None:
        page.mouse.move(
            box["x"] + (0.1 + share * (k + 1)) * box["width"], box["y"] + box["height"] / 2
        )

    took = steps(page, ".textpoint", "mousemove", move)
    page.mouse.up()
    return took


def through_the_server(page: Page, url: str) -> float:
    page.goto(url)
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    page.get_by_role("slider").focus()
    return steps(
        page,
        "[data-testid=stText]",
        "keydown",
        lambda k: page.keyboard.press("ArrowRight"),
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "plain.py").write_text(PLAIN, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM) if CHROMIUM.exists() else None, args=FLAGS
        )
        took = []
        for script, measured in (
            (ROOT / "app.py", in_the_browser),
            (folder / "plain.py", through_the_server),
        ):
            server = Server(folder, script)
            try:
                server.wait()
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                took.append(measured(page, server.url))
            finally:
                server.stop()
        browser.close()
    ours, plain = took
    report("gamma step", ours, plain, 2)
    check("gamma step", 1000 * ours, "ms", 50)


if __name__ == "__main__":
    main()
