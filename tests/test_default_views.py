"""Every view, and every tab of it, on a fresh data folder: the answer is there at once.

Nothing may be fitted and no job may start: what a view opens with comes with the package. What is
there to take away is text that any program reads.
"""

import csv
import io
import re

import pandas as pd
import pytest
import streamlit as st

from tests.pages import forbid_computing, unexplained, visit
from ui import exports, site_map, takeaway, terms
from zslcore.storage.files import FACTS
from zslcore.storage.spreadsheets import harmless

VIEWS = [view.name for page in site_map.PAGES for view in page.views]
#: What shows an answer, and the views whose answer is words.
ANSWERS = ("metric", "dataframe", "plotly_chart", "bidi_component")
WORDS = {"lessons", "glossary", "findings"}
#: Buttons of a panel that waits for a job, or offers to start one.
WAITING = {"Cancel", "Start again", "Try again", "Join again", "Run them", "Compute"}
#: Views that fit a model before a click, and how often.
FITS: dict[str, int] = {}
#: Tabs that need scores or models, not predictions, and what they fit, most in about a second.
FITTED = {
    "A class": "a method on simulated ImageNet, as a job, for answers to single images",
    "Hierarchical precision": "the same",
}
MOST_BYTES = 15 << 20
#: How Python writes a dict, a list, a tuple, None, or a number of NumPy.
OF_PYTHON = re.compile(r"\{'|\['|\('|\[\d|\(\d[^)]*, |^None$|\bnp\.|Timestamp\(|<\w+ object")


@pytest.fixture(scope="module", autouse=True)
def _fresh(tmp_path_factory):
    """A data folder with nothing in it; results of the package answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("fresh")))
        patch.setenv("ZSL_SHIPPED", "1")
        st.cache_data.clear()
        st.cache_resource.clear()
        yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def taken(monkeypatch):
    """Write every figure and table that is offered as CSV; no cell of it is Python's."""
    seen = []

    def note(offer, numbers, index):
        def noted(what):
            cells = csv.reader(io.StringIO(exports.as_csv(numbers(what), index=index(what))))
            seen.extend(cell for row in cells for cell in row if OF_PYTHON.search(cell))
            offer(what)

        return noted

    figure = note(takeaway.offer_figure, lambda what: what.numbers(), lambda _: False)
    table = note(takeaway.offer_table, lambda what: what.table, lambda what: what.index)
    monkeypatch.setattr(takeaway, "offer_figure", figure)
    monkeypatch.setattr(takeaway, "offer_table", table)
    yield
    assert not seen, seen[:3]


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], (0.1, 0.2), ("a",), {3}])
def test_python_in_a_cell_is_seen_and_not_written(value):
    assert OF_PYTHON.search(str(value)) or isinstance(value, set)
    assert not OF_PYTHON.search(str(harmless(value)))
    table = pd.DataFrame({"value": [value]})
    assert str(value) not in exports.as_csv(table) + exports.as_markdown(table)


def waits(app):
    return WAITING & {button.label for button in app.button}


def shown(app):
    return [kind for kind in ANSWERS if app.get(kind)]


@pytest.mark.parametrize("view", VIEWS)
def test_the_default_view_shows_its_answer_at_once(view, monkeypatch):
    forbid_computing(monkeypatch, fits=FITS.get(view, 0))
    app = visit(view)
    assert not app.error
    assert not waits(app)
    assert shown(app) or view in WORDS


@pytest.mark.parametrize("view", VIEWS)
def test_every_tab_shows_its_answer_at_once(view, monkeypatch):
    tabs = {}
    put = terms.tabs

    def noted(labels, **options):
        tabs[options["key"]] = list(labels)
        return put(labels, **options)

    monkeypatch.setattr(terms, "tabs", noted)
    forbid_computing(monkeypatch, fits=FITS.get(view, 0))
    app = visit(view)
    for key, label in [(key, label) for key, labels in tabs.items() for label in labels[1:]]:
        if label in FITTED:
            continue
        app.session_state[key] = label
        app.run()
        assert not app.exception, label
        assert not app.error, label
        assert not waits(app), label
        assert unexplained(app) == [], label


def value_of(app, label):
    """The number of a metric."""
    (metric,) = (each for each in app.metric if each.label == label)
    return float(metric.value.split()[0])


def settings_of(preset):
    """The rows of the table of three settings to which a card leads."""
    _, _, _, view, choices = preset
    app = visit(view, **choices)
    assert not app.error
    (table,) = (each.value for each in app.dataframe if "setting" in each.value)
    return table.to_dict("records")


def test_what_comes_with_the_package_is_small():
    files = [path for path in (FACTS / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
