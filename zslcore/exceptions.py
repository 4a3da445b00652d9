"""Errors for callers to catch; a message has the location, and expected and actual content."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

#: Limits: names compared with a misspelt name, names in a message, and characters of a name.
COMPARED, LISTED, LETTERS = 1000, 60, 64


class ZSLError(Exception):
    """Base class of the package's errors; the message is one sentence."""


class DatasetError(ZSLError):
    """Arrays or splits that are invalid for computation."""


class SplitError(DatasetError):
    """A split in which all test classes are training classes.

    Attributes
    ----------
    dataset, split : names, for a link to the audit of the split
    """

    def __init__(self, sentence: str, dataset: str, split: str) -> None:
        super().__init__(sentence)
        self.dataset, self.split = dataset, split


class FileRefusedError(DatasetError):
    """An untrusted file that is damaged, hostile, too large or of another type."""


class DoubtfulScoresError(DatasetError):
    """Scores that seem to have another meaning; the fix "as-is" accepts them."""


class NewerVersionError(DatasetError):
    """An intact file of a newer version of this package, unreadable here."""


class MethodError(ZSLError):
    """An external method that cannot be loaded, fails, or violates the contract."""


class ParameterError(ZSLError):
    """An invalid parameter, option or setting."""


class UnknownNameError(ZSLError):
    """An unknown name of a data set, split, method or column; the message has the closest name."""


def closest_name(kind: str, name: object, choices: Iterable[str]) -> UnknownNameError:
    """Return the error for a misspelt ``name``, with the closest of ``choices``.

    The comparison ignores case, since slips like ``eszsl`` are the most frequent. Choices can come
    from a file, so only the first ``COMPARED`` are compared, by their first ``LETTERS`` characters.
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
