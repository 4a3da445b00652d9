"""Nearest images, images inside an outline, and predictions of images on a map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.pairs import blobs
from tests.worlds import linear_world
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import (
    make_map,
    nearest_images,
    pca_coordinates,
    points_inside,
    predicted_points,
)
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import fit_and_score
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import l2_rows
from zslcore.methods import LinearS2V

PAIR = blobs(shuffled=True)
PCA = MapSettings(method="pca", threads=1)


def test_coordinates_made_from_other_data_are_refused():
    embedded = make_map(PAIR, PCA)
    with pytest.raises(DatasetError, match="made from other data"):
        pca_coordinates(embedded, PAIR[::-1])


def test_nearest_images_equal_a_plain_search_over_both_data_sets():
    X = l2_rows(np.vstack([d.features for d in PAIR]).astype(float))
    place_of = len(PAIR[0].labels) + 7
    distance = np.linalg.norm(X - X[place_of], axis=1)
    distance[place_of] = np.inf
    expected = np.argsort(distance)[:6]
    nearest = nearest_images(PAIR, 1, 7, k=6)
    np.testing.assert_array_equal(nearest["part"] * len(PAIR[0].labels) + nearest["row"], expected)
    np.testing.assert_allclose(nearest["distance"], distance[expected], atol=1e-6)
    own = PAIR[1].class_names[PAIR[1].labels[7]]
    np.testing.assert_array_equal(nearest["same_class"], nearest["class"] == own)
    with pytest.raises(ParameterError, match="expected a row of data set 1; got 1000"):
        nearest_images(PAIR, 1, 1000)


# --- Outlines -------------------------------------------------------------------------------------


POINTS = np.random.default_rng(0).uniform(-2, 2, size=(500, 2))


def test_a_circle_contains_points_near_its_centre():
    angle = np.linspace(0, 2 * np.pi, 200)
    is_inside = points_inside(np.stack([np.cos(angle), np.sin(angle)], axis=1), POINTS)
    distance = np.hypot(*POINTS.T)
    clear = np.abs(distance - 1) > 0.01
    np.testing.assert_array_equal(is_inside[clear], (distance < 1)[clear])


def test_a_star_that_crosses_itself_has_a_hole():
    angle = np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
    star = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_array_equal(
        points_inside(star, np.array([[0, 0], [0, 1.2], [1.5, -1.5]])), [False, True, False]
    )


@given(st.integers(0, 100), st.integers(0, 6))
@settings(deadline=None, max_examples=40)
def test_first_corner_and_direction_of_an_outline_have_no_effect(seed, turn):
    polygon = np.random.default_rng(seed).normal(size=(7, 2))
    is_inside = points_inside(polygon, POINTS)
    np.testing.assert_array_equal(points_inside(np.roll(polygon, turn, axis=0), POINTS), is_inside)
    np.testing.assert_array_equal(points_inside(polygon[::-1], POINTS), is_inside)
    plain = [odd_crossings(polygon, x, y) for x, y in POINTS[:50]]
    np.testing.assert_array_equal(is_inside[:50], plain)


def odd_crossings(polygon, x, y):
    """Count the edges that a ray to the right crosses, in a plain loop."""
    count = 0
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if (ay > y) != (by > y):
            count += x < ax + (y - ay) / (by - ay) * (bx - ax)
    return count % 2 == 1


@pytest.mark.parametrize("polygon", [[], [[0, 0], [1, 1]], [[0, 0], [np.inf, 0], [0, 1]]])
def test_an_invalid_outline_contains_no_point(polygon):
    assert not points_inside(polygon, POINTS).any()


def test_an_outline_of_another_shape_is_refused():
    with pytest.raises(ParameterError, match=r"must have shape \(corners, 2\)"):
        points_inside([[0, 0, 0]] * 3, POINTS)


# --- Predictions: those of the test set, with their margins ---------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 0.05, 10.0])
def test_only_test_images_have_predictions_and_they_equal_the_scores(gamma):
    world = linear_world(noise=0.8)
    split, n = world.split("PS"), len(world.labels)
    scores = fit_and_score(LinearS2V(), world, split)
    out = predicted_points(scores, split, n, gamma=gamma)
    test = np.concatenate([split.test_seen, split.test_unseen])
    assert set(np.flatnonzero(out.tested)) == set(test)
    assert (out.predicted[~out.tested] == -1).all()
    assert not out.right[~out.tested].any()
    np.testing.assert_array_equal(out.right[test], scores.predicted(gamma) == scores.y)
    np.testing.assert_array_equal(out.predicted[test] == world.labels[test], out.right[test])
    F = np.sort(scores.F - gamma * scores.seen, axis=1)
    np.testing.assert_allclose(out.lead[test], F[:, -1] - F[:, -2], atol=1e-12)


def test_scores_without_candidates_have_a_margin():
    world = linear_world()
    split = world.split("PS")
    scores = fit_and_score(LinearS2V(), world, split)
    F = scores.F.copy()
    F[0, 1:], F[1] = -np.inf, -np.inf
    out = predicted_points(
        ScoredTest(F, scores.y, scores.classes, scores.seen), split, len(world.labels)
    )
    first, second = np.concatenate([split.test_seen, split.test_unseen])[:2]
    assert out.lead[first] == np.finfo(float).max
    assert out.lead[second] == 0
    assert np.isfinite(out.lead).all()
