r"""Linear classifiers of seen classes for a sequence of ridge weights.

.. math:: J(W) = \frac{1}{N} \sum_n \ell(x_n^\top W, \, y_n) + \frac{\lambda}{2} \lVert W \rVert_F^2

The classifiers of SYNC, CONSE, IAP and DAP differ only in :math:`\ell` and the intercept. For a
smooth :math:`\ell`, L-BFGS minimises :math:`J` in the variables
:math:`Z = L^\top W`, where :math:`L` is the Cholesky factor of an approximate Hessian, :math:`L
L^\top = \kappa X^\top X / N + \lambda I`, and :math:`\kappa` is the typical curvature of the loss.
The eigenvalues of the Gram matrix of deep features span many orders of magnitude: L-BFGS takes ten
steps in :math:`Z` where it would take a hundred in :math:`W`. Each solution is the start for the
next ridge weight.

A step needs no division by :math:`L`. With the whitened rows :math:`\tilde x_n = L^{-1} x_n`,
computed once per weight, :math:`x_n^\top W = \tilde x_n^\top Z`, and since
:math:`\lambda I = L L^\top - \kappa X^\top X / N`,

.. math::
    J = \frac{1}{N} \sum_n \Big( \ell(\tilde x_n^\top Z, \, y_n)
        - \frac{\kappa}{2} \lVert \tilde x_n^\top Z \rVert^2 \Big)
        + \frac{1}{2} \lVert Z \rVert_F^2 .
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp
from sklearn.exceptions import ConvergenceWarning

from zslcore.features import Features, chunks, project
from zslcore.methods.statistics import GramStatistics, ridge

MAX_ITERATIONS = 1000
#: Ridge weights below this share of the Hessian's trace need double precision.
MIN_RIDGE_SHARE = 1e-10

#: Largest size in bytes of whitened rows in memory; if they are larger, each step reads the
#: features again and divides by L.
WORKING_BYTES = 1 << 30

#: Scores per block; so few stay in the cache of the processor while their loss is computed.
BLOCK_SCORES = 1 << 19

#: Smallest relative gradient that single precision resolves.
SINGLE_PRECISION = 1e-4


class Loss(Protocol):
    r"""Loss of linear scores, given the class of each row.

    ``curvature`` is the typical second derivative, :math:`\kappa` in the preconditioner.
    """

    @property
    def n_outputs(self) -> int: ...
    @property
    def curvature(self) -> float: ...

    def __call__(self, Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the sum of the losses of scores ``Z`` (n, n_outputs) and its gradient in ``Z``."""


@dataclass(frozen=True)
class Softmax:
    r"""Cross-entropy of the softmax, :math:`\ell = \log \sum_c e^{z_c} - z_y`."""

    n_outputs: int

    @property
    def curvature(self) -> float:
        """Second derivative p(1 - p), about 1/C at the uniform p = 1/C."""
        return 1 / self.n_outputs

    def __call__(self, Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Return loss and gradient; see :class:`Loss`."""
        rows = np.arange(len(y))
        total = logsumexp(Z, axis=1, keepdims=True)
        loss = float(np.sum(total[:, 0] - Z[rows, y]))
        G = np.exp(Z - total)
        G[rows, y] -= 1
        return loss, G


@dataclass(frozen=True, eq=False)
class Logistic:
    r"""Binary cross-entropy per column, :math:`\ell = -\sum_m \log \mathrm{expit}(\pm z_m)`.

    ``targets`` of shape (n_classes, n_outputs) are the targets for samples of each class.
    """

    targets: np.ndarray
    curvature: float = 0.1

    @property
    def n_outputs(self) -> int:
        """Number of columns of ``targets``."""
        return self.targets.shape[1]

    def __call__(self, Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Return loss and gradient; see :class:`Loss`."""
        T = self.targets[y]
        return -float(log_expit(np.where(T, Z, -Z)).sum()), expit(Z) - T


@dataclass(frozen=True)
class SquaredHinge:
    r"""One-versus-rest squared hinge, :math:`\ell = \frac{1}{C} \sum_c [1 - t_c z_c]_+^2`.

    :math:`t_c` is 1 for the true class and -1 for all other classes.
    """

    n_outputs: int

    @property
    def curvature(self) -> float:
        """Second derivative for a sample inside the margin."""
        return 2 / self.n_outputs

    def __call__(self, Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Return loss and gradient; see :class:`Loss`."""
        rows = np.arange(len(y))
        violation = 1 + Z
        violation[rows, y] = 1 - Z[rows, y]
        np.maximum(violation, 0, out=violation)
        loss = float(np.einsum("ij,ij->", violation, violation)) / self.n_outputs
        violation *= 2 / self.n_outputs
        violation[rows, y] *= -1
        return loss, violation


@dataclass(frozen=True, eq=False)
class MulticlassHinge:
    r"""Crammer and Singer's :math:`\ell = \max_c \, (\Delta_{y c} + z_c) - z_y`.

    ``margin`` is :math:`\Delta`, zero on the diagonal. The loss has kinks; :class:`HingePath` in
    ``_hinge.py`` minimises it.
    """

    margin: np.ndarray
    curvature: float = 0.1

    @property
    def n_outputs(self) -> int:
        """Number of classes."""
        return len(self.margin)

    def __call__(self, Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Return loss and (sub)gradient; see :class:`Loss`."""
        rows = np.arange(len(y))
        augmented = Z + self.margin[y]
        largest = augmented.max(axis=1, keepdims=True)
        loss = float(np.sum(largest[:, 0] - Z[rows, y]))
        G = (augmented == largest).astype(Z.dtype)
        G /= G.sum(axis=1, keepdims=True)
        G[rows, y] -= 1
        return loss, G


class LinearPath:
    """Solver for :math:`J` with one data set, one loss and any number of ridge weights.

    ``intercept`` adds a constant feature 1 with a penalised weight, as in liblinear. Descent stops
    when no entry of the preconditioned gradient exceeds ``tol`` times the largest entry at 0.
    Products are in single precision, which is twice as fast, unless it cannot resolve ``tol`` or
    rounds the curvature by more than lambda.
    """

    def __init__(
        self, X: Features, y: np.ndarray, n_classes: int, loss: Loss, *, intercept: bool, tol: float
    ) -> None:
        self.X, self.y, self.loss, self.tol = X, y, loss, tol
        self.intercept = intercept
        self.dtype = np.float32 if tol >= SINGLE_PRECISION else np.float64
        statistics = GramStatistics.of(X, y, n_classes)
        self.curvature = statistics.gram * (loss.curvature / len(y))
        if intercept:
            mean = statistics.sums.sum(axis=0) * (loss.curvature / len(y))
            self.curvature = np.block([[self.curvature, mean[:, None]], [mean, loss.curvature]])
        self.n_evaluations = 0
        _, self._gradient_at_zero = self.objective(np.zeros(self.shape), 0.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of ``W``: (n_features, n_outputs), with one more row for an intercept."""
        return len(self.curvature), self.loss.n_outputs

    def objective(self, W: np.ndarray, lam: float) -> tuple[float, np.ndarray]:
        """Return :math:`J(W)` and its gradient, reading ``X`` once."""
        self.n_evaluations += 1
        value, gradient = 0.0, np.zeros(self.shape, order="F")
        V = W.astype(self.dtype)
        for part, block in self.rows():
            loss, G = self.loss(block @ V, self.y[part])
            value += loss
            gradient += block.T @ G
        gradient /= len(self.y)
        gradient += lam * W
        return value / len(self.y) + lam / 2 * float(np.vdot(W, W)), gradient

    def solve(self, lam: float, start: np.ndarray | None = None) -> np.ndarray:
        """Return the minimiser for one ridge weight, shape ``self.shape``."""
        L = self._factor(lam, self.loss.curvature)
        objective = self._preconditioned(L)
        largest = np.abs(divide(L, self._gradient_at_zero)).max()
        z = np.zeros(self.shape) if start is None else L.T @ start
        result = minimize(
            objective,
            z.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": MAX_ITERATIONS,
                "gtol": self.tol * largest,
                "ftol": 0.0,
            },
        )
        if result.status == 1:
            warnings.warn(
                f"The classifiers for lambda {lam:g} did not converge in {MAX_ITERATIONS} "
                "iterations; raise lambda or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return divide(L, result.x.reshape(self.shape), trans="T")

    def _factor(self, lam: float, kappa: float) -> np.ndarray:
        """Return L for a ridge weight and a curvature; set ``dtype`` to the precision it needs."""
        H = ridge(self.curvature * (kappa / self.loss.curvature), lam)
        resolved = lam > MIN_RIDGE_SHARE * float(np.trace(H))
        self.dtype = np.float32 if self.tol >= SINGLE_PRECISION and resolved else np.float64
        return cholesky(H, lower=True, overwrite_a=True, check_finite=False).astype(self.dtype)

    @property
    def fits_in_memory(self) -> bool:
        """Whether the whitened rows fit into memory."""
        return (
            math.prod((len(self.y), self.shape[0], np.dtype(self.dtype).itemsize)) <= WORKING_BYTES
        )

    def _preconditioned(self, L: np.ndarray) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
        """Return a function from a flat ``Z`` to the objective and its flat gradient."""
        fits_in_memory = self.fits_in_memory
        whitened = self._whitened(L) if fits_in_memory else None

        def objective(z: np.ndarray) -> tuple[float, np.ndarray]:
            # Round Z before use, so that the common part of the two squares cancels exactly.
            Z: np.ndarray = z.reshape(self.shape).astype(self.dtype)
            V = Z if fits_in_memory else divide(L, Z, trans="T").astype(self.dtype)
            gradient = np.zeros(self.shape, self.dtype)
            value = sum(
                self._add_block(block, self.y[part], V, gradient)
                for part, block in (self.rows() if whitened is None else self._parts(whitened))
            )
            self.n_evaluations += 1
            step = gradient if fits_in_memory else divide(L, gradient)
            value = value / len(self.y) + _squares(Z) / 2
            return value, (step / len(self.y) + Z).ravel().astype(np.float64)

        return objective

    def _add_block(
        self, block: np.ndarray, y: np.ndarray, V: np.ndarray, gradient: np.ndarray
    ) -> float:
        """Add the gradient of some rows to ``gradient``; return their part of J without ridge."""
        Z, kappa = block @ V, self.dtype(self.loss.curvature)
        loss, G = self.loss(Z, y)
        G = G.astype(self.dtype, copy=False)
        G -= kappa * Z
        gradient += block.T @ G
        return loss - float(kappa) / 2 * _squares(Z)

    def _whitened(self, L: np.ndarray) -> np.ndarray:
        """Return the whitened rows, each divided by ``L``."""
        rows = np.empty((len(self.y), len(L)), self.dtype)
        for part, block in self.rows():
            rows[part] = solve_triangular(L, block.T, lower=True, check_finite=False).T
        return rows

    def rows(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield blocks of rows, with the constant feature if there is an intercept."""
        for part, block in chunks(self.X):
            block = block.astype(self.dtype, copy=False)
            if self.intercept:
                block = np.column_stack([block, np.ones(len(block), self.dtype)])
            yield part, block

    def _parts(self, rows: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield parts of ``rows`` with :data:`BLOCK_SCORES` scores each."""
        size = max(1, BLOCK_SCORES // self.loss.n_outputs)
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            yield part, rows[part]

    def solutions(self, lams: Iterable[float]) -> Iterator[tuple[float, np.ndarray]]:
        """Yield (weight, minimiser) from the largest weight down, each with a warm start."""
        W = None
        for lam in sorted(set(lams), reverse=True):
            W = self.solve(lam, W)
            yield lam, W


def linear_scores(X: Features, W: np.ndarray, intercept: bool) -> np.ndarray:
    """Return ``X @ W``; with an intercept, the last row of ``W`` is for the constant feature."""
    return project(X, W[:-1]) + W[-1] if intercept else project(X, W)


def _squares(A: np.ndarray) -> float:
    """Return the sum of squares of ``A``, summed in double precision."""
    return float(np.einsum("ij,ij->", A, A, dtype=np.float64))


def divide(L: np.ndarray, B: np.ndarray, trans: Literal["N", "T"] = "N") -> np.ndarray:
    """Solve ``L A = B`` or, with ``trans="T"``, ``L' A = B``; in the precision of ``L``."""
    A = solve_triangular(
        L, B.astype(L.dtype), lower=True, trans=trans, overwrite_b=True, check_finite=False
    )
    return A.astype(np.float64)
