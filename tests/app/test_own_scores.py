"""Uploaded scores: link to their split, reasons for missing metrics, and accepted files."""

import numpy as np
import pytest

from tests import pages
from ui.intake.scores import EvaluatedScores
from zslcore.datasets import load
from zslcore.evaluation.protocol import fit_and_score
from zslcore.leakage.published import known_tests
from zslcore.methods import get_method
from zslcore.scores import ScoreFile, interpret, judge


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


def evaluate_upload(scored, gamma=None):
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    return EvaluatedScores(
        judge(interpret(file, ["as-is"])[0], gamma=gamma), "the command of own.npz"
    )


def scored_on(name, split="PS", method="ESZSL"):
    data = load(name)
    return fit_and_score(get_method(method)(), data, data.split(split))


def of_benchmark(benchmark, split):
    """Random scores, with the labels of a benchmark's test set."""
    test_set = next(k for k in known_tests() if (k.benchmark, k.split) == (benchmark, split))
    y = np.repeat(np.arange(len(test_set.counts)), test_set.counts)
    F = np.random.default_rng(0).normal(size=(len(y), len(test_set.counts))).astype(np.float32)
    return EvaluatedScores(judge(interpret(ScoreFile("own.npz", F, y), ["as-is"])[0]), "command")


def opened(page, *own, **choices):
    """Open a page as a visitor with scores uploaded earlier."""
    app = pages.visit("table")
    app.session_state["scores_evaluated"] = own
    pages.go(app, page, **choices).run()
    assert not app.exception
    return app


def links(app):
    return {link.proto.label: link.proto.query_string for link in app.get("page_link")}


def test_scores_link_to_the_audit_of_their_split():
    app = opened("scores", evaluate_upload(scored_on("digits")))
    (query,) = [q for label, q in links(app).items() if "Is the digits PS split clean" in label]
    assert "dataset=digits" in query
    app = opened("scores", of_benchmark("AWA2", "SS"))
    assert any("Add the split file" in label for label in links(app))


def limited(kind):
    """Return predicted classes, masked scores, or scores of unseen classes only."""
    scored = scored_on("digits")
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    if kind == "predicted":
        file = ScoreFile("own.npz", None, scored.y, file.unseen, (), scored.F.argmax(axis=1))
    elif kind == "masked":
        F = scored.F.copy()
        F[np.ix_(~scored.seen[scored.y], scored.seen)] = -1e9
        file = ScoreFile("own.npz", F, scored.y, file.unseen)
    else:
        file = ScoreFile("own.npz", scored.F, scored.y, ["all"])
    return EvaluatedScores(judge(interpret(file, ["as-is"])[0]), "the command of own.npz")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("predicted", "need the scores of every class"),
        ("masked", "Not comparable with GZSL"),
        ("unseen", "Accuracy, mean per class"),
    ],
)
def test_metrics_unknown_from_scores_are_not_shown(kind, message):
    own = limited(kind)
    app = opened("scores", own)
    shown = [element.value for element in (*app.caption, *app.warning, *app.info, *app.markdown)]
    shown += [metric.label for metric in app.metric]
    assert message in " ".join(map(str, shown))
    assert not any("γ" in metric.label for metric in app.metric)
