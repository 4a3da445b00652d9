import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, ttest_rel, wilcoxon

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics.significance import holm, paired_test

RNG = np.random.default_rng(3)


def test_statistics_are_scipys_of_the_two_samples():
    a, b = RNG.normal(size=(2, 15))
    ours, t = paired_test("a or b?", a - b), ttest_rel(a, b)
    assert (ours.t, ours.p) == pytest.approx((t.statistic, t.pvalue))
    assert ours.interval == pytest.approx(tuple(t.confidence_interval()))
    assert ours.wilcoxon_p == pytest.approx(wilcoxon(a, b).pvalue)
    assert ours.d_z == pytest.approx(ours.t / np.sqrt(15))


def test_interval_of_d_ends_where_t_would_be_as_extreme_as_the_level():
    ours = paired_test("q", RNG.normal(0.4, 1, 20), level=0.9)
    low, high = np.sqrt(20) * np.array(ours.d_z_interval)
    assert nct.cdf(ours.t, 19, low) == pytest.approx(0.95, abs=1e-6)
    assert nct.cdf(ours.t, 19, high) == pytest.approx(0.05, abs=1e-6)


def test_shift_and_its_interval_are_those_of_the_signed_rank_test():
    """Hollander and Wolfe's nine patients."""
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    ours = paired_test("depression", x - y)
    assert ours.wilcoxon_p == pytest.approx(0.0390625)
    assert ours.shift == pytest.approx(0.46)
    low, high = ours.shift_interval
    # A shift is in the interval exactly while the signed-rank test does not reject it.
    for inside, shift in ((True, low + 1e-9), (True, high - 1e-9), (False, low - 1e-9)):
        assert (wilcoxon(x - y - shift).pvalue > 0.05) == inside
    assert wilcoxon(x - y - high - 1e-9).pvalue <= 0.05


@pytest.mark.parametrize(
    ("x", "r"), [([1, 2, 3], 1.0), ([-1, -2], -1.0), ([0, 0], 0.0), ([3, -1, 2, 0], 4 / 6)]
)
def test_rank_biserial_is_the_balance_of_ranks(x, r):
    assert paired_test("q", x).rank_biserial == pytest.approx(r)


def test_what_is_equal_in_print_is_a_tie_in_the_ranks():
    tied = np.array([0.442 - 0.439, 0.341 - 0.344, 0.9 - 0.8])
    assert abs(tied[0]) != abs(tied[1])
    assert paired_test("q", tied).rank_biserial == pytest.approx((1.5 - 1.5 + 3) / 6)


def test_nothing_differs():
    same = paired_test("q", np.zeros(4))
    assert (same.mean_difference, same.wilcoxon_p, same.shift) == (0, 1, 0)
    assert np.isnan([same.t, same.p, same.d_z]).all()


def test_too_few_differences_for_the_level_give_no_interval_of_the_shift():
    assert np.isnan(paired_test("q", [1.0, 2.0, 3.0]).shift_interval).all()
    assert np.isfinite(paired_test("q", [1.0, 2.0, 3.0], level=0.7).shift_interval).all()


@pytest.mark.parametrize("x", [[1.0], [], [1.0, np.nan], [[1.0, 2.0]]])
def test_what_is_no_list_of_differences_is_refused(x):
    with pytest.raises(DatasetError, match="needs at least two finite differences"):
        paired_test("q", x)


def test_a_level_outside_its_range_is_refused():
    with pytest.raises(ParameterError, match="level"):
        paired_test("q", [1, 2], level=95)


def test_sentence_says_points_and_what_the_differences_are_of():
    text = paired_test("A before B:", [-0.01, -0.03, -0.02], of="methods").sentence
    assert text.startswith("A before B: −2.0 points on average over 3 methods, 95% interval −4.5")
    assert "d_z = −2.00" in text


# --- Several at once ------------------------------------------------------------------------------


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1.0, 1.0])
    np.testing.assert_allclose(holm([0.2]), [0.2])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_keeps_the_order_and_never_lowers(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p) - 1e-12).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()
