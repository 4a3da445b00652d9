"""The fairer study of action recognition: draws, methods, intervals, printed values."""

import json
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import actions as benchmark
from zslcore.analysis import action_tables
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    PAPER,
    ActionSpec,
    class_rows,
    controlled_draws,
    estimator_for,
    released_draws,
    simulated_sets,
    study_table,
)
from zslcore.analysis.overlap import study_summary
from zslcore.datasets import load
from zslcore.datasets.facts import published_table
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError
from zslcore.metrics.gain import gain_of
from zslcore.storage.records import typed


@pytest.mark.parametrize("row", published_table("action_splits").to_dict("records"))
def test_draws_have_the_printed_numbers_and_seeds_reproduce(row):
    configuration = CONFIGURATIONS[row["configuration"]]
    draws, in_set = controlled_draws(configuration), configuration.overlapping
    assert len(draws) == 30
    for draw in draws:
        assert len(draw.ouc) == row["test_overlapping"]
        assert len(draw.tuc) == row["test_non_overlapping"]
        assert len(draw.train) == row["train_classes"]
        every = np.concatenate([draw.train, draw.ouc, draw.tuc])
        np.testing.assert_array_equal(np.sort(every), np.arange(row["classes"]))
        assert in_set[draw.ouc].all()
        assert not in_set[draw.tuc].any()
    again, other = controlled_draws(configuration), controlled_draws(configuration, seed=1)
    assert all((a.ouc == b.ouc).all() for a, b in zip(draws, again, strict=True))
    assert not all((a.ouc == b.ouc).all() for a, b in zip(draws, other, strict=True))
    assert len({tuple(draw.ouc) for draw in draws}) == 30


def test_released_splits_train_on_equally_many_classes_and_differ_in_overlap():
    for configuration in CONFIGURATIONS.values():
        draws = released_draws(configuration)
        assert {len(draw.train) for draw in draws} == {configuration.n_train}
        assert len({len(draw.ouc) for draw in draws}) > 3
        with pytest.raises(ParameterError, match="1 to 50 released splits; got 51"):
            released_draws(configuration, n_draws=51)


def test_methods_have_the_parameters_that_the_paper_states():
    stated = {
        "CONSE": {"C": 0.1, "T": 5},
        "BiDiLEL": {"alpha": 10, "k": 10, "n_components": 150},
        "LATEM": {"epochs": 150, "n_matrices": 10, "violators": "one"},
        "SYNC ovo": {"lam": 2**-10, "sigma": 1, "loss": "ovo"},
        "SYNC struct": {"lam": 2**-10, "sigma": 1, "loss": "struct"},
    }
    assert list(PAPER) == list(stated)
    for method, params in stated.items():
        assert params.items() <= estimator_for(method).get_params().items()
    latem = PAPER["LATEM"].get_params()
    assert latem["learning_rate"] / latem["batch_size"] == pytest.approx(0.1)


def test_released_splits_are_used_only_with_the_method_of_table_4():
    sets = simulated_sets(CONFIGURATIONS["OS3"], ["idt"])
    both = ("controlled", "released")
    units = ActionSpec("OS3", sets, ("CONSE", "BiDiLEL"), splits=both, n_draws=2).fits()
    kinds = [(unit.method, unit.splits) for unit in units]
    assert kinds == [("CONSE", "controlled")] * 2 + [
        *[("BiDiLEL", "controlled")] * 2,
        *[("BiDiLEL", "released")] * 2,
    ]


def test_invalid_specs_are_refused_in_one_sentence():
    sets = simulated_sets(CONFIGURATIONS["OS3"], ["idt"])
    with pytest.raises(UnknownNameError, match="did you mean 'OS4'"):
        ActionSpec("OS5", sets, ("CONSE",))
    with pytest.raises(UnknownNameError, match="CONSE"):
        ActionSpec("OS1", sets, ("CONS",))
    unit = ActionSpec("OS1", simulated_sets(CONFIGURATIONS["OS1"], ["idt"]), ("CONSE",)).fits()[0]
    with pytest.raises(DatasetError, match="expected the 101 classes .* got 51 classes of HMDB51"):
        class_rows(unit, load("simulated-HMDB51"))
    with pytest.raises(DatasetError, match="got 10 classes of other data"):
        class_rows(unit, load("digits"))


def test_a_spec_is_read_unchanged_from_json():
    spec = ActionSpec("OS2", simulated_sets(CONFIGURATIONS["OS2"]), ("CONSE",), n_draws=2)
    assert typed(json.loads(json.dumps(asdict(spec))), ActionSpec) == spec


def test_extractors_and_prototypes_of_a_configuration():
    sets = simulated_sets(CONFIGURATIONS["OS2"], ["idt", "sports"])
    assert [action_set.dataset for action_set in sets] == [
        "simulated-UCF101-idt",
        "simulated-UCF101-sports",
        "simulated-UCF101-idt-vectors",
        "simulated-UCF101-sports-vectors",
    ]
    assert {simulated_set.semantics for simulated_set in simulated_sets(CONFIGURATIONS["OS3"])} == {
        "word2vec"
    }
    plain = simulated_sets(CONFIGURATIONS["OS4"], ["idt", "sports"], planted=False)
    assert [s.dataset for s in plain] == [
        "simulated-HMDB51-idt",
        "simulated-HMDB51-sports-unplanted",
    ]


@pytest.fixture(scope="module")
def study():
    """Two draws of both kinds of splits, two extractors and prototypes, quick methods.

    One method has the name of a method of the paper, to be compared with printed values.
    """
    sets = simulated_sets(CONFIGURATIONS["OS2"], ["idt", "sports"])
    spec = ActionSpec("OS2", sets, ("LinearS2V", "ESZSL"), n_draws=2)
    data = {action_set.dataset: load(action_set.dataset) for action_set in sets}
    units = spec.fits()
    units += [
        replace(unit, splits="released", draw=draw)
        for unit in units
        for draw in released_draws(CONFIGURATIONS["OS2"], n_draws=2)[unit.number :][:1]
    ]
    table = study_table(units, [class_rows(u, data[u.set.dataset]) for u in units])
    return table.assign(method=table["method"].replace("LinearS2V", "SYNC ovo"))


@pytest.mark.nightly
def test_a_study_has_every_class_of_every_draw_once(study):
    sizes = study.groupby(["splits", "draw", "features", "semantics", "method"]).size()
    assert len(sizes) == 2 * 2 * 2 * 2 * 2
    assert (sizes == 50).all()
    controlled = study[study["splits"] == "controlled"]
    assert (
        controlled.groupby(["draw", "features", "semantics", "method"])["overlapping"].sum() == 25
    ).all()


def test_gains_follow_the_formula_and_have_printed_values_next_to_them(study):
    table = action_tables.action_gains(study, "idt", configuration="OS2")
    assert len(table) == 8
    actual = table.set_index(["features", "semantics", "method"])
    key = ("sports", "attributes", "SYNC ovo")
    rows = study[(study["splits"] == "controlled") & (study["method"] == "SYNC ovo")]
    rows = rows[rows["semantics"] == "attributes"]
    gains, of_draws = {}, {}
    for features, part in rows.groupby("features"):
        side = (
            part.groupby(["class", "overlapping"])["accuracy"].mean().groupby("overlapping").mean()
        )
        gains[features] = float(gain_of(side[True], side[False]))
        per_draw = part.groupby(["draw", "overlapping"])["accuracy"].mean().unstack()
        of_draws[features] = gain_of(per_draw[True], per_draw[False])
    assert actual.loc[key, "minus"] == pytest.approx(gains["sports"] - gains["idt"])
    differences = of_draws["sports"] - of_draws["idt"]
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (actual.loc[key, "draws_low"], actual.loc[key, "draws_high"]) == pytest.approx(
        (low, high)
    )
    assert actual.loc[key, "printed"] == 0.2772
    assert actual.loc[("sports", "attributes", "ESZSL"), "printed"] != actual.loc[key, "printed"]
    of_baseline = table["features"] == "idt"
    assert table.loc[of_baseline, ["minus", "p", "p_holm", "printed"]].isna().all(axis=None)
    compared = table[~of_baseline]
    assert (compared["p_holm"] >= compared["p"]).all()
    assert compared["p_holm"].min() == pytest.approx(min(1, len(compared) * compared["p"].min()))


def test_without_a_baseline_no_difference_is_shown(study):
    with pytest.raises(ParameterError, match="Baseline: expected features of the study"):
        action_tables.action_gains(study, "pixels")
    # Imported features may have word vectors only.
    part = study[(study["semantics"] == "word2vec") | (study["features"] != "idt")]
    assert set(action_tables.action_gains(part, "idt")["semantics"]) == {"word2vec"}


def test_splits_are_side_by_side_as_in_table_4(study):
    part = study.assign(method=study["method"].replace("ESZSL", "BiDiLEL"))
    table = action_tables.accuracies_by_split(part, "OS2").set_index(["features", "semantics"])
    row = table.loc[("sports", "attributes")]
    assert (row["printed_released"], row["printed_controlled"]) == (0.205, 0.228)
    assert f"{100 * row['printed_rise']:.2f}" == "11.22"  # the paper's text states this number
    assert row["rise"] == pytest.approx(row["controlled"] / row["released"] - 1)
    assert (row["ouc_released"], row["ouc_controlled"]) == (pytest.approx(0.35, abs=0.05), 0.5)
    ours = part[(part["method"] == "BiDiLEL") & (part["features"] == "sports")]
    ours = ours[ours["semantics"] == "attributes"].groupby("splits")["accuracy"].mean()
    assert row["difference"] == pytest.approx(ours["controlled"] - ours["released"])
    assert row["low"] < row["high"]
    assert (row["low"] + row["high"]) / 2 == pytest.approx(row["difference"])
    assert action_tables.accuracies_by_split(study, "OS2").empty


@pytest.mark.parametrize("configuration", ["OS1", "OS3"])
def test_splits_of_another_pretraining_have_no_printed_values(study, configuration):
    part = study.assign(method="BiDiLEL")
    for extractor in ("sports", "idt"):
        table = action_tables.accuracies_by_split(
            part.assign(features=part["features"].replace("sports", extractor)), configuration
        )
        assert len(table)
        printed = ["printed_released", "printed_controlled", "printed_rise"]
        assert table[printed].isna().all(axis=None)


def test_the_key_of_a_fit_contains_all_its_inputs(monkeypatch):
    sets = (replace(simulated_sets(CONFIGURATIONS["OS3"], ["idt"])[0], digest="a"),)
    (unit,) = ActionSpec("OS3", sets, ("CONSE",), n_draws=1).fits()
    other_units = [
        replace(unit, set=replace(unit.set, digest="b")),
        replace(unit, seed=1),
        replace(unit, method="SYNC ovo"),
        ActionSpec("OS3", sets, ("CONSE",), n_draws=2).fits()[1],
    ]
    keys = [json.dumps(item.identity, sort_keys=True) for item in (unit, *other_units)]
    monkeypatch.setattr(PAPER["CONSE"].__class__, "revision", 99)
    keys.append(json.dumps(unit.identity, sort_keys=True))
    assert len(set(keys)) == len(keys)
    # The number of draws is not in the key: a larger study reuses the draws of a smaller one.
    monkeypatch.undo()
    assert json.dumps(replace(unit, number=7).identity, sort_keys=True) == keys[0]


# --- Simulated ground truth -----------------------------------------------------------------------


def test_only_a_planted_gain_is_found():
    """The test uses three of the 200 worlds of benchmarks/actions.py, with fewer draws."""
    none, planted = (
        pd.DataFrame([benchmark._repetition(seed, planted, n_draws=6) for seed in range(3)])
        for planted in (False, True)
    )
    assert ((none["low"] < 0) & (none["high"] > 0)).all()
    assert (planted["minus"] > none["minus"] + 0.2).all()
    assert (planted["low"] > 0).any()


def test_intervals_of_a_difference_have_nominal_coverage():
    """Of 101 classes, random ones overlap, so the true gain is 0."""
    rng, is_covered, small = np.random.default_rng(0), [], []
    for seed in range(60):
        easy = rng.uniform(0.1, 0.5, 101)
        in_set = rng.permutation(CONFIGURATIONS["OS1"].overlapping)
        parts = [
            pd.DataFrame(
                {
                    "features": features,
                    "method": "SAE",
                    "draw": 0,
                    "class": np.arange(101),
                    "overlapping": in_set,
                    "accuracy": np.clip(easy + rng.normal(0, 0.08, 101), 0, 1),
                }
            )
            for features in ("trained", "baseline")
        ]
        summary = study_summary(
            pd.concat(parts), baseline="baseline", n_resamples=200, seed=seed
        ).loc[0]
        is_covered.append(summary["minus_low"] <= 0 <= summary["minus_high"])
        small.append(summary["minus_p"] < 0.05)
    assert 0.87 <= np.mean(is_covered) <= 1
    assert np.mean(small) <= 0.1
