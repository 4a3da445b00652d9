r"""Logistic classifiers side by side: one binary problem a column, all reading the rows together.

The columns of :class:`Logistic` share nothing but the rows. So each has a step length and an end of
its own, and a step costs two products with the columns that are still under way: on CUB a column
takes half the steps of the slowest one. The variables are those of :class:`LinearPath`.
:math:`\kappa` is the mean curvature :math:`p (1 - p)` at the start of a weight, which falls far
below any guess where most images are on the right side. The scores along a direction are known, so
that Newton's method finds the length of a step without a product.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from zslcore.methods._linear import MAX_ITERATIONS, LinearPath, Logistic, divide

#: Pairs of steps and changes of the gradient that L-BFGS remembers.
MEMORY = 10
#: Newton steps along a direction at most, and the relative change below which a length is found.
NEWTON_STEPS, LENGTH_TOLERANCE = 3, 0.05
#: Curvature assumed where all images are far on the right side.
LEAST_CURVATURE = 1e-3


class LogisticPath(LinearPath):
    """Minimises :math:`J` of :class:`Logistic`, column by column; see :class:`LinearPath`."""

    loss: Logistic

    def solve(self, lam: float, start: np.ndarray | None = None) -> np.ndarray:
        """Return the minimiser for one ridge weight, shape ``self.shape``."""
        kappa = self.loss.curvature if start is None else self._mean_curvature(start)
        L = self._factor(lam, kappa)
        largest = np.abs(divide(L, self._gradient_at_zero)).max()
        rows = _Rows(self, L, self._whitened(L) if self.fits else None)
        Z = np.zeros(self.shape) if start is None else L.T @ start
        columns = _Columns.at(rows, Z.astype(self.dtype), self.loss.targets[self.y], kappa)
        n_left = columns.descend(self.tol * largest)
        self.n_evaluations += columns.n_steps
        if n_left:
            warnings.warn(
                f"{n_left} classifiers of lambda {lam:g} did not converge in {MAX_ITERATIONS} "
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
        return max(total / (len(self.y) * self.loss.n_outputs), LEAST_CURVATURE)


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows divided by L; read and divided again for every product where they do not fit."""

    path: LinearPath
    L: np.ndarray
    whitened: np.ndarray | None

    def scores(self, Z: np.ndarray) -> np.ndarray:
        """Return the product of the rows and ``Z``."""
        if self.whitened is not None:
            return self.whitened @ Z
        V = divide(self.L, Z, trans="T").astype(Z.dtype)
        return np.vstack([block @ V for _, block in self.path.rows()])

    def gathered(self, G: np.ndarray) -> np.ndarray:
        """Return the product of the transposed rows and ``G``."""
        if self.whitened is not None:
            return self.whitened.T @ G
        product = np.zeros((len(self.L), G.shape[1]), G.dtype)
        for part, block in self.path.rows():
            product += block.T @ G[part]
        return divide(self.L, product).astype(G.dtype)


@dataclass(eq=False)
class _Columns:
    r"""The columns still under way, each minimising a function of its own by L-BFGS.

    .. math:: J_m(z) = \frac{1}{N} \sum_n \Big( \ell(p_n, t_{n m}) - \frac{\kappa}{2} p_n^2 \Big)
        + \frac{1}{2} \lVert z \rVert^2, \qquad p = \tilde X z

    ``Z`` is of shape (n_features, n_columns), the scores ``P`` and the targets ``T`` of shape
    (n_samples, n_columns); a step ``d`` of ``Z`` moves ``P`` by its scores ``Q``.
    """

    rows: _Rows
    minimisers: np.ndarray
    at_work: np.ndarray
    Z: np.ndarray
    P: np.ndarray
    T: np.ndarray
    kappa: np.floating
    G: np.ndarray = field(init=False)
    memory: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    n_steps: int = 0

    @classmethod
    def at(cls, rows: _Rows, Z: np.ndarray, T: np.ndarray, kappa: float) -> _Columns:
        """Return all columns where they start."""
        at_work = np.arange(Z.shape[1])
        return cls(rows, Z.copy(), at_work, Z, rows.scores(Z), T, Z.dtype.type(kappa))

    def descend(self, stop: float) -> int:
        """Minimise until no entry of a gradient exceeds ``stop``; return how many columns do."""
        self.G = self._gradient()
        while len(self.at_work) and self.n_steps < MAX_ITERATIONS:
            self._leave(np.abs(self.G).max(axis=0) <= stop)
            if len(self.at_work):
                self._step()
        self.minimisers[:, self.at_work] = self.Z
        return len(self.at_work)

    def _gradient(self) -> np.ndarray:
        G = expit(self.P)
        G -= self.T
        G -= self.kappa * self.P
        return self.rows.gathered(G) / self.P.dtype.type(len(self.P)) + self.Z

    def _leave(self, done: np.ndarray) -> None:
        """Store converged columns and drop them."""
        if not done.any():
            return
        self.minimisers[:, self.at_work[done]] = self.Z[:, done]
        self.at_work = self.at_work[~done]
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
        # A pair with a sign that rounding has reversed tells nothing of the curvature.
        self.memory.append((s, y, np.divide(1, r, out=np.zeros_like(r), where=r > 0)))
        del self.memory[:-MEMORY]
        self.n_steps += 1

    def _direction(self) -> np.ndarray:
        """Return the direction of L-BFGS by its two-loop recursion, a column each."""
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
        """Return the step length of each column: where the slope along ``d`` vanishes.

        The slope grows with the length, so that every one tried is a bound from one side.
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
    """Return the scalar product of each column of ``A`` with that of ``B``."""
    return np.einsum("ij,ij->j", A, B)
