"""GFZSL-tran: Gaussians predicted from prototypes, then fitted to the test images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.special import logsumexp, softmax

from zslcore.features import Features, chunks, positions
from zslcore.methods.base import MethodCard, Scoring, TransductiveEstimator
from zslcore.methods.gfzsl import GFZSL, log_density


@dataclass(eq=False, repr=False)
class GFZSLTran(TransductiveEstimator):
    r"""Gaussian mixture fitted to the unlabelled test images, starting at the Gaussians of GFZSL.

    Expectation-maximisation over the candidates, with equal weights [1]_; :math:`r_{nc}` is the
    responsibility of class :math:`c` for image :math:`n`:

    .. math::
        r_{nc} = \frac{\mathcal{N}(x_n; \mu_c, \sigma_c^2)}
                      {\sum_q \mathcal{N}(x_n; \mu_q, \sigma_q^2)}, \qquad
        \mu_c = \frac{\sum_n r_{nc} x_n}{\sum_n r_{nc}}, \qquad
        \sigma_c^2 = \max\!\left(\epsilon, \;
        \frac{\sum_n r_{nc} (x_n - \mu_c)^2}{\sum_n r_{nc}}\right)

    Parameters
    ----------
    lam_mean, lam_variance, kernel : the settings of :class:`~zslcore.methods.gfzsl.GFZSL`
    assignment : "hard" or "soft", default="hard"
        Each image belongs to its most likely class (:math:`r` is 0 or 1), or to all classes in
        part. The authors' settings start at unit variances; for images of unit length, soft
        responsibilities are then almost equal, and all means coincide after the first step.
    covariance : "tied" or "diagonal", default="tied"
        One diagonal for all classes, or one per class as in the paper. With fewer images per class
        than features, variances per class describe the sample more than the class.
    n_iter : maximum number of rounds; the fit ends when a round changes no responsibility
    floor : float, default=1e-6
        :math:`\epsilon > 0`, lower bound of the variances on the diagonal of the covariance. A
        public implementation adds it to all entries of the covariance instead.

    Attributes
    ----------
    inductive_ : GFZSL, the fitted start
    candidates_ : ndarray of shape (n_candidates, n_attributes)
    means_, variances_ : ndarrays of shape (n_candidates, n_features)
    log_likelihood_ : list of float
        Mean log-likelihood per image at the start of each round: under the mixture or, for hard
        assignment, under the Gaussian of its most likely class. It never falls.

    Notes
    -----
    A class without images keeps its previous mean and, for "diagonal", its variances. A prototype
    that was not among the candidates is scored by the Gaussian predicted from it.

    References
    ----------
    .. [1] V. Verma, P. Rai, "A simple exponential family framework for zero-shot learning",
       ECML 2017, section 3.4.
    """

    card = MethodCard(
        name="GFZSL-tran",
        year=2017,
        family="generative",
        title="A simple exponential family framework for zero-shot learning",
        authors="Verma, Rai",
        url="https://arxiv.org/abs/1707.08040",
        idea="Start from the Gaussians predicted from prototypes; move them to the test images.",
        formula=r"r_{nc} \propto \mathcal{N}(x_n; \mu_c, \sigma_c^2),\;"
        r" \mu_c = \sum_n r_{nc} x_n / \sum_n r_{nc},\; F(x, c) = \log \mathcal{N}(x; \mu_c,"
        r" \sigma_c^2)",
        requires="the unlabelled test images",
        transductive=True,
    )
    param_grid: ClassVar = {"lam_mean": (0.01, 0.1, 1.0), "n_iter": (1, 3, 10)}

    lam_mean: float = 0.1
    lam_variance: float = 1e12
    kernel: Literal["quadratic", "linear"] = "quadratic"
    assignment: Literal["hard", "soft"] = "hard"
    covariance: Literal["tied", "diagonal"] = "tied"
    n_iter: int = 10
    floor: float = 1e-6

    def _fit(self, scoring: Scoring) -> Self:
        """Fit GFZSL on seen classes, then the mixture of the candidates on unlabelled images."""
        unlabeled, self.candidates_ = scoring.X_test, scoring.candidates
        start = self.inductive()
        self.inductive_ = start.fit(scoring.X, scoring.y, scoring.S)
        self.means_, self.variances_ = start.predict_gaussians(self.candidates_)
        self.log_likelihood_: list[float] = []
        last: np.ndarray | None = None
        for _ in range(self.n_iter):
            r = self._assign(log_density(unlabeled, self.means_, self.variances_))
            if last is not None and np.array_equal(r, last):
                break
            self._move(unlabeled, r)
            last = r
        return self

    def inductive(self) -> GFZSL:
        """Return the unfitted GFZSL from which the mixture starts."""
        return GFZSL(self.lam_mean, self.lam_variance, self.kernel, self.floor)

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return log densities; see :class:`~zslcore.methods.base.ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        means, variances = self.inductive_.predict_gaussians(S)
        rows = positions(S, self.candidates_)
        is_candidate = rows >= 0
        means[is_candidate], variances[is_candidate] = (
            self.means_[rows[is_candidate]],
            self.variances_[rows[is_candidate]],
        )
        return log_density(X, means, variances)

    def _assign(self, F: np.ndarray) -> np.ndarray:
        """Return the responsibilities r, (n_samples, n_candidates), and record the likelihood."""
        if self.assignment == "soft":
            self.log_likelihood_.append(float(logsumexp(F, axis=1).mean()))
            return softmax(F, axis=1)
        self.log_likelihood_.append(float(F.max(axis=1).mean()))
        return (F.argmax(axis=1)[:, None] == np.arange(F.shape[1])).astype(float)

    def _move(self, X: Features, r: np.ndarray) -> None:
        """Fit the Gaussians to images weighted by r: the M step."""
        weight = r.sum(axis=0)
        has_images = weight > 1e-9
        divisor = np.where(has_images, weight, 1)[:, None]
        sums = sum(r[part].T @ block for part, block in chunks(X))
        self.means_ = np.where(has_images[:, None], sums / divisor, self.means_)
        squares = np.zeros_like(self.means_)
        for part, block in chunks(X):
            # Subtract a point near all images, to avoid cancellation in the difference below.
            block = block - self.means_.mean(axis=0)
            centred = self.means_ - self.means_.mean(axis=0)
            squares += r[part].T @ block**2 - 2 * (r[part].T @ block) * centred
            squares += r[part].sum(axis=0)[:, None] * centred**2
        if self.covariance == "tied":
            tied = np.maximum(squares.sum(axis=0) / weight.sum(), self.floor)
            self.variances_ = np.broadcast_to(tied, self.means_.shape).copy()
        else:
            variances = np.maximum(squares / divisor, self.floor)
            self.variances_ = np.where(has_images[:, None], variances, self.variances_)
