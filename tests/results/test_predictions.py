"""Predictions in the store: written by every run, found by key, limited in size."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.evaluation.protocol import evaluate
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions
from zslcore.results.store import ResultStore

WORLD = linear_world()


def spec(lam=None, method="LinearS2V"):
    params = {} if lam is None else {"lam": lam}
    return RunSpec(WORLD.name, "PS", method, params=params)


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "runs.sqlite")


def sql(store, statement, *values):
    with closing(sqlite3.connect(store.path)) as db, db:
        return db.execute(statement, values).fetchall()


def test_a_run_stores_predictions_that_reproduce_its_metrics(store):
    run_result = run(spec(), WORLD, with_oracle=False, store=store)
    result, scores = run_result.result, run_result.scores
    actual = store.predictions(result.key)
    assert evaluate(actual.test, result.gamma) == result.evaluation
    assert len(actual.folds) == len(WORLD.split("PS").folds)
    assert not verify_predictions(actual).reasons  # the validation rows choose gamma
    np.testing.assert_array_equal(actual.test.margin, scores.best_classes.margin)
    assert actual.provenance.created == result.created


def test_storing_predictions_needs_no_further_fit(store, monkeypatch):
    fits = []
    fit = type(spec().estimator).fit
    monkeypatch.setattr(
        type(spec().estimator), "fit", lambda *args, **kw: fits.append(1) or fit(*args, **kw)
    )
    run(spec(), WORLD, with_oracle=False)
    alone, fits[:] = len(fits), []
    run(spec(), WORLD, with_oracle=False, store=store)
    assert len(fits) == alone


def test_runs_without_predictions_and_unknown_keys_have_no_predictions(store):
    result = run(spec(0.1), WORLD, with_oracle=False, store=store).result
    other = replace(result, key="f" * 16)
    store.put(other)
    assert store.predictions(other.key) is None
    assert store.predictions("0" * 16) is None


def test_predictions_of_a_replaced_result_are_not_used(store):
    """An earlier version, which stores no predictions, may replace the result of a run."""
    result = run(spec(0.1), WORLD, with_oracle=False, store=store).result
    later = replace(result, created="2030-01-01T00:00:00+00:00")
    statement = "INSERT OR REPLACE INTO runs VALUES (?, ?, ?)"
    sql(store, statement, later.key, later.created, later.to_json())
    assert store.get(result.key) == later
    assert store.predictions(result.key) is None


def test_the_oldest_predictions_are_deleted_first_and_metrics_are_kept(store, monkeypatch):
    first, second = (
        run(spec(lam), WORLD, with_oracle=False, store=store).result for lam in (0.1, 0.2)
    )
    ((size,),) = sql(store, "SELECT max(length(parquet)) FROM predictions")
    assert store.dropped == 0
    monkeypatch.setenv("ZSL_PREDICTIONS", str(int(2.5 * size)))
    third = run(spec(0.3), WORLD, with_oracle=False, store=store).result
    assert store.dropped == 1
    assert store.predictions(first.key) is None
    assert store.predictions(second.key) is not None
    assert store.predictions(third.key) is not None
    assert {result.key for result in store.results()} == {first.key, second.key, third.key}
    monkeypatch.setenv("ZSL_PREDICTIONS", "1")  # too small even for the newest, which stay
    fourth = run(spec(0.4), WORLD, with_oracle=False, store=store).result
    assert [row for (row,) in sql(store, "SELECT id FROM predictions")] == [fourth.key]


def test_deleting_a_result_deletes_its_predictions(store):
    result = run(spec(0.1), WORLD, with_oracle=False, store=store).result
    store.delete(result.key)
    assert sql(store, "SELECT count(*) FROM predictions") == [(0,)]
