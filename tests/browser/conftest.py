"""A server of our own and a real browser, for what only a browser can show."""

import os
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import pytest

from benchmarks.serving import FLAGS, Server
from tests.browser.reading import PROJECTOR

#: What the browser does without. The first compiles scripts that a page imports late anew for each
#: page, Plotly's 5 MB among them; the others Playwright would name, whose switch this one replaces.
WITHOUT = [
    "BackgroundResourceFetch",
    *("PaintHolding", "HttpsUpgrades", "OptimizationHints", "DestroyProfileOnBrowserClose"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "LensOverlay", "MediaRouter"),
]
#: To optimise the scripts of a page that lives for seconds costs a seventh more than it saves.
UNOPTIMISED = "--js-flags=--no-opt --no-maglev"


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Chromium of the system, or of Playwright; tests skip without one, except where CI is set.

    It is one visitor's, who has the scripts of the app in a cache once one page has been opened.
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
            )
        except sync_api.Error as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"needs Chromium: {str(error).splitlines()[0]}")
        context.set_default_timeout(180_000)  # for states; a machine may have other work
        yield context
        context.close()


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory):
    """A server on which no other file has opened anything."""
    server = Server(tmp_path_factory.mktemp("fresh"))
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def shipped_server(tmp_path_factory):
    """A server with the results that come with the package, as a visitor has them."""
    server = Server(tmp_path_factory.mktemp("shipped"), environment={"ZSL_SHIPPED": "1"})
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for the tests that do not care who was there before."""
    server = Server(tmp_path_factory.mktemp("server"))
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def _note(page, message):
    """Keep an error; but for two that are Streamlit's own and harm nobody.

    It looks for its base path on a link to a page, and drops the picture of a run before the page
    has the one of the next, which a slow machine notices.
    """
    text = f"{message.text} {message.location}"
    if message.type == "error" and "/_stcore/" not in text and "/media/" not in text:
        page.errors.append(text)


#: A theme that was chosen by hand would be there for the next test of the server.
FORGET_THEME = """() => {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith("stActiveTheme")) localStorage.removeItem(key);
  } catch {}  // a page without a store
}"""


@pytest.fixture
def page(chromium):
    """A window of a projector's size; its console errors are in ``page.errors``."""
    page = chromium.new_page()
    page.errors = []
    page.on("console", lambda message: _note(page, message))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    sync_api = pytest.importorskip("playwright.sync_api")
    for each in chromium.pages[1:]:  # but the one it began with, or it would end
        with suppress(sync_api.Error):  # a page that has crashed
            each.evaluate(FORGET_THEME)
        each.close()
    chromium.clear_cookies()


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, as the package ships it."""
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
