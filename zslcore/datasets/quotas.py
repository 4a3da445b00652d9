"""How much room imports may take, so that nobody fills the disk for everybody.

=========================  ==========  ===========================================================
variable                   default     what it limits
=========================  ==========  ===========================================================
``ZSL_MAX_IMPORT``         4 GiB       bytes that the files of one import may unpack to
``ZSL_MAX_IMPORTS``        64 GiB      bytes of all imports together
``ZSL_IMPORTS_A_VISITOR``  20          imports of one visit to the app
=========================  ==========  ===========================================================

The first is held by :class:`zslcore.datasets.door.Limits`, the last by the app's form.
"""

from __future__ import annotations

import os
from pathlib import Path

from zslcore.exceptions import DatasetError

__all__ = ["a_visitor", "refuse_overfull", "size_of"]


def a_visitor() -> int:
    """Return how many imports one visit to the app may make."""
    return int(os.environ.get("ZSL_IMPORTS_A_VISITOR", 20))


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
    most, there = int(os.environ.get("ZSL_MAX_IMPORTS", 64 << 30)), size_of(root)
    if there > most:
        raise DatasetError(
            f"{name}: expected all imports to take at most {most:,} bytes (ZSL_MAX_IMPORTS), got "
            f"{there:,} with this one; remove one in {root} first."
        )
