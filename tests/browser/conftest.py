"""A server and a real browser, for tests that need one."""

import os
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import pytest

from benchmarks.serving import FLAGS, Server
from tests.browser.reading import PROJECTOR, follow_requests
from zslcore.results.store import ResultStore

#: Features of the browser that tests disable. The first makes each page compile late scripts again;
#: the others are those that Playwright disables, because this option replaces Playwright's list.
WITHOUT = [
    "BackgroundResourceFetch",
    *("PaintHolding", "HttpsUpgrades", "OptimizationHints", "DestroyProfileOnBrowserClose"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "LensOverlay", "MediaRouter"),
]
#: No optimising compilers: pages are open for seconds, so compiling takes longer than it saves.
UNOPTIMISED = "--js-flags=--no-opt --no-maglev"


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Chromium of the system, or of Playwright; without one, tests are skipped, except on CI.

    All tests share one profile, so the scripts of the app are cached after the first page.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as playwright:
        system = Path("/usr/bin/chromium")
        try:
            context = playwright.chromium.launch_persistent_context(
                tmp_path_factory.mktemp("chromium"),
                executable_path=str(system) if system.exists() else None,
                args=[*FLAGS, f"--disable-features={','.join(WITHOUT)}", UNOPTIMISED],
                viewport=PROJECTOR,
                reduced_motion="reduce",
                timeout=180_000,
            )
        except sync_api.Error as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"needs Chromium: {str(error).splitlines()[0]}")
        context.set_default_timeout(180_000)  # ms; for a busy machine
        follow_requests(context)
        yield context
        context.close()


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory):
    """A server used by no other test file."""
    server = Server(tmp_path_factory.mktemp("fresh"))
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def shipped_server(tmp_path_factory):
    """A server with the precomputed results of the package."""
    server = Server(tmp_path_factory.mktemp("shipped"), environment={"ZSL_SHIPPED": "1"})
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture
def as_shipped(shipped_server):
    """Server with the results that come with the package, without runs of other tests."""
    store = ResultStore(Path(shipped_server.log.name).parent / "data" / "runs.sqlite")
    for run in store.stored():
        if not run.shipped:
            store.delete(run.id)
    return shipped_server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for tests that do not depend on earlier visits."""
    server = Server(tmp_path_factory.mktemp("server"))
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def _note(page, message):
    """Record an error of the page."""
    text = f"{message.text} {message.location}"
    if message.type == "error":
        page.errors.append(text)


#: A theme chosen in one test would still be active in the next test of the server.
FORGET_THEME = """() => {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith("stActiveTheme")) localStorage.removeItem(key);
  } catch {}  // a page without a store
}"""


@pytest.fixture
def page(chromium):
    """A window of the size of a projector; its console errors are in ``page.errors``."""
    page = chromium.new_page()
    page.errors = []
    page.on("console", lambda message: _note(page, message))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    sync_api = pytest.importorskip("playwright.sync_api")
    for tab in chromium.pages[1:]:  # except the first tab, since closing it would end the browser
        with suppress(sync_api.Error):  # a crashed page cannot be closed
            tab.evaluate(FORGET_THEME)
        tab.close()
    chromium.clear_cookies()


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, from its package."""
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
