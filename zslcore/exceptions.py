"""The errors a caller may catch, each one sentence: who, what was expected, what came."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "DatasetError",
    "FileRefusedError",
    "NewerVersionError",
    "ParameterError",
    "SplitError",
    "UnknownNameError",
    "ZSLError",
    "closest_name",
]


#: Names that a misspelt one is compared with, that are listed, and letters of each.
COMPARED, LISTED, LETTERS = 1000, 60, 64


class ZSLError(Exception):
    """Anything this package refuses; its text is one sentence fit for the screen."""


class DatasetError(ZSLError):
    """Arrays or splits that nothing can be computed from."""


class SplitError(DatasetError):
    """A split in which nothing is tested that was not trained on.

    Attributes
    ----------
    dataset, split : names, for a link to the review of the split
    """

    def __init__(self, sentence: str, dataset: str, split: str) -> None:
        super().__init__(sentence)
        self.dataset, self.split = dataset, split


class FileRefusedError(DatasetError):
    """A file from outside that is damaged, hostile, too large or not what it claims to be."""


class NewerVersionError(DatasetError):
    """What a newer version of this package has written: whole, and not to be read here."""


class ParameterError(ZSLError):
    """A parameter outside the range in which its formula means anything."""


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
