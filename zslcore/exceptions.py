"""The errors a caller may catch, each one sentence: who, what was expected, what came."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "DatasetError",
    "FileRefusedError",
    "ParameterError",
    "UnknownNameError",
    "ZSLError",
    "closest_name",
]


class ZSLError(Exception):
    """Anything this package refuses; its text is one sentence fit for the screen."""


class DatasetError(ZSLError):
    """Arrays or splits that nothing can be computed from."""


class FileRefusedError(DatasetError):
    """A file from outside that is damaged, hostile, too large or not what it claims to be."""


class ParameterError(ZSLError):
    """A parameter outside the range in which its formula means anything."""


class UnknownNameError(ZSLError):
    """A data set, split, method or column that does not exist; names the nearest one that does."""


def closest_name(kind: str, name: object, choices: Iterable[str]) -> UnknownNameError:
    """Build the error for a misspelt ``name``, pointing at the nearest of ``choices``.

    Case is ignored when looking for the nearest name, since ``eszsl`` is the likeliest slip.
    """
    by_lower = {choice.lower(): choice for choice in choices}
    near = get_close_matches(str(name).lower(), by_lower, n=1, cutoff=0.4)
    if near:
        return UnknownNameError(f"Unknown {kind} {name!r}. Did you mean {by_lower[near[0]]!r}?")
    return UnknownNameError(
        f"Unknown {kind} {name!r}. Choose from: {', '.join(by_lower.values())}."
    )
