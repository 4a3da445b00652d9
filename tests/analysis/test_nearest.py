import numpy as np
import pytest

from zslcore.analysis.nearest import SPACES, class_means, nearest_classes
from zslcore.datasets import load
from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import DatasetError


@pytest.fixture(scope="module")
def digits():
    return load("digits")


def test_means_are_those_of_a_plain_loop(digits):
    plain = [digits.features[digits.labels == c].mean(axis=0) for c in range(10)]
    np.testing.assert_allclose(class_means(digits), plain, rtol=1e-6)


def test_nearest_are_those_of_a_plain_search(digits):
    table = nearest_classes(digits, 3, n=4)
    for space, S in zip(SPACES, (digits.prototypes, class_means(digits)), strict=True):
        apart = S - S.mean(axis=0)
        plain = {
            k: apart[k] @ apart[3] / np.linalg.norm(apart[k]) / np.linalg.norm(apart[3])
            for k in range(10)
            if k != 3
        }
        part = table[table["space"] == space]
        expected = sorted(plain, key=plain.get, reverse=True)[:4]
        assert list(part["number"]) == expected
        assert list(part["class"]) == [digits.class_names[k] for k in expected]
        np.testing.assert_allclose(part["likeness"], [plain[k] for k in expected], rtol=1e-5)
        assert list(part["rank"]) == [1, 2, 3, 4]


def test_a_shift_and_a_scale_of_all_features_change_nothing(digits):
    moved = ZSLDataset(
        "moved", 3 * digits.features + 7, digits.labels, digits.prototypes, digits.class_names
    )
    a, b = nearest_classes(digits, 0), nearest_classes(moved, 0)
    assert list(a["class"]) == list(b["class"])
    np.testing.assert_allclose(a["likeness"], b["likeness"], rtol=1e-5)


def test_a_class_without_images_is_like_none_in_looks(digits):
    kept = digits.labels != 4
    fewer = ZSLDataset(
        "fewer", digits.features[kept], digits.labels[kept], digits.prototypes, digits.class_names
    )
    table = nearest_classes(fewer, 4)
    assert set(table["space"]) == {"prototypes"}
    assert 4 not in set(nearest_classes(fewer, 3).query("space == 'mean features'")["number"])


@pytest.mark.parametrize("c", [-1, 10])
def test_a_class_that_is_not_there_is_refused(digits, c):
    with pytest.raises(DatasetError, match="below 10"):
        nearest_classes(digits, c)
