"""Which rows come from one photograph, one video or one picture that was changed in several ways.

Identified by the names of the image files: equal names are one photograph, as where several boxes
were cut from it. Frames of a video and augmented copies have names of their own; a pattern gives
the part of a name that they have in common. Or the groups themselves are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.leakage.patterns import first_groups
from zslcore.leakage.words import counted
from zslcore.texts import clean_text


@dataclass(frozen=True, slots=True, eq=False)
class Photographs:
    """The photograph of each row.

    Attributes
    ----------
    number : int array of shape (n_rows,)
        Rows with the same number come from the same photograph.
    source : where that is known from, "image_files of res101.mat"
    names : of the photographs, by number; empty where they have none
    by_name : whether the names of files were all that was compared
    """

    number: np.ndarray
    source: str
    names: tuple[str, ...] = ()
    by_name: bool = True

    @classmethod
    def of_names(cls, names: Sequence[str], source: str, pattern: str | None = None) -> Photographs:
        """Identify photographs by the names of their files.

        Parameters
        ----------
        names : one per row; an empty one makes its row a group of its own
        source : where the names are from
        pattern : regular expression, optional
            Its first group is the photograph, video or picture, as ``(.*)_aug[0-9]+`` is of
            ``cat_001_aug3.jpg``. A name in which it is not found stands for itself.

        Raises
        ------
        ParameterError
            When the pattern is none, has no group, takes too long, or is found in no name.
        DatasetError
            When all rows have the same name, which then is no photograph's.
        """
        texts = [str(name) for name in names]
        if pattern:
            found = first_groups(texts, pattern)
            left = sum(part is None for part in found)
            texts = [
                name if part is None else part for name, part in zip(texts, found, strict=True)
            ]
            source = f"{source}, by the pattern {clean_text(pattern)!r}"
            source += f" (not found in {counted(left, 'name')})" if left else ""
        known, number = np.unique(np.array(texts, dtype=object), return_inverse=True)
        if len(texts) > 1 and len(known) == 1:
            raise DatasetError(
                f"{source}: expected different names of image files, got "
                f"{clean_text(known[0])!r} for all {len(texts):,} rows."
            )
        number = number.astype(np.intp)
        nameless = np.flatnonzero([not text for text in texts])
        number[nameless] = len(known) + np.arange(len(nameless))
        names = (*(clean_text(name) for name in known), *[""] * len(nameless))
        return cls(number, source, names)

    @property
    def n(self) -> int:
        """How many photographs there are."""
        return len(np.unique(self.number))

    def name(self, number: int) -> str:
        """Name of a photograph, or its number where it has none."""
        named = self.names[number] if number < len(self.names) else ""
        return named or f"photograph {number}"
