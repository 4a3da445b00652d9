r"""Search for equal and nearly equal rows of a feature matrix, without copying it.

Equal rows have equal 64-bit hashes: the sum of the 64-bit words of a row, each multiplied by an odd
random weight, modulo 2^64. Rows with equal hashes are then compared in full. Rows that are equal up
to a positive factor, such as copies of unit length, have their largest values in the same columns,
in the same order; hashes of these columns are compared.

Near rows are found in a random projection :math:`z = R^\top x`, with independent entries of
:math:`R` from :math:`N(0, 1/k)`: squared distances in the projection are the squared distances of
the features times :math:`\chi^2_k / k`, which has a standard deviation of 13 % for k = 128. Rows
with near features are therefore near in the projection. With 2,048 features, the search in the
projection takes a sixteenth of the multiplications. Reported distances are those of the features.

References
----------
W. Johnson and J. Lindenstrauss, "Extensions of Lipschitz mappings into a Hilbert space", 1984.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zslcore.features import FeatureView, chunks, l2_rows

#: Rows of the raw matrix per block.
BLOCK = 2048
#: Dimensions of the projection, and test rows compared at a time.
DIMENSIONS, BATCH = 128, 256
#: Only about one in 10^10 squared distances is enlarged by more than this factor in the projection.
SLACK = 2.0
#: Size of the sample of test rows for the median distance to the nearest training row.
SAMPLE = 256
#: The distance of a suspicious pair is below this share of the median distance to the nearest
#: training row.
NEAR = 0.25
#: The distance of a suspicious pair is also below this share of the distance from the test row to
#: its tenth nearest training row. The features of AWA1 have both copies and crowded regions: this
#: ratio of distances is at most 0.36 for copies and at least 0.58 for rows in crowded regions.
ALONE, CROWD = 0.5, 10
#: Limits of the standard deviation of row lengths, as a share of their mean: maximum for normalised
#: rows, minimum for other rows.
MAX_SPREAD_NORMALISED, MIN_SPREAD_OTHERS = 1e-3, 1e-2


#: Number of largest values of a row; the order of their columns identifies the row's direction.
N_LARGEST = 16
#: Number of equal ranges of columns; the column of the largest value in each range is a peak, which
#: does not change if a row is scaled.
N_PEAKS = 16
#: Number of sampled columns, and minimum number of different values of a row in them. Rows with
#: fewer, such as those of blank images, are equal up to scale without being copies.
N_COLUMNS, MIN_VALUES = 128, 8
#: Rows of unit length are equal if no value differs by more than this share of the largest value:
#: numbers in text files are rounded.
ROUNDING = 1e-5
#: Parallel rows are scaled copies if their lengths differ by more than this share; with a smaller
#: difference, ZSL005 finds them.
SAME_LENGTH = 0.05


def identical_rows(X: np.ndarray, *, scaled: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each row of ``X`` (n, d), its group of equal rows and whether it is all zero.

    Unique rows and zero rows have the group -1. With ``scaled``, rows are equal up to a positive
    factor other than 1, and rows that are not compared, such as those with few different values,
    count as zero. ``X`` may be a memory map or HDF5.
    """
    code, zero = _direction_codes(X) if scaled else _row_codes(X)
    order = np.argsort(code, kind="stable")
    order = order[~zero[order]]
    same = np.flatnonzero(code[order][1:] == code[order][:-1])
    equal = np.zeros(len(order), dtype=bool)  # equal to the previous row in this order
    for start in range(0, len(same), BLOCK):
        k = same[start : start + BLOCK]
        a, b = _gather(X, order[k]), _gather(X, order[k + 1])
        if scaled:
            equal[k + 1] = _are_scaled(a.astype(np.float64), b.astype(np.float64))
        else:
            equal[k + 1] = (a == b).all(axis=1)
    member = equal | np.append(equal[1:], False)
    group = np.full(len(code), -1)
    group[order[member]] = np.cumsum(~equal[member]) - 1
    return _renumber(group), zero


def _row_codes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a hash of every row and whether all its values are zero."""
    n, d = X.shape
    weights = np.random.default_rng(0).integers(1, 1 << 63, (d,), dtype=np.uint64) | np.uint64(1)
    code, zero = np.empty(n, np.uint64), np.empty(n, bool)
    for start in range(0, n, BLOCK):
        part = slice(start, min(start + BLOCK, n))
        words = _words(X[part])
        code[part] = words @ weights[: words.shape[1]]
        zero[part] = code[part] == 0
        zero[part][zero[part]] = ~words[zero[part]].any(axis=1)
    return code, zero


def _are_scaled(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return whether each row of A is that of B times a positive factor other than 1."""
    lengths = [np.linalg.norm(rows, axis=1) for rows in (A, B)]
    differ = np.abs(lengths[0] - lengths[1]) > SAME_LENGTH * lengths[0]
    A, B = l2_rows(A), l2_rows(B)
    are_parallel = np.abs(A - B).max(axis=1) <= ROUNDING * np.abs(A).max(axis=1)
    return np.asarray(differ & are_parallel)


def _direction_codes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a hash of the direction of every row, and whether the row is not compared.

    A row with few different values is not compared, and neither is a row whose peaks no other row
    has: peaks are cheaper to compute than the hash.
    """
    n, d = X.shape
    largest = min(N_LARGEST, d)
    weights = np.random.default_rng(0).integers(1, 1 << 63, (largest,), dtype=np.uint64)
    columns = np.unique(np.linspace(0, d - 1, min(d, N_COLUMNS)).astype(np.intp))
    code, skipped = np.zeros(n, np.uint64), np.ones(n, bool)
    _, peaks, counts = np.unique(_peak_codes(X), return_inverse=True, return_counts=True)
    compared = np.flatnonzero(counts[peaks] > 1)
    for start in range(0, len(compared), BLOCK):
        rows = compared[start : start + BLOCK]
        block = -np.asarray(_gather(X, rows), dtype=np.float32)
        top = np.argpartition(block, largest - 1, axis=1)[:, :largest]
        order = np.argsort(np.take_along_axis(block, top, 1), axis=1, kind="stable")
        code[rows] = np.take_along_axis(top, order, 1).astype(np.uint64) @ weights
        different = np.diff(np.sort(block[:, columns], axis=1), axis=1) != 0
        skipped[rows] = different.sum(axis=1) + 1 < MIN_VALUES
    return code, skipped


def _peak_codes(X: np.ndarray) -> np.ndarray:
    """Return a hash of the column of the largest value in each of ``N_PEAKS`` ranges of columns."""
    n, d = X.shape
    width = max(d // N_PEAKS, 1)
    weights = np.random.default_rng(0).integers(1, 1 << 63, (d // width,), dtype=np.uint64)
    code = np.empty(n, np.uint64)
    for start in range(0, n, BLOCK):
        part = slice(start, min(start + BLOCK, n))
        ranges = np.asarray(X[part])[:, : d // width * width].reshape(-1, d // width, width)
        code[part] = ranges.argmax(axis=2).astype(np.uint64) @ weights
    return code


def _words(block: np.ndarray) -> np.ndarray:
    """Return the bits of every row as 64-bit words; -0.0 and 0.0 have the same bits."""
    block = np.ascontiguousarray(block + np.zeros(1, block.dtype))
    if block.shape[1] * block.dtype.itemsize % 8:
        return block.astype(np.float64).view(np.uint64)
    return block.view(np.uint64)


def _gather(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.asarray(FeatureView(X, rows))


def _renumber(group: np.ndarray) -> np.ndarray:
    """Renumber groups to 0, 1, 2 ... in order of their first row."""
    numbers, first = np.unique(group[group >= 0], return_index=True)
    rank = np.empty(len(numbers), np.intp)
    rank[np.argsort(first)] = np.arange(len(numbers))
    out = group.copy()
    out[group >= 0] = rank[np.searchsorted(numbers, group[group >= 0])]
    return out


@dataclass(frozen=True, slots=True, eq=False)
class NearRows:
    """Pairs of a test row and a nearly equal training row, nearest first.

    ``distance`` is Euclidean. ``crowd`` is the distance of the test row to its tenth nearest
    training row, approximated in the projection; it is infinite for at most ten training rows.
    ``median`` is the median distance of a sample of test rows to their nearest training row.
    """

    test: np.ndarray
    train: np.ndarray
    distance: np.ndarray
    crowd: np.ndarray
    median: float


def near_rows(
    X: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    near: float = NEAR,
    alone: float = ALONE,
) -> NearRows:
    """Find test rows that are unusually near to a training row.

    A pair is closer than ``near`` times the median distance to the nearest training row, and closer
    than ``alone`` times the distance to the tenth nearest training row. X has the shape (n, d): an
    array, memory map or HDF5 data set.
    """
    R = _projection(X.shape[1])
    Z_train, Z_test = (_project(X, rows, R) for rows in (train, test))
    centre = Z_train.mean(axis=0)
    Z_train -= centre
    Z_test -= centre
    nearest, squared = _nearest(Z_test, Z_train)
    chosen = np.random.default_rng(0).permutation(len(test))[:SAMPLE]
    median = float(np.median(_distances_to_nearest(X, train, test[chosen])))
    # The second term allows for rounding errors of float32.
    limit = SLACK * (near * median) ** 2 + 1e-6 * squared.mean()
    candidates = np.flatnonzero(squared <= limit)
    distance = _pair_distances(X, test[candidates], train[nearest[candidates]])
    is_near = distance <= near * median
    candidates, distance = candidates[is_near], distance[is_near]
    crowd = _distances_to_tenth(Z_test[candidates], Z_train)
    near_positions = np.flatnonzero(distance <= alone * crowd)
    near_positions = near_positions[np.argsort(distance[near_positions], kind="stable")]
    rows = candidates[near_positions]
    return NearRows(
        test[rows], train[nearest[rows]], distance[near_positions], crowd[near_positions], median
    )


def normalised_side(X: np.ndarray, train: np.ndarray, test: np.ndarray) -> str | None:
    """Return "training" or "test" if only the rows of that side all have one length; else None."""
    spread = {}
    for side, rows in (("training", train), ("test", test)):
        sampled = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), SAMPLE)).astype(np.intp))
        lengths = np.linalg.norm(_gather(X, rows[sampled]).astype(np.float64), axis=1)
        spread[side] = lengths.std() / (lengths.mean() or 1)
    (low, least), (_, most) = sorted(spread.items(), key=lambda item: item[1])
    is_one_sided = (
        least < MAX_SPREAD_NORMALISED < MIN_SPREAD_OTHERS < most
        and min(len(train), len(test)) >= CROWD
    )
    return low if is_one_sided else None


def _projection(d: int) -> np.ndarray | None:
    """Return R of shape (d, 128); None for at most 128 features, which need no projection."""
    if d <= DIMENSIONS:
        return None
    return np.random.default_rng(0).normal(scale=DIMENSIONS**-0.5, size=(d, DIMENSIONS))


def _project(X: np.ndarray, rows: np.ndarray, R: np.ndarray | None) -> np.ndarray:
    """Return the rows in the projection, float32."""
    view = FeatureView(X, rows)
    Z = np.empty((len(rows), X.shape[1] if R is None else R.shape[1]), dtype=np.float32)
    for part, block in chunks(view):
        Z[part] = block if R is None else block @ R
    return Z


def _nearest(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for every row of A, its nearest row of B and the squared distance."""
    nearest, squared = np.empty(len(A), np.intp), np.empty(len(A))
    for part, norm, D in _shifted_squares(A, B):
        best = D.argmin(axis=1)
        nearest[part] = best
        squared[part] = np.maximum(D[np.arange(len(best)), best] + norm, 0)
    return nearest, squared


def _distances_to_tenth(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the distance of each row of A to its tenth nearest row of B.

    It is infinite if B has at most ten rows.
    """
    out = np.full(len(A), np.inf)
    if len(B) > CROWD:
        for part, norm, D in _shifted_squares(A, B):
            D.partition(CROWD - 1, axis=1)
            out[part] = np.sqrt(np.maximum(D[:, CROWD - 1] + norm, 0))
    return out


def _shifted_squares(
    A: np.ndarray, B: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield slices of rows a of A, with ||a||^2, and ||a - b||^2 - ||a||^2 for all rows b of B."""
    # A column of norms in B and a column of ones in A give ||b||^2 - 2 ab in one product.
    B = np.column_stack([B, np.einsum("ij,ij->i", B, B)])
    for start in range(0, len(A), BATCH):
        part = slice(start, start + BATCH)
        block = A[part]
        norm = np.einsum("ij,ij->i", block, block)
        yield part, norm, np.column_stack([-2 * block, np.ones(len(block), A.dtype)]) @ B.T


def _distances_to_nearest(X: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the distance of each test row to its nearest training row, without projection."""
    A = np.asarray(FeatureView(X, test))
    norm = np.einsum("ij,ij->i", A, A)
    best = np.full(len(A), np.inf)
    for _, B in chunks(FeatureView(X, train)):
        D = norm[:, None] - 2 * (A @ B.T) + np.einsum("ij,ij->i", B, B)
        np.minimum(best, D.min(axis=1), out=best)
    return np.sqrt(np.maximum(best, 0))


def _pair_distances(X: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distances of pairs of rows, without projection."""
    out = np.empty(len(a))
    for start in range(0, len(a), BLOCK):
        part = slice(start, start + BLOCK)
        out[part] = np.linalg.norm(_gather(X, a[part]) - _gather(X, b[part]), axis=1)
    return out
