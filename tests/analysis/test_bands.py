import numpy as np
import pytest

from zslcore.analysis.bands import of_classes, of_curves
from zslcore.evaluation.protocol import ScoredTest
from zslcore.exceptions import ParameterError


def scored(n=400, classes=12, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    F = rng.normal(size=(n, classes)) + 1.5 * np.eye(classes)[y]
    seen = np.arange(classes) < classes // 2
    return ScoredTest(F + 0.7 * seen, y, np.arange(classes), seen)


def test_the_band_of_curves_holds_them_all_and_touches_each_side():
    curves = [scored(seed=seed).curve for seed in range(3)]
    band = of_curves(curves, (-1.0, 3.0))
    s = np.array([np.interp(band.unseen, c.unseen, c.seen, right=0) for c in curves])
    np.testing.assert_array_equal(band.low, s.min(axis=0))
    np.testing.assert_array_equal(band.high, s.max(axis=0))
    H = np.array([c.at(band.gamma).harmonic for c in curves])
    np.testing.assert_array_equal(band.least, H.min(axis=0))
    np.testing.assert_array_equal(band.most, H.max(axis=0))
    assert (band.gamma[0], band.gamma[-1]) == (-1.0, 3.0)


def test_the_band_of_one_curve_is_the_curve():
    band = of_curves([scored().curve], (0.0, 1.0))
    np.testing.assert_array_equal(band.low, band.high)
    with pytest.raises(ParameterError, match="at least one curve"):
        of_curves([], (0.0, 1.0))


def test_the_band_of_classes_holds_the_curve_and_widens_with_its_level():
    scores = scored()
    narrow, wide = (of_classes(scores, (-1.0, 3.0), level=level) for level in (0.5, 0.95))
    n = min(len(narrow.unseen), len(wide.unseen))
    assert (wide.low[:n] <= narrow.low[:n]).all()
    assert (wide.high[:n] >= narrow.high[:n]).all()
    H = scores.curve.at(wide.gamma).harmonic
    inside = (wide.least <= H) & (wide.most >= H)
    assert inside.mean() > 0.95
    assert (wide.most - wide.least).max() > 0.02


def test_classes_that_are_all_alike_leave_no_band():
    F = np.tile([[1.0, 0.0, 0.4, 0.0], [0.0, 1.0, 0.0, 0.4]], (2, 1))
    F[2:] = [[0.4, 0.0, 0.8, 0.0], [0.0, 0.4, 0.0, 0.8]]
    scores = ScoredTest(F, np.arange(4), np.arange(4), np.arange(4) < 2)
    band = of_classes(scores, (-1.0, 1.0))
    np.testing.assert_allclose(band.least, band.most)
    np.testing.assert_allclose(band.most, scores.curve.at(band.gamma).harmonic)


def test_draws_are_the_same_every_time():
    one, two = (of_classes(scored(), (0.0, 1.0), seed=3, n_draws=20) for _ in range(2))
    np.testing.assert_array_equal(one.most, two.most)


@pytest.mark.parametrize("level", [0, 1, -0.5, float("nan")])
def test_a_level_is_a_share(level):
    with pytest.raises(ParameterError, match="level must lie"):
        of_classes(scored(40), (0.0, 1.0), level=level)
