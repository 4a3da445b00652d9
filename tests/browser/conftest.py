"""A server of our own and a real browser, for what only a browser can show."""

import os
from pathlib import Path

import pytest

from benchmarks.serving import FLAGS, Server
from tests.browser.reading import PROJECTOR


@pytest.fixture(scope="session")
def chromium():
    """Chromium of the system, or of Playwright; tests skip without one, except where CI is set."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as playwright:
        system = Path("/usr/bin/chromium")
        try:
            browser = playwright.chromium.launch(
                executable_path=str(system) if system.exists() else None, args=FLAGS
            )
        except sync_api.Error as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"needs Chromium: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@pytest.fixture
def fresh_server(tmp_path):
    """A server on which nothing has been opened yet."""
    server = Server(tmp_path)
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


@pytest.fixture
def page(chromium):
    """A window of a projector's size; its console errors are in ``page.errors``."""
    context = chromium.new_context(viewport=PROJECTOR)
    page = context.new_page()
    page.errors = []
    page.on("console", lambda message: _note(page, message))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    context.close()
