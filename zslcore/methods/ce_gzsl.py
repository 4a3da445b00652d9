"""CE-GZSL: contrastive embedding for generalized zero-shot learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zslcore.methods._networks import WassersteinGAN, apply_network, network, tensors
from zslcore.methods.base import MethodCard
from zslcore.methods.generative import GenerativeZSL

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False, repr=False)
class CEGZSL(WassersteinGAN, GenerativeZSL):
    r"""A conditional GAN trained together with a contrastive embedding.

    An embedding :math:`h = E(x)` is learned with the Wasserstein GAN :math:`V(G, D)` of
    :class:`zslcore.methods.FCLSWGAN`; this embedding is the input of the final softmax classifier
    [1]_:

    .. math:: \max_D \min_{G, E, P, C} \; V(G, D) + w_I L_I(G, E, P) + w_C L_C(G, E, C)

    :math:`L_I` contrasts images: it pulls :math:`p = P(h) / \lVert P(h) \rVert` of an image towards
    :math:`p^+` of another image of its class, and away from :math:`p_k^-` of images of other
    classes. :math:`L_C` contrasts classes, by a network :math:`C` that compares an embedding with a
    prototype:

    .. math::
        L_I = -\mathbb{E} \log \frac{e^{p^\top p^+ / \tau}}
        {e^{p^\top p^+ / \tau} + \sum_k e^{p^\top p_k^- / \tau}},
        \qquad L_C = -\mathbb{E} \log \frac{e^{C(h, s_y) / \tau}}{\sum_c e^{C(h, s_c) / \tau}}

    As in the authors' code, steps of the critic minimise both losses on real images and train E, P
    and C; steps of the generator minimise both losses on generated images and train only G.

    Parameters
    ----------
    epochs, n_synthetic, classifier_epochs, components : see :class:`FCLSWGAN`
    penalty, n_critic, random_state : see :class:`FCLSWGAN`
    instance_weight, class_weight : float, default=0.001
        :math:`w_I, w_C > 0`.
    temperature : :math:`\tau > 0`
    embedding : length of :math:`h`; 2,048 in the paper
    hidden : int, default=256
        Units of the hidden layer of each network; the hidden layer of C and the output of P have a
        quarter as many. 4,096 in the paper.
    batch_size : int, default=128
        4,096 in the paper. An image that is alone in its class within the batch has no term in
        :math:`L_I`, but is contrasted with images of other classes.
    learning_rate : learning rate of Adam with :math:`\beta_1 = 0.5`; 1e-4 in the paper

    Attributes
    ----------
    generator_, embedder_ : networks of :math:`(z, s)` and of :math:`x`
        Further attributes: see :class:`zslcore.methods.generative.GenerativeZSL`.

    References
    ----------
    .. [1] Z. Han, Z. Fu, S. Chen, J. Yang, "Contrastive embedding for generalized zero-shot
       learning", CVPR 2021.
    """

    card = MethodCard(
        name="CE-GZSL",
        year=2021,
        family="feature generating",
        title="Contrastive embedding for generalized zero-shot learning",
        authors="Han, Fu, Chen, Yang",
        url="https://arxiv.org/abs/2103.16173",
        idea="A conditional GAN is trained with an embedding that contrasts images and classes.",
        formula=r"\max_D \min_{G, E, P, C} V(G, D) + w_I L_I + w_C L_C,\quad"
        r" L_C = -\mathbb{E} \log \frac{e^{C(E(x), s_y) / \tau}}{\sum_c e^{C(E(x), s_c) / \tau}}",
        departure="features are replaced by principal components, with no ReLU after the "
        "generator; prototypes are centred; to train in minutes on two cores, the networks have "
        "256 hidden units instead of 4,096, a batch has 128 images instead of 4,096, an embedding "
        "has 256 values instead of 2,048, and Adam uses a learning rate of 1e-3 instead of 1e-4; "
        "the contrasts are the paper's, whereas the authors' code also compares generated images "
        "with real ones, counts all other images of a batch in the denominator and weights the "
        "contrasts of real images by 1; results stay below the published ones",
        depends_on_candidates="one softmax is trained for the candidates, "
        "on generated features of unseen ones",
        stochastic=True,
        extra="torch",
    )
    revision = 2  # steps of the generator train only the generator
    param_grid: ClassVar = {
        "epochs": (5, 10, 20, 40),
        "n_synthetic": (50, 200),
        "classifier_epochs": (3, 10),
    }

    epochs: int = 20
    n_synthetic: int = 100
    classifier_epochs: int = 10
    components: int = 128
    instance_weight: float = 1e-3
    class_weight: float = 1e-3
    temperature: float = 0.1
    penalty: float = 10.0
    n_critic: int = 5
    embedding: int = 256
    hidden: int = 256
    batch_size: int = 128
    learning_rate: float = 1e-3
    random_state: int = 0

    def train(
        self, X: np.ndarray, y: np.ndarray, S: np.ndarray, rng: np.random.Generator
    ) -> Iterator[float]:
        """Train all networks; yield the Wasserstein distance, see :class:`GenerativeZSL`."""
        name, (d, a), h = self.card.name, (X.shape[1], S.shape[1]), self.hidden
        self.generator_ = network(name, (2 * a, h, d), rng)
        self.embedder_ = network(name, (d, h, self.embedding), rng, last=True)
        critic = network(name, (d + a, h, 1), rng)
        contrast = _Contrast(self, S, rng)
        learned = [critic, self.embedder_, *contrast.networks]
        yield from self._adversarial_epochs(learned, tensors(X, y, S), (contrast, contrast), rng)

    def generate(self, prototypes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Return :math:`E(G(z, s))`; see :class:`GenerativeZSL`."""
        x = self._generate_rows(prototypes, n, rng)
        return apply_network(self.embedder_, x).reshape(len(prototypes), n, -1)

    def represent(self, X: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        """Return :math:`E(x)`; see :class:`GenerativeZSL`."""
        return apply_network(self.embedder_, X)


class _Contrast:
    """Both contrastive losses of a mini-batch, with the networks P and C.

    The first layer of C is linear in embedding and prototype, so it is computed once per image and
    once per class and then added.
    """

    def __init__(self, model: CEGZSL, S: np.ndarray, rng: np.random.Generator) -> None:
        name, e, h = model.card.name, model.embedding, max(1, model.hidden // 4)
        self.model, (self.S,) = model, tensors(S)
        self.head = network(name, (e, h), rng)
        self.image_layer = network(name, (e, h), rng)
        self.class_layer = network(name, (S.shape[1], h), rng)
        self.compare = network(name, (h, 1), rng)
        self.networks = [self.head, self.image_layer, self.class_layer, self.compare]

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted losses of features ``x`` of classes ``y``."""
        import torch

        model, h = self.model, self.model.embedder_(x)
        p = torch.nn.functional.normalize(self.head(h), dim=1)
        joined = self.image_layer(h)[:, None] + self.class_layer(self.S)[None]
        scores = self.compare(torch.nn.functional.leaky_relu(joined, 0.2))[..., 0]
        return model.instance_weight * instance_contrast(
            p, y, model.temperature
        ) + model.class_weight * class_contrast(scores, y, model.temperature)


def instance_contrast(p: Tensor, y: Tensor, temperature: float) -> Tensor:
    """Return :math:`L_I`, the mean over all pairs of images of one class; 0 if there is no pair.

    Rows of ``p`` have unit length; ``y`` are their classes.
    """
    import torch

    similarity = p @ p.T / temperature
    is_same = y[:, None] == y[None]
    is_pair = is_same & ~torch.eye(len(y), dtype=torch.bool)
    negatives = similarity.masked_fill(is_same, -torch.inf).logsumexp(dim=1, keepdim=True)
    loss = torch.logaddexp(similarity, negatives) - similarity
    return loss[is_pair].mean() if is_pair.any() else p.new_zeros(())


def class_contrast(scores: Tensor, y: Tensor, temperature: float) -> Tensor:
    r"""Return :math:`L_C` for scores :math:`C(h, s_c)` of shape (n, n_classes)."""
    return -(scores / temperature).log_softmax(dim=1).gather(1, y[:, None]).mean()
