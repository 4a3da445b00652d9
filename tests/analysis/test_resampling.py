"""Bootstrap metrics over classes agree with the protocol, and their intervals have coverage."""

import tracemalloc

import numpy as np
import pytest

from zslcore.analysis import resampling
from zslcore.evaluation import protocol
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.metrics import significance


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def scored(rng, n_seen=6, n_unseen=4, per_class=9, ease=0.8):
    """Return the score matrix of a test set."""
    n = n_seen + n_unseen
    y = np.repeat(np.arange(n), per_class)
    F = rng.normal(size=(len(y), n)) + ease * np.eye(n)[y]
    return protocol.ScoredTest(F, y, np.arange(n), np.arange(n) < n_seen)


def by_hand(scores, drawn, gamma):
    """Compute the metrics of a test set that repeats each class as often as it is drawn."""
    rows = [np.flatnonzero(scores.y == c) for c in range(len(drawn)) for _ in range(drawn[c])]
    copies = [np.full(len(r), k) for k, r in enumerate(rows)]
    rows, copies = np.concatenate(rows), np.concatenate(copies)
    truth, predicted = scores.y[rows], {}
    zsl_F = np.where(scores.seen, -np.inf, scores.F)
    predicted["zsl"] = zsl_F.argmax(axis=1)[rows] == truth
    for name, g in (("plain", 0.0), ("calibrated", gamma)):
        predicted[name] = scores.predicted(g)[rows] == truth

    def mean(right, side):
        class_means = [right[copies == k].mean() for k in np.unique(copies[side])]
        return np.mean(class_means)

    seen = scores.seen[truth]
    u, s = mean(predicted["plain"], ~seen), mean(predicted["plain"], seen)
    uc, sc = mean(predicted["calibrated"], ~seen), mean(predicted["calibrated"], seen)
    return {
        "zsl": mean(predicted["zsl"], ~seen),
        "unseen": u,
        "seen": s,
        "harmonic": 2 * u * s / (u + s),
        "calibrated_harmonic": 2 * uc * sc / (uc + sc),
    }


def test_the_first_draw_equals_the_protocols_metrics(rng):
    scores = scored(rng)
    metrics = resampling.metrics_of_draws(
        scores, significance.class_draws(scores.seen, 3), gamma=0.3
    )
    e = protocol.evaluate(scores, 0.3)
    expected = (
        e.zsl,
        e.plain.unseen,
        e.plain.seen,
        e.plain.harmonic,
        e.calibrated.harmonic,
        scores.curve.best().harmonic,
        e.ausuc,
    )
    assert list(metrics) == list(resampling.RESAMPLED_METRICS)
    np.testing.assert_allclose([values[0] for values in metrics.values()], expected, atol=1e-12)


def test_a_draw_equals_a_test_set_with_repeated_classes(rng):
    scores = scored(rng)
    drawn = significance.class_draws(scores.seen, 5, seed=2)
    metrics = resampling.metrics_of_draws(scores, drawn, gamma=0.3)
    for k in range(len(drawn)):
        for name, expected in by_hand(scores, drawn[k], 0.3).items():
            assert metrics[name][k] == pytest.approx(expected), (name, k)


def test_block_size_has_no_effect(rng, monkeypatch):
    scores = scored(rng)
    drawn = significance.class_draws(scores.seen, 20)
    whole = resampling.metrics_of_draws(scores, drawn)
    monkeypatch.setattr(resampling, "BLOCK", 3 * len(scores.y))
    for name, values in resampling.metrics_of_draws(scores, drawn).items():
        np.testing.assert_allclose(values, whole[name], rtol=1e-12)


@pytest.mark.parametrize("n_seen", [0, 1, 7, 20])
def test_means_of_draws_do_not_depend_on_block_size(n_seen, monkeypatch):
    accuracy, seen = np.linspace(0, 1, 20) ** 2, np.arange(20) < n_seen
    drawn = significance.class_draws(seen, 30)
    for block in (1, 70, 1 << 20):
        monkeypatch.setattr(significance, "BLOCK", block)
        for side, means in zip(
            (seen, ~seen), significance.mean_draws(accuracy, seen, 30), strict=True
        ):
            with np.errstate(invalid="ignore"):
                expected = drawn[:, side] @ accuracy[side] / drawn[:, side].sum(axis=1)
            np.testing.assert_allclose(means, expected, rtol=1e-12)


@pytest.mark.nightly
def test_the_interval_of_many_classes_takes_little_memory():
    accuracy, seen = np.linspace(0, 1, 40_000), np.arange(40_000) % 2 == 0
    tracemalloc.start()
    significance.mean_draws(accuracy, seen)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


def test_each_draw_has_one_class_fewer_per_side():
    seen = np.arange(10) < 7
    drawn = significance.class_draws(seen, 50)
    assert (drawn[1:, seen].sum(axis=1) == 6).all()
    assert (drawn[1:, ~seen].sum(axis=1) == 2).all()
    only = significance.class_draws(np.array([True, False]), 3)
    assert (only == 1).all()
    assert (drawn[0] == 1).all()
    assert (drawn[1:] != 1).any()


def test_the_interval_covers_the_population_value(rng):
    """Class accuracies scatter around 1/2, which 95 % of the intervals contain."""
    hits, n = 0, 300
    for _ in range(n):
        right = rng.random((20, 40)) < rng.beta(4, 4, size=(20, 1))
        y = np.repeat(np.arange(20), 40)
        F = np.zeros((800, 21))
        F[np.arange(800), np.where(right.ravel(), y, (y + 1) % 20)] = 1
        scores = protocol.ScoredTest(F, y, np.arange(21), np.arange(21) == 20)
        drawn = significance.class_draws(scores.seen, 200)
        low, high = significance.interval(resampling.metrics_of_draws(scores, drawn)["zsl"])
        hits += low <= 0.5 <= high
    assert 0.87 <= hits / n <= 0.98


def test_classes_without_images_are_ignored(rng):
    scores = scored(rng)
    is_kept = scores.y != 8
    fewer = protocol.ScoredTest(scores.F[is_kept], scores.y[is_kept], scores.classes, scores.seen)
    metrics = resampling.metrics_of_draws(fewer, significance.class_draws(scores.seen, 10))
    assert metrics["zsl"][0] == pytest.approx(protocol.evaluate(fewer).zsl)
    assert metrics["ausuc"][0] == pytest.approx(protocol.evaluate(fewer).ausuc)
    assert np.isfinite(metrics["ausuc"]).all()


def test_without_seen_test_samples_only_zsl_is_resampled(rng):
    scores = scored(rng)
    rows = ~scores.seen[scores.y]
    unseen = protocol.ScoredTest(scores.F[rows], scores.y[rows], scores.classes, scores.seen)
    drawn = significance.class_draws(scores.seen, 3)
    assert list(resampling.metrics_of_draws(unseen, drawn)) == ["zsl"]


def test_invalid_input_is_refused_in_one_sentence(rng):
    scores = scored(rng)
    with pytest.raises(DatasetError, match=r"one column per candidate class \(10\); got \(2, 3\)"):
        resampling.metrics_of_draws(scores, np.ones((2, 3)))
    with pytest.raises(ParameterError, match="at least 1; got 0"):
        significance.class_draws(scores.seen, 0)
