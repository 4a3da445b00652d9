"""Results other than runs: stored, found, and listed in one table with runs."""

import io
import json

import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.analysis.stored_runs import sort_results, tabulate_results
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import UnknownNameError
from zslcore.results.store import KINDS, Result, ResultStore, result_of

WORLD = linear_world()


@pytest.fixture
def store(own_data):
    return ResultStore()


@pytest.fixture
def crossed(store):
    about = {"dataset": "one", "split": "PS", "method": "ESZSL", "seed": 0}
    rows = [{"tested": "one", "zsl": 0.5}, {"tested": "two", "zsl": 0.25}]
    result = result_of("crossed", "c" * 16, about, rows, {"schema": 3, "x": [1.5]})
    store.put_result(result)
    return result


@pytest.fixture
def run(store):
    spec = RunSpec(WORLD.name, "PS", "LinearS2V", params={"lam": 1.0})
    return runs.run(spec, WORLD, with_oracle=False, store=store).result


def test_other_results_are_read_unchanged(store, crossed):
    assert Result.from_json(crossed.to_json()) == crossed
    assert store.study_results() == store.study_results(["crossed"]) == [crossed]
    assert store.study_results(["action"]) == []
    assert json.loads(store.record("crossed", crossed.key)) == crossed.record
    assert store.record("action", crossed.key) is None  # the key exists only for another kind
    assert store.record("crossed", "0" * 16) is None


def test_one_table_lists_results_of_all_kinds(store, crossed, run):
    rows = [row for other in store.study_results() for row in other.table()]
    table = tabulate_results(store.stored(), rows)
    assert table["kind"].tolist() == ["run", "crossed", "crossed"]
    assert table["zsl"].tolist() == [run.evaluation.zsl, 0.5, 0.25]
    assert set(table["origin"]) == {"here"}
    assert tabulate_results(store.stored())["key"].tolist() == [run.key]
    ordered = sort_results(table, "zsl")
    assert ordered["zsl"].tolist() == sorted(table["zsl"], reverse=True)


def test_a_row_of_another_version_is_skipped(store, crossed):
    with store.writing() as db:
        db.execute("INSERT INTO results VALUES ('x', 'crossed', '', '', '{\"schema\": 99}')")
        db.execute("INSERT INTO results VALUES ('y', 'crossed', '', '', 'no JSON')")
    assert store.study_results() == [crossed]
    assert store.record("crossed", "x") is None


def test_the_command_lists_filters_shows_exports_and_deletes(store, crossed, run, printed):
    text = printed("runs")
    assert text.count("crossed") == 2
    assert run.key in text
    assert run.key not in printed("runs", "list", "--kind", "crossed")
    assert crossed.key not in printed("runs", "list", "--kind", "run")
    assert run.key not in printed("runs", "list", "--method", "ESZSL")
    assert crossed.key not in printed("runs", "list", "--method", "LinearS2V")
    assert "tested on" in printed("runs", "show", "ccc")
    table = pd.read_csv(io.StringIO(printed("runs", "export", "--kind", "run", "crossed")))
    assert table["kind"].tolist() == ["run", "crossed", "crossed"]
    assert json.loads(printed("runs", "export", "--format", "json"))[0]["key"] == run.key
    assert printed("runs", "delete", crossed.key) == f"deleted {crossed.key}\n"
    assert store.study_results() == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["list", "--kind", "crosed"], "did you mean 'crossed'?"),
        (["export", "--kind", "crossed", "--format", "json"], "expected runs; got --kind crossed"),
        (["export", "--predictions", "p.parquet"], "expected the KEY of one run"),
        (["list", "--method", "ESZSLL"], "ESZSLL"),
    ],
)
def test_impossible_requests_are_refused(store, crossed, run, words, sentence, printed):
    err = printed("runs", *words, status=2)
    assert sentence in err
    assert err.count("\n") == 1


def test_many_fits_of_actions_are_listed_in_one_line(store, run, printed):
    for k in range(3):
        store.put_result(result_of("action", f"{k:016}", {"method": "SYNC"}, [{"zsl": 0.1}]))
    text = printed("runs")
    assert "SYNC" not in text
    assert "3 fits of the action study; list them with --kind action." in text
    assert printed("runs", "list", "--kind", "action").count("SYNC") == 3


def test_predictions_are_exported(store, run, printed, tmp_path):
    from zslcore.evaluation.predictions_file import read_predictions
    from zslcore.evaluation.protocol import evaluate

    path = tmp_path / "p.parquet"
    assert printed("runs", "export", run.key[:6], "--predictions", str(path)) == ""
    assert evaluate(read_predictions(path).test, run.gamma or 0.0) == run.evaluation
    with store.writing() as db:
        db.execute("DELETE FROM predictions")
    assert "no predictions are stored" in printed(
        "runs", "export", run.key, "--predictions", str(path), status=2
    )


def test_the_kinds_of_stored_results_are_as_listed():
    assert set(KINDS) == {"run", "crossed", "transductive", "action", "large-scale", "path"}


def test_a_result_of_another_kind_is_refused_as_a_run(store, crossed):
    with pytest.raises(
        UnknownNameError, match=f"Expected a run; '{crossed.id}' is of kind crossed"
    ):
        store.find(crossed.id)
    assert store.find_any(crossed.id) == crossed
