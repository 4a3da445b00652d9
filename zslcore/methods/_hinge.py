r"""Multi-class hinge classifiers, each within a tolerance of the minimum of its objective.

.. math:: J(W) = \frac{1}{N} \sum_n \max_c \, (\Delta_{y_n c} + z_{nc} - z_{n y_n})
    + \frac{\lambda}{2} \lVert W \rVert_F^2, \qquad z_n = W^\top x_n

The loss has kinks, at which gradients mislead L-BFGS: it stops above the minimum, and the weaker
the ridge, the further above. The dual problem has a point :math:`a_n` of the simplex per row,

.. math:: D(A) = \frac{1}{N} \sum_n a_n^\top \Delta_{y_n}
    - \frac{\lambda}{2} \lVert W_A \rVert_F^2, \qquad
    W_A = -\frac{1}{\lambda N} \sum_n x_n (a_n - e_{y_n})^\top,

and :math:`D(A) \le J(W)` for all :math:`A` and :math:`W`. The proximal method of multipliers
replaces the loss by a smooth one that stays near the last :math:`A`,

.. math:: \max_{a} \; a^\top (\Delta_{y_n} + z_n) - z_{n y_n}
    - \frac{\mu}{2} \lVert a - a_n \rVert^2,

with gradient :math:`a - e_{y_n}`, where :math:`a` is the projection of
:math:`a_n + (\Delta_{y_n} + z_n) / \mu` onto the simplex. Newton's method minimises it, with
conjugate gradients for its steps; then :math:`a` replaces :math:`a_n` and :math:`\mu` decreases.
Rows with a single positive entry of :math:`a` have no curvature; a step reads only the other rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky
from sklearn.exceptions import ConvergenceWarning

from zslcore.methods._linear import MAX_ITERATIONS, SINGLE_PRECISION, LinearPath, MulticlassHinge
from zslcore.methods.statistics import ridge

#: First value, factor per round and smallest value of :math:`\mu`; the values are in units of the
#: largest margin.
FIRST_MU, MU_FACTOR, MIN_MU = 3.0, 0.5, 1e-3
#: Newton's method stops when the error of ``W`` is this share of the remaining gap.
NEWTON_SHARE = 0.25
#: Relative residual at which conjugate gradients stop, and their maximum number.
CG_TOLERANCE, MAX_CG = 0.1, 200
#: Share of the first slope at which the line search stops, and its maximum number of trial lengths.
SLOPE_SHARE, MAX_LENGTHS = 0.3, 20
#: Smallest relative gap that double precision resolves.
MIN_GAP = 1e-12
#: Ridge weights below this share of the features' mean square need double precision.
MIN_RIDGE_SHARE = 1e-6


class HingePath(LinearPath):
    r"""Solver for :math:`J` of :class:`MulticlassHinge`; see :class:`LinearPath`.

    Every ridge weight is solved from :math:`W = 0`, so a solution does not depend on the other
    weights of a path. Descent stops when :math:`J(W) - D(A)`, an upper bound of the distance of
    :math:`J(W)` from its minimum, is at most ``tol`` times :math:`J(W)`. Memory grows with the
    product of the numbers of rows and classes.
    """

    loss: MulticlassHinge

    def solutions(self, lams: Iterable[float]) -> Iterator[tuple[float, np.ndarray]]:
        """Yield (weight, minimiser) from the largest weight down."""
        for lam in sorted(set(lams), reverse=True):
            yield lam, self.solve(lam)

    def solve(self, lam: float, start: np.ndarray | None = None) -> np.ndarray:
        """Return the minimiser for one ridge weight, shape ``self.shape``; ``start`` is unused."""
        mean_square = float(np.trace(self.curvature)) / self.loss.curvature
        is_resolved = self.tol >= SINGLE_PRECISION and lam > MIN_RIDGE_SHARE * mean_square
        self.dtype = np.float32 if is_resolved else np.float64
        descent = _Descent(self, lam)
        while not descent.has_converged:
            if descent.n_steps >= MAX_ITERATIONS:
                warnings.warn(
                    f"The classifiers for lambda {lam:g} did not converge in {MAX_ITERATIONS} "
                    "iterations; raise lambda or tol.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
                break
            descent.minimise_smooth()
        self.n_evaluations += descent.n_steps
        return descent.minimiser


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of the features; ``read`` yields their blocks, from memory or from the file."""

    read: Callable[[], Iterable[np.ndarray]]

    @classmethod
    def of(cls, path: LinearPath) -> _Rows:
        """Return all rows, in memory if they fit."""
        if not path.fits_in_memory:
            return cls(lambda: (block for _, block in path.rows()))
        blocks = [block for _, block in path.rows()]
        return cls(lambda: blocks)

    def select(self, chosen: np.ndarray) -> _Rows:
        """Return the rows of a mask."""

        def read() -> Iterator[np.ndarray]:
            start = 0
            for block in self.read():
                yield block[chosen[start : start + len(block)]]
                start += len(block)

        if isinstance(self.read(), list):
            blocks = list(read())
            return _Rows(lambda: blocks)
        return _Rows(read)

    def products(self, W: np.ndarray) -> np.ndarray:
        """Return the product of the rows and ``W``."""
        return np.vstack([block @ W.astype(block.dtype) for block in self.read()]).astype(float)

    def transposed_products(self, G: np.ndarray) -> np.ndarray:
        """Return the product of the transposed rows and ``G``."""
        start, product = 0, np.float64(0)
        for block in self.read():
            part = G[start : start + len(block)].astype(block.dtype)
            product = product + block.T @ part
            start += len(block)
        return np.asarray(product, float)

    def gram(self, weights: np.ndarray) -> np.ndarray:
        """Return the Gram matrix of weighted rows."""
        start, gram = 0, np.float64(0)
        for block in self.read():
            root = np.sqrt(weights[start : start + len(block), None]).astype(block.dtype)
            weighted = block * root
            gram = gram + weighted.T @ weighted
            start += len(block)
        return np.asarray(gram)


class _Descent:
    """Descent of :math:`J` for one ridge weight; letters as in this module."""

    def __init__(self, path: HingePath, lam: float) -> None:
        self.path, self.lam = path, lam
        self.rows = _Rows.of(path)
        self.y, self.N = path.y, len(path.y)
        self.margins = path.loss.margin[self.y]
        self.E = np.eye(path.loss.n_outputs)[self.y]
        self.A = self.E
        self.W, self.F = np.zeros(path.shape), np.zeros(self.E.shape)
        largest = float(self.margins.max(initial=0)) or 1.0
        self.mu, self.min_mu = FIRST_MU * largest, MIN_MU * largest
        self.n_steps = 0
        self._evaluate(self._project(self.F))
        self.value_at_zero = self.value

    @property
    def _gap(self) -> float:
        """Upper bound of the distance of :math:`J` from its minimum."""
        return min(self.value, self.value_at_zero) - self.bound

    @property
    def has_converged(self) -> bool:
        return self._gap <= max(self.path.tol, MIN_GAP) * self.value

    @property
    def minimiser(self) -> np.ndarray:
        """``W``, or zeros if :math:`J` is smaller at zero."""
        return self.W if self.value < self.value_at_zero else np.zeros_like(self.W)

    def minimise_smooth(self) -> None:
        """Minimise the smooth objective by Newton's method, and replace ``A``."""
        factor = None
        while factor is None or self.error > NEWTON_SHARE * (self._gap - self.error):
            support = self.a > 0
            n_positive = np.count_nonzero(support, axis=1)
            curved = n_positive > 1
            rows, n_curved = self.rows.select(curved), n_positive[curved, None]
            if factor is None:
                factor = self._factor(rows, n_curved)
            self._move(self._newton_step(rows, support[curved], n_curved, factor))
            if self.n_steps == MAX_ITERATIONS or self.has_converged:
                return
        self.A = self.a
        self.mu = max(self.mu * MU_FACTOR, self.min_mu)
        self._evaluate(self._project(self.F))

    def _project(self, F: np.ndarray) -> np.ndarray:
        return project_to_simplex(self.A + (F + self.margins) / self.mu)

    def _evaluate(self, a: np.ndarray) -> None:
        """Store ``a``, the projection at ``W``, with the gradient and the values of J and D."""
        self.a = a
        self.gradient = self.rows.transposed_products(a - self.E) / self.N + self.lam * self.W
        hinge = (self.F + self.margins).max(axis=1) - np.vecdot(self.F, self.E)
        self.value = hinge.mean() + self.lam / 2 * _squares(self.W)
        self.bound = np.vdot(a, self.margins) / self.N - self.lam / 2 * _squares(
            self.W - self.gradient / self.lam
        )
        self.error = _squares(self.gradient) / (2 * self.lam)

    def _factor(self, rows: _Rows, n_positive: np.ndarray) -> np.ndarray:
        """Return the Cholesky factor of the mean Hessian over the classes."""
        weights = (n_positive[:, 0] - 1) / (self.mu * self.N * self.E.shape[1])
        return cholesky(ridge(rows.gram(weights), self.lam), lower=True, check_finite=False)

    def _newton_step(
        self, rows: _Rows, support: np.ndarray, n_positive: np.ndarray, factor: np.ndarray
    ) -> np.ndarray:
        """Return the step of Newton's method by preconditioned conjugate gradients."""

        def precondition(R: np.ndarray) -> np.ndarray:
            return cho_solve((factor, True), R.astype(factor.dtype), check_finite=False)

        step, residual = np.zeros_like(self.W), -self.gradient
        direction = precondition(residual)
        size = first = float(np.vdot(residual, direction))
        for _ in range(MAX_CG):
            if size <= CG_TOLERANCE**2 * first:
                break
            Q = np.where(support, rows.products(direction), 0)
            Q -= np.where(support, Q.sum(axis=1, keepdims=True) / n_positive, 0)
            change = rows.transposed_products(Q) / (self.mu * self.N) + self.lam * direction
            length = size / float(np.vdot(direction, change))
            step += length * direction
            residual -= length * change
            solved = precondition(residual)
            size, former = float(np.vdot(residual, solved)), size
            direction = solved + size / former * direction
        return step

    def _move(self, step: np.ndarray) -> None:
        """Move along ``step`` until the slope of the smooth objective almost vanishes."""
        Q = self.rows.products(step)
        linear, square = float(np.vdot(self.W, step)), _squares(step)
        first = float(np.vdot(self.gradient, step))
        low, high, t = 0.0, np.inf, 1.0
        for _ in range(MAX_LENGTHS):
            a = self._project(self.F + t * Q)
            slope = np.vdot(a - self.E, Q) / self.N + self.lam * (linear + t * square)
            if abs(slope) <= SLOPE_SHARE * abs(first):
                break
            low, high = (t, high) if slope < 0 else (low, t)
            t = 2 * t if np.isinf(high) else (low + high) / 2
        self.W, self.F = self.W + t * step, self.F + t * Q
        self.n_steps += 1
        self._evaluate(self._project(self.F))


def project_to_simplex(V: np.ndarray) -> np.ndarray:
    """Return the nearest point of the simplex for each row, by Newton's method on the threshold."""
    threshold = V.max(axis=1, keepdims=True) - 1
    n_positive = np.zeros(len(V), int)
    while True:
        positive = threshold < V
        former, n_positive = n_positive, np.count_nonzero(positive, axis=1)
        if np.array_equal(former, n_positive):
            return np.maximum(V - threshold, 0)
        threshold = ((V.sum(axis=1, where=positive) - 1) / n_positive)[:, None]


def _squares(A: np.ndarray) -> float:
    return float(np.vdot(A, A))
