"""Packages that only some uses need: the extras of the installation, and what to do without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from zslcore.exceptions import ZSLError

__all__ = ["MissingExtraError", "extra"]


class MissingExtraError(ZSLError):
    """A package of an extra is not installed."""


@contextmanager
def extra(name: str, package: str, purpose: str) -> Iterator[None]:
    """Turn the failed import of ``package`` in this block into one sentence with the command.

    Parameters
    ----------
    name : of the extra in ``pyproject.toml``, as in ``pip install 'zslcore[maps]'``
    package : top-level module that the block imports
    purpose : what needs it, the beginning of the sentence

    Raises
    ------
    MissingExtraError
        When the package is not installed. Other failed imports pass through: they are errors of
        an installation, not a choice.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingExtraError(
            f"{purpose} needs {package}, which is not installed: pip install 'zslcore[{name}]'."
        ) from None
