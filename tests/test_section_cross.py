import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import settled
from ui.figures.cross import difference_strips, four_accuracies, image_counts
from ui.figures.palette import FIRST, SECOND
from zslcore.analysis import cross_tests as tests
from zslcore.analysis.inventory import awa_image_counts

PAIR = ("simulated-AWA1", "simulated-AWA2")
PRINTED = tests.printed_table(), "AWA1", "AWA2"


def page(show, first, second):
    """A page with nothing but one of the tabs."""
    from ui import cache
    from ui.sections import cross

    getattr(cross, show)(cache.dataset(first), cache.dataset(second), "PS")


def opened(show, *pair):
    return settled(AppTest.from_function(page, args=(show, *pair), default_timeout=90).run())


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


# --- The two tabs ---------------------------------------------------------------------------------


def test_images_of_the_stand_ins_and_of_the_real_sets():
    app = opened("show_images", *PAIR)
    assert "3,047 images" in app.caption[0].value
    app.segmented_control(key="awa1_whose").set_value("the real AWA1 and AWA2").run()
    assert "30,475 images in AWA1, 37,322 in AWA2, where horse has 1,645" in app.caption[0].value
    assert "mole 100" in app.caption[0].value


def test_accuracy_shows_the_claim_then_the_table_and_its_tests():
    app = opened("show_accuracy", *PAIR)
    assert "does not follow" in app.markdown[0].value
    claim, cells, ours = (frame.value for frame in app.dataframe)
    assert claim.set_index("asked")["p"]["another training set"] == pytest.approx(0.3507, abs=1e-4)
    assert claim["printed"].notna().sum() == 1
    assert list(cells["method"][:5]) == ["LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL"]
    assert cells.set_index("method").loc["DAP", "printed 1:1"] == pytest.approx(44.1)
    assert list(ours["pairs"]) == [10] * 3 + [5] * 3
    app.selectbox(key="awa1_figure").select("H, calibrated").run()
    assert list(app.dataframe[1].value.columns) == ["method", "1:1", "1:2", "2:2", "2:1"]
    settled(app.multiselect(key="awa1_methods").set_value(["ESZSL"]).run())
    assert len(app.dataframe) == 2  # no test of one method
    app.multiselect(key="awa1_methods").set_value([]).run()
    assert not app.exception
    assert len(app.dataframe) == 1


def test_a_pair_that_cannot_be_crossed_is_told_and_each_is_tested_on_itself():
    app = opened("show_accuracy", "simulated-AWA1", "simulated-aPY")
    assert "needs the same classes by name" in app.info[0].value
    (each,) = (frame.value for frame in app.dataframe)
    assert list(each.columns) == ["method", "simulated-AWA1", "simulated-aPY"]
    assert each.notna().all(axis=None)
