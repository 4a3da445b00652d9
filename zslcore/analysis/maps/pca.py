r"""PCA of several feature matrices at once, in one pass and one decomposition.

.. math::
    \mu = \frac{1}{n} \sum_i x_i, \qquad
    C = \frac{1}{n - 1} \Big( \sum_i x_i x_i^\top - n \mu \mu^\top \Big)
      = U \, \mathrm{diag}(w) \, U^\top, \qquad z = U_k^\top (x - \mu)

Sums go over chunks of rows in float64; only the k largest eigenvalues are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas, eigh
from sklearn.utils.extmath import randomized_svd

from zslcore.exceptions import DatasetError
from zslcore.features.views import Features, chunks, project


@dataclass(frozen=True, slots=True, eq=False)
class JointPCA:
    """Mean and first axes of all rows.

    ``components`` are unit rows, largest variance first; the largest entry of each is positive, so
    that signs are the same every time. ``total`` is the variance along all axes.
    """

    mean: np.ndarray
    components: np.ndarray
    variance: np.ndarray
    total: float

    @classmethod
    def fit(
        cls,
        views: Sequence[Features],
        n_components: int = 50,
        on_rows: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Fit on all rows of ``views``, arrays or feature views of one width.

        Fewer axes come back where there are fewer features or rows. ``on_rows(done, all)`` is
        called after every chunk.
        """
        n, D = sum(map(len, views)), views[0].shape[1]
        if n < 3:
            raise DatasetError(f"A map needs at least 3 images; got {n}.")
        s, G = _sums(views, n, D, on_rows)
        mu = s / n
        C = blas.dsyr(-float(n), mu, a=G, overwrite_a=True) / (n - 1)
        k = min(n_components, D, n - 1)
        w, U = eigh(C, lower=False, subset_by_index=(D - k, D - 1), check_finite=False)
        w, U = np.maximum(w[::-1], 0), U[:, ::-1].T
        largest = np.abs(U).argmax(axis=1)
        U *= np.sign(U[np.arange(k), largest])[:, None]
        return cls(mu, U, w, float(np.trace(C)))

    @classmethod
    def of_sample(cls, X: np.ndarray, n_components: int = 50) -> Self:
        """Fit on few rows in memory, by a randomised decomposition.

        It takes a tenth of the time of ``fit``.
        """
        mu = X.mean(axis=0)
        k = min(n_components, X.shape[1], len(X) - 1)
        _, size, U = randomized_svd(X - mu, k, random_state=0)
        U *= np.sign(U[np.arange(k), np.abs(U).argmax(axis=1)])[:, None]
        return cls(mu, U, size**2 / (len(X) - 1), float(X.var(axis=0, ddof=1).sum()))

    @property
    def explained(self) -> np.ndarray:
        """Share of the variance along each axis."""
        return self.variance / self.total if self.total else self.variance

    def transform(self, X: Features) -> np.ndarray:
        """Return the coordinates of the rows of ``X``, float64 of shape (n, n_components)."""
        return project(X, self.components.T) - self.components @ self.mean


def _sums(
    views: Sequence[Features], n: int, D: int, on_rows: Callable[[int, int], None] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of all rows, and the upper triangle of that of their squares."""
    s, G, done = np.zeros(D), np.zeros((D, D), order="F"), 0
    for view in views:
        for _, block in chunks(view):
            s += block.sum(axis=0)
            G = blas.dsyrk(1.0, block.T, beta=1.0, c=G, overwrite_c=True)
            done += len(block)
            if on_rows:
                on_rows(done, n)
    return s, G
