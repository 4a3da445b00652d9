"""Ranks by hand, published examples of the tests, and coverage of the intervals."""

import numpy as np
import pytest

from zslcore.analysis import ranking, resampling
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.exceptions import DatasetError
from zslcore.metrics import significance

#: Accuracies of C4.5 with four settings on 14 data sets, Demšar 2006, table 6.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # the book prints them as equal, but ranks them differently
        [0.957, 0.978, 0.946, 0.970],
    ]
)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_the_textbooks_example():
    ranks = ranking.method_ranks(DEMSAR)
    np.testing.assert_allclose(ranks.mean(axis=0), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    test = ranking.friedman_test(DEMSAR)
    assert test.critical_difference == pytest.approx(1.25, abs=0.01)
    # The book prints 9.28, which is not corrected for ties.
    uncorrected = 12 * 14 / 20 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    assert uncorrected == pytest.approx(9.28, abs=0.01)
    assert test.statistic > uncorrected
    assert test.p < 0.05
    assert (test.occasions, test.methods) == (14, 4)


@pytest.mark.parametrize(
    ("methods", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)], ids=["2", "5", "10"]
)
def test_critical_values_are_those_of_the_printed_table(methods, q):
    critical = ranking.critical_difference(6, methods) / np.sqrt(methods * (methods + 1) / 36)
    assert critical == pytest.approx(q, abs=6e-4)


def test_places_are_counted_and_ties_share_them():
    values = np.array([[0.9, 0.5, 0.1], [0.5, 0.5, 0.1], [0.2, 0.3, 0.4]])
    expected = [[1.5, 0.5, 1.0], [0.5, 2.5, 0.0], [1.0, 0.0, 2.0]]
    matrix = ranking.rank_matrix(values)
    np.testing.assert_allclose(matrix, expected)
    np.testing.assert_allclose(matrix.sum(axis=0), 3)
    places = np.arange(1, 4)
    np.testing.assert_allclose(matrix @ places / 3, ranking.method_ranks(values).mean(axis=0))


def test_values_that_differ_by_rounding_tie():
    assert ranking.method_ranks([0.1 + 0.2, 0.3]).tolist() == [1.5, 1.5]


def test_the_null_is_rejected_at_the_nominal_rate(rng, monkeypatch):
    monkeypatch.setattr(ranking, "N_PERMUTATIONS", 199)
    p = [ranking.friedman_test(rng.normal(size=(5, 6)), seed=k).p for k in range(200)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 200)
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.12)


def test_methods_that_all_tie_do_not_differ():
    test = ranking.friedman_test(np.ones((4, 3)))
    assert np.isnan(test.statistic)
    assert test.p == 1


def world(rng, truth, n_classes, per_class=20):
    """Return tests of methods with accuracies that scatter over classes around a true value."""
    y = np.repeat(np.arange(n_classes), per_class)
    hard = rng.normal(0, 0.08, n_classes)  # the difficulty of a class is the same for all methods
    tests = []
    for accuracy in truth:
        of_class = np.clip(accuracy + hard + rng.normal(0, 0.1, n_classes), 0, 1)
        right = rng.random(len(y)) < of_class[y]
        F = np.zeros((len(y), n_classes + 1))
        F[np.arange(len(y)), np.where(right, y, (y + 1) % n_classes)] = 1
        seen = np.arange(n_classes + 1) == n_classes
        tests.append(ScoredTest(F, y, np.arange(n_classes + 1), seen))
    return tests


def test_intervals_of_ranks_cover_the_true_ones(rng):
    """In at least nine of ten simulated worlds, all true mean ranks are in their intervals."""
    truth = np.array([0.62, 0.55, 0.52, 0.50, 0.40])
    covered = np.zeros(len(truth))
    n_worlds = 100
    for world_number in range(n_worlds):
        drawn_values = []
        for n_classes in (12, 20):
            drawn = significance.class_draws(
                np.arange(n_classes + 1) == n_classes, 100, world_number
            )
            tests = world(rng, truth, n_classes)
            drawn_values.append(
                np.stack(
                    [resampling.metrics_of_draws(test, drawn)["zsl"] for test in tests], axis=-1
                )
            )
        ranks = ranking.ranking(np.stack(drawn_values, axis=1))
        covered += (ranks.low <= np.arange(1, 6)) & (np.arange(1, 6) <= ranks.high)
        assert ranks.first.sum() == pytest.approx(1)
    assert (covered >= 90).all(), covered


def test_intervals_of_all_occasions_have_joint_coverage(rng):
    """A mean of three ranks has the mean of three intervals, each with a third of the errors."""
    values = rng.normal(size=(400, 3, 5)) + 2 * np.arange(5)
    ranks = ranking.ranking(values)
    alone = [ranking.rank_bounds(values[:, k], 1 - 0.05 / 3) for k in range(3)]
    np.testing.assert_allclose((ranks.low, ranks.high), np.mean(alone, axis=0))
    narrow = [ranking.ranking(values[:, [k]]) for k in range(3)]
    width = sum((ranks_of_set.high - ranks_of_set.low).sum() for ranks_of_set in narrow) / 3
    assert (ranks.high - ranks.low).sum() > width


def test_a_permutation_p_includes_the_sample():
    always = np.tile(np.arange(5.0), (12, 1))  # no permutation has a larger distance
    assert ranking.friedman_test(always).p == 1 / (1 + ranking.N_PERMUTATIONS)


def test_without_draws_there_is_no_interval():
    ranks = ranking.ranking(DEMSAR[None])
    np.testing.assert_allclose(ranks.mean_rank, ranking.method_ranks(DEMSAR).mean(axis=0))
    assert np.isnan(ranks.low).all()


def test_groups_of_similar_methods_are_maximal():
    mean_rank = np.array([3.0, 1.0, 1.5, 4.4, 2.2])
    groups = ranking.groups(mean_rank, 1.3)
    assert groups[0] == [1, 2, 4]
    spans = [mean_rank[group] for group in groups]
    assert all(np.ptp(span) <= 1.3 for span in spans)
    assert not any(set(a) < set(b) for a in groups for b in groups)
    assert ranking.groups(np.array([1.0, 5.0]), 1.0) == []


def test_agreement_of_two_rankings_equals_kendalls_tau(rng):
    same = ranking.agreement([3, 2, 1, 0, -1], [30, 20, 10, 5, 1])
    assert same.tau == pytest.approx(1)
    assert same.low > 0.9
    assert same.methods == 5
    opposite = ranking.agreement([1, 2, 3], [3, 2, 1])
    assert opposite.tau == pytest.approx(-1)
    assert np.isnan(opposite.low)
    holes = ranking.agreement([1, 2, np.nan, 4], [1, np.nan, 3, 2])
    assert holes.methods == 2
    covered = 0
    for _ in range(200):  # tau of a bivariate normal is 2/pi arcsin(rho)
        x = rng.normal(size=13)
        agreement = ranking.agreement(x, 0.8 * x + 0.6 * rng.normal(size=13))
        covered += agreement.low <= 2 / np.pi * np.arcsin(0.8) <= agreement.high
    assert covered >= 180


def test_incomplete_rankings_are_refused():
    with pytest.raises(DatasetError, match=r"at least \(2, 3\); got shape \(1, 4\)"):
        ranking.friedman_test(DEMSAR[:1])
    with pytest.raises(DatasetError, match="a value of every method on every occasion"):
        ranking.rank_matrix(np.array([[1.0, np.nan]]))
    with pytest.raises(
        DatasetError, match="at least two methods with a value in both rankings; got 1"
    ):
        ranking.agreement([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(DatasetError, match="shape \\(draws, occasions, methods\\)"):
        ranking.ranking(DEMSAR)
