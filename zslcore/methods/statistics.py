r"""Class statistics and the eigen-decompositions that closed-form methods share.

Every closed form needs the data only through sums over samples: how many there are of each class,
their sum, and the Gram matrix :math:`G = X^\top X`. They are gathered in one pass over blocks of
rows, and they add up: the statistics of two sets of rows are those of both together, ``a + b``.
With :math:`G = U \, \mathrm{diag}(g) \, U^\top` a ridge solution for any weight is

.. math:: (G + \lambda I)^{-1} B = U \, \mathrm{diag}\!\left(\frac{1}{g + \lambda}\right) U^\top B,

so that a whole grid of weights costs one decomposition and small products. Where the grid is short,
a Cholesky factor for each weight is cheaper still; :func:`ridge_path` takes the better way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.linalg import blas, cho_factor, cho_solve, eigh
from scipy.sparse import csr_array

from zslcore.features import Features, chunks

#: Weights up to which factors are cheaper: a decomposition takes as long as 14 (n = 2,048) to 19
#: (n = 4,096) Cholesky factors and solutions on two cores.
FEW_WEIGHTS = 14


@dataclass(frozen=True, slots=True, eq=False)
class ClassStatistics:
    r"""Counts of the samples of each class, :math:`n_c`, and their sums, :math:`Y^\top X`.

    ``sums`` has shape (n_classes, n_features).
    """

    counts: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Gather the statistics in one pass; float64 whatever ``X`` holds."""
        sums = np.zeros((n_classes, X.shape[1]))
        for part, block in chunks(X):
            sums += one_hot(y[part], n_classes) @ block
        return cls(class_counts(y, n_classes), sums)

    def __add__(self, other: Self) -> Self:
        """Return the statistics of both sets of samples together."""
        return replace(self, counts=self.counts + other.counts, sums=self.sums + other.sums)

    @property
    def n_samples(self) -> float:
        """Number of samples, the N of the formulas."""
        return self.counts.sum()

    @property
    def means(self) -> np.ndarray:
        """Mean of every class, shape (n_classes, n_features); zeros where there is no sample."""
        return self.sums / np.maximum(self.counts, 1)[:, None]

    def semantic_gram(self, S: np.ndarray) -> np.ndarray:
        r"""Return :math:`S_y^\top S_y = \sum_c n_c \, s_c s_c^\top`, shape (n_attributes,) * 2."""
        return (S.T * self.counts) @ S

    def cross(self, S: np.ndarray) -> np.ndarray:
        r"""Return :math:`S_y^\top X = \sum_c s_c (\sum_{i \in c} x_i)^\top`, (n_attributes, D)."""
        return S.T @ self.sums


@dataclass(frozen=True, slots=True, eq=False)
class GramStatistics(ClassStatistics):
    r"""Class statistics with the Gram matrix :math:`X^\top X`, the most expensive of the three."""

    gram: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Gather the statistics in one pass; see :meth:`ClassStatistics.of`."""
        D = X.shape[1]
        sums, G = np.zeros((n_classes, D)), np.zeros((D, D), order="F")
        for part, block in chunks(X):
            sums += one_hot(y[part], n_classes) @ block
            # Adds to the upper triangle in place: half the work and no D x D temporary.
            G = blas.dsyrk(1.0, block.T, beta=1.0, c=G, overwrite_c=True)
        mirror_upper(G)
        return cls(class_counts(y, n_classes), sums, G)

    def __add__(self, other: Self) -> Self:
        """Return the statistics of both sets of samples together."""
        # Named, since a class with slots is made anew and super() would not find it.
        both = ClassStatistics.__add__(self, other)
        return replace(both, gram=self.gram + other.gram)


@dataclass(frozen=True, slots=True, eq=False)
class MomentStatistics(ClassStatistics):
    r"""Class statistics with the scatter of every feature around its class mean.

    ``scatter`` of shape (n_classes, n_features) is :math:`\sum_{i \in c} (x_i - \mu_c)^2`. Sums of
    squares around zero would cancel where a mean is large compared to the deviation. Scatter around
    means adds up without that [1]_: to the sum of both comes
    :math:`(\mu_a - \mu_b)^2 \, n_a n_b / (n_a + n_b)`.

    References
    ----------
    .. [1] T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing
       sample variances", COMPSTAT 1982.
    """

    scatter: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> MomentStatistics:
        """Gather the statistics in one pass; see :meth:`ClassStatistics.of`."""
        moments = MomentSums(n_classes, X.shape[1])
        for part, block in chunks(X):
            moments.take(block, y[part])
        return moments.result()

    @property
    def variances(self) -> np.ndarray:
        """Variance of every feature in every class; zeros where there is no sample."""
        return self.scatter / np.maximum(self.counts, 1)[:, None]

    def __add__(self, other: Self) -> Self:
        """Return the statistics of both sets of samples together."""
        both = ClassStatistics.__add__(self, other)
        share = self.counts * other.counts / np.maximum(both.counts, 1)
        between = share[:, None] * (self.means - other.means) ** 2
        return replace(both, scatter=self.scatter + other.scatter + between)


class MomentSums:
    r"""Sums over samples as they come, from which :class:`MomentStatistics` are made.

    Every class is measured from a point near its mean, that of its samples in the first block it is
    in, so that nothing cancels: with :math:`d_i = x_i - p_c` the scatter is
    :math:`\sum d_i^2 - (\sum d_i)^2 / n_c`.
    """

    def __init__(self, n_classes: int, n_features: int) -> None:
        self.counts = np.zeros(n_classes)
        self.points, self.sums, self.squares = np.zeros((3, n_classes, n_features))

    def take(self, block: np.ndarray, y: np.ndarray) -> None:
        """Add samples, float64 of shape (n, n_features), at the cost of the classes they are of."""
        classes, local = np.unique(y, return_inverse=True)
        Y, counts = one_hot(local, len(classes)), class_counts(local, len(classes))
        new = self.counts[classes] == 0
        if new.any():
            self.points[classes[new]] = (Y @ block)[new] / counts[new, None]
        deviation = self.points[y]
        np.subtract(block, deviation, out=deviation)
        self.counts[classes] += counts
        self.sums[classes] += Y @ deviation
        self.squares[classes] += Y @ np.square(deviation, out=deviation)

    def result(self) -> MomentStatistics:
        """Return the statistics of all samples so far."""
        n = np.maximum(self.counts, 1)[:, None]
        scatter = np.maximum(self.squares - self.sums**2 / n, 0)
        return MomentStatistics(
            self.counts, self.sums + self.counts[:, None] * self.points, scatter
        )


def one_hot(y: np.ndarray, n_classes: int) -> csr_array:
    r"""Return :math:`Y^\top` of shape (n_classes, n_samples), 1 where a sample is of the class."""
    n = len(y)
    return csr_array((np.ones(n), (y, np.arange(n))), shape=(n_classes, n))


def class_counts(y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return how many samples of each class there are, as floats."""
    return np.bincount(y, minlength=n_classes).astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Eigenvalues (not negative, increasing) and eigenvectors (columns) of a symmetric matrix."""

    values: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, A: np.ndarray, *, overwrite: bool = False) -> Spectrum:
        """Decompose ``A``, symmetric of shape (n, n); rounding below zero is cut off.

        With ``overwrite`` the memory of ``A`` is used for the eigenvectors.
        """
        values, vectors = eigh(A, driver="evd", check_finite=False, overwrite_a=overwrite)
        return cls(np.maximum(values, 0), vectors)


def ridge(A: np.ndarray, weight: float) -> np.ndarray:
    """Return ``A + weight * I``, made in place: a square of features is large."""
    A.flat[:: len(A) + 1] += weight
    return A


def ridge_path(G: np.ndarray, weights: Sequence[float], B: np.ndarray) -> Iterator[np.ndarray]:
    """Yield :math:`(G + w I)^{-1} B` for every positive weight; G is positive semi-definite."""
    if len(weights) <= FEW_WEIGHTS:
        for w in weights:
            factor = cho_factor(ridge(G.copy(order="F"), w), overwrite_a=True, check_finite=False)
            yield cho_solve(factor, B, check_finite=False)
    else:
        spectrum = Spectrum.of(G)
        U, K = spectrum.vectors, spectrum.vectors.T @ B
        for w in weights:
            yield U @ (K / (spectrum.values[:, None] + w))


def mirror_upper(G: np.ndarray) -> None:
    """Copy the upper triangle of ``G`` to its lower one, a column at a time."""
    for j in range(len(G)):
        G[j + 1 :, j] = G[j, j + 1 :]
