"""CMT: its objective. CMT*: its two detectors and their decisions."""

import numpy as np
import pytest
from scipy.special import erf

from tests.methods.plain import gradient, relative_difference, training_data
from tests.worlds import linear_world
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import Problem, apply_penalty, evaluate, fit_and_score, select
from zslcore.exceptions import ParameterError
from zslcore.features import Preprocessing
from zslcore.methods import CMT, CMTStar, cmt
from zslcore.methods.cmt import Gaussians, LocalOutliers

X, Y, S, S_Y = training_data()
N, (C, A), D = len(X), S.shape, X.shape[1]
RNG = np.random.default_rng(5)
WORLD = linear_world()
SPLIT = WORLD.splits["PS"]


def start(hidden):
    """Weights before the first step, on the scale of the data."""
    rng = np.random.default_rng(0)
    W1 = rng.normal(size=(A, hidden)) / np.sqrt(hidden)
    W2 = rng.normal(size=(hidden, D)) / np.sqrt(D)
    x_scale = np.sqrt(D / (X**2).sum(axis=1).mean())
    s_scale = np.sqrt(A / ((S - S_Y.mean(axis=0)) ** 2).sum(axis=1).mean())
    return W1 / s_scale, W2 * x_scale, S_Y.mean(axis=0), np.zeros(hidden)


def objective(W1, W2, b1, b2):
    return ((S_Y - np.tanh(X @ W2.T + b2) @ W1.T - b1) ** 2).sum() / N


def learned(model):
    return model.W1_, model.W2_, model.b1_, model.b2_


def test_reported_loss_is_the_printed_objective():
    events = []
    model = CMT(hidden=4, epochs=1, batch_size=N)
    model.on_epoch = lambda epoch, loss: events.append((epoch, loss))
    model.fit(X, Y, S)
    assert events == [(1, pytest.approx(objective(*start(4)), rel=1e-5))]


def test_first_step_goes_against_the_gradient_of_the_printed_objective():
    """Adam's first step is the sign of the gradient times the rate."""
    begun = start(4)
    model = CMT(hidden=4, epochs=1, batch_size=N, learning_rate=1e-4).fit(X, Y, S)
    for k, (before, after) in enumerate(zip(begun, learned(model), strict=True)):

        def one(p, k=k):
            return objective(*begun[:k], p, *begun[k + 1 :])

        slope = gradient(one, before)
        clear = np.abs(slope) > 1e-3 * np.abs(slope).max()
        np.testing.assert_array_equal(np.sign(before - after)[clear], np.sign(slope)[clear])
        assert clear.mean() > 0.8


def test_training_lowers_the_objective():
    model = CMT(hidden=30, epochs=200).fit(X, Y, S)
    assert objective(*learned(model)) < 0.5 * objective(*start(30))


def test_a_network_without_hidden_activity_predicts_the_mean_prototype():
    model = CMT(hidden=3, epochs=1, learning_rate=1e-9).fit(X, Y, S)
    np.testing.assert_allclose(model.b1_, S_Y.mean(axis=0), atol=1e-6)
    assert objective(0 * model.W1_, *learned(model)[1:]) == pytest.approx(
        ((S_Y - S_Y.mean(axis=0)) ** 2).sum() / N, rel=1e-5
    )


def test_cmt_predicts_the_class_of_the_nearest_prototype():
    model = CMT(hidden=5, epochs=3).fit(X, Y, S)
    Z = np.tanh(X @ model.W2_.T + model.b2_) @ model.W1_.T + model.b1_
    distance = ((Z[:, None] - S[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.decision_function(X, S), -distance, atol=1e-12)


def test_scaling_the_data_changes_no_prediction():
    plain = CMT(epochs=5).fit(X, Y, S).decision_function(X, S)
    scaled = CMT(epochs=5).fit(64 * X, Y, 8 * S).decision_function(64 * X, 8 * S)
    np.testing.assert_allclose(scaled / 64, plain, rtol=1e-3, atol=1e-4)


def test_without_its_detector_cmt_star_is_cmt():
    plain, star = CMT(epochs=3).fit(X, Y, S), CMTStar(epochs=3).fit(X, Y, S)
    np.testing.assert_array_equal(star.decision_function(X, S), plain.decision_function(X, S))


# --- Detectors ------------------------------------------------------------------------------------

Z = RNG.normal(size=(40, 3))
Z_CLASS = np.arange(40) % 4
CENTRES = RNG.normal(size=(5, 3))  # the last class has no training image
NEW = np.vstack([Z[:3], RNG.normal(size=(4, 3)), np.full((1, 3), 50.0)])


def test_gaussian_novelty_is_the_formula_class_by_class():
    plain = []
    for z in NEW:
        radii = []
        for c in range(4):
            variance = ((Z[c == Z_CLASS] - CENTRES[c]) ** 2).sum() / (np.sum(c == Z_CLASS) * 3)
            radii.append(np.linalg.norm(z - CENTRES[c]) / np.sqrt(variance * 3))
        plain.append(min(radii))
    np.testing.assert_allclose(Gaussians(Z, Z_CLASS, CENTRES).novelty(NEW), plain, rtol=1e-10)


def test_loop_novelty_is_the_formula_class_by_class():
    k, lam = 4, 2.0

    def rho(z, points):
        distance = np.linalg.norm(points - z, axis=1)
        near = np.argsort(distance)[:k]
        return np.sqrt((distance[near] ** 2).mean()), near

    of_new, training_novelty = np.empty((4, len(NEW))), np.empty((4, len(Z)))
    for c in range(4):
        own = np.flatnonzero(c == Z_CLASS)
        without = {i: own[own != i] for i in own}
        rhos = {i: rho(Z[i], Z[without[i]])[0] for i in own}

        def ell(z, rows, rhos=rhos):
            r, near = rho(z, Z[rows])
            return r / np.mean([rhos[i] for i in rows[near]]) - 1

        scale = np.sqrt(2) * lam * np.sqrt(np.mean([ell(Z[i], without[i]) ** 2 for i in own]))
        of_new[c] = [max(0, erf(ell(z, own) / scale)) for z in NEW]
        training_novelty[c] = [
            max(0, erf(ell(z, without.get(i, own)) / scale)) for i, z in enumerate(Z)
        ]
    detector = LocalOutliers(Z, Z_CLASS, k, lam)
    np.testing.assert_allclose(detector.training_novelty, training_novelty.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(detector.novelty(NEW), of_new.min(axis=0), atol=1e-9)
    assert detector.novelty(NEW)[-1] == pytest.approx(1)


def test_an_image_within_any_class_is_not_novel():
    tight = np.vstack([RNG.normal(size=(20, 3)), 100 + 0.01 * RNG.normal(size=(20, 3))])
    detector = LocalOutliers(tight, np.repeat([0, 1], 20), 5, 1.0)
    new = np.array([[100.0, 100.0, 100.0], [100.5, 100.0, 100.0], [0.0, 0.0, 0.0]])
    inside, outside, wide = detector.novelty(new)
    # A distance of 0.5 is large relative to the dense class, and small relative to the other.
    assert max(inside, wide) < 0.5 < outside


def test_classes_of_one_or_two_images_have_a_density():
    y = np.array([0] * 37 + [1, 1, 2])
    assert np.isfinite(LocalOutliers(Z, y, 20, 3.0).novelty(NEW)).all()
    with pytest.raises(ParameterError, match="needs a class with at least two training images"):
        LocalOutliers(Z, np.arange(40), 20, 3.0)


@pytest.mark.parametrize("detector", ["gaussian", "loop"])
def test_threshold_accepts_the_requested_share(detector):
    model = CMTStar(detector=detector, coverage=0.8, epochs=5).fit(X, Y, S)
    below, within = (
        np.mean(compare(model.detector_.training_novelty, model.threshold_))
        for compare in (np.less, np.less_equal)
    )
    assert below <= 0.8 <= within + 0.02  # several outlier probabilities may be 0
    if detector == "gaussian":  # a training image's novelty includes the image itself
        assert np.mean(model.seen_penalty(X) <= 1e-12) == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("detector", ["gaussian", "loop"])
def test_images_far_from_all_training_images_are_novel(detector):
    model = CMTStar(detector=detector, epochs=200).fit(X, Y, S)
    assert (model.seen_penalty(X) > 0).mean() < 0.1
    assert (model.seen_penalty(-30 * X) > 0).mean() > 0.7


# --- Protocol -------------------------------------------------------------------------------------


def test_the_detector_decides_only_between_seen_and_unseen():
    F = RNG.normal(size=(200, 7))
    seen = np.array([1, 1, 1, 0, 1, 0, 0], dtype=bool)
    penalty = RNG.normal(size=200)
    scores = ScoredTest(apply_penalty(F, seen, penalty), np.zeros(200, int), np.arange(7), seen)
    for gamma in (-0.5, 0.0, 0.7):
        of_seen = np.flatnonzero(seen)[F[:, seen].argmax(axis=1)]
        of_unseen = np.flatnonzero(~seen)[F[:, ~seen].argmax(axis=1)]
        expected = np.where(gamma < -penalty, of_seen, of_unseen)
        np.testing.assert_array_equal(scores.predicted(gamma), expected)


def test_evaluation_uses_the_detector():
    test = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])
    problem = Problem.of(WORLD, Preprocessing(), SPLIT.trainval, test)
    model = CMTStar(epochs=20).fit(problem.X, problem.y, problem.S)
    F = model.decision_function(problem.X_test, problem.candidates)
    scores = fit_and_score(CMTStar(epochs=20), WORLD, SPLIT)
    seen_side = model.seen_penalty(problem.X_test) < 0
    np.testing.assert_array_equal(scores.seen[scores.predicted(0.0)], seen_side)
    # Plain zero-shot learning has no seen candidates: the detector has no effect.
    plain = ScoredTest(F, problem.y_test, problem.classes, problem.seen)
    assert evaluate(scores).zsl == evaluate(plain).zsl
    assert evaluate(scores).plain != evaluate(plain).plain


def test_threshold_is_chosen_on_the_folds():
    chosen = select(CMTStar(epochs=20), WORLD, SPLIT, grid={"epochs": (5, 20)})
    scores = fit_and_score(CMTStar(**chosen.params), WORLD, SPLIT)
    result = evaluate(scores, chosen.gamma)
    assert result.calibrated.harmonic > result.plain.harmonic
    lowest, highest = scores.curve.gamma[[1, -1]]
    assert lowest < chosen.gamma < highest


def test_cuda_gives_the_scores_of_the_cpu(torch):
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    cpu, cuda = (CMT(device=device, epochs=3).fit(X, Y, S).W1_ for device in ("cpu", "cuda"))
    assert relative_difference(cuda, cpu) < 1e-3


def test_training_mixes_no_devices(monkeypatch):
    from tests.methods.devices import ELSEWHERE, OneDevice

    monkeypatch.setattr(cmt, "on_device", lambda *_: ELSEWHERE)
    events = []

    def first_epoch_is_enough(epoch, loss):
        events.append(loss)
        raise KeyboardInterrupt

    model = CMT()
    monkeypatch.setattr(model, "_report", first_epoch_is_enough)
    with OneDevice(), pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, S)
    assert events[0].device == ELSEWHERE
