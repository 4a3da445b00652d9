"""Parts of a score file while it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zslcore.scores.named_matrices import NamedMatrix
from zslcore.texts import clean_text, listed


@dataclass(eq=False)
class ScoreParts:
    """Parts of a score file, each None or empty if the file does not have it.

    ``scores``, ``labels``, ``predicted``, ``class_names`` and the listed classes are those of
    :class:`zslcore.scores.matrix.ScoreFile`; ``seen`` lists the seen classes. ``labels_name`` is
    the title of the labels in the file. ``other_columns`` have an entry per image.
    ``named_matrix`` has the scores in place of ``scores`` if its rows have names; ``second`` has
    the columns or the images of the unseen side, if they are separate. ``is_table`` is True if a
    title, not the position, states the class of a column.
    """

    name: str
    scores: Any = None
    labels: Any = None
    labels_name: str = "labels"
    predicted: Any = None
    unseen: Any = None
    seen: Any = None
    class_names: Sequence[str] = ()
    other_columns: dict[str, np.ndarray] = field(default_factory=dict)
    named_matrix: NamedMatrix | None = None
    second: ScoreParts | None = None
    is_table: bool = False
    lists_seen: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def n_columns(self) -> int:
        """Number of columns of scores; 0 without scores."""
        return 0 if self.scores is None else int(np.shape(self.scores)[1])

    def leave_out(self, columns: Sequence[str], why: str = "not scores of a class") -> None:
        """Add a remark on columns that are not read."""
        if columns:
            named = listed([repr(clean_text(name, 60)) for name in columns], 4)
            title = "Column" if len(columns) == 1 else "Columns"
            self.remarks.append(f"{title} {named}: left out ({why}).")
