"""The base class of generators, with a NumPy generator: candidates, epochs and softmax."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.methods.plain import relative_difference, training_data
from zslcore.evaluation.contract import MethodUnderTest, check_contract
from zslcore.exceptions import DatasetError, MethodError, ParameterError
from zslcore.methods.base import MethodCard
from zslcore.methods.generative import GenerativeZSL, principal_components, softmax_path

X, Y, S = training_data()[:3]
#: Two classes without training images.
MORE = np.random.default_rng(1).random((2, S.shape[1]))
TRAININGS = []


class Means(GenerativeZSL):
    """A linear map of prototypes to features, learned by gradient; features are drawn around it."""

    card = MethodCard(
        name="Means",
        year=2026,
        family="feature generating",
        title="A linear map with noise",
        authors="tests",
        url="https://example.org",
        idea="Draw features around a linear map of the prototype.",
        formula=r"x = s^\top B + z",
        depends_on_candidates="one softmax is trained for the candidates",
        stochastic=True,
    )
    param_grid: ClassVar = {
        "epochs": (20, 40),
        "n_synthetic": (30, 60),
        "classifier_epochs": (10, 20),
    }
    ends_after = 10_000

    def __init__(
        self,
        epochs=40,
        n_synthetic=50,
        classifier_epochs=20,
        components=None,
        rate=0.1,
        random_state=0,
    ):
        self.epochs = epochs
        self.n_synthetic = n_synthetic
        self.classifier_epochs = classifier_epochs
        self.components = components
        self.rate = rate
        self.random_state = random_state

    def train(self, X, y, S, rng):
        TRAININGS.append(X.shape)
        self.B_ = np.zeros((S.shape[1], X.shape[1]))
        for _ in range(self.ends_after):
            R = S[y] @ self.B_ - X
            self.B_ -= self.rate * S[y].T @ R / len(X)
            self.noise_ = R.std(axis=0)
            yield float((R**2).mean())

    def generate(self, prototypes, n, rng):
        means = (prototypes @ self.B_)[:, None]
        return means + 0.3 * self.noise_ * rng.standard_normal((len(prototypes), n, means.shape[2]))


def scores(candidates, **params):
    return Means(**params).fit(X, Y, S).decision_function(X, candidates)


def test_a_generator_in_numpy_meets_the_laws():
    result = list(check_contract(Means))
    assert [law_result for law_result in result if law_result.state == "broken"] == []
    assert {law_result.law.name for law_result in result if law_result.state == "waived"} == {
        "scores_follow_the_classes_when_these_are_reordered",
        "score_of_a_class_does_not_depend_on_the_other_candidates",
        "unseen_scores_do_not_depend_on_seen_candidates",
    }


def test_seen_candidates_get_their_real_rows_and_others_generated_ones():
    model = Means(n_synthetic=13).fit(X, Y, S)
    candidates = np.vstack([MORE[:1], S[3], MORE[1:], S[0]])
    R, y = model._training_set(candidates, np.random.default_rng(0))
    assert np.bincount(y).tolist() == [13, np.sum(Y == 3), 13, np.sum(Y == 0)]
    for place, label in ((1, 3), (3, 0)):
        np.testing.assert_array_equal(R[y == place], model.X_[label == Y])
    means = model._conditions(MORE) @ model.B_
    assert np.abs(R[y == 0].mean(axis=0) - means[0]).max() < 4 * model.noise_.max() / np.sqrt(13)


def test_no_features_are_generated_if_all_candidates_are_seen(monkeypatch):
    monkeypatch.setattr(Means, "generate", None)
    assert scores(S).shape == (len(X), len(S))


def test_candidates_with_the_same_prototype_share_generated_rows():
    twice = np.vstack([S, S[:1]])
    model = Means().fit(X, Y, S)
    rows = model._training_rows(twice)
    np.testing.assert_array_equal(rows[0], rows[-1])
    both = Means().fit(X, np.where(Y == 0, 7, Y), np.vstack([S, S[:1]]))  # class 0 has no rows
    np.testing.assert_array_equal(both._training_rows(S)[0], np.flatnonzero(Y == 0))


def test_features_of_a_seen_class_without_rows_are_generated():
    model = Means(n_synthetic=5).fit(X[Y != 2], Y[Y != 2], S)
    _, y = model._training_set(S, np.random.default_rng(0))
    assert np.sum(y == 2) == 5


def test_a_grid_needs_one_training_and_few_softmaxes(monkeypatch):
    grid = [
        {"epochs": e, "n_synthetic": n, "classifier_epochs": c}
        for e in (2, 5)
        for n in (10, 20)
        for c in (1, 3)
    ]
    trained = []
    path = softmax_path
    monkeypatch.setattr(
        "zslcore.methods.generative.softmax_path",
        lambda *args: trained.append(args[3]) or path(*args),
    )
    TRAININGS.clear()
    candidates = np.vstack([S, MORE])
    fast = list(Means().score_grid(X, Y, S, grid, X, candidates))
    assert len(TRAININGS) == 1
    assert trained == [[1, 3]] * 4
    for params, F in zip(grid, fast, strict=True):
        np.testing.assert_array_equal(F, scores(candidates, **params))


class Overwriting(Means):
    """Centres its rows in place, in NumPy or in PyTorch, which ignores the read-only flag."""

    with_torch = False

    def train(self, X, y, S, rng):
        if self.with_torch:
            import torch

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.from_numpy(X).add_(1.0)
        else:
            X += 1.0
        yield from super().train(X, y, S, rng)


def test_training_cannot_overwrite_the_rows_of_the_softmax(monkeypatch):
    with pytest.raises(ValueError, match="read-only"):
        Overwriting(epochs=2).fit(X, Y, S)
    monkeypatch.setattr(Overwriting, "with_torch", True)
    with pytest.raises(MethodError, match=r"train: expected X unchanged.*torch\.tensor\(X"):
        Overwriting(epochs=2).fit(X, Y, S)


@pytest.mark.nightly
def test_no_or_too_many_candidates_are_refused_before_generation(monkeypatch):
    model = Means(n_synthetic=400).fit(X, Y, S)
    monkeypatch.setattr(Means, "generate", None)
    with pytest.raises(DatasetError, match="Means: expected at least one candidate; got none"):
        model.decision_function(X, S[:0])
    many = np.random.default_rng(3).random((200_000, S.shape[1]))
    sentence = r"at most 1\.1 GB; 200,000 unseen candidates with 400 each .* take [0-9.]+ GB\.$"
    with pytest.raises(DatasetError, match=sentence):
        model.decision_function(X, many)
    narrow = Means(n_synthetic=100).fit(X[:, :2], Y, S[:, :1])  # 0.2 GB of numbers, 20 M rows
    with pytest.raises(DatasetError, match=r"200,000 unseen candidates with 100 each"):
        narrow.decision_function(X[:, :2], many[:, :1])


def test_the_softmax_of_a_set_of_candidates_is_cached(monkeypatch):
    model = Means().fit(X, Y, S)
    first = model.decision_function(X, MORE)
    monkeypatch.setattr(Means, "_softmaxes", None)
    np.testing.assert_array_equal(model.decision_function(X, MORE), first)
    with pytest.raises(TypeError):
        model.decision_function(X, S)


def test_only_few_softmaxes_are_cached():
    model = Means(epochs=1).fit(X, Y, S)
    for k in range(1, 8):
        model.decision_function(X, S[:k])
    assert len(model.classifiers_) == 4


def test_scaling_prototypes_and_features_has_no_effect():
    candidates = np.vstack([S, MORE])
    model = Means().fit(8 * X, Y, 4 * S)
    np.testing.assert_allclose(
        model.decision_function(8 * X, 4 * candidates), scores(candidates), rtol=1e-4, atol=1e-4
    )


def test_a_training_that_ends_early_is_refused(monkeypatch):
    monkeypatch.setattr(Means, "ends_after", 3)
    with pytest.raises(ParameterError, match="expected train to run for 40 epochs"):
        Means().fit(X, Y, S)


@pytest.mark.parametrize("k", [1, 3])
def test_components_are_eigenvectors_of_the_covariance(k):
    rng = np.random.default_rng(3)
    A = rng.normal(size=(200, 30)) * 0.7 ** np.arange(30) + rng.normal(size=30)
    mean, V = principal_components(A, k)
    values, vectors = np.linalg.eigh(np.cov(A.T, bias=True))
    textbook = vectors[:, ::-1][:, :k]
    np.testing.assert_allclose(mean, A.mean(axis=0))
    np.testing.assert_allclose(
        np.abs(textbook.T @ V), np.diag(np.linalg.norm(V, axis=0)), atol=1e-3 * np.abs(V).max()
    )
    assert ((A - mean) @ V).var() == pytest.approx(1, rel=1e-3)
    assert values[-1] > values[0]


@pytest.mark.parametrize("k", [None, 30, 100])
def test_without_reduction_features_are_only_centred_and_scaled(k):
    A = np.random.default_rng(4).normal(size=(50, 30))
    mean, V = principal_components(A, k)
    assert np.count_nonzero(V) == 30
    assert ((A - mean) @ V).std() == pytest.approx(1)


def test_the_softmax_reaches_the_minimum_of_the_cross_entropy():
    """L-BFGS on the textbook loss minimises the same convex function."""
    rng = np.random.default_rng(5)
    A = np.float32(rng.normal(size=(300, 3)))
    y = np.argmax(A @ rng.normal(size=(3, 4)) + rng.gumbel(size=(300, 4)), axis=1)

    def loss(w):
        Z = np.column_stack([A, np.ones(300)]) @ w.reshape(4, 4)
        return float(np.mean(np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(300), y]))

    (W,) = softmax_path(A, y, 4, [3000], np.random.default_rng(0))
    least = minimize(loss, np.zeros(16)).fun
    assert least <= loss(W.ravel()) < least + 1e-3


def test_a_path_over_epochs_equals_separate_trainings():
    A = np.float32(np.random.default_rng(6).normal(size=(100, 5)))
    path = softmax_path(A, np.arange(100) % 3, 3, [4, 1], np.random.default_rng(0))
    for W, epochs in zip(path, (4, 1), strict=True):
        (alone,) = softmax_path(A, np.arange(100) % 3, 3, [epochs], np.random.default_rng(0))
        np.testing.assert_array_equal(W, alone)
    assert relative_difference(*path) > 0.1


def test_the_data_of_the_contract_have_unseen_candidates():
    """Without unseen candidates, the laws would not test generated rows."""
    case = MethodUnderTest(Means)
    rows = case.fitted._training_rows(case.problem.candidates)
    assert [len(rows_of_class) > 0 for rows_of_class in rows] == case.problem.seen.tolist()


class Misshapen(Means):
    """A method that returns only the rows or columns in :attr:`cut`."""

    cut: ClassVar = {}

    def generate(self, prototypes, n, rng):
        return super().generate(prototypes, n, rng)[self.cut.get("generate", ...)]

    def represent(self, X, rng=None):
        return X[self.cut.get("represent", ...)]


@pytest.mark.parametrize(
    ("function", "cut", "why"),
    [
        ("generate", np.s_[:, :3], r"generate: expected .* \(2, 50, 4\); got \(2, 3, 4\)"),
        ("generate", np.s_[:1], r"\(2, 50, 4\); got \(1, 50, 4\)"),
        ("generate", np.s_[:, :, :2], r"\(2, 50, 4\); got \(2, 50, 2\)"),
        ("generate", np.s_[:, 0], r"\(2, 50, 4\); got \(2, 4\)"),
        ("represent", np.s_[:3], r"represent: expected .*, n_dimensions\); got \(3, 4\)"),
    ],
)
def test_rows_of_another_shape_are_refused(monkeypatch, function, cut, why):
    monkeypatch.setattr(Misshapen, "cut", {function: cut})
    model = Misshapen(epochs=1, components=4).fit(X, Y, S)
    with pytest.raises(MethodError, match=why):
        model.decision_function(X, np.concatenate([S, MORE]))
