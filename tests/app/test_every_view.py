"""Contract of views: an answer at once, all tabs, a second run, invalid values in the address.

On a new data folder, no view fits a model or starts a job: first answers come with the package.
Every chart has a description, every term an explanation, and exported tables are plain text. The
tests follow the list of views.
"""

import csv
import io
import re

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.hostile.addresses import BY_HAND, SHARED, bound
from tests.hostile.test_addresses import malformed, opened
from tests.pages import PATIENCE, ROOT, backslashes, charts, forbid_computing, unexplained, visit
from ui.shell import site_map, terms
from ui.takeaway import downloads, exports
from zslcore.storage.files import FACTS
from zslcore.storage.tables import harmless

VIEWS = [view.name for page in site_map.PAGES for view in page.views]
#: Elements that show an answer, and views with an answer in words.
ANSWERS = ("metric", "dataframe", "bidi_component")
OF_WORDS = {"lessons"}
#: Buttons of a panel that waits for a job or offers one.
WAITING = {"Cancel", "Start again", "Try again", "Join again", "Run them", "Compute"}
MOST_BYTES = 15 << 20
#: Python's notation for a dict, a list, a tuple, None, or a NumPy number.
OF_PYTHON = re.compile(r"\{'|\['|\('|\[\d|\(\d[^)]*, |^None$|\bnp\.|Timestamp\(|<\w+ object")


@pytest.fixture(scope="module", autouse=True)
def _fresh(tmp_path_factory):
    """An empty data folder with the precomputed results of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("fresh")))
        patch.setenv("ZSL_SHIPPED", "1")
        st.cache_data.clear()
        st.cache_resource.clear()
        yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def _cells(monkeypatch):
    """Export every figure and table to CSV, and check that no cell has Python's notation."""
    seen = []

    def note(offer, numbers):
        def noted(*args, **options):
            table = numbers(*args, **options)
            text = exports.table_as_csv(table, index=options.get("index", False))
            cells = csv.reader(io.StringIO(text))
            seen.extend(cell for row in cells for cell in row if OF_PYTHON.search(cell))
            offer(*args, **options)

        return noted

    figure = note(downloads.offer_figure, lambda *_, numbers, **__: numbers())
    table = note(downloads.offer_table, lambda table, *_, **__: table)
    monkeypatch.setattr(downloads, "offer_figure", figure)
    monkeypatch.setattr(downloads, "offer_table", table)
    yield
    assert not seen, seen[:3]


@pytest.fixture
def tabs(monkeypatch):
    """The tabs of a view, in order of creation: key -> labels."""
    result, put = {}, terms.tabs

    def noted(labels, **options):
        result[options["key"]] = list(labels)
        return put(labels, **options)

    monkeypatch.setattr(terms, "tabs", noted)
    return result


def complete(app, where):
    """Check a run of a view: no error, no waiting job, every chart and term explained."""
    assert not app.exception, where
    assert not app.error, where
    assert app.title[0].value, where
    assert not WAITING & {button.label for button in app.button}, where
    assert unexplained(app) == [], where
    assert backslashes(app) == [], where
    assert all(len(chart.alt) > 15 for chart in charts(app)), where


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_shows_its_answer_and_all_tabs_and_ignores_an_invalid_address(view, tabs):
    with pytest.MonkeyPatch.context() as patch:
        forbid_computing(patch)
        app = visit(view)
        names = {*SHARED, *BY_HAND.get(view, ()), *bound(app)}
        complete(app, "first run")
        page = site_map.page_of_view(view)
        assert (f"view_of_{page.name}" in app.session_state) == (len(page.views) > 1)
        assert any(app.get(kind) for kind in ANSWERS) or view in OF_WORDS
        complete(app.run(), "second run")
        for key, label in [(key, label) for key, labels in tabs.items() for label in labels[1:]]:
            app.session_state[key] = label
            complete(app.run(), label)
    opened(view, malformed(names, VIEWS.index(view)))


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], (0.1, 0.2), ("a",), {3}])
def test_the_check_of_cells_detects_notation_of_python(value):
    assert OF_PYTHON.search(str(value)) or isinstance(value, set)
    assert not OF_PYTHON.search(str(harmless(value)))
    table = pd.DataFrame({"value": [value]})
    assert str(value) not in exports.table_as_csv(table) + exports.table_as_markdown(table)


def test_precomputed_results_are_small():
    files = [path for path in (FACTS / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


@pytest.mark.parametrize("page", [page.path for page in site_map.PAGES])
def test_a_page_started_as_script_refers_to_the_app(page):
    app = AppTest.from_file(str(ROOT / page), default_timeout=PATIENCE).run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        "This page is part of the app; start it with `streamlit run app.py`."
    ]


def test_no_template_has_an_image_without_a_name():
    """A drawing becomes an image for screen readers when it is drawn, with its name."""
    templates = list((ROOT / "ui" / "components").rglob("*.html"))
    assert templates
    unnamed = re.compile(r'<[^>]*role="img"(?![^>]*aria-label)[^>]*>')
    assert [p.name for p in templates if unnamed.search(p.read_text(encoding="utf-8"))] == []
