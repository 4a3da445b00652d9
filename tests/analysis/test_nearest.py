import numpy as np
import pytest

from zslcore.analysis.inventory import class_means
from zslcore.datasets import load


@pytest.fixture(scope="module")
def digits():
    return load("digits")


def test_means_are_those_of_a_plain_loop(digits):
    plain = [digits.features[digits.labels == c].mean(axis=0) for c in range(10)]
    np.testing.assert_allclose(class_means(digits), plain, rtol=1e-6)
