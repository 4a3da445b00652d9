"""Quality of maps: equal to other implementations, and sensitive to planted structure."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

from tests.analysis.pairs import blobs
from zslcore.analysis.maps.joint_pca import MapData
from zslcore.analysis.maps.quality import (
    class_vote,
    density,
    knn_recall,
    map_quality,
    mixing_scores,
    mixing_verdicts,
    neighbours,
)
from zslcore.exceptions import ParameterError
from zslcore.metrics import mean_class_accuracy

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(200, 6))
Y = Z[:, :2] + 0.3 * RNG.normal(size=(200, 2))
LABELS = (Z[:, 0] > 0).astype(int) + 2 * (Z[:, 1] > 0)


def continuity_by_hand(Z, Y, k):
    """Sum the ranks beyond k of true neighbours that are not neighbours on the map."""
    n = len(Z)
    rank = []
    for A in (Z, Y):
        distance = np.linalg.norm(A[:, None] - A, axis=2)
        rank.append(np.argsort(np.argsort(distance, axis=1), axis=1))
    lost = (rank[0] <= k) & (rank[1] > k)
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * (rank[1] - k)[lost].sum()


def test_quality_equals_other_implementations():
    quality = map_quality(Z, Y, LABELS, k=10)
    assert quality.trustworthiness == pytest.approx(trustworthiness(Z, Y, n_neighbors=10), abs=1e-9)
    assert quality.continuity == pytest.approx(continuity_by_hand(Z, Y, 10), abs=1e-9)
    assert quality.trustworthiness != pytest.approx(quality.continuity, abs=1e-3)
    nearest = KNeighborsClassifier(10).fit(Y, LABELS).kneighbors(return_distance=False)
    shared = [len(set(a) & set(b)) for a, b in zip(neighbours(Z, 10).indices, nearest, strict=True)]
    assert quality.knn_recall == pytest.approx(np.mean(shared) / 10)


def test_a_copy_of_the_plane_is_perfect():
    plane = Z[:, :2]
    quality = map_quality(plane, 3 * plane[:, ::-1], LABELS)
    assert (quality.trustworthiness, quality.continuity, quality.knn_recall) == (1, 1, 1)
    assert quality.class_accuracy_pca == quality.class_accuracy_map


def test_a_random_map_has_chance_quality():
    quality = map_quality(Z, RNG.normal(size=(200, 2)), LABELS)
    assert 0.4 < quality.trustworthiness < 0.6
    assert quality.knn_recall < 0.2


def test_a_vote_is_the_majority_and_a_tie_goes_to_the_nearest():
    labels = np.array([0, 0, 1, 1, 2])
    indices = np.array([[2, 0, 1], [4, 2, 0], [0, 2, 3]])
    np.testing.assert_array_equal(class_vote(indices, labels), [0, 2, 1])
    quality = map_quality(Z, Y, LABELS, k=9)
    own = class_vote(neighbours(Z, 9).indices, LABELS)
    assert quality.class_accuracy_pca == mean_class_accuracy(LABELS, own)


def test_recall_counts_shared_neighbours():
    assert knn_recall(np.array([[1, 2], [0, 2]]), np.array([[2, 3], [0, 2]])) == 0.75


def test_too_small_a_map_is_refused():
    with pytest.raises(ParameterError, match="too small to be measured"):
        map_quality(Z[:2], Y[:2], LABELS[:2])


def test_density_is_high_in_crowded_areas():
    points = np.vstack([RNG.normal(size=(900, 2)) * 0.1, RNG.uniform(-10, 10, size=(100, 2))])
    here = density(points)
    assert np.median(here[:900]) > 5 * np.median(here[900:])
    assert here.mean() == pytest.approx(1)


# --- Mixing ---------------------------------------------------------------------------------------


def mixing(pair, **options):
    data = MapData.of(pair, features="none")
    X = np.vstack([view[:] for view in data.sampled_views()])
    return mixing_scores({"PCA": X}, data.part, data.labels, data.class_names, **options)


@pytest.mark.parametrize("sizes", [(60, 60), (120, 25)])
def test_no_shift_is_reported_without_a_shift(sizes):
    tables = [mixing(blobs(n_per_class=sizes, seed=seed)) for seed in range(8)]
    scores = np.array([table["mixing"] for table in tables])
    assert abs(scores.mean() - 1) < 0.02  # the mean is 1 for any two sample sizes
    assert sum((table["p_holm"] < 0.05).any() for table in tables) <= 1
    assert 0.3 < np.mean([table["p"].mean() for table in tables]) < 0.7


@pytest.mark.parametrize("sizes", [(60, 60), (120, 25)])
def test_a_planted_shift_is_found_in_its_class(sizes):
    table = mixing(blobs(n_per_class=sizes, shifted=[1, 3]))
    moved = table["class"].isin(["class 1", "class 3"])
    assert (table.loc[moved, "p_holm"] < 0.05).all()
    assert (table.loc[moved, "mixing"] < 0.7).all()
    assert (table.loc[~moved, "p_holm"] > 0.05).all()
    assert (table.loc[~moved, "mixing"] > 0.8).all()


def test_mixing_is_one_for_random_groups_and_zero_for_separate_ones():
    X, labels = RNG.normal(size=(90, 3)), np.zeros(90, int)
    scores = []
    for seed in range(40):
        part = np.random.default_rng(seed).permutation(np.repeat([0, 1], [70, 20]))
        scores.append(mixing_scores({"x": X}, part, labels, ["c"])["mixing"][0])
    assert np.mean(scores) == pytest.approx(1, abs=0.03)
    part = np.repeat([0, 1], 45)
    apart = mixing_scores({"x": X + 100 * part[:, None]}, part, labels, ["c"])
    assert apart["mixing"][0] == 0
    assert apart["p"][0] == pytest.approx(1 / 2000)


def test_mean_mixing_over_all_assignments_of_a_class_is_one():
    X, scores = RNG.normal(size=(7, 2)), []
    for chosen in combinations(range(7), 2):
        part = np.isin(np.arange(7), chosen).astype(int)
        scores.append(mixing_scores({"x": X}, part, np.zeros(7, int), ["c"])["mixing"][0])
    assert np.mean(scores) == pytest.approx(1, abs=1e-12)


def test_a_class_in_one_data_set_only_has_no_score():
    part, labels = np.repeat([0, 1, 0], 20), np.repeat([0, 0, 1], 20)
    table = mixing_scores({"x": RNG.normal(size=(60, 3))}, part, labels, ["both", "one"])
    assert table.set_index("class")["mixing"].isna().to_dict() == {"both": False, "one": True}
    assert np.isnan(table.set_index("class").loc["one", "p_holm"])


def test_verdicts_distinguish_hidden_and_invented_shifts():
    part, labels = np.tile([0, 1], 120), np.repeat(np.arange(4), 60)
    truth, drawn = np.random.default_rng(1).normal(size=(2, 240, 2))
    truth[(part == 1) & (labels < 2)] += 20  # classes 0 and 1
    drawn[(part == 1) & (labels % 2 == 0)] += 20  # classes 0 and 2
    table = mixing_scores({"PCA": truth, "map": drawn}, part, labels, list("abcd"))
    verdicts = mixing_verdicts(table, "PCA", "map").set_index("class")["verdict"].to_dict()
    assert verdicts == {"a": "shown", "b": "hidden", "c": "invented", "d": "no shift"}
