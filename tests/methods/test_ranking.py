"""DEVISE, ALE, SJE and LATEM: their objectives and shared parts."""

import numpy as np
import pytest
from sklearn.base import clone

from tests.methods.plain import gradient, relative_difference, training_data
from zslcore.exceptions import ParameterError
from zslcore.methods import ALE, DEVISE, LATEM, SJE, _sgd
from zslcore.methods._sgd import first_violator

X, Y, S = training_data()[:3]
N, (C, A) = len(X), S.shape
METHODS = {"DEVISE": DEVISE, "ALE": ALE, "SJE": SJE, "LATEM": LATEM}
WHOLE = {"batch_size": N, "epochs": 1, "learning_rate": 1e-3}


def margins(V, delta=0.5):
    """H of every sample and class as printed in the docstrings, V of shape (K, D, A)."""
    F = np.einsum("nd,kda,ca->knc", X, V, S).max(axis=0)
    H = delta + F - F[np.arange(N), Y][:, None]
    return np.where(Y[:, None] == np.arange(C), 0, np.maximum(H, 0))


def objective(name):
    """The loss printed in a docstring, as a function of V."""

    def ale(H):
        l_of = np.append(0, np.cumsum(1 / np.arange(1, C)))
        r = np.count_nonzero(H > 0, axis=1)
        return (l_of[r] / np.maximum(r, 1) * H.sum(axis=1)).mean()

    of_margins = {
        "DEVISE": lambda H: H.sum(axis=1).mean(),
        "LATEM": lambda H: H.sum(axis=1).mean(),
        "SJE": lambda H: H.max(axis=1).mean(),
        "ALE": ale,
    }[name]
    return lambda V: of_margins(margins(V))


def start(model):
    """V before the first step: at learning rate zero, no step changes it."""
    model = model.set_params(learning_rate=1e-30).fit(X, Y, S)
    return np.atleast_3d(model.V_) if model.V_.ndim == 3 else model.V_[None]


@pytest.mark.parametrize("name", METHODS)
def test_first_step_goes_against_the_gradient_of_the_printed_objective(name):
    model = METHODS[name](margin=0.5, **WHOLE)
    V1 = model.fit(X, Y, S).V_
    V0 = start(METHODS[name](margin=0.5, **WHOLE))
    rate = 1e-3 / ((X**2).sum(axis=1).mean() * (S**2).sum(axis=1).mean())
    slope = gradient(objective(name), V0)
    assert np.abs(slope).max() > 1e-3
    assert relative_difference((V0 - V1.reshape(V0.shape)) / rate, slope) < 1e-3


@pytest.mark.parametrize("name", METHODS)
def test_reported_loss_is_the_printed_objective(name):
    events = []
    model = METHODS[name](margin=0.5, **WHOLE)
    model.on_epoch = lambda epoch, loss: events.append((epoch, loss))
    model.fit(X, Y, S)
    expected = objective(name)(start(METHODS[name](margin=0.5, **WHOLE)))
    assert events[0] == (1, pytest.approx(expected, rel=1e-5))


@pytest.mark.parametrize("name", METHODS)
def test_training_equals_steps_on_one_sample_after_the_other(name):
    shared = {"epochs": 3, "batch_size": 1, "margin": 0.05}
    model = METHODS[name](learning_rate=2.0, **shared).fit(X, Y, S)
    V = start(METHODS[name](**shared))
    rate = 2.0 / ((X**2).sum(axis=1).mean() * (S**2).sum(axis=1).mean())
    rng, n_violators = np.random.default_rng(0), set()
    rng.normal(size=V.shape)
    for _ in range(3):
        for n in rng.permutation(N):
            G, result = plain_gradient(name, V, n)
            V = V - rate * G
            n_violators.add(result)
    assert relative_difference(model.V_.reshape(V.shape), V) < 1e-4
    assert {0, 1, 2} <= n_violators  # every case has occurred


def plain_gradient(name, V, n):
    """Return the subgradient of one image and the number of violating classes, by plain loops."""
    x, y, G = X[n], Y[n], np.zeros_like(V)
    F = np.array([[x @ V_k @ s for s in S] for V_k in V])
    H = {c: 0.05 + F[:, c].max() - F[:, y].max() for c in range(C) if c != y}
    violators = [c for c, h in H.items() if h > 0]
    weight, result = 1.0, violators
    if name == "SJE" and result:
        result = [max(H, key=H.get)]
    if name == "ALE" and result:
        weight = sum(1 / i for i in range(1, len(result) + 1)) / len(result)
    for c in result:
        G[F[:, c].argmax()] += weight * np.outer(x, S[c])
        G[F[:, y].argmax()] -= weight * np.outer(x, S[y])
    return G, len(violators)


def test_ale_with_all_weights_of_one_equals_devise():
    shared = {"learning_rate": 1.0, "epochs": 3, "batch_size": 8}
    np.testing.assert_allclose(
        ALE(alpha="1", **shared).fit(X, Y, S).V_, DEVISE(**shared).fit(X, Y, S).V_, rtol=1e-5
    )
    assert (
        relative_difference(ALE(**shared).fit(X, Y, S).V_, DEVISE(**shared).fit(X, Y, S).V_) > 0.1
    )


def test_latem_with_one_matrix_equals_devise():
    shared = {"learning_rate": 1.0, "epochs": 3, "batch_size": 8}
    latem, devise = LATEM(n_matrices=1, **shared).fit(X, Y, S), DEVISE(**shared).fit(X, Y, S)
    np.testing.assert_array_equal(latem.V_[0], devise.V_)
    np.testing.assert_allclose(
        latem.decision_function(X, S), devise.decision_function(X, S), atol=1e-12
    )


def test_latem_scores_with_its_best_matrix_for_image_and_class():
    model = LATEM(n_matrices=3, epochs=2).fit(X, Y, S)
    scores = np.stack([X @ V @ S.T for V in model.V_])
    np.testing.assert_allclose(model.decision_function(X, S), scores.max(axis=0), atol=1e-12)
    assert len(set(scores.argmax(axis=0).ravel())) > 1


def test_latem_drops_rarely_used_matrices():
    shared = {"n_matrices": 16, "learning_rate": 3.0, "epochs": 20, "batch_size": 8}
    pruned = LATEM(prune=0.05, **shared).fit(X, Y, S)
    assert 1 <= len(pruned.V_) < 16
    assert len(LATEM(**shared).fit(X, Y, S).V_) == 16
    # No matrix is pruned before the fifth epoch.
    assert len(LATEM(prune=0.05, **{**shared, "epochs": 4}).fit(X, Y, S).V_) == 16


@pytest.mark.parametrize("n_classes", [4, 12])
def test_updates_by_class_or_by_attribute_give_the_same_descent(n_classes):
    """The loop updates one column per class or one per attribute, whichever are fewer."""
    X, y, S, _ = training_data(n_classes=n_classes, n_attributes=8)
    model = DEVISE(epochs=2, batch_size=5, learning_rate=0.5).fit(X, y, S)
    scale = (X**2).sum(axis=1).mean() * (S**2).sum(axis=1).mean()
    rng = np.random.default_rng(0)
    V = rng.normal(size=(X.shape[1], S.shape[1])) / np.sqrt(X.shape[1] * scale)
    rate = 0.5 / scale
    for _ in range(2):
        order = rng.permutation(len(X))
        for b in np.split(order, range(5, len(X), 5)):
            F = X[b] @ V @ S.T
            H = 1 + F - F[np.arange(len(b)), y[b]][:, None]
            G = (H > 0) & (y[b][:, None] != np.arange(len(S)))
            G = np.where(y[b][:, None] == np.arange(len(S)), -G.sum(axis=1)[:, None], G)
            V = V - rate * X[b].T @ G @ S / len(b)
    assert relative_difference(model.V_, V) < 1e-4


@pytest.mark.parametrize("name", METHODS)
def test_scaling_the_data_changes_no_prediction(name):
    shared = {"epochs": 5, "batch_size": 8, "learning_rate": 1.0}
    plain = METHODS[name](**shared).fit(X, Y, S).decision_function(X, S)
    scaled = METHODS[name](**shared).fit(64 * X, Y, 8 * S).decision_function(64 * X, 8 * S)
    np.testing.assert_allclose(scaled, plain, rtol=1e-4, atol=1e-5)


def test_scaling_margin_and_rate_together_scales_the_solution():
    shared = {"epochs": 50, "batch_size": N}  # margins that dominate the initial values
    once = DEVISE(margin=1e4, learning_rate=1e4, **shared).fit(X, Y, S)
    twice = DEVISE(margin=2e4, learning_rate=2e4, **shared).fit(X, Y, S)
    assert relative_difference(twice.V_ / 2, once.V_) < 1e-3


def test_the_first_violator_follows_the_drawn_order(torch):
    rng = np.random.default_rng(0)
    place = rng.random((50, 9))
    own = rng.integers(9, size=50)
    violates = (rng.random((50, 9)) < 0.3) & (own[:, None] != np.arange(9))
    result, draws = first_violator(
        torch.tensor(violates),
        torch.tensor(own[:, None] == np.arange(9)),
        lambda: torch.tensor(place),
    )
    for n in range(50):
        order = [c for c in np.argsort(-place[n]) if c != own[n]]
        hits = [i for i, c in enumerate(order) if violates[n, c]]
        assert np.flatnonzero(result[n]).tolist() == ([order[hits[0]]] if hits else [])
        if hits:
            assert draws[n, 0] == hits[0] + 1
    assert not violates.any(axis=1).all()


def test_a_drawn_class_counts_only_if_it_violates_the_margin(torch):
    place = torch.tensor([[0.9, 0.2, 0.5], [0.1, 0.8, 0.4]])
    own = torch.tensor([[True, False, False]] * 2)
    violates = torch.tensor([[False, True, False], [False, True, True]])
    drawn = _sgd.violators(violates, own, "one", lambda: place)
    assert drawn.tolist() == [[False, False, False], [False, True, False]]
    first = _sgd.violators(violates, own, "first", lambda: place)
    assert first.tolist() == [[False, True, False], [False, True, False]]
    assert _sgd.violators(violates, own, "all", lambda: place) is violates


@pytest.mark.parametrize("which", ["first", "one"])
def test_a_drawn_violator_is_a_fair_sample_of_the_sum(which):
    """Over many copies of each image, single violators add up to the sum over all."""
    many, y = np.tile(X, (300, 1)), np.tile(Y, 300)
    # With an unreachable margin, all wrong classes violate with the same probability.
    shared = {"learning_rate": 1e-3, "epochs": 1, "batch_size": len(y), "margin": 50.0}
    full, V0 = DEVISE(**shared).fit(many, y, S).V_, start(DEVISE(**shared))[0]
    drawn = DEVISE(violators=which, **shared).fit(many, y, S).V_
    assert relative_difference((C - 1) * (drawn - V0), full - V0) < 0.1


def test_sampled_ranks_estimate_the_weight_of_exact_ones(torch):
    own = torch.tensor([[True] + [False] * 9] * 4000)
    H = torch.where(own, 0.0, -1.0)
    H[:, 1:6] = 1.0  # five of nine wrong classes violate
    rng = np.random.default_rng(0)
    w = ALE(rank="sampled")._weights(H, own, lambda: torch.tensor(rng.random((4000, 10))))
    assert ((w > 0).sum(dim=1) == 1).all()
    l_of = np.cumsum(1 / np.arange(1, 10))
    # The first violator is at draw k with this probability; its weight is l at 9 // k.
    chance = [5 / 9, 4 / 9 * 5 / 8, 4 * 3 * 5 / (9 * 8 * 7)]
    chance += [4 * 3 * 2 * 5 / (9 * 8 * 7 * 6), 4 * 3 * 2 * 1 / (9 * 8 * 7 * 6)]
    expected = sum(p * l_of[9 // k - 1] for k, p in enumerate(chance, start=1))
    assert float(w.sum(dim=1).mean()) == pytest.approx(expected, rel=0.02)


def test_average_is_the_mean_of_all_iterates():
    shared = {"learning_rate": 1.0, "batch_size": N}
    iterates = [DEVISE(epochs=e, **shared).fit(X, Y, S).V_ for e in (1, 2, 3)]
    averaged = DEVISE(epochs=3, average=True, **shared).fit(X, Y, S).V_
    assert relative_difference(averaged, np.mean(iterates, axis=0)) < 1e-4


@pytest.mark.parametrize("name", METHODS)
def test_one_training_gives_the_scores_of_every_number_of_epochs(name):
    model = METHODS[name](batch_size=8)
    grid = [{"epochs": 5, "margin": 2.0}, {"epochs": 2}, {"epochs": 5}, {"epochs": 2}]
    ran = []
    model.on_epoch = lambda epoch, loss: ran.append(epoch)
    models = list(model.fit_grid(X, Y, S, grid))
    assert ran == [1, 2, 3, 4, 5] * 2  # one training per margin, up to its last epoch
    for params, shared in zip(grid, models, strict=True):
        alone = METHODS[name](batch_size=8, **params).fit(X, Y, S)
        assert shared.get_params() == alone.get_params()
        np.testing.assert_array_equal(shared.V_, alone.V_)


@pytest.mark.parametrize("name", METHODS)
def test_rows_that_do_not_fit_in_memory_are_read_again(name, monkeypatch):
    weights = METHODS[name](epochs=2, batch_size=8).fit(X, Y, S).V_
    monkeypatch.setattr(_sgd, "WORKING_BYTES", 0)
    np.testing.assert_array_equal(METHODS[name](epochs=2, batch_size=8).fit(X, Y, S).V_, weights)


def test_a_callback_may_end_the_training():
    class CancelledError(Exception):
        pass

    def listen(epoch, loss):
        if epoch == 2:
            raise CancelledError

    model = DEVISE(epochs=50)
    model.on_epoch = listen
    with pytest.raises(CancelledError):
        model.fit(X, Y, S)
    assert not hasattr(model, "V_")


def test_classes_without_images_are_trained_against():
    more = np.vstack([S, S[:2] + 0.1])
    model = DEVISE(epochs=2).fit(X, Y, more)
    assert relative_difference(model.V_, DEVISE(epochs=2).fit(X, Y, S).V_) > 1e-3
    # Their order among the rows has no effect, either.
    order = np.random.default_rng(0).permutation(len(more))
    moved = DEVISE(epochs=2).fit(X, np.argsort(order)[Y], more[order])
    np.testing.assert_array_equal(moved.V_, model.V_)


@pytest.mark.parametrize("name", METHODS)
def test_cuda_gives_the_scores_of_the_cpu(name, torch):
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    cpu, cuda = (METHODS[name](device=device).fit(X, Y, S).V_ for device in ("cpu", "cuda"))
    assert relative_difference(cuda, cpu) < 1e-3


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(
    "model",
    [DEVISE(), DEVISE(violators="first"), ALE(), ALE(rank="sampled"), SJE(), LATEM()],
    ids=str,
)
@pytest.mark.parametrize("n_attributes", [A, 2], ids=["few classes", "few attributes"])
def test_a_training_step_mixes_no_devices(monkeypatch, model, average, n_attributes):
    from tests.methods.devices import ELSEWHERE, OneDevice

    monkeypatch.setattr(_sgd, "on_device", lambda *_: ELSEWHERE)
    model = clone(model).set_params(average=average)
    with OneDevice():
        descent = _sgd._Descent(model, X, *_sgd.renumber_classes(Y, S[:, :n_attributes]))
        loss, matrices = descent._step(np.arange(10))
    assert {loss.device, descent.W.device} == {ELSEWHERE}
    if isinstance(model, LATEM):  # a single matrix has no latent choice
        assert matrices.device == ELSEWHERE
    else:
        assert matrices is None


def test_a_missing_device_is_refused(torch):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")
    with pytest.raises(ParameterError, match="DEVISE: device must be 'cpu' without CUDA"):
        DEVISE(device="cuda").fit(X, Y, S)
