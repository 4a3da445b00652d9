"""Table 2 of the calibration paper from runs that have been made."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from zslcore.analysis.three_settings import (
    SETTINGS,
    average,
    missing_runs,
    settings_table,
    stored_runs,
)
from zslcore.datasets import load
from zslcore.datasets.facts import published
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore

LIKE = RunSpec("digits", "PS", "LinearS2V")


def row(method, task, H, calibrated, *, seed=0, origin="validated", gamma=0.1, **params):
    known = METHODS[method]().get_params() | params
    known |= {"random_state": seed} if "random_state" in known else {}
    return {
        "method": method,
        "select_for": task,
        "params": json.dumps(known),
        "params_origin": origin,
        "gamma": gamma,
        "seed": seed,
        "plain_harmonic": H,
        "calibrated_harmonic": calibrated,
    }


def test_three_figures_of_two_runs():
    runs = pd.DataFrame([row("ESZSL", "zsl", 0.1, 0.3), row("ESZSL", "gzsl", 0.2, 0.4)])
    (only,) = settings_table(runs, "CUB").to_dict("records")
    assert [only[setting] for setting in SETTINGS] == [0.1, 0.3, 0.4]
    of_paper = [only[f"{setting}_paper"] for setting in SETTINGS]
    assert of_paper == pytest.approx([0.179, 0.337, 0.339])
    assert only["plain_seeds"] == 1
    assert np.isnan(only["plain_std"])


def test_seeds_that_were_given_the_choice_of_the_first_count_and_others_do_not():
    given = {"origin": "given", "epochs": 3}
    runs = pd.DataFrame(
        [
            row("ALE", "zsl", 0.1, 0.5, epochs=3),
            row("ALE", "zsl", 0.3, 0.6, seed=1, **given),
            row("ALE", "zsl", 0.2, 0.7, seed=2, **given),
            row("ALE", "zsl", 0.2, 0.7, seed=2, **given),  # the same once more
            row("ALE", "zsl", 0.9, 0.9, seed=3, origin="given", epochs=30),  # another choice
            row("ALE", "zsl", 0.9, 0.9, seed=4, gamma=0.7, **given),  # another gamma
        ]
    )
    (only,) = settings_table(runs, None).to_dict("records")
    assert (only["plain"], only["plain_seeds"]) == (pytest.approx(0.2), 3)
    assert only["plain_std"] == pytest.approx(0.1)
    assert only["calibrated"] == pytest.approx(0.6)
    assert np.isnan(only["for_gzsl"])
    assert np.isnan(only["plain_paper"])


def test_what_was_given_by_hand_is_no_row():
    runs = pd.DataFrame([row("ESZSL", "zsl", 0.1, 0.3, origin="given")])
    assert settings_table(runs, "CUB").empty


def test_variants_stand_apart_and_the_paper_beside_the_default():
    runs = pd.DataFrame(
        [
            row("SAE", "zsl", 0.2, 0.4),
            row("SAE", "zsl", 0.1, 0.3, direction="V2S"),
            row("LinearV2S", "zsl", 0.1, 0.3),
        ]
    )
    table = settings_table(runs, "CUB")
    older = pd.DataFrame([row("SYNC", "zsl", 0.2, 0.4, tol=0.5, device="cuda")])  # other defaults
    assert settings_table(older, "CUB")["variant"].tolist() == [""]
    assert list(table["method"]) == ["LinearV2S", "SAE", "SAE"]
    assert list(table["variant"]) == ["", "", "V2S"]
    assert table["plain_paper"].notna().tolist() == [True, True, False]


def test_averages_are_over_methods_that_have_all():
    printed = published("calibration_gzsl_harmonic")
    methods = printed["method"].unique()
    runs = [row(name, task, 0.2, 0.4) for name in methods for task in ("zsl", "gzsl")]
    runs += [row("GFZSL", task, 0.9, 0.9) for task in ("zsl", "gzsl")]
    mean = average(settings_table(pd.DataFrame(runs), "CUB"))
    assert mean["methods"] == 8
    assert (mean["plain"], mean["for_gzsl"]) == (pytest.approx(0.2), pytest.approx(0.4))
    of_paper = [100 * mean[f"{setting}_paper"] for setting in SETTINGS]
    assert of_paper == pytest.approx([28.5, 41.1, 42.2], abs=0.051)


def test_runs_that_are_missing_are_made_and_then_found(tmp_path):
    data, store = load("digits"), ResultStore(tmp_path / "runs.sqlite")
    like = replace(LIKE, digest=data.digest)
    assert settings_table(stored_runs(store, like, data), None).empty
    todo = missing_runs(store, like, data, ["LinearS2V", "SAE"])
    assert [(spec.method, spec.select_for) for spec in todo] == [
        ("LinearS2V", "zsl"),
        ("LinearS2V", "gzsl"),
        ("SAE", "zsl"),
        ("SAE", "gzsl"),
    ]
    made = [store.run(spec, data, with_oracle=False)[0] for spec in todo[:2]]
    assert missing_runs(store, like, data, ["LinearS2V", "SAE"]) == todo[2:]
    (only,) = settings_table(stored_runs(store, like, data), None).to_dict("records")
    assert only["plain"] == made[0].evaluation.plain.harmonic
    assert only["for_gzsl"] == made[1].evaluation.calibrated.harmonic
    assert stored_runs(store, replace(like, features="zscore"), data).empty


def test_seeds_follow_when_the_first_has_chosen(tmp_path):
    data, store = load("digits"), ResultStore(tmp_path / "runs.sqlite")
    like = replace(LIKE, digest=data.digest)
    first = missing_runs(store, like, data, ["CMT"])[0]
    result = store.run(like, data, with_oracle=False)[0]
    chosen = METHODS["CMT"](epochs=1).get_params()  # as if it had been run
    store.put(replace(result, key=first.key, spec=first, params=chosen))
    todo = missing_runs(store, like, data, ["CMT"])
    assert [(spec.select_for, spec.seed) for spec in todo] == [
        *(("zsl", seed) for seed in (1, 2, 3, 4)),
        ("gzsl", 0),
    ]
    assert todo[0].params["epochs"] == 1
    assert todo[0].gamma == result.gamma


def test_runs_of_another_revision_are_not_mixed_in(tmp_path, monkeypatch):
    data, store = load("digits"), ResultStore(tmp_path / "runs.sqlite")
    store.run(replace(LIKE, digest=data.digest), data, with_oracle=False)
    assert len(stored_runs(store, LIKE, data)) == 1
    monkeypatch.setattr(METHODS["LinearS2V"], "revision", 99)
    assert stored_runs(store, LIKE, data).empty
