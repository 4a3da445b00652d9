"""Views of feature matrices with selected rows and a scaling, without copies.

Feature matrices are large (AWA2: 37,322 x 2,048 float32, 306 MB), and are in memory, in a read-only
memory map, or in an HDF5 file. All loops over rows use :func:`chunks`, so that only one block of
rows is in memory at a time.

Data frames, lists and tensors are converted to arrays of numbers; arrays, and sources that are read
by rows, are not copied.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import DTypeLike

from zslcore.exceptions import DatasetError, ParameterError

if TYPE_CHECKING:
    from h5py import Dataset

#: Numeric kinds of dtypes: boolean, integer and floating point.
NUMBERS = "biuf"
#: Values checked at a time.
BLOCK = 1 << 21


def as_array(A: Any, name: str) -> Any:
    """Return ``A`` as an array of numbers.

    Arrays, memory maps and sources that are read by rows, such as HDF5 data sets, are returned
    unchanged; data frames, lists and tensors are converted. Sparse matrices, text, complex numbers,
    masked values and other objects raise DatasetError.
    """
    if isinstance(A, np.ma.MaskedArray):
        if np.ma.is_masked(A):
            raise DatasetError(
                f"{name}: expected an array of numbers; got masked values; fill them, or leave "
                "their rows out."
            )
        A = np.ma.getdata(A)
    elif isinstance(A, np.matrix):
        A = np.asarray(A)
    is_array = isinstance(A, np.ndarray) and A.dtype.kind != "O"
    if not is_array and not _is_read_by_rows(A):
        A = _convert(A, name)
    if A.dtype.kind not in NUMBERS:
        raise DatasetError(f"{name}: expected an array of numbers; got {A.dtype} values.")
    return A


def _is_read_by_rows(A: Any) -> bool:
    """Return whether ``A`` is read by slices, but is not an array, frame or tensor."""
    dtype = getattr(A, "dtype", None)
    by_rows = isinstance(dtype, np.dtype) and dtype.kind != "O" and not hasattr(A, "iloc")
    return by_rows and hasattr(A, "__array__") and hasattr(A, "__getitem__")


def _convert(A: Any, name: str) -> np.ndarray:
    """Convert to an array with scikit-learn's ``check_array``; raise its errors as DatasetError."""
    from sklearn.utils import check_array  # imported late: readers of files do not need it

    try:
        array = check_array(
            A,
            order="C",
            ensure_all_finite=False,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
        )
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        why = str(error).partition("\n")[0].strip().rstrip(".").replace(". ", "; ")
        raise DatasetError(
            f"{name}: expected an array of numbers; got a {type(A).__name__}: "
            f"{why[:1].lower()}{why[1:]}."
        ) from error
    if array.dtype.kind == "O":
        raise DatasetError(f"{name}: expected an array of numbers; got a {type(A).__name__}.")
    return cast("np.ndarray", array)


def require_finite(A: np.ndarray, name: str, first: int = 0) -> None:
    """Raise DatasetError for the first value that is not finite, with its row and column.

    ``first`` is the number of the first row of ``A`` in a larger array.
    """
    step = max(1, BLOCK // max(1, A.shape[1]))
    for start in range(0, len(A), step):
        block = A[start : start + step]
        # A finite sum quickly proves that all values are finite; the sum of large values can
        # overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = np.isfinite(block.sum())
        if is_finite or not (bad := ~np.isfinite(block)).any():
            continue
        i, j = np.argwhere(bad)[0]
        raise DatasetError(
            f"{name}: expected finite numbers; got {block[i, j]} in row {first + start + i}, "
            f"column {j} (both counted from 0)."
        )


#: Values per block: 16 MiB in float64, large enough for BLAS, and far smaller than a data set.
BLOCK_VALUES = 1 << 21


def l2_rows(A: np.ndarray) -> np.ndarray:
    """Scale every row of ``A`` to unit Euclidean length; rows of zeros stay zero."""
    norm = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(norm > 0, norm, 1)


def positions(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return, for each row of ``A``, the number of the first equal row of ``B``, or -1."""
    row_of: dict[bytes, int] = {}
    for k, row in enumerate(_rows_of_bytes(B)):
        row_of.setdefault(row, k)
    return np.array([row_of.get(row, -1) for row in _rows_of_bytes(A)], dtype=int)


def _rows_of_bytes(A: np.ndarray) -> list[bytes]:
    return [row.tobytes() for row in np.asarray(A, dtype=np.float64) + 0.0]  # converts -0.0 to 0.0


FeatureScaling = Literal["none", "l2", "zscore"]
PrototypeScaling = Literal["none", "l2", "binary"]


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """Scaling of features and prototypes before fitting; part of every RunSpec.

    "l2" scales rows to unit length, "zscore" standardises columns with the mean and standard
    deviation of the training rows, and "binary" is 1 above the column mean, else 0. The calibration
    paper scales prototypes to unit length.
    """

    features: FeatureScaling = "l2"
    prototypes: PrototypeScaling = "l2"

    def __post_init__(self) -> None:
        for field, choices in (
            ("features", ("none", "l2", "zscore")),
            ("prototypes", ("none", "l2", "binary")),
        ):
            if getattr(self, field) not in choices:
                raise ParameterError(
                    f"Preprocessing of {field} must be one of {', '.join(choices)}; "
                    f"got {getattr(self, field)!r}."
                )

    def of_prototypes(self, prototypes: np.ndarray) -> np.ndarray:
        """Return the scaled prototypes as float64, with the same shape."""
        S = np.asarray(prototypes, dtype=np.float64)
        if self.prototypes == "l2":
            return l2_rows(S)
        if self.prototypes == "binary":
            return (S.mean(axis=0) < S).astype(np.float64)
        return S

    def of_features(self, matrix: np.ndarray | Dataset, train: np.ndarray) -> FeatureView:
        """Return a view of all rows of ``matrix``, with a scaling estimated on ``train`` rows."""
        if self.features == "zscore":
            shift, scale = _moments(FeatureView(matrix, train))
            return FeatureView(matrix, shift=shift, scale=scale)
        return FeatureView(matrix, unit=self.features == "l2")


class FeatureView:
    """View of rows of a feature matrix, scaled when they are read.

    The view has ``shape`` and ``len``, is indexed by rows, and is converted to an array by
    ``np.asarray``; only requested rows are read. A row ``x`` of the array, memory map or HDF5 data
    set ``matrix`` is returned as ``(x - shift) * scale``, scaled to unit length if ``unit`` is
    true. ``rows`` are 0-based row numbers, by default all.
    """

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(
        self,
        matrix: np.ndarray | Dataset,
        rows: np.ndarray | None = None,
        *,
        shift: np.ndarray | None = None,
        scale: np.ndarray | None = None,
        unit: bool = False,
    ) -> None:
        self._matrix, self._rows = matrix, rows
        self._shift, self._scale, self._unit = shift, scale, unit

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows of the view, and number of features."""
        return (len(self), self._matrix.shape[1])

    @property
    def matrix(self) -> np.ndarray | Dataset:
        """The underlying matrix with all rows, not scaled."""
        return self._matrix

    @property
    def row_numbers(self) -> np.ndarray | None:
        """Row numbers of the view in ``matrix``; None for all rows."""
        return self._rows

    @property
    def scaling_digest(self) -> str:
        """Digest of the scaling, 16 hex digits."""
        sha = hashlib.sha256(b"unit" if self._unit else b"")
        for array in (self._shift, self._scale):
            sha.update(b"none" if array is None else np.ascontiguousarray(array, "<f8").tobytes())
        return sha.hexdigest()[:16]

    def __len__(self) -> int:
        return self._matrix.shape[0] if self._rows is None else len(self._rows)

    def rows(self, rows: np.ndarray) -> FeatureView:
        """Return a view of some of the rows, without reading them."""
        return self.of(self._matrix, rows if self._rows is None else self._rows[rows])

    def of(self, matrix: np.ndarray | Dataset, rows: np.ndarray | None = None) -> FeatureView:
        """Return a view of another matrix with the same scaling, without reading rows."""
        return FeatureView(matrix, rows, shift=self._shift, scale=self._scale, unit=self._unit)

    def __getitem__(self, key: slice | np.ndarray) -> np.ndarray:
        """Read the rows ``key`` (slice, row numbers or mask) as a float64 array."""
        block = np.array(_take(self._matrix, self._rows, key), dtype=np.float64)
        require_finite(block, "Features, among the rows that were read")
        if self._shift is not None:
            block -= self._shift
        if self._scale is not None:
            block *= self._scale
        if self._unit:
            norm = np.sqrt(np.einsum("ij,ij->i", block, block))
            block /= np.where(norm > 0, norm, 1)[:, None]
        return block

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return self[:].astype(dtype or self.dtype, copy=False)


#: Type of the features for fitting and scoring.
Features = np.ndarray | FeatureView


def _take(
    matrix: np.ndarray | Dataset, rows: np.ndarray | None, key: slice | np.ndarray
) -> np.ndarray:
    """Read only ``matrix[rows][key]``; HDF5 needs increasing, unique row numbers."""
    if rows is None:
        if isinstance(key, slice) or isinstance(matrix, np.ndarray):
            return matrix[key]
        positions = np.flatnonzero(key) if key.dtype == bool else key
    else:
        positions = rows[key]
    if isinstance(matrix, np.ndarray):
        return matrix[positions]
    unique, inverse = np.unique(positions, return_inverse=True)
    return matrix[unique][inverse]


def chunks(X: Features, size: int | None = None) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the rows of an array or view as ``(slice, float64 block)``, by default of 16 MiB."""
    size = size or max(1, BLOCK_VALUES // max(1, X.shape[1]))
    for start in range(0, len(X), size):
        part = slice(start, min(start + size, len(X)))
        yield part, np.asarray(X[part], dtype=np.float64)


def project(X: Features, B: np.ndarray, *, unit: bool = False) -> np.ndarray:
    """Return ``X @ B`` in float64, in one pass; ``unit`` scales rows of ``X`` to length 1."""
    out = np.empty((len(X), B.shape[1]))
    for part, block in chunks(X):
        np.matmul(l2_rows(block) if unit else block, B, out=out[part])
    return out


def squared_distances(X: Features, P: np.ndarray) -> np.ndarray:
    """Return the squared distances between rows of ``X`` and rows of ``P``, in one pass."""
    out = np.empty((len(X), len(P)))
    of_P = np.einsum("ij,ij->i", P, P)
    for part, block in chunks(X):
        of_X = np.einsum("ij,ij->i", block, block)
        out[part] = of_X[:, None] - 2 * block @ P.T + of_P
    return out


def compare(A: np.ndarray, B: np.ndarray, similarity: Literal["cosine", "dot"]) -> np.ndarray:
    """Return the cosines or dot products between rows of ``A`` and rows of ``B``."""
    return l2_rows(A) @ l2_rows(B).T if similarity == "cosine" else A @ B.T


def _moments(X: Features) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and 1 / standard deviation (1 if constant), in two passes for accuracy."""
    mean = sum(block.sum(axis=0) for _, block in chunks(X)) / len(X)
    variance = sum(((block - mean) ** 2).sum(axis=0) for _, block in chunks(X)) / len(X)
    deviation = np.sqrt(variance)
    return mean, 1 / np.where(deviation > 1e-12 * (1 + np.abs(mean)), deviation, 1)
