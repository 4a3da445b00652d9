"""Open pages of the app like a visitor, and read their elements."""

import json
import re
import struct
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner

from ui.shell import frame, site_map
from ui.shell.text import term_of
from zslcore import jobs
from zslcore.evaluation.protocol import Problem
from zslcore.jobs import runner
from zslcore.scores.protocols import WORDS

ROOT = Path(__file__).parents[1]
APP = str(ROOT / "app.py")
#: Seconds in which a page has to run, also on a busy machine.
PATIENCE = 600
#: Elements with a label and a help text.
LABELLED = (
    *("metric", "selectbox", "multiselect", "number_input", "select_slider", "slider"),
    *("segmented_control", "pills", "radio", "toggle", "checkbox", "text_input", "text_area"),
)
assert frame.palette  # reads the browser's theme when imported, before tests set another one

# For every tested app, Streamlit searches all installed packages, which takes half of the time of a
# page. They do not change during the tests.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def wait_for_script(runner, timeout, look=local_script_runner.require_widgets_deltas):
    """Wait for the end of a run; Streamlit's own waiting checks a thousand times per second."""
    runner._script_thread.join(timeout)
    look(runner, timeout if runner.script_stopped() else 0)


local_script_runner.require_widgets_deltas = wait_for_script


def view_at(page):
    """Return the first view of a page, or the view with this name."""
    name = Path(page).stem
    views = {page.name: page.views[0].name for page in site_map.PAGES}
    return views.get(name, name)


def go(app, page, **choices):
    """Go to a view or a page, with choices in the address."""
    view = view_at(page)
    place = site_map.page_of_view(view)
    if app._registered_pages or place is not site_map.PAGES[0]:
        app.switch_page(place.path)  # before its first run, the app is on its first page
    for key, value in (site_map.query_of(view) | choices).items():
        app.query_params[key] = value
    return app


def visit(page, **choices):
    """Open a view of the app as a new visitor, with choices in the address."""
    app = go(AppTest.from_file(APP, default_timeout=PATIENCE), page, **choices)
    app.run()
    assert not app.exception
    assert unexplained(app) == []
    assert backslashes(app) == []
    return app


def forbid_computing(monkeypatch, *, fits=0):
    """Make every job raise, and every fit after the first ``fits``; a fit starts with a Problem."""
    problem, left = Problem.of.__func__, iter(range(fits))

    def refuse(*args, **kwargs):
        raise AssertionError("This computes.")

    def posed(cls, *args, **kwargs):
        return refuse() if next(left, None) is None else problem(cls, *args, **kwargs)

    monkeypatch.setattr(Problem, "of", classmethod(posed))
    monkeypatch.setattr(runner.Runner, "_start_next", refuse)


def press(app, label):
    """Press the button with this label, and run the page."""
    next(button for button in app.button if button.label == label).click().run()


def until(app, condition, pause=0.2, seconds=180):
    """Run the page like its fragments until ``condition(app)`` holds.

    Between two runs, it waits for running jobs, because it would only compete with them.
    """
    end = time.monotonic() + seconds
    while not condition(app):
        assert time.monotonic() < end, "waited too long"
        for key in list(runner._RUNNER._jobs):
            jobs.wait(key, pause)
        app.run()
        assert not app.exception
        assert backslashes(app) == []
    assert unexplained(app) == []
    return app


def settled(app):
    """Run the page until no job is running."""
    return until(app, lambda app: "Cancel" not in [button.label for button in app.button], pause=60)


def words(app):
    """Return the texts on the page, except metrics and tables."""
    return " ".join(element.value for element in [*app.markdown, *app.caption, *app.info])


def metrics(app):
    """Return the values of all metrics by label."""
    return {metric.label: metric.value for metric in app.metric}


def sent_down(app, component):
    """Return the header of the data sent to the only component with this name."""
    drawn = [bidi_component.proto for bidi_component in app.get("bidi_component")]
    (data,) = (tile.bytes for tile in drawn if tile.component_name == component)
    return head_of(data)


def charts(app):
    """Return alt text and figure of each chart of the page."""
    drawn = [bidi_component.proto for bidi_component in app.get("bidi_component")]
    return [
        SimpleNamespace(**head_of(tile.bytes))
        for tile in drawn
        if tile.component_name == "zsl_chart"
    ]


def head_of(data):
    """Return the header of a component's data, without its arrays."""
    return taken_apart(data)[0]


def taken_apart(data):
    """Return the header of a component's data, and a function that reads its arrays in turn.

    ``take(dtype, count)`` returns the next array; ``take()`` returns the bytes after the last one.
    """
    (length,) = struct.unpack_from("<I", data)
    end = 4 + length

    def take(dtype="u1", count=None):
        nonlocal end
        if count is None:
            return data[end:]
        begin = end + -end % 8
        end = begin + count * np.dtype(dtype).itemsize
        return np.frombuffer(data, dtype, count, begin)

    return json.loads(data[4 : 4 + length]), take


def unexplained(app):
    """Return the labels that are glossary terms and lack the explanation of their term."""
    helps = [(item.label, item.help) for kind in LABELLED for item in getattr(app, kind)]
    for table in app.dataframe:
        for name, column in json.loads(table.proto.columns or "{}").items():
            helps.append((column.get("label") or name, column.get("help")))
    request = ((label, tip, term_of(label)) for label, tip in helps)
    return [
        label
        for label, tip, term in request
        if term and not any(w.translate(term.in_markdown()) in (tip or "") for w in WORDS.values())
    ]


#: Elements and fields that show plain text; all others show Markdown.
AS_IT_IS = {"bidi_component", "arrow_data_frame", "text_input", "text_area"}
OPTIONS_AS_THEY_ARE = {"selectbox", "multiselect"}
ESCAPE = re.compile(r"\\[^\w\s]")
#: In Markdown: an escape, a formula, and code, in which an escape would be visible.
MARKDOWN = re.compile(r"\\[^\w\s]|(\$\$?)(?:.+?)\1|(`+)(?P<code>.+?)\2", re.DOTALL)


def backslashes(app):
    """Return the texts on the page with a visible Markdown escape."""
    return [text for kind, name, text in texts(app._tree) if ESCAPE.search(seen(kind, name, text))]


def seen(kind, name, text):
    """Return the visible part of a text, without formulas."""
    if kind in AS_IT_IS or (kind in OPTIONS_AS_THEY_ARE and name == "options"):
        return text
    return MARKDOWN.sub(lambda match: match["code"] or "", text)


def texts(node):
    """Yield kind, field and text of all elements in a part of the page, except code."""
    proto = getattr(node, "proto", None)
    if node.type == "bidi_component":
        data = head_of(proto.bytes) if proto.bytes else json.loads(proto.json or "{}")
        yield from ((node.type, "data", text) for text in strings_in(data))
    elif node.type == "arrow_data_frame":
        table = node.value
        cells = table.select_dtypes(exclude="number").to_numpy().ravel()
        yield from ((node.type, "", str(text)) for text in [*table.columns, *table.index, *cells])
    elif proto is not None and node.type not in ("code", "latex"):
        yield from ((node.type, *result) for result in fields_of(proto))
    for child in getattr(node, "children", {}).values():
        yield from texts(child)


def strings_in(value):
    """Yield all strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings_in(item)


def fields_of(proto):
    """Yield the name and text of every visible field of a message."""
    for field, value in proto.ListFields():
        for item in value if field.is_repeated else [value]:
            if isinstance(item, str) and field.name not in ("id", "form_id", "url"):
                yield field.name, item
            elif field.message_type and not field.message_type.GetOptions().map_entry:
                yield from fields_of(item)
