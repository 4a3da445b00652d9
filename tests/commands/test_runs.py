"""``zslcore runs``: exit codes, output, and content of the store."""

import io
import json
from dataclasses import replace

import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

WORLD = linear_world(noise=1.0)


@pytest.fixture(scope="module")
def results():
    return [
        run(RunSpec(WORLD.name, "PS", method, params={"lam": 1.0}), WORLD).result
        for method in ("LinearS2V", "LinearV2S")
    ]


@pytest.fixture
def store(results, own_data):
    for k, result in enumerate(results, 1):
        ResultStore().put(replace(result, created=f"2026-0{k}-01T00:00:00+00:00"))
    return ResultStore()


def test_all_runs_are_listed_newest_first_with_or_without_the_verb(store, results, printed):
    text = printed("runs")
    assert text == printed("runs", "list")
    head, *lines = text.splitlines()
    assert head.split()[:2] == ["key", "created"]
    assert [line.split()[0] for line in lines] == [results[1].key, results[0].key]
    assert f"{100 * results[1].evaluation.zsl:.1f}" in lines[0].split()
    assert lines[0].endswith("here")


def test_runs_of_this_folder_precede_newer_results_of_the_package(
    store, results, printed, precomputed
):
    old = [replace(result, created="1999-01-01T00:00:00+00:00") for result in results]
    for item in old:
        store.put(item)
    for more in ([], ["--reverse"], ["--kind", "run", "crossed", "transductive"]):
        rows = json.loads(printed("runs", "list", "--json", *more))
        assert [row["origin"] == "here" for row in rows[:3]] == [True, True, False], more
        assert len(rows) > 50


def test_runs_are_filtered_and_sorted(store, results, printed):
    assert results[1].key not in printed("runs", "list", "--method", "LinearS2V")
    assert results[0].key not in printed("runs", "list", "--since", "2026-02-01")
    first = printed("runs", "list", "--sort", "method").splitlines()[1]
    assert first.startswith(results[0].key)
    last = printed("runs", "list", "--sort", "method", "--reverse").splitlines()[-1]
    assert last.startswith(results[0].key)
    rows = json.loads(printed("runs", "list", "--json", "--own"))
    zsl = [r.evaluation.zsl for r in reversed(results)]
    assert [row["zsl"] for row in rows] == pytest.approx(zsl)


def test_an_empty_store_is_reported(tmp_path, monkeypatch, printed):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "none"))
    assert printed("runs") == "No run is stored yet.\n"
    assert printed("runs", "list", "--method", "any", "--json") == "[]\n"


def test_one_run_is_shown_with_the_command_that_repeats_it(store, results, printed):
    text = printed("runs", "show", results[0].key[:6])
    assert f"key          {results[0].key}" in text
    assert "origin       here" in text
    assert results[0].spec.command() in text
    assert RunResult.from_json(printed("runs", "show", results[0].key, "--json")) == store.get(
        results[0].key
    )


def test_two_runs_are_compared_cell_by_cell(store, results, printed):
    keys = [result.key for result in results]
    text = printed("runs", "compare", *keys)
    assert "method LinearS2V LinearV2S" in " ".join(text.split())
    gain = 100 * (results[1].evaluation.zsl - results[0].evaluation.zsl)
    assert f"{gain:+.1f}".replace("-", "−") in text
    assert "over 4 classes" in text
    tables = json.loads(printed("runs", "compare", *keys, "--json"))
    assert set(tables) == {"spec", "metrics", "classes"}
    assert tables["metrics"][0]["difference"] == pytest.approx(gain / 100)
    assert "The specs are the same." in printed("runs", "compare", keys[0], keys[0])


@pytest.mark.parametrize("format_", ["csv", "json", "latex"])
def test_runs_are_exported(store, results, printed, tmp_path, format_):
    text = printed("runs", "export", "--format", format_)
    assert printed("runs", "export", "--format", format_, "--output", str(tmp_path / "f")) == ""
    assert (tmp_path / "f").read_text() == text
    if format_ == "csv":
        assert pd.read_csv(io.StringIO(text))["key"].tolist() == [r.key for r in results[::-1]]
    if format_ == "json":
        assert [entry["key"] for entry in json.loads(text)] == [r.key for r in results[::-1]]
    if format_ == "latex":
        assert text.index("LinearV2S") < text.index("LinearS2V") < text.index(r"\bottomrule")


def test_only_named_runs_are_deleted(store, results, printed):
    assert printed("runs", "delete", results[0].key[:8]) == f"deleted {results[0].key}\n"
    assert [r.key for r in store.results()] == [results[1].key]
    printed("runs", "delete", results[1].key, "nothing", status=2)
    assert [r.key for r in store.results()] == [results[1].key]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["show", "nothing"], "No run is stored under 'nothing'"),
        (
            ["list", "--since", "monday"],
            "--since: expected a day such as 2026-01-31; got 'monday'.",
        ),
        (["list", "--method", "LinearS3V"], "did you mean 'LinearS2V'?"),
        (["list", "--sort", "hm"], "Unknown order of runs 'hm'; choose from: "),
        (["export", "--format", "xls"], "--format: expected one of csv, json, latex; got 'xls'."),
    ],
)
def test_impossible_requests_are_refused_with_exit_code_2(store, words, sentence, printed):
    err = printed("runs", *words, status=2)
    assert sentence in err
    assert err.count("\n") == 1


def test_unreadable_rows_are_counted(store, capsys):
    with store.writing() as db:
        db.execute("INSERT INTO runs VALUES ('x', '', 'y')")
    assert main(["runs"]) == 0
    assert "1 result was written by another version" in capsys.readouterr().err
