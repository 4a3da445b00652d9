"""The draggable curve, against the Plotly figure that it replaced.

    python -m benchmarks.gamma_step [--plain c24ede8] [--keep]

Both apps are served in turn, each from its own checkout, and opened by the same headless Chromium:
this one, and that of an earlier commit, whose figure has a slider of its own, taken from Git into a
folder of its own. Measured are

- first paint: from the beginning of the navigation, warm, to the first frame with the numbers of
  the curve, by the page's own clock;
- frames a second while the pointer drags gamma for two seconds, the median time between two frames,
  and the processor time that the page's thread, which has 16.7 ms for each of 60 frames a second,
  needs for one; on the digits, and on 14,340 images of 717 classes (random scores);
- the server's CPU time for a changed choice: another method, and back.

Machines differ and are busy; the ratios of what was taken in turn in one run are what holds.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.serving import FLAGS, ROOT, Server
from benchmarks.timing import check, report
from benchmarks.writing import keep, markdown_table

CHROMIUM = Path("/usr/bin/chromium")
REPEATS, CHANGES, DRAG = 5, 6, 2.0  # paints, changed choices, seconds of dragging
SHOWN = ".numbers > .h:not(:empty), .textpoint"
METHODS = ("SAE", "ESZSL")

#: The component on as many images and classes as the largest benchmark has.
LARGE = """
import numpy as np
import streamlit as st

from ui.components import seen_unseen
from zslcore.interactive.curves import interactive_curve, line_of
from zslcore.evaluation.protocol import ScoredTest

st.set_page_config(layout="wide")


@st.cache_resource
def scores():
    rng = np.random.default_rng(0)
    n, classes = 14340, 717
    y = np.arange(n) % classes
    F = rng.normal(size=(n, classes)).astype(np.float32)
    F[np.arange(n), y] += 3.5
    seen = np.arange(classes) < 645
    return ScoredTest(F + np.float32(1.2) * seen, y, np.arange(classes), seen)


line = line_of("large", scores().curve, "harmonic", None, 0.0)
seen_unseen.draw(interactive_curve([line], scores(), list(map(str, range(717)))), key="large")
"""

# Frames are counted by the browser while the pointer moves.
COUNT = """seconds => new Promise(done => {
    const begun = performance.now(), gaps = [];
    let last = begun;
    const frame = now => {
        gaps.push(now - last);
        last = now;
        if (now - begun < 1000 * seconds) requestAnimationFrame(frame); else done(gaps.slice(1));
    };
    requestAnimationFrame(frame);
})"""
# Polling from outside slows down to every half a second; the page checks at every frame whether it
# shows numbers.
WATCH = f"""
    const find = root => root.querySelector({SHOWN!r}) ||
        [...root.querySelectorAll("*")].some(e => e.shadowRoot && find(e.shadowRoot));
    const look = now => {{
        if (find(document)) window.shown = now; else requestAnimationFrame(look);
    }};
    requestAnimationFrame(look);
"""
# The target gets an event in every frame, so that the rate of a pointer is no limit.
DRAGGED = """(target, seconds) => new Promise(done => {
    const box = target.getBoundingClientRect();
    const begun = performance.now(), gaps = [], y = box.top + box.height / 2;
    const say = (type, x) => target.dispatchEvent(new PointerEvent(type, {
        clientX: x, clientY: y, pointerId: 1, isPrimary: true, button: 0, buttons: 1, bubbles: true,
    })) && target.dispatchEvent(new MouseEvent(type.replace("pointer", "mouse"), {
        clientX: x, clientY: y, button: 0, buttons: 1, bubbles: true, view: window,
    }));
    const read = () => [...target.getRootNode().querySelectorAll(".numbers > span, .textpoint")]
        .map(e => e.textContent).join();
    let last = begun, shown = read(), changes = 0;
    target.setPointerCapture = () => {};
    say("pointerdown", box.left + 0.1 * box.width);
    const frame = now => {
        gaps.push(now - last);
        last = now;
        const text = read();
        if (text !== shown) changes++;
        shown = text;
        const share = (now - begun) / (1000 * seconds);
        say("pointermove", box.left + (0.1 + 0.8 * Math.min(share, 1)) * box.width);
        if (share < 1) return requestAnimationFrame(frame);
        say("pointerup", box.left + 0.9 * box.width);
        done({ gaps: gaps.slice(1), changes, seconds: (now - begun) / 1000 });
    };
    requestAnimationFrame(frame);
})"""


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Yield a folder with the files of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(  # noqa: S603 - Git, with a name of its own
            ["git", "archive", commit],  # noqa: S607
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


@contextmanager
def served(script: Path, root: Path) -> Iterator[Server]:
    """Yield a server of an app that imports from ``root``."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), script=script, root=root)
        try:
            server.wait()
            yield server
        finally:
            server.stop()


def paint(page: Page, url: str) -> float:
    """Return the seconds until the numbers of the curve are there."""
    page.goto(url, wait_until="commit")
    page.locator(SHOWN).first.wait_for(timeout=180_000)
    return float(page.evaluate("window.shown")) / 1000


def settled(page: Page) -> None:
    """Wait until the script has run and nothing is drawn any more."""
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(1000)


def drag(page: Page, selector: str) -> dict[str, float]:
    """Return frames a second, in how many the numbers changed, and what each cost the page."""
    chromium = page.context.new_cdp_session(page)
    chromium.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        told = chromium.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in told if each["name"] == "TaskDuration")

    before = busy()
    found = page.locator(selector).first.evaluate(DRAGGED, DRAG)
    after = busy()
    chromium.detach()
    return {
        "busy": (after - before) / len(found["gaps"]),
        "frames": len(found["gaps"]) / found["seconds"],
        "changes": found["changes"] / found["seconds"],
        "gap": median(found["gaps"]) / 1000,
    }


def cpu(server: Server) -> float:
    """Return the seconds that a server's process has worked."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def change(page: Page, server: Server) -> float:
    """Return the server's CPU seconds for a changed choice, all of it being known already."""
    took = []
    for k in range(CHANGES + 2):
        before = cpu(server)
        box = page.get_by_label("Method")
        box.click()
        page.get_by_role("option", name=METHODS[k % 2], exact=True).click()
        settled(page)
        took.append(cpu(server) - before)
    return median(took[2:])


def measured(page: Page, root: Path, rail: str) -> dict[str, float]:
    """Return what is measured of the app in a checkout."""
    with served(root / "app.py", root) as server:
        url = f"{server.url}/calibration"
        paint(page, url)
        settled(page)
        took = []
        for _ in range(REPEATS):
            took.append(paint(page, url))
            settled(page)
        idle = page.evaluate(COUNT, 1.0)
        moved = drag(page, rail)
        return {
            "first paint": median(took),
            "changed choice": change(page, server),
            "frames at rest": 1000 / median(idle),
        } | moved


def large(page: Page) -> dict[str, float]:
    """Return frames a second on 14,340 images of 717 classes."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "large.py"
        script.write_text(LARGE, encoding="utf-8")
        with served(script, ROOT) as server:
            paint(page, server.url)
            settled(page)
            return drag(page, ".over > svg")


def told(ours: dict[str, float], plain: dict[str, float], on_large: dict[str, float]) -> str:
    """Return the findings as a page."""
    names = {
        "first paint": ("first paint, warm, s", ".2f"),
        "changed choice": ("server CPU of a changed choice, s", ".2f"),
        "frames": ("frames a second while dragging", ".0f"),
        "changes": ("frames a second in which the numbers change", ".0f"),
        "gap": ("median time between two frames, s", ".4f"),
        "busy": ("processor time of the page's thread for a frame, s", ".4f"),
        "frames at rest": ("frames a second at rest", ".0f"),
    }
    rows = [
        (
            words,
            f"{plain[name]:{form}}",
            f"{ours[name]:{form}}",
            f"{on_large[name]:{form}}" if name in on_large else "",
        )
        for name, (words, form) in names.items()
    ]
    head = ("", "Plotly figure", "draggable curve", "draggable curve, 14,340 images, 717 classes")
    return "\n".join(
        [
            "# The draggable curve",
            "",
            (__doc__ or "").split("\n\n", 2)[2].rstrip(),
            "",
            *markdown_table(head, rows),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="The draggable curve against the Plotly figure.")
    parser.add_argument("--plain", default="c24ede8", help="a commit with the Plotly figure")
    parser.add_argument("--keep", action="store_true", help="write results/gamma_step.md")
    given = parser.parse_args()
    with sync_playwright() as playwright, checkout(given.plain) as before:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM) if CHROMIUM.exists() else None, args=FLAGS
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1200})
        page.add_init_script(WATCH)
        plain = measured(page, before, ".slider-rail-touch-rect")
        ours = measured(page, ROOT, ".over > svg")
        on_large = large(page)
        browser.close()
    report("first paint", ours["first paint"], plain["first paint"], 1 / 0.7)
    report("changed choice", ours["changed choice"], plain["changed choice"], 3)
    check("the page's thread, a frame, large", 1000 * on_large["busy"], "ms", 1000 / 60)
    table = pd.DataFrame(
        [{"what": w} | f for w, f in (("plotly", plain), ("ours", ours), ("large", on_large))]
    )
    print(table.to_string(index=False))
    if given.keep:
        keep("gamma_step", told(ours, plain, on_large), table)


if __name__ == "__main__":
    main()
