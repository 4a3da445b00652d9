r"""Logistic classifiers fitted together, with one binary problem per column of the targets.

The columns of :class:`Logistic` share only the rows, so each column has its own step length and
stops separately. A step costs two products with the columns that have not converged: on CUB a
column takes on average half the steps of the slowest column. Symbols are as in :class:`LinearPath`.
For each ridge weight, :math:`\kappa` is the mean curvature :math:`p (1 - p)` at the start, which is
small if most images are classified correctly. The scores along a direction are known, so Newton's
method finds the step length without another product.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from zslcore.methods._linear import MAX_ITERATIONS, LinearPath, Logistic, divide

#: Pairs of steps and gradient changes in the memory of L-BFGS.
MEMORY = 10
#: Maximum number of Newton steps for a step length, and the relative change at which they stop.
NEWTON_STEPS, LENGTH_TOLERANCE = 3, 0.05
#: Lower bound of the mean curvature, which vanishes if all images are classified with certainty.
MIN_CURVATURE = 1e-3


class LogisticPath(LinearPath):
    """Solver for :math:`J` of :class:`Logistic`, column by column; see :class:`LinearPath`."""

    loss: Logistic

    def solve(self, lam: float, start: np.ndarray | None = None) -> np.ndarray:
        """Return the minimiser for one ridge weight, shape ``self.shape``."""
        kappa = self.loss.curvature if start is None else self._mean_curvature(start)
        L = self._factor(lam, kappa)
        largest = np.abs(divide(L, self._gradient_at_zero)).max()
        rows = _Rows(self, L, self._whitened(L) if self.fits_in_memory else None)
        Z = np.zeros(self.shape) if start is None else L.T @ start
        columns = _Columns.at(rows, Z.astype(self.dtype), self.loss.targets[self.y], kappa)
        n_left = columns.descend(self.tol * largest)
        self.n_evaluations += columns.n_steps
        if n_left:
            warnings.warn(
                f"{n_left} classifiers for lambda {lam:g} did not converge in {MAX_ITERATIONS} "
                "iterations; raise lambda or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return divide(L, columns.minimisers, trans="T")

    def _mean_curvature(self, W: np.ndarray) -> float:
        """Return the mean of p(1 - p) over rows and columns, reading ``X`` once."""
        V, total = W.astype(self.dtype), 0.0
        for _, block in self.rows():
            p = expit(block @ V)
            total += float(np.sum(p * (1 - p), dtype=np.float64))
        return max(total / (len(self.y) * self.loss.n_outputs), MIN_CURVATURE)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The whitened rows; if too large for memory, recomputed from ``X`` for each product."""

    path: LinearPath
    L: np.ndarray
    whitened: np.ndarray | None

    def scores(self, Z: np.ndarray) -> np.ndarray:
        """Return the product of the rows and ``Z``."""
        if self.whitened is not None:
            return self.whitened @ Z
        V = divide(self.L, Z, trans="T").astype(Z.dtype)
        return np.vstack([block @ V for _, block in self.path.rows()])

    def transposed_product(self, G: np.ndarray) -> np.ndarray:
        """Return the product of the transposed rows and ``G``."""
        if self.whitened is not None:
            return self.whitened.T @ G
        product = np.zeros((len(self.L), G.shape[1]), G.dtype)
        for part, block in self.path.rows():
            product += block.T @ G[part]
        return divide(self.L, product).astype(G.dtype)


@dataclass(eq=False)
class _Columns:
    r"""Columns that have not converged; L-BFGS minimises a separate function for each.

    .. math:: J_m(z) = \frac{1}{N} \sum_n \Big( \ell(p_n, t_{n m}) - \frac{\kappa}{2} p_n^2 \Big)
        + \frac{1}{2} \lVert z \rVert^2, \qquad p = \tilde X z

    ``Z`` has shape (n_features, n_columns), the scores ``P`` and the targets ``T`` have shape
    (n_samples, n_columns); a step ``d`` of ``Z`` changes ``P`` by ``Q``, the scores of ``d``.
    """

    rows: _Rows
    minimisers: np.ndarray
    active: np.ndarray
    Z: np.ndarray
    P: np.ndarray
    T: np.ndarray
    kappa: np.floating
    G: np.ndarray = field(init=False)
    memory: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    n_steps: int = 0

    @classmethod
    def at(cls, rows: _Rows, Z: np.ndarray, T: np.ndarray, kappa: float) -> _Columns:
        """Return all columns at the start ``Z``."""
        active = np.arange(Z.shape[1])
        return cls(rows, Z.copy(), active, Z, rows.scores(Z), T, Z.dtype.type(kappa))

    def descend(self, stop: float) -> int:
        """Minimise until all gradients are at most ``stop``; return the number of columns left."""
        self.G = self._gradient()
        while len(self.active) and self.n_steps < MAX_ITERATIONS:
            self._drop_converged(np.abs(self.G).max(axis=0) <= stop)
            if len(self.active):
                self._step()
        self.minimisers[:, self.active] = self.Z
        return len(self.active)

    def _gradient(self) -> np.ndarray:
        G = expit(self.P)
        G -= self.T
        G -= self.kappa * self.P
        return self.rows.transposed_product(G) / self.P.dtype.type(len(self.P)) + self.Z

    def _drop_converged(self, done: np.ndarray) -> None:
        """Store converged columns and drop them."""
        if not done.any():
            return
        self.minimisers[:, self.active[done]] = self.Z[:, done]
        self.active = self.active[~done]
        self.Z, self.P, self.T, self.G = (A[:, ~done] for A in (self.Z, self.P, self.T, self.G))
        self.memory = [(s[:, ~done], y[:, ~done], r[~done]) for s, y, r in self.memory]

    def _step(self) -> None:
        d = self._direction()
        Q = self.rows.scores(d)
        t = self._length(d, Q)
        s, before = t * d, self.G
        self.Z, self.P = self.Z + s, self.P + t * Q
        self.G = self._gradient()
        y = self.G - before
        r = _dots(s, y)
        # Ignore a pair with a product of the wrong sign, which is due to rounding.
        self.memory.append((s, y, np.divide(1, r, out=np.zeros_like(r), where=r > 0)))
        del self.memory[:-MEMORY]
        self.n_steps += 1

    def _direction(self) -> np.ndarray:
        """Return the L-BFGS direction of each column by the two-loop recursion."""
        d, shares = -self.G, []
        for s, y, r in reversed(self.memory):
            shares.append(r * _dots(s, d))
            d -= shares[-1] * y
        if self.memory:
            _, y, r = self.memory[-1]
            curvature = r * _dots(y, y)
            d /= np.where(curvature > 0, curvature, 1)
        for (s, y, r), share in zip(self.memory, reversed(shares), strict=True):
            d += (share - r * _dots(y, d)) * s
        return d

    def _length(self, d: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """Return the step length of each column, at which the slope along ``d`` vanishes.

        The slope increases with the length, so each trial length is a lower or an upper bound.
        """
        n = len(Q)
        linear = _dots(self.Z, d) - self.kappa * _dots(self.P, Q) / n
        square = _dots(d, d) - self.kappa * _dots(Q, Q) / n
        low, high = np.zeros_like(linear), np.full_like(linear, np.inf)
        t = np.ones_like(linear)
        for _ in range(NEWTON_STEPS):
            p = expit(self.P + t * Q)
            slope = _dots(p - self.T, Q) / n + linear + t * square
            p *= 1 - p
            p *= Q
            low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
            former, t = t, t - slope / (_dots(p, Q) / n + square)
            between = np.where(np.isinf(high), 2 * low, (low + high) / 2)
            t = np.where((low < t) & (t < high), t, between)
            if np.all(np.abs(t - former) <= LENGTH_TOLERANCE * former):
                break
        return t


def _dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the scalar products of the columns of ``A`` and ``B``."""
    return np.einsum("ij,ij->j", A, B)
