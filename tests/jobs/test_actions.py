"""The study of actions: its table, and how it resumes where it stopped."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from tests.studies import Heard, computed, small_actions
from zslcore.analysis import actions
from zslcore.analysis.actions import ActionStudy, class_rows, study_table
from zslcore.datasets import load
from zslcore.exceptions import DatasetError
from zslcore.results.store import ResultStore


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))


def test_the_table_is_that_of_the_fits(tmp_path):
    table, said = computed(small_actions(), tmp_path / "result")
    units = small_actions().spec.units()
    mine = study_table(units, [class_rows(u, load(u.set.dataset)) for u in units])
    pd.testing.assert_frame_equal(table, mine)
    assert said[-1][:2] == (2, 2)


def test_a_study_goes_on_where_it_stopped(tmp_path, monkeypatch):
    """What it has fitted it does not fit again, nor does a larger one."""
    study = small_actions(n_draws=2)
    fitted = []

    def stopping(unit, dataset):
        if len(fitted) == 3:
            raise KeyboardInterrupt
        fitted.append(actions.key_of_unit(unit))
        return class_rows(unit, dataset)

    monkeypatch.setattr(actions, "class_rows", stopping)
    with pytest.raises(KeyboardInterrupt):
        computed(study, tmp_path / "stopped")
    stored = sorted(result.key for result in ResultStore().others(["action"]))
    assert stored == sorted(fitted)

    def counting(unit, dataset):
        fitted.append(actions.key_of_unit(unit))
        return class_rows(unit, dataset)

    monkeypatch.setattr(actions, "class_rows", counting)
    table, _ = computed(study, tmp_path / "again")
    assert len(fitted) == len(set(fitted)) == 4
    third, _ = computed(study, tmp_path / "third")
    np.testing.assert_array_equal(third["accuracy"], table["accuracy"])
    computed(small_actions(n_draws=3), tmp_path / "larger")
    assert len(fitted) == len(set(fitted)) == 6


def test_a_fit_that_was_torn_is_made_again(tmp_path):
    study = small_actions()
    table, _ = computed(study, tmp_path / "first")
    for text in ("", "[]", '{"schema": 99}', '{"schema": 1, "rows": "x", "seconds": 1}'):
        with closing(sqlite3.connect(ResultStore().path)) as db, db:
            db.execute("UPDATE results SET result = ? WHERE kind = 'action'", (text,))
        again, _ = computed(study, tmp_path / f"after {len(text)}")
        np.testing.assert_array_equal(again["accuracy"], table["accuracy"])


def test_other_data_of_the_same_name_are_refused(tmp_path):
    arguments = small_actions().arguments
    arguments["spec"]["sets"][0]["digest"] = "0" * 16
    with pytest.raises(DatasetError, match="expected data 0000"):
        ActionStudy.work(tmp_path, Heard(), **arguments)


def test_what_is_asked_for_tells_works_apart():
    others = small_actions(n_draws=2), small_actions(methods=["ESZSL"])
    assert len({study.key for study in (small_actions(), *others)}) == 3
