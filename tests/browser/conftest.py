"""A server of our own and a real browser, for what only a browser can show."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.browser.reading import PROJECTOR

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


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


class Server:
    """A running app: its address and process."""

    def __init__(self, folder: Path, script: str = "app.py") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = (folder / "streamlit.log").open("w")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", script),
                *("--server.headless=true", "--server.address=127.0.0.1"),
                *(f"--server.port={port}", "--server.fileWatcherType=none"),
            ],
            cwd=ROOT,
            env=os.environ | {"ZSL_DATA": str(folder / "data"), "PYTHONPATH": str(ROOT)},
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def wait(self, seconds: float = 60) -> None:
        """Return when the server answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(f"No answer from {self.url}: {Path(self.log.name).read_text()[-2000:]}")

    def stop(self) -> None:
        """End the process that was started here."""
        self.process.terminate()
        self.process.wait(timeout=20)
        self.log.close()


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
