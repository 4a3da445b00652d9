"""Metrics of every protocol and of its resamples equal those of plain code and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import f1_score, roc_auc_score, roc_curve

from tests.metrics.test_metrics import scored
from tests.worlds import scored_again
from zslcore.analysis.papers.claims import FINDINGS
from zslcore.analysis.resampling import counts_of_classes, draws_of
from zslcore.evaluation.bootstrap import BootstrapMetrics, depends_on_candidates
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.protocol import evaluate
from zslcore.evaluation.registry import REGISTRY, needs_predictions
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics.significance import class_draws, image_draws, interval

GAMMA = 0.3


def matrix_of(F, y, seen):
    return ScoredTest(F, y, np.arange(len(seen)), seen)


def a_test(seed, n_seen=6, n_unseen=4, ties=True):
    """Return scores of classes of different sizes, rounded so that margins are tied."""
    rng = np.random.default_rng(seed)
    n = n_seen + n_unseen
    y = np.repeat(np.arange(n), rng.integers(2, 12, size=n))
    F = rng.normal(size=(len(y), n)) + 0.9 * np.eye(n)[y]
    return matrix_of(np.round(F, 1) if ties else F, y, np.arange(n) < n_seen)


def values(test, gamma=GAMMA):
    drawn = BootstrapMetrics.once(test, gamma)
    assert len(drawn.counts) == 1
    return {name: float(metric.drawn(drawn)[0]) for name, metric in REGISTRY.items()}


def harmonic(s, u):
    return 2 * s * u / (s + u) if s + u else 0.0


def by_plain_code(F, y, seen):
    """Return the metrics that papers print, from the matrix and class by class."""
    base, new = np.flatnonzero(seen), np.flatnonzero(~seen)
    of_base = np.isin(y, base)
    ok = np.zeros(len(y), bool)
    for columns, rows in ((base, of_base), (new, ~of_base)):
        ok[rows] = columns[F[np.ix_(rows, columns)].argmax(axis=1)] == y[rows]
    margin = F[:, base].max(axis=1) - F[:, new].max(axis=1)
    # At gamma = 0, a tie between the sides counts as unseen, as in the whole package.
    answer = np.where(margin > 0, base[F[:, base].argmax(axis=1)], new[F[:, new].argmax(axis=1)])

    def per_class(right, classes):
        return np.mean([right[y == c].mean() for c in classes if (y == c).any()])

    fpr, tpr, _ = roc_curve(of_base, margin, drop_intermediate=False)
    return {
        "separate_seen": per_class(ok, base),
        "separate_harmonic": harmonic(per_class(ok, base), per_class(ok, new)),
        "separate_seen_per_sample": ok[of_base].mean(),
        "separate_harmonic_per_sample": harmonic(ok[of_base].mean(), ok[~of_base].mean()),
        "zsl": per_class(ok, new),
        "zsl_per_sample": ok[~of_base].mean(),
        "auroc": roc_auc_score(of_base, margin),
        "fpr95": fpr[np.argmax(tpr >= 0.95)],
        "accuracy": per_class(answer == y, range(len(seen))),
        "accuracy_per_sample": (answer == y).mean(),
        "macro_f1": f1_score(y, answer, average="macro", labels=np.unique(y)),
    }


def open_world_auc(F, y, seen):
    """Return OpenworldAUC over all pairs of a base and a new image; a tied pair counts half."""
    base, new = np.flatnonzero(seen), np.flatnonzero(~seen)
    margin = F[:, base].max(axis=1) - F[:, new].max(axis=1)
    total = 0.0
    rows = [np.flatnonzero(np.isin(y, side)) for side in (base, new)]
    for i in rows[0]:
        if base[F[i, base].argmax()] != y[i]:
            continue
        for j in rows[1]:
            if new[F[j, new].argmax()] == y[j]:
                total += (margin[i] > margin[j]) + 0.5 * (margin[i] == margin[j])
    return total / (len(rows[0]) * len(rows[1]))


@pytest.mark.nightly
@given(scored())
def test_metrics_equal_plain_code_and_scikit_learn(world):
    test = matrix_of(*world)
    got = values(test)
    for name, expected in by_plain_code(*world).items():
        assert got[name] == pytest.approx(expected, abs=1e-12), name


@given(scored())
def test_metrics_equal_the_protocol(world):
    test = matrix_of(*world)
    e, got = evaluate(test, GAMMA), values(test)
    for name, metric in REGISTRY.items():
        if metric.of is not needs_predictions:
            assert got[name] == pytest.approx(metric.of(e), abs=1e-12), name
    for average, end in (("class", ""), ("sample", "_per_sample")):
        best = test.curve_of(average).best()
        s, u, H = (got[f"best_{side}{end}"] for side in ("seen", "unseen", "harmonic"))
        assert pytest.approx(best.harmonic, abs=1e-12) == H
        assert harmonic(s, u) == H


def test_ausuc_per_sample_equals_openworldauc_with_and_without_ties():
    tied = 0
    for seed in range(200):
        test = a_test(seed, ties=False)
        # Scores are whole numbers, since the curve treats margins that differ in the last bit as
        # equal.
        F = test.F if seed % 2 else np.round(10 * test.F)
        whole = matrix_of(F, test.y, test.seen)
        margin, of_seen = whole.best_classes.margin, whole.seen[whole.y]
        tied += bool(np.isin(margin[of_seen], margin[~of_seen]).any())
        expected = open_world_auc(F, test.y, test.seen)
        assert values(whole)["ausuc_per_sample"] == pytest.approx(expected, abs=1e-12), seed
    assert tied == 100


@pytest.mark.parametrize(
    ("name", "area", "separate", "plain"),
    [("AWA1_LAGO", "0.493841496362", 69.4, 33.7), ("CUB_XianGAN", "0.339186264327", 62.8, 49.8)],
)
def test_real_scores_have_known_harmonic_means_and_openworldauc(
    name, area, separate, plain, shared
):
    dataset = np.load(shared / "data" / "gzsl_scores" / f"{name}.npz")
    F, y = dataset["scores"].astype(float), dataset["y"].astype(int)
    seen = ~np.isin(np.arange(F.shape[1]), dataset["unseen_classes"])
    got, expected = values(matrix_of(F, y, seen)), by_plain_code(F, y, seen)
    for metric, value in expected.items():
        assert got[metric] == pytest.approx(value, abs=1e-12), metric
    assert f"{got['ausuc_per_sample']:.12f}" == area
    (finding,) = (finding for finding in FINDINGS if finding.id == "ausuc-is-openworldauc")
    assert area in finding.sentence
    assert round(100 * got["separate_harmonic"], 1) == separate
    assert round(100 * got["plain_harmonic"], 1) == plain


def repeated(test, rows):
    return matrix_of(test.F[rows], test.y[rows], test.seen.copy())


WITHIN = ("auroc", "fpr95", "ausuc_per_sample", "separate_harmonic_per_sample")


def test_a_draw_equals_a_test_set_with_repeated_images():
    test = a_test(3)
    rng = np.random.default_rng(0)
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(test.y == c), (test.y == c).sum()) for c in range(10)]
    )
    counts = np.bincount(rows, minlength=len(test.y))[None].astype(float)
    again = values(repeated(test, rows))
    for name, metric in REGISTRY.items():
        drawn = metric.drawn(BootstrapMetrics(test, counts, GAMMA))
        assert drawn[0] == pytest.approx(again[name], abs=1e-12), name


def test_a_draw_equals_a_test_set_with_repeated_classes():
    test = a_test(4)
    times = np.array([2, 0, 1, 1, 0, 1, 0, 2, 1, 1])
    rows = np.repeat(np.arange(len(test.y)), times[test.y])
    again = values(repeated(test, rows))
    drawn = BootstrapMetrics(test, times[test.y][None].astype(float), GAMMA)
    for name in WITHIN:
        assert REGISTRY[name].drawn(drawn)[0] == pytest.approx(again[name], abs=1e-12), name
    of_class = [
        f1_score(test.y, test.predicted(), average=None, labels=[c], zero_division=0)[0]
        for c in range(10)
    ]
    sides = [
        np.average(np.array(of_class)[side], weights=times[side])
        for side in (test.seen, ~test.seen)
    ]
    macro = REGISTRY["macro_f1"].drawn(drawn)[0]
    assert macro == pytest.approx(0.6 * sides[0] + 0.4 * sides[1], abs=1e-12)


@pytest.mark.parametrize("over", ["classes", "images"])
def test_the_draws_of_every_metric_start_with_its_value_and_scatter_around_it(over):
    test = a_test(5, n_seen=30, n_unseen=20, ties=False)
    result = draws_of(test, list(REGISTRY), GAMMA, over=over, n_draws=400)
    for name, value in values(test).items():
        assert result[name][0] == pytest.approx(value, abs=1e-12)
        assert len(result[name]) == 401
        low, high = interval(result[name])
        assert low < high
        if not name.startswith("best"):  # the best H is biased upwards
            assert low < value < high, name
            assert abs(result[name][1:].mean() - value) < 0.02, name


def test_the_variance_over_resampled_images_equals_that_of_the_accuracy():
    """For a class with n images and accuracy p, the unbiased variance is p (1 - p) / (n - 1)."""
    y = np.repeat([0, 1], [9, 7])
    F = np.where(np.arange(2) == np.array([0] * 4 + [1] * 5 + [1] * 7)[:, None], 1.0, 0.0)
    test = matrix_of(F, y, np.array([True, False]))
    result = draws_of(test, ["plain_seen"], over="images", n_draws=20_000)["plain_seen"]
    assert result[1:].var() == pytest.approx(4 / 9 * 5 / 9 / 8, rel=0.05)


def test_images_are_drawn_within_their_class_for_any_block_size(monkeypatch):
    y = np.array([2, 0, 0, 1, 2, 2, 0, 2])
    whole = np.concatenate(list(image_draws(y, 50)))
    assert whole.shape == (51, 8)
    assert (whole[0] == 1).all()
    for c, n in enumerate(np.bincount(y)):
        np.testing.assert_allclose(whole[:, y == c].sum(axis=1), n)
    assert (whole[:, 3] == 1).all()  # a class with one image keeps this image
    assert (whole[1:] != 1).any()
    monkeypatch.setattr("zslcore.metrics.significance.BLOCK", 20)
    np.testing.assert_array_equal(np.concatenate(list(image_draws(y, 50))), whole)


def test_scores_that_depend_on_the_candidates_are_detected():
    joint = a_test(6)
    rows = np.arange(len(joint.y))
    names = [f"class {c}" for c in range(10)]
    alone = Predictions.of_scores(joint, rows, names)
    assert not depends_on_candidates(joint)
    assert not depends_on_candidates(alone.test)
    result = scored_again(alone.test, -joint.unseen_part[0])
    assert depends_on_candidates(result)
    assert values(result)["zsl"] == pytest.approx(evaluate(result).zsl, abs=1e-12)
    assert values(result)["plain_unseen"] == pytest.approx(evaluate(joint).plain.unseen, abs=1e-12)


@pytest.mark.parametrize("ties", [True, False])
def test_corners_of_the_curve_give_the_metrics_of_the_whole_curve(ties):
    """Images have any weights, including zero."""
    for seed in range(8):
        test = a_test(seed, ties=ties)
        drawn = BootstrapMetrics(
            test, np.random.default_rng(seed).integers(0, 3, (30, len(test.y))) * 1.0
        )
        for average in ("class", "sample"):
            curve = drawn.curve(average)
            s, u = curve.seen, curve.unseen
            area = s[:, 0] * u[:, 0] + np.trapezoid(s, u, axis=1)
            np.testing.assert_allclose(drawn.area(average), area, atol=1e-12)
            largest = curve.harmonic.max(axis=1)
            np.testing.assert_allclose(drawn.best(average).harmonic, largest, atol=1e-12)
            k = np.searchsorted(test.margins.gamma, GAMMA, side="right") - 1
            np.testing.assert_allclose(drawn.at(GAMMA, average).seen, s[:, k], atol=1e-12)
            np.testing.assert_allclose(drawn.at(GAMMA, average).unseen, u[:, k], atol=1e-12)


def test_invalid_input_is_refused_in_one_sentence():
    test = a_test(7)
    with pytest.raises(DatasetError, match=rf"one column per test image \({len(test.y)}\); got an"):
        BootstrapMetrics(test, np.ones((2, 3)))
    with pytest.raises(ParameterError, match="at least 1; got 0"):
        next(image_draws(test.y, 0))
    drawn = class_draws(np.array([True, True, False]), 1)
    with pytest.raises(DatasetError, match=r"one column per candidate class \(10\); got \(2, 3\)"):
        next(counts_of_classes(test, drawn))
