"""Numbers that nothing can be computed with: not finite, too large, too small, or singular.

Whatever a method is handed is looked at when it is first read, and whatever the linear algebra
below says of it becomes one sentence; figures that are no numbers are never handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any

import numpy as np

from zslcore.exceptions import DatasetError, ZSLError

__all__ = ["require_finite", "told_in_a_sentence", "wrapped"]

#: What libraries say of such numbers, in errors that also mean other things.
SIGNS = ("nan", "inf", "overflow", "singular", "converge", "not positive definite", "not finite")
#: Values looked at a time.
BLOCK = 1 << 21


def require_finite(A: np.ndarray, what: str, first: int = 0) -> None:
    """Refuse values that are not finite.

    Parameters
    ----------
    A : array of shape (n, m)
    what : whose values these are, the beginning of the sentence
    first : number of the first row, where ``A`` is part of a larger array

    Raises
    ------
    DatasetError
        Names the first such value and its place.
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
    """Whether the square of a value is beyond the range of floating point."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or not array.size:
        return False
    return bool(np.abs(array).max() > np.sqrt(np.finfo(np.float64).max))


def _cannot(name: str, why: str) -> DatasetError:
    return DatasetError(
        f"{name}: expected features and prototypes that its equations can be solved with, got "
        f"numbers that {why}; scale them, or look for huge, tiny and repeated ones."
    )


def wrapped(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``fit``, ``decision_function`` or a grid of a method, its errors told in a sentence.

    Scores that are no numbers are an error, too; minus infinity rules a class out.
    """

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        with told_in_a_sentence(self.card.name, *args):
            result = method(self, *args, **options)
        if isinstance(result, np.ndarray) and np.isnan(result).any():
            raise _cannot(self.card.name, "give scores that are none")
        return result

    @wraps(method)
    def walk(self: Any, *args: Any, **options: Any) -> Iterator[Any]:
        with told_in_a_sentence(self.card.name, *args):
            yield from method(self, *args, **options)

    return walk if isgeneratorfunction(method) else call
