import numpy as np
import pytest
from scipy.stats import norm
from sklearn.kernel_ridge import KernelRidge

from tests.methods.plain import training_data
from zslcore.features import chunks
from zslcore.methods import GFZSL, gfzsl
from zslcore.methods.statistics import MomentSums

X, Y, S, _ = training_data()
CANDIDATES = np.vstack([S, training_data(seed=1)[2]])
MEANS = np.array([X[y == Y].mean(axis=0) for y in range(len(S))])
VARIANCES = np.array([X[y == Y].var(axis=0) for y in range(len(S))])
KERNELS = {"quadratic": {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}, "linear": {}}


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_moments_in_blocks_equal_those_of_every_class(n_blocks):
    sums = MomentSums(len(S) + 1, X.shape[1])
    for part in np.array_split(np.argsort(X[:, 0]), n_blocks):
        sums.add(X[part].astype(float), Y[part])
    moments = sums.result()
    counts, means, variances = moments.counts, moments.means, moments.variances
    np.testing.assert_array_equal(counts, np.bincount(Y, minlength=len(S) + 1))
    np.testing.assert_allclose(means[:-1], MEANS)
    np.testing.assert_allclose(variances[:-1], VARIANCES)


@pytest.mark.parametrize("kernel", KERNELS)
def test_both_regressions_equal_scikit_learns_kernel_ridge(kernel):
    model = GFZSL(0.3, 0.7, kernel).fit(X, Y, S)
    means, variances = model.predict_gaussians(CANDIDATES)
    ridge = KernelRidge(alpha=0.3, **KERNELS[kernel]).fit(S, MEANS)
    np.testing.assert_allclose(means, ridge.predict(CANDIDATES), atol=1e-9)
    ridge = KernelRidge(alpha=0.7, **KERNELS[kernel]).fit(S, np.log(VARIANCES))
    np.testing.assert_allclose(np.log(variances), ridge.predict(CANDIDATES), atol=1e-9)


def test_score_is_the_log_density():
    model = GFZSL(0.3, 0.7).fit(X, Y, S)
    means, variances = model.predict_gaussians(CANDIDATES)
    plain = [
        [norm(m, np.sqrt(v)).logpdf(x).sum() for m, v in zip(means, variances, strict=True)]
        for x in X[:4]
    ]
    np.testing.assert_allclose(model.decision_function(X[:4], CANDIDATES), plain)


@pytest.mark.parametrize("at_once", [1, 3 * len(X) * len(CANDIDATES), 1 << 24])
@pytest.mark.parametrize("seen", ["predicted", "estimated"])
def test_a_grid_equals_separate_fits(monkeypatch, at_once, seen):
    monkeypatch.setattr(gfzsl, "MAX_SCORES", at_once)
    grid = [{"lam_variance": v, "lam_mean": m} for v in (0.7, 1e7) for m in (1e-3, 0.1, 0.3, 9.0)]
    grid.append({"kernel": "linear"})
    scores = list(GFZSL(seen=seen).score_grid(X, Y, S, grid, X, CANDIDATES))
    for point, F in zip(grid, scores, strict=True):
        alone = GFZSL(seen=seen, **point).fit(X, Y, S).decision_function(X, CANDIDATES)
        np.testing.assert_allclose(F, alone, rtol=1e-9)


def test_a_path_of_means_reads_the_test_images_once(monkeypatch):
    read = []
    monkeypatch.setattr(gfzsl, "chunks", lambda T: read.append(len(T)) or chunks(T))
    grid = [{"lam_mean": lam} for lam in np.logspace(-3, 1, 25)]
    assert len(list(GFZSL().score_grid(X, Y, S, grid, X[:9], CANDIDATES))) == 25
    assert read == [9]


def test_the_authors_settings_predict_the_class_of_the_nearest_mean():
    model = GFZSL(0.1, 1e7).fit(X, Y, S)
    means, _ = model.predict_gaussians(CANDIDATES)
    nearest = ((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X, CANDIDATES), nearest)
    own_variances = GFZSL(0.1, 0.1).fit(X, Y, S).predict(X, CANDIDATES)
    assert (own_variances != nearest).any()


def test_small_ridges_give_seen_classes_their_own_gaussians():
    means, variances = GFZSL(1e-9, 1e-9).fit(X, Y, S).predict_gaussians(S)
    np.testing.assert_allclose(means, MEANS, atol=1e-5)
    np.testing.assert_allclose(variances, VARIANCES, rtol=1e-4)


def test_constant_features_and_classes_without_samples_are_accepted():
    constant = np.column_stack([X, np.ones(len(X))])
    model = GFZSL(lam_variance=0.1).fit(constant, Y, np.vstack([S, np.ones(S.shape[1])]))
    assert np.isfinite(model.decision_function(constant, CANDIDATES)).all()
    assert len(model.S_) == len(S)


def test_seen_classes_keep_their_gaussians_by_option():
    predicted, estimated = (GFZSL(seen=seen).fit(X, Y, S) for seen in ("predicted", "estimated"))
    order = np.random.default_rng(0).permutation(len(CANDIDATES))
    of_seen = order < len(S)
    F = estimated.decision_function(X, CANDIDATES[order])
    plain = norm(MEANS, np.sqrt(VARIANCES)).logpdf(X[:, None]).sum(axis=2)
    np.testing.assert_allclose(F[:, of_seen], plain[:, order[of_seen]])
    # Unseen classes have no images for estimates.
    both = predicted.decision_function(X, CANDIDATES[order])
    np.testing.assert_array_equal(F[:, ~of_seen], both[:, ~of_seen])


def test_estimated_variances_are_not_below_the_floor():
    model = GFZSL(seen="estimated", floor=0.5).fit(X, Y, S)
    assert model.variances_.min() == 0.5
