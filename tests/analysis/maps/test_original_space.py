"""Nearest images, and what became of every image."""

import numpy as np
import pytest

from tests.analysis.pairs import blobs
from zslcore.analysis.maps import MapSettings, make_map
from zslcore.analysis.maps.reading import in_pca, nearest_images
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import l2_rows

PAIR = blobs(shuffled=True)
PCA = MapSettings(method="pca", threads=1)


def test_places_of_other_data_are_refused():
    made = make_map(PAIR, PCA)
    with pytest.raises(DatasetError, match="made from other data"):
        in_pca(made, PAIR[::-1])


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
