import numpy as np
import pytest
from scipy.stats import norm

from tests.methods.plain import training_data
from zslcore.methods import GFZSL, GFZSLTran

X, Y, S, _ = training_data(n=140)
RNG = np.random.default_rng(3)
UNSEEN = training_data(seed=1)[2][:4]
LABELS = np.arange(200) % 4
CENTRES = GFZSL(0.1, 1e12).fit(X, Y, S).predict_gaussians(UNSEEN)[0]
#: Images around class means that differ slightly from the predicted means.
TEST = (CENTRES + 0.02 * RNG.normal(size=CENTRES.shape))[LABELS] + 0.02 * RNG.normal(size=(200, 9))


def fitted(**params):
    return GFZSLTran(**params).fit(X, Y, S, unlabeled=TEST, candidates=UNSEEN)


@pytest.mark.parametrize("covariance", ["tied", "diagonal"])
@pytest.mark.parametrize("assignment", ["hard", "soft"])
def test_no_iteration_lowers_the_likelihood(assignment, covariance):
    blurred = TEST + 0.1 * np.random.default_rng(4).normal(size=TEST.shape)  # needs more iterations
    model = GFZSLTran(assignment=assignment, covariance=covariance, n_iter=40, lam_variance=0.1)
    model.fit(X, Y, S, unlabeled=blurred, candidates=UNSEEN)
    likelihood = np.array(model.log_likelihood_)
    assert len(likelihood) > 2
    assert (np.diff(likelihood) >= -1e-9 * np.abs(likelihood[:-1])).all()


def test_the_first_iteration_starts_at_the_predicted_gaussians():
    model = fitted(assignment="soft", n_iter=1, lam_variance=0.1)
    F = GFZSL(0.1, 0.1).fit(X, Y, S).decision_function(TEST, UNSEEN)
    assert model.log_likelihood_[0] == pytest.approx(np.log(np.exp(F).sum(axis=1)).mean())


@pytest.mark.parametrize("covariance", ["tied", "diagonal"])
def test_after_convergence_gaussians_are_those_of_the_assigned_images(covariance):
    model = fitted(covariance=covariance, n_iter=100)
    mine = model.predict(TEST, UNSEEN)
    residual = np.zeros_like(TEST)
    for c in range(4):
        own = TEST[mine == c]
        np.testing.assert_allclose(model.means_[c], own.mean(axis=0), atol=1e-12)
        residual[mine == c] = own - own.mean(axis=0)
        if covariance == "diagonal":
            np.testing.assert_allclose(model.variances_[c], own.var(axis=0), rtol=1e-7)
    if covariance == "tied":
        np.testing.assert_allclose(model.variances_[0], (residual**2).mean(axis=0), rtol=1e-7)


def test_means_move_towards_the_means_of_the_images():
    result = fitted(n_iter=50)
    truth = np.array([TEST[c == LABELS].mean(axis=0) for c in range(4)])
    assert np.abs(result.means_ - truth).max() < 0.3 * np.abs(CENTRES - truth).max()


def test_the_floor_applies_to_variances_only():
    model = fitted(covariance="diagonal", floor=0.5, n_iter=5)
    np.testing.assert_array_equal(model.variances_, np.full_like(model.variances_, 0.5))
    nearest = ((TEST[:, None] - model.means_) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(TEST, UNSEEN), nearest)


@pytest.mark.parametrize("covariance", ["tied", "diagonal"])
def test_a_candidate_without_images_keeps_its_gaussian(covariance):
    far = np.vstack([UNSEEN, 5 * np.ones(UNSEEN.shape[1])])
    model = GFZSLTran(covariance=covariance)
    model.fit(X, Y, S, unlabeled=TEST, candidates=far)
    means, variances = model.inductive_.predict_gaussians(far)
    np.testing.assert_array_equal(model.means_[4], means[4])
    if covariance == "diagonal":
        np.testing.assert_array_equal(model.variances_[4], variances[4])


def test_candidates_are_scored_by_their_final_gaussians():
    model = fitted()
    plain = [
        norm(m, np.sqrt(v)).logpdf(TEST).sum(axis=1)
        for m, v in zip(model.means_, model.variances_, strict=True)
    ]
    np.testing.assert_allclose(model.decision_function(TEST, UNSEEN), np.transpose(plain))


def test_other_prototypes_are_scored_by_their_predicted_gaussian():
    model, other = fitted(), S[:2]
    inductive = GFZSL(0.1, 1e12).fit(X, Y, S).decision_function(TEST, other)
    np.testing.assert_allclose(model.decision_function(TEST, other), inductive)
