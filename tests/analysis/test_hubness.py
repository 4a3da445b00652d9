"""Hubs that were planted are found, and regression to the semantic space makes more of them."""

import numpy as np
import pytest
from scipy.stats import skew

from zslcore.analysis.hubness import compare_hubness, k_occurrence
from zslcore.datasets import load
from zslcore.evaluation.protocol import fit_and_score
from zslcore.exceptions import ParameterError
from zslcore.methods import LinearS2V, LinearV2S

RNG = np.random.default_rng(0)


def test_planted_hubs_are_found():
    F = RNG.normal(size=(400, 20))
    F[:, [3, 7]] += 2.5
    hubs = k_occurrence(F, np.repeat(np.arange(20), 20), k=2)
    assert set(np.argsort(-hubs.occurrence)[:2]) == {3, 7}
    assert hubs.occurrence[[3, 7]].min() > 5 * np.delete(hubs.occurrence, [3, 7]).max()
    even = k_occurrence(RNG.normal(size=(400, 20)), np.repeat(np.arange(20), 20), k=2)
    assert hubs.skewness > 2 > abs(even.skewness)


def test_counts_are_those_of_a_plain_loop():
    F, y = RNG.normal(size=(50, 8)), RNG.integers(0, 5, 50)
    hubs = k_occurrence(F, y, k=3)
    plain = np.zeros(8, int)
    for row in F:
        plain[np.argsort(-row)[:3]] += 1
    np.testing.assert_array_equal(hubs.count, plain)
    assert hubs.occurrence.mean() == pytest.approx(1)
    assert hubs.skewness == pytest.approx(skew(hubs.occurrence))
    assert hubs.unused == (plain == 0).sum()


def test_a_perfect_method_has_no_hubs_whatever_the_sizes_of_classes():
    y = np.repeat(np.arange(4), [5, 10, 50, 200])
    hubs = k_occurrence(np.eye(4)[y], y)
    np.testing.assert_allclose(hubs.occurrence, 1)
    np.testing.assert_array_equal(hubs.count, [5, 10, 50, 200])
    assert hubs.skewness == pytest.approx(0)


@pytest.mark.parametrize("k", [0, 8])
def test_k_outside_the_candidates_is_refused(k):
    with pytest.raises(ParameterError, match="k must be from 1 to 7"):
        k_occurrence(RNG.normal(size=(5, 8)), np.zeros(5, int), k)


def test_semantic_space_has_more_hubs_than_visual_space():
    dataset = load("simulated-CUB")
    scored = {
        name: fit_and_score(method, dataset, dataset.split("PS"))
        for name, method in (("visual", LinearS2V()), ("semantic", LinearV2S()))
    }
    table = compare_hubness(scored, dataset.class_names, k=1)
    skewness = table.groupby("method")["skewness"].first()
    assert skewness["semantic"] > skewness["visual"]
    assert not table["seen"].any()
    right = table.groupby("method")["right"].mean()  # with k = 1: the accuracy itself
    F, y = scored["visual"].unseen_part
    hit = F.argmax(axis=1) == y
    assert right["visual"] == pytest.approx(np.mean([hit[y == c].mean() for c in np.unique(y)]))
    assert len(compare_hubness(scored, dataset.class_names, unseen_only=False)) == 2 * 200
