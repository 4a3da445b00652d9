"""The leaderboard: one JSON per result, checked by machine, shown in one table.

========== =======================================================================================
entry       :mod:`zslcore.board.entry`: the JSON of a result
write       :mod:`zslcore.board.making`: an entry of a run, or of judged scores
check       :mod:`zslcore.board.checking`: which split it was, and what contradicts itself
overlap     :mod:`zslcore.board.checking`: clean, overlapping or unknown
show        :mod:`zslcore.board.table`: rows with intervals and ranks; CSV, LaTeX, HTML of them
curves      :mod:`zslcore.board.table`: a page for each row with predictions, which it links
========== =======================================================================================
"""

from zslcore.board.checking import (
    Board,
    Contamination,
    Judged,
    SplitState,
    packaged_board,
    read_board,
)
from zslcore.board.entry import BoardEntry, read_entry

__all__ = [
    "Board",
    "BoardEntry",
    "Contamination",
    "Judged",
    "SplitState",
    "packaged_board",
    "read_board",
    "read_entry",
]
