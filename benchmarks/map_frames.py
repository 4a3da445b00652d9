"""Frames a second of a map of 67,797 points in Chromium: ours against Plotly's WebGL scatter.

python -m benchmarks.map_frames

Both are zoomed by the wheel and panned for four seconds each; a frame is the time between two calls
of requestAnimationFrame. It prints which renderer WebGL had: without a graphics card, software.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from playwright.sync_api import Page, sync_playwright

from zslcore.interactive.point_map import Entry, Panel, PointMap

POINTS, CLASSES, SECONDS = 67_797, 50, 4.0
COLORS = ("#0072B2", "#B65000", "#007E5C", "#B04A84", "#946600", "#1274AD", "#767676", "#8B5E3C")
COUNT = """() => { window.frames_ = []; let last = performance.now();
const next = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(next); };
requestAnimationFrame(next); }"""
RENDERER = """() => { const gl = document.createElement("canvas").getContext("webgl");
const seen = gl && gl.getExtension("WEBGL_debug_renderer_info");
return gl ? gl.getParameter(seen ? seen.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "no WebGL"; }"""


def pages(folder: Path) -> dict[str, tuple[Path, str]]:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, CLASSES, POINTS)
    xy = rng.normal(size=(CLASSES, 2))[classes] * 20 + rng.normal(size=(POINTS, 2)) * 2
    symbols = ("circle", "diamond", "square")
    palette = [Entry(f"class {k}", COLORS[k % 8], symbols[k // 8 % 3]) for k in range(CLASSES)]
    whole = np.arange(POINTS)
    ours = PointMap(
        *("frames", "map", [Panel("t-SNE", "a map", whole, xy)], palette, classes),
        *([each.label for each in palette], ["data"], classes, np.zeros(POINTS), whole),
    )
    files = {name: folder / f"{name}.html" for name in ("ours", "plotly")}
    page = ours.page(title="map", made="random points", theme="light")
    files["ours"].write_text(page, encoding="utf-8")
    marker = {"size": 4, "color": [COLORS[k % 8] for k in classes]}
    points = go.Scattergl(x=xy[:, 0], y=xy[:, 1], mode="markers", marker=marker)
    figure = go.Figure(points, {"width": 1118, "height": 540, "dragmode": "pan"})
    figure.write_html(files["plotly"], config={"scrollZoom": True})
    return {"ours": (files["ours"], "canvas"), "plotly": (files["plotly"], ".nsewdrag")}


def frames(page: Page, box: Any, move: str) -> np.ndarray:
    """Return the milliseconds of every frame while the map is moved."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    before, end, k = page.screenshot(), time.monotonic() + SECONDS, 0
    page.evaluate(COUNT)
    if move == "pan":
        if not page.locator(".nsewdrag").count():
            page.keyboard.down("Shift")  # ours selects without it
        page.mouse.down()
    while time.monotonic() < end:
        k += 1
        if move == "zoom":
            page.mouse.wheel(0, -60 if k // 12 % 2 else 60)
        else:
            page.mouse.move(x + 120 * np.sin(k / 9), y + 60 * np.cos(k / 7))
    found = np.array(page.evaluate("window.frames_"))[1:]
    page.mouse.up()
    assert page.screenshot() != before, "the map did not move"
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        rates: dict[tuple[str, str], float] = {}
        for name, (file, target) in pages(Path(folder)).items():
            for move in ("zoom", "pan"):
                page = browser.new_page(viewport={"width": 1280, "height": 720})
                page.goto(file.as_uri())
                page.wait_for_selector(target, state="attached", timeout=120_000)
                page.wait_for_timeout(3000)
                if not rates:
                    print(f"WebGL by {page.evaluate(RENDERER)}")
                found = frames(page, page.locator(target).first.bounding_box(), move)
                rates[name, move] = 1000 / float(found.mean())
                print(f"{name:<8}{move:<6}{rates[name, move]:6.1f} frames a second, "
                      f"95 % within {np.percentile(found, 95):,.0f} ms")  # fmt: skip
                page.close()
        for move in ("zoom", "pan"):
            print(f"{move}: ours / Plotly {rates['ours', move] / rates['plotly', move]:.0f}")
        browser.close()


if __name__ == "__main__":
    main()
