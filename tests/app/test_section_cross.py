import re

import numpy as np
import pytest

from tests import pages
from tests.figures import read
from tests.pages import charts, settled, words
from ui.figures.cross import difference_strips, four_accuracies
from ui.figures.palette import FIRST, SECOND
from zslcore.analysis import cross_dataset as tests

PRINTED = tests.printed_table(), "AWA1", "AWA2"


# --- Figures --------------------------------------------------------------------------------------


def test_a_line_joins_the_two_tests_of_each_fit():
    figure = read(four_accuracies(tests.four_cells(*PRINTED), "AWA1", "AWA2", "ZSL"))
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    row = list(tests.four_cells(*PRINTED).index).index("SAE")
    assert [line.line.color for line in lines] == [FIRST.color, SECOND.color]
    assert list(lines[0].x[3 * row : 3 * row + 2]) == pytest.approx([0.530, 0.524])
    assert list(lines[1].x[3 * row : 3 * row + 2]) == pytest.approx([0.541, 0.531])
    names = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert len(set(names)) == 4
    symbols = {trace.marker.symbol for trace in figure.data if trace.mode == "markers"}
    assert len(symbols) == 4


def test_strips_show_every_pair_their_mean_and_p():
    pair_data = tests.paired_differences(*PRINTED), tests.cross_tests(*PRINTED)
    labels = {"training set": "a", "test set": "b", "larger": "c"}
    figure = read(difference_strips(*pair_data, labels))
    pairs, means = figure.data
    assert len(pairs.x) == 72
    assert list(means.x) == pytest.approx([0.567, -0.517, 1.45], abs=1e-2)
    assert means.x[0] - means.error_x.arrayminus[0] == pytest.approx(-0.664, abs=1e-3)
    texts = {note.text for note in figure.layout.annotations}
    assert {"p = 0.35", "p = 0.0072", "p = 0.0032"} <= texts


# --- The view ------------------------------------------------------------------------------------


def test_differences_of_printed_pairs_have_the_sign_of_the_answer():
    app = settled(pages.visit("pages/awa1_and_awa2.py", awa1_layout="PCA", awa1_threads="1"))
    assert "does not follow" in words(app)
    specs = [chart.figure["data"] for chart in charts(app)]
    (drawn,) = [data for data in specs if any(trace.get("name") == "a pair" for trace in data)]
    pairs = next(trace for trace in drawn if trace["name"] == "a pair")
    changes = tests.paired_differences(PRINTED[0], "AWA2", "AWA1")
    expected = 100 * changes.loc[changes["question"] != "larger", "difference"]
    np.testing.assert_allclose(np.sort(pairs["x"]), np.sort(expected))
    means = next(trace for trace in drawn if trace["name"].startswith("mean"))["x"]
    (answer,) = (text for text in (element.value for element in app.markdown) if "## " in text)
    drawn_means = [f"{mean:+.1f}".replace("-", "−") for mean in means[:2]]
    assert re.findall(r"[+−][\d.]+", answer) == drawn_means  # answer and figure have the same signs
