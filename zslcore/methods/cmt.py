"""CMT and CMT*: zero-shot learning through cross-modal transfer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from scipy.special import erf
from sklearn.neighbors import NearestNeighbors

from zslcore.exceptions import ParameterError
from zslcore.features import Features, project, squared_distances
from zslcore.methods._sgd import EpochModel, TrainingRows, mean_square, on_device
from zslcore.methods.base import MethodCard, Params, Scoring, Share


@dataclass(eq=False, repr=False)
class CMT(EpochModel):
    r"""Network with one hidden layer that maps an image to the prototype of its class.

    .. math::
        \min_{W_1, b_1, W_2, b_2} \; \frac{1}{N} \sum_n \lVert s_{y_n} - z_n \rVert^2, \qquad
        z = W_1 \tanh(W_2 x + b_2) + b_1

    and the nearest prototype is predicted, :math:`F(x, c) = -\lVert z - s_c \rVert^2` [1]_. The
    paper's formula has no biases; the authors' code has them. The paper minimises with L-BFGS over
    all images at once; this class uses Adam on mini-batches, and the number of epochs, chosen on
    the folds, is the only regularisation. Internally, features are scaled to unit mean square, and
    prototypes are centred and then scaled to unit mean square: one learning rate suits any scaling.
    The mean of the prototypes is the initial :math:`b_1`, so the network only learns differences
    between classes.

    Parameters
    ----------
    learning_rate : learning rate of Adam
    random_state : seed of the initial weights and of the order of the images

    Attributes
    ----------
    W1_, b1_ : ndarrays of shape (n_attributes, hidden) and (n_attributes,)
    W2_, b2_ : ndarrays of shape (hidden, n_features) and (hidden,)

    References
    ----------
    .. [1] R. Socher, M. Ganjoo, C. Manning, A. Ng, "Zero-shot learning through cross-modal
       transfer", NIPS 2013.
    """

    card = MethodCard(
        name="CMT",
        year=2013,
        family="neural",
        title="Zero-shot learning through cross-modal transfer",
        authors="Socher, Ganjoo, Manning, Ng",
        url="https://arxiv.org/abs/1301.3666",
        idea="A small network maps an image to the prototype of its class; the nearest one wins.",
        formula=r"z = W_1 \tanh(W_2 x + b_2) + b_1,\; \min \sum_n \lVert s_{y_n} - z_n \rVert^2,"
        r"\quad F(x, c) = -\lVert z - s_c \rVert^2",
        stochastic=True,
        extra="torch",
    )
    revision = 2
    param_grid: ClassVar = {"epochs": (2, 5, 10, 20)}
    predicted_attributes = "regressed"

    hidden: int = 100
    learning_rate: float = 1e-3
    epochs: int = 20
    batch_size: int = 64
    device: Literal["cpu", "cuda"] = "cpu"
    random_state: int = 0

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the negative squared distance to each prototype; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return -squared_distances(self._embed(X), S)

    def _attributes(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield the outputs of the network for the test rows."""
        for model in self.fit_grid(scoring.X, scoring.y, scoring.S, grid):
            yield model._embed(model._check_scoring(scoring.X_test, scoring.S)[0])

    def _embed(self, X: Features) -> np.ndarray:
        """Return the outputs of the network for ``X``, shape (n_samples, n_attributes)."""
        return np.tanh(project(X, self.W2_.T) + self.b2_) @ self.W1_.T + self.b1_

    def _epochs(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, stops: Sequence[int]
    ) -> Iterator[int]:
        X, y, S = self._check_training(X, y, prototypes)
        (N, D), A, device = X.shape, S.shape[1], on_device(self.card.name, self.device)
        import torch

        put = partial(torch.tensor, dtype=torch.float32, device=device)
        rng, rows = np.random.default_rng(self.random_state), TrainingRows(X, device)
        mean = S[y].mean(axis=0)
        x_scale, s_scale = np.sqrt(D / rows.mean_square), np.sqrt(A / mean_square(S - mean))
        target = put((S - mean) * s_scale)[torch.as_tensor(y, device=device)]
        W1, W2 = (
            put(rng.normal(size=(m, n)) / np.sqrt(n), requires_grad=True)
            for m, n in ((A, self.hidden), (self.hidden, D))
        )
        b1, b2 = (put(np.zeros(n), requires_grad=True) for n in (A, self.hidden))
        adam = torch.optim.Adam([W1, W2, b1, b2], lr=self.learning_rate)
        for epoch in range(1, max(stops) + 1):
            loss, order = put(0.0), rng.permutation(N)
            for b in np.split(order, range(self.batch_size, N, self.batch_size)):
                Z = torch.tanh(rows[b] * x_scale @ W2.T + b2) @ W1.T + b1
                error = (target[torch.as_tensor(b, device=device)] - Z).square().sum()
                adam.zero_grad()
                (error / len(b)).backward()
                adam.step()
                loss += error.detach()
            self._report(epoch, loss / N / s_scale**2)
            if epoch in stops:
                learned = [p.detach().cpu().numpy().astype(float) for p in (W1, b1, W2, b2)]
                self.W1_, self.b1_ = learned[0] / s_scale, learned[1] / s_scale + mean
                self.W2_, self.b2_ = learned[2] * x_scale, learned[3]
                yield epoch


@dataclass(eq=False, repr=False)
class CMTStar(CMT):
    r"""CMT with a novelty detector that separates images of seen and unseen classes.

    Let :math:`z` be the output of the network for an image. The two detectors of the paper [1]_
    define the novelty :math:`\nu(x)` of the image:

    - "gaussian": an isotropic Gaussian around the prototype of each seen class, with the variance
      of the training images of the class around it; novelty is the smallest distance, in standard
      deviations:

      .. math:: \nu(x) = \min_c \frac{\lVert z - s_c \rVert}{\sigma_c \sqrt{d}}, \qquad
                \sigma_c^2 = \frac{1}{n_c d} \sum_{y_n = c} \lVert z_n - s_c \rVert^2

    - "loop": the smallest local outlier probability [2]_ over the seen classes. With
      :math:`\rho_c(z)` the root mean squared distance to :math:`N_c(z)`, the :math:`k` nearest
      training images of class :math:`c`,

      .. math:: \nu(x) = \min_c \, \max\Big(0, \mathrm{erf} \frac{\ell_c(z)}{\sqrt{2} \, \lambda \,
                \sqrt{\mathrm{mean}_{y_n = c} \, \ell_c(z_n)^2}}\Big), \qquad
                \ell_c(z) = \frac{\rho_c(z)}{\mathrm{mean}_{q \in N_c(z)} \, \rho_c(q)} - 1

    An image is assigned to the seen classes if :math:`\nu(x) < t - \gamma`, otherwise to the unseen
    classes; :math:`t` is a quantile of the novelty of training images, and :math:`\gamma` is chosen
    on the folds. Among the seen or unseen classes, the nearest prototype is predicted, as in CMT.
    Scores are the same as in CMT: the detector applies only between seen and unseen classes,
    through ``seen_penalty``.

    Parameters
    ----------
    detector : "gaussian" or "loop", default="gaussian"
        In the paper, each Gaussian has a separate threshold, below which a fixed share of its
        training images lies. Here, all Gaussians have the same threshold in units of their standard
        deviations, so novelty ranks images without ties. The paper weights a seen and an unseen
        classifier by the outlier probability; the benchmark [3]_ and this package use only the
        classifier of the more probable side.
    coverage : float, default=0.95
        Share of the training images below the threshold :math:`t`, between 0 and 1. Training images
        are nearer to their prototype than other images of their class, so with :math:`\gamma = 0`
        too many images count as novel; a gamma chosen on images outside the training set corrects
        for this.
    k : number of neighbours of "loop" within a class; all other images if a class has fewer
    lam : float, default=3.0
        :math:`\lambda` of "loop"; the paper tries 1 to 13. The authors' code has one value per
        class; here all classes have the same value, which multiplies the deviation of each class.
        :math:`\lambda` changes the scale of the probabilities and not their order, so only the
        threshold depends on it.
    hidden, learning_rate, epochs, batch_size, device, random_state : see CMT

    Attributes
    ----------
    W1_, b1_, W2_, b2_ : see CMT
    detector_ : Gaussians or LocalOutliers
    threshold_ : float, :math:`t`

    References
    ----------
    .. [1] R. Socher, M. Ganjoo, C. Manning, A. Ng, "Zero-shot learning through cross-modal
       transfer", NIPS 2013.
    .. [2] H.-P. Kriegel, P. Kroger, E. Schubert, A. Zimek, "LoOP: local outlier probabilities",
       CIKM 2009.
    .. [3] Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive
       evaluation of the good, the bad and the ugly", TPAMI 2019.
    """

    card = MethodCard(
        name="CMT*",
        year=2013,
        family="neural",
        title="Zero-shot learning through cross-modal transfer",
        authors="Socher, Ganjoo, Manning, Ng",
        url="https://arxiv.org/abs/1301.3666",
        idea="CMT with a novelty detector that first decides between seen and unseen classes.",
        formula=r"\hat y = \arg\min_{c \in \mathcal{C}} \lVert z - s_c \rVert,\; \mathcal{C} ="
        r" \mathcal{C}_s \text{ if } \nu(x) < t - \gamma \text{ else } \mathcal{C}_u",
        stochastic=True,
        extra="torch",
    )

    variants = ({"detector": "gaussian"}, {"detector": "loop"})
    detector: Literal["gaussian", "loop"] = "gaussian"
    coverage: Share = 0.95
    k: int = 20
    lam: float = 3.0

    def seen_penalty(self, X: Features) -> np.ndarray:
        """Return novelty minus the threshold, shape (n_samples,): positive for novel images."""
        X, _ = self._check_scoring(X, np.empty((0, getattr(self, "n_attributes_in_", 0))))
        return self.detector_.novelty(self._embed(X)) - self.threshold_

    def _check_params(self) -> None:
        super()._check_params()
        if not 0 < self.coverage < 1:
            raise ParameterError(f"CMT*: coverage must lie between 0 and 1; got {self.coverage}.")

    def _epochs(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, stops: Sequence[int]
    ) -> Iterator[int]:
        X, y, S = self._check_training(X, y, prototypes)
        for epoch in super()._epochs(X, y, S, stops):
            Z = self._embed(X)
            self.detector_: Gaussians | LocalOutliers = (
                Gaussians(Z, y, S)
                if self.detector == "gaussian"
                else LocalOutliers(Z, y, self.k, self.lam)
            )
            self.threshold_ = float(np.quantile(self.detector_.training_novelty, self.coverage))
            yield epoch


class Gaussians:
    """Distance to the nearest class in standard deviations of the class; see :class:`CMTStar`.

    ``Z`` are the embedded training images, ``y`` their classes as rows of ``S``.
    ``training_novelty`` is the novelty of the training images.
    """

    def __init__(self, Z: np.ndarray, y: np.ndarray, S: np.ndarray) -> None:
        n_c = np.bincount(y, minlength=len(S))
        squares = np.bincount(y, ((Z - S[y]) ** 2).sum(axis=1), len(S))
        self.S, self.radius = S[n_c > 0], np.sqrt(squares[n_c > 0] / n_c[n_c > 0])
        self.radius = np.maximum(self.radius, np.finfo(float).tiny)
        self.training_novelty = self.novelty(Z)

    def novelty(self, Z: np.ndarray) -> np.ndarray:
        """Return the novelty of embedded images, shape (n_samples,)."""
        distance = np.sqrt(np.maximum(squared_distances(Z, self.S), 0))
        return (distance / self.radius).min(axis=1)


class LocalOutliers:
    """Smallest local outlier probability over the seen classes; see :class:`CMTStar`.

    Classes with one image have no density. ``training_novelty`` is the novelty of the training
    images ``Z``.
    """

    def __init__(self, Z: np.ndarray, y: np.ndarray, k: int, lam: float) -> None:
        rows = [np.flatnonzero(y == c) for c in np.unique(y)]
        rows = [of_class for of_class in rows if len(of_class) > 1]
        if not rows:
            raise ParameterError(
                "CMT*: 'loop' needs a class with at least two training images; got none."
            )
        self.densities = [ClassDensity(Z[of_class], k, lam) for of_class in rows]
        probabilities = self._probabilities(Z)
        for column, of_class, density in zip(probabilities, rows, self.densities, strict=True):
            column[of_class] = density.training_novelty  # an image is not its own neighbour here
        self.training_novelty = probabilities.min(axis=0)

    def novelty(self, Z: np.ndarray) -> np.ndarray:
        """Return the novelty of embedded images, shape (n_samples,)."""
        return self._probabilities(Z).min(axis=0)

    def _probabilities(self, Z: np.ndarray) -> np.ndarray:
        return np.array([density.outlier_probability(Z) for density in self.densities])


class ClassDensity:
    """Density of the embedded training images ``Z`` of one class; see :class:`CMTStar`.

    ``lam`` scales the deviation in the outlier probability; ``training_novelty`` is the outlier
    probability of the images ``Z`` in their class.
    """

    def __init__(self, Z: np.ndarray, k: int, lam: float) -> None:
        k = min(k, len(Z) - 1)
        self.context = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(Z)
        distance, near = self.context.kneighbors()  # excludes the image itself
        self.rho = _root_mean_square(distance)
        ell = self._ell(self.rho, near)
        self.scale = np.sqrt(2) * lam * float(_root_mean_square(ell)) or 1.0
        self.training_novelty = self._probability(ell)

    def outlier_probability(self, Z: np.ndarray) -> np.ndarray:
        """Return the probability that embedded images are outside the class: shape (n_samples,)."""
        distance, near = self.context.kneighbors(Z)
        return self._probability(self._ell(_root_mean_square(distance), near))

    def _ell(self, rho: np.ndarray, near: np.ndarray) -> np.ndarray:
        around = self.rho[near].mean(axis=1)
        return rho / np.maximum(around, np.finfo(float).tiny) - 1

    def _probability(self, ell: np.ndarray) -> np.ndarray:
        return np.maximum(0, erf(ell / self.scale))


def _root_mean_square(a: np.ndarray) -> np.ndarray:
    return np.sqrt((a**2).mean(axis=-1))
