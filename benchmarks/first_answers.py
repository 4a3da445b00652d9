"""How long after its heading each page shows the answer that its title promises.

    python -m benchmarks.first_answers [--rounds 3]

A server starts on a fresh data folder with the results of the package, and has 15 seconds to
import what its pages need. A headless Chromium then opens the eight pages one after the other, in
the first round without any script of the app in its cache. Measured are the seconds from the
heading to the answer, for which 1.5 are allowed, and to the last figure.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.gamma_step import CHROMIUM
from benchmarks.serving import FLAGS, Server
from benchmarks.timing import check

#: What answers the title of a page's first view.
ANSWERS = {
    "": "text=/of seen digits are right/",
    "data": "text=/Training: 1,012 images of 7 seen classes/",
    "awa1_and_awa2": "canvas",
    "compare": "text=/leads 17 methods with/",
    "overlap_gain": "text=/known classes gain/",
    "leakage": "text=/rows of test_seen are also in/",
    "claims": "text=/hold in the papers' own tables/",
    "teach": "text=/Start a room/",
}
LIMIT, IMPORTING = 1.5, 15.0
DRAWN = "[...document.querySelectorAll('.js-plotly-plot')].every(p => p._fullLayout)"


def opened(page: Page, url: str, answer: str) -> tuple[float, float]:
    """Return the seconds from the heading to the answer, and to the last figure."""
    page.goto(url)
    page.get_by_role("heading", level=1).first.wait_for()
    began = time.monotonic()
    page.locator(answer).first.wait_for()
    answered = time.monotonic() - began
    page.wait_for_selector("[data-test-script-state='notRunning']")
    page.wait_for_selector("[data-testid='stSkeleton']", state="detached")
    page.wait_for_function(DRAWN)
    return answered, time.monotonic() - began


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), environment={"ZSL_SHIPPED": "1"})
        try:
            server.wait()
            time.sleep(IMPORTING)
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            context = browser.new_context(viewport={"width": 1280, "height": 720})
            for round_ in range(1, args.rounds + 1):
                for name, answer in ANSWERS.items():
                    page = context.new_page()
                    answered, drawn = opened(page, f"{server.url}/{name}", answer)
                    rows.append((name or "playground", round_, answered, drawn))
                    page.close()
            browser.close()
        finally:
            server.stop()
    table = pd.DataFrame(rows, columns=["page", "round", "answer, s", "all drawn, s"])
    print(table.round(2).to_string(index=False))
    for page_, answer_ in table.groupby("page", sort=False)["answer, s"].max().items():
        check(f"{page_}, slowest answer", float(answer_), "s", LIMIT)


if __name__ == "__main__":
    main()
