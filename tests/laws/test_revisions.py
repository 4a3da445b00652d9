"""Changed numbers need a new revision."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.revisions import ALL, current_results, revisions, table
from tests.studies import SMALL, small_study
from zslcore.evaluation import protocol
from zslcore.evaluation.specs import RunSpec, revisions_of
from zslcore.jobs.studies import STUDIES


@pytest.mark.parametrize("name", revisions())
def test_results_equal_those_of_the_same_revision(name):
    """A changed result or default needs a new revision: see tests/revisions."""
    written, now = table()[name][str(revisions()[name])], current_results(name)
    assert now.get("defaults") == written.get("defaults")
    scores = np.array(written["scores"])
    # Rounding and other processors change results by less than this, another formula by more.
    np.testing.assert_allclose(now["scores"], scores, rtol=0, atol=1e-4 * np.abs(scores).max())


@pytest.mark.parametrize("name", revisions())
def test_revisions_are_recorded_from_1_without_gaps(name):
    written = list(table()[name])
    assert written == [str(k) for k in range(1, revisions()[name] + 1)]


@pytest.mark.parametrize("name", ALL)
def test_the_revisions_of_a_result_include_that_of_its_method(name, monkeypatch):
    method = ALL[name]
    before = revisions_of(method())
    assert before[name] == method.revision
    monkeypatch.setattr(method, "revision", method.revision + 1)
    assert revisions_of(method()) == before | {name: before[name] + 1}


def test_the_revisions_of_propagation_include_that_of_its_base(monkeypatch):
    model = ALL["Propagation"](base="ESZSL")
    before = revisions_of(model)
    monkeypatch.setattr(ALL["ESZSL"], "revision", 99)
    assert revisions_of(model) == before | {"ESZSL": 99}


@pytest.mark.parametrize("kind", ["method", "protocol", "grid"])
def test_key_of_a_run_depends_on_everything_that_changes_numbers(kind, monkeypatch):
    before = RunSpec("digits", "PS", "LinearS2V", digest="0")
    change = {
        "method": (ALL["LinearS2V"], "revision", 99),
        "protocol": (protocol, "REVISION", 99),
        "grid": (ALL["LinearS2V"], "param_grid", {"lam": (1e3, 1e4)}),
    }[kind]
    monkeypatch.setattr(*change)
    after = RunSpec("digits", "PS", "LinearS2V", digest="0")
    assert after.key != before.key
    # An old spec keeps its revision, and would be run at the current one.
    assert RunSpec.from_json(before.to_json()) == before
    assert before.at_current_revision.key == (before if kind == "grid" else after).key


def test_no_key_names_the_release():
    """A new release keeps every result with unchanged revisions."""
    spec = RunSpec("digits", "PS", "LinearS2V", digest="0")
    named = [json.loads(spec.to_json()), *(small_study(name).identity for name in STUDIES)]
    assert "release" not in json.dumps(named)


def test_a_given_parameter_is_removed_from_the_grid():
    spec = RunSpec("digits", "PS", "ESZSL", params={"lam": 1.0})
    assert set(spec.grid) == {"gamma"}
    own = RunSpec("digits", "PS", "ESZSL", grid={"lam": [1, 2], "gamma": [1.0]})
    assert own.grid == {"gamma": (1.0,), "lam": (1, 2)}
    assert "--grid gamma=1.0 --grid lam=1,2" in own.command()


@pytest.mark.parametrize("name", STUDIES)
def test_the_key_of_a_study_changes_with_kind_methods_and_grids(name, monkeypatch):
    keys = [small_study(name).key]
    assert small_study(name).key == keys[0]
    with monkeypatch.context() as patch:
        patch.setattr(STUDIES[name], "REVISION", 99)
        keys.append(small_study(name).key)
    for method in SMALL[name].methods:
        with monkeypatch.context() as patch:
            patch.setattr(ALL[method], "revision", 99)
            keys.append(small_study(name).key)
    if SMALL[name].grid:
        with monkeypatch.context() as patch:
            patch.setattr(ALL[SMALL[name].methods[0]], "param_grid", SMALL[name].grid)
            keys.append(small_study(name).key)
    assert len(set(keys)) == len(keys)


def test_a_value_with_a_revision_of_its_own_changes_its_runs_alone():
    plain = RunSpec("digits", "PS", "SYNC")
    assert not {"SYNC loss=cs", "SYNC loss=struct"} & set(plain.revisions)
    fixed = RunSpec("digits", "PS", "SYNC", params={"loss": "cs"})
    assert fixed.revisions == plain.revisions | {"SYNC loss=cs": 2}
    searched = RunSpec("digits", "PS", "SYNC", grid={"loss": ["ovo", "struct"]})
    assert searched.revisions == plain.revisions | {"SYNC loss=struct": 2}
    # A run of the earlier version opens, and would be run again.
    earlier = RunSpec.from_json(replace(fixed, revisions=plain.revisions).to_json())
    assert earlier.revisions == plain.revisions
    assert earlier.at_current_revision == fixed
