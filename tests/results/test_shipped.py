"""Precomputed results of the package: content, use and limits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from tools.shipped import largest_difference
from zslcore.analysis.stored_runs import RunFilter, select_runs
from zslcore.evaluation.runs import RunResult, refit, run
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions
from zslcore.exceptions import ZSLError
from zslcore.jobs.upkeep import examine
from zslcore.methods import METHODS
from zslcore.results import shipped
from zslcore.results.shipped import (
    FOLDER,
    has_predictions,
    plain_spec,
    shipped_predictions,
    shipped_results,
)
from zslcore.results.store import ResultStore

WORLD = linear_world()
FILES = sorted(FOLDER.glob("*/*.json"))
MOST_BYTES = 15 << 20


@pytest.fixture
def result():
    spec = RunSpec("linear world", "PS", "LinearS2V", params={"lam": 0.1})
    return run(spec, WORLD, with_oracle=False).result


@pytest.fixture
def store(own_data, result, tmp_path, monkeypatch, precomputed):
    """The store of an empty data folder, with one precomputed result."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "results")
    put(result, tmp_path)
    return ResultStore()


def put(result, tmp_path):
    path = tmp_path / "results" / "linear" / f"{result.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(result.to_json())


# --- Use ------------------------------------------------------------------------------------------


def test_a_precomputed_result_is_used_if_the_store_has_none(store, result):
    assert store.get(result.key) == result
    assert store.results() == [result]
    (stored_run,) = store.stored()
    assert (stored_run.shipped, stored_run.origin, stored_run.id) == (
        True,
        "the package",
        result.key,
    )
    assert store.find(result.key[:6]).result == result
    assert store.unreadable() == ""
    assert not store.path.exists()


@pytest.mark.parametrize("name", ["digits", "AWA1-lss", "CUB-vgg_fc7"])
def test_default_choices_have_precomputed_results(name):
    """A changed default, grid or revision would invalidate precomputed results."""
    digest = {
        shipped_result.spec.dataset: shipped_result.spec.digest
        for shipped_result in shipped_results()
    }[name]
    keys = {shipped_result.key for shipped_result in shipped_results()}
    request = {method: RunSpec(name, "PS", method, digest=digest) for method in METHODS}
    without = {method for method, spec in request.items() if plain_spec(spec).key not in keys}
    assert without == {"f-CLSWGAN", "CADA-VAE", "CE-GZSL", "PrototypeCosine"}


def test_a_precomputed_result_is_not_listed_as_computed_here(store, result):
    store.put(replace(result, key="f" * 16))
    actual = select_runs(store.stored(), RunFilter(own=True))
    assert [run.id for run in actual] == ["f" * 16]
    assert len(select_runs(store.stored(), RunFilter())) == 2


def test_an_own_result_replaces_a_precomputed_one(store, result):
    own = replace(result, seconds=99.0)
    store.put(own)
    assert store.get(result.key) == own
    assert [stored_run.shipped for stored_run in store.stored()] == [False]
    store.delete(result.key)
    assert store.get(result.key) == result


def test_a_precomputed_result_cannot_be_deleted(store, result):
    with pytest.raises(ZSLError, match="comes with the package"):
        store.delete(result.key)
    assert store.get(result.key) == result


def test_a_precomputed_result_needs_no_new_choice_of_parameters(store, result, monkeypatch):
    monkeypatch.setattr("zslcore.evaluation.protocol.Setting.select", None)
    run_result = run(result.spec, WORLD, with_oracle=False, store=store)
    actual, scores = run_result.result, run_result.scores
    assert actual.evaluation == result.evaluation
    assert scores.curve.ausuc == result.evaluation.ausuc


@pytest.mark.parametrize("off", ["setting", "path", "revision", "name"])
def test_precomputed_results_can_be_excluded(store, result, tmp_path, monkeypatch, off):
    if off == "setting":
        monkeypatch.setenv("ZSL_SHIPPED", "0")
    if off == "revision":
        old = replace(result, spec=replace(result.spec, revisions={"protocol": 0, "LinearS2V": 1}))
        put(replace(old, key="0" * 16), tmp_path)
        assert len(ResultStore().results()) == 1
        return
    if off == "name":  # a file named after another key
        (tmp_path / "results" / "linear" / f"{'1' * 16}.json").write_text(result.to_json())
        assert ResultStore().get("1" * 16) is None
        return
    other = ResultStore(tmp_path / "other.sqlite") if off == "path" else ResultStore()
    assert other.get(result.key) is None
    assert other.stored() == []


def test_the_doctor_counts_own_results_only(store, result):
    store.put(replace(result, key="f" * 16))
    (text,) = [finding.sentence for finding in examine() if finding.subject == "store"]
    assert text.startswith("1 result is stored")


# --- Content --------------------------------------------------------------------------------------


def test_every_precomputed_result_is_current_and_on_real_data():
    assert len(FILES) >= 50
    assert sum(path.stat().st_size for path in FILES) < MOST_BYTES
    assert len(shipped_results()) == len(FILES)
    for path in FILES:
        result = RunResult.from_json(path.read_text(encoding="utf-8"))
        assert (path.stem, path.parent.name) == (result.key, result.spec.dataset)
        assert result.key == result.spec.key == result.spec.at_current_revision.key
        assert not result.simulated
        assert result.params_origin == "validated"


@pytest.mark.nightly
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in FILES}))
def test_every_metric_follows_from_the_predictions_of_the_run(folder):
    """This justifies the mark "verified" of precomputed results in Compare."""
    results = [
        shipped_result
        for shipped_result in shipped_results()
        if shipped_result.spec.dataset == folder
    ]
    with_predictions = [result for result in results if has_predictions(result.key)]
    assert len(with_predictions) >= 0.5 * len(results)
    for result in with_predictions:
        actual = shipped_predictions(result.key)
        origin = actual.provenance
        assert largest_difference(actual.evaluation, result.evaluation) <= 1e-9, result.key
        assert (actual.gamma, origin.gamma_origin) == (result.gamma, result.gamma_origin or "none")
        assert (origin.method, origin.params) == (result.spec.method, result.params), result.key
        assert not verify_predictions(actual).reasons, result.key


@pytest.mark.parametrize("metric", ["zsl", "ausuc", "calibrated", "per_class"])
def test_a_metric_changed_by_hand_is_detected(metric):
    """The comparison is that of the test above."""
    result = next(
        shipped_result
        for shipped_result in shipped_results()
        if shipped_result.gamma and has_predictions(shipped_result.key)
    )
    value = getattr(result.evaluation, metric)
    if metric == "calibrated":
        value = replace(value, seen=value.seen + 2e-9)
    elif metric == "per_class":
        value = value | {next(iter(value)): 0.123}
    else:
        value += 2e-9
    changed = replace(result.evaluation, **{metric: value})
    assert largest_difference(shipped_predictions(result.key).evaluation, changed) > 1e-9


def test_recomputing_a_result_on_awa1_gives_the_same_metrics(shared):
    """AWA1 with hand-crafted features is the fastest data set."""
    from zslcore.datasets import read_xlsa17

    (shipped,) = [
        result
        for result in shipped_results()
        if (result.spec.dataset, result.spec.method, result.spec.split, result.spec.select_for)
        == ("AWA1-phog", "LinearS2V", "PS", "gzsl")
    ]
    data = read_xlsa17(shared / "data" / "xlsa17" / "AWA1", features="phog.mat", name="AWA1-phog")
    actual = refit(shipped, data)
    again, scores = actual.result, actual.scores
    assert data.digest == shipped.spec.digest
    assert again.evaluation.zsl == pytest.approx(shipped.evaluation.zsl, abs=1e-6)
    assert np.isclose(scores.curve.ausuc, shipped.evaluation.ausuc, atol=1e-6)


@pytest.mark.parametrize("method", ["LinearS2V", "ESZSL", "GFZSL"])
def test_recomputing_a_result_on_digits_gives_the_same_metrics(method):
    """The predictions agree, too, except for rounding, which depends on the processor."""
    from zslcore.datasets import load
    from zslcore.evaluation.runs import run

    digits = load("digits")
    spec = RunSpec("digits", "PS", method, digest=digits.digest)
    shipped, predictions = shipped_result(spec.key), shipped_predictions(spec.key)
    run_result = run(spec, digits, with_oracle=False)
    result, actual = run_result.result, run_result.predictions
    assert result.params == pytest.approx(shipped.params)
    assert result.gamma == pytest.approx(shipped.gamma, rel=1e-6)
    assert result.evaluation.zsl == pytest.approx(shipped.evaluation.zsl, abs=1e-9)
    assert result.evaluation.ausuc == pytest.approx(shipped.evaluation.ausuc, abs=1e-6)
    for new, stored in zip(
        (actual.test, *actual.folds), (predictions.test, *predictions.folds), strict=True
    ):
        order = np.argsort(new.rows, kind="stable")
        for column in ("rows", "labels", "seen_class", "unseen_class"):
            assert np.array_equal(getattr(new, column)[order], getattr(stored, column)), column
        assert np.allclose(new.margin[order], stored.margin, rtol=1e-3)


def shipped_result(key):
    (actual,) = [result for result in shipped_results() if result.key == key]
    return actual
