"""A registered metric is in every row, list, order and export of runs."""

import io
from dataclasses import fields

import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.analysis.stored_runs import as_latex, runs_as_csv, sort_orders
from zslcore.board.entry import StatedMetrics
from zslcore.board.table import COLUMNS, HEADINGS
from zslcore.board.table import PERCENT as BOARD_PERCENT
from zslcore.evaluation import registry
from zslcore.evaluation.registry import REGISTRY, ResultMetric, register_metric
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore, StoredRun

WORLD = linear_world(noise=1.0)


@pytest.fixture(scope="module")
def result():
    return run(
        RunSpec(WORLD.name, "PS", "LinearS2V", {"lam": 1.0}), WORLD, with_oracle=False
    ).result


@pytest.fixture
def worst():
    """A new metric: the accuracy of the worst class."""
    yield register_metric(
        ResultMetric(
            "worst", "worst class", lambda e: min(e.per_class_zsl.values()), "Worst", board=""
        )
    )
    del REGISTRY["worst"]


def test_a_registered_metric_is_everywhere(own_data, result, worst, capsys):
    expected = min(result.evaluation.per_class_zsl.values())
    assert result.row()["worst"] == expected
    runs = [StoredRun(result)]
    assert pd.read_csv(io.StringIO(runs_as_csv(runs)))["worst"].item() == pytest.approx(expected)
    assert "Worst" in as_latex(runs)
    assert f"{100 * expected:.1f}" in as_latex(runs)
    assert sort_orders()["worst"] is True
    assert "worst" in registry.metric_names(unit="fraction")
    ResultStore().put(result)
    main(["runs", "list", "--sort", "worst"])
    printed = capsys.readouterr().out
    assert "Worst" in printed
    assert f"{100 * expected:.1f}" in printed


def test_a_name_is_registered_once(worst):
    with pytest.raises(ValueError, match="'worst' is registered already"):
        register_metric(worst)


def test_metrics_are_read_from_an_evaluation(result):
    e = result.evaluation
    row = registry.values_of(e)
    assert row["calibrated_harmonic"] is None or row["calibrated_harmonic"] == e.calibrated.harmonic
    assert (row["plain_unseen"], row["plain_seen"]) == (e.plain.unseen, e.plain.seen)
    assert row["ausuc"] == e.ausuc
    without = [name for name, item in REGISTRY.items() if not item.needs_gzsl]
    assert without == ["zsl", "zsl_per_sample"]


def test_every_field_of_a_board_entry_has_a_metric_and_a_heading():
    named = [field.name for field in fields(StatedMetrics)]
    assert list(registry.on_board()) == named
    assert set(named) <= set(HEADINGS)
    assert set(named) <= set(BOARD_PERCENT) <= set(COLUMNS)
