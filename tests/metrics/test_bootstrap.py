"""Intervals over few classes: coverage, and the warning."""

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_1samp

from zslcore.metrics import harmonic_mean
from zslcore.metrics.significance import (
    FEW,
    FEWEST,
    caution,
    interval,
    mean_draws,
    p_of_draws,
    too_few,
    widening,
)


def simulated(n, worlds=400):
    """Coverage of the mean over n classes, and share of p < 0.05 if the true value is 0."""
    rng, covered, small = np.random.default_rng(n), 0, 0
    for world in range(worlds):
        values = rng.normal(size=n)
        _, drawn = mean_draws(values, np.zeros(n, dtype=bool), 1000, world)
        low, high = interval(drawn, classes=n)
        covered += low <= 0 <= high
        small += p_of_draws(drawn, n) < 0.05
    return covered / worlds, small / worlds


@pytest.mark.parametrize("n", [3, 5, 10, FEW])
def test_the_stated_coverage_of_intervals_equals_simulations(n):
    """For 3 classes, percentile intervals cover only 77 %, and p is below 0.05 in 26 %."""
    covered, small = simulated(n)
    assert covered == pytest.approx(0.95, abs=0.04)
    assert small == pytest.approx(0.05, abs=0.04)
    text = caution(np.zeros(n, dtype=bool))
    assert text.startswith(f"With {n} unseen classes, 95 % intervals and p use Student's t") == (
        n < FEW
    )


@pytest.mark.parametrize("n", [FEWEST, 5, FEW - 1])
def test_over_few_classes_the_interval_is_students_t(n):
    """From FEW classes on, intervals are percentiles."""
    values = np.random.default_rng(n).normal(size=n)
    _, drawn = mean_draws(values, np.zeros(n, dtype=bool), 20_000)
    test = ttest_1samp(values, 0.0)
    low, high = interval(drawn, classes=n)
    theirs = test.confidence_interval(0.95)
    assert (high - low) == pytest.approx(theirs.high - theirs.low, rel=0.03)
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert p_of_draws(drawn, n) == pytest.approx(test.pvalue, abs=0.02)
    assert interval(drawn, classes=FEW) == interval(drawn)
    assert p_of_draws(drawn, FEW) == p_of_draws(drawn)
    assert widening(n) == pytest.approx(t.ppf(0.975, n - 1) / norm.ppf(0.975))
    assert widening(FEW) == widening(1) == 1


@pytest.mark.parametrize("n", range(1, FEWEST))
def test_fewer_classes_give_neither_interval_nor_p(n):
    _, drawn = mean_draws(np.linspace(0.2, 0.8, n), np.zeros(n, dtype=bool))
    assert np.isnan([*interval(drawn, classes=n), p_of_draws(drawn, n)]).all()
    assert widening(n) == 1
    assert f"{n} unseen test class" in caution(np.zeros(n, dtype=bool))
    assert "Student" not in caution(np.zeros(n, dtype=bool))


def test_from_the_fewest_classes_on_intervals_are_not_void():
    """With two seen classes, nearly every interval of H would reach from 0 to 100 %."""
    void = []
    for world in range(200):
        rng = np.random.default_rng(world)
        accuracy = np.r_[rng.beta(3, 1, FEWEST), rng.beta(1.2, 1.8, 10)]
        of_seen, of_unseen = mean_draws(accuracy, np.arange(len(accuracy)) < FEWEST, 500, world)
        ends = interval(harmonic_mean(of_seen, of_unseen), classes=FEWEST)
        void.append(np.ptp(np.clip(ends, 0, 1)) > 0.9)
    assert np.mean(void) < 0.1


def test_the_sides_with_too_few_classes_are_counted():
    assert too_few(seen=2, unseen=10) == "2 seen test classes are too few for an interval"
    assert too_few(seen=1, unseen=10).startswith("1 seen test class is too few")
    assert too_few(seen=1, unseen=2).startswith("1 seen and 2 unseen test classes are too few")
    assert not too_few(seen=FEWEST, unseen=FEWEST)


def test_warnings_name_few_classes_and_classes_of_one_image():
    seen = np.arange(2 * FEW) < FEW
    assert caution(seen) == caution(seen, np.full(2 * FEW, 2)) == ""
    assert "With 3 seen and 4 unseen classes" in caution(np.arange(7) < 3)
    single = np.where(np.arange(2 * FEW) < 2, 1, 5)
    assert caution(seen, single).startswith("2 classes have one test image")
    assert "Over" not in caution(seen, single)
