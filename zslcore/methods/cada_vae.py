"""CADA-VAE: cross- and distribution aligned variational autoencoders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zslcore.methods._networks import adam, apply_network, batches, descend, network, noise, tensors
from zslcore.methods.base import MethodCard
from zslcore.methods.generative import GenerativeZSL

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

#: Warm-up of three weights over the 100 epochs of the paper, as (first epoch, last epoch, increase
#: per epoch): weights of the divergence, of the cross-reconstruction, and of the distance between
#: distributions.
WARM_UPS = ((0, 90, 0.0026), (21, 75, 0.044), (6, 22, 0.54))
PAPER_EPOCHS = 100


@dataclass(eq=False, repr=False)
class CADAVAE(GenerativeZSL):
    r"""Aligned autoencoders of features and prototypes, with a softmax on latent codes.

    Each encoder outputs a Gaussian :math:`q_i(z) = \mathcal{N}(\mu_i, \sigma_i^2)` of latent codes,
    for a feature :math:`x_1` and for the prototype :math:`x_2` of its class; each decoder
    :math:`D_i` reconstructs :math:`x_i` from each of the two codes [1]_:

    .. math::
        \sum_i \; \lVert x_i - D_i(z_i) \rVert_1 + \beta \, \mathrm{KL}(q_i \,\Vert\,
        \mathcal{N}(0, I)) + \gamma \sum_{j \ne i} \lVert x_j - D_j(z_i) \rVert_1
        + \frac{\delta}{2} \, W_{12},
        \qquad W_{12} = \sqrt{\lVert \mu_1 - \mu_2 \rVert^2 + \lVert \sigma_1 - \sigma_2 \rVert^2}

    The sum over :math:`i` has all four terms, so the weight of :math:`W_{12}` is :math:`\delta` in
    total. The weights grow with the epochs, to :math:`\beta = 0.23`, :math:`\gamma = 2.4` and
    :math:`\delta = 8.6`. The softmax is trained on codes drawn from features of seen classes and
    from prototypes of unseen classes, with twice as many codes for an unseen class as for a seen
    class. For scoring, the code of an image is :math:`\mu_1`.

    Parameters
    ----------
    epochs, classifier_epochs, components, random_state : see :class:`FCLSWGAN`
    n_synthetic : codes per unseen class; a seen class has half as many
    warm_up : number of epochs in which the weights grow as they do in 100 epochs of the paper
    latent : length of a code
    hidden : units of the hidden layer of each network; in the paper 665 in the decoder of
        prototypes and 1,450 to 1,660 in the other networks
    batch_size : 50 in the paper
    learning_rate : learning rate of Adam; 1.5e-4 in the paper

    Attributes
    ----------
    image_encoder_, prototype_encoder_ : networks with outputs :math:`(\mu, \log \sigma^2)`
        Further attributes: see :class:`zslcore.methods.generative.GenerativeZSL`.

    References
    ----------
    .. [1] E. Schonfeld, S. Ebrahimi, S. Sinha, T. Darrell, Z. Akata, "Generalized zero- and
       few-shot learning via aligned variational autoencoders", CVPR 2019.
    """

    card = MethodCard(
        name="CADA-VAE",
        year=2019,
        family="feature generating",
        title="Generalized zero- and few-shot learning via aligned variational autoencoders",
        authors="Schonfeld, Ebrahimi, Sinha, Darrell, Akata",
        url="https://arxiv.org/abs/1812.01784",
        idea="Two autoencoders share their codes; a softmax is trained on codes of unseen classes.",
        formula=r"\sum_i \lVert x_i - D_i(z_i) \rVert_1 + \beta \mathrm{KL}(q_i \Vert"
        r" \mathcal{N}(0, I)) + \gamma \sum_{j \ne i} \lVert x_j - D_j(z_i) \rVert_1"
        r" + \tfrac{\delta}{2} W_{12}",
        departure="features are replaced by principal components, and prototypes are centred; to "
        "train in minutes on two cores, the networks have 256 hidden units instead of 665 to "
        "1,660, batches have 128 images instead of 50, Adam uses a learning rate of 1e-3 instead "
        "of 1.5e-4 and no AMSGrad, and the warm-up ends after 40 epochs instead of 100; the "
        "authors' code draws one random number per row for a code and uses exp(log variance) as "
        "its standard deviation, whereas here each value has its own number and the root of its "
        "variance; results stay below the published ones",
        depends_on_candidates="one softmax is trained for the candidates, "
        "on generated codes of unseen ones",
        stochastic=True,
        extra="torch",
    )
    revision = 2  # a seen class gets half as many codes as an unseen one, which gets 400
    param_grid: ClassVar = {
        "epochs": (10, 20, 30, 40),
        "n_synthetic": (100, 400),
        "classifier_epochs": (3, 10),
    }

    epochs: int = 40
    n_synthetic: int = 400
    classifier_epochs: int = 10
    components: int = 128
    warm_up: int = 40
    latent: int = 64
    hidden: int = 256
    batch_size: int = 128
    learning_rate: float = 1e-3
    random_state: int = 0

    def train(
        self, X: np.ndarray, y: np.ndarray, S: np.ndarray, rng: np.random.Generator
    ) -> Iterator[float]:
        """Train both autoencoders; yield the mean objective, see :class:`GenerativeZSL`."""
        name, (h, k) = self.card.name, (self.hidden, self.latent)
        encoders = [network(name, (n, h, 2 * k), rng) for n in (X.shape[1], S.shape[1])]
        decoders = [network(name, (k, h, n), rng) for n in (X.shape[1], S.shape[1])]
        self.image_encoder_, self.prototype_encoder_ = encoders
        optimiser = adam([*encoders, *decoders], self.learning_rate, (0.9, 0.999))
        features, prototypes = tensors(X, S[y])
        epoch = 0
        while True:
            total, weights = 0.0, warm_up_weights(epoch * PAPER_EPOCHS / self.warm_up)
            for rows in batches(len(X), self.batch_size, rng):
                sides = features[rows], prototypes[rows]
                draws = [noise(rng, len(rows), k) for _ in sides]
                loss = objective(sides, encoders, decoders, draws, weights)
                descend(optimiser, loss)
                total += loss.item() * len(rows)
            epoch += 1
            yield total / len(X)

    def generate(self, prototypes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Return codes of prototypes; see :class:`GenerativeZSL`."""
        mu, log_variance = np.split(apply_network(self.prototype_encoder_, prototypes), 2, axis=1)
        z = rng.standard_normal((len(mu), n, self.latent), dtype=np.float32)
        return mu[:, None] + z * np.exp(log_variance / 2)[:, None]

    def seen_rows(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return ``n_synthetic`` / 2 random rows, with repetition if there are too few."""
        return np.resize(rng.permutation(rows), -(-self.n_synthetic // 2))

    def represent(self, X: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        r"""Return codes of features: random codes for training, :math:`\mu_1` for scoring."""
        mu, log_variance = np.split(apply_network(self.image_encoder_, X), 2, axis=1)
        if rng is None:
            return mu
        return mu + rng.standard_normal(mu.shape, dtype=np.float32) * np.exp(log_variance / 2)


def warm_up_weights(epoch: float) -> tuple[float, ...]:
    """Return beta, gamma and delta at ``epoch`` of the 100 epochs in the paper, counted from 0."""
    return tuple(rate * (min(max(epoch, first), last) - first) for first, last, rate in WARM_UPS)


def objective(
    sides: tuple[Tensor, Tensor],
    encoders: list[Module],
    decoders: list[Module],
    draws: list[Tensor],
    weights: tuple[float, ...],
) -> Tensor:
    """Return the mean objective of a mini-batch; see :class:`CADAVAE`.

    ``sides`` are features and prototypes, with networks in this order; ``draws`` are standard
    normal numbers of shape (n, latent), ``weights`` are beta, gamma and delta.
    """
    beta, gamma, delta = weights
    gaussians = [encoder(x).chunk(2, dim=1) for encoder, x in zip(encoders, sides, strict=True)]
    codes = [
        mu + (log_variance / 2).exp() * draw
        for (mu, log_variance), draw in zip(gaussians, draws, strict=True)
    ]
    reconstructed = crossed = divergence = codes[0].new_zeros(())
    for i, (x, decoder) in enumerate(zip(sides, decoders, strict=True)):
        reconstructed = reconstructed + (x - decoder(codes[i])).abs().sum(dim=1).mean()
        crossed = crossed + (x - decoder(codes[1 - i])).abs().sum(dim=1).mean()
        divergence = divergence + kl_to_normal(*gaussians[i])
    return reconstructed + beta * divergence + gamma * crossed + delta * wasserstein(*gaussians)


def kl_to_normal(mu: Tensor, log_variance: Tensor) -> Tensor:
    r"""Return the mean of :math:`\frac{1}{2} \sum (\mu^2 + \sigma^2 - 1 - \log \sigma^2)`."""
    return (mu.square() + log_variance.exp() - 1 - log_variance).sum(dim=1).mean() / 2


def wasserstein(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """Return the mean 2-Wasserstein distance of pairs of Gaussians (mean, log variance)."""
    distance = (first[0] - second[0]).square()
    distance = distance + ((first[1] / 2).exp() - (second[1] / 2).exp()).square()
    return (distance.sum(dim=1) + 1e-12).sqrt().mean()
