"""GFZSL: a simple exponential family framework for zero-shot learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.linalg import solve
from sklearn.base import clone

from zslcore.features import Features, chunks, positions
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.score_map import ScoreMap
from zslcore.methods.statistics import MomentStatistics, ridge

#: Maximum number of scores per pass over the test images (128 MiB), unless a single grid point
#: needs more.
MAX_SCORES = 1 << 24


@dataclass(eq=False, repr=False)
class GFZSL(ZSLEstimator):
    r"""Gaussian classes with means and variances predicted from prototypes.

    Two kernel ridge regressions on prototypes predict the means and log-variances of classes; they
    are fitted to the means and log-variances of the seen classes, the rows of :math:`M` and
    :math:`R` [1]_:

    .. math::
        \mu_c = k_c^\top (K + \lambda_1 I)^{-1} M, \qquad
        \log \sigma_c^2 = k_c^\top (K + \lambda_2 I)^{-1} R, \qquad
        F(x, c) = \log \mathcal{N}(x; \, \mu_c, \mathrm{diag}(\sigma_c^2))

    with :math:`K_{ij} = k(s_i, s_j)` for seen prototypes and :math:`(k_c)_i = k(s_i, s_c)` for a
    candidate :math:`c`.

    Parameters
    ----------
    lam_mean : float, default=1.0
        Ridge weight for the means, :math:`\lambda_1 > 0`; the authors' code uses 0.01 to 1.
    lam_variance : float, default=1e12
        Ridge weight for the log-variances, :math:`\lambda_2 > 0`. The authors' code uses 1e7 to
        1e8, so that all predicted log-variances are 0 and the class with the nearest predicted
        mean is predicted. These values are for unscaled network features: if distances between
        images are below 1, the sum of thousands of small log-variances still matters at 1e7, so the
        grid has larger values.
    kernel : "quadratic" or "linear", default="quadratic"
        :math:`(1 + s^\top s')^2` as in the authors' code, or :math:`s^\top s'`, the linear model of
        the paper.
    floor : float, default=1e-6
        Lower bound of the variances of a seen class, :math:`> 0`. Features after a ReLU can
        be constant in a class, and the paper does not define the logarithm of 0.
    seen : "predicted" or "estimated", default="predicted"
        Gaussian of a seen candidate: predicted from its prototype, as for an unseen class, or
        estimated from its images, as in the paper. Estimated variances are far smaller than
        predicted variances, so that hardly any image of an unseen class is predicted as unseen: the
        benchmark prints u = 0.0 and H = 0.0 on CUB. Without seen candidates the choice does not
        matter.

    Attributes
    ----------
    S_ : ndarray of shape (n_seen_classes, n_attributes), prototypes of classes with samples
    mean_weights_, variance_weights_ : ndarrays of shape (n_seen_classes, n_features)
        :math:`(K + \lambda_1 I)^{-1} M` and :math:`(K + \lambda_2 I)^{-1} R`.
    means_, variances_ : ndarrays of shape (n_seen_classes, n_features)
        Means and variances of the images of seen classes; variances are at least ``floor``.

    Notes
    -----
    By default, the Gaussian of a seen candidate is predicted from its prototype, so that the same
    rule applies to seen and unseen classes; with small ridge weights it equals the estimated
    Gaussian.

    References
    ----------
    .. [1] V. Verma, P. Rai, "A simple exponential family framework for zero-shot learning",
       ECML 2017.
    """

    card = MethodCard(
        name="GFZSL",
        year=2017,
        family="generative",
        title="A simple exponential family framework for zero-shot learning",
        authors="Verma, Rai",
        url="https://arxiv.org/abs/1707.08040",
        idea="Predict the Gaussian of a class from its prototype; the most likely class wins.",
        formula=r"\mu_c = k_c^\top (K + \lambda_1 I)^{-1} M,\;"
        r" \log \sigma_c^2 = k_c^\top (K + \lambda_2 I)^{-1} R,\;"
        r" F(x, c) = \log \mathcal{N}(x; \mu_c, \sigma_c^2)",
        departure="the Gaussians of seen classes are also predicted; if they are estimated from "
        "images, as in the paper, hardly any image of an unseen class is recognised among all "
        "classes",
    )
    revision = 2
    param_grid: ClassVar = {
        "lam_mean": (1e-3, 1e-2, 0.1, 1.0),
        "lam_variance": (1e7, 1e12),
    }
    regularizers: ClassVar = {"lam_mean": "stronger", "lam_variance": "stronger"}

    lam_mean: float = 1.0
    lam_variance: float = 1e12
    kernel: Literal["quadratic", "linear"] = "quadratic"
    floor: float = 1e-6
    seen: Literal["predicted", "estimated"] = "predicted"

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit both regressions on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        return self._solve(MomentStatistics.of(X, y, len(S)), S)

    def predict_gaussians(self, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return means and variances for ``prototypes``, both of shape (n, n_features)."""
        k = self._kernel(np.asarray(prototypes, dtype=np.float64), self.S_)
        return k @ self.mean_weights_, np.exp(k @ self.variance_weights_)

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return log densities; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return log_density(X, *self._gaussians(S))

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return log densities as products with :math:`(x, x^2)`; see :class:`ZSLEstimator`."""
        linear, precisions, constant = _log_density_terms(
            *self._gaussians(self._check_candidates(prototypes))
        )
        return ScoreMap(_append_squares, (), np.hstack([linear, -precisions / 2]), -constant / 2)

    def _gaussians(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the Gaussians of candidates; for seen classes they are those of ``seen``."""
        means, variances = self.predict_gaussians(S)
        if self.seen == "estimated":
            at = positions(S, self.S_)
            means[at >= 0] = self.means_[at[at >= 0]]
            variances[at >= 0] = self.variances_[at[at >= 0]]
        return means, variances

    def _score_each(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid from class moments that are computed once.

        Consecutive points that differ only in ``lam_mean`` share the products with their common
        variances.
        """
        statistics = MomentStatistics.of(scoring.X, scoring.y, len(scoring.S))
        models = (clone(self).set_params(**params)._solve(statistics, scoring.S) for params in grid)
        at_once = max(1, MAX_SCORES // max(1, len(scoring.X_test) * len(scoring.candidates)))
        for _, group in groupby(models, key=GFZSL._group_key):
            while batch := list(islice(group, at_once)):
                T, C = batch[0]._check_scoring(scoring.X_test, scoring.candidates)
                means, variances = zip(*(model._gaussians(C) for model in batch), strict=True)
                yield from log_densities(T, means, variances[0])

    def _group_key(self) -> Params:
        return {name: value for name, value in self.get_params().items() if name != "lam_mean"}

    def _solve(self, statistics: MomentStatistics, S: np.ndarray) -> Self:
        self.n_features_in_, self.n_attributes_in_ = statistics.sums.shape[1], S.shape[1]
        present = statistics.counts > 0
        self.S_, self.means_ = S[present], statistics.means[present]
        self.variances_ = np.maximum(statistics.variances[present], self.floor)
        K, M, R = self._kernel(self.S_, self.S_), self.means_, np.log(self.variances_)
        self.mean_weights_ = solve(ridge(K.copy(), self.lam_mean), M, assume_a="pos")
        self.variance_weights_ = solve(ridge(K, self.lam_variance), R, assume_a="pos")
        return self

    def _kernel(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return A @ B.T if self.kernel == "linear" else (1 + A @ B.T) ** 2


def log_density(X: Features, means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return the log density of each row of ``X`` under each diagonal Gaussian."""
    return log_densities(X, [means], variances)[0]


def log_densities(X: Features, means: Sequence[np.ndarray], variances: np.ndarray) -> np.ndarray:
    """Return log densities for several sets of means with common variances, in one pass.

    Means and variances have shape (n_classes, n_features), the result (n_sets, n_samples,
    n_classes).
    """
    linear, precisions, constant = zip(
        *(_log_density_terms(mean, variances) for mean in means), strict=True
    )
    L, c = np.vstack(linear), np.stack(constant)[:, None]
    out = np.empty((len(means), len(X), len(variances)))
    for part, block in chunks(X):
        products = (block @ L.T).reshape(len(block), len(means), -1).transpose(1, 0, 2)
        out[:, part] = products - (block**2 @ precisions[0].T + c) / 2
    return out


def _log_density_terms(
    means: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the linear, quadratic and constant terms of each log density."""
    precisions = 1 / variances
    constant = np.einsum("cd,cd->c", means**2, precisions)
    constant += np.log(variances).sum(axis=1) + means.shape[1] * np.log(2 * np.pi)
    return means * precisions, precisions, constant


def _append_squares(x: np.ndarray) -> np.ndarray:
    return np.hstack([x, x**2])
