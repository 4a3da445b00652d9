"""Means and predicted looks on a map, nearest images, and what became of every image."""

import numpy as np
import pytest

from tests.analysis.pairs import blobs
from tests.worlds import linear_world
from zslcore.analysis.maps import MapSettings, make_map
from zslcore.analysis.maps.landmarks import landmarks, nearest_images, place
from zslcore.evaluation.protocol import fit_and_score
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import l2_rows
from zslcore.methods import LinearS2V

PAIR = blobs(shuffled=True)
PCA = MapSettings(method="pca", threads=1)


def test_a_point_among_images_is_placed_among_them():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 5))
    Y = Z[:, :2] * 7
    placed = place(Z[:20], Z, Y, k=1)
    np.testing.assert_allclose(placed[["x", "y"]], Y[:20])
    np.testing.assert_allclose(placed["distance"], 0, atol=1e-6)
    far = place(Z[:1] + 100, Z, Y)
    assert far["distance"][0] > 20


def test_means_lie_in_the_middle_of_their_class():
    made = make_map(PAIR, PCA)
    table = landmarks(made, PAIR, "PS")
    assert len(table) == 2 * 5 * 2
    means = table[table["kind"] == "mean"]
    where = made.table()
    for row in means.itertuples():
        own = where[(where["data_set"] == row.data_set) & (where["class"] == row[2])]
        middle = own[["x", "y"]].median()
        assert np.hypot(middle["x"] - row.x, middle["y"] - row.y) < 0.15
    assert set(means.loc[~means["seen"], "class"]) == {"class 0", "class 4"}


def test_predicted_looks_are_those_of_the_method():
    world = linear_world(noise=0.05)
    made = make_map([world], PCA)
    table = landmarks(made, [world], "PS", lam=1e-6)
    predicted = table[table["kind"] == "predicted"].set_index("class")
    split = world.split("PS")
    scores = fit_and_score(LinearS2V(lam=1e-6), world, split)
    right = scores.predicted() == scores.y
    assert right.mean() > 0.9
    assert (predicted["rank"] == 1).mean() > 0.9
    assert predicted["distance"].max() < 5


def test_landmarks_of_other_data_are_refused():
    made = make_map(PAIR, PCA)
    with pytest.raises(DatasetError, match="made from other data"):
        landmarks(made, PAIR[::-1], "PS")


def test_nearest_images_are_those_of_a_plain_search_over_both():
    X = l2_rows(np.vstack([d.features for d in PAIR]).astype(float))
    place_of = len(PAIR[0].labels) + 7
    distance = np.linalg.norm(X - X[place_of], axis=1)
    distance[place_of] = np.inf
    expected = np.argsort(distance)[:6]
    found = nearest_images(PAIR, 1, 7, k=6)
    np.testing.assert_array_equal(found["part"] * len(PAIR[0].labels) + found["row"], expected)
    np.testing.assert_allclose(found["distance"], distance[expected], atol=1e-6)
    own = PAIR[1].class_names[PAIR[1].labels[7]]
    np.testing.assert_array_equal(found["same_class"], found["class"] == own)
    with pytest.raises(ParameterError, match="no image 1000"):
        nearest_images(PAIR, 1, 1000)
