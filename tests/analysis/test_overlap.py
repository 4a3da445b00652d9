import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom, kstest

from tests.worlds import linear_world
from tools.shipped import classes_in_pretraining
from zslcore.analysis.overlap import (
    GAIN_METHODS,
    STUDY_COLUMNS,
    UNTRAINED,
    OverlapStudy,
    class_gains,
    draw_accuracies,
    fair_draws,
    group_gain,
    half_and_half,
    overlap_study,
    same_classes,
    study_summary,
)
from zslcore.datasets import load
from zslcore.datasets.facts import class_facts
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.jobs.studies import stored_result
from zslcore.methods import get_method
from zslcore.metrics import gain
from zslcore.metrics.gain import GROUPS, _gain_and_error, gain_of, overlap_gain

REPETITIONS = 200


def study_of_split(accuracies, overlapping, images):
    """Accuracies by features, method and class, as a study of one draw."""
    rows = [
        (0, features, method, c, c in overlapping, images[features][c], value)
        for features, of_methods in accuracies.items()
        for method, accuracy in of_methods.items()
        for c, value in accuracy.items()
    ]
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


def accuracies(rng, mean, n, deviation=0.18, images=60):
    """Class accuracies from a beta distribution, measured on a few images each."""
    k = mean * (1 - mean) / deviation**2 - 1
    return rng.binomial(images, rng.beta(mean * k, (1 - mean) * k, n)) / images


def test_the_formula_of_the_paper():
    gain = overlap_gain([0.9, 0.7, 0.4, 0.2], np.array([True, True, False, False]))
    assert gain.acc_ouc == gain.overlap == pytest.approx(0.8)
    assert gain.acc_tuc == gain.clean == pytest.approx(0.3)
    assert gain.gain == pytest.approx((0.8 - 0.3) / 0.55)
    assert gain.all == pytest.approx(0.55)
    assert gain.all_minus_clean == pytest.approx(0.25)
    # Of the six ways to choose two of four classes, two give a difference this large.
    assert gain.p == pytest.approx(2 / 6)


@pytest.mark.parametrize(
    ("n_ouc", "n_tuc", "ouc", "tuc"),
    [(25, 25, 0.6, 0.45), (12, 13, 0.6, 0.45), (6, 4, 0.6, 0.45), (10, 40, 0.7, 0.3)],
)
def test_the_interval_covers_a_known_boost(n_ouc, n_tuc, ouc, tuc):
    rng = np.random.default_rng(1)
    truth, covered = gain_of(ouc, tuc), 0
    for k in range(REPETITIONS):
        values = np.concatenate([accuracies(rng, ouc, n_ouc), accuracies(rng, tuc, n_tuc)])
        in_set = np.arange(n_ouc + n_tuc) < n_ouc
        low, high = overlap_gain(values, in_set, n_resamples=500, seed=k).interval
        covered += low <= truth <= high
    assert 0.90 <= covered / REPETITIONS <= 0.99


@pytest.mark.nightly
@pytest.mark.parametrize(("n_ouc", "n_tuc"), [(25, 25), (6, 4)])
def test_the_interval_covers_a_known_boost_over_a_baseline(n_ouc, n_tuc):
    """Classes are equally hard in both feature sets, and only the first overlaps with training."""
    rng = np.random.default_rng(4)
    in_set = np.arange(n_ouc + n_tuc) < n_ouc
    truth, covered = gain_of(0.65, 0.45), 0
    for k in range(REPETITIONS // 2):
        hard = rng.normal(scale=0.1, size=len(in_set))
        values = {
            name: np.clip(mean + hard + rng.normal(scale=0.08, size=len(in_set)), 0, 1)
            for name, mean in (("deep", np.where(in_set, 0.65, 0.45)), ("plain", 0.4))
        }
        accuracies_of = {f: {"M": dict(enumerate(v))} for f, v in values.items()}
        images = {f: dict.fromkeys(range(len(in_set)), 60) for f in accuracies_of}
        study = study_of_split(accuracies_of, set(np.flatnonzero(in_set).tolist()), images)
        table = study_summary(study, baseline="plain", n_resamples=400, seed=k).set_index(
            "features"
        )
        covered += table.loc["deep", "minus_low"] <= truth <= table.loc["deep", "minus_high"]
    assert 0.90 <= covered / (REPETITIONS // 2) <= 0.99


@pytest.mark.parametrize("columns", [1, 2])
def test_the_error_of_a_gain_equals_its_deviation_over_samples(columns):
    rng = np.random.default_rng(5)
    hard = rng.normal(scale=0.1, size=(2, 4000, 40, 1))
    noise = rng.normal(scale=0.04, size=(2, 4000, 40, columns))
    A, B = np.array([[0.6], [0.4]])[:, None, None] + hard + noise
    gains, errors = _gain_and_error(A, B)
    assert errors.mean() == pytest.approx(gains.std(), rel=0.05)


@pytest.mark.parametrize(("n_ouc", "n_tuc"), [(25, 25), (6, 4)])
def test_p_is_uniform_without_a_boost(n_ouc, n_tuc):
    rng = np.random.default_rng(2)
    in_set = np.arange(n_ouc + n_tuc) < n_ouc
    p = [
        overlap_gain(accuracies(rng, 0.5, len(in_set)), in_set, n_resamples=500, seed=k).p
        for k in range(REPETITIONS)
    ]
    assert kstest(p, "uniform").pvalue > 0.01
    assert binom.cdf(sum(np.array(p) <= 0.05), REPETITIONS, 0.05) < 0.999


def test_exact_and_sampled_permutations_agree():
    rng = np.random.default_rng(4)
    values, in_set = rng.random(16), np.arange(16) < 8

    exact = overlap_gain(values, in_set).p
    before, gain.EXACT = gain.EXACT, 0
    try:
        some = gain._permutation_p(values, in_set, 20_000, rng)
    finally:
        gain.EXACT = before
    assert some == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(("n", "p"), [(20_000, 1 / 20_000), (20_001, 1 / 10)])
def test_up_to_20_000_permutations_are_enumerated_and_more_are_sampled(n, p):
    """The only overlapping class is the best class, so every other choice has a smaller gain."""
    in_set = np.arange(n) == 0
    assert overlap_gain(in_set.astype(float), in_set, n_resamples=9).p == pytest.approx(p)


@pytest.mark.parametrize("n_resamples", [1, 99])
def test_the_sample_is_one_of_its_permutations(n_resamples):
    in_set = np.arange(50) < 25
    best = overlap_gain(in_set.astype(float), in_set, n_resamples=n_resamples)
    assert best.p == pytest.approx(1 / (n_resamples + 1))
    equal = overlap_gain(np.full(50, 0.5), in_set, n_resamples=n_resamples)
    assert equal.p == 1


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(0, 1), min_size=4, max_size=12),
    data=st.data(),
    factor=st.floats(0.1, 1),
)
def test_the_gain_changes_sign_with_the_groups_and_ignores_scale(values, data, factor):
    n = len(values)
    in_set = np.zeros(n, bool)
    in_set[data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1).map(list))] = True
    gain = overlap_gain(values, in_set, n_resamples=50)
    assert -2 - 1e-9 <= gain.gain <= 2 + 1e-9
    assert 0 < gain.p <= 1
    other = overlap_gain(values, ~in_set, n_resamples=50)
    assert other.gain == pytest.approx(-gain.gain)
    assert gain.all == pytest.approx(np.mean(values))
    if min(values) > 1e-3:  # a common factor cancels in a relative gain
        scaled = overlap_gain(np.array(values) * factor, in_set, n_resamples=50)
        assert scaled.gain == pytest.approx(gain.gain)


def test_mappings_and_arrays_give_the_same_gain():
    values = {7: 0.9, 3: 0.5, 5: 0.4, 1: 0.2}
    gain = overlap_gain(values, [7, 3])
    assert gain.gain == pytest.approx(
        overlap_gain([0.2, 0.5, 0.4, 0.9], np.array([0, 1, 0, 1]) > 0).gain
    )


def test_one_class_on_a_side_has_no_interval_over_classes():
    gain = overlap_gain([0.9, 0.4, 0.2], np.array([True, False, False]))
    assert np.isnan(gain.interval).all()
    assert gain.p == pytest.approx(1 / 3)


def test_two_classes_on_a_side_have_an_interval():
    gain = overlap_gain([0.9, 0.6, 0.4, 0.2], np.array([True, True, False, False]))
    assert -2 <= gain.interval[0] < gain.gain < gain.interval[1] <= 2


def test_without_variation_the_interval_is_the_gain():
    gain = overlap_gain([0.6, 0.6, 0.2, 0.2], np.array([True, True, False, False]))
    assert gain.interval == (gain.gain, gain.gain)
    assert gain.gain == pytest.approx(1)


def test_an_interval_is_within_the_range_of_gains():
    in_set = np.arange(4) < 2
    assert overlap_gain([1.0, 0.1, 1.0, 0.1], in_set).interval == (-2, 2)
    values = [0.9, 0.0, 0.5, 0.0]
    accuracies_of = {
        "deep": {"M": dict(enumerate(values))},
        "plain": {"M": dict(enumerate(values[::-1]))},
    }
    study = study_of_split(
        accuracies_of, {0, 1}, {f: dict.fromkeys(range(4), 5) for f in accuracies_of}
    )
    deep = study_summary(study, baseline="plain").loc[0]
    assert (deep["minus_low"], deep["minus_high"]) == (-4, 4)


def test_without_right_predictions_the_gain_is_zero():
    gain = overlap_gain(np.zeros(6), np.arange(6) < 3)
    assert (gain.gain, gain.interval, gain.p) == (0, (0, 0), 1)


@pytest.mark.parametrize(
    ("values", "overlapping"),
    [
        ([-0.1, 0.2], [True, False]),
        ([0.1, 0.2], [True, True]),
        ([0.1, 0.2], [False, False]),
        ([0.1, 1.2], [True, False]),
        ([0.1, np.nan], [True, False]),
        ([0.1, 0.2], [True]),
        ([0.1, 0.2], [1, 0]),
    ],
)
def test_data_without_a_defined_gain_are_refused(values, overlapping):
    with pytest.raises(DatasetError):
        overlap_gain(values, np.array(overlapping))


def test_overlapping_classes_need_an_accuracy():
    with pytest.raises(DatasetError, match="without an accuracy"):
        overlap_gain({1: 0.2, 2: 0.3}, [1, 9])


# --- The study ------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [{"n_ouc": 70}, {"n_tuc": 41}, {"n_train": 60}, {"n_ouc": 0}])
def test_impossible_draws_are_refused(wrong):
    with pytest.raises(ParameterError, match="Cannot draw"):
        fair_draws(np.arange(101) < 61, **{"n_ouc": 25, "n_tuc": 25, "n_train": 51} | wrong)


def test_fair_draws_are_reproducible_and_use_the_requested_numbers():
    overlapping = np.array([True, False, True, False, True])
    (draw,) = fair_draws(overlapping, n_ouc=3, n_tuc=1, n_draws=1)
    assert (draw.ouc.tolist(), len(draw.tuc), len(draw.train)) == ([0, 2, 4], 1, 1)
    (draw,) = fair_draws(overlapping, n_ouc=1, n_tuc=1, n_train=1, n_draws=1)
    assert len({*draw.ouc, *draw.tuc, *draw.train}) == 3
    draws = fair_draws(np.arange(60) < 30, n_ouc=10, n_tuc=10)
    assert len(draws) == 30
    for draw in draws:
        for part in (draw.ouc, draw.tuc, draw.train):
            assert (np.diff(part) > 0).all()
    for a, b in zip(draws, fair_draws(np.arange(60) < 30, n_ouc=10, n_tuc=10, seed=0), strict=True):
        np.testing.assert_array_equal(a.ouc, b.ouc)


@pytest.fixture(scope="module")
def study():
    """Two feature sets: in the first some classes are tighter, in the second none."""
    plain = linear_world(n_seen=14, n_unseen=6, n_per_class=10, noise=2.0, seed=3)
    in_set = np.arange(20) % 2 == 0
    rng = np.random.default_rng(0)
    clear = linear_world(n_seen=14, n_unseen=6, n_per_class=10, noise=0.0, seed=3)
    noise = np.where(in_set[clear.labels], 0.2, 3.0)[:, None] * rng.normal(
        size=clear.features.shape
    )
    features = (clear.features + noise).astype(np.float32)
    deep = replace(clear, name="deep", features=features, known_digest="")
    draws = fair_draws(in_set, n_ouc=4, n_tuc=4, n_draws=6)
    methods = {"ESZSL": get_method("ESZSL")(gamma=1.0, lam=1.0)}
    return overlap_study(methods, {"deep": deep, "plain": plain}, draws)


def test_a_study_has_every_class_of_every_draw(study):
    assert len(study) == 2 * 6 * 8
    assert study["accuracy"].between(0, 1).all()
    assert (study["images"] == 10).all()
    assert (study.groupby(["features", "draw"])["overlapping"].sum() == 4).all()


def test_a_boost_in_one_feature_set_is_detected_over_the_baseline(study):
    table = study_summary(study, baseline="plain").set_index("features")
    assert table.loc["deep", "gain"] > 0.2
    assert table.loc["deep", "p_holm"] < 0.05
    assert table.loc["deep", "minus_low"] > 0
    assert table.loc["deep", "minus_low"] < table.loc["deep", "gain_minus_baseline"]
    assert table.loc["plain", "gain_minus_baseline"] == 0
    difference = table.loc["deep", "gain"] - table.loc["plain", "gain"]
    assert table.loc["deep", "gain_minus_baseline"] == pytest.approx(difference)


def test_a_summary_counts_a_class_once(study):
    deep = study[study["features"] == "deep"]
    twice = pd.concat([deep, deep.assign(draw=deep["draw"] + 6)])
    a, b = study_summary(deep), study_summary(twice)
    pd.testing.assert_frame_equal(
        a.drop(columns="draw_deviation"), b.drop(columns="draw_deviation")
    )


def test_a_summary_has_the_documented_values(study):
    table = study_summary(study)
    columns = "features method acc_ouc acc_tuc all all_minus_clean gain low high p p_holm "
    assert table.columns.tolist() == f"{columns} draw_mean draw_deviation".split()
    over = study_summary(study, baseline="plain").columns
    assert over[13:].tolist() == ["gain_minus_baseline", "minus_low", "minus_high", "minus_p"]
    pd.testing.assert_frame_equal(table, study_summary(study, n_resamples=2000, seed=0))
    deep = study[study["features"] == "deep"]
    gains = [
        gain_of(
            draw.loc[draw["overlapping"], "accuracy"].mean(),
            draw.loc[~draw["overlapping"], "accuracy"].mean(),
        )
        for _, draw in deep.groupby("draw")
    ]
    assert table.loc[0, "draw_mean"] == pytest.approx(np.mean(gains))
    assert table.loc[0, "draw_deviation"] == pytest.approx(np.std(gains, ddof=1))
    summary = study_summary(deep[deep["draw"] == 0])
    assert (summary.loc[0, "draw_mean"], summary.loc[0, "draw_deviation"]) == (
        pytest.approx(gains[0]),
        0,
    )


def test_p_is_adjusted_over_the_methods_of_the_same_features():
    accuracy = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.2, 4: 0.1, 5: 0.0}
    accuracies_of = {"deep": {"A": accuracy, "B": accuracy}, "plain": {"A": accuracy}}
    study = study_of_split(
        accuracies_of, {0, 1, 2}, {f: dict.fromkeys(range(6), 5) for f in accuracies_of}
    )
    table = study_summary(study)
    assert table["p"].tolist() == pytest.approx([0.1] * 3)
    assert table["p_holm"].tolist() == pytest.approx([0.2, 0.2, 0.1])


def test_a_method_that_the_baseline_lacks_has_no_difference():
    accuracy = {0: 0.9, 1: 0.8, 2: 0.2, 3: 0.1}
    accuracies_of = {"deep": {"A": accuracy, "B": accuracy}, "plain": {"A": accuracy}}
    study = study_of_split(
        accuracies_of, {0, 1}, {f: dict.fromkeys(range(4), 5) for f in accuracies_of}
    )
    table = study_summary(study, baseline="plain").set_index(["features", "method"])
    columns = ["gain_minus_baseline", "minus_low", "minus_high"]
    assert table.loc[("deep", "B"), columns].isna().all()
    assert (table.loc[("plain", "A"), columns] == 0).all()
    assert table.loc[("deep", "A"), "gain_minus_baseline"] == 0


def test_a_missing_baseline_is_refused(study):
    with pytest.raises(ParameterError, match="Baseline: expected one of"):
        study_summary(study, baseline="idt")


def test_progress_counts_every_fit():
    events = []
    world = linear_world(n_seen=6, n_unseen=2, n_per_class=4)
    draws = fair_draws(np.arange(8) % 2 == 0, n_ouc=2, n_tuc=2, n_draws=3)
    methods = {"ESZSL": get_method("ESZSL")(), "LinearS2V": get_method("LinearS2V")()}
    overlap_study(methods, {"x": world}, draws, progress=lambda *event: events.append(event))
    assert events == [(k, 6, f"Fit {k} of 6") for k in range(1, 7)]


def test_the_seed_of_a_draw_seeds_the_method():
    world = linear_world(n_seen=6, n_unseen=2, n_per_class=10, noise=2.0)
    (draw,) = fair_draws(np.arange(8) % 2 == 0, n_ouc=2, n_tuc=2, n_draws=1)
    seeds = (0, 1, 2, 0)
    results = [draw_accuracies(get_method("ALE")(epochs=1), world, draw, k) for k in seeds]
    assert results[0] == results[3]
    assert len({*map(tuple, results)}) > 1


def test_one_class_on_a_side_has_no_interval_over_a_baseline():
    accuracies_of = {f: {"M": {0: 0.9, 1: 0.4, 2: 0.2}} for f in ("deep", "plain")}
    study = study_of_split(
        accuracies_of, {0}, {f: dict.fromkeys(range(3), 5) for f in accuracies_of}
    )
    table = study_summary(study, baseline="plain").set_index("features")
    assert np.isnan(table.loc["deep", "minus_low"])
    assert table.loc["deep", "gain_minus_baseline"] == 0


def test_features_of_the_same_classes_are_found_in_any_spelling():
    names = class_facts("AWA2").classes["class"].tolist()
    assert same_classes(names, class_facts("AWA1").classes["class"])
    assert same_classes(names, [name.replace(" ", "+") for name in names])
    assert not same_classes(names, names[::-1])
    assert not same_classes(names, class_facts("CUB").classes["class"])


def test_half_and_half_draws_test_at_most_a_fifth_of_the_classes():
    draws = half_and_half(np.arange(50) < 30)
    assert len(draws) == 30
    assert {(len(d.ouc), len(d.tuc), len(d.train)) for d in draws} == {(5, 5, 40)}
    few = half_and_half(np.arange(200) < 9)[0]
    assert (len(few.ouc), len(few.tuc)) == (4, 4)
    with pytest.raises(ParameterError, match="got 3 and 7"):
        half_and_half(np.arange(10) < 3)
    with pytest.raises(ParameterError, match="got 7 and 3"):
        half_and_half(np.arange(10) < 7)
    fewest = half_and_half(np.arange(8) < 4, n_draws=2)
    assert [(len(d.ouc), len(d.tuc), len(d.train)) for d in fewest] == [(2, 2, 4)] * 2
    assert {len(d.ouc) for d in half_and_half(np.arange(200) < 191)} == {4}
    np.testing.assert_array_equal(
        half_and_half(np.arange(8) < 4)[0].ouc, half_and_half(np.arange(8) < 4, seed=0)[0].ouc
    )


# --- Gains of classes: coverage of the interval, and the planted effect ---------------------------


def study_of(rng, boost, n_classes=40, n_draws=12):
    """Accuracies on two feature sets; classes with even numbers gain by a fixed amount."""
    hard = rng.uniform(0.1, 0.3, n_classes)
    rows = []
    for k in range(n_draws):
        for c in rng.choice(n_classes, 10, replace=False):
            without = hard[c] + rng.normal(0, 0.05)
            in_set = c % 2 == 0
            added = 0.2 + boost * in_set + rng.normal(0, 0.05)
            for features, accuracy in (("deep", without + added), ("plain", without)):
                rows.append((k, features, "ESZSL", int(c), in_set, 20, accuracy))
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


def test_gains_and_intervals_equal_a_plain_loop():
    study = study_of(np.random.default_rng(3), 0.1)
    names = [f"class {c}" for c in range(40)]
    table = class_gains(study, "deep", "plain", "ESZSL", names, related=[1, 2, 5])
    assert (np.diff(table["gain"]) <= 0).all()
    assert set(table["number"]) == set(study["class"])
    for row in table.to_dict("records"):
        class_rows = study[study["class"] == row["number"]]
        deep, plain = (
            class_rows[class_rows["features"] == f].set_index("draw")["accuracy"]
            for f in ("deep", "plain")
        )
        d = [deep[k] - plain[k] for k in deep.index]
        assert row["class"] == names[row["number"]]
        other = "related" if row["number"] in (1, 5) else "unrelated"
        assert row["group"] == ("in the set" if row["number"] % 2 == 0 else other)
        assert row["draws"] == len(d)
        assert row["gain"] == pytest.approx(sum(d) / len(d))
        assert row["accuracy"] - row["baseline"] == pytest.approx(row["gain"])
        if len(d) == 1:
            assert math.isnan(row["low"])
            continue
        deviation = math.sqrt(sum((x - row["gain"]) ** 2 for x in d) / (len(d) - 1))
        reach = stats.t.ppf(0.975, len(d) - 1) * deviation / math.sqrt(len(d))
        assert row["low"] == pytest.approx(row["gain"] - reach)
        assert row["high"] == pytest.approx(row["gain"] + reach)


def test_the_difference_equals_the_formula_of_welch():
    table = class_gains(
        study_of(np.random.default_rng(5), 0.1), "deep", "plain", "ESZSL", range(40), [1, 3, 5, 7]
    )
    gain = group_gain(table)
    a, c, b = (table.loc[table["group"] == group, "gain"].to_numpy() for group in GROUPS)
    assert len(c) == 4
    assert (gain.inside, gain.related) == pytest.approx((a.mean(), c.mean()))
    assert gain.unrelated == pytest.approx(b.mean())
    assert gain.others == pytest.approx(np.concatenate([b, c]).mean())
    of_a, of_b = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    degrees = (of_a + of_b) ** 2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(of_a + of_b)
    assert gain.difference == pytest.approx(a.mean() - b.mean())
    assert (gain.low, gain.high) == pytest.approx(
        (gain.difference - reach, gain.difference + reach)
    )
    assert gain.is_significant
    assert gain.p < 0.05


@pytest.mark.nightly
def test_the_interval_of_the_difference_covers_a_known_difference():
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        table = class_gains(study_of(rng, 0.1), "deep", "plain", "ESZSL", range(40))
        gain = group_gain(table)
        covered += gain.low <= 0.1 <= gain.high
    assert 182 <= covered <= 198  # 95 % of 200, within 2.6 standard deviations


def test_a_study_without_the_baseline_or_with_one_kind_of_classes_is_refused():
    study = study_of(np.random.default_rng(3), 0.1)
    with pytest.raises(ParameterError, match="expected results with other"):
        class_gains(study, "deep", "other", "ESZSL", range(40))
    table = class_gains(study, "deep", "plain", "ESZSL", range(40))
    with pytest.raises(DatasetError, match="two classes"):
        group_gain(table[table["group"] == "in the set"])
    related = class_gains(study, "deep", "plain", "ESZSL", range(40), range(1, 39, 2))
    with pytest.raises(DatasetError, match="two unrelated ones; got [0-9]+ and 1"):
        group_gain(related)


@pytest.mark.parametrize("name", UNTRAINED)
def test_classes_in_the_set_gain_more_only_with_the_planted_effect(own_data, name, precomputed):
    data, baseline = load(name), UNTRAINED[name]
    sets = [data, load(baseline)]
    study = stored_result(OverlapStudy.of(sets, GAIN_METHODS, classes_in_pretraining(data), 30))
    # LinearS2V learns nothing from HMDB51's word vectors.
    methods = [m for m in GAIN_METHODS if "HMDB51" not in name or m != "LinearS2V"]
    for method in methods:
        gain = group_gain(class_gains(study, name, baseline, method, data.class_names))
        assert gain.is_significant == (not name.endswith("-unplanted")), method
        assert gain.is_significant == (gain.low > 0), method
