"""What code from outside does wrong, in one sentence: which function, where, expected, got."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from types import new_class
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from zslcore.exceptions import MethodError, ZSLError
from zslcore.methods.base import MethodCard, ZSLEstimator
from zslcore.texts import clean_text

#: Functions that the package calls, and the places of the rows and of the candidates among the
#: arguments of those that return scores.
_CALLED: dict[str, tuple[int, int] | None] = {
    "fit": None,
    "decision_function": (0, 1),
    "score_map": None,
    "fit_grid": None,
    "score_grid": (4, 5),
    "attribute_grid": None,
}
#: Letters of a message that foreign code raises.
LETTERS = 300


def guarded(method: type[ZSLEstimator], card: MethodCard) -> type[ZSLEstimator]:
    """Return a method with another card whose failures are sentences.

    Parameters
    ----------
    method : class from outside; stays as it is
    card : of the returned class
    """
    members: dict[str, Any] = {"card": card, "__doc__": method.__doc__}
    members |= {"__module__": method.__module__, "__qualname__": method.__qualname__}
    for name, scores in _CALLED.items():
        members[name] = _guard(name, inspect.unwrap(getattr(method, name)), scores)
    if callable(method.seen_penalty):
        members["seen_penalty"] = _guard("seen_penalty", inspect.unwrap(method.seen_penalty), None)
    return new_class(method.__name__, (method,), exec_body=lambda space: space.update(members))


def _guard(
    name: str, function: Callable[..., Any], scores: tuple[int, int] | None
) -> Callable[..., Any]:
    """Return a function of a method that fails in sentences, by the signature of the contract."""
    judge = partial(_require, name=name, scores=scores)

    def call(self: ZSLEstimator, *args: Any) -> Any:
        with _in_a_sentence(self, name, function):
            result = function(self, *args)
        return judge(self, args, result)

    def walk(self: ZSLEstimator, *args: Any) -> Iterator[Any]:
        with _in_a_sentence(self, name, function):
            for result in function(self, *args):
                yield judge(self, args, result)

    contract = getattr(ZSLEstimator, name)
    yields = name in ("fit_grid", "score_grid", "attribute_grid")
    own: Callable[..., Any] = walk if yields else call
    own.__name__ = own.__qualname__ = name
    # Whatever its author calls the arguments, they come in the order of the contract.
    own.__signature__ = inspect.signature(contract or _penalty)  # type: ignore[attr-defined]
    return own


def _penalty(self: ZSLEstimator, X: Any) -> None:
    """Have the signature of a novelty detector."""


@contextmanager
def _in_a_sentence(model: ZSLEstimator, name: str, function: Callable[..., Any]) -> Iterator[None]:
    try:
        yield
    except (ZSLError, NotFittedError, MemoryError):
        raise
    except Exception as error:
        files = _sources(type(model)) or {function.__code__.co_filename}
        raise MethodError(f"{model.card.name}: {failure(error, name, files)}") from error


def _sources(method: type[ZSLEstimator]) -> set[str]:
    """Return the files of the functions that a method from outside adds to those of the package."""
    own = (c for c in method.__mro__[1:] if issubclass(c, ZSLEstimator))
    outside = (c for c in own if c.__module__.partition(".")[0] != "zslcore")
    functions = (inspect.unwrap(f) for c in outside for f in vars(c).values() if callable(f))
    return {code.co_filename for f in functions if (code := getattr(f, "__code__", None))}


def failure(error: BaseException, name: str, files: Collection[str]) -> str:
    """Say which function raised what, in which line of ``files``, and what the message says.

    Parameters
    ----------
    error : what was raised
    name : of the function that was called; one of ``files`` that it called is named instead
    files : paths of the source; none for the place of the error itself
    """
    frames = traceback.extract_tb(error.__traceback__)
    there = [frame for frame in frames if frame.filename in files]
    at = f" in line {there[-1].lineno}" if there else ""
    if there and there[0].name.isidentifier():
        name = there[0].name
    if isinstance(error, SyntaxError) and error.lineno:
        at = f" in line {error.lineno}"
    message = clean_text(str(error).strip().partition("\n")[0], LETTERS)
    end = "" if message.endswith((".", "!", "?")) else "."
    said = f": {message}{end}" if message else " without a message."
    return f"{name} raised {type(error).__name__}{at}{said}"


def _require(
    model: ZSLEstimator,
    args: tuple[Any, ...],
    result: Any,
    *,
    name: str,
    scores: tuple[int, int] | None,
) -> Any:
    """Return what a function gave, refusing what the contract does not allow."""
    who = f"{model.card.name}: {name}"
    if name == "fit" and result is not model:
        raise MethodError(f"{who}: expected to return self; got {type(result).__name__}.")
    if name == "seen_penalty":
        _require_array(result, (len(args[0]),), who)
    if scores is not None:
        X, candidates = (args[place] for place in scores)
        _require_array(result, (len(X), len(candidates)), who)
        _require_numbers(result, who)
    return result


def _require_array(result: Any, shape: tuple[int, ...], who: str) -> None:
    if isinstance(result, np.ndarray) and (result.shape, result.dtype) == (shape, np.float64):
        return
    got = type(result).__name__
    if isinstance(result, np.ndarray):
        got = f"{result.dtype} of shape {result.shape}"
    raise MethodError(f"{who}: expected a float64 array of shape {shape}; got {got}.")


def _require_numbers(F: np.ndarray, who: str) -> None:
    """Refuse scores that are no numbers; minus infinity rules a class out."""
    wrong = ~(np.isfinite(F) | np.isneginf(F))
    empty = np.isneginf(F).all(axis=1) if F.shape[1] else np.zeros(len(F), dtype=bool)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise MethodError(
            f"{who}: expected finite scores; got {F[row, column]} for sample {row}, candidate "
            f"{column} (both counted from 0)."
        )
    if empty.any():
        raise MethodError(
            f"{who}: expected a finite score for every sample; sample {int(empty.argmax())} has "
            "none."
        )
