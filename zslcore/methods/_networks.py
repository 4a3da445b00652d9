r"""Small networks for generators, in PyTorch, and adversarial training.

A critic :math:`D(x, s)` tells real from generated features by the Wasserstein distance; what
makes it one is the penalty on its gradient [1]_

.. math:: \mathbb{E} \left( \lVert \nabla_{\hat x} D(\hat x, s) \rVert_2 - 1 \right)^2,
    \qquad \hat x = \alpha x + (1 - \alpha) \tilde x, \quad \alpha \sim U(0, 1)

References
----------
.. [1] I. Gulrajani, F. Ahmed, M. Arjovsky, V. Dumoulin, A. Courville, "Improved training of
   Wasserstein GANs", NeurIPS 2017.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.storage.extras import extra

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Adam

#: Rows that go through a network at once.
BLOCK = 1 << 16


def network(
    name: str, sizes: Sequence[int], rng: np.random.Generator, *, last: bool = False
) -> Module:
    """Return linear layers of ``sizes`` with leaky rectifiers between them, and after the ``last``.

    Weights are uniform within one over the root of a layer's inputs. ``name`` is the method, for
    the sentence where PyTorch is missing.
    """
    with extra("torch", "torch", name):
        import torch  # not at the top: it takes longer to import than most methods to fit

    layers: list[Module] = []
    for n_in, n_out in pairwise(sizes):
        # Made empty: PyTorch would draw from its global generator, which is the caller's.
        layer = torch.nn.utils.skip_init(torch.nn.Linear, n_in, n_out)
        with torch.no_grad():
            for weights in (layer.weight, layer.bias):
                drawn = rng.uniform(-1, 1, tuple(weights.shape)) / np.sqrt(n_in)
                weights.copy_(torch.from_numpy(drawn))
        layers += [layer, torch.nn.LeakyReLU(0.2)]
    return torch.nn.Sequential(*(layers if last else layers[:-1]))


def adam(networks: Iterable[Module], rate: float, betas: tuple[float, float]) -> Adam:
    """Return Adam for all weights of some networks."""
    import torch

    weights = chain.from_iterable(net.parameters() for net in networks)
    return torch.optim.Adam(weights, lr=rate, betas=betas, fused=True)


def descend(optimiser: Adam, loss: Tensor) -> None:
    """Take a step against the gradient of ``loss``."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def batches(n: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield all of ``n`` rows once in random order, ``size`` at a time."""
    order = rng.permutation(n)
    for start in range(0, n, size):
        yield order[start : start + size]


def tensors(*arrays: np.ndarray) -> list[Tensor]:
    """Return arrays as tensors of their type, which share their memory and are only read."""
    import torch

    with warnings.catch_warnings():  # that a read-only array may be written into
        warnings.simplefilter("ignore", UserWarning)
        return [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]


def noise(rng: np.random.Generator, *shape: int) -> Tensor:
    """Return standard normal numbers, float32."""
    return tensors(rng.standard_normal(shape, dtype=np.float32))[0]


def join(*parts: Tensor) -> Tensor:
    """Return tensors with their columns in one."""
    import torch

    return torch.cat(parts, dim=1)


def applied(net: Module, *parts: np.ndarray) -> np.ndarray:
    """Return the output of a network for arrays joined by columns, in their precision.

    Rows go through it in blocks, so that its hidden layers stay small.
    """
    import torch

    precision = torch.float64 if np.result_type(*parts) == np.float64 else torch.float32
    starts = range(0, max(len(parts[0]), 1), BLOCK)
    with torch.no_grad():
        same = deepcopy(net).to(precision)
        blocks = (np.concatenate([a[k : k + BLOCK] for a in parts], axis=1) for k in starts)
        return np.concatenate([same(*tensors(block)).numpy() for block in blocks])


def gradient_penalty(
    critic: Callable[[Tensor], Tensor], real: Tensor, fake: Tensor, s: Tensor, alpha: Tensor
) -> Tensor:
    """Return the mean squared distance of the critic's gradient from unit length.

    ``alpha`` are uniform numbers of shape (n, 1).
    """
    import torch

    between = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(True)
    value = critic(join(between, s)).sum()
    (gradient,) = torch.autograd.grad(value, between, create_graph=True)
    length = (gradient.square().sum(dim=1) + 1e-12).sqrt()
    return (length - 1).square().mean()


#: Loss of features of classes, which a method adds to that of the GAN.
Term = Callable[["Tensor", "Tensor"], "Tensor | float"]


def no_term(x: Tensor, y: Tensor) -> float:
    """Add nothing to a loss."""
    return 0.0


class WassersteinGAN:
    """A conditional generator that is trained with a critic, for methods that add to its loss."""

    generator_: Any
    penalty: float
    n_critic: int
    batch_size: int
    learning_rate: float

    def _adversarial_epochs(
        self,
        learned: list[Module],
        data: Sequence[Tensor],
        terms: tuple[Term, Term],
        rng: np.random.Generator,
    ) -> Iterator[float]:
        """Train the critic and the generator; yield the mean distance that the critic finds.

        ``learned`` are the critic and networks that learn with it, ``data`` the features, the rows
        of the prototypes and these. One of ``terms`` is added to the loss of the critic, for real
        features, and one to that of the generator, for generated ones.
        """
        critic, (features, labels, prototypes) = learned[0], data
        of_critic, of_generator = (
            adam(nets, self.learning_rate, (0.5, 0.999)) for nets in (learned, [self.generator_])
        )
        step = 0
        while True:
            total = 0.0
            for rows in batches(len(features), self.batch_size, rng):
                step += 1
                x, c = features[rows], labels[rows]
                s = prototypes[c]
                loss, distance = self._critic_loss(critic, x, s, rng)
                descend(of_critic, loss + terms[0](x, c))
                total += distance * len(rows)
                if step % self.n_critic == 0:
                    descend(of_generator, self._generator_loss(critic, s, c, terms[1], rng))
            yield total / len(features)

    def _drawn(self, prototypes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Return ``n`` generated features of every class, shape (n_classes * n, n_features)."""
        s = np.repeat(prototypes, n, axis=0)
        return applied(self.generator_, rng.standard_normal(s.shape, dtype=np.float32), s)

    def _generated(self, s: Tensor, rng: np.random.Generator) -> Tensor:
        return self.generator_(join(noise(rng, *s.shape), s))

    def _critic_loss(
        self, critic: Module, x: Tensor, s: Tensor, rng: np.random.Generator
    ) -> tuple[Tensor, float]:
        """Return the loss of a step of the critic, and the distance it sees."""
        fake = self._generated(s, rng).detach()
        distance = critic(join(x, s)).mean() - critic(join(fake, s)).mean()
        (alpha,) = tensors(rng.random((len(x), 1), dtype=np.float32))
        penalty = gradient_penalty(critic, x, fake, s, alpha)
        return self.penalty * penalty - distance, distance.item()

    def _generator_loss(
        self, critic: Module, s: Tensor, y: Tensor, term: Term, rng: np.random.Generator
    ) -> Tensor:
        """Return the loss of a step of the generator."""
        fake = self._generated(s, rng)
        return term(fake, y) - critic(join(fake, s)).mean()
