import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tests.methods.plain import gradient, relative_difference, training_data
from zslcore.methods import _linear
from zslcore.methods._hinge import HingePath, project_to_simplex
from zslcore.methods._linear import LinearPath, Logistic, MulticlassHinge, Softmax, SquaredHinge
from zslcore.methods._logistic import LogisticPath

X, Y, S, _ = training_data()
C = len(S)
AUGMENTED = np.column_stack([X, np.ones(len(X))])
TARGETS = np.random.default_rng(2).random((C, 4)) < 0.5
LOSSES = {
    "softmax": Softmax(C),
    "logistic": Logistic(TARGETS),
    "squared hinge": SquaredHinge(C),
    "multiclass hinge": MulticlassHinge(1 - np.eye(C)),
    "structured hinge": MulticlassHinge(np.abs(np.subtract.outer(S[:, 0], S[:, 0]))),
}


SOLVERS = {Logistic: LogisticPath, MulticlassHinge: HingePath}


def path(loss, tol=1e-10, intercept=True):
    kind = SOLVERS.get(type(loss), LinearPath)
    return kind(X, Y, C, loss, intercept=intercept, tol=tol)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_gradient_is_that_of_the_objective(loss, intercept):
    problem = path(loss, intercept=intercept)
    W = np.random.default_rng(0).normal(size=problem.shape)
    numeric = gradient(lambda W: problem.objective(W, 0.3)[0], W)
    np.testing.assert_allclose(problem.objective(W, 0.3)[1], numeric, atol=1e-7)


@pytest.mark.parametrize("name", ["softmax", "logistic", "squared hinge"])
def test_gradient_vanishes_at_the_solution(name):
    problem = path(LOSSES[name])
    value, at_solution = problem.objective(problem.solve(0.01), 0.01)
    _, at_zero = problem.objective(np.zeros(problem.shape), 0.01)
    # A line search compares values: with curvatures below 1, it cannot detect a smaller gradient.
    resolved = np.sqrt(np.finfo(float).eps * value)
    assert np.abs(at_solution).max() < resolved < 1e-6 * np.abs(at_zero).max()


@pytest.mark.parametrize("name", ["multiclass hinge", "structured hinge"])
def test_no_direction_lowers_the_objective_at_the_solution_of_a_hinge(name):
    problem = path(LOSSES[name])
    W = problem.solve(0.05)
    best, _ = problem.objective(W, 0.05)
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            step = size * rng.normal(size=W.shape)
            assert problem.objective(W + step, 0.05)[0] > best - 1e-7


@pytest.mark.parametrize("lam", [1e-1, 1e-3])
def test_multiclass_hinge_equals_liblinears_crammer_singer(lam):
    reference = LinearSVC(
        C=1 / (lam * len(X)),
        multi_class="crammer_singer",
        fit_intercept=False,
        tol=1e-8,
        max_iter=10**6,
    )
    reference.fit(AUGMENTED, Y)
    problem = path(LOSSES["multiclass hinge"], tol=1e-8)
    W = problem.solve(lam)
    assert problem.objective(W, lam)[0] <= problem.objective(reference.coef_.T, lam)[0] * (1 + 1e-7)
    assert relative_difference(W, reference.coef_.T) < 1e-3


@pytest.mark.parametrize("lam", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("name", ["multiclass hinge", "structured hinge"])
def test_the_tolerance_bounds_the_error_of_a_hinge(name, lam):
    problem = path(LOSSES[name], tol=1e-9)
    least, _ = problem.objective(problem.solve(lam), lam)
    for tol in (1e-1, 1e-2, 1e-4):
        value, _ = problem.objective(path(LOSSES[name], tol=tol).solve(lam), lam)
        assert least * (1 - 1e-9) < value < least / (1 - tol)


def test_uninformative_features_have_the_solution_0():
    loss = MulticlassHinge(1 - np.eye(3))
    problem = HingePath(np.ones((12, 1)), np.arange(12) % 3, 3, loss, intercept=False, tol=1e-4)
    assert not problem.solve(1e-3).any()


def test_equal_prototypes_have_the_solution_0():
    assert not path(MulticlassHinge(np.zeros((C, C)))).solve(0.01).any()


def test_projection_is_the_nearest_point_of_the_simplex():
    V = np.random.default_rng(0).normal(size=(50, 6)) * 3
    P = project_to_simplex(V)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P >= 0).all()
    # At the nearest point p, no vertex e has a positive (v - p)'(e - p).
    assert ((V - P) - ((V - P) * P).sum(axis=1, keepdims=True)).max() < 1e-12


def test_softmax_equals_scikit_learns_multinomial_regression():
    reference = LogisticRegression(C=3.0, fit_intercept=False, tol=1e-10, max_iter=5000)
    reference.fit(AUGMENTED, Y)
    W = path(Softmax(C)).solve(1 / (3.0 * len(X)))
    np.testing.assert_allclose(W, reference.coef_.T, atol=1e-5)


def test_logistic_equals_one_scikit_learn_regression_per_column():
    W = path(Logistic(TARGETS)).solve(1 / (3.0 * len(X)))
    for w, target in zip(W.T, TARGETS.T, strict=True):
        reference = LogisticRegression(C=3.0, fit_intercept=False, tol=1e-10, max_iter=5000)
        np.testing.assert_allclose(w, reference.fit(AUGMENTED, target[Y]).coef_[0], atol=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_a_path_ends_at_the_solutions_of_single_fits(name):
    lams = [1e-3, 1.0, 1e-2]
    for lam, W in path(LOSSES[name]).solutions(lams):
        assert relative_difference(W, path(LOSSES[name]).solve(lam)) < 1e-5


@pytest.mark.parametrize("name", ["softmax", "logistic", "squared hinge"])
def test_loose_tolerance_and_single_precision_change_little(name):
    exact, quick = (path(LOSSES[name], tol).solve(0.01) for tol in (1e-10, 1e-3))
    assert 0 < relative_difference(quick, exact) < 0.02


def test_columns_of_logistic_regression_are_solved_independently():
    together = path(Logistic(TARGETS), tol=1e-8).solve(0.01)
    for m, column in enumerate(TARGETS.T):
        alone = path(Logistic(column[:, None]), tol=1e-8).solve(0.01)
        assert relative_difference(together[:, m : m + 1], alone) < 1e-6
    single = LogisticPath(X.astype(np.float32), Y, C, Logistic(TARGETS), intercept=True, tol=1e-16)
    # One step is so small that it rounds to zero.
    assert relative_difference(single.solve(0.01), together) < 1e-5


def test_separable_classes_and_a_vanishing_ridge_are_solved_within_few_steps():
    # One feature decides each attribute, and all images are far from the boundary.
    rng = np.random.default_rng(0)
    labels = rng.integers(C, size=400)
    decided = 5.0 * (2 * TARGETS[labels] - 1) + rng.normal(size=(400, 4)) / 10
    problem = LogisticPath(decided, labels, C, Logistic(TARGETS), intercept=True, tol=1e-4)
    steps = 0
    for lam, W in problem.solutions([1e-1, 1e-3, 1e-5, 1e-7]):
        assert np.array_equal(decided @ W[:-1] + W[-1] > 0, TARGETS[labels]), lam
        steps, former = problem.n_evaluations, steps
        assert steps - former < 40


@pytest.mark.parametrize("name", ["softmax", "logistic", "squared hinge"])
def test_long_features_with_a_small_ridge_are_solved_accurately(name):
    # 256 grey values in 64 pixels, eight times each: far from unit length, and of low rank.
    rng = np.random.default_rng(0)
    raw = np.repeat(rng.integers(0, 256, (120, 64)), 8, axis=1) + rng.integers(0, 2, (120, 512))
    raw, labels = raw.astype(float), rng.integers(C, size=120)
    lam = 1e-14 * float(np.square(raw).sum()) / len(raw)
    quick, exact = (
        (LogisticPath if name == "logistic" else LinearPath)(
            raw, labels, C, LOSSES[name], intercept=False, tol=tol
        )
        for tol in (1e-3, 1e-5)
    )
    least = exact.objective(exact.solve(lam), lam)[0]
    assert exact.objective(quick.solve(lam), lam)[0] < least + 0.05


def test_warm_starts_read_the_data_less_often():
    lams = np.logspace(0, -4, 9)
    warm = path(Softmax(C), tol=1e-2)
    assert len(list(warm.solutions(lams))) == 9
    cold = path(Softmax(C), tol=1e-2)
    for lam in lams:
        cold.solve(lam)
    assert warm.n_evaluations < cold.n_evaluations


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_rows_that_do_not_fit_into_memory_give_the_same_solution(name, intercept, monkeypatch):
    whitened = path(LOSSES[name], intercept=intercept).solve(0.01)
    monkeypatch.setattr(_linear, "WORKING_BYTES", 0)
    reading = path(LOSSES[name], intercept=intercept)
    monkeypatch.setattr(reading, "_whitened", None)  # a call would fail
    assert relative_difference(reading.solve(0.01), whitened) < 1e-5


def test_blocks_of_scores_add_up_to_the_same_objective(monkeypatch):
    problem = path(Softmax(C))
    L = np.linalg.cholesky(problem.curvature + 0.1 * np.eye(len(problem.curvature)))
    Z = np.random.default_rng(0).normal(size=problem.shape)
    value, gradient = problem._preconditioned(L)(Z.ravel())
    monkeypatch.setattr(_linear, "BLOCK_SCORES", 7 * C)  # seven rows per block
    assert len([*problem._parts(X)]) > 1
    in_blocks = problem._preconditioned(L)(Z.ravel())
    assert in_blocks[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(in_blocks[1], gradient, atol=1e-12)
    # The objective itself is minimised, in other variables.
    W = np.linalg.solve(L.T, Z)
    expected, slope = problem.objective(W, 0.1)
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(gradient, np.linalg.solve(L, slope).ravel(), atol=1e-10)
