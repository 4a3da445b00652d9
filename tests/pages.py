"""Pages as a visitor opens them, and what stands on them."""

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
#: Seconds in which a page has to run: a machine may have other work.
PATIENCE = 600
#: What has a label and a help.
LABELLED = (
    *("metric", "selectbox", "multiselect", "number_input", "select_slider", "slider"),
    *("segmented_control", "pills", "radio", "toggle", "checkbox", "text_input", "text_area"),
)
assert frame.palette  # which looks at the visitor's browser before a test puts another look there

# For every app that it tests, Streamlit looks through all installed packages: half of the time that
# a page takes. They do not change meanwhile.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def wait_for_script(runner, timeout, look=local_script_runner.require_widgets_deltas):
    """Wait for the end of a run, which Streamlit slows by looking a thousand times a second."""
    runner._script_thread.join(timeout)
    look(runner, timeout if runner.script_stopped() else 0)


local_script_runner.require_widgets_deltas = wait_for_script


def view_at(page):
    """Return the view that a page opens with, or the view of that name."""
    name = Path(page).stem
    views = {page.name: page.views[0].name for page in site_map.PAGES}
    return views.get(name, name)


def go(app, page, **choices):
    """Go to a view, or to a page, with choices in the address."""
    view = view_at(page)
    place = site_map.page_of_view(view)
    if app._registered_pages or place is not site_map.PAGES[0]:
        app.switch_page(place.path)  # before its first run, the app is at its first page
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
    """Let every job raise and every fit but so many: each fit begins with its problem."""
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
        assert backslashes(app) == []
    assert unexplained(app) == []
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


def sent_down(app, component):
    """Return the head of what went down to the one component of ours with that name."""
    drawn = [each.proto for each in app.get("bidi_component")]
    (data,) = (each.bytes for each in drawn if each.component_name == component)
    return head_of(data)


def charts(app):
    """Return what went down to each figure of bars, points, lines and cells: alt and figure."""
    drawn = [each.proto for each in app.get("bidi_component")]
    return [
        SimpleNamespace(**head_of(each.bytes))
        for each in drawn
        if each.component_name == "zsl_chart"
    ]


def head_of(data):
    """Return the head of what goes down to a component, without its arrays."""
    return taken_apart(data)[0]


def taken_apart(data):
    """Return the head of what goes down to a component, and what takes its arrays in turn.

    ``take(dtype, count)`` returns the next array; ``take()``, after the last, what is left.
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
    """Return the labels that are glossary terms and lack its sentence, in any field's words."""
    helps = [(each.label, each.help) for kind in LABELLED for each in getattr(app, kind)]
    for table in app.dataframe:
        for name, column in json.loads(table.proto.columns or "{}").items():
            helps.append((column.get("label") or name, column.get("help")))
    asked = ((label, tip, term_of(label)) for label, tip in helps)
    return [
        label
        for label, tip, term in asked
        if term and not any(w.translate(term.in_markdown()) in (tip or "") for w in WORDS.values())
    ]


#: Elements and fields that show text as it is; all others read Markdown.
AS_IT_IS = {"bidi_component", "arrow_data_frame", "text_input", "text_area"}
OPTIONS_AS_THEY_ARE = {"selectbox", "multiselect"}
ESCAPE = re.compile(r"\\[^\w\s]")
#: Of Markdown: an escape, a formula, and code, in which an escape would be seen.
MARKDOWN = re.compile(r"\\[^\w\s]|(\$\$?)(?:.+?)\1|(`+)(?P<code>.+?)\2", re.DOTALL)


def backslashes(app):
    """Return the texts on the page in which an escape of Markdown can be seen."""
    return [text for kind, name, text in texts(app._tree) if ESCAPE.search(seen(kind, name, text))]


def seen(kind, name, text):
    """Return what a reader sees of a text, without formulas."""
    if kind in AS_IT_IS or (kind in OPTIONS_AS_THEY_ARE and name == "options"):
        return text
    return MARKDOWN.sub(lambda found: found["code"] or "", text)


def texts(node):
    """Yield kind, field and text of everything in a part of the page, programs to copy aside."""
    proto = getattr(node, "proto", None)
    if node.type == "bidi_component":
        data = head_of(proto.bytes) if proto.bytes else json.loads(proto.json or "{}")
        yield from ((node.type, "data", text) for text in strings_in(data))
    elif node.type == "arrow_data_frame":
        table = node.value
        cells = table.select_dtypes(exclude="number").to_numpy().ravel()
        yield from ((node.type, "", str(text)) for text in [*table.columns, *table.index, *cells])
    elif proto is not None and node.type not in ("code", "latex"):
        yield from ((node.type, *found) for found in fields_of(proto))
    for child in getattr(node, "children", {}).values():
        yield from texts(child)


def strings_in(value):
    """Yield every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings_in(each)


def fields_of(proto):
    """Yield the name and text of every field of a message that a page may show."""
    for field, value in proto.ListFields():
        for each in value if field.is_repeated else [value]:
            if isinstance(each, str) and field.name not in ("id", "form_id", "url"):
                yield field.name, each
            elif field.message_type and not field.message_type.GetOptions().map_entry:
                yield from fields_of(each)
