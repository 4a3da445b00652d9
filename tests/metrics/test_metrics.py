"""Accuracies, curve and switches of any score matrix equal plain loops over its images."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.exceptions import ZSLError
from zslcore.metrics import (
    accuracy_interval,
    curve,
    harmonic_mean,
    mean_class_accuracy,
    per_class_accuracy,
    sample_accuracy,
    seen_unseen_curve,
    top_k_accuracy,
)
from zslcore.metrics.curve import switches

OUT = -np.inf


@st.composite
def scored(draw, *, ruled_out=False):
    """Scores on a coarse lattice, so that ties are common; optionally some of minus infinity."""
    n_seen, n_unseen = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    n = draw(st.integers(2, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    F = rng.integers(-4, 5, (n, n_seen + n_unseen)) / 4
    if ruled_out and draw(st.booleans()):
        F[rng.random(F.shape) < draw(st.sampled_from((0.1, 0.5)))] = OUT
    seen = rng.permutation(np.arange(n_seen + n_unseen) < n_seen)
    y = rng.integers(0, n_seen + n_unseen, n)
    y[:2] = np.flatnonzero(seen)[0], np.flatnonzero(~seen)[0]
    return F, y, seen


def answers(F, seen, gamma):
    """As defined: the best seen class if it leads by more than gamma."""
    result = []
    for f in F.tolist():
        a = max(np.flatnonzero(seen), key=lambda c: f[c])
        b = max(np.flatnonzero(~seen), key=lambda c: f[c])
        margin = OUT if f[a] == OUT else f[a] - f[b]  # both ruled out: a tie, counted as unseen
        result.append(a if margin > gamma else b)
    return np.array(result)


def plain(y, answer, average="class"):
    right = (y == answer).tolist()
    by_class = [
        [r for r, c in zip(right, y, strict=True) if c == class_] for class_ in sorted({*y})
    ]
    groups = by_class if average == "class" else [right]
    return sum(sum(group) / len(group) for group in groups) / len(groups)


@given(scored(ruled_out=True), st.integers(-20, 20), st.sampled_from(["class", "sample"]))
def test_every_metric_at_a_gamma_equals_that_of_the_predictions(world, k, average):
    F, y, seen = world
    curve, switching = seen_unseen_curve(F, y, seen, average=average), switches(F, y, seen)
    test = ScoredTest(F, y, np.arange(len(seen)), seen)
    for gamma in (k / 8, k / 4, -1e300, 1e300):  # between, on and beyond differences of scores
        answer = answers(F, seen, gamma)
        np.testing.assert_array_equal(test.predicted(gamma), answer)
        is_on_side = {side: seen[y] == (side == "seen") for side in ("seen", "unseen")}
        point = curve.at(gamma)
        for side, rows in is_on_side.items():
            expected = plain(y[rows], answer[rows], average)
            assert getattr(point, side) == pytest.approx(expected, abs=1e-12)
        u, s = point.unseen, point.seen
        assert point.harmonic == pytest.approx(2 * u * s / (u + s) if u * s else 0)
        right, images = switching.per_class(gamma)
        for c in range(len(seen)):
            assert (right[c], images[c]) == (sum(answer[y == c] == c), sum(y == c))


@given(scored(ruled_out=True))
def test_the_curve_has_every_step_and_no_grid_exceeds_its_best_h(world):
    F, y, seen = world
    result = seen_unseen_curve(F, y, seen)
    assert result.gamma[0] == OUT
    assert np.isfinite(result.gamma[1:]).all()
    assert (np.diff(result.gamma) > 0).all()
    assert (np.diff(result.seen) <= 1e-12).all()
    assert (np.diff(result.unseen) >= -1e-12).all()
    assert (np.abs(np.diff(result.seen)) + np.diff(result.unseen) > 1e-12).all()  # none is unused
    best = result.best()
    assert np.isfinite(best.gamma)
    assert result.at(best.gamma).harmonic == best.harmonic == result.harmonic.max()
    grid = result.at(np.linspace(-3, 3, 501))
    assert best.harmonic >= grid.harmonic.max() - 1e-12
    steps = zip(result.seen, result.seen[1:], np.diff(result.unseen), strict=False)
    area = result.seen[0] * result.unseen[0] + sum((a + b) / 2 * du for a, b, du in steps)
    assert result.ausuc == pytest.approx(area)


@given(scored(ruled_out=True), st.integers(1, 8), st.sampled_from(["class", "sample"]))
def test_top_k_accuracy_equals_a_stable_sort(world, k, average):
    F, y, _ = world
    order = np.argsort(-F, axis=1, kind="stable")
    hit = [c if c in row[:k] else -1 for c, row in zip(y, order, strict=True)]
    assert top_k_accuracy(F, y, k, average=average) == pytest.approx(plain(y, hit, average))
    first = order[:, 0]
    assert mean_class_accuracy(y, first) == pytest.approx(plain(y, first))
    assert sample_accuracy(y, first) == pytest.approx(plain(y, first, "sample"))
    of_class = {c: plain(y[y == c], first[y == c]) for c in {*y.tolist()}}
    assert per_class_accuracy(y, first) == pytest.approx(of_class)


@given(st.integers(1, 60), st.floats(0, 1), st.sampled_from([0.9, 0.95]))
def test_beyond_the_exact_interval_a_count_has_half_of_the_rest(n, share, level):
    k = round(share * n)
    low, high = accuracy_interval(k, n, level)
    tail = (1 - level) / 2
    assert low == 0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(tail)
    assert high == 1 if k == n else binom.cdf(k, n, high) == pytest.approx(tail)


@given(scored())
def test_block_size_changes_no_prediction(world):
    F, _, seen = world
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve, "BLOCK_VALUES", 12)  # a few rows at a time
        for columns in (np.flatnonzero(seen), np.arange(len(seen))[::-1]):
            best, result = curve.best_column(F.astype(np.float32), columns)
            np.testing.assert_array_equal(best, columns[F[:, columns].argmax(axis=1)])
            np.testing.assert_array_equal(result, F[:, columns].max(axis=1))
            assert (best.dtype, result.dtype) == (np.int32, np.float64)
    assert curve.best_column(F, np.array([], int))[0].tolist() == [-1] * len(F)


def test_scores_within_their_rounding_are_one_breakpoint():
    # Next to scores of 10,000, float32 has a resolution of 0.001.
    F = np.array([[10_000.0, 9_999.0], [1.0005, 0.0], [0.5, 0.0]])
    y, seen = np.array([0, 1, 1]), np.array([True, False])
    for dtype, points in ((np.float64, 4), (np.float32, 3)):
        curve, switching = (f(F.astype(dtype), y, seen) for f in (seen_unseen_curve, switches))
        assert len(curve.gamma) == points
        assert set(switching.gamma) == set(curve.gamma[1:])


def test_a_gamma_is_in_the_middle_of_its_interval_or_beyond_the_ends():
    gamma = np.array([OUT, 0.0, 1.0, 4.0])
    low, *inner, high = (curve.middle_gamma(gamma, k) for k in range(4))
    assert inner == [0.5, 2.5]
    assert (low, high) == pytest.approx((-0.04, 4.04))
    assert curve.middle_gamma(gamma[:1], 0) == 0
    assert [curve.middle_gamma(gamma[:2], k) for k in (0, 1)] == [-1, 1]
    huge = np.array([OUT, -1.7e308, 1.6e308, 1.7e308])  # NumPy warns of their difference
    result = [curve.middle_gamma(huge, k) for k in range(4)]
    assert np.isfinite(result[1:3]).all()
    assert result == sorted(result)


def test_a_thinned_curve_keeps_ends_and_best():
    rng = np.random.default_rng(0)
    F, y = rng.normal(size=(600, 20)), rng.integers(0, 20, 600)
    F[np.arange(600), y] += 2
    whole = seen_unseen_curve(F, y, np.arange(20) < 12)
    thin = whole.thinned(50)
    assert 40 <= len(thin.gamma) <= 50 < len(whole.gamma)
    assert (thin.gamma[0], thin.gamma[-1]) == (whole.gamma[0], whole.gamma[-1])
    assert thin.harmonic.max() == whole.harmonic.max()
    assert np.abs(np.diff(thin.seen)).max() < 0.1
    assert whole.thinned(10_000) is whole


@pytest.mark.parametrize(
    ("file", "unseen", "seen", "harmonic", "ausuc"),
    [("AWA1_LAGO", 21.8, 73.6, 33.7, 43.4), ("CUB_XianGAN", 45.1, 55.5, 49.8, 34.5)],
)
def test_real_score_files_give_their_known_metrics(shared, file, unseen, seen, harmonic, ausuc):
    with np.load(shared / "data" / "gzsl_scores" / f"{file}.npz") as data:
        F, y, unseen_classes = data["scores"], data["y"], data["unseen_classes"]
    result = seen_unseen_curve(F, y, ~np.isin(np.arange(F.shape[1]), unseen_classes))
    point = result.at(0.0)
    printed = [round(100 * value, 1) for value in (point.unseen, point.seen, point.harmonic)]
    assert printed == [unseen, seen, harmonic]
    assert 100 * result.ausuc == pytest.approx(ausuc, abs=0.1)


def test_a_test_set_stores_its_switches_read_only():
    F, y = np.random.default_rng(0).normal(size=(40, 4)), np.arange(40) % 4
    test = ScoredTest(F, y, np.arange(4), np.arange(4) < 2)
    assert test.switches is test.switches
    with pytest.raises(ValueError, match="read-only"):
        test.switches.gamma[0] = 0
    np.testing.assert_allclose(harmonic_mean([0, 1], [0, 0.5]), [0, 2 / 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda F, y, s: seen_unseen_curve(F, y[:1], s), "one label per row"),
        (lambda F, y, s: seen_unseen_curve(F[:0], y[:0], s), "at least one row"),
        (
            lambda F, y, s: seen_unseen_curve(F * np.nan, y, s),
            "got 4 missing values and 0 values of plus",
        ),
        (lambda F, y, s: top_k_accuracy(F + np.inf, y, 1), "0 missing values and 4 values of plus"),
        (lambda F, y, s: seen_unseen_curve(np.where(F > 1, np.nan, F), y, s), "got 1 missing"),
        (lambda F, y, s: seen_unseen_curve(F, y + 1, s), r"column numbers of the scores, 0\.\.1"),
        (lambda F, y, s: seen_unseen_curve(F, y - 1, s), "column numbers"),
        (lambda F, y, s: seen_unseen_curve(F, y, s.astype(int)), "one bool per column"),
        (lambda F, y, s: seen_unseen_curve(F, y, s | True), "needs seen and unseen candidates"),
        (lambda F, y, s: seen_unseen_curve(F, y * 0, s), "samples of seen and of unseen.*2 and 0"),
        (lambda F, y, s: switches(F, y * 0 + 1, s), "samples of seen and of unseen.*0 and 2"),
        (lambda F, y, s: top_k_accuracy(F, y, 0), "k >= 1"),
        (lambda F, y, s: top_k_accuracy(F, y, 1, average="median"), "'class' or 'sample'"),
        (lambda F, y, s: sample_accuracy(y, y[:1]), "one prediction per label"),
        (lambda F, y, s: mean_class_accuracy([], []), "at least one"),
    ],
)
def test_invalid_arguments_are_refused_in_one_sentence(call, message):
    with pytest.raises(ZSLError, match=message):
        call(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), np.array([True, False]))
