"""Overview: the phenomenon is there before a click, and every choice is in the address."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import APP, go
from zslcore.datasets import load
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec

WALL = "overview_wall"


@pytest.fixture
def app():
    return go(AppTest.from_file(APP, default_timeout=60), "pages/overview.py")


@pytest.fixture(scope="module")
def evaluation():
    return execute(RunSpec(dataset="digits", split="PS", method="LinearS2V")).evaluation


def captions(app):
    return " ".join(caption.value for caption in app.caption)


def test_runs_cold_and_warm(app):
    for cache in ("cold", "warm"):
        app.run()
        assert not app.exception, cache
        assert app.title[0].value.endswith("What is zero-shot learning?")


def test_shows_the_fall_and_the_return_before_any_click(app, evaluation):
    app.run()
    shown = [float(metric.value.removesuffix(" %")) for metric in app.metric]
    expected = [evaluation.zsl, evaluation.plain.unseen, evaluation.calibrated.unseen]
    np.testing.assert_allclose(shown, 100 * np.array(expected), atol=0.051)
    assert shown[0] > shown[2] > shown[1]


@pytest.mark.parametrize(
    ("answers", "seen_answers"),
    [("unseen digits only", "0 taken for a seen digit"), ("all ten digits", None)],
)
def test_a_link_restores_the_answers_allowed(app, answers, seen_answers):
    app.query_params["overview_answers"] = answers
    app.run()
    assert not app.exception
    none_taken = ":blue[●] 0 taken for a seen digit" in captions(app)
    assert none_taken == (seen_answers is not None)


def test_a_link_restores_the_picture(app):
    app.query_params["overview_picture"] = "3"
    app.run()
    assert app.number_input(key="overview_picture").value == 3
    assert "Image 3 is a 7" in captions(app)


def test_begins_with_a_picture_that_is_lost_and_found_again(app):
    app.run()
    first = app.number_input(key="overview_picture").value
    assert "is wrong" in captions(app)
    for answers in ("unseen digits only", "all ten, calibrated"):
        app.segmented_control(key="overview_answers").set_value(answers).run()
        assert app.number_input(key="overview_picture").value == first
        assert "is right" in captions(app)


def test_names_every_accuracy_in_all_three_notations_once(app):
    app.run()
    table = next(m.value for m in app.markdown if "| Le Cacheux |" in m.value)
    for word in ("A_{U \\to C_u}", "A_{U \\to C}", "A_{S \\to C}", "| ts |", "| tr |"):
        assert table.count(word) == 1


def test_says_how_many_pictures_there_are(app):
    split = load("digits").split("PS")
    app.run()
    assert f"{len(split.trainval):,} training images" in captions(app)


def test_seen_digits_are_held_back_by_hand(app):
    app.query_params["overview_answers"] = "all ten, calibrated"
    taken = []
    for gamma in ("-1", "0.02", "1"):
        app.query_params["overview_gamma"] = gamma
        app.run()
        assert not app.exception
        taken.append(int(captions(app).split(":blue[●] ")[1].split()[0]))
    assert taken[0] > taken[1] > taken[2] == 0


@pytest.mark.parametrize("nonsense", ["many", "nan", "inf", ""])
def test_a_gamma_that_is_none_is_passed_over(app, nonsense):
    app.query_params["overview_answers"] = "all ten, calibrated"
    app.run()
    usual = captions(app)
    app.query_params["overview_gamma"] = nonsense
    app.run()
    assert not app.exception
    assert captions(app) == usual
