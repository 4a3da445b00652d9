r"""Small PyTorch networks for generators, and adversarial training.

A critic :math:`D(x, s)` estimates the Wasserstein distance between real and generated features;
this requires a penalty on the gradient of the critic [1]_:

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

#: Rows per forward pass of a network.
BLOCK = 1 << 16


def network(
    name: str, sizes: Sequence[int], rng: np.random.Generator, *, last: bool = False
) -> Module:
    """Return linear layers of ``sizes``, with leaky ReLUs between and, if ``last``, after them.

    Weights of a layer with n inputs are uniform between -1 / sqrt(n) and 1 / sqrt(n). ``name``
    is the method, for the message if PyTorch is missing.
    """
    with extra("torch", "torch", name):
        import torch  # imported here, since the import takes longer than most fits

    layers: list[Module] = []
    for n_in, n_out in pairwise(sizes):
        # Skip the initialisation: it would change the global random state of PyTorch.
        layer = torch.nn.utils.skip_init(torch.nn.Linear, n_in, n_out)
        with torch.no_grad():
            for weights in (layer.weight, layer.bias):
                values = rng.uniform(-1, 1, tuple(weights.shape)) / np.sqrt(n_in)
                weights.copy_(torch.from_numpy(values))
        layers += [layer, torch.nn.LeakyReLU(0.2)]
    return torch.nn.Sequential(*(layers if last else layers[:-1]))


def adam(networks: Iterable[Module], rate: float, betas: tuple[float, float]) -> Adam:
    """Return an Adam optimiser for all weights of ``networks``."""
    import torch

    weights = chain.from_iterable(net.parameters() for net in networks)
    return torch.optim.Adam(weights, lr=rate, betas=betas, fused=True)


def descend(optimiser: Adam, loss: Tensor) -> None:
    """Take one step down the gradient of ``loss``."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def batches(n: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield the ``n`` row numbers in random order, ``size`` at a time."""
    order = rng.permutation(n)
    for start in range(0, n, size):
        yield order[start : start + size]


def tensors(*arrays: np.ndarray) -> list[Tensor]:
    """Return arrays as tensors that share their type and memory, for reading only."""
    import torch

    with warnings.catch_warnings():  # PyTorch warns that a read-only array could be written to
        warnings.simplefilter("ignore", UserWarning)
        return [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]


def noise(rng: np.random.Generator, *shape: int) -> Tensor:
    """Return standard normal numbers as float32."""
    return tensors(rng.standard_normal(shape, dtype=np.float32))[0]


def join(*parts: Tensor) -> Tensor:
    """Return tensors joined by columns."""
    import torch

    return torch.cat(parts, dim=1)


def apply_network(net: Module, *parts: np.ndarray) -> np.ndarray:
    """Return the output of a network for arrays joined by columns, in their precision.

    Rows are processed in blocks, to limit the memory of hidden layers.
    """
    import torch

    precision = torch.float64 if np.result_type(*parts) == np.float64 else torch.float32
    starts = range(0, max(len(parts[0]), 1), BLOCK)
    with torch.no_grad():
        net = deepcopy(net).to(precision)
        blocks = (np.concatenate([a[k : k + BLOCK] for a in parts], axis=1) for k in starts)
        return np.concatenate([net(*tensors(block)).numpy() for block in blocks])


def gradient_penalty(
    critic: Callable[[Tensor], Tensor], real: Tensor, fake: Tensor, s: Tensor, alpha: Tensor
) -> Tensor:
    """Return the mean squared difference between 1 and the length of the critic's gradient.

    ``s`` are the prototypes of the rows, ``alpha`` uniform random numbers of shape (n, 1).
    """
    import torch

    between = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(True)
    value = critic(join(between, s)).sum()
    (gradient,) = torch.autograd.grad(value, between, create_graph=True)
    length = (gradient.square().sum(dim=1) + 1e-12).sqrt()
    return (length - 1).square().mean()


#: Loss from features and their classes that a method adds to the GAN loss.
Term = Callable[["Tensor", "Tensor"], "Tensor | float"]


def no_term(x: Tensor, y: Tensor) -> float:
    """Return 0: no additional loss."""
    return 0.0


class WassersteinGAN:
    """A conditional generator trained with a critic, for methods with additional losses."""

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
        """Train the critic and the generator; yield the estimated distance after each epoch.

        ``learned`` has the critic and the networks trained with it, ``data`` the features, their
        labels (row numbers of the prototypes), and the prototypes. ``terms`` are an additional loss
        of the critic on real features and an additional loss of the generator on generated
        features.
        """
        critic, (features, labels, prototypes) = learned[0], data
        critic_adam, generator_adam = (
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
                descend(critic_adam, loss + terms[0](x, c))
                total += distance * len(rows)
                if step % self.n_critic == 0:
                    descend(generator_adam, self._generator_loss(critic, s, c, terms[1], rng))
            yield total / len(features)

    def _generate_rows(
        self, prototypes: np.ndarray, n: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return ``n`` generated features per class, shape (n_classes * n, n_features)."""
        s = np.repeat(prototypes, n, axis=0)
        return apply_network(self.generator_, rng.standard_normal(s.shape, dtype=np.float32), s)

    def _generate(self, s: Tensor, rng: np.random.Generator) -> Tensor:
        return self.generator_(join(noise(rng, *s.shape), s))

    def _critic_loss(
        self, critic: Module, x: Tensor, s: Tensor, rng: np.random.Generator
    ) -> tuple[Tensor, float]:
        """Return the loss of the critic and the estimated distance for one step."""
        fake = self._generate(s, rng).detach()
        distance = critic(join(x, s)).mean() - critic(join(fake, s)).mean()
        (alpha,) = tensors(rng.random((len(x), 1), dtype=np.float32))
        penalty = gradient_penalty(critic, x, fake, s, alpha)
        return self.penalty * penalty - distance, distance.item()

    def _generator_loss(
        self, critic: Module, s: Tensor, y: Tensor, term: Term, rng: np.random.Generator
    ) -> Tensor:
        """Return the loss of the generator for one step."""
        fake = self._generate(s, rng)
        return term(fake, y) - critic(join(fake, s)).mean()
