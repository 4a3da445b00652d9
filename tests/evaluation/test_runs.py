import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import FrozenInstanceError, asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.datasets.base import Split
from zslcore.evaluation import protocol
from zslcore.evaluation.runs import ChosenParameters, RunResult, refit, run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError, ZSLError
from zslcore.methods import ESZSL, METHODS
from zslcore.results.store import ResultStore

ROOT = Path(__file__).parents[2]
WORLD = linear_world(noise=1.0)


def spec(**changes):
    return RunSpec(**({"dataset": WORLD.name, "split": "PS", "method": "LinearS2V"} | changes))


@pytest.fixture(scope="module")
def result():
    return run(spec(), WORLD).result


def test_equal_specs_have_one_key_and_any_change_gives_another():
    assert spec().key == spec().key == RunSpec.from_json(spec().to_json()).key
    assert spec(method="SAE", params={"lam": 1.0, "direction": "V2S"}).key == (
        spec(method="SAE", params={"direction": "V2S", "lam": 1.0}).key
    )
    changes = [{"seed": 1}, {"gamma": 0.0}, {"params": {"lam": 1.0}}, {"features": "none"}]
    assert len({spec(**change).key for change in [{}, *changes]}) == 5


@pytest.mark.parametrize("method", METHODS)
def test_the_text_of_a_spec_lists_all_its_fields(method):
    of_method = spec(method=method, gamma=0.5, seed=3)
    assert of_method.to_json() == json.dumps(asdict(of_method), sort_keys=True)


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"method": "LinearS2Vv"}, UnknownNameError, "did you mean 'LinearS2V'"),
        ({"params": {"lamda": 1}}, UnknownNameError, "did you mean 'lam'"),
        ({"select_for": "both"}, ParameterError, "select_for must be"),
        ({"features": "L2"}, ParameterError, "Preprocessing of features"),
    ],
)
def test_a_spec_that_cannot_run_is_refused_at_once(change, error, sentence):
    with pytest.raises(error, match=sentence):
        spec(**change)


def test_the_same_spec_twice_gives_the_same_numbers(result):
    again = run(result.spec, WORLD).result
    assert again.evaluation == result.evaluation
    assert (again.params, again.gamma, again.oracle) == (result.params, result.gamma, result.oracle)


def test_progress_reports_the_epochs_of_every_training_and_may_end_the_run():
    events = []
    once = spec(method="DEVISE", params={"epochs": 2, "learning_rate": 1.0}, seed=3)

    def progress(done, total, message):
        events.append((done, total, message.split(":")[0]))

    result = run(once, WORLD, progress=progress).result
    # There are four trainings of two epochs: two folds, trainval, and trainval for the oracle.
    assert [(done, total) for done, total, _ in events] == [(k, 8) for k in range(1, 9)]
    assert [message[-7:] for *_, message in events] == ["epoch 1", "epoch 2"] * 4
    assert result.params["random_state"] == 3

    def stop(done, total, message):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(once, WORLD, progress=stop)


def test_metrics_are_computed_from_the_returned_scores(result):
    run_result = run(result.spec, WORLD, with_oracle=False)
    again, scores = run_result.result, run_result.scores
    assert protocol.evaluate(scores, again.gamma) == again.evaluation == result.evaluation


def test_one_fit_serves_result_and_scores(monkeypatch):
    fits = []
    fit = ESZSL.fit
    monkeypatch.setattr(ESZSL, "fit", lambda self, *data: fits.append(1) or fit(self, *data))
    run(spec(method="ESZSL"), WORLD, with_oracle=False)
    assert len(fits) == 1


def test_a_stored_result_is_fitted_again_with_its_choices(result, monkeypatch):
    monkeypatch.setattr(protocol.Setting, "select", None)
    actual = refit(RunResult.from_json(result.to_json()), WORLD)
    again, scores = actual.result, actual.scores
    assert again == result
    assert protocol.evaluate(scores, result.gamma) == result.evaluation
    with pytest.raises(DatasetError, match="expected data"):
        refit(result, linear_world(seed=1))


def test_origins_describe_the_choice_of_parameters_and_gamma(result):
    assert (result.params_origin, result.gamma_origin) == ("validated", "validated")
    run_result = run(spec(params={"lam": 0.1}), WORLD).result
    assert (run_result.params_origin, run_result.gamma_origin) == ("given", "validated")
    both = run(spec(params={"lam": 0.1}, gamma=0.01), WORLD).result
    assert (both.params_origin, both.gamma_origin, both.gamma) == ("given", "given", 0.01)
    partly = run(spec(method="ESZSL", params={"lam": 0.1}), WORLD).result
    assert partly.params_origin == "validated"
    assert partly.params["lam"] == 0.1


def test_result_names_the_rule_of_the_folds(result):
    assert result.rule == result.row()["rule"] == "best"
    assert json.loads(result.to_json())["rule"] == "best"
    assert run(spec(params={"lam": 0.1}), WORLD, with_oracle=False).result.rule is None
    simple = run(spec(method="SSE"), WORLD, with_oracle=False).result
    assert (simple.rule, simple.params_origin) == ("one standard error", "validated")
    # With c given, no other parameter orders complexity.
    run_result = run(spec(method="SSE", params={"c": 1.0}), WORLD, with_oracle=False).result
    assert (run_result.rule, run_result.params_origin) == ("best", "validated")


def test_a_result_without_a_rule_is_still_read(result):
    values = json.loads(result.to_json())
    del values["rule"]
    assert RunResult.from_json(json.dumps(values)) == replace(result, rule=None)


def test_zsl_among_unseen_classes_uses_default_parameters():
    spec = RunSpec.among_unseen(WORLD, "PS", "ESZSL")
    assert set(spec.params) == set(ESZSL.param_grid)
    assert spec.params.items() <= ESZSL().get_params().items()
    assert (spec.gamma, spec.select_for, spec.digest) == (0.0, "zsl", WORLD.digest)


def test_a_split_without_seen_test_rows_is_run_for_zsl_without_fits_for_gamma(monkeypatch):
    standard = Split.from_classes(
        "SS", WORLD.labels, unseen=range(8, 12), folds=[[0, 1]], seen_test_fraction=0
    )
    world = linear_world(noise=1.0)
    object.__setattr__(world, "splits", {"SS": standard})
    tasks, judge = [], protocol.Setting._evaluate_points
    monkeypatch.setattr(
        protocol.Setting, "_evaluate_points", lambda *args: tasks.append(args[4]) or judge(*args)
    )
    result = run(spec(split="SS"), world).result
    assert tasks == ["zsl"]
    assert (result.params_origin, result.gamma, result.gamma_origin) == ("validated", None, None)
    assert result.evaluation.calibrated is None


def test_other_data_under_the_same_name_is_refused(result):
    with pytest.raises(DatasetError, match="expected data"):
        run(result.spec, linear_world(seed=1))


def test_a_result_is_read_unchanged_from_json(result):
    again = RunResult.from_json(result.to_json())
    assert again == result
    assert again.row() == result.row()
    assert json.loads(result.to_json())["evaluation"]["zsl"] == result.evaluation.zsl


def test_the_row_of_a_result_is_tidy_and_has_its_provenance(result):
    row = result.row()
    assert row["simulated"] is True
    assert row["params_origin"] == "validated"
    assert row["digest"] == WORLD.digest
    assert row["calibrated_harmonic"] == result.evaluation.calibrated.harmonic
    assert all(np.isscalar(value) or value is None for value in row.values())


def test_a_store_adds_replaces_and_deletes_results(result, tmp_path):
    store = ResultStore(tmp_path / "new" / "runs.sqlite")
    assert store.get(result.spec.key) is None
    store.put(replace(result, seconds=99.0))
    store.put(result)
    assert store.get(result.spec.key) == result
    assert [stored_run.id for stored_run in store.stored()] == [result.spec.key]
    store.delete(result.spec.key)
    assert store.results() == []


def test_store_computes_only_missing_runs_and_choices(tmp_path, monkeypatch):
    store = ResultStore(tmp_path / "runs.sqlite")
    request = spec(method="CMT", params={"hidden": 4, "random_state": 0})
    run_result = run(request, WORLD, with_oracle=False, store=store)
    first, scores = run_result.result, run_result.scores
    assert store.get(first.spec.key) == first
    assert first.spec.digest == WORLD.digest
    monkeypatch.setattr(protocol.Setting, "select", None)
    run_result = run(request, WORLD, with_oracle=False, store=store)
    again, same = run_result.result, run_result.scores
    assert again == first
    np.testing.assert_array_equal(same.F, scores.F)
    with pytest.raises(TypeError):  # a stored result without the oracle is ignored
        run(request, WORLD, store=store)


def test_a_file_that_is_not_a_store_is_refused_in_one_sentence(result, tmp_path):
    (tmp_path / "runs.sqlite").write_text("not a database, but long enough to be looked at" * 50)
    with pytest.raises(ZSLError, match=r"expected a run store; got: file is not a database"):
        ResultStore(tmp_path / "runs.sqlite").put(result)


def test_default_store_lives_in_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    assert ResultStore().path == tmp_path / "runs.sqlite"


WRITER = """
import sys
from tests.evaluation.test_runs import write_and_delete
write_and_delete(*sys.argv[1:])
"""


def write_and_delete(path, name, text):
    store, result = ResultStore(path), RunResult.from_json(text)
    for k in range(12):
        store.put(replace(result, key=f"{name} {k}"))
        store.delete(f"{name} {k - 6}")


@pytest.mark.nightly
def test_two_processes_that_write_at_once_lose_no_result(result, tmp_path):
    path = tmp_path / "new" / "runs.sqlite"
    words = [sys.executable, "-c", WRITER, str(path), "other", result.to_json()]
    other = subprocess.Popen(words, cwd=ROOT)
    while other.poll() is None and not path.exists():
        time.sleep(0.001)  # until the other process has started writing
    write_and_delete(path, "own", result.to_json())
    assert other.wait(120) == 0
    store = ResultStore(path)
    expected = {f"{name} {k}" for name in ("own", "other") for k in range(6, 12)}
    assert {r.key for r in store.results()} == expected
    assert store.unreadable() == ""


def test_a_transaction_locks_out_writers_and_readers_see_it_complete(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    other = replace(result, key="other")
    store.put(result)
    store.put(other)
    with store.writing() as db:
        with (
            closing(sqlite3.connect(store.path, timeout=0)) as late,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            late.execute("DELETE FROM runs")  # the writer is locked out before it reads
        db.execute("DELETE FROM runs WHERE key = ?", [result.key])
        assert {result.key for result in store.results()} == {result.key, other.key}
    assert store.results() == [other]


def test_a_failed_change_is_rolled_back(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    store.put(result)

    def fail():
        with store.writing() as db:
            db.execute("DELETE FROM runs")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert store.results() == [result]


def test_reading_a_missing_store_creates_no_file(tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    assert (store.results(), store.stored(), store.unreadable()) == ([], [], "")
    assert not store.path.exists()


def test_a_stored_oracle_is_kept_if_the_metrics_are_equal(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    store.put(result)
    store.put(replace(result, oracle=None, seconds=1.0))
    assert store.get(result.key) == replace(result, seconds=1.0)
    other = replace(result, oracle=None, evaluation=replace(result.evaluation, zsl=0.5))
    store.put(other)
    assert store.get(result.key) == other


def test_a_run_is_found_by_a_prefix_of_its_id(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    for key in ("abc1", "abc2", "abd1"):
        store.put(replace(result, key=key))
    assert store.find("abd").id == "abd1"
    assert store.find("abc2").id == "abc2"
    ambiguous = r"2 keys begin with 'abc': abc[12], abc[12]\. Enter more"
    with pytest.raises(UnknownNameError, match=ambiguous):
        store.find("abc")
    for name in ("", "x"):
        with pytest.raises(UnknownNameError, match="No run is stored under"):
            store.find(name)


def test_values_that_are_not_text_are_counted_as_unreadable(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    store.put(result)
    strange = [("null", None), ("number", 5), ("blob", b"\xff\xfe"), ("deep", "[" * 100_000)]
    strange.append(("foreign", "{}"))
    with sqlite3.connect(store.path) as db:
        db.executemany("INSERT INTO runs VALUES (?, NULL, ?)", strange)
        db.execute("INSERT INTO runs VALUES ('text', '', CAST(x'ff' AS TEXT))")
    db.close()
    assert store.results() == [stored_run.result for stored_run in store.stored()] == [result]
    assert store.unreadable().startswith("6 results were written by another version")
    assert all(store.get(key) is None for key, _ in strange)


def test_results_are_listed_newest_first_and_of_a_split_oldest_first(result, tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    assert store.results() == store.runs_on(WORLD, "PS") == []
    assert store.unreadable() == ""
    days = [replace(result, key=f"day {k}", created=f"2026-01-0{k}") for k in (2, 1, 3)]
    elsewhere = replace(
        result, key="SS", created="2026-01-04", spec=replace(result.spec, split="SS")
    )
    for stored_result in (*days, elsewhere):
        store.put(stored_result)
    assert [r.key for r in store.results()] == ["SS", "day 3", "day 2", "day 1"]
    assert [r.key for r in store.runs_on(WORLD, "PS")] == ["day 1", "day 2", "day 3"]
    assert store.runs_on(linear_world(seed=1), "PS") == []


def test_a_stored_result_with_the_oracle_serves_runs_without_it(tmp_path, monkeypatch):
    store = ResultStore(tmp_path / "runs.sqlite")
    first = run(spec(), WORLD, store=store).result
    monkeypatch.setattr(protocol.Setting, "select", None)
    assert (
        run(spec(), WORLD, with_oracle=False, store=store).result
        == run(spec(), WORLD, store=store).result
        == first
    )


def test_without_folds_calibrated_metrics_equal_plain_metrics():
    world, split = linear_world(noise=1.0), WORLD.split("PS")
    object.__setattr__(world, "splits", {"PS": replace(split, folds=())})
    result = run(spec(params={"lam": 0.1}), world, with_oracle=False).result
    for stored_result in (result, refit(result, world).result):
        assert (stored_result.gamma, stored_result.gamma_origin) == (None, None)
        assert stored_result.evaluation.calibrated == stored_result.evaluation.plain


def test_a_result_has_duration_and_provenance(monkeypatch):
    clock = SimpleNamespace(perf_counter=iter([10.0, 12.5]).__next__)
    monkeypatch.setattr("zslcore.evaluation.runs.time", clock)
    result = run(spec(params={"lam": 0.1}, gamma=0.0), WORLD, with_oracle=False).result
    assert result.seconds == 2.5
    assert json.loads(result.to_json())["schema"] == 3


def test_a_result_of_another_revision_is_not_fitted_again(result):
    revisions = result.spec.revisions | {"LinearS2V": -1}
    older = replace(result, spec=replace(result.spec, revisions=revisions))
    with pytest.raises(ParameterError, match=r"LinearS2V: the result has revision .*-1"):
        refit(older, WORLD)
    assert older.spec.at_current_revision == replace(spec(), digest=WORLD.digest)


@pytest.mark.parametrize(("gamma", "calibrated"), [(1e6, (0, 1)), (-1e6, (1, 0))])
def test_a_given_gamma_calibrates_the_metrics(gamma, calibrated):
    run_result = run(spec(params={"lam": 0.1}, gamma=gamma), WORLD, with_oracle=False).result
    for result in (run_result, refit(run_result, WORLD).result):
        point = result.evaluation.calibrated
        assert (result.gamma, result.gamma_origin) == (gamma, "given")
        assert ((point.seen > 0), (point.unseen > 0)) == calibrated


def test_a_given_gamma_of_zero_is_not_called_chosen():
    result = run(spec(params={"lam": 0.1}, gamma=0.0), WORLD, with_oracle=False).result
    assert (result.gamma, result.gamma_origin) == (0.0, "given")
    assert result.evaluation.calibrated == result.evaluation.plain
    assert "--gamma 0.0" in result.spec.command()


def test_the_oracle_gap_is_the_gain_from_test_data(result):
    gap = result.oracle_gap
    assert min(gap.values()) >= 0
    assert gap["zsl"] == result.oracle.zsl - result.evaluation.zsl
    assert gap["harmonic"] == result.oracle.harmonic - result.evaluation.calibrated.harmonic
    alone = replace(result, oracle=replace(result.oracle, harmonic=None))
    run_result = run(spec(params=result.params), WORLD).result
    assert run_result.params_origin == "given"
    assert run_result.oracle_gap.keys() == {"gamma"}  # the oracle tried no other parameters
    assert "oracle_gap_zsl" not in run_result.row()
    assert set(alone.oracle_gap) == {"zsl"}
    row = replace(result, oracle=None).row()
    assert not any(name.startswith("oracle_gap") for name in row)
    assert result.row()["oracle_gap_zsl"] == gap["zsl"]


def test_a_grid_excludes_given_parameters_and_is_part_of_the_spec():
    assert "lam" not in spec(params={"lam": 1.0}).grid
    mine = spec(method="ESZSL", grid={"lam": [1.0, 10.0], "gamma": [1.0]}, params={"gamma": 2.0})
    assert mine.grid == {"lam": (1.0, 10.0)}
    assert mine.command().endswith("--method ESZSL --param gamma=2.0 --grid lam=1.0,10.0")
    assert RunSpec.from_json(mine.to_json()) == mine
    with pytest.raises(UnknownNameError, match="did you mean 'lam'"):
        spec(grid={"lamb": [1]})


def test_specs_and_results_are_immutable(result):
    for record, name in (
        (result, "gamma"),
        (result.spec, "seed"),
        (ChosenParameters({}, "given", 0.0, None), "gamma"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, 3)


def test_the_command_of_a_spec_has_all_its_options():
    chosen = spec(method="SAE", params={"direction": "V2S"}, gamma=0.5, seed=3, select_for="zsl")
    assert chosen.command() == (
        "zslcore run --dataset 'linear world' --split PS --method SAE "
        "--param direction=V2S --gamma 0.5 --select-for zsl --seed 3"
    )
