"""What a frame of the Playground costs the page while gamma is dragged.

    python -m benchmarks.playground_frames [--keep]

The instrument is served with as many images and classes as CUB and SUN have (random scores), and
on the digits with their pictures; a headless Chromium drags its handle for two seconds, along the
curve (gamma) and along the stops of the lambda ruler. Measured are the processor time that the
page's thread needs for a frame, which has 16.7 ms for each of 60 frames a second, and the frames a
second that came about; next to them the time of the seen-unseen component, which draws no image, on
as many images. Processor time is the thread's own: it does not depend on what else the machine
does; frames a second do. Without a graphics card the browser computes every pixel, too.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.gamma_step import CHROMIUM, WATCH, drag, paint, served, settled
from benchmarks.serving import FLAGS, ROOT
from benchmarks.timing import check
from benchmarks.writing import keep, markdown_table

#: What is served: test images of seen and of unseen classes, seen and unseen classes.
SIZES = {"CUB": (1764, 2967, 150, 50), "SUN": (2580, 1440, 645, 72)}
#: Values of lambda that the ruler has.
STOPS = 13

APP = """
import numpy as np
import streamlit as st

from ui.components import playground, seen_unseen
from ui.components.playground import Choice, Frame, Instrument, Rail, Ruler
from zslcore.interactive.curves import interactive_curve, line_of
from zslcore.evaluation.protocol import ScoredTest

st.set_page_config(layout="wide")


@st.cache_resource
def scores(seed):
    rng = np.random.default_rng(seed)
    of_seen, of_unseen, n_seen, n_unseen = {size}
    seen = np.arange(n_seen + n_unseen) < n_seen
    y = np.append(np.arange(of_seen) % n_seen, n_seen + np.arange(of_unseen) % n_unseen)
    F = rng.normal(size=(len(y), len(seen))).astype(np.float32)
    F[np.arange(len(y)), y] += 3.5
    return ScoredTest(F + np.float32(1.2) * seen, y, np.arange(len(seen)), seen)


def drawn(test):
    line = line_of("large", test.curve, "harmonic", None, 0.0)
    return interactive_curve([line], test, names)


test = scores(0)
names = list(map(str, test.classes))
curves = drawn(test)
if st.query_params.get("plain"):
    seen_unseen.draw(curves, key="plain")
else:
    rail = Rail([], [], [], {{}}, Choice("", "", ""))
    ruler = Ruler()
    if st.query_params.get("playground_ruler"):
        tests = [scores(seed) for seed in range({stops})]
        frames = [Frame(str(k + 1), drawn(each), each) for k, each in enumerate(tests)]
        ruler = Ruler("lambda", "λ {{}}", "lambda {{}}", frames)
    what = Instrument(curves, test, names, ("class", "classes"), rail, ruler=ruler)
    playground.draw(what, key="large", on_change=lambda what: None)
"""


def large(page: Page, size: tuple[int, int, int, int]) -> list[dict[str, float]]:
    """Return what frames cost over gamma, over lambda, and without the wall of images."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "large.py"
        script.write_text(APP.format(size=size, stops=STOPS), encoding="utf-8")
        with served(script, ROOT) as server:
            plain = dragged(page, f"{server.url}/?plain=1", ".over > svg")
            return [*rulers(page, server.url), plain]


def rulers(page: Page, url: str) -> list[dict[str, float]]:
    """Return what frames cost over gamma and over lambda."""
    return [dragged(page, url), dragged(page, f"{url}/?playground_ruler=lambda")]


def digits(page: Page) -> list[dict[str, float]]:
    """Return what frames cost on the digits, with their pictures."""
    with served(ROOT / "app.py", ROOT) as server:
        return rulers(page, server.url)


def dragged(page: Page, url: str, what: str = ".trade > svg") -> dict[str, float]:
    """Return the cost of a frame while a component is dragged."""
    paint(page, url)
    settled(page)
    return drag(page, what)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a frame of the Playground costs.")
    parser.add_argument("--keep", action="store_true", help="write results/playground_frames.md")
    given = parser.parse_args()
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM) if CHROMIUM.exists() else None, args=FLAGS
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(WATCH)
        found = {name: large(page, size) for name, size in SIZES.items()}
        found["digits"] = digits(page)
        browser.close()
    for name, each in found.items():
        for what, cost in zip(("γ", "λ", "γ, no wall"), each, strict=False):
            rows.append(
                {
                    "images": name,
                    "ruler": what,
                    "a frame, ms": 1000 * cost["busy"],
                    "frames a second": cost["frames"],
                }
            )
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    for row in rows:
        check(f"a frame, {row['images']}, {row['ruler']}", row["a frame, ms"], "ms", 1000 / 60)
    if given.keep:
        cells = [
            [str(row["images"]), str(row["ruler"]), f"{row['a frame, ms']:.1f}"] for row in rows
        ]
        text = [
            "# Frames of the Playground",
            "",
            (__doc__ or "").split("\n\n", 2)[2].rstrip(),
            "",
            *markdown_table(("images", "ruler", "processor time of a frame, ms"), cells),
        ]
        keep("playground_frames", "\n".join(text), table)


if __name__ == "__main__":
    main()
