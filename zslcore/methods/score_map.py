r"""Scores as inner products, for a fitted method and fixed candidates.

The scores of nearly all methods are

.. math:: F(x, c) = \max_k \; f_k(x)^\top r_c + o_c

where :math:`f` maps an image to a few hundred numbers, :math:`r_c` is a vector and :math:`o_c` an
offset per candidate. Everything that depends only on the candidates is computed once, and a block
of images costs one matrix product, in single or double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import DTypeLike

from zslcore.features import l2_rows


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMap:
    """Scores of a fitted method for a set of candidates.

    Attributes
    ----------
    embed : callable(block, weights ...) -> array of shape (n, m) or (n, n_maps, m)
        :math:`f` for a block of rows, a module-level function that can be pickled for worker
        processes; with several maps, the score is the largest inner product.
    weights : arrays passed to ``embed`` after the rows
    codes : array of shape (n_candidates, m), :math:`r_c`
    offset : array of shape (n_candidates,) or (1,), :math:`o_c`
    """

    embed: Callable[..., np.ndarray]
    weights: tuple[np.ndarray, ...]
    codes: np.ndarray
    offset: np.ndarray = field(default_factory=lambda: np.zeros(1))

    @property
    def dtype(self) -> np.dtype:
        """Precision of the products."""
        return self.codes.dtype

    def astype(self, dtype: DTypeLike) -> ScoreMap:
        """Return the map with its products in another precision, float32 or float64."""
        return ScoreMap(
            self.embed,
            tuple(array.astype(dtype, copy=False) for array in self.weights),
            self.codes.astype(dtype, copy=False),
            self.offset.astype(dtype, copy=False),
        )

    def of(self, candidates: np.ndarray) -> ScoreMap:
        """Return the map for a selection of its candidates, in the given order."""
        offset = self.offset if len(self.offset) == 1 else self.offset[candidates]
        return replace(self, codes=self.codes[candidates], offset=offset)

    def scores(self, block: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of a block of rows, shape (n, n_candidates), in ``dtype``."""
        E = self.embed(block.astype(self.dtype, copy=False), *self.weights)
        if E.ndim == 2:
            F = np.matmul(E, self.codes.T, out=out)
        else:
            F = np.matmul(E[:, 0], self.codes.T, out=out)
            for k in range(1, E.shape[1]):
                np.maximum(F, E[:, k] @ self.codes.T, out=F)
        if len(self.offset) > 1 or self.offset[0]:
            F += self.offset
        return F


#: Function from a block of rows to scores, float32 or float64 of shape (n, n_candidates).
Scorer = ScoreMap | Callable[[np.ndarray], np.ndarray]


def linear(x: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return ``x V``."""
    return x @ V


def linear_unit(x: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return ``x V`` with rows scaled to unit length."""
    return l2_rows(x @ V)


def unit_linear(x: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return ``x V`` after scaling the rows of ``x`` to unit length."""
    return l2_rows(x) @ V


def unit(x: np.ndarray) -> np.ndarray:
    """Return ``x`` with rows scaled to unit length."""
    return l2_rows(x)
