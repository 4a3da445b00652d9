"""Stored fits of the action experiments: resumed after an interruption, repaired if corrupt."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from tests.studies import small_actions
from zslcore.analysis import actions
from zslcore.analysis.actions import class_rows, stored_study
from zslcore.results.store import ResultStore

pytestmark = pytest.mark.usefixtures("own_data")


def run(spec):
    """Complete all fits of a study and return the table of stored fits."""
    for unit in spec.fits():
        unit.complete()
    return stored_study(spec.fits())


def test_a_study_resumes_after_an_interruption(monkeypatch):
    """Neither the same study nor a larger one repeats a stored fit."""
    spec, fitted = small_actions(n_draws=2), []

    def stop_after_three(unit, dataset):
        if len(fitted) == 3:
            raise KeyboardInterrupt
        fitted.append(unit.key)
        return class_rows(unit, dataset)

    monkeypatch.setattr(actions, "class_rows", stop_after_three)
    with pytest.raises(KeyboardInterrupt):
        run(spec)
    assert sorted(result.key for result in ResultStore().study_results(["action"])) == sorted(
        fitted
    )

    def count(unit, dataset):
        fitted.append(unit.key)
        return class_rows(unit, dataset)

    monkeypatch.setattr(actions, "class_rows", count)
    table = run(spec)
    assert len(fitted) == len(set(fitted)) == 4
    np.testing.assert_array_equal(run(spec)["accuracy"], table["accuracy"])
    run(small_actions(n_draws=3))
    assert len(fitted) == len(set(fitted)) == 6


def test_a_corrupt_fit_is_repeated():
    spec = small_actions()
    table = run(spec)
    for text in ("", "[]", '{"schema": 99}', '{"schema": 1, "rows": "x", "seconds": 1}'):
        with closing(sqlite3.connect(ResultStore().path)) as db, db:
            db.execute("UPDATE results SET result = ? WHERE kind = 'action'", (text,))
        np.testing.assert_array_equal(run(spec)["accuracy"], table["accuracy"])
