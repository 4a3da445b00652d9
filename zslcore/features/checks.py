"""Check what a method takes and gives: arrays of numbers, finite ones, and one sentence otherwise.

Every argument becomes an array before a method sees it; frames, lists and tensors are converted,
arrays and what is read row by row stay the same object. What the linear algebra below reports
becomes one sentence; scores that are no numbers are never returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import BoundArguments, isgeneratorfunction, signature
from typing import Any, TypeVar, cast

import numpy as np

from zslcore.exceptions import DatasetError, ZSLError

Method = TypeVar("Method", bound=Callable[..., Any])

#: Arguments of methods that are arrays, and what a sentence calls them.
ARRAYS = {
    "X": "features",
    "X_test": "features",
    "unlabeled": "features",
    "y": "labels",
    "prototypes": "prototypes",
    "candidates": "prototypes",
}
#: Kinds of dtype that are numbers: booleans, whole numbers and floating point.
NUMBERS = "biuf"

#: What libraries say of such numbers, in errors that also mean other things.
SIGNS = ("nan", "inf", "overflow", "singular", "converge", "not positive definite", "not finite")
#: Values looked at a time.
BLOCK = 1 << 21


def as_array(A: Any, what: str) -> Any:
    """Return ``A`` as an array of numbers.

    Arrays, memory maps and what is read row by row, such as an HDF5 data set, stay the same object;
    frames, lists and tensors are converted. Sparse matrices, text, complex numbers, masked values
    and whatever is no array raise DatasetError.
    """
    if isinstance(A, np.ma.MaskedArray):
        if np.ma.is_masked(A):
            raise DatasetError(
                f"{what}: expected an array of numbers, got one with masked values; fill them, or "
                "leave their rows out."
            )
        A = np.ma.getdata(A)
    elif isinstance(A, np.matrix):
        A = np.asarray(A)
    is_array = isinstance(A, np.ndarray) and A.dtype.kind != "O"
    if not is_array and not _is_read_by_rows(A):
        A = _converted(A, what)
    if A.dtype.kind not in NUMBERS:
        raise DatasetError(f"{what}: expected an array of numbers, got {A.dtype} values.")
    return A


def _is_read_by_rows(A: Any) -> bool:
    """Whether ``A`` is sliced like an array without being one; frames and tensors are not."""
    dtype = getattr(A, "dtype", None)
    by_rows = isinstance(dtype, np.dtype) and dtype.kind != "O" and not hasattr(A, "iloc")
    return by_rows and hasattr(A, "__array__") and hasattr(A, "__getitem__")


def _converted(A: Any, what: str) -> np.ndarray:
    """Return an array of what scikit-learn takes for one; its refusals as one sentence."""
    from sklearn.utils import check_array  # not at the top: files are read without scikit-learn

    try:
        found = check_array(A, order="C", ensure_all_finite=False, ensure_2d=False,
                            allow_nd=True, ensure_min_samples=0, ensure_min_features=0)  # fmt: skip
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        why = str(error).partition("\n")[0].strip().rstrip(".").replace(". ", "; ")
        raise DatasetError(
            f"{what}: expected an array of numbers, got a {type(A).__name__}: "
            f"{why[:1].lower()}{why[1:]}."
        ) from error
    if found.dtype.kind == "O":
        raise DatasetError(f"{what}: expected an array of numbers, got a {type(A).__name__}.")
    return cast("np.ndarray", found)


def require_finite(A: np.ndarray, what: str, first: int = 0) -> None:
    """Refuse values that are not finite; the sentence names the first and its place.

    ``first`` is the number of the first row, where ``A`` is part of a larger array.
    """
    step = max(1, BLOCK // max(1, A.shape[1]))
    for start in range(0, len(A), step):
        block = A[start : start + step]
        # A sum tells at once that all is well; large numbers may make it overflow all the same.
        with np.errstate(over="ignore", invalid="ignore"):
            well = np.isfinite(block.sum())
        if well or not (bad := ~np.isfinite(block)).any():
            continue
        i, j = np.argwhere(bad)[0]
        raise DatasetError(
            f"{what}: expected finite numbers, got {block[i, j]} in row {first + start + i}, "
            f"column {j} (both counted from 0)."
        )


@contextmanager
def told_in_a_sentence(name: str, *arrays: object) -> Iterator[None]:
    """Turn what libraries say of numbers they cannot compute with into one sentence on ``name``.

    Where ``arrays`` are so large that their squares overflow, any error of a value is meant.
    """
    try:
        yield
    except ZSLError:
        raise
    except MemoryError as error:
        why = str(error).partition("\n")[0] or "there is no more of it"
        raise DatasetError(
            f"{name}: expected features and candidates that fit into memory, got: "
            f"{why[:1].lower()}{why[1:]}."
        ) from error
    except np.linalg.LinAlgError as error:
        raise _cannot(name, "make a matrix singular") from error
    except (FloatingPointError, OverflowError, ZeroDivisionError, RuntimeWarning) as error:
        raise _cannot(name, "leave the range of floating point") from error
    except (ValueError, RuntimeError) as error:
        said = any(sign in str(error).lower() for sign in SIGNS)
        if not said and not any(map(_overflows, arrays)):
            raise
        raise _cannot(name, "leave the range of floating point") from error


def _overflows(array: object) -> bool:
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or not array.size:
        return False
    return bool(np.abs(array).max() > np.sqrt(np.finfo(np.float64).max))


def _cannot(name: str, why: str) -> DatasetError:
    return DatasetError(
        f"{name}: expected features and prototypes that its equations can be solved with, got "
        f"numbers that {why}; scale them, or look for huge, tiny and repeated ones."
    )


def wrapped(method: Method) -> Method:
    """Return a function of a method that takes arrays and reports its errors in a sentence.

    Arguments named in :data:`ARRAYS` become arrays before the function sees them. Scores that are
    no numbers are an error, too; minus infinity rules a class out.
    """
    takes = signature(method)

    def bound(*args: Any, **options: Any) -> BoundArguments:
        given = takes.bind(*args, **options)
        for name in ARRAYS.keys() & given.arguments.keys():
            if given.arguments[name] is not None or takes.parameters[name].default is not None:
                what = f"{args[0].card.name}, {ARRAYS[name]}"
                given.arguments[name] = as_array(given.arguments[name], what)
        return given

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        given = bound(self, *args, **options)
        with told_in_a_sentence(self.card.name, *given.args):
            return _require_scores(method(*given.args, **given.kwargs), self.card.name)

    @wraps(method)
    def walk(self: Any, *args: Any, **options: Any) -> Iterator[Any]:
        given = bound(self, *args, **options)
        with told_in_a_sentence(self.card.name, *given.args):
            for result in method(*given.args, **given.kwargs):
                yield _require_scores(result, self.card.name)

    return cast("Method", walk if isgeneratorfunction(method) else call)


def _require_scores(result: Any, name: str) -> Any:
    """Return ``result``; refuse scores with NaN, and samples that no candidate has a score for."""
    if not isinstance(result, np.ndarray) or result.dtype.kind != "f" or not result.size:
        return result
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(result.sum()):  # the usual case, at the cost of one pass
            return result
    number = np.isfinite(result)
    ruled_out = np.isneginf(result) & (result.ndim == 1 or number.any(axis=-1, keepdims=True))
    if not (number | ruled_out).all():
        raise _cannot(name, "give scores that are none")
    return result
