"""Scores that a visitor has brought are shown wherever a run is: classes, tables, gains, splits."""

import numpy as np
import pytest

from tests import pages
from ui.scores import Brought
from zslcore.datasets import load
from zslcore.evaluation.protocol import fit_and_score
from zslcore.leakage.published import known_tests
from zslcore.methods import get_method
from zslcore.scores import ScoreFile, interpreted, judge

NAME = "own.npz (your scores)"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


def brought(scored, gamma=None):
    file = ScoreFile("own.npz", scored.F, scored.y, np.flatnonzero(~scored.seen))
    return Brought(judge(interpreted(file, ["as-is"])[0], gamma=gamma), "the command of own.npz")


def scored_on(name, split="PS", method="ESZSL"):
    data = load(name)
    return fit_and_score(get_method(method)(), data, data.split(split))


def of_benchmark(benchmark, split):
    """Scores that know nothing, with the labels of a benchmark's test set."""
    known = next(k for k in known_tests() if (k.benchmark, k.split) == (benchmark, split))
    y = np.repeat(np.arange(len(known.counts)), known.counts)
    F = np.random.default_rng(0).normal(size=(len(y), len(known.counts))).astype(np.float32)
    return Brought(judge(interpreted(ScoreFile("own.npz", F, y), ["as-is"])[0]), "command")


def opened(page, *own, **choices):
    """Open a page as a visitor who has brought scores before."""
    app = pages.visit("table")
    app.session_state["scores_brought"] = own
    pages.go(app, page, **choices).run()
    assert not app.exception
    return app


def links(app):
    return {link.proto.label: link.proto.query_string for link in app.get("page_link")}


def test_scores_lead_to_their_split():
    app = opened("scores", brought(scored_on("digits")))
    (query,) = [q for label, q in links(app).items() if "digits, split PS: is it clean" in label]
    assert "dataset=digits" in query
    app = opened("scores", of_benchmark("AWA2", "SS"))
    assert any("Drop the split file too" in label for label in links(app))
