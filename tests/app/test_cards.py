"""The card of a method says what its numbers depend on, and how its parameters were chosen."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.worlds import linear_world
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec

WORLD = linear_world()


def card(run_as_json):
    from ui import cards
    from zslcore.evaluation.runs import RunResult

    cards.show(RunResult.from_json(run_as_json))


def captions(run):
    app = AppTest.from_function(card, args=(run.to_json(),), default_timeout=30).run()
    assert not app.exception
    return [caption.value for caption in app.caption]


@pytest.fixture(scope="module")
def of_sse():
    return execute(RunSpec(WORLD.name, "PS", "SSE"), WORLD, with_oracle=False)


def test_card_says_which_rule_chose(of_sse):
    shown = captions(of_sse)
    assert any(
        "rule of one standard error" in text and "smallest c of these" in text for text in shown
    )
    assert "Selected by mean validation score." in captions(replace(of_sse, rule="best"))
    assert not any("Chosen" in text for text in captions(replace(of_sse, rule=None)))


def test_card_says_why_a_score_depends_on_the_other_classes(of_sse):
    spec = RunSpec(WORLD.name, "PS", "BiDiLEL")
    shown = captions(replace(of_sse, spec=spec, rule=None))
    assert any("The default differs from the paper: classes are compared" in t for t in shown)
    assert any("depends on the other classes: unseen classes" in t for t in shown)
    assert not any("depends on the other" in text for text in captions(of_sse))
