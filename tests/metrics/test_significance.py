"""Tests, intervals and power equal SciPy's, and the shares in simulated studies.

A share p of k studies has the standard error sqrt(p (1 - p) / k); the tolerance is four of them.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import nct, norm, rankdata, ttest_1samp, wilcoxon
from scipy.stats import t as student

from zslcore.exceptions import DatasetError
from zslcore.metrics.significance import Design, Stratum, holm, paired_test, stratum_of

SOME = st.lists(st.integers(-30, 30).map(lambda k: k / 1000), min_size=2, max_size=8)


@settings(max_examples=50)
@given(SOME)
def test_a_paired_test_equals_scipy(x):
    ours, x = paired_test("q", x), np.array(x)
    assert ours.mean_difference == pytest.approx(x.mean())
    assert ours.wilcoxon_p == (pytest.approx(wilcoxon(x).pvalue) if x.any() else 1)
    ranks = rankdata(np.abs(x[x != 0]))
    balance = ranks[x[x != 0] > 0].sum() - ranks[x[x != 0] < 0].sum()
    assert ours.rank_biserial == pytest.approx(balance / ranks.sum() if x.any() else 0)
    assert ours.shift == pytest.approx(
        np.median([(a + b) / 2 for k, a in enumerate(x) for b in x[k:]])
    )
    if not np.ptp(x):
        assert ours.interval == pytest.approx((x[0], x[0]))
        assert np.isnan([ours.t, ours.p, ours.d_z]).all()
        assert "nan" not in ours.sentence
        return
    theirs = ttest_1samp(x, 0.0)
    assert (ours.t, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert ours.interval == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert ours.d_z == pytest.approx(x.mean() / x.std(ddof=1))
    assume(abs(ours.t) < 30)  # for large values, SciPy's noncentral t does not converge
    low, high = np.sqrt(len(x)) * np.array(ours.d_z_interval)
    tails = nct.sf(ours.t, len(x) - 1, low), nct.cdf(ours.t, len(x) - 1, high)
    assert tails == pytest.approx((0.025, 0.025), abs=1e-5)


@given(st.integers(2, 10), st.integers(0, 2**32 - 1))
def test_a_shift_is_in_its_interval_while_the_signed_rank_test_does_not_reject_it(n, seed):
    x = np.random.default_rng(seed).normal(size=n).round(9)
    low, high = paired_test("q", x).shift_interval
    if 2 * 0.5**n > 0.05:  # too few pairs for any test to reject
        assert np.isnan([low, high]).all()
        return
    for shift, inside in ((low - 1e-7, 0), (low + 1e-7, 1), (high - 1e-7, 1), (high + 1e-7, 0)):
        assert (wilcoxon(x - shift, method="exact").pvalue > 0.05 + 1e-12) == inside


def test_values_that_print_equally_are_ties():
    tied = np.array([0.442 - 0.439, 0.341 - 0.344, 0.9 - 0.8])
    assert abs(tied[0]) != abs(tied[1])
    assert paired_test("q", tied).rank_biserial == pytest.approx((1.5 - 1.5 + 3) / 6)
    text = paired_test("A before B:", [-0.01, -0.03, -0.02], of="methods").sentence
    assert text.startswith("A before B: −2.0 points on average over 3 methods, 95 % interval −4.5")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_multiplies_by_the_remaining_number_and_keeps_the_order(p):
    adjusted, largest = holm(p), 0.0
    for k, place in enumerate(np.argsort(p, kind="stable")):
        largest = max(largest, p[place] * (len(p) - k))
        assert adjusted[place] == pytest.approx(min(largest, 1))


# --- Power ----------------------------------------------------------------------------------------

C, N, Q, TAU, STUDIES = 20, 400, 0.3, 0.03, 4000


@pytest.mark.parametrize(
    ("difference", "power"), [(0, 0.05), (0.01873, 0.5), (0.0268, 0.8), (0.0345, 0.95)]
)
def test_simulated_studies_detect_a_difference_with_the_computed_power(difference, power):
    rng = np.random.default_rng(0)
    design = Design((Stratum(C, N, TAU, np.sqrt(Q - TAU**2 - difference**2)),))
    text = design.power(difference)
    assert text == pytest.approx(power, abs=0.01)
    delta = rng.normal(difference, TAU, (STUDIES, C))
    first = rng.binomial(N, (Q + delta) / 2)
    second = rng.binomial(N - first, (Q - delta) / 2 / (1 - (Q + delta) / 2))
    means = (first - second) / N
    result = ttest_1samp(means, 0, axis=1).pvalue < 0.05
    assert result.mean() == pytest.approx(text, abs=4 * np.sqrt(text * (1 - text) / STUDIES))


DESIGNS = st.lists(
    st.builds(
        Stratum, st.integers(2, 80), st.integers(1, 500), st.floats(0, 0.1), st.floats(0.05, 0.6)
    ),
    min_size=1,
    max_size=2,
).map(lambda strata: Design(tuple(strata)))


@given(DESIGNS)
def test_the_detectable_difference_has_a_power_of_80_percent(design):
    least = design.detectable()
    assert np.isnan(least) or design.power(least) == pytest.approx(0.8, abs=1e-6)


def test_power_equals_textbook_values():
    many_classes = Design((Stratum(20_000, 10, 0.2, np.sqrt(0.2)),))
    z = norm.ppf(0.975) + norm.ppf(0.8)
    expected = z * np.sqrt((0.2**2 + 0.2 / 10) / 20_000)
    assert many_classes.detectable() == pytest.approx(expected, rel=1e-4)
    single_class = Design((Stratum(5, 100, 0.0, 0.4),))
    shift, edge = 0.1 / single_class.error, student.ppf(0.975, 4)
    result = nct.sf(edge, 4, shift) + nct.cdf(-edge, 4, shift)
    assert single_class.power(0.1) == pytest.approx(result, rel=1e-6)
    two_strata = Design((Stratum(5, 100, 0.1, 0.4), Stratum(9, 50, 0.2, 0.3)))
    parts = [(0.1**2 + 0.4**2 / 100) / 5, (0.2**2 + 0.3**2 / 50) / 9]
    assert two_strata.error == pytest.approx(np.sqrt(sum(parts)))
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 4 + parts[1] ** 2 / 8)
    edge, shift = student.ppf(0.975, degrees), 0.2 / np.sqrt(sum(parts))
    assert two_strata.power(0.2) == pytest.approx(nct.sf(edge, degrees, shift), rel=1e-4)
    never = Design((Stratum(5, 5, 0.0, 0.0),))  # models that never differ
    assert (never.power(0.01), never.power(0)) == (1, pytest.approx(0.05))
    assert never.detectable() == 0
    assert np.isnan(Design((Stratum(2, 30, 0.1, 0.4),)).detectable())


def test_the_variances_of_a_pilot_are_estimated_without_bias():
    rng, result = np.random.default_rng(3), []
    y = np.repeat(np.arange(8), 200)
    for _ in range(1500):
        delta = rng.normal(0, 0.15, 8)[y]
        d = rng.choice([0.0, 1.0], len(y)) * np.where(rng.random(len(y)) < 0.5 + delta, 1, -1)
        stratum = stratum_of(d, y)
        result.append((stratum.between**2, stratum.within**2))
    error = np.std(result, axis=0) / np.sqrt(len(result))
    # d is 0 or, half the time, 1 with 0.5 + delta: its mean is delta, its square 0.5.
    expected = np.array([0.15**2, 0.5 - 0.15**2])
    assert (np.abs(np.mean(result, axis=0) - expected) < 4 * error).all()
    y = np.repeat([3, 5, 9], [2, 8, 40])
    d = rng.choice([-1.0, 0.0, 1.0], len(y))
    stratum = stratum_of(d, y)
    assert (stratum.classes, stratum.images) == (3, pytest.approx(3 / (1 / 2 + 1 / 8 + 1 / 40)))
    assert stratum.within**2 == pytest.approx(np.mean([d[y == c].var(ddof=1) for c in (3, 5, 9)]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (lambda x=x: paired_test("q", x), "at least two finite")
            for x in ([1], [1, np.nan], [[1, 2]])
        ),
        (lambda: stratum_of(np.zeros(3), np.zeros(3, int)), "at least two classes"),
        (lambda: stratum_of(np.zeros(3), np.arange(3)), "one of them with two images"),
    ],
)
def test_too_few_differences_are_refused_in_one_sentence(call, message):
    with pytest.raises(DatasetError, match=message):
        call()
