r"""Class statistics and the eigen-decompositions that closed-form methods share.

Every closed form needs the data only through sums over samples: how many there are of each class,
their sum, and the Gram matrix :math:`G = X^\top X`. They are gathered in one pass over blocks of
rows. With :math:`G = U \, \mathrm{diag}(g) \, U^\top` a ridge solution for any weight is

.. math:: (G + \lambda I)^{-1} B = U \, \mathrm{diag}\!\left(\frac{1}{g + \lambda}\right) U^\top B,

so that a whole grid of weights costs one decomposition and small products. Where the grid is short,
a Cholesky factor for each weight is cheaper still; :func:`ridge_path` takes the better way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas, cho_factor, cho_solve, eigh
from scipy.sparse import csr_array

from zslcore.features import Features, chunks

__all__ = ["ClassStatistics", "GramStatistics", "Spectrum", "ridge", "ridge_path"]

#: Weights up to which factors are cheaper: a decomposition takes as long as 14 (n = 2,048) to 19
#: (n = 4,096) Cholesky factors and solutions on two cores.
FEW_WEIGHTS = 14


@dataclass(frozen=True, slots=True, eq=False)
class ClassStatistics:
    r"""What closed forms need to know of the training samples.

    Attributes
    ----------
    counts : array of shape (n_classes,), samples of each class, :math:`n_c`
    sums : array of shape (n_classes, n_features), their sum, :math:`Y^\top X` for one-hot Y
    """

    counts: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Gather the statistics in one pass; float64 whatever ``X`` holds.

        Parameters
        ----------
        X : array or FeatureView of shape (n_samples, n_features)
        y : int array of shape (n_samples,)
        n_classes : int
        """
        sums = np.zeros((n_classes, X.shape[1]))
        for part, block in chunks(X):
            sums += _one_hot(y[part], n_classes) @ block
        return cls(_counts(y, n_classes), sums)

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
    r"""Class statistics with the Gram matrix, the dearest of the three.

    Attributes
    ----------
    counts, sums : as of :class:`ClassStatistics`
    gram : array of shape (n_features, n_features), :math:`X^\top X`
    """

    gram: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int) -> Self:
        """Gather the statistics in one pass; see :meth:`ClassStatistics.of`."""
        D = X.shape[1]
        sums, G = np.zeros((n_classes, D)), np.zeros((D, D), order="F")
        for part, block in chunks(X):
            sums += _one_hot(y[part], n_classes) @ block
            # Adds to the upper triangle in place: half the work and no D x D temporary.
            G = blas.dsyrk(1.0, block.T, beta=1.0, c=G, overwrite_c=True)
        _mirror_upper(G)
        return cls(_counts(y, n_classes), sums, G)


def _one_hot(y: np.ndarray, n_classes: int) -> csr_array:
    r"""Return :math:`Y^\top` of shape (n_classes, n_samples), 1 where a sample is of the class."""
    n = len(y)
    return csr_array((np.ones(n), (y, np.arange(n))), shape=(n_classes, n))


def _counts(y: np.ndarray, n_classes: int) -> np.ndarray:
    return np.bincount(y, minlength=n_classes).astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Eigenvalues and eigenvectors of a symmetric positive semi-definite matrix.

    Attributes
    ----------
    values : array of shape (n,), non-negative, increasing
    vectors : array of shape (n, n), one eigenvector a column
    """

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
    r"""Yield :math:`(G + w I)^{-1} B` for every weight.

    Parameters
    ----------
    G : array of shape (n, n), symmetric positive semi-definite
    weights : positive numbers
    B : array of shape (n, m)
    """
    if len(weights) <= FEW_WEIGHTS:
        for w in weights:
            factor = cho_factor(ridge(G.copy(order="F"), w), overwrite_a=True, check_finite=False)
            yield cho_solve(factor, B, check_finite=False)
    else:
        spectrum = Spectrum.of(G)
        U, K = spectrum.vectors, spectrum.vectors.T @ B
        for w in weights:
            yield U @ (K / (spectrum.values[:, None] + w))


def _mirror_upper(G: np.ndarray) -> None:
    """Copy the upper triangle of ``G`` to its lower one, a column at a time."""
    for j in range(len(G)):
        G[j + 1 :, j] = G[j, j + 1 :]
