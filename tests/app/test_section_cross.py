import base64
import json

import numpy as np
import pytest

from tests import pages
from tests.pages import settled, words
from ui.figures.cross import difference_strips, four_accuracies, image_counts
from ui.figures.palette import FIRST, SECOND
from ui.views.awa1_and_awa2.crossed import USUAL
from zslcore.analysis import cross_dataset as tests
from zslcore.analysis.inventory import awa_image_counts
from zslcore.datasets import load
from zslcore.jobs.studies import result

PRINTED = tests.printed_table(), "AWA1", "AWA2"


def opened(**choices):
    return settled(pages.visit("pages/awa1_and_awa2.py", view="crossed", **choices))


def numbers(sent):
    """Return the values of an axis as the browser gets them."""
    if isinstance(sent, dict):
        return np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"])
    return np.array(sent, dtype=float)


# --- Figures --------------------------------------------------------------------------------------


def test_every_image_is_in_a_bar_and_test_classes_stand_on_a_band():
    table = awa_image_counts().rename(columns={"AWA1": "first", "AWA2": "second"})
    first, second, band = image_counts(table, "AWA1", "<b>two</b>").data
    assert (sum(first.y), sum(second.y)) == (30_475, 37_322)
    assert list(band.x) == list(np.flatnonzero(table["role"] == "unseen"))
    assert min(band.y) > max(*first.y, *second.y)
    assert second.name == "&lt;b&gt;two&lt;/b&gt;"
    assert first.marker.pattern.shape != second.marker.pattern.shape


def test_lines_join_the_two_tests_of_one_fit():
    figure = four_accuracies({"as printed": tests.four_cells(*PRINTED)}, "AWA1", "AWA2")
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    row = list(tests.four_cells(*PRINTED).index).index("SAE")
    assert [line.line.color for line in lines] == [FIRST.color, SECOND.color]
    assert list(lines[0].x[3 * row : 3 * row + 2]) == pytest.approx([0.530, 0.524])
    assert list(lines[1].x[3 * row : 3 * row + 2]) == pytest.approx([0.541, 0.531])
    names = [trace.name for trace in figure.data if trace.showlegend]
    assert len(set(names)) == 4
    symbols = {trace.marker.symbol for trace in figure.data if trace.mode == "markers"}
    assert len(symbols) == 4


def test_strips_show_every_pair_with_the_mean_and_its_p():
    of = tests.differences(*PRINTED), tests.cross_tests(*PRINTED)
    labels = {"training set": "a", "test set": "b", "larger": "c"}
    figure = difference_strips({"printed": of}, labels)
    pairs, means = figure.data
    assert len(pairs.x) == 72
    assert list(means.x) == pytest.approx([0.567, -0.517, 1.45], abs=1e-2)
    assert means.x[0] - means.error_x.arrayminus[0] == pytest.approx(-0.664, abs=1e-3)
    texts = {note.text for note in figure.layout.annotations}
    assert {"p = 0.35", "p = 0.0072", "p = 0.0032"} <= texts


# --- The view ------------------------------------------------------------------------------------


def test_accuracy_shows_the_claim_then_the_table_and_its_tests():
    app = opened()
    assert "does not follow" in words(app)
    claim, cells, ours = (frame.value for frame in app.dataframe)
    assert claim.set_index("asked")["p"]["another training set"] == pytest.approx(0.3507, abs=1e-4)
    assert claim["printed"].notna().sum() == 1
    assert list(cells["method"][:5]) == ["LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL"]
    assert cells.set_index("method").loc["DAP", "printed 1:1"] == pytest.approx(44.1)
    assert list(ours["pairs"]) == [10] * 3 + [5] * 3
    drawn = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    lines = [numbers(trace["x"]) for trace in drawn if trace["mode"] == "lines"][:2]
    pair = load("simulated-AWA1"), load("simulated-AWA2")
    truth = result(tests.CrossStudy.of(*pair, "PS", USUAL)).set_index(
        ["method", "train_dataset", "test_dataset"]
    )["top1_per_class"]["LinearV2S"]
    names = [one.name for one in pair]
    turns = [(names[i], names[j]) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0))]
    assert [x for line in lines for x in line[:2]] == pytest.approx([truth[turn] for turn in turns])
    app.selectbox(key="crossed_figure").select("H, calibrated").run()
    assert list(app.dataframe[1].value.columns) == ["method", "1:1", "1:2", "2:2", "2:1"]
    settled(app.multiselect(key="crossed_methods").set_value(["ESZSL"]).run())
    assert len(app.dataframe) == 2  # no test of one method
    app.multiselect(key="crossed_methods").set_value([]).run()
    assert not app.exception
    assert len(app.dataframe) == 1
