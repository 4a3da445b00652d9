"""Overlap gain: bars, intervals and marks equal plain sums, for every choice."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests import pages
from tests.figures import read
from tests.pages import charts, words
from tools.shipped import classes_in_pretraining
from ui.figures.gains import gain_bars, printed_gains
from ui.figures.marks import GROUP_WORDS
from ui.figures.palette import GROUP_LOOKS, translucent
from ui.figures.vocabulary import Chart
from ui.takeaway.for_print import panels_of
from ui.views.overlap_gain import gains
from zslcore import printing
from zslcore.analysis.overlap import GAIN_METHODS, UNTRAINED, OverlapStudy, class_gains
from zslcore.datasets import load
from zslcore.datasets.facts import published_table
from zslcore.jobs.studies import stored_result
from zslcore.leakage import get_vocabulary
from zslcore.leakage.counts import overlaps

AWA2 = "simulated-AWA2"


@pytest.fixture
def visit(own_data, precomputed):
    """Open the page as a new visitor, with choices in the address and precomputed results."""
    return lambda **choices: pages.visit("overlap_gain", **{"gain_data": AWA2} | choices)


def study_of(name):
    data = load(name)
    sets = [data, load(UNTRAINED[name])]
    return stored_result(OverlapStudy.of(sets, GAIN_METHODS, classes_in_pretraining(data), 30))


def drawn(app):
    """The bars of the page, largest first: (class, gain, low, high, colour)."""
    (chart,) = (chart for chart in charts(app) if "points" in chart.alt)
    bars = []
    for trace in _bars(chart):
        errors, column = trace["error_x"], int(trace["xaxis"].strip("x") or 1)
        values = (trace["x"], trace["y"], errors["arrayminus"], errors["array"])
        of_bars = trace["customdata"], trace["marker"]["color"]
        for gain, place, down, up, message, color in zip(*values, *of_bars, strict=True):
            low, high = (np.nan if end is None else end for end in (down, up))
            at = (column, place)
            bars.append((at, message[0], gain, gain - low, gain + high, color))
    return [bar[1:] for bar in sorted(bars)]


def gains_by_hand(name, method):
    """Class -> gain and its interval in points, by plain sums; intervals need five draws."""
    study, names = study_of(name), load(name).class_names
    rows = study[study["method"] == method].to_dict("records")
    accuracy = {(r["class"], r["draw"], r["features"]): r["accuracy"] for r in rows}
    result = {}
    for c in sorted({r["class"] for r in rows}):
        d = np.array(
            [
                value - accuracy[c, draw, UNTRAINED[name]]
                for (k, draw, features), value in accuracy.items()
                if k == c and features == name
            ]
        )
        reach = np.nan
        if len(d) >= 5:
            deviation = np.sqrt(np.sum((d - d.mean()) ** 2) / (len(d) - 1))
            reach = stats.t.ppf(0.975, len(d) - 1) * deviation / np.sqrt(len(d))
        result[names[c]] = 100 * np.array([d.mean(), d.mean() - reach, d.mean() + reach])
    return result


def groups_of(name):
    """Class -> group, from matching for ImageNet-1K and from FAIR's annotation for Kinetics-400."""
    data = load(name)
    vocabulary = "imagenet-1k" if "AWA" in name else "kinetics-400"
    matches = overlaps(data.class_names, get_vocabulary(vocabulary), data.class_names)
    inside = {*classes_in_pretraining(data)}
    return {
        item.class_name: "in the set"
        if item.number in inside
        else "unrelated"
        if item.group == "unrelated"
        else "related"
        for item in matches
    }


@pytest.mark.parametrize(("name", "method"), [(AWA2, "LinearV2S"), ("simulated-UCF101", "SAE")])
def test_every_bar_has_the_gain_interval_and_mark_of_its_class(visit, name, method):
    app = visit(gain_data=name, gain_method=method)
    bars, expected, groups = drawn(app), gains_by_hand(name, method), groups_of(name)
    assert len(bars) == len(expected)
    # The bar of a class with few draws is pale and has no interval.
    for of_class, gain, low, high, color in bars:
        np.testing.assert_allclose([gain, low, high], expected[of_class], atol=1e-9)
        hue = GROUP_LOOKS[groups[of_class]].color
        assert color == (translucent(hue, 0.45) if np.isnan(low) else hue)
    by_group = {g: [h for c, h, *_ in bars if groups[c] == g] for g in GROUP_LOOKS}
    assert [bar[0] for bar in bars] == [c for g in GROUP_LOOKS for c, *_ in bars if groups[c] == g]
    for of_group in by_group.values():
        assert of_group == sorted(of_group, reverse=True)
        assert f"{np.mean(of_group):+.1f}".replace("-", "−") in words(app)
    difference = np.mean(by_group["in the set"]) - np.mean(by_group["unrelated"])
    assert f"{difference:.1f} points more" in words(app)
    assert f"and {_signed(by_group)} on {len(by_group['unrelated'])} unrelated" in words(app)


def _signed(by_group):
    return f"{np.mean(by_group['unrelated']):+.1f}".replace("-", "−")


def test_the_largest_group_fills_a_column_next_to_the_others_below_their_means(visit):
    (chart,) = (chart for chart in charts(visit()) if "points" in chart.alt)
    assert [item["yaxis"] for item in _bars(chart)] == ["y", "y2", "y2"]
    first_lines = [item["y"][0] for item in _bars(chart)]
    assert first_lines == [1, 1, 2 + len(_bars(chart)[1]["y"])]
    printed = panels_of(Chart(chart.figure["data"], chart.figure["layout"]))
    axes = printing.draw_panels(*printed, width_mm=160, height_mm=90)[0].axes
    bars = [patch for panel in axes for patch in panel.patches if patch.get_width()]
    assert len(bars) == 50  # a file for print has all classes
    whiskers = [lines for panel in axes for lines in panel.collections]
    drawn_ones = sum(len(lines.get_segments()) for lines in whiskers)
    assert drawn_ones == sum(
        e is not None for item in _bars(chart) for e in item["error_x"]["array"]
    )
    headings = chart.figure["layout"]["annotations"]
    assert [item["text"].partition(",")[0] for item in headings] == [
        GROUP_WORDS[g].replace("the pre-training set", "ImageNet-1K") for g in GROUP_LOOKS
    ]
    # Each heading begins at the line of no gain.
    assert {(item["x"], item["xanchor"]) for item in headings} == {(0, "left")}
    assert {item["xref"] for item in headings} == {"x", "x2"}


def test_headings_of_printed_gains_are_whole_in_a_narrow_print():
    table = pd.DataFrame({"panel": "a set of videos, attributes", "method": [*"ab"], "gain": 0.2})
    page = printing.draw_panels(*panels_of(printed_gains(table)), width_mm=60)[0]
    heading = next(note for note in page.axes[0].texts if "mean" in note.get_text())
    box = heading.get_window_extent()
    assert box.width > page.axes[0].get_window_extent().width
    assert 0 <= box.x0 <= box.x1 <= page.bbox.x1


def test_headings_of_printed_gains_start_at_the_left_of_the_bars_on_a_phone(monkeypatch):
    monkeypatch.setattr("ui.figures.gains.narrow", lambda: True)
    gain = [-0.119, 0.392]
    table = pd.DataFrame({"panel": "Kinetics-400, word2vec", "method": [*"cd"], "gain": gain})
    layout = read(printed_gains.__wrapped__(table))["layout"]
    heading = next(note for note in layout["annotations"] if "mean" in note["text"])
    assert heading["x"] == layout["xaxis"]["range"][0] < -11.9


def _bars(chart):
    return [trace for trace in chart.figure["data"] if trace["type"] == "bar"]


@pytest.mark.parametrize("name", UNTRAINED)
def test_the_page_states_only_a_planted_effect(visit, monkeypatch, name):
    pages.forbid_computing(monkeypatch)  # the result comes with the package
    app = visit(gain_data=name)
    message = re.search(r"interval ([+−][0-9.]+) to ([+−][0-9.]+)", words(app))
    low, high = (float(group.replace("−", "-")) for group in message.groups())
    if name.endswith("-unplanted"):
        assert low < 0 < high
        assert "no significant difference between the groups" in words(app)
        assert "features are simulated" in words(app)
        assert "easier than others" not in words(app)
    else:
        assert low > 0
        assert re.search(r"classes in (ImageNet\\-1K|Kinetics\\-400) gain", words(app))
        assert "simulated with an effect: classes in " in words(app)
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


def test_the_first_view_shows_the_printed_gains_and_the_classes_in_both_sets(own_data):
    app = pages.visit("overlap_gain")
    printed = published_table("overlap_gain_action")["overlap_gain_minus_idt"]
    better = f"{(printed > 0).sum()} of {len(printed)} printed gains"
    assert f"Yes, by {100 * printed.mean():.1f} % (relative) on average: {better}" in words(app)
    (chart,) = (chart for chart in charts(app) if "Printed" in chart.alt)
    bars = [value for trace in _bars(chart) for value in trace["x"]]
    np.testing.assert_allclose(sorted(bars), sorted(100 * printed))
    fold = next(item for item in app.expander if "the paper finds 61 in" in item.label)
    assert "36 in Sports" in fold.label
    app.session_state["gain_classes"] = True
    app.run()
    shown = app.dataframe[0].value.set_index("class")
    assert shown.count().to_dict() == {"Kinetics-400": 61, "Sports-1M": 36}
    assert "simulated" not in " ".join(badge_texts(app))


def badge_texts(app):
    return [text.value for text in app.markdown if "badge" in text.value]


def test_a_class_opens_with_its_synset_and_its_gain_by_method(visit):
    app = visit(gain_class="dalmatian")
    assert "synset n02110341" in words(app)
    shown = app.dataframe[0].value.set_index("method")
    assert list(shown.index) == list(GAIN_METHODS)
    for method in GAIN_METHODS:
        gain, low, high = gains_by_hand(AWA2, method)["dalmatian"]
        assert shown.loc[method, "gain"] == pytest.approx(gain)
        interval = f"{low:+.1f} to {high:+.1f}".replace("-", "−")
        assert shown.loc[method, "interval"] == interval
    app.selectbox(key="gain_class").set_value("seal").run()
    assert "**seal** is related to a class of" in words(app)


def test_the_gain_of_an_opened_class_is_above_the_bars(visit):
    app = visit()
    first = app.selectbox(key="gain_class").value
    assert first == "chimpanzee"  # chimpanzee has the largest gain among classes with an interval
    asks = (
        "Lines: 95 % intervals. Pale: too few splits for an interval. Dashed: group mean. "
        "Click a bar to open its class."
    )
    assert asks in [caption.value for caption in app.caption]
    gain = {name: gain for name, gain, *_ in drawn(app)}["seal"]
    app.selectbox(key="gain_class").set_value("seal").run()
    hint = next(
        element.value for element in app.caption if element.value.startswith("**seal**, related")
    )
    assert f": {gain:+.1f} points. Best match: ".replace("-", "−") in hint
    app.selectbox(key="gain_class").set_value(first).run()
    assert asks in [caption.value for caption in app.caption]
    app.session_state["gain_clicked"] = True  # a click on the bar of this class is also noticed
    assert any(element.value.startswith(f"**{first}**") for element in app.run().caption)


def test_class_names_fit_into_their_columns_without_markup(visit, look):
    names = [f"<b>{c}</b>" for c in range(50)]
    table = class_gains(study_of(AWA2), AWA2, UNTRAINED[AWA2], "SAE", names)
    for is_narrow, columns in ((False, 2), (True, 1)):
        look(narrow=is_narrow)
        figure = read(gain_bars(table, names[0]))
        assert {trace.orientation for trace in figure.data if trace.type == "bar"} == {"h"}
        axes = [figure.layout[name] for name in figure.layout if name.startswith("yaxis")]
        assert len(axes) == columns
        labels = [label for axis in axes for label in axis.ticktext]
        assert len(labels) == 50
        tips = [tip for bar in figure.data for _, tip in bar.customdata or ()]
        assert len(tips) == 50
        assert all(tip.count(" %") == 2 == tip.count("%") for tip in tips)
        assert "<b>" not in "".join(labels)
        across = [figure.layout[name] for name in figure.layout if name.startswith("xaxis")]
        assert len(across) == columns
        assert len({axis.range for axis in across}) == 1
    look(narrow=False)
    assert gain_bars(table, names[0]).height < 500
    many = pd.concat([table] * 3, ignore_index=True)
    upright = read(gain_bars(many, ""))
    assert {trace.orientation for trace in upright.data if trace.type == "bar"} == {"v"}


def test_data_without_a_baseline_name_the_missing_import(visit, monkeypatch):
    monkeypatch.setattr(gains, "UNTRAINED", {})
    monkeypatch.setattr(gains, "same_classes", lambda *_: False)
    app = visit()
    text = words(app)
    assert f"## No gain for {AWA2}: it needs features of its 50 classes" in text.replace("\\", "")
    assert text.index("Extractor trained on") < text.index("--pretraining none")
    assert "As an example, the printed gains on UCF101:" in [each.value for each in app.caption]
    (example,) = charts(app)
    assert example.alt.startswith("Printed gains")
