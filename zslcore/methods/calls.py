"""Checked calls of a method: errors become one sentence, scores are verified.

:class:`zslcore.evaluation.protocol.Problem` uses these functions to fit and score. Messages on
linear algebra name the method and the numerical problem; messages on a plugin name the function and
the line of its file.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from zslcore.exceptions import DatasetError, MethodError, ZSLError
from zslcore.methods.base import ZSLEstimator
from zslcore.texts import clean_text

#: Words in error messages of libraries that point to numbers out of range.
NUMERICAL_WORDS = (
    "nan",
    "inf",
    "overflow",
    "singular",
    "converge",
    "not positive definite",
    "not finite",
)
#: Maximum length of a message from a plugin.
MAX_MESSAGE = 300
_OUT_OF_RANGE = "exceed the floating-point range"


def is_plugin(method: ZSLEstimator | type[ZSLEstimator]) -> bool:
    """Return whether a method is from a file or package of the user."""
    return "@" in method.card.name


@contextmanager
def method_errors(method: ZSLEstimator, *arrays: np.ndarray) -> Iterator[None]:
    """Re-raise errors of a method as one sentence that names the method.

    A numerical error in a method of the package becomes a DatasetError; if squares of ``arrays``
    overflow, any ValueError counts as numerical. An error of a plugin becomes a MethodError.
    """
    name = method.card.name
    try:
        yield
    except (ZSLError, NotFittedError):
        raise
    except MemoryError as error:
        why = str(error).partition("\n")[0] or "memory is exhausted"
        raise DatasetError(
            f"{name}: expected features and candidates that fit into memory; got: "
            f"{why[:1].lower()}{why[1:]}."
        ) from error
    except Exception as error:
        if is_plugin(method):
            files = source_files(type(method))
            raise MethodError(f"{name}: {failure(error, 'the method', files)}") from error
        if why := _numerical_cause(error, arrays):
            raise _numerical_error(name, why) from error
        raise


def _numerical_cause(error: Exception, arrays: Collection[np.ndarray]) -> str:
    """Return the numerical cause of an error; empty if it has another cause."""
    if isinstance(error, np.linalg.LinAlgError):
        return "make a matrix singular"
    if isinstance(error, (ArithmeticError, RuntimeWarning)):
        return _OUT_OF_RANGE
    if isinstance(error, (ValueError, RuntimeError)):
        is_numerical = any(word in str(error).lower() for word in NUMERICAL_WORDS)
        return _OUT_OF_RANGE if is_numerical or any(map(_overflows, arrays)) else ""
    return ""


def _overflows(array: np.ndarray) -> bool:
    largest = np.abs(array).max(initial=0)
    return bool(largest > np.sqrt(np.finfo(np.float64).max))


def _numerical_error(name: str, why: str) -> DatasetError:
    return DatasetError(
        f"{name}: expected features and prototypes for which its equations can be solved; got "
        f"numbers that {why}; scale them, or check for huge, tiny and repeated values."
    )


def require_scores(F: np.ndarray, method: ZSLEstimator, shape: tuple[int, int]) -> np.ndarray:
    """Return the scores of a method after checks; minus infinity rules a class out.

    Raises
    ------
    MethodError
        If the scores are not a float64 array of ``shape``, or if scores of a plugin are NaN or plus
        infinity or rule out all candidates of a sample.
    DatasetError
        If scores of a method of the package are NaN or plus infinity, or rule out all candidates.
    """
    require_array(F, method, shape, "scores")
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(F.sum()):  # the usual case: one pass is enough
            return F
    is_finite = np.isfinite(F)
    is_score = is_finite | np.isneginf(F) & is_finite.any(axis=1, keepdims=True)
    if is_score.all():
        return F
    name = method.card.name
    if not is_plugin(method):
        raise _numerical_error(name, "give NaN or infinite scores")
    row, column = np.argwhere(~is_score)[0]
    raise MethodError(
        f"{name}: expected finite scores; got {F[row, column]} for sample {row}, candidate "
        f"{column} (both counted from 0)."
    )


def require_array(
    array: Any, method: ZSLEstimator, shape: tuple[int, ...], name: str
) -> np.ndarray:
    """Return an array from a method; refuse anything but a float64 array of ``shape``."""
    got = type(array).__name__
    if isinstance(array, np.ndarray):
        if array.shape == shape and array.dtype == np.float64:
            return array
        got = f"{array.dtype} of shape {array.shape}"
    raise MethodError(
        f"{method.card.name}: expected {name}, a float64 array of shape {shape}; got {got}."
    )


def source_files(method: type[ZSLEstimator]) -> set[str]:
    """Return the source files of a plugin's own functions."""
    classes = (c for c in method.__mro__ if issubclass(c, ZSLEstimator))
    foreign = (c for c in classes if c.__module__.partition(".")[0] != "zslcore")
    codes = (getattr(f, "__code__", None) for c in foreign for f in vars(c).values())
    return {code.co_filename for code in codes if code is not None}


def failure(error: BaseException, function: str, files: Collection[str]) -> str:
    """Describe an error: the function that raised it, the line in ``files``, and the message.

    The function is the first one in ``files`` on the stack, else the called ``function``.
    """
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in files]
    line = frames[-1].lineno if frames else None
    if frames and frames[0].name.isidentifier():
        function = frames[0].name
    if isinstance(error, SyntaxError) and error.lineno:
        line = error.lineno
    line_text = f" in line {line}" if line else ""
    message = clean_text(str(error).strip().partition("\n")[0], MAX_MESSAGE)
    end = "" if message.endswith((".", "!", "?")) else "."
    cause = f": {message}{end}" if message else " without a message."
    return f"{function} raised {type(error).__name__}{line_text}{cause}"
