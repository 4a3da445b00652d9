import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel, wilcoxon

from zslcore.analysis.cross_dataset import (
    PRINTED_CLAIM,
    as_table,
    claim_explained,
    cross_tests,
    printed_table,
    with_printed,
)
from zslcore.exceptions import DatasetError, ParameterError


def columns():
    """The printed table's columns as they stand in the paper."""
    table = printed_table()
    cells = table.pivot_table(
        index="method", columns=["train_dataset", "test_dataset"], values="top1_per_class"
    )
    order = (("AWA1", "AWA1"), ("AWA1", "AWA2"), ("AWA2", "AWA2"), ("AWA2", "AWA1"))
    return [cells[key].to_numpy() for key in order]


def test_printed_table_does_not_support_the_printed_p_for_the_training_set():
    one, two, three, four = columns()
    asked = cross_tests(printed_table())["training set"]
    # "2nd and 3rd column as well as 1st and 4th": the paper's words
    done = ttest_rel(np.concatenate([two, one]), np.concatenate([three, four]))
    assert asked.pairs == PRINTED_CLAIM.pairs == 24
    assert asked.p == pytest.approx(done.pvalue)
    assert round(asked.p, 2) == 0.35
    assert asked.interval[0] < 0 < asked.interval[1]


def test_printed_p_is_that_of_the_pairs_that_share_their_training_set():
    one, two, three, four = columns()
    other = cross_tests(printed_table())["test set"]
    done = ttest_rel(np.concatenate([one, four]), np.concatenate([two, three]))
    assert other.p == pytest.approx(done.pvalue)
    assert round(other.p, PRINTED_CLAIM.decimals) == PRINTED_CLAIM.p
    text = claim_explained()
    assert "does not follow" in text
    assert "24 pairs give p = 0.35" in text
    assert "gives for the test set (p = 0.0072)" in text


def test_what_the_printed_table_supports_is_the_size_of_the_change():
    one, two, three, four = columns()
    size = cross_tests(printed_table())["larger"]
    training = np.abs(np.concatenate([two - three, one - four]))
    testing = np.abs(np.concatenate([one - two, three - four]))
    assert size.p == pytest.approx(ttest_rel(training, testing).pvalue)
    assert size.wilcoxon_p == pytest.approx(wilcoxon(np.round(training - testing, 9)).pvalue)
    assert round(size.p, 3) == 0.003
    assert size.mean_difference == pytest.approx(0.0145)


def test_a_method_counts_once_when_asked():
    pairs, methods = (cross_tests(printed_table(), unit=unit) for unit in ("pair", "method"))
    for asked, test in methods.items():
        assert test.pairs == 12
        assert test.mean_difference == pytest.approx(pairs[asked].mean_difference)
        assert test.p > pairs[asked].p
    assert "12 methods" in methods["larger"].sentence


def made(training, testing, n=6):
    """A table in which another training and another test set change what is said here."""
    rng = np.random.default_rng(0)
    rows = []
    for m in range(n):
        base, noise = rng.uniform(0.4, 0.6), rng.normal(0, 1e-3, 4)
        for k, (i, j) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
            accuracy = base - i * training - j * testing + noise[k]
            rows.append((f"method {m}", f"set {i}", f"set {j}", accuracy))
    return pd.DataFrame(rows, columns=printed_table().columns)


@pytest.mark.parametrize("matters", ["training set", "test set"])
def test_a_planted_difference_is_found_where_it_was_planted(matters):
    is_training = matters == "training set"
    tests = cross_tests(made(0.05 * is_training, 0.05 * (not is_training)), "set 0", "set 1")
    other = tests["test set" if is_training else "training set"]
    assert tests[matters].mean_difference == pytest.approx(0.05, abs=2e-3)
    assert tests[matters].p < 1e-6 < other.p
    assert tests[matters].rank_biserial == 1
    assert np.sign(tests["larger"].mean_difference) == (1 if is_training else -1)


def test_names_of_the_sets_turn_the_signs_and_nothing_else():
    there, back = (
        cross_tests(printed_table(), *pair) for pair in (("AWA1", "AWA2"), ("AWA2", "AWA1"))
    )
    for asked, sign in (("training set", -1), ("test set", -1), ("larger", 1)):
        assert back[asked].mean_difference == pytest.approx(sign * there[asked].mean_difference)
        assert back[asked].p == pytest.approx(there[asked].p)


def test_methods_without_all_four_figures_are_left_out():
    table = made(0.0, 0.0)
    assert cross_tests(table[1:], "set 0", "set 1")["larger"].pairs == 10
    with pytest.raises(DatasetError, match="two methods with all four figures; got 0"):
        cross_tests(table, "set 0", "set 3")
    with pytest.raises(ParameterError, match="unit"):
        cross_tests(table, "set 0", "set 1", unit="image")


def test_methods_with_the_same_figures_count_once():
    table = made(0.0, 0.0)
    twin = table[table["method"] == "method 0"].assign(method="its twin")
    both = pd.concat([table, twin])
    assert cross_tests(both, "set 0", "set 1") == cross_tests(table, "set 0", "set 1")


def test_a_claim_that_follows_is_said_to():
    tests = cross_tests(printed_table())
    assert claim_explained(tests | {"training set": tests["test set"]}).endswith(
        "follows from the printed table."
    )


def test_tests_as_a_table():
    tests = cross_tests(printed_table())
    table = as_table(tests).set_index("asked")
    assert list(table.index) == ["training set", "test set", "larger"]
    assert tuple(table.loc["larger", ["low", "high"]]) == tests["larger"].interval
    assert tuple(table.loc["larger", ["d_z_low", "d_z_high"]]) == tests["larger"].d_z_interval


def test_ours_stand_beside_the_printed_cell():
    table = made(0.0, 0.0).assign(method=lambda t: t["method"].replace("method 3", "SAE"))
    both = with_printed(table, "set 0", "set 1")
    assert list(both["method"][:4]) == ["DAP"] * 4
    assert list(both["tested"][:4]) == ["AWA1", "AWA2", "AWA2", "AWA1"]
    assert len(both) == 4 * (12 + 5)
    sae = both[both["method"] == "SAE"].set_index(["trained", "tested"])
    assert sae.loc[("AWA2", "AWA1"), "published"] == pytest.approx(0.531)
    ours = table.set_index(["method", "train_dataset", "test_dataset"])["top1_per_class"]
    assert sae.loc[("AWA2", "AWA1"), "here"] == ours["SAE", "set 1", "set 0"]
    assert both["published"].notna().sum() == 48
    assert both["here"].notna().sum() == 24
