"""Laws of all studies: their results equal those of the package's functions."""

import json
from contextlib import nullcontext
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest

from tests.studies import RecordedProgress, computed, import_small, small_study
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy, cross_table
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import MapStudy
from zslcore.analysis.overlap import OverlapStudy, half_and_half, overlap_study
from zslcore.analysis.study import shipped_folder
from zslcore.datasets import load
from zslcore.jobs.studies import STUDIES, result, stored_result
from zslcore.methods import get_method
from zslcore.results import planning
from zslcore.results.store import ResultStore
from zslcore.storage import records

pytestmark = pytest.mark.usefixtures("own_data")


@pytest.fixture
def _in_this_process(monkeypatch):
    """Compute the runs of a plan one after the other."""
    calls = nullcontext(lambda calls: (f(*arguments, **named) for f, arguments, named in calls))
    monkeypatch.setattr(planning, "parallel", lambda *_, **__: calls)


# --- Laws -----------------------------------------------------------------------------------------


def assert_same(first, other, where=""):
    """Compare nested results to the last bit, types included."""
    assert type(first) is type(other) or isinstance(first, float), where
    if isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(first, other, check_exact=True)
    elif isinstance(first, np.ndarray):
        assert first.dtype == other.dtype, where
        np.testing.assert_array_equal(first, other, where)
    elif is_dataclass(first):
        for field in fields(first):
            name = field.name
            assert_same(getattr(first, name), getattr(other, name), f"{where}.{name}")
    elif isinstance(first, dict):
        assert list(first) == list(other), where
        for key in first:
            assert_same(first[key], other[key], f"{where}[{key}]")
    elif isinstance(first, list | tuple):
        for k, (mine, theirs) in enumerate(zip(first, other, strict=True)):
            assert_same(mine, theirs, f"{where}[{k}]")
    else:
        assert first == other or (first != first and other != other), where


@pytest.mark.parametrize("kind", STUDIES)
def test_arguments_as_json_give_the_same_study(kind):
    study = small_study(kind)
    again = type(study).from_arguments(json.loads(json.dumps(study.arguments)))
    assert replace(again, **{"threads": study.threads} if kind == "run" else {}).key == study.key
    assert study.title


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.usefixtures("_in_this_process")
def test_a_result_is_read_unchanged(kind, tmp_path):
    import_small()
    events, study = RecordedProgress(), small_study(kind)
    actual = result(study, progress=events)
    assert events, "no progress"
    assert stored_result(study) is None
    records.save(tmp_path, actual, compressed=study.COMPRESSED)
    assert_same(study.read(tmp_path), actual, kind)


# --- Maps -----------------------------------------------------------------------------------------


def test_a_map_is_computed_with_previews(tmp_path):
    digits = load("digits")
    settings = MapSettings("tsne", perplexity=5, n_samples=100, iterations=20, threads=1)
    study = MapStudy.of([digits], settings)
    computed_result, events = computed(study, tmp_path)
    assert len(computed_result) == 100
    stages = [message.split(":")[0] for *_, message in events]
    assert list(dict.fromkeys(stages))[-2:] == ["Laying out (t-SNE)", "Quality of the map"]
    assert len(events.pictures) > 20
    assert MapStudy.of([digits], replace(settings, perplexity=6)).key != study.key


AWA = ("simulated-AWA1", "simulated-AWA2")


def test_a_precomputed_map_is_used_with_any_library_version(monkeypatch, precomputed):
    """A map from the local data folder is recomputed if the library version differs."""
    pair, settings = [load(name) for name in AWA], MapSettings("tsne", n_samples=2000, threads=2)
    another, libraries = replace(settings, seed=1), settings.libraries
    shown, other = MapStudy.of(pair, settings), MapStudy.of(pair, another)
    monkeypatch.setattr("zslcore.analysis.maps.layout.version", lambda name: "99.0")
    again = MapStudy.of(pair, settings)
    assert again.key == shown.key
    read = again.read(shipped_folder(again.key))
    assert set(read.libraries) == set(libraries)
    assert "99.0" not in read.libraries.values()
    assert read.about()["libraries"] == read.libraries
    assert MapStudy.of(pair, another).key != other.key
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert MapStudy.of(pair, settings).key != shown.key


# --- Other studies --------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_crossing_equals_the_table_with_progress(tmp_path):
    first, second = map(load, AWA)
    read, events = computed(CrossStudy.of(first, second, "PS", ["LinearS2V", "ESZSL"]), tmp_path)
    result = cross_table(first, second, ["ESZSL", "LinearS2V"]).drop(columns="seconds")
    pd.testing.assert_frame_equal(read.drop(columns="seconds"), result)
    assert events[-1][:2] == (4, 4)


def test_a_study_depends_on_the_data_but_not_on_the_order_of_methods():
    first, second = map(load, AWA)
    orders = ["SAE", "ALE"], ["ALE", "SAE"], ["SAE"]
    keys = [CrossStudy.of(first, second, "PS", methods).key for methods in orders]
    assert keys[0] == keys[1] != keys[2]
    assert CrossStudy.of(second, first, "PS", ["SAE", "ALE"]).key != keys[0]


def test_an_overlap_study_equals_the_function(tmp_path):
    sets = [load(name) for name in ("simulated-AWA2", "simulated-AWA2-untrained")]
    in_set = [c for c, name in enumerate(sets[0].class_names) if c % 2]
    study = OverlapStudy.of(sets, ["LinearS2V"], in_set, 2)
    read, events = computed(study, tmp_path)
    assert events[-1][:2] == (4, 4)
    expected = overlap_study(
        {"LinearS2V": get_method("LinearS2V")()},
        {data.name: data for data in sets},
        half_and_half(np.isin(np.arange(50), in_set), n_draws=2),
    )
    pd.testing.assert_frame_equal(read, expected)
    assert OverlapStudy.of(sets, ["LinearS2V"], in_set[1:], 2).key != study.key


@pytest.mark.usefixtures("_in_this_process")
def test_a_refused_run_is_reported_and_others_continue(tmp_path):
    spec = ComparisonSpec({"digits": load("digits").digest}, ("PS",), ("PrototypeCosine", "ESZSL"))
    study = ComparisonStudy(spec)
    refused, events = computed(study, tmp_path)
    (sentence,) = refused.values()
    assert sentence.startswith("PrototypeCosine on digits, split PS: ")
    assert [stored.spec.method for stored in ResultStore().results()] == ["ESZSL"]
    assert events[-1][:2] == (2, 2)
    assert ComparisonStudy(spec, attempt=1).key != study.key != ComparisonStudy(spec, ["folds"]).key
