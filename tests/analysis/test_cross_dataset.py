import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel, wilcoxon

from tests.worlds import linear_world
from zslcore.analysis.cross_dataset import (
    PRINTED_CLAIM,
    CrossFit,
    add_printed,
    check_pair,
    cross_accuracy,
    cross_table,
    cross_tests,
    explain_claim,
    printed_table,
)
from zslcore.datasets.base import Fold, Split
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.methods import METHODS, LinearS2V
from zslcore.results.store import ResultStore


def world(name, seed=0, shift=0.0, **options):
    """Make a linear world with the same classes for every ``seed``, which only draws the images."""
    world = linear_world(noise=1.0, n_per_class=20, **options)
    rng = np.random.default_rng(seed)
    X = world.features + shift + 0.5 * rng.normal(size=world.features.shape)
    return replace(world, name=name, features=X.astype(np.float32))


ONE, TWO = world("one", 1), world("two", 2, shift=0.3)


def spec_on(train, method="ESZSL", **options):
    return RunSpec(train.name, "PS", method, **options)


def renumbered(data, order):
    """The same images with renumbered classes: class ``order[k]`` becomes class k."""
    number = np.argsort(order)
    split = data.splits["PS"]
    parts = {
        name: getattr(split, name) for name in ("trainval", "test_seen", "test_unseen", "folds")
    }
    labels = number[data.labels]
    return replace(
        data,
        labels=labels,
        prototypes=data.prototypes[order],
        class_names=tuple(data.class_names[c] for c in order),
        splits=[Split.from_rows("PS", labels, **parts)],
    )


# --- One fit, several test sets -------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["ESZSL", "SAE", "GFZSL", "CMT*"])
def test_a_test_on_the_same_data_set_equals_the_protocol(method):
    params = {"epochs": 2} if method == "CMT*" else {}
    spec = spec_on(ONE, method, params=params, select_for="zsl")
    ours = cross_accuracy(spec, ONE, [ONE, TWO])
    run = runs.run(spec, ONE, with_oracle=False).result
    assert ours.evaluations["one"] == run.evaluation
    assert (ours.params, ours.gamma) == (run.params, run.gamma)
    assert ours.evaluations["two"] != run.evaluation


def test_accuracy_on_the_other_data_set_equals_a_fit_by_hand():
    spec = spec_on(
        ONE, "LinearS2V", params={"lam": 0.01}, gamma=0.2, features="zscore", prototypes="none"
    )
    ours = cross_accuracy(spec, ONE, [TWO]).evaluations["two"]
    train, test = ONE.split("PS").trainval, TWO.split("PS").test_unseen
    mean, deviation = ONE.features[train].mean(axis=0), ONE.features[train].std(axis=0)
    model = LinearS2V(lam=0.01).fit(
        (ONE.features[train] - mean) / deviation, ONE.labels[train], ONE.prototypes[:8]
    )
    X = (TWO.features[test] - mean) / deviation
    right = 8 + model.predict(X, ONE.prototypes[8:]) == TWO.labels[test]
    by_class = {c: right[TWO.labels[test] == c].mean() for c in range(8, 12)}
    assert ours.per_class_zsl == pytest.approx(by_class)
    assert ours.zsl == pytest.approx(np.mean(list(by_class.values())))


def test_the_class_order_of_the_other_data_set_has_no_effect():
    order = np.random.default_rng(5).permutation(TWO.n_classes)
    spec = spec_on(ONE)
    plain = cross_accuracy(spec, ONE, [TWO]).evaluations
    assert cross_accuracy(spec, ONE, [renumbered(TWO, order)]).evaluations == plain


def test_the_test_set_is_not_used_before_the_test():
    """Other labels, prototypes and folds in the test set do not change the fit."""
    split, rng = TWO.splits["PS"], np.random.default_rng(0)
    labels = TWO.labels.copy()
    for rows in (split.trainval, split.test_seen, split.test_unseen):
        labels[rows] = rng.permutation(labels[rows])
    rows = {name: getattr(split, name) for name in ("trainval", "test_seen", "test_unseen")}
    folds = [Fold(fold.val, fold.train) for fold in split.folds]
    scrambled = replace(
        TWO,
        labels=labels,
        prototypes=rng.random(TWO.prototypes.shape),
        splits=[Split.from_rows("PS", labels, **rows, folds=folds)],
    )
    features = TWO.features.copy()
    features[split.trainval] = np.nan
    blind = replace(TWO, features=features)
    spec = spec_on(ONE, select_for="gzsl")
    honest = cross_accuracy(spec, ONE, [ONE, TWO])
    other = cross_accuracy(spec, ONE, [ONE, scrambled])
    assert (other.params, other.gamma) == (honest.params, honest.gamma)
    assert other.evaluations["one"] == honest.evaluations["one"]
    assert other.evaluations["two"].zsl < honest.evaluations["two"].zsl
    assert cross_accuracy(spec, ONE, [ONE, blind]).evaluations == honest.evaluations


def test_a_result_is_read_unchanged_from_json():
    result = cross_accuracy(spec_on(ONE), ONE, [ONE, TWO])
    again = CrossFit.SCHEMA.load(CrossFit.SCHEMA.dump(result))
    assert again == result
    assert list(again.evaluations) == ["one", "two"]


def without_classes(data, *, keep):
    split = data.splits["PS"]
    held_out = np.setdiff1d(split.test_unseen, np.flatnonzero(data.labels >= keep))
    rows = {name: getattr(split, name) for name in ("trainval", "test_seen")}
    return replace(data, splits=[Split.from_rows("PS", data.labels, **rows, test_unseen=held_out)])


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (world("wide", n_features=21), "needs the same number of features; got 20 and 21."),
        (world("more", n_unseen=5), "got 12 and 13 with 12 in common, not in both: class 12."),
        (replace(TWO, class_names=["class 0", *TWO.class_names[:-1]]), "each once; got 12 and 12"),
        (without_classes(TWO, keep=11), "the same unseen classes in both; got 1 class in only"),
    ],
)
def test_incompatible_data_sets_are_refused_in_one_sentence(other, sentence):
    for how in (
        lambda: check_pair(ONE, other, "PS"),
        lambda: cross_accuracy(spec_on(ONE), ONE, [ONE, other]),
        lambda: cross_table(ONE, other, ["ESZSL"]),
    ):
        with pytest.raises(DatasetError) as refusal:
            how()
        assert sentence in str(refusal.value)
        assert ONE.name in str(refusal.value)
        assert other.name in str(refusal.value)


def test_a_spec_for_other_data_is_refused():
    with pytest.raises(DatasetError, match="expected data of that name; got one"):
        cross_accuracy(spec_on(TWO), ONE, [TWO])
    with pytest.raises(DatasetError, match="expected data 0123"):
        cross_accuracy(spec_on(ONE, digest="0123"), ONE, [TWO])


# --- The table ------------------------------------------------------------------------------------


def test_the_table_has_four_cells_per_method_and_printed_columns_first():
    table = cross_table(ONE, TWO, ["ESZSL", "GFZSL"])
    cells = [("one", "one"), ("one", "two"), ("two", "two"), ("two", "one")]
    assert list(table.columns[:4]) == ["method", "train_dataset", "test_dataset", "top1_per_class"]
    assert list(zip(table["train_dataset"], table["test_dataset"], strict=True)) == 2 * cells
    expected = cross_accuracy(spec_on(TWO, "GFZSL", select_for="zsl"), TWO, [ONE]).evaluations
    last = table.iloc[-1]
    assert last["top1_per_class"] == expected["one"].zsl
    assert last["calibrated_harmonic"] == expected["one"].calibrated.harmonic
    assert set(table["select_for"]) == {"zsl"}
    assert set(table["params_origin"]) == set(table["gamma_origin"]) == {"validated"}
    assert json.loads(last["params"]).keys() >= {"lam_mean"}


def test_every_inductive_method_that_fits_the_data_is_in_the_table_by_default(monkeypatch):
    done = []
    result = cross_accuracy(spec_on(ONE, "LinearS2V"), ONE, [ONE])
    monkeypatch.setattr(
        "zslcore.analysis.cross_dataset.cross_accuracy",
        lambda spec, *_, **__: done.append(spec.method) or result,
    )
    cross_table(ONE, TWO)
    fast = {n for n, method in METHODS.items() if method.card.family != "feature generating"}
    assert set(done) == fast - {"PrototypeCosine"}
    done.clear()
    cross_table(world("a", n_features=6), world("b", n_features=6))
    assert "PrototypeCosine" in done


def test_data_sets_with_different_features_are_tested_only_on_themselves():
    wide = world("wide", n_features=21)
    table = cross_table(ONE, wide, ["ESZSL"], across=False)
    assert list(table["train_dataset"]) == list(table["test_dataset"]) == ["one", "wide"]


def test_two_data_sets_of_one_name_are_refused():
    with pytest.raises(DatasetError, match="two different data sets to compare; got .* twice"):
        cross_table(ONE, ONE, ["ESZSL"])


def test_an_interrupted_computation_resumes(tmp_path, monkeypatch):
    store, methods = ResultStore(tmp_path / "runs.sqlite"), ["ESZSL", "GFZSL"]

    def stop(done, total, message):
        assert total == 4
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_table(ONE, TWO, methods, store=store, progress=stop)
    assert len(store.study_results(["crossed"])) == 3
    fitted = []
    monkeypatch.setattr(
        "zslcore.analysis.cross_dataset.cross_accuracy",
        lambda spec, *args, **how: fitted.append(spec) or cross_accuracy(spec, *args, **how),
    )
    seen = []
    resumed = cross_table(ONE, TWO, methods, store=store, progress=lambda *step: seen.append(step))
    assert [(spec.method, spec.dataset) for spec in fitted] == [("GFZSL", "two")]
    assert [step[0] for step in seen] == sorted(step[0] for step in seen)
    assert seen[-1] == (4, 4, "GFZSL on two")
    pd.testing.assert_frame_equal(
        resumed.drop(columns="seconds"), cross_table(ONE, TWO, methods).drop(columns="seconds")
    )


def test_a_damaged_result_is_computed_again(tmp_path):
    store = ResultStore(tmp_path / "runs.sqlite")
    first = cross_table(ONE, TWO, ["ESZSL"], store=store)
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE results SET result = substr(result, 1, 50)")
    again = cross_table(ONE, TWO, ["ESZSL"], store=store)
    pd.testing.assert_frame_equal(first.drop(columns="seconds"), again.drop(columns="seconds"))
    cross_table(ONE, world("two", 3), ["ESZSL"], store=store)
    assert len(store.study_results(["crossed"])) == 4


# --- Tests of the table ---------------------------------------------------------------------------


def columns():
    """The columns of the table as printed in the paper."""
    table = printed_table()
    cells = table.pivot_table(
        index="method", columns=["train_dataset", "test_dataset"], values="top1_per_class"
    )
    order = (("AWA1", "AWA1"), ("AWA1", "AWA2"), ("AWA2", "AWA2"), ("AWA2", "AWA1"))
    return [cells[key].to_numpy() for key in order]


def test_the_printed_p_belongs_to_pairs_with_the_same_training_set():
    first, second, three, four = columns()
    other = cross_tests(printed_table())["test set"]
    done = ttest_rel(np.concatenate([first, four]), np.concatenate([second, three]))
    assert other.p == pytest.approx(done.pvalue)
    assert round(other.p, PRINTED_CLAIM.decimals) == PRINTED_CLAIM.p
    text = explain_claim(cross_tests(printed_table()))
    assert "does not follow" in text
    assert "24 pairs give p = 0.35" in text
    assert "gives for the test set (p = 0.0072)" in text


def test_in_the_printed_table_training_sets_change_accuracy_more():
    first, second, three, four = columns()
    size = cross_tests(printed_table())["larger"]
    training = np.abs(np.concatenate([second - three, first - four]))
    testing = np.abs(np.concatenate([first - second, three - four]))
    assert size.p == pytest.approx(ttest_rel(training, testing).pvalue)
    assert size.wilcoxon_p == pytest.approx(wilcoxon(np.round(training - testing, 9)).pvalue)
    assert round(size.p, 3) == 0.003
    assert size.mean_difference == pytest.approx(0.0145)


def cross_table_of(training, testing, n=6):
    """A table in which both the training set and the test set change the results."""
    rng = np.random.default_rng(0)
    rows = []
    for m in range(n):
        base, noise = rng.uniform(0.4, 0.6), rng.normal(0, 1e-3, 4)
        for k, (i, j) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
            accuracy = base - i * training - j * testing + noise[k]
            rows.append((f"method {m}", f"set {i}", f"set {j}", accuracy))
    return pd.DataFrame(rows, columns=printed_table().columns)


@pytest.mark.parametrize("matters", ["training set", "test set"])
def test_a_planted_difference_is_found(matters):
    is_training = matters == "training set"
    tests = cross_tests(
        cross_table_of(0.05 * is_training, 0.05 * (not is_training)), "set 0", "set 1"
    )
    other = tests["test set" if is_training else "training set"]
    assert tests[matters].mean_difference == pytest.approx(0.05, abs=2e-3)
    assert tests[matters].p < 1e-6 < other.p
    assert tests[matters].rank_biserial == 1
    assert np.sign(tests["larger"].mean_difference) == (1 if is_training else -1)


def test_exchanging_the_sets_changes_only_signs():
    forward, back = (
        cross_tests(printed_table(), *pair) for pair in (("AWA1", "AWA2"), ("AWA2", "AWA1"))
    )
    for question, sign in (("training set", -1), ("test set", -1), ("larger", 1)):
        assert back[question].mean_difference == pytest.approx(
            sign * forward[question].mean_difference
        )
        assert back[question].p == pytest.approx(forward[question].p)


def test_methods_without_all_four_accuracies_are_left_out():
    table = cross_table_of(0.0, 0.0)
    assert cross_tests(table[1:], "set 0", "set 1")["larger"].pairs == 10
    with pytest.raises(DatasetError, match="two methods with all four accuracies; got 0"):
        cross_tests(table, "set 0", "set 3")


def test_methods_with_the_same_accuracies_count_once():
    table = cross_table_of(0.0, 0.0)
    twin = table[table["method"] == "method 0"].assign(method="its twin")
    both = pd.concat([table, twin])
    assert cross_tests(both, "set 0", "set 1") == cross_tests(table, "set 0", "set 1")


def test_a_claim_that_follows_from_the_table_is_called_supported():
    tests = cross_tests(printed_table())
    assert explain_claim(tests | {"training set": tests["test set"]}).endswith(
        "follows from the printed table."
    )


def test_our_value_stands_next_to_the_printed_value():
    table = cross_table_of(0.0, 0.0).assign(method=lambda t: t["method"].replace("method 3", "SAE"))
    both = add_printed(table, "set 0", "set 1")
    assert list(both["method"][:4]) == ["DAP"] * 4
    assert list(both["tested"][:4]) == ["AWA1", "AWA2", "AWA2", "AWA1"]
    assert len(both) == 4 * (12 + 5)
    sae = both[both["method"] == "SAE"].set_index(["trained", "tested"])
    assert sae.loc[("AWA2", "AWA1"), "published"] == pytest.approx(0.531)
    ours = table.set_index(["method", "train_dataset", "test_dataset"])["top1_per_class"]
    assert sae.loc[("AWA2", "AWA1"), "here"] == ours["SAE", "set 1", "set 0"]
    assert both["published"].notna().sum() == 48
    assert both["here"].notna().sum() == 24
