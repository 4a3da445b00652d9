"""Measurements in a browser: frame rates, a large file, and the time to an answer.

    python -m benchmarks.screen frames
    python -m benchmarks.screen scores [--repeats 5]
    python -m benchmarks.screen answers [--repeats 3]

``frames``: the Playground with random scores in the sizes of CUB and SUN, and with the digits and
their pictures. Its handle is dragged for two seconds along the curve (gamma) and along the stops of
the lambda ruler; the handle of the seen-unseen component, which draws no images, is dragged too.
The measurements are the CPU time per frame of the page's thread (60 frames per second allow
16.7 ms) and the number of frames per second. Unlike frames per second, the CPU time of the
thread does not depend on the load of the machine.

``scores``: 14,340 images of 717 classes with random float64 scores that favour the true class,
about 82 MB as npz. The measurements are the seconds from passing a file to the upload field of Your
scores until the curve shows the H of that file, with different scores each time; the CPU time
of the server, without the process that reads the file; and the frames per second while gamma is
dragged.

``answers``: a server starts with an empty data folder and the results of the package, and has 15
seconds to import the modules of its pages. All views are opened in turn, in the first round with an
empty browser cache. The measurements are the layout shift and the seconds from opening the address
until four events: heading, placeholder text, first picture, and end of the script. Afterwards
the layout shift is measured in a window of a phone's size, with a processor four times slower.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measuring import check
from benchmarks.serving import FLAGS, Server, cpu_seconds, serving
from ui.shell.site_map import PAGES
from zslcore.metrics import seen_unseen_curve

CHROMIUM = Path("/usr/bin/chromium")
DRAG = 2.0  # seconds
SHOWN = ".numbers > .h:not(:empty)"

# Sends the target an event in each frame, so that the event rate of a pointer does not limit the
# frame rate.
DRAG_SCRIPT = """(target, seconds) => new Promise(done => {
    const box = target.getBoundingClientRect();
    const begun = performance.now(), gaps = [], y = box.top + box.height / 2;
    const send = (type, x) => target.dispatchEvent(new PointerEvent(type, {
        clientX: x, clientY: y, pointerId: 1, isPrimary: true, button: 0, buttons: 1, bubbles: true,
    })) && target.dispatchEvent(new MouseEvent(type.replace("pointer", "mouse"), {
        clientX: x, clientY: y, button: 0, buttons: 1, bubbles: true, view: window,
    }));
    const read = () => [...target.getRootNode().querySelectorAll(".numbers > span")]
        .map(e => e.textContent).join();
    let last = begun, shown = read(), changes = 0;
    target.setPointerCapture = () => {};
    send("pointerdown", box.left + 0.1 * box.width);
    const frame = now => {
        gaps.push(now - last);
        last = now;
        const text = read();
        if (text !== shown) changes++;
        shown = text;
        const share = (now - begun) / (1000 * seconds);
        send("pointermove", box.left + (0.1 + 0.8 * Math.min(share, 1)) * box.width);
        if (share < 1) return requestAnimationFrame(frame);
        send("pointerup", box.left + 0.9 * box.width);
        done({ gaps: gaps.slice(1), changes, seconds: (now - begun) / 1000 });
    };
    requestAnimationFrame(frame);
})"""


def open_page(page: Page, url: str) -> None:
    """Open a page; wait until it shows the numbers of its curve and drawing has ended."""
    page.goto(url, wait_until="commit")
    page.locator(SHOWN).first.wait_for(timeout=180_000)
    wait_until_settled(page)


def wait_until_settled(page: Page) -> None:
    """Wait until the script and all drawing have ended."""
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(1000)


def drag(page: Page, selector: str) -> dict[str, float]:
    """Drag an element; return rates per second, and times per frame in seconds.

    Rates are ``frames`` and ``changes`` of the numbers; times are CPU time (``busy``) and the
    median ``gap`` between frames.
    """
    chromium = page.context.new_cdp_session(page)
    chromium.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = chromium.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    before = busy()
    drag_times = page.locator(selector).first.evaluate(DRAG_SCRIPT, DRAG)
    after = busy()
    chromium.detach()
    return {
        "busy": (after - before) / len(drag_times["gaps"]),
        "frames": len(drag_times["gaps"]) / drag_times["seconds"],
        "changes": drag_times["changes"] / drag_times["seconds"],
        "gap": median(drag_times["gaps"]) / 1000,
    }


# --- Frames ---------------------------------------------------------------------------------------

#: Sizes of scores: test images of seen and of unseen classes, seen and unseen classes.
SIZES = {"CUB": (1764, 2967, 150, 50), "SUN": (2580, 1440, 645, 72)}
#: Number of lambda values on the ruler.
STOPS = 13

APP = """
import numpy as np
import streamlit as st

from ui.components import playground
from ui.components.playground import Frame, Instrument, Rail, Ruler, RunChoice
from ui.takeaway.curves import draw_curves
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.evaluation.predicted_tests import ScoredTest

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


def curves_of(test):
    line = line_of("large", test.curve, "harmonic", None, 0.0)
    return InteractiveCurve([line], test, names)


test = scores(0)
names = list(map(str, test.classes))
curves = curves_of(test)
if st.query_params.get("plain"):
    draw_curves(curves, key="plain")
else:
    rail = Rail([], [], [], {{}}, RunChoice("", "", ""))
    ruler = Ruler()
    if st.query_params.get("playground_ruler"):
        tests = [scores(seed) for seed in range({stops})]
        frames = [Frame(str(k + 1), curves_of(each), each) for k, each in enumerate(tests)]
        ruler = Ruler("lambda", "λ {{}}", "lambda {{}}", frames)
    what = Instrument(curves, test, names, ("class", "classes"), rail, ruler=ruler)
    playground.draw(what, key="large", on_change=lambda what: None)
"""


def large(page: Page, size: tuple[int, int, int, int]) -> list[dict[str, float]]:
    """Return the time per frame on both rulers (gamma, lambda), and without a wall of images."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "large.py"
        script.write_text(APP.format(size=size, stops=STOPS), encoding="utf-8")
        with serving(script=script) as (server,):
            return [
                *rulers(page, server.url),
                drag_component(page, f"{server.url}/?plain=1", ".over > svg"),
            ]


def rulers(page: Page, url: str) -> list[dict[str, float]]:
    """Return the time per frame on the rulers of gamma and lambda."""
    return [drag_component(page, url), drag_component(page, f"{url}/?playground_ruler=lambda")]


def drag_component(page: Page, url: str, what: str = ".trade > svg") -> dict[str, float]:
    """Return the time per frame while a component is dragged."""
    open_page(page, url)
    return drag(page, what)


def frames(browser: Browser, _: argparse.Namespace) -> None:
    """Print the time per frame of the Playground."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    files = {name: large(page, size) for name, size in SIZES.items()}
    with serving() as (server,):
        files["digits"] = rulers(page, server.url)
    for name, each in files.items():
        for what, cost in zip(("gamma", "lambda", "gamma, no wall"), each, strict=False):
            print(f"{name}, {what}: {cost['frames']:.0f} frames per second")
            check(f"a frame, {name}, {what}", 1000 * cost["busy"], "ms", 1000 / 60)


# --- Scores ---------------------------------------------------------------------------------------

N, CLASSES, UNSEEN = 14_340, 717, 72
#: Limit of the seconds until a score file is on screen, and the desired frames per second.
GOAL, FRAMES = 3.0, 50.0


def write_scores(folder: Path, seed: int) -> tuple[Path, str]:
    """Write a score file; return its path and its H at gamma 0 in the format of the curve."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % CLASSES
    F = rng.normal(size=(N, CLASSES))
    F[np.arange(N), y] += 3 + 0.2 * seed
    seen = np.arange(CLASSES) < CLASSES - UNSEEN
    F += 0.8 * seen
    path = folder / f"large{seed}.npz"
    np.savez(path, scores=F, y=y, unseen_classes=np.flatnonzero(~seen))
    return path, f"{100 * seen_unseen_curve(F, y, seen).at(0.0).harmonic:.1f}"


def upload(page: Page, path: Path, harmonic: str) -> float:
    """Return the seconds from the upload of a file until the curve shows its H."""
    field = page.locator("input[type=file]").first
    start = time.perf_counter()
    field.set_input_files(path)
    page.locator(".numbers > .h").filter(has_text=harmonic).first.wait_for(timeout=180_000)
    return time.perf_counter() - start


def measure_uploads(page: Page, server: Server, folder: Path, repeats: int) -> dict[str, float]:
    """Return the measurements of several files in turn."""
    seconds, worked = [], []
    for seed in range(repeats + 1):
        path, harmonic = write_scores(folder, seed)
        page.goto(f"{server.url}/leakage?view=scores")
        page.locator("input[type=file]").first.wait_for(state="attached", timeout=180_000)
        wait_until_settled(page)
        before = cpu_seconds(server.process.pid)
        seconds.append(upload(page, path, harmonic))
        wait_until_settled(page)
        worked.append(cpu_seconds(server.process.pid) - before)
        if seed < repeats:
            path.unlink()
    frames = drag(page, ".over > svg")
    # The first file includes imports and processes that start on first use.
    return {"first": seconds[0], "took": median(seconds[1:]), "worked": median(worked[1:])} | frames


def scores(browser: Browser, options: argparse.Namespace) -> None:
    """Print the time until a large score file is on screen."""
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    with tempfile.TemporaryDirectory() as name, serving() as (server,):
        times = measure_uploads(page, server, Path(name), options.repeats)
        size = max(path.stat().st_size for path in Path(name).iterdir()) / 1e6
    check(f"a score file of {size:.0f} MB on screen", times["took"], "s", GOAL)
    check("the page's thread, a frame", 1000 * times["busy"], "ms", 1000 / 60)
    print(f"{times['frames']:.0f} frames per second while gamma is dragged (goal {FRAMES:g})")
    print(times)


# --- Answers --------------------------------------------------------------------------------------

#: Limits: seconds from heading to placeholder text, seconds from address to picture, layout shift.
WORD_LIMIT, PICTURE_LIMIT, SHIFT_LIMIT = 0.3, 1.5, 0.1
#: Seconds that the server has to import the modules of its pages.
IMPORTING = 15.0
#: Records layout shifts, and the times of heading, placeholder text (``word``), first picture and
#: end of the script.
WATCH = """() => {
    const shown = window.shown = { shift: 0 };
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries())
            if (!hadRecentInput) shown.shift += value;
    }).observe({ type: "layout-shift", buffered: true });
    const drawn = ".whole.ready, .chart svg > *, .wall .tiles, .over > svg > *, canvas";
    const isWord = (node, part) => {
        const { content, opacity } = getComputedStyle(node, part);
        return content.includes("…") && Number(opacity) > 0;
    };
    const look = () => {
        const main = document.querySelector(".stMainBlockContainer");
        const nodes = main ? [...main.querySelectorAll("*")] : [];
        const roots = nodes.map(node => node.shadowRoot).filter(Boolean);
        const inner = roots.flatMap(root => [...root.querySelectorAll(".whole, .chart > figure")]);
        const seen = {
            heading: main?.querySelector("h1")?.textContent,
            word: nodes.some(node => isWord(node, "::after"))
                || inner.some(node => isWord(node, "::before")),
            picture: main?.querySelector(".stDataFrame canvas")
                || roots.some(root => root.querySelector(drawn)),
            end: main?.querySelector("h1")
                && document.querySelector("[data-test-script-state='notRunning']"),
        };
        for (const [name, is] of Object.entries(seen))
            if (is) shown[name] ??= performance.now() / 1000;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
DRAWN = (
    "window.shown?.end && [...document.querySelectorAll('*')].every(each => "
    "!each.shadowRoot?.querySelector('.chart svg:empty'))"
)


def time_view(page: Page, url: str, *, on_phone: bool = False) -> dict[str, float]:
    """Return the seconds to heading, text, first picture and end, and the layout shift."""
    page.add_init_script(f"({WATCH})()")
    if on_phone:
        page.set_viewport_size({"width": 390, "height": 844})
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(url, wait_until="commit")
    page.wait_for_function(DRAWN, timeout=180_000)
    page.wait_for_function("window.shown.picture")
    page.wait_for_timeout(1000)
    seen: dict[str, float] = page.evaluate("window.shown")
    return seen


def answers(browser: Browser, options: argparse.Namespace) -> None:
    """Print the time until each view shows its heading, placeholder text and first picture."""
    rows, shifts_on_phone = [], dict[str, float]()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    views = [
        (view.name, f"/{'' if page is PAGES[0] else page.name}?view={view.name}")
        for page in PAGES
        for view in page.views
    ]
    with serving(environment={"ZSL_SHIPPED": "1"}) as (server,):
        time.sleep(IMPORTING)
        for number in range(1, options.repeats + 1):
            for view_name, path in views:
                with context.new_page() as page:
                    seen = time_view(page, server.url + path)
                    rows.append({"view": view_name, "round": number} | seen)
        for view_name, path in views:
            with context.new_page() as page:
                times = time_view(page, server.url + path, on_phone=True)
                shifts_on_phone[view_name] = times["shift"]
    order = ["view", "round", "heading", "word", "picture", "end", "shift"]
    table = pd.DataFrame(rows).reindex(columns=order)
    print(table.round(2).to_string(index=False))
    warm = table[table["round"] > 1]
    for name, of in warm.groupby("view", sort=False):
        # A view that shows a picture before any placeholder text waits 0 seconds for the text.
        waited = (of["word"].fillna(of["heading"]) - of["heading"]).median()
        check(f"{name}, heading to word", float(waited), "s", WORD_LIMIT)
        check(f"{name}, address to picture", float(of["picture"].median()), "s", PICTURE_LIMIT)
        check(f"{name}, shift", float(of["shift"].max()), "", SHIFT_LIMIT)
    for view_name, shift in shifts_on_phone.items():
        check(f"{view_name}, shift on a phone", shift, "", SHIFT_LIMIT)


PARTS = {"frames": frames, "scores": scores, "answers": answers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM) if CHROMIUM.exists() else None, args=FLAGS
        )
        PARTS[options.part](browser, options)
        browser.close()


if __name__ == "__main__":
    main()
