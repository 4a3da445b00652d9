"""Pages as a visitor opens them, and what stands on them."""

import time
from functools import cache
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from zslcore import jobs
from zslcore.jobs import runner

ROOT = Path(__file__).parents[1]
APP = str(ROOT / "app.py")

# For every app that it tests, Streamlit looks through all installed packages: half of the time that
# a page takes. They do not change meanwhile.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def visit(page, **choices):
    """Open a page of the app as a new visitor, with choices in the address."""
    app = AppTest.from_file(APP, default_timeout=60).switch_page(page)
    for key, value in choices.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def until(app, true, pause=0.2, seconds=180):
    """Run the page as its fragments would by themselves, until ``true(app)``.

    Between two runs it waits for the jobs under way, with which it would only share the cores.
    """
    end = time.monotonic() + seconds
    while not true(app):
        assert time.monotonic() < end, "waited too long"
        for key in list(runner._RUNNER._jobs):
            jobs.wait(key, pause)
        app.run()
        assert not app.exception
    return app


def settled(app):
    """Run the page until no job is waited for."""
    return until(app, lambda app: "Cancel" not in [button.label for button in app.button], pause=60)


def words(app):
    """Return what is written on the page, but for metrics and tables."""
    return " ".join(each.value for each in [*app.markdown, *app.caption, *app.info])


def metrics(app):
    """Return the value of every metric, by its label."""
    return {metric.label: metric.value for metric in app.metric}
