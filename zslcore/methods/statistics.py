r"""Class statistics and eigendecompositions for closed-form methods.

Closed forms depend on the data only through sums over samples: the counts and sums of each class,
and the Gram matrix :math:`G = X^\top X`. They are computed in one pass over blocks of rows. With
:math:`G = U \, \mathrm{diag}(g) \, U^\top` the ridge solution for any weight is

.. math:: (G + \lambda I)^{-1} B = U \, \mathrm{diag}\!\left(\frac{1}{g + \lambda}\right) U^\top B,

so a grid of weights costs one decomposition and small products. For a short grid, one Cholesky
factor per weight is cheaper; :func:`ridge_path` chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas, cho_factor, cho_solve, eigh
from scipy.sparse import csr_array

from zslcore.features import Features, chunks

#: Maximum number of weights for Cholesky factors: on two cores, a decomposition takes as long as 14
#: (n = 2,048) to 19 (n = 4,096) Cholesky factors and their solutions.
MAX_CHOLESKY_WEIGHTS = 14


@dataclass(frozen=True, slots=True, eq=False)
class ClassStatistics:
    r"""Counts :math:`n_c` and sums :math:`Y^\top X` of the samples of each class.

    ``sums`` has shape (n_classes, n_features).
    """

    counts: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Compute the statistics in one pass, as float64 for any type of ``X``."""
        sums = np.zeros((n_classes, X.shape[1]))
        for part, block in chunks(X):
            sums += one_hot(y[part], n_classes) @ block
        return cls(class_counts(y, n_classes), sums)

    @property
    def n_samples(self) -> float:
        """Number of samples, N in the formulas."""
        return self.counts.sum()

    @property
    def means(self) -> np.ndarray:
        """Mean of each class, shape (n_classes, n_features); zeros for classes without samples."""
        return self.sums / np.maximum(self.counts, 1)[:, None]

    def semantic_gram(self, S: np.ndarray) -> np.ndarray:
        r"""Return :math:`S_y^\top S_y = \sum_c n_c \, s_c s_c^\top`, shape (n_attributes,) * 2."""
        return (S.T * self.counts) @ S

    def cross(self, S: np.ndarray) -> np.ndarray:
        r"""Return :math:`S_y^\top X`, shape (n_attributes, n_features).

        It is :math:`\sum_c s_c (\sum_{i \in c} x_i)^\top`.
        """
        return S.T @ self.sums


@dataclass(frozen=True, slots=True, eq=False)
class GramStatistics(ClassStatistics):
    r"""Class statistics with the Gram matrix :math:`X^\top X`, the most expensive statistic."""

    gram: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Gather the statistics in one pass; see :meth:`ClassStatistics.of`."""
        D = X.shape[1]
        sums, G = np.zeros((n_classes, D)), np.zeros((D, D), order="F")
        for part, block in chunks(X):
            sums += one_hot(y[part], n_classes) @ block
            # Update only the upper triangle, in place: half the work and no D x D temporary.
            G = blas.dsyrk(1.0, block.T, beta=1.0, c=G, overwrite_c=True)
        mirror_upper(G)
        return cls(class_counts(y, n_classes), sums, G)


@dataclass(frozen=True, slots=True, eq=False)
class MomentStatistics(ClassStatistics):
    r"""Class statistics with the scatter of each feature around its class mean.

    ``scatter`` of shape (n_classes, n_features) is :math:`\sum_{i \in c} (x_i - \mu_c)^2`. Computed
    from sums of squares around zero, it would lose digits if means are large.
    """

    scatter: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> MomentStatistics:
        """Gather the statistics in one pass; see :meth:`ClassStatistics.of`."""
        moments = MomentSums(n_classes, X.shape[1])
        for part, block in chunks(X):
            moments.add(block, y[part])
        return moments.result()

    @property
    def variances(self) -> np.ndarray:
        """Variance of each feature in each class; zeros for classes without samples."""
        return self.scatter / np.maximum(self.counts, 1)[:, None]


class MomentSums:
    r"""Running sums over samples for :class:`MomentStatistics`.

    To avoid cancellation, sums are relative to a point :math:`p_c` near the mean of a class: the
    class mean in the first block that has samples of the class. With :math:`d_i = x_i - p_c` the
    scatter is
    :math:`\sum d_i^2 - (\sum d_i)^2 / n_c`.
    """

    def __init__(self, n_classes: int, n_features: int) -> None:
        self.counts = np.zeros(n_classes)
        self.points, self.sums, self.squares = np.zeros((3, n_classes, n_features))

    def add(self, block: np.ndarray, y: np.ndarray) -> None:
        """Add samples, float64 of shape (n, n_features), updating only their classes."""
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
        """Return the statistics of all samples added so far."""
        n = np.maximum(self.counts, 1)[:, None]
        scatter = np.maximum(self.squares - self.sums**2 / n, 0)
        return MomentStatistics(
            self.counts, self.sums + self.counts[:, None] * self.points, scatter
        )


def one_hot(y: np.ndarray, n_classes: int) -> csr_array:
    r"""Return :math:`Y^\top` of shape (n_classes, n_samples), 1 for the class of a sample."""
    n = len(y)
    return csr_array((np.ones(n), (y, np.arange(n))), shape=(n_classes, n))


def class_counts(y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the number of samples of each class as floats."""
    return np.bincount(y, minlength=n_classes).astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Eigenvalues (not negative, increasing) and eigenvectors (columns) of a symmetric matrix."""

    values: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, A: np.ndarray, *, overwrite: bool = False) -> Spectrum:
        """Decompose a symmetric ``A`` of shape (n, n); negative rounding errors become 0.

        With ``overwrite``, the eigenvectors may reuse the memory of ``A``.
        """
        values, vectors = eigh(A, driver="evd", check_finite=False, overwrite_a=overwrite)
        return cls(np.maximum(values, 0), vectors)


def ridge(A: np.ndarray, weight: float) -> np.ndarray:
    """Add ``weight * I`` to ``A`` in place, to save the memory of a copy, and return it."""
    A.flat[:: len(A) + 1] += weight
    return A


def ridge_path(G: np.ndarray, weights: Sequence[float], B: np.ndarray) -> Iterator[np.ndarray]:
    """Yield :math:`(G + w I)^{-1} B` for each weight :math:`w > 0`; G is positive semi-definite."""
    if len(weights) <= MAX_CHOLESKY_WEIGHTS:
        for w in weights:
            factor = cho_factor(ridge(G.copy(order="F"), w), overwrite_a=True, check_finite=False)
            yield cho_solve(factor, B, check_finite=False)
    else:
        spectrum = Spectrum.of(G)
        U, K = spectrum.vectors, spectrum.vectors.T @ B
        for w in weights:
            yield U @ (K / (spectrum.values[:, None] + w))


def mirror_upper(G: np.ndarray) -> None:
    """Copy the upper triangle of ``G`` to the lower triangle, column by column."""
    for j in range(len(G)):
        G[j + 1 :, j] = G[j, j + 1 :]
