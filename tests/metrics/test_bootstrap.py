"""Intervals over few classes: what they cover, and that it is said."""

import numpy as np
import pytest

from zslcore.metrics.significance import FEW, caution, interval, mean_draws, p_of_draws


def simulated(n, worlds=400):
    """Coverage of the mean over n classes, and how often p < 0.05 where the truth is 0."""
    rng, covered, small = np.random.default_rng(n), 0, 0
    for world in range(worlds):
        values = rng.normal(size=n)
        _, drawn = mean_draws(values, np.zeros(n, dtype=bool), 1000, world)
        low, high = interval(drawn)
        covered += low <= 0 <= high
        small += p_of_draws(drawn) < 0.05
    return covered / worlds, small / worlds


@pytest.mark.parametrize(("n", "coverage", "false"), [(3, 77, 26), (5, 87, 17), (10, 93, 8)])
def test_the_coverage_that_is_said_is_what_simulations_give(n, coverage, false):
    covered, small = simulated(n)
    assert covered == pytest.approx(coverage / 100, abs=0.06)
    assert small == pytest.approx(false / 100, abs=0.06)
    said = caution(np.zeros(n, dtype=bool))
    assert said.startswith(f"Over {n} unseen classes, 95 % intervals are too narrow")
    assert f"{coverage} % with {n}" in said
    assert f"{false} %" in said


def test_only_few_classes_and_classes_of_one_image_are_named():
    seen = np.arange(2 * FEW) < FEW
    assert caution(seen) == caution(seen, np.full(2 * FEW, 2)) == ""
    assert "Over 1 seen and 3 unseen classes" in caution(np.array([True, False, False, False]))
    single = np.where(np.arange(2 * FEW) < 2, 1, 5)
    assert caution(seen, single).startswith("2 classes have one test image")
    assert "Over" not in caution(seen, single)
