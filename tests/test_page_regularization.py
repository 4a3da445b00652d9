"""The Regularization page as a visitor meets it, and what its figures hold."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.pages import metrics, sent_down, settled, visit, words
from ui.figures.regularization import bias_variance_figure, path_in_hand
from zslcore.analysis import bias_variance
from zslcore.analysis.regularization import RegularizationSpec
from zslcore.datasets import load
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

SPEC = RegularizationSpec("digits", "PS", "LinearV2S")


@pytest.fixture(autouse=True, scope="module")
def _own_data(tmp_path_factory):
    """What one test has run, the next one finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def path():
    return SPEC.follow()


open_at = partial(visit, "pages/regularization.py")


def test_figures_are_those_of_the_package(path):
    app = open_at(method="LinearV2S")
    shown = metrics(app)
    H = path.calibrated_harmonic
    assert shown["λ for ZSL"] == f"{path.values[path.for_zsl]:.3g}"
    assert shown["λ for GZSL"] == f"{path.values[path.for_gzsl]:.3g}"
    assert shown["H, λ for ZSL"] == f"{100 * H[path.for_zsl]:.1f} %"
    assert shown["H, λ for GZSL"] == f"{100 * H[path.for_gzsl]:.1f} %"
    assert "a smaller λ for GZSL" in words(app)
    assert "weaker regularization" in words(app)


def test_every_choice_is_in_the_address():
    app = open_at(
        method="ESZSL",
        regularization_parameter="λ",
        regularization_values="13",
        regularization_value="10",
        parameters="given",
        ESZSL_gamma="10",
        seed="3",
    )
    assert app.selectbox(key="regularization_parameter").value == "λ"
    assert app.select_slider(key="ESZSL_gamma").value == 10
    assert "ESZSL_lam" not in [slider.key for slider in app.select_slider]
    assert app.number_input(key="regularization_value").value == 10
    path = replace(
        SPEC,
        method="ESZSL",
        parameter="lam",
        params={"gamma": 10.0, "coding": "01"},
        n_values=13,
        choose=False,
        seed=3,
    ).follow()
    assert metrics(app)["λ for GZSL"] == f"{path.values[path.for_gzsl]:.3g}"


def test_pinned_value_is_where_the_slider_begins(path):
    drawn = sent_down(open_at(method="LinearV2S"), "zsl_value_path")
    assert drawn["start"] == path.for_gzsl
    drawn = sent_down(open_at(method="LinearV2S", regularization_value="0.0105"), "zsl_value_path")
    assert drawn["start"] == 15
    assert SPEC.values[15] == 0.01


@pytest.mark.parametrize("tab", ["Bias and variance", "Results", "Three settings", "Method"])
def test_every_tab_opens(tab):
    app = open_at(method="LinearV2S")
    app.session_state["regularization_tab"] = tab
    app.run()
    assert not app.exception
    assert not app.error
    for chart in app.get("plotly_chart"):
        assert len(chart.proto.alt) > 20


def test_bias_and_variance_say_the_share_of_classes(path):
    app = open_at(method="LinearV2S")
    spec = replace(SPEC, params=path.params, choose=False, n_values=9)
    found = bias_variance.of_spec(spec)
    place = int(np.argmin(np.abs(np.log(found.values / path.values[path.for_gzsl]))))
    part = found.unseen[place]
    said = f"{100 * part.share:.1f} % ({100 * part.low:.1f} % to {100 * part.high:.1f} %)"
    assert said in words(app)
    assert len(app.dataframe[0].value) == 18


def test_method_without_attributes_or_regularizer_says_so():
    assert "predicts no attributes" in words(open_at(method="LinearS2V"))
    app = open_at(method="PrototypeCosine")
    assert "has no regularizer" in app.error[0].value
    app.selectbox(key="method").set_value("LinearS2V").run()
    assert not app.error
    assert app.metric


def test_split_without_seen_test_images_is_explained():
    app = open_at(dataset="simulated-aPY", split="SS", method="LinearS2V")
    assert "no test images of seen classes" in app.error[0].value


def test_what_takes_long_is_done_in_jobs(path, monkeypatch):
    monkeypatch.setattr("zslcore.jobs.follow.SMALL", 0)
    monkeypatch.setattr("zslcore.jobs.take_apart.SMALL", 0)
    app = settled(open_at(method="LinearV2S", similarity="cosine"))
    assert not app.error
    assert metrics(app)["λ for GZSL"] == f"{path.values[path.for_gzsl]:.3g}"
    assert "of the variance for unseen images" in words(app)


@pytest.mark.parametrize(
    "query",
    [
        {"method": "<b>ESZSL</b>", "regularization_parameter": "<i>", "split": "??"},
        {"regularization_values": "1000000", "regularization_value": "many", "seed": "-1"},
        {"regularization_value": "1e308", "regularization_methods": "nobody"},
    ],
)
def test_nonsense_in_the_address_is_passed_over(query):
    app = open_at(**query)
    assert not app.error
    assert app.metric


def test_simulated_data_are_marked():
    app = open_at(dataset="simulated-aPY", method="LinearS2V", regularization_values="13")
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


# --- Table 2 --------------------------------------------------------------------------------------


def test_three_settings_are_those_of_the_store(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    data = load("digits")
    app = open_at(method="LinearS2V")
    app.session_state["regularization_tab"] = "Three settings"
    app.run()
    assert "Nothing has been run" in words(app)
    spec = RunSpec("digits", "PS", "LinearS2V", digest=data.digest)
    made = [ResultStore().run(replace(spec, select_for=t), data)[0] for t in ("zsl", "gzsl")]
    app.run()
    table = app.dataframe[0].value
    assert list(table["method"]) == ["LinearS2V"]
    assert table["plain"][0] == pytest.approx(100 * made[0].evaluation.plain.harmonic)
    assert table["for_gzsl"][0] == pytest.approx(100 * made[1].evaluation.calibrated.harmonic)


def test_what_is_missing_is_run_when_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    app = open_at(method="LinearS2V", regularization_run="true", regularization_methods="LinearS2V")
    app.session_state["regularization_tab"] = "Three settings"
    app.run()
    app.multiselect(key="regularization_methods").set_value(["LinearS2V"]).run()
    settled(app)
    assert not app.error
    table = app.dataframe[0].value
    assert list(table["method"]) == ["LinearS2V"]
    assert table[["plain", "calibrated", "for_gzsl"]].notna().all(axis=None)
    assert "missing" not in words(app)


# --- Figures --------------------------------------------------------------------------------------


def test_every_line_in_hand_is_what_the_path_has(path):
    shown = path_in_hand(path, "λ", start=4)
    assert (shown.label, shown.start) == ("λ", 4)
    assert shown.grid is path.values
    test, folds, errors = shown.panels
    expected = [path.zsl, path.seen_alone, path.unseen, path.seen, path.harmonic]
    for row, heights in zip(test.rows, [*expected, path.calibrated_harmonic], strict=True):
        np.testing.assert_array_equal(row.heights, heights)
    for row, of_folds in zip(folds.rows, (path.fold_zsl, path.fold_harmonic), strict=True):
        np.testing.assert_array_equal(row.heights, of_folds.mean(axis=0))
    for row, heights in zip(errors.rows, (path.mse_unseen, path.mse_seen), strict=True):
        np.testing.assert_array_equal(row.heights, heights)
    assert (test.percent, folds.percent, errors.percent) == (True, True, False)


def test_a_method_without_attributes_has_no_panel_of_their_error():
    path = replace(SPEC, method="LinearS2V").follow()
    assert len(path_in_hand(path, "λ", start=0).panels) == 2


def test_chosen_values_and_oracles_are_marked_where_they_are(path):
    stops = {stop.name: stop.place for stop in path_in_hand(path, "λ", start=0).stops}
    assert stops == {
        "tuned for ZSL": path.for_zsl,
        "tuned for GZSL": path.for_gzsl,
        "oracle for ZSL": path.oracle_zsl,
        "oracle for GZSL": path.oracle_gzsl,
    }


def test_parts_of_the_error_are_stacked_to_the_error(path):
    found = bias_variance.of_spec(replace(SPEC, params=path.params, choose=False, n_values=3))
    figure = bias_variance_figure(found, path, "λ")
    for side, axis in ((found.unseen, "x"), (found.seen, "x2")):
        parts = [trace for trace in figure.data if trace.stackgroup and trace.xaxis == axis]
        total = np.sum([trace.y for trace in parts], axis=0)
        assert total == pytest.approx([part.error for part in side])
