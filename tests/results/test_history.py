"""Stored results of this version and of all earlier versions can be opened."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests import pages
from tests.historic_results import make
from zslcore.analysis import actions, cross_dataset
from zslcore.analysis.cross_dataset import CrossFit
from zslcore.datasets import load
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

VERSIONS = sorted(path.name for path in Path(make.__file__).parent.glob("[0-9]*"))


@pytest.fixture(scope="module")
def current_folder(tmp_path_factory):
    """The files that this version stores."""
    folder = tmp_path_factory.mktemp("today")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder))
        make.make(folder)
    return folder


@pytest.fixture(params=[*VERSIONS, "today"])
def data_folder(request, tmp_path, monkeypatch):
    """A copy of the files that a version stored, as the data folder."""
    if request.param == "today":
        source = request.getfixturevalue("current_folder")
    else:
        source = Path(make.__file__).parent / request.param
    folder = tmp_path / "data"
    shutil.copytree(source, folder)
    monkeypatch.setenv("ZSL_DATA", str(folder))
    return folder


def test_files_of_release_0_3_0_are_stored():
    assert "0.3.0" in VERSIONS


def test_imports_open_unchanged(data_folder):
    for seed, name in enumerate(("tiny", "tiny-other")):
        result, read = make.tiny(name, seed), load(name)
        assert (read.digest, read.class_names) == (result.digest, result.class_names)
        assert (read.attribute_names, read.simulated) == (result.attribute_names, True)
        for split in ("PS", "SS"):
            for part in ("trainval", "test_seen", "test_unseen"):
                ours, theirs = (getattr(data.split(split), part) for data in (result, read))
                np.testing.assert_array_equal(ours, theirs)


def test_every_result_of_the_store_opens(data_folder):
    store = ResultStore()
    with sqlite3.connect(store.path) as db:
        keys = {key for (key,) in db.execute("SELECT key FROM runs")}
    db.close()
    assert {"ESZSL", "LinearS2V", "DEVISE"} <= {r.spec.method for r in store.results()}
    assert store.unreadable() == ""
    assert {result.key for result in store.results()} == keys
    for result in store.results():
        assert 0 <= result.evaluation.zsl <= 1
        assert set(result.class_names) >= set(result.evaluation.per_class_zsl)
        assert result.version.startswith("0.")
        assert store.get(result.key) == result == RunResult.from_json(result.to_json())
    assert len(store.runs_on(load("tiny"), "PS")) >= 2


def test_a_store_of_any_version_accepts_results_and_keeps_foreign_rows(data_folder):
    """Earlier versions can still read and write its tables."""
    store = ResultStore()
    before = store.results()
    with closing(sqlite3.connect(store.path)) as db:
        imported_rows = db.execute("SELECT * FROM imported").fetchall()
    store.put(replace(before[0], key="0"))
    assert len(store.results()) == len(before) + 1
    assert store.unreadable() == ""
    with closing(sqlite3.connect(store.path)) as db:
        columns = [name for _, name, *_ in db.execute("PRAGMA table_info(runs)")]
        assert db.execute("SELECT * FROM imported").fetchall() == imported_rows
    assert columns == ["key", "created", "result"]


def test_the_json_of_a_run_equals_the_run_in_the_store(data_folder):
    result = RunResult.from_json((data_folder / "run.json").read_text())
    assert ResultStore().get(result.key) == result
    assert (result.params_origin, result.gamma_origin) == ("validated", "validated")
    assert result.oracle.zsl >= result.evaluation.zsl


def test_stored_results_of_other_kinds_are_listed(current_folder, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(current_folder))
    store = ResultStore()
    keys = {
        kind: {result.key for result in store.study_results([kind])}
        for kind in ("crossed", "action")
    }
    fits = [CrossFit.SCHEMA.load(store.record("crossed", key)) for key in keys["crossed"]]
    assert len(fits) == 4
    assert all(set(fit.evaluations) == {"tiny", "tiny-other"} for fit in fits)
    assert all(fit.rows()[0]["version"].startswith("0.") for fit in fits)
    assert len(keys["action"]) == 2
    for key in keys["action"]:
        assert len(actions.ActionFit.SCHEMA.load(store.record("action", key)).rows) == 25


def test_stored_results_are_not_computed_again(current_folder, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(current_folder))
    monkeypatch.setattr(cross_dataset, "cross_accuracy", None)
    first, second = load("tiny"), load("tiny-other")
    table = cross_dataset.cross_table(first, second, ["ESZSL", "LinearV2S"], store=ResultStore())
    assert len(table) == 8


@pytest.mark.parametrize("version", VERSIONS)
def test_a_result_is_valid_while_its_revisions_are(version):
    """A release alone does not invalidate a result."""
    store = ResultStore(Path(make.__file__).parent / version / "runs.sqlite")
    for result in store.results():
        spec = result.spec
        assert (store.get(spec.at_current_revision.key) == result) == (
            spec.at_current_revision.revisions == spec.revisions
        )


@pytest.mark.nightly
def test_a_page_opens_on_an_old_store_with_foreign_rows(own_data, tmp_path):
    shutil.copytree(Path(make.__file__).parent / "0.3.0", tmp_path / "data")
    store = ResultStore()
    spec = RunSpec("tiny", "PS", "SAE", params={"lam": 1.0}, gamma=0.0)
    result = run(spec, load("tiny"), store=store).result
    values = json.loads(result.to_json())
    strange = {
        "one field more": json.dumps(values | {"mood": "good"}),
        "a later schema": json.dumps(values | {"schema": 99}),
        "a field less": json.dumps({k: v for k, v in values.items() if k != "evaluation"}),
        "no JSON": "{",
        "a list": "[]",
    }
    with sqlite3.connect(store.path) as db:
        db.executemany(
            "INSERT INTO runs VALUES (?, ?, ?)",
            [(key, "2030", text) for key, text in strange.items()],
        )
    db.close()
    n = len(store.results())
    assert store.unreadable() == (
        "4 results were written by another version or program and cannot be read."
    )
    assert "one field more" not in {result.key for result in store.results()}
    app = pages.visit("leakage", leakage_source="a data set", dataset="tiny", split="PS")
    assert not app.exception
    assert any(
        caption.value.replace("\\", "").endswith(store.unreadable()) for caption in app.caption
    )
    assert n > 3
