r"""Rows of a feature matrix that are equal, or suspiciously near, found without copying it.

Equal rows are found by a 64-bit hash that is linear in the row's bits, modulo 2^64, and confirmed
by comparing the rows themselves.

Near rows are found in a random projection :math:`z = R^\top x`, with independent entries of
:math:`R` from :math:`N(0, 1/k)`: its squared distances are those of the features times
:math:`\chi^2_k / k`, for k = 256 within 9 % (one deviation). So whatever is near is near there, the
nearest row is read off one matrix product an eighth of the size, and every distance that is
reported is computed on the features themselves.

References
----------
W. Johnson and J. Lindenstrauss, "Extensions of Lipschitz mappings into a Hilbert space", 1984.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zslcore.features import FeatureView, chunks, project

__all__ = ["NearRows", "identical_rows", "near_rows"]

#: Rows of the raw matrix per block.
BLOCK = 2048
#: Dimensions of the projection, and test rows compared at a time.
DIMENSIONS, BATCH = 256, 1024
#: Test rows whose nearest training row is looked up on the features, for the median distance.
SAMPLE = 256
#: A pair is suspicious below this share of the median distance to the nearest training row.
NEAR = 0.25


def identical_rows(X) -> tuple[np.ndarray, np.ndarray]:
    """Group equal rows.

    Parameters
    ----------
    X : array, memory map or HDF5 data set of shape (n, d)

    Returns
    -------
    group : int array of shape (n,)
        Rows with the same number of 0 or more are equal; -1 stands for a row like no other.
    zero : bool array of shape (n,)
        Rows of zeros, which are in no group.
    """
    code, zero = _row_codes(X)
    order = np.argsort(code, kind="stable")
    same = code[order][1:] == code[order][:-1]
    candidates = np.zeros(len(code), dtype=bool)
    candidates[order[1:][same]] = candidates[order[:-1][same]] = True
    candidates &= ~zero
    group = np.full(len(code), -1)
    for rows in _by_code(np.flatnonzero(candidates), code):
        values = np.ascontiguousarray(_gather(X, rows))
        _, inverse, count = np.unique(values, axis=0, return_inverse=True, return_counts=True)
        repeated = count[inverse.ravel()] > 1
        group[rows[repeated]] = group.max() + 1 + inverse.ravel()[repeated]
    return _renumbered(group), zero


def _row_codes(X) -> tuple[np.ndarray, np.ndarray]:
    """Return a hash of every row and whether it is zero throughout."""
    n, d = X.shape
    weights = np.random.default_rng(0).integers(1, 1 << 63, 2 * d, dtype=np.uint64) | np.uint64(1)
    code, zero = np.empty(n, np.uint64), np.empty(n, bool)
    for start in range(0, n, BLOCK):
        part = slice(start, min(start + BLOCK, n))
        block = np.ascontiguousarray(X[part])
        block = block + np.zeros(1, block.dtype)  # -0.0 and 0.0 are equal and hash alike
        words = block.view(np.uint32) if block.dtype.itemsize % 4 == 0 else block.astype(np.uint32)
        code[part] = np.einsum("ij,j->i", words, weights[: words.shape[1]], dtype=np.uint64)
        zero[part] = ~block.any(axis=1)
    return code, zero


def _by_code(rows: np.ndarray, code: np.ndarray):
    """Yield the rows that share a hash, one array per hash."""
    rows = rows[np.argsort(code[rows], kind="stable")]
    edges = np.flatnonzero(np.diff(code[rows])) + 1
    yield from (part for part in np.split(rows, edges) if part.size)


def _gather(X, rows: np.ndarray) -> np.ndarray:
    return np.asarray(FeatureView(X, rows))


def _renumbered(group: np.ndarray) -> np.ndarray:
    """Renumber groups to 0, 1, 2 ... in order of their first row."""
    numbers, first = np.unique(group[group >= 0], return_index=True)
    rank = np.empty(len(numbers), np.intp)
    rank[np.argsort(first)] = np.arange(len(numbers))
    out = group.copy()
    out[group >= 0] = rank[np.searchsorted(numbers, group[group >= 0])]
    return out


@dataclass(frozen=True, slots=True, eq=False)
class NearRows:
    """Pairs of a test row and a training row that are too near each other.

    Attributes
    ----------
    test, train : int arrays of shape (n_pairs,), rows of the matrix, nearest pair first
    distance : float array of shape (n_pairs,), Euclidean
    median : distance of a test row to its nearest training row, the median over a sample
    """

    test: np.ndarray
    train: np.ndarray
    distance: np.ndarray
    median: float


def near_rows(X, train: np.ndarray, test: np.ndarray, *, near: float = NEAR) -> NearRows:
    """Find test rows whose nearest training row is at most ``near`` times the median away.

    Parameters
    ----------
    X : array, memory map or HDF5 data set of shape (n, d)
    train, test : int arrays of row numbers
    near : float
        Fraction of the median distance to the nearest training row.
    """
    R = _projection(X.shape[1])
    Z_train, Z_test = (_projected(X, rows, R) for rows in (train, test))
    centre = Z_train.mean(axis=0)
    Z_train -= centre
    Z_test -= centre
    nearest, squared = _nearest(Z_test, Z_train)
    chosen = np.random.default_rng(0).permutation(len(test))[:SAMPLE]
    median = float(np.median(_distances_to_nearest(X, train, test[chosen])))
    # 1.5: sqrt(2 / 256) = 0.09 is a deviation of the projected square, so five of them and more.
    candidates = np.flatnonzero(squared <= 1.5 * (near * median) ** 2 + 1e-6 * squared.mean())
    distance = _pair_distances(X, test[candidates], train[nearest[candidates]])
    kept = candidates[distance <= near * median]
    distance = distance[distance <= near * median]
    order = np.argsort(distance, kind="stable")
    return NearRows(test[kept][order], train[nearest[kept]][order], distance[order], median)


def _projection(d: int) -> np.ndarray | None:
    """Return R of shape (d, 256); None, for the features as they are, when they are no wider."""
    if d <= DIMENSIONS:
        return None
    return np.random.default_rng(0).normal(scale=DIMENSIONS**-0.5, size=(d, DIMENSIONS))


def _projected(X, rows: np.ndarray, R: np.ndarray | None) -> np.ndarray:
    view = FeatureView(X, rows)
    return (np.asarray(view) if R is None else project(view, R)).astype(np.float32)


def _nearest(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for every row of A, its nearest row of B and the squared distance."""
    norm_B = np.einsum("ij,ij->i", B, B)
    nearest, squared = np.empty(len(A), np.intp), np.empty(len(A))
    for start in range(0, len(A), BATCH):
        part = slice(start, start + BATCH)
        D = A[part] @ B.T
        D *= -2
        D += norm_B
        best = D.argmin(axis=1)
        nearest[part] = best
        norm = np.einsum("ij,ij->i", A[part], A[part])
        squared[part] = np.maximum(D[np.arange(len(best)), best] + norm, 0)
    return nearest, squared


def _distances_to_nearest(X, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the exact distance of some test rows to their nearest training row."""
    A = np.asarray(FeatureView(X, test))
    norm = np.einsum("ij,ij->i", A, A)
    best = np.full(len(A), np.inf)
    for _, B in chunks(FeatureView(X, train)):
        D = norm[:, None] - 2 * (A @ B.T) + np.einsum("ij,ij->i", B, B)
        np.minimum(best, D.min(axis=1), out=best)
    return np.sqrt(np.maximum(best, 0))


def _pair_distances(X, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the exact distances of pairs of rows."""
    out = np.empty(len(a))
    for start in range(0, len(a), BLOCK):
        part = slice(start, start + BLOCK)
        out[part] = np.linalg.norm(_gather(X, a[part]) - _gather(X, b[part]), axis=1)
    return out
