"""Pages as a visitor meets them: cold and warm, by link, with other choices, with nonsense."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import APP, go, metrics, press, sent_down, visit, words
from ui import site_map
from ui.text import GAP_OF_ALL, GAP_OF_GAMMA, GAP_OF_PARAMETERS, GLOSSARY

VIEWS = [view.name for page in site_map.PAGES for view in page.views]
RUN_PAGES = ["pages/calibration.py", "pages/evaluate.py"]


@pytest.fixture(autouse=True, scope="module")
def _own_data(tmp_path_factory):
    """What one test has run, the next one finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.mark.parametrize("page", VIEWS)
def test_page_runs_cold_and_warm(page, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    st.cache_data.clear()
    st.cache_resource.clear()
    app = go(AppTest.from_file(APP, default_timeout=60).run(), page)
    for cache in ("cold", "warm"):
        app.run()  # switch_page alone runs nothing
        assert not app.exception, cache
        assert not app.error, cache
        assert app.title[0].value


def test_only_like_stands_beside_like_on_evaluate():
    app = visit("pages/evaluate.py", dataset="simulated-AWA2", method="LinearS2V")
    table = app.dataframe[0].value
    assert list(table["chosen_for"]) == ["ZSL"] * 7 + ["GZSL"] * 7
    printed = table["calibration_paper"]
    # Le Cacheux et al., LinearS2V on AWA2: ZSL 68.9; H 44.3 plain, 62.7 and 64.0 calibrated.
    of_zsl, of_gzsl = printed[table["chosen_for"] == "ZSL"], printed[table["chosen_for"] == "GZSL"]
    assert of_zsl.dropna().round(1).tolist() == [68.9, 44.3, 62.7]
    assert of_gzsl.dropna().round(1).tolist() == [64.0]
    settings = visit("pages/calibration.py", dataset="simulated-AWA2", method="LinearS2V")
    three = next(f.value for f in settings.dataframe if "paper_average" in f.value)
    assert three["paper_average"].round(1).tolist() == [28.2, 56.7, 57.1]
    # The plain H of both pages is one number, that of parameters chosen for ZSL.
    assert three["harmonic"][0] == table["per_class"][3]


def test_nothing_printed_stands_beside_parameters_given_by_hand():
    app = visit(
        "pages/evaluate.py", dataset="simulated-AWA2", method="LinearS2V", parameters="given"
    )
    assert set(app.dataframe[0].value["chosen_for"]) == {"given"}
    assert "given by hand" in words(app)


def test_parameters_given_by_hand_have_no_gap_of_parameters():
    app = visit("pages/evaluate.py", dataset="digits", method="ESZSL", parameters="given")
    labels = [metric.label for metric in app.metric]
    assert GAP_OF_GAMMA in labels
    assert not {GAP_OF_ALL, GAP_OF_PARAMETERS} & set(labels)
    assert "no grid is searched: there is no gap of parameters" in words(app)
    assert "Metrics above are means over classes" in words(app)


def test_each_gap_has_a_name_of_its_own_and_the_larger_choice_the_larger_gap():
    evaluate, calibrate = (visit(page) for page in ("pages/evaluate.py", "pages/calibration.py"))
    of_all = next(metric for metric in evaluate.metric if metric.label == GAP_OF_ALL)
    of_gamma = next(metric for metric in calibrate.metric if metric.label == "H, oracle γ").delta
    assert of_all.value.endswith(" points")
    assert of_gamma.endswith(f" points: {GAP_OF_GAMMA.lower()}")
    assert float(of_all.value.split()[0]) >= float(of_gamma.split()[0])
    for app in (evaluate, calibrate):
        assert "oracle gap" not in (words(app) + " ".join(metrics(app))).lower()
        for metric in app.metric:
            if metric.label in GLOSSARY:
                assert GLOSSARY[metric.label] in metric.help


@pytest.mark.parametrize("page", RUN_PAGES)
def test_link_restores_the_choices(page):
    app = visit(page, method="SAE", parameters="given", SAE_lam="10", seed="3", features="none")
    assert app.selectbox(key="method").value == "SAE"
    assert app.select_slider(key="SAE_lam").value == 10
    assert app.number_input(key="seed").value == 3
    assert app.selectbox(key="features").value == "none"


@pytest.mark.parametrize(
    ("page", "key", "former"),
    [
        ("pages/data_and_splits.py", "data_tab", "Your own"),
        ("pages/calibration.py", "calibration_beside", "parameters chosen for ZSL"),
    ],
)
def test_a_link_to_a_former_option_opens_it_by_its_present_name(page, key, former):
    app = visit(page, **{key: former})
    assert app.session_state[key] == site_map.RENAMED[former]
    assert not app.toast


@pytest.mark.parametrize("page", RUN_PAGES)
@pytest.mark.parametrize(
    "query",
    [
        {"dataset": "../../etc/passwd", "split": "??", "method": "<b>ESZSL</b>"},
        {"method": "SAE", "parameters": "given", "SAE_lam": "nan", "seed": "-1"},
        {"calibration_gamma": "many", "calibration_predict": "perhaps", "features": "l3"},
        {"calibration_gamma": "1e308"},
    ],
)
def test_nonsense_in_the_address_is_passed_over(page, query):
    app = visit(page, **query)
    assert not app.error
    assert app.metric


@pytest.mark.parametrize("page", RUN_PAGES)
def test_another_choice_gives_other_numbers(page):
    app = visit(page)
    answers = {tuple(metrics(app).values())}
    app.selectbox(key="method").set_value("LinearV2S").run()
    answers.add(tuple(metrics(app).values()))
    app.selectbox(key="parameters").set_value("given").run()
    app.select_slider(key="LinearV2S_lam").set_value(1.0).run()
    answers.add(tuple(metrics(app).values()))
    app.selectbox(key="features").set_value("zscore").run()
    answers.add(tuple(metrics(app).values()))
    assert not app.exception
    assert len(answers) == 4


@pytest.mark.parametrize("page", RUN_PAGES)
def test_simulated_data_are_marked(page):
    app = visit(page)
    assert not any("simulated" in text.value for text in app.markdown)
    app.selectbox(key="dataset").set_value("simulated-aPY").run()
    assert any("simulated" in text.value and "badge" in text.value for text in app.markdown)


def test_split_without_seen_test_images_is_explained():
    app = visit("pages/calibration.py", dataset="simulated-aPY", split="SS")
    app.selectbox(key="split").set_value("SS").run()
    assert "seen" in app.error[0].value
    assert app.selectbox(key="method").value == "ESZSL"
    app.selectbox(key="split").set_value("PS").run()
    assert not app.error
    assert app.metric


def test_pinned_gamma_reaches_the_table_and_the_command():
    app = visit("pages/calibration.py", calibration_gamma="0.1", calibration_tab="Reproduce")
    assert app.number_input(key="calibration_gamma").value == 0.1
    app.session_state["calibration_tab"] = "Reproduce"
    app.run()
    assert "--gamma 0.1" in app.code[0].value
    app.session_state["calibration_tab"] = "Classes at γ"
    app.run()
    assert len(app.dataframe[0].value) == 10


def in_hand(app):
    """What went down to the component that lets one take the curve in hand."""
    return sent_down(app, "zsl_seen_unseen")


def test_the_curve_in_hand_begins_at_the_gamma_of_the_address():
    (line,) = in_hand(visit("pages/calibration.py"))["lines"]
    stops = {stop["name"]: stop["gamma"] for stop in line["stops"]}
    assert line["start"] == stops["validated"]
    (line,) = in_hand(visit("pages/calibration.py", calibration_gamma="0.1"))["lines"]
    assert line["start"] == 0.1


def test_a_gamma_does_not_outlive_its_run():
    app = visit("pages/calibration.py", calibration_gamma="0.1")
    assert app.number_input(key="calibration_gamma").value == 0.1
    app.selectbox(key="method").set_value("SAE").run()
    assert not app.exception
    assert app.number_input(key="calibration_gamma").value is None


@pytest.mark.parametrize(
    ("beside", "band"),
    [
        ("SAE", "of other test classes"),
        ("tuned for ZSL", "of the validation folds"),
    ],
)
def test_another_curve_and_a_band_stand_behind_the_one_in_hand(beside, band):
    app = visit("pages/calibration.py", calibration_beside=beside, calibration_band=band)
    assert not app.error
    lines = in_hand(app)["lines"]
    assert [line["name"] for line in lines] == ["ESZSL", beside]
    assert lines[0]["n"] != lines[1]["n"]
    assert len(in_hand(app)["bands"]) == 1
    assert not in_hand(visit("pages/calibration.py"))["bands"]


def test_confusion_follows_gamma():
    found = []
    for gamma in ("0", "5"):
        app = visit("pages/calibration.py", calibration_gamma=gamma)
        app.session_state["calibration_tab"] = "Confusion at γ"
        found.append(app.run().dataframe[0].value)
    assert set(found[0]["answered_side"]) == {"seen", "unseen"}
    assert set(found[1]["answered_side"]) == {"unseen"}


def test_predicting_first_hides_the_answer_until_it_is_given():
    app = visit("pages/calibration.py", calibration_predict="true")
    assert not app.metric
    app.slider(key="calibration_guess").set_value(20)
    press(app, "Reveal")
    assert app.metric
    assert any("Predicted 20 %" in text.value for text in app.markdown)


@pytest.mark.parametrize("tab", ["Classes", "Confusion", "Top k", "Reproduce"])
def test_every_tab_of_evaluate_opens(tab):
    app = visit("pages/evaluate.py")
    app.session_state["evaluate_tab"] = tab
    app.run()
    assert not app.exception
    charts = len(app.get("plotly_chart"))
    assert charts == (tab != "Reproduce")


def test_every_chart_is_described():
    for page in RUN_PAGES:
        app = visit(page)
        for chart in app.get("plotly_chart"):
            assert len(chart.proto.alt) > 20


def test_parameters_are_written_as_in_the_papers():
    app = visit("pages/evaluate.py", method="ESZSL", parameters="given")
    assert [slider.label for slider in app.select_slider] == ["γ of ESZSL", "λ"]
    app.selectbox(key="method").set_value("ALE").run()
    assert [slider.label for slider in app.select_slider] == ["epochs", "learning rate"]
    assert "α" in [box.label for box in app.selectbox]
