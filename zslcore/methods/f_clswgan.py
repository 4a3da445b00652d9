"""f-CLSWGAN: feature generating networks for zero-shot learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zslcore.methods._networks import WassersteinGAN, network, no_term, tensors
from zslcore.methods.base import MethodCard
from zslcore.methods.generative import GenerativeZSL, softmax_path

if TYPE_CHECKING:
    from torch import Tensor

#: Epochs of the softmax of the seen classes, which classifies generated features.
SEEN_EPOCHS = 20


@dataclass(eq=False, repr=False)
class FCLSWGAN(WassersteinGAN, GenerativeZSL):
    r"""A conditional Wasserstein GAN with a classifier of the seen classes in its loss.

    The generator maps noise :math:`z` and a prototype :math:`s` to a feature :math:`\tilde x = G(z,
    s)`; the critic :math:`D` compares generated and real features [1]_:

    .. math::
        \min_G \max_D \; \mathbb{E} D(x, s) - \mathbb{E} D(\tilde x, s)
        - \lambda \, \mathbb{E} \left( \lVert \nabla_{\hat x} D(\hat x, s) \rVert_2 - 1 \right)^2
        - \beta \, \mathbb{E} \log P(y \mid \tilde x)

    with :math:`\hat x` between a real and a generated feature, and :math:`P` a softmax of the seen
    classes, trained in advance on real features. ``n_critic`` steps of the critic precede each step
    of the generator.

    Parameters
    ----------
    epochs : passes of the critic over the training rows
    n_synthetic : number of features generated per unseen class
    classifier_epochs : passes of the softmax over real and generated features
    components : number of principal components that replace the features, if there are more
        features; otherwise the features are only centred and scaled
    beta : :math:`\beta > 0`, weight of the classification loss
    penalty : :math:`\lambda > 0`, weight of the gradient penalty
    n_critic : number of steps of the critic per step of the generator
    hidden : units of the hidden layer of both networks; 4,096 in the paper
    batch_size : 64 in the paper
    learning_rate : learning rate of Adam with :math:`\beta_1 = 0.5`; 1e-4 in the paper
    random_state : seed of initial weights, order of the rows, and noise

    Attributes
    ----------
    generator_ : network with input :math:`(z, s)`
        Further attributes: see :class:`zslcore.methods.generative.GenerativeZSL`.

    References
    ----------
    .. [1] Y. Xian, T. Lorenz, B. Schiele, Z. Akata, "Feature generating networks for zero-shot
       learning", CVPR 2018.
    """

    card = MethodCard(
        name="f-CLSWGAN",
        year=2018,
        family="feature generating",
        title="Feature generating networks for zero-shot learning",
        authors="Xian, Lorenz, Schiele, Akata",
        url="https://arxiv.org/abs/1712.00981",
        idea="A conditional GAN generates features of unseen classes to train a softmax on.",
        formula=r"\min_G \max_D \; \mathbb{E} D(x, s) - \mathbb{E} D(\tilde x, s)"
        r" - \lambda \mathbb{E} (\lVert \nabla D(\hat x, s) \rVert - 1)^2"
        r" - \beta \mathbb{E} \log P(y \mid \tilde x),\quad \tilde x = G(z, s)",
        departure="features are replaced by principal components, with no ReLU after the "
        "generator; prototypes are centred; to train in minutes on two cores, the networks have "
        "256 hidden units instead of 4,096, batches have 128 images instead of 64, Adam uses a "
        "learning rate of 1e-3 instead of 1e-4, an unseen class gets 50 to 200 features instead of "
        "300 or more, and the softmax of the seen classes is trained for 20 epochs instead of 50; "
        "results stay below the published ones",
        depends_on_candidates="one softmax is trained for the candidates, "
        "on generated features of unseen ones",
        stochastic=True,
        extra="torch",
    )
    param_grid: ClassVar = {
        "epochs": (5, 10, 20, 40),
        "n_synthetic": (50, 200),
        "classifier_epochs": (3, 10),
    }

    epochs: int = 20
    n_synthetic: int = 100
    classifier_epochs: int = 10
    components: int = 128
    beta: float = 0.01
    penalty: float = 10.0
    n_critic: int = 5
    hidden: int = 256
    batch_size: int = 128
    learning_rate: float = 1e-3
    random_state: int = 0

    def train(
        self, X: np.ndarray, y: np.ndarray, S: np.ndarray, rng: np.random.Generator
    ) -> Iterator[float]:
        """Train generator and critic; yield the Wasserstein distance, see :class:`GenerativeZSL`.

        The distance between real and generated features is estimated by the critic.
        """
        (d, a), name = (X.shape[1], S.shape[1]), self.card.name
        self.generator_ = network(name, (2 * a, self.hidden, d), rng)
        critic = network(name, (d + a, self.hidden, 1), rng)
        W = softmax_path(X, y, len(S), [SEEN_EPOCHS], rng)[0].astype(np.float32)
        *data, weights = tensors(X, y, S, W)
        recognition = partial(self._recognition_loss, weights)
        yield from self._adversarial_epochs([critic], data, (no_term, recognition), rng)

    def generate(self, prototypes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Return :math:`G(z, s)`; see :class:`GenerativeZSL`."""
        return self._generate_rows(prototypes, n, rng).reshape(len(prototypes), n, -1)

    def _recognition_loss(self, W: Tensor, fake: Tensor, y: Tensor) -> Tensor:
        r"""Return :math:`-\beta \, \mathbb{E} \log P(y \mid \tilde x)`."""
        log_p = (fake @ W[:-1] + W[-1]).log_softmax(dim=1)
        return -self.beta * log_p.gather(1, y[:, None]).mean()
