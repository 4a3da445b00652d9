"""Your scores under every protocol: metrics, terms, reasons, intervals, pairs."""

import json
import re

import numpy as np
import pytest

from tests import pages
from tests.pages import metrics, sent_down, unexplained, words
from ui.shell.text import plain
from zslcore.datasets import load
from zslcore.evaluation.protocol import fit_and_score
from zslcore.methods import get_method
from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.paired import compare_scores
from zslcore.scores.protocols import PROTOCOLS

PAGE = "scores"
SHOWN = ("markdown", "caption", "info", "warning")


@pytest.fixture(scope="module")
def scored():
    digits = load("digits")
    return fit_and_score(get_method("ESZSL")(), digits, digits.split("PS"))


@pytest.fixture
def own(tmp_path, scored):
    unseen = np.flatnonzero(~scored.seen)
    np.savez(tmp_path / "own.npz", scores=scored.F, y=scored.y, unseen_classes=unseen)
    return tmp_path / "own.npz"


@pytest.fixture(scope="module")
def report(scored):
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    return judge(interpret(file, ["as-is"])[0])


def uploaded(path, **query):
    app = pages.visit(PAGE, scores_all="true", **query)
    app.file_uploader(key="scores_files").upload(path.name, path.read_bytes()).run()
    assert not app.exception
    return app


def test_a_score_file_is_shown_under_every_protocol_with_an_explanation(own, report):
    app = uploaded(own)
    by_side, by_metric = (frame.value for frame in app.dataframe)
    app.toggle(key="scores_per_image").set_value(True).run()
    of_images = app.dataframe[0].value.set_index("protocol")
    assert set(of_images) == {"seen, per image", "unseen, per image", "H, per image"}
    by_side, by_metric = (
        by_side.set_index("protocol").join(of_images),
        by_metric.set_index("metric"),
    )
    expected = report.table()
    without_gamma = expected["protocol"].str.endswith("chosen γ")  # no validation scores
    assert not {*expected["protocol"][without_gamma]} & {*by_side.index}
    assert expected["value"][without_gamma].isna().all()
    expected = expected[~without_gamma]
    for row in expected.to_dict("records"):
        if row["protocol"] in by_side.index:
            column = row["line"].split()[-1] + ", per image" * (row["average"] == "per image")
            value = by_side.loc[row["protocol"], column]
        else:
            column = row["line"] + ", γ = 0" * row["protocol"].endswith("γ = 0")
            value = by_metric.loc[column, row["average"]]
        assert value == pytest.approx(100 * row["value"], nan_ok=True), row
    cells = by_side.size + by_metric.size
    # Three cells are undefined: AUROC and FPR95 per class, macro F1 per image.
    assert cells - len(expected) == 3
    text = words(app)
    for protocol in PROTOCOLS:
        assert protocol.steps in text
        assert protocol.users in text
    assert "No γ was chosen; the choice needs scores" in text
    assert not unexplained(app)


def test_every_fold_uses_the_names_of_the_sides_in_the_address(own):
    app = uploaded(own, scores_words="base-new")
    assert app.selectbox(key="scores_words").value == "base-new"
    assert "Base images are scored among base classes only" in words(app)
    assert list(app.dataframe[0].value)[1:3] == ["base", "new"]
    app.selectbox(key="scores_words").set_value("known-unknown").run()
    assert "Known images are scored among known classes only" in words(app)


@pytest.mark.parametrize("fold", ["scores_all", "scores_compare"])
def test_no_fold_uses_the_names_of_the_sides_of_another_field(fold):
    """Only definitions of terms and names of options and arrays may use them."""
    app = pages.visit(PAGE, scores_words="base-new")
    app.session_state[fold] = True
    app.run()
    assert not app.exception
    shown = [element.value for kind in SHOWN for element in app.get(kind)]
    shown += [element.label for element in (*app.metric, *app.number_input, *app.toggle)]
    for frame in app.dataframe:
        columns = json.loads(frame.proto.columns or "{}")
        shown += [str(c.get("label") or name) for name, c in columns.items()]
        texts = frame.value.select_dtypes(exclude="number")
        shown += [str(value) for column in texts for value in texts[column].unique()]
    assert len(shown) > 5
    assert not [text for text in shown if re.search(r"\b(un)?seen\b", text, re.IGNORECASE)]
    assert sent_down(app, "zsl_seen_unseen")["sides"] == ["base", "new"]


def test_intervals_are_drawn_when_they_are_switched_on(own, report):
    app = uploaded(own)
    app.toggle(key="scores_intervals").set_value(True).run()
    assert not app.exception
    shown = app.dataframe[2].value
    expected = report.table(with_intervals=True)
    for column in ("low", "high", "low_images", "high_images"):
        np.testing.assert_allclose(shown[column], 100 * expected[column])
    assert "bootstrap intervals" in words(app)


def test_a_pair_of_files_shows_the_difference_of_every_metric():
    app = pages.visit(PAGE)
    app.session_state["scores_compare"] = True
    app.run()
    assert not app.exception
    first, second, _ = app.session_state["scores_made"].values()
    pair = compare_scores(first.matrix, second.matrix, (first.gamma, second.gamma))
    shown = next(table.value for table in app.dataframe if "value" in table.value)
    np.testing.assert_allclose(shown["value"], 100 * pair.table()["value"])
    assert len(shown) == len(pair.differences)
    np.testing.assert_allclose(shown["p"], pair.table()["p"])
    assert "McNemar" in words(app)
    assert plain(pair.class_tests[0].sentence[len("Seen classes: ") :]) in words(app)


def test_scores_of_unseen_images_only_are_shown_with_the_reason(tmp_path, scored):
    rows = ~scored.seen[scored.y]
    path = tmp_path / "unseen.npz"
    unseen = np.flatnonzero(~scored.seen)
    np.savez(path, scores=scored.F[rows], y=scored.y[rows], unseen_classes=unseen)
    app = uploaded(path)
    assert list(metrics(app)) == ["ZSL accuracy"]
    assert "No image belongs to a seen class." in words(app)
