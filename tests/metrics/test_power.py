"""Power against simulated studies.

A share p of k simulated studies has the standard error sqrt(p (1 - p) / k); the tolerance is four
of them, 0.025 at p = 0.8 and k = 4,000.
"""

import numpy as np
import pytest
from scipy.stats import nct, norm, ttest_1samp
from scipy.stats import t as student

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics import harmonic_mean
from zslcore.metrics.power import Design, Stratum, assumed_stratum, stratum_of

STUDIES = 4000
C, N, Q, TAU = 20, 400, 0.3, 0.03


def studies(rng, difference, between=TAU, classes=C, images=N, k=STUDIES):
    """Mean differences of the classes of k studies, their images trinomial: (k, classes)."""
    delta = rng.normal(difference, between, (k, classes))
    plus, minus = (Q + delta) / 2, (Q - delta) / 2
    assert (plus > 0).all()
    assert (minus > 0).all()
    first = rng.binomial(images, plus)
    second = rng.binomial(images - first, minus / (1 - plus))
    return (first - second) / images


def tolerance(p, k=STUDIES):
    return 4 * np.sqrt(p * (1 - p) / k)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_a_paired_t_test_over_classes_finds_as_often_as_said(power):
    assumed = Design((assumed_stratum(C, N, Q, TAU, 0.0),))
    difference = assumed.detectable("classes", power)
    design = Design((assumed_stratum(C, N, Q, TAU, difference),))
    expected = design.power(difference, "classes")
    means = studies(np.random.default_rng(0), difference)
    found = (ttest_1samp(means, 0, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(expected, abs=tolerance(expected))


def test_a_test_over_images_of_the_same_classes_finds_as_often_as_said():
    design = Design((assumed_stratum(C, N, Q, 0.0, 0.02),))
    expected = design.power(0.02, "images")
    assert 0.5 < expected < 0.99
    means = studies(np.random.default_rng(1), 0.02, between=0.0).mean(axis=1)
    found = (np.abs(means) / design.error("images") > norm.ppf(0.975)).mean()
    assert found == pytest.approx(expected, abs=tolerance(expected))


def test_without_a_difference_the_power_is_the_level():
    design = Design((Stratum(C, N, TAU, 0.5),))
    for over in ("classes", "images"):
        assert design.power(0.0, over, 0.05) == pytest.approx(0.05)
    means = studies(np.random.default_rng(2), 0.0)
    found = (ttest_1samp(means, 0, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(0.05, abs=tolerance(0.05))


@pytest.mark.parametrize("over", ["classes", "images"])
def test_what_is_needed_is_the_smallest_number_that_is_enough(over):
    design = Design((Stratum(C, N, 0.004, 0.5), Stratum(3 * C, N, 0.01, 0.4)))
    images = design.images_needed(0.01, over)
    assert design.with_images(images).power(0.01, over) >= 0.8
    assert design.with_images(images - 1).power(0.01, over) < 0.8
    classes = design.classes_needed(0.01, over)
    assert classes[1] == 3 * classes[0]
    assert design.with_classes(classes[0] / C).power(0.01, over) >= 0.8
    assert design.with_classes((classes[0] - 1) / C).power(0.01, over) < 0.8
    found = design.detectable(over)
    assert design.power(found, over) == pytest.approx(0.8, abs=1e-9)


def test_images_over_the_same_classes_follow_the_textbook_formula():
    design = Design((Stratum(50, 10, 0.2, np.sqrt(0.2)),))
    z = norm.ppf(0.975) + norm.ppf(0.8)
    assert design.images_needed(0.01, "images") == np.ceil(z**2 * 0.2 / (50 * 0.01**2))


def test_no_number_of_images_makes_up_for_few_classes():
    design = Design((Stratum(10, 10, 0.1, 0.5),))
    assert design.images_needed(0.01, "classes") is None
    assert design.power(0.01, "classes") < design.with_images(1e9).power(0.01, "classes") < 0.8
    assert design.classes_needed(0.01, "classes")[0] > 800


def test_deviations_are_estimated_from_a_pilot_without_bias():
    """The mean of 1,500 estimates is within four of its standard errors."""
    rng, found = np.random.default_rng(3), []
    classes, images = 8, 200
    y = np.repeat(np.arange(classes), images)
    for _ in range(1500):
        delta = rng.normal(0, 0.15, classes)[y]
        d = rng.choice([0.0, 1.0], len(y)) * np.where(rng.random(len(y)) < 0.5 + delta, 1, -1)
        stratum = stratum_of(d, y)
        found.append((stratum.between**2, stratum.within**2))
    found = np.array(found)
    error = found.std(axis=0) / np.sqrt(len(found))
    # d is 0 or, half the time, 1 with 0.5 + delta: its mean is delta, its square 0.5.
    expected = np.array([0.15**2, 0.5 - 0.15**2])
    assert (np.abs(found.mean(axis=0) - expected) < 4 * error).all()


def test_images_of_unequal_classes_count_by_their_harmonic_mean():
    rng = np.random.default_rng(4)
    y = np.repeat([3, 5, 9], [2, 8, 40])
    d = rng.choice([-1.0, 0.0, 1.0], len(y))
    stratum = stratum_of(d, y)
    of_class = [d[y == c].var(ddof=1) for c in (3, 5, 9)]
    assert (stratum.classes, stratum.images) == (3, pytest.approx(3 / (1 / 2 + 1 / 8 + 1 / 40)))
    assert stratum.within**2 == pytest.approx(np.mean(of_class))


def test_the_error_of_h_is_that_of_simulated_studies():
    """Over images; a deviation of k draws has the standard error s / sqrt(2 k), tolerance four."""
    rng, k, n = np.random.default_rng(5), 3000, 60
    sides = {"unseen": np.array([0.3, 0.5, 0.4]), "seen": np.array([0.8, 0.7, 0.6, 0.9])}
    drawn = {}
    for side, p in sides.items():  # second and first right, independently
        drawn[side] = [
            rng.binomial(n, np.clip(p + more, 0, 1), (k, len(p))) / n for more in (0, 0.05)
        ]
    means = {side: [x.mean(axis=1) for x in both] for side, both in drawn.items()}
    h = [harmonic_mean(means["seen"][j], means["unseen"][j]) for j in (0, 1)]
    strata = []
    for side, p in sides.items():
        variance = np.zeros(len(p))
        for more in (0, 0.05):
            u, s = (sides[name].mean() + more for name in ("unseen", "seen"))
            weight = 2 * (s if side == "unseen" else u) ** 2 / (s + u) ** 2
            variance += weight**2 * (p + more) * (1 - p - more)
        strata.append(Stratum(len(p), n, 0.0, float(np.sqrt(variance.mean()))))
    observed = (h[1] - h[0]).std()
    assert Design(tuple(strata)).error("images") == pytest.approx(
        observed, abs=4 * observed / np.sqrt(2 * k)
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stratum_of(np.zeros(3), np.zeros(3, int)), "at least two classes"),
        (lambda: stratum_of(np.zeros(3), np.arange(3)), "one of them with two images"),
        (lambda: assumed_stratum(1, 5, 0.2, 0.0, 0.01), "at least two classes"),
        (lambda: assumed_stratum(5, 5, 0.2, 0.5, 0.01), "cannot be"),
        (lambda: assumed_stratum(5, 5, 0.35, 0.0, 0.6), "cannot be"),
        (lambda: assumed_stratum(5, 5, 1.2, 0.0, 0.01), "disagreement: expected a fraction"),
        (lambda: Design((Stratum(5, 5, 0, 1),)).images_needed(0, "images"), "and not 0; got 0"),
        (lambda: Design((Stratum(5, 5, 0, 1),)).detectable("images", 0.01), "power: expected"),
        (lambda: Design((Stratum(5, 5, 0, 1),)).power(0.1, "images", 0), "alpha: expected"),
    ],
)
def test_what_cannot_be_is_one_sentence(call, said):
    with pytest.raises((DatasetError, ParameterError), match=said):
        call()


def test_one_stratum_has_a_degree_of_freedom_less_than_classes():
    design, sample = Design((Stratum(5, 100, 0.0, 0.4),)), ttest_1samp(np.arange(5), 0)
    shift, edge = 0.1 / design.error("classes"), student.ppf(0.975, sample.df)
    found = nct.sf(edge, sample.df, shift) + nct.cdf(-edge, sample.df, shift)
    assert design.power(0.1, "classes") == pytest.approx(found, rel=1e-6)


def test_squares_may_sum_to_the_whole_disagreement():
    stratum = assumed_stratum(2, 1, 0.5, 0.5, 0.5)
    assert (stratum.classes, stratum.images, stratum.within) == (2, 1, 0)


def test_no_difference_is_found_where_a_whole_one_is_not():
    design = Design((Stratum(2, 30, 0.1, 0.4),))
    assert np.isnan(design.detectable("classes"))
    assert 0 < design.detectable("images") < 1
    with pytest.raises(ParameterError, match="cannot be"):
        assumed_stratum(10, 30, 0.2, float("nan"), 0.01)


def test_models_that_never_differ_find_everything():
    design = Design((Stratum(5, 5, 0.0, 0.0),))
    assert design.power(0.01, "classes") == 1
    assert design.detectable("images") == 0
    assert design.images_needed(0.01, "images") == 1
