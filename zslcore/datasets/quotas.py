"""Limit the disk space of imports.

The limits are ``ZSL_MAX_IMPORT``, ``ZSL_MAX_IMPORTS`` and ``ZSL_IMPORTS_A_VISITOR``, see
:mod:`zslcore.storage.settings`: :class:`zslcore.datasets.sandbox.client.Limits` holds the first,
the app's form the last.
"""

from __future__ import annotations

from pathlib import Path

from zslcore.exceptions import DatasetError
from zslcore.storage import settings

__all__ = ["a_visitor", "refuse_overfull", "size_of"]


def a_visitor() -> int:
    """Return how many imports one visit to the app may make."""
    return settings.IMPORTS_A_VISITOR()


def size_of(root: Path) -> int:
    """Return the bytes of all files in and below a folder."""
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def refuse_overfull(root: Path, name: str) -> None:
    """Refuse one more import where all of them take more than they may.

    Raises
    ------
    DatasetError
        When the folder ``root`` holds more than ``ZSL_MAX_IMPORTS`` bytes.
    """
    most, there = settings.MAX_IMPORTS(), size_of(root)
    if there > most:
        raise DatasetError(
            f"{name}: expected all imports to take at most {most:,} bytes (ZSL_MAX_IMPORTS), got "
            f"{there:,} with this one; remove one in {root} first."
        )
