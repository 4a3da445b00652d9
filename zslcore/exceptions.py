"""The errors a caller may catch, each one sentence: where, expected, got."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

#: Names that a misspelt one is compared with, that are listed, and letters of each.
COMPARED, LISTED, LETTERS = 1000, 60, 64


class ZSLError(Exception):
    """Base class of the package's errors; the message is one sentence for the screen."""


class DatasetError(ZSLError):
    """Arrays or splits that are invalid for computation."""


class SplitError(DatasetError):
    """A split that only tests classes it trains on.

    Attributes
    ----------
    dataset, split : names, for a link to the review of the split
    """

    def __init__(self, sentence: str, dataset: str, split: str) -> None:
        super().__init__(sentence)
        self.dataset, self.split = dataset, split


class FileRefusedError(DatasetError):
    """An untrusted file that is damaged, hostile, too large or of another type."""


class NewerVersionError(DatasetError):
    """An intact file of a newer version of this package, unreadable here."""


class MethodError(ZSLError):
    """A method from outside that cannot be loaded, fails, or breaks the contract."""


class ParameterError(ZSLError):
    """A parameter outside the valid range of its formula."""


class UnknownNameError(ZSLError):
    """A data set, split, method or column that does not exist; names the nearest one that does."""


def closest_name(kind: str, name: object, choices: Iterable[str]) -> UnknownNameError:
    """Build the error for a misspelt ``name``, pointing at the nearest of ``choices``.

    Case is ignored when looking for the nearest name, since ``eszsl`` is the likeliest slip. Names
    may come from a file, so that only the first ones and the beginnings of long ones are compared.
    """
    choices = list(choices)
    by_lower = {choice[:LETTERS].lower(): choice for choice in choices[:COMPARED]}
    near = get_close_matches(str(name)[:LETTERS].lower(), by_lower, n=1, cutoff=0.4)
    shown = repr(name if len(str(name)) <= LETTERS else f"{str(name)[:LETTERS]}…")
    if near:
        return UnknownNameError(f"Unknown {kind} {shown}; did you mean {by_lower[near[0]]!r}?")
    listed, more = ", ".join(choice[:LETTERS] for choice in choices[:LISTED]), len(choices) - LISTED
    return UnknownNameError(
        f"Unknown {kind} {shown}; choose from: {listed}{f' and {more:,} more' if more > 0 else ''}."
    )


def require_known(kind: str, name: object, choices: Collection[str]) -> None:
    """Raise the error of :func:`closest_name` unless ``name`` is one of ``choices``."""
    if name not in choices:
        raise closest_name(kind, name, choices)
