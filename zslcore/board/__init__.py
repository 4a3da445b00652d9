"""Leaderboard: one JSON per result, checked automatically, shown in one table.

:mod:`~zslcore.board.entry` defines the JSON, :mod:`~zslcore.board.making` writes it,
:mod:`~zslcore.board.checking` checks it, and :mod:`~zslcore.board.table` shows it.
"""

from zslcore.board.checking import (
    Board,
    CheckedEntry,
    packaged_board,
    read_board,
)
from zslcore.board.entry import BoardEntry, read_entry

__all__ = [
    "Board",
    "BoardEntry",
    "CheckedEntry",
    "packaged_board",
    "read_board",
    "read_entry",
]
