"""The study of actions as a job: what it leaves, and how it goes on where it stopped."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from zslcore.analysis import action_fits
from zslcore.analysis import actions as analysis
from zslcore.analysis.actions import CONFIGURATIONS, ActionSpec, class_rows, simulated_sets
from zslcore.datasets import load
from zslcore.exceptions import DatasetError
from zslcore.jobs import actions
from zslcore.results.store import ResultStore


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))


def asked(n_draws=1, methods=("LinearS2V",)):
    """A small study of HMDB51, and the work that makes it."""
    sets = simulated_sets(CONFIGURATIONS["OS4"], ["idt", "sports"])
    spec = ActionSpec("OS4", sets, tuple(methods), n_draws=n_draws)
    data = {each.dataset: load(each.dataset) for each in sets}
    return spec, data, actions.ask(spec, data)


def made(work, folder, said=None):
    """What the work leaves, and what it says on its way."""
    folder.mkdir()
    lines = [] if said is None else said
    actions.do(folder, lambda *line: lines.append(line), **work.arguments)
    return actions.read(folder, work)


def test_the_table_is_that_of_the_fits(tmp_path):
    spec, data, work = asked()
    said = []
    table = made(work, tmp_path / "result", said)
    units = spec.units()
    mine = analysis.study_table(units, [class_rows(u, data[u.set.dataset]) for u in units])
    pd.testing.assert_frame_equal(table, mine)
    assert said[-1][:2] == (2, 2)


def test_a_study_goes_on_where_it_stopped(tmp_path, monkeypatch):
    """What it has fitted it does not fit again, nor does a larger one."""
    _, _, work = asked(n_draws=2)
    fitted = []

    def stopping(unit, dataset):
        if len(fitted) == 3:
            raise KeyboardInterrupt
        fitted.append(action_fits.key_of_unit(unit))
        return class_rows(unit, dataset)

    monkeypatch.setattr(action_fits, "class_rows", stopping)
    with pytest.raises(KeyboardInterrupt):
        made(work, tmp_path / "stopped")
    stored = sorted(result.key for result in ResultStore().others(["action"]))
    assert stored == sorted(fitted)

    def counting(unit, dataset):
        fitted.append(action_fits.key_of_unit(unit))
        return class_rows(unit, dataset)

    monkeypatch.setattr(action_fits, "class_rows", counting)
    table = made(work, tmp_path / "again")
    assert len(fitted) == len(set(fitted)) == 4
    np.testing.assert_array_equal(made(work, tmp_path / "third")["accuracy"], table["accuracy"])
    made(asked(n_draws=3)[2], tmp_path / "larger")
    assert len(fitted) == len(set(fitted)) == 6


def test_a_fit_that_was_torn_is_made_again(tmp_path):
    _, _, work = asked()
    table = made(work, tmp_path / "first")
    for text in ("", "[]", '{"schema": 99}', '{"schema": 1, "rows": "x", "seconds": 1}'):
        with closing(sqlite3.connect(ResultStore().path)) as db, db:
            db.execute("UPDATE results SET result = ? WHERE kind = 'action'", (text,))
        again = made(work, tmp_path / f"after {len(text)}")
        np.testing.assert_array_equal(again["accuracy"], table["accuracy"])


def test_other_data_of_the_same_name_are_refused(tmp_path):
    _, _, work = asked()
    work.arguments["spec"]["sets"][0]["digest"] = "0" * 16
    with pytest.raises(DatasetError, match="expected data 0000"):
        made(work, tmp_path / "result")


def test_what_is_asked_for_tells_works_apart():
    keys = {asked()[2].key, asked(n_draws=2)[2].key, asked(methods=["ESZSL"])[2].key}
    assert len(keys) == 3
    assert asked()[2].key in keys
