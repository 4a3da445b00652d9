"""The leaderboard: one JSON per result, checked by machine, shown in one table.

The JSON is :mod:`~zslcore.board.entry`'s, written by :mod:`~zslcore.board.making`, checked by
:mod:`~zslcore.board.checking` and shown by :mod:`~zslcore.board.table`.
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
