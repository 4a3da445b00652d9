"""Which points lie inside an outline."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslcore.analysis.maps.reading import inside
from zslcore.exceptions import ParameterError

POINTS = np.random.default_rng(0).uniform(-2, 2, size=(500, 2))


def test_a_circle_holds_what_is_near_its_centre():
    angle = np.linspace(0, 2 * np.pi, 200)
    found = inside(np.stack([np.cos(angle), np.sin(angle)], axis=1), POINTS)
    distance = np.hypot(*POINTS.T)
    clear = np.abs(distance - 1) > 0.01
    np.testing.assert_array_equal(found[clear], (distance < 1)[clear])


def test_a_star_that_crosses_itself_has_a_hole():
    angle = np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
    star = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_array_equal(
        inside(star, np.array([[0, 0], [0, 1.2], [1.5, -1.5]])), [False, True, False]
    )


@given(st.integers(0, 100), st.integers(0, 6))
@settings(deadline=None, max_examples=40)
def test_turning_and_reversing_an_outline_changes_nothing(seed, turn):
    polygon = np.random.default_rng(seed).normal(size=(7, 2))
    found = inside(polygon, POINTS)
    np.testing.assert_array_equal(inside(np.roll(polygon, turn, axis=0), POINTS), found)
    np.testing.assert_array_equal(inside(polygon[::-1], POINTS), found)
    plain = [odd_crossings(polygon, x, y) for x, y in POINTS[:50]]
    np.testing.assert_array_equal(found[:50], plain)


def odd_crossings(polygon, x, y):
    """Count the edges that a ray to the right meets, one by one."""
    count = 0
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if (ay > y) != (by > y):
            count += x < ax + (y - ay) / (by - ay) * (bx - ax)
    return count % 2 == 1


@pytest.mark.parametrize("polygon", [[], [[0, 0], [1, 1]], [[0, 0], [np.inf, 0], [0, 1]]])
def test_what_is_no_outline_holds_nothing(polygon):
    assert not inside(polygon, POINTS).any()


def test_another_shape_is_refused():
    with pytest.raises(ParameterError, match=r"must have shape \(corners, 2\)"):
        inside([[0, 0, 0]] * 3, POINTS)
