"""Which rows come from one photograph, one video or one picture that was changed in several ways.

Identified by the names of the image files: equal names are one photograph, as where several boxes
were cut from it. Frames of a video and augmented copies have names of their own; a pattern gives
the part of a name that they have in common. Or the groups themselves are given.

Some patterns need longer than the age of the world for a name of thirty letters, and while Python
searches, nothing else of its process runs: a pattern is searched in a process of its own, with
limits on time and memory, which costs some hundredths of a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.leakage.words import counted
from zslcore.texts import clean_text

CHILD = Path(__file__).with_name("patterns_child.py")
MAX_PATTERN = 200
#: Processor seconds for all names together; an honest pattern takes a hundredth of one.
SECONDS = 2


def first_groups(names: Sequence[str], pattern: str, *, seconds: int = SECONDS) -> list[str | None]:
    """Return what the first group of ``pattern`` is in each name, None where it is not found.

    Parameters
    ----------
    names : texts
    pattern : regular expression of Python, at most 200 letters, with at least one group
    seconds : processor time for all of them together

    Raises
    ------
    ParameterError
        When it is no regular expression, has no group, takes too long, or is found in no name.
    """
    shown = f"Pattern {clean_text(pattern)!r}"
    if len(pattern) > MAX_PATTERN:
        raise ParameterError(
            f"{shown}: expected at most {MAX_PATTERN} letters, got {len(pattern)}."
        )
    answer = _searched({"names": list(names), "pattern": pattern, "seconds": seconds})
    if answer is None:
        raise ParameterError(
            f"{shown}: takes more than {seconds} s for {len(names):,} names; use a simpler one."
        )
    if refused := answer.get("refused"):
        raise ParameterError(f"{shown}: {clean_text(refused)}.")
    found: list[str | None] = answer["found"]
    if not any(found):
        example = f", the first of which is {clean_text(names[0])!r}" if names else ""
        raise ParameterError(f"{shown}: its first group is found in none of the names{example}.")
    return found


def _searched(request: dict[str, object]) -> dict[str, list[str | None]] | None:
    """Let the child search; None when it gave no answer in time."""
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own file
            [sys.executable, "-I", "-S", "-W", "ignore", str(CHILD)],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=10 + 5 * int(str(request["seconds"])),
            check=False,
        )
        answer: dict[str, list[str | None]] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return answer


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
