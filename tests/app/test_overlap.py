"""Per-class gain: bars, intervals and marks are those of plain sums, for every choice."""

import json
from functools import partial

import numpy as np
import pytest
from scipy import stats

from tests import pages
from tests.pages import metrics, words
from tools.shipped import known_classes
from ui.figures.gains import gain_bars
from ui.figures.palette import OVERLAP, UNSEEN
from ui.views.overlap_gain import gains
from zslcore.analysis.overlap import (
    GAIN_METHODS,
    UNTRAINED,
    OverlapStudy,
    class_gains,
    half_and_half,
)
from zslcore.datasets import load
from zslcore.jobs.studies import stored_result

AWA2 = "simulated-AWA2"


@pytest.fixture
def visit(tmp_path, monkeypatch):
    """Open the page as a new visitor, with choices in the address; shipped results answer."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    return partial(pages.visit, "overlap_gain")


def study_of(name):
    data = load(name)
    sets = [data, load(UNTRAINED[name])]
    return stored_result(OverlapStudy.of(sets, GAIN_METHODS, known_classes(data), 30))


def drawn(app):
    """The bars of the page from left to right: (class, gain, low, high, colour)."""
    (chart,) = (each for each in app.get("plotly_chart") if "points" in each.proto.alt)
    figure = json.loads(chart.proto.spec or chart.proto.figure.spec)
    bars = []
    for trace in (each for each in figure["data"] if each["type"] == "bar"):
        errors = trace["error_y"]
        values = map(decoded, (trace["x"], trace["y"], errors["arrayminus"], errors["array"]))
        for place, gain, down, up, said in zip(*values, trace["customdata"], strict=True):
            bars.append((place, said[0], gain, gain - down, gain + up, trace["marker"]["color"]))
    return [bar[1:] for bar in sorted(bars)]


def decoded(values):
    """Numbers of a figure, which Plotly may send as bytes."""
    from base64 import b64decode

    if isinstance(values, dict):
        return np.frombuffer(b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return values


def gains_by_hand(name, method):
    """Class -> gain and its interval in points, by sums over the rows of the study."""
    study, names = study_of(name), load(name).class_names
    rows = study[study["method"] == method].to_dict("records")
    accuracy = {(r["class"], r["draw"], r["features"]): r["accuracy"] for r in rows}
    found = {}
    for c in sorted({r["class"] for r in rows}):
        d = np.array(
            [
                value - accuracy[c, draw, UNTRAINED[name]]
                for (k, draw, features), value in accuracy.items()
                if k == c and features == name
            ]
        )
        reach = 0.0
        if len(d) > 1:
            deviation = np.sqrt(np.sum((d - d.mean()) ** 2) / (len(d) - 1))
            reach = stats.t.ppf(0.975, len(d) - 1) * deviation / np.sqrt(len(d))
        found[names[c]] = 100 * np.array([d.mean(), d.mean() - reach, d.mean() + reach])
    return found


@pytest.mark.parametrize(("name", "method"), [(AWA2, "LinearV2S"), ("simulated-UCF101", "SAE")])
def test_every_bar_is_its_classs_gain_with_its_interval_and_mark(visit, name, method):
    app = visit(gain_data=name, gain_method=method)
    bars, expected = drawn(app), gains_by_hand(name, method)
    known = {load(name).class_names[c] for c in known_classes(load(name))}
    assert len(bars) == len(expected)
    for of_class, gain, low, high, color in bars:  # a class without an interval has no line
        np.testing.assert_allclose([gain, low, high], expected[of_class], atol=1e-9)
        assert color == (OVERLAP if of_class in known else UNSEEN).color
    heights = [bar[1] for bar in bars]
    assert heights == sorted(heights, reverse=True)
    mean = np.mean(heights)
    assert metrics(app)["Gain of accuracy"] == f"{mean:+.1f} points".replace("-", "−")


def test_the_draws_test_as_many_known_classes_as_others():
    data = load(AWA2)
    known = np.isin(np.arange(data.n_classes), known_classes(data))
    for draw in half_and_half(known):
        assert known[draw.ouc].all()
        assert not known[draw.tuc].any()
        assert len(draw.ouc) == len(draw.tuc) == 5


@pytest.mark.parametrize("name", UNTRAINED)
def test_the_page_says_an_effect_where_it_is_planted_and_none_in_the_twin(visit, monkeypatch, name):
    pages.forbid_computing(monkeypatch)  # the result comes with the package
    app = visit(gain_data=name)
    low, high = (
        float(each.replace("−", "-"))
        for each in next(m.delta for m in app.metric if m.label == "Difference").split(" to ")
    )
    if name.endswith("-unplanted"):
        assert low < 0 < high
        assert "no effect of pre-training on these classes is shown" in words(app)
        assert "no effect is planted" in words(app)
    else:
        assert low > 0
        assert "known classes gain" in words(app)
        assert "the gain is planted" in words(app)
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


def test_without_the_known_classes_the_headline_falls(visit):
    app = visit()
    before = metrics(app)
    app.toggle(key="gain_without").set_value(True).run()
    assert not app.exception
    after = metrics(app)
    assert float(after["Gain of accuracy"].split()[0]) < float(
        before["Gain of accuracy"].split()[0]
    )
    assert after["Gain of accuracy"] == after["not in pre-training"]
    assert {k: v for k, v in after.items() if k != "Gain of accuracy"} == {
        k: v for k, v in before.items() if k != "Gain of accuracy"
    }
    assert len(drawn(app)) == 27
    assert "without 23 known" in app.metric[0].delta
    assert visit(gain_without="true").metric[0].value == app.metric[0].value


def test_a_class_opens_with_its_synset_and_its_figure_by_method(visit):
    app = visit(gain_class="dalmatian")
    assert "synset n02110341" in words(app)
    shown = app.dataframe[0].value.set_index("method")
    assert list(shown.index) == list(GAIN_METHODS)
    for method in GAIN_METHODS:
        expected = gains_by_hand(AWA2, method)["dalmatian"]
        np.testing.assert_allclose(shown.loc[method, ["gain", "low", "high"]], expected)
    app.selectbox(key="gain_class").set_value("seal").run()
    assert "is not in pre\\-training" in words(app) or "is not in pre-training" in words(app)


def test_bars_lie_on_a_telephone_and_names_are_no_html(visit, look):
    names = [f"<b>{c}</b>" for c in range(50)]
    study = study_of(AWA2)
    table = class_gains(study, AWA2, UNTRAINED[AWA2], "SAE", names)
    look(narrow=True)
    lying = gain_bars(table, names[0], without_known=False)
    assert {trace.orientation for trace in lying.data if trace.type == "bar"} == {"h"}
    assert len(lying.layout.yaxis.ticktext) == 50
    assert "<b>" not in "".join(lying.layout.yaxis.ticktext)
    look(narrow=False)
    assert gain_bars(table, "", without_known=True).data[0].orientation == "v"


def test_data_without_a_baseline_say_what_to_import(visit, monkeypatch):
    monkeypatch.setattr(gains, "UNTRAINED", {})
    monkeypatch.setattr(gains, "same_classes", lambda names, others: False)
    app = visit()
    assert "an extractor that was trained on nothing" in words(app)
    assert not app.metric
