"""Losses of generators against plain NumPy, and gradients against finite differences."""

import inspect
from functools import partial

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tests.methods.plain import gradient, relative_difference, training_data
from zslcore.evaluation.contract import MethodUnderTest
from zslcore.methods import CADAVAE, CEGZSL, FCLSWGAN, METHODS, GenerativeZSL, _networks
from zslcore.methods._networks import adam, apply_network, gradient_penalty, join, network, noise
from zslcore.methods.cada_vae import kl_to_normal, objective, warm_up_weights, wasserstein
from zslcore.methods.ce_gzsl import class_contrast, instance_contrast

X, Y, S = training_data()[:3]
GENERATORS = {name: m for name, m in METHODS.items() if issubclass(m, GenerativeZSL)}
QUICK = {"epochs": 3, "hidden": 16, "batch_size": 16}


def rng(seed=0):
    return np.random.default_rng(seed)


def tensor(array):
    import torch

    return torch.tensor(array, dtype=torch.float64)


def plain_network(net, A):
    """A textbook network of linear layers and leaky rectifiers."""
    for layer in net:
        if hasattr(layer, "weight"):
            W, b = (p.detach().double().numpy() for p in (layer.weight, layer.bias))
            A = A @ W.T + b
        else:
            A = np.where(A > 0, A, 0.2 * A)
    return A


def test_a_network_equals_plain_numpy():
    net = network("a test", (3, 5, 2), rng())
    A = rng(1).normal(size=(7, 3))
    np.testing.assert_allclose(apply_network(net, A), plain_network(net, A), rtol=1e-12)
    np.testing.assert_allclose(
        apply_network(net, A[:, :1], A[:, 1:]), apply_network(net, A), rtol=0
    )
    assert apply_network(net, A.astype(np.float32)).dtype == np.float32
    assert len(network("a test", (3, 5, 2), rng(), last=True)) == len(net) + 1


def test_a_network_takes_its_rows_in_blocks(monkeypatch, torch):
    net, A, taken = network("a test", (3, 5, 2), rng()), rng(1).normal(size=(10, 3)), []
    whole = apply_network(net, A)
    monkeypatch.setattr(_networks, "BLOCK", 4)
    hook = torch.nn.modules.module.register_module_forward_hook(
        lambda module, inputs, outputs: taken.append(len(outputs))
    )
    np.testing.assert_allclose(apply_network(net, A), whole, rtol=1e-12)
    assert apply_network(net, A[:0]).shape == (0, 2)
    hook.remove()
    assert max(taken) == 4


def test_drawing_does_not_change_the_random_state_of_the_caller(torch):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    CADAVAE(latent=4, **QUICK).fit(X, Y, S).decision_function(X, S)
    torch.testing.assert_close(torch.get_rng_state(), before)


# --- Gradient penalty -----------------------------------------------------------------------------


def penalty_of(net, real, fake, s, alpha):
    """The penalty with the critic's gradient by finite differences, in NumPy."""
    lengths = []
    for k in range(len(real)):
        between = alpha[k] * real[k] + (1 - alpha[k]) * fake[k]
        at = gradient(
            lambda x, k=k: float(plain_network(net, np.concatenate([x, s[k]])[None])[0, 0]), between
        )
        lengths.append(np.sqrt((at**2).sum()))
    return np.mean((np.array(lengths) - 1) ** 2)


def penalty_case():
    draw = rng(4)
    net = network("a test", (7, 6, 1), draw).double()
    real, fake = draw.normal(size=(2, 5, 4))
    return net, real, fake, draw.normal(size=(5, 3)), draw.random((5, 1))


def test_the_gradient_penalty_equals_finite_differences():
    net, *arrays = penalty_case()
    result = gradient_penalty(net, *map(tensor, arrays))
    assert float(result.detach()) == pytest.approx(penalty_of(net, *arrays), rel=1e-6)


def test_the_penalty_has_a_gradient_in_the_weights_of_the_critic(torch):
    net, *arrays = penalty_case()
    gradient_penalty(net, *map(tensor, arrays)).backward()
    weights = net[0].weight

    def at(W):
        with torch.no_grad():
            weights.copy_(tensor(W))
        return penalty_of(net, *arrays)

    start = weights.detach().numpy().copy()
    assert relative_difference(gradient(at, start, 1e-4), weights.grad.numpy()) < 1e-3


# --- f-CLSWGAN ------------------------------------------------------------------------------------


def test_losses_of_f_clswgan_equal_the_formula(torch):
    model = FCLSWGAN(beta=0.3, penalty=7.0)
    draw = rng(6)
    d, a, n, C = 4, 3, 6, 5
    model.generator_ = network("a test", (2 * a, 8, d), draw)
    critic = network("a test", (d + a, 8, 1), draw)
    x, s = np.float32(draw.normal(size=(n, d))), np.float32(draw.normal(size=(n, a)))
    y, W = draw.integers(0, C, n), np.float32(draw.normal(size=(d + 1, C)))
    z = rng(5).standard_normal((n, a), dtype=np.float32)
    fake = plain_network(model.generator_, np.hstack([z, s]))

    def D(A):
        return plain_network(critic, np.hstack([A, s])).mean()

    replayed = rng(5)
    loss, apart = model._critic_loss(critic, *map(torch.tensor, (x, s)), replayed)
    after = rng(5)
    after.standard_normal((n, a), dtype=np.float32)
    alpha = after.random((n, 1), dtype=np.float32)
    assert apart == pytest.approx(D(x) - D(fake), rel=1e-4)
    expected = 7.0 * penalty_of(critic.double(), x, fake, s, alpha) - apart
    assert loss.item() == pytest.approx(expected, rel=1e-4)

    critic.float()
    recognised = partial(model._recognition_loss, torch.tensor(W))
    loss = model._generator_loss(critic, *map(torch.tensor, (s, y)), recognised, rng(5))
    logits = fake @ W[:-1] + W[-1]
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    expected = -D(fake) - 0.3 * log_p[np.arange(n), y].mean()
    assert loss.item() == pytest.approx(expected, rel=1e-4)


# --- CADA-VAE -------------------------------------------------------------------------------------


def gaussians(seed):
    draw = rng(seed)
    return draw.normal(size=(6, 3)), draw.normal(size=(6, 3))


def test_the_divergence_is_the_expected_log_ratio_of_the_densities():
    """The divergence is compared with the mean of log q - log p over samples from q."""
    mu, log_variance = gaussians(7)
    result = float(kl_to_normal(tensor(mu), tensor(log_variance)))
    ratios = []
    for m, v in zip(mu, np.exp(log_variance), strict=True):
        q, p = multivariate_normal(m, np.diag(v)), multivariate_normal(np.zeros(3), np.eye(3))
        z = q.rvs(200_000, random_state=1)
        ratios.append(np.mean(q.logpdf(z) - p.logpdf(z)))
    assert result == pytest.approx(np.mean(ratios), rel=0.01)


def test_the_distance_of_gaussians_equals_the_formula():
    first, other = gaussians(8), gaussians(9)
    sigma = [np.exp(log_variance / 2) for _, log_variance in (first, other)]
    squares = ((first[0] - other[0]) ** 2 + (sigma[0] - sigma[1]) ** 2).sum(axis=1)
    result = wasserstein(*(tuple(map(tensor, pair)) for pair in (first, other)))
    assert float(result) == pytest.approx(np.sqrt(squares).mean())
    assert float(wasserstein(*[tuple(map(tensor, first))] * 2)) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("weights", [(0, 0, 0), (0.7, 0, 0), (0, 1.3, 0), (0, 0, 2.1), (1, 2, 3)])
def test_the_objective_equals_the_formula_of_the_docstring(weights):
    beta, gamma, delta = weights
    draw, k = rng(10), 2
    x = [draw.normal(size=(6, n)) for n in (5, 4)]
    encoders = [network("a test", (n, 7, 2 * k), draw).double() for n in (5, 4)]
    decoders = [network("a test", (k, 7, n), draw).double() for n in (5, 4)]
    noises = draw.normal(size=(2, 6, k))
    result = objective(
        tuple(map(tensor, x)), encoders, decoders, list(map(tensor, noises)), weights
    )

    q = [np.split(plain_network(net, A), 2, axis=1) for net, A in zip(encoders, x, strict=True)]
    z = [mu + np.exp(v / 2) * e for (mu, v), e in zip(q, noises, strict=True)]
    expected = 0.0
    for i in range(2):
        j = 1 - i
        mu, v = q[i]
        expected += np.abs(x[i] - plain_network(decoders[i], z[i])).sum(axis=1).mean()
        expected += beta * 0.5 * (mu**2 + np.exp(v) - 1 - v).sum(axis=1).mean()
        expected += gamma * np.abs(x[j] - plain_network(decoders[j], z[i])).sum(axis=1).mean()
    (m1, v1), (m2, v2) = q
    apart = (m1 - m2) ** 2 + (np.exp(v1 / 2) - np.exp(v2 / 2)) ** 2
    expected += delta * np.sqrt(apart.sum(axis=1)).mean()
    assert float(result.detach()) == pytest.approx(expected, rel=1e-9)


def test_the_weights_grow_as_in_the_paper():
    assert warm_up_weights(0) == (0, 0, 0)
    beta, gamma, delta = warm_up_weights(14)
    assert (beta, gamma, delta) == pytest.approx((14 * 0.0026, 0, 8 * 0.54))
    assert warm_up_weights(90) == warm_up_weights(1000) == pytest.approx((0.234, 2.376, 8.64))


def test_codes_are_drawn_for_the_softmax_and_means_for_scores():
    model = CADAVAE(latent=4, **QUICK).fit(X, Y, S)
    mean = model.represent(model.X_)
    np.testing.assert_array_equal(model.represent(model.X_), mean)
    drawn = model.represent(np.tile(model.X_, (500, 1)), rng()).reshape(500, *mean.shape)
    _, log_variance = np.split(apply_network(model.image_encoder_, model.X_), 2, axis=1)
    sigma = np.exp(log_variance / 2)
    assert np.abs((drawn.mean(axis=0) - mean) / sigma).max() < 5 / np.sqrt(500)
    np.testing.assert_allclose(drawn.std(axis=0), sigma, rtol=0.2)


def test_a_seen_class_has_half_the_codes_of_an_unseen_one():
    """The authors' code draws 200 and 400; rows of a small class are repeated evenly."""
    model = CADAVAE(latent=4, **QUICK).fit(X, Y, S)
    _, labels = model._training_set(np.vstack([S, 1 - S[:2]]), rng())
    assert np.bincount(labels).tolist() == [200] * len(S) + [400] * 2
    rows = np.flatnonzero(Y == 0)
    counts = np.unique(model.seen_rows(rows, rng()), return_counts=True)[1]
    assert len(counts) == len(rows)
    assert np.ptp(counts) <= 1


# --- CE-GZSL --------------------------------------------------------------------------------------


def plain_instance_contrast(p, y, temperature):
    losses = []
    for i in range(len(y)):
        negatives = sum(np.exp(p[i] @ p[k] / temperature) for k in range(len(y)) if y[k] != y[i])
        for j in range(len(y)):
            if j != i and y[j] == y[i]:
                own = np.exp(p[i] @ p[j] / temperature)
                losses.append(-np.log(own / (own + negatives)))
    return np.mean(losses)


@pytest.mark.parametrize("temperature", [0.1, 2.0])
def test_the_contrast_of_images_equals_the_formula(temperature, torch):
    draw = rng(11)
    p = draw.normal(size=(12, 4))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    y = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    result = instance_contrast(tensor(p).requires_grad_(True), torch.tensor(y), temperature)
    expected = plain_instance_contrast(p, y, temperature)
    assert float(result.detach()) == pytest.approx(expected, rel=1e-9)


def test_the_gradient_of_the_contrast_equals_finite_differences(torch):
    draw = rng(12)
    p, y = draw.normal(size=(6, 3)), np.array([0, 0, 1, 1, 2, 3])
    at = tensor(p).requires_grad_(True)
    instance_contrast(at, torch.tensor(y), 0.5).backward()
    plain = gradient(lambda q: plain_instance_contrast(q, y, 0.5), p)
    assert relative_difference(at.grad.numpy(), plain) < 1e-6


@pytest.mark.parametrize("y", [[0, 1, 2], [0, 0, 0]], ids=["no pair", "one class"])
def test_a_batch_without_a_contrast_has_a_finite_loss_and_gradient(y, torch):
    at = tensor(rng(13).normal(size=(3, 4))).requires_grad_(True)
    loss = instance_contrast(at, torch.tensor(y), 0.1) + 0 * at.sum()
    loss.backward()
    assert float(loss.detach()) == 0
    assert torch.isfinite(at.grad).all()


def test_the_contrast_of_classes_is_a_softmax(torch):
    F, y = rng(14).normal(size=(5, 3)), np.array([0, 1, 2, 2, 1])
    expected = -np.mean(
        [np.log(np.exp(F[i, c] / 0.2) / np.exp(F[i] / 0.2).sum()) for i, c in enumerate(y)]
    )
    result = class_contrast(tensor(F), torch.tensor(y), 0.2)
    assert float(result) == pytest.approx(expected, rel=1e-9)


def test_the_softmax_of_ce_gzsl_is_trained_on_embeddings():
    model = CEGZSL(embedding=9, **QUICK).fit(X, Y, S)
    model.decision_function(X, S)
    (W,) = model.classifiers_.values()
    assert W.shape == (9 + 1, len(S))
    generated = model.generate(model._conditions(S[:2]), 3, rng())
    assert generated.shape == (2, 3, 9)
    np.testing.assert_allclose(
        model.represent(model.X_), plain_network(model.embedder_, model.X_), rtol=1e-3, atol=1e-5
    )


def test_generator_steps_update_only_the_generator(monkeypatch):
    trained = []

    def recorded(networks, *settings):
        trained.append(list(networks))
        return adam(trained[-1], *settings)

    monkeypatch.setattr(_networks, "adam", recorded)
    model = CEGZSL(**QUICK).fit(X, Y, S)
    of_critic, of_generator = trained
    assert of_generator == [model.generator_]
    assert model.embedder_ in of_critic


# --- All generators -------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("method", GENERATORS.values(), ids=GENERATORS)
def test_every_weight_is_a_parameter_that_changes_the_numbers(method):
    candidates = np.vstack([S, 1 - S[:2]])
    plain = method(**QUICK).fit(X, Y, S).decision_function(X, candidates)
    shared = {"epochs", "n_synthetic", "components", "random_state"}
    for name in set(inspect.signature(method).parameters) - shared:
        value = {**method().get_params(), **QUICK}[name]
        more = value + 1 if isinstance(value, int) else 3 * value
        other = method(**{**QUICK, name: more}).fit(X, Y, S)
        assert np.abs(other.decision_function(X, candidates) - plain).max() > 0, name


@pytest.mark.nightly
@pytest.mark.parametrize("method", GENERATORS.values(), ids=GENERATORS)
def test_generated_features_of_a_seen_class_are_nearest_to_its_mean(method):
    """Generated rows are nearer to the mean of their class than to other means."""
    problem = MethodUnderTest(method).problem
    model = method(epochs=60, hidden=64, batch_size=16, learning_rate=2e-3)
    if "n_critic" in model.get_params():
        model.set_params(n_critic=1)
    model.fit(problem.X, problem.y, problem.S)
    real = model.represent(model.X_)
    means = np.stack([real[model.y_ == c].mean(axis=0) for c in range(len(model.S_))])
    drawn = model.generate(model._conditions(model.S_), 50, rng()).mean(axis=1)
    nearest = ((drawn[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == np.arange(len(means))) > 0.5


def test_noise_is_reproducible_from_its_generator(torch):
    assert noise(rng(), 2, 3).dtype == torch.float32
    np.testing.assert_array_equal(noise(rng(1), 4), noise(rng(1), 4))
    assert join(noise(rng(), 2, 3), noise(rng(), 2, 1)).shape == (2, 4)
