"""Accuracies class by class: bars of few classes, a strip of many; what is taken for what."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.pages import visit
from ui.figures import palette
from ui.figures.accuracy import class_strip, confusion_map
from ui.views.playground import evaluate


@pytest.fixture
def table():
    """Eighty classes in no order, one of them named like a tag of HTML."""
    rng = np.random.default_rng(0)
    names = [f"class {k}" for k in range(80)]
    names[7] = "<b>tern</b>"
    return pd.DataFrame(
        {
            "class": names,
            "side": np.where(np.arange(80) % 4, "seen", "unseen"),
            "images": rng.integers(1, 30, 80),
            "plain": rng.random(80),
            "calibrated": rng.random(80),
        }
    )


def points(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_a_strip_has_a_point_a_class_sorted_within_each_side(table):
    seen, unseen = points(class_strip(table))
    assert len(seen.x) + len(unseen.x) == len(table)
    for trace, mark in ((seen, palette.SEEN), (unseen, palette.UNSEEN)):
        assert (np.diff(trace.y) <= 0).all()
        assert (np.diff(trace.x) == 1).all()
        assert (trace.marker.color, trace.marker.symbol) == (mark.color, mark.symbol)
    assert max(seen.x) < min(unseen.x)


def test_every_point_of_a_strip_knows_its_class_and_where_its_line_begins(table):
    figure = class_strip(table)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    for trace, line in zip(points(figure), lines, strict=True):
        for k, (name, images, plain) in enumerate(trace.customdata):
            row = table[
                table["class"].map(lambda n: n.replace("<", "&lt;").replace(">", "&gt;")) == name
            ]
            assert (row["images"].item(), row["plain"].item()) == (images, plain)
            assert row["calibrated"].item() == trace.y[k]
            assert list(line.y[3 * k : 3 * k + 2]) == [plain, trace.y[k]]


def test_a_class_that_is_looked_for_gets_its_name_and_the_others_step_back(table):
    figure = class_strip(table, [7])
    (note,) = figure.layout.annotations
    assert note.text == "&lt;b&gt;tern&lt;/b&gt;"
    assert note.y == table["calibrated"][7]
    opaque = np.concatenate([np.asarray(trace.marker.opacity) for trace in points(figure)])
    assert sorted(opaque)[-2:] == [0.35, 1]


@pytest.mark.parametrize("is_dark", [False, True])
def test_nothing_confused_is_the_colour_of_the_page(is_dark, look):
    look(dark=is_dark)
    share = pd.DataFrame(np.eye(3), index=list("abc"), columns=list("abc"))
    scale = confusion_map(share, 2).data[0].colorscale
    assert scale[0][1] == ("#101418" if is_dark else "#FFFFFF")
    assert scale[-1][1] == palette.INK.color


def test_many_classes_can_be_looked_for_on_the_page(monkeypatch):
    app = visit("pages/evaluate.py")
    assert "evaluate_find" not in [box.key for box in app.text_input]
    monkeypatch.setattr(evaluate, "MOST_BARS", 9)
    app.run()
    app.text_input(key="evaluate_find").set_value("7").run()
    assert not app.exception
    strip = app.get("plotly_chart")[0].proto
    assert "10 classes" in strip.alt
    notes = json.loads(strip.spec)["layout"]["annotations"]
    assert [note["text"] for note in notes] == ["7"]


def test_the_page_leaves_out_classes_with_few_images():
    app = visit("pages/evaluate.py")
    app.session_state["evaluate_tab"] = "Confusion"
    app.run()
    more = len(app.dataframe[-1].value)
    app.number_input(key="evaluate_confusion_least").set_value(1000).run()
    assert not app.exception
    assert more > len(app.dataframe[-1].value) == 0
