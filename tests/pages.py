"""Pages as a visitor opens them, and what stands on them."""

import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[1]
APP = str(ROOT / "app.py")


def visit(page, **choices):
    """Open a page of the app as a new visitor, with choices in the address."""
    app = AppTest.from_file(APP, default_timeout=60).switch_page(page)
    for key, value in choices.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def until(app, true, seconds=60):
    """Run the page as its fragments would by themselves, until ``true(app)``."""
    end = time.monotonic() + seconds
    while not true(app):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)
        app.run()
        assert not app.exception
    return app


def settled(app):
    """Run the page until no job is waited for."""
    return until(app, lambda app: "Cancel" not in [button.label for button in app.button])


def words(app):
    """Return what is written on the page, but for metrics and tables."""
    return " ".join(each.value for each in [*app.markdown, *app.caption, *app.info])


def metrics(app):
    """Return the value of every metric, by its label."""
    return {metric.label: metric.value for metric in app.metric}
