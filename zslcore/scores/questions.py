"""Questions to the user on known faults of score files.

The same numbers have another meaning if rows are classes, labels start at 1, scores are distances,
or columns are in another order. A recognised fault becomes a :class:`Question`; the user names the
fix, or states that the file is correct as it is. Without an answer, nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

#: Maximum number of names in a question or remark.
MAX_LISTED = 4
#: Name of a fix -> its description; "as-is" answers every question with no.
FIXES: dict[str, str] = {
    "transposed": "rows are classes, and columns are images: transpose the matrix",
    "labels-from-1": "labels and unseen classes are counted from 1",
    "unused-column": "the first column belongs to no class: leave it out; labels start at 1",
    "unused-last-column": "the last column belongs to no class: leave it out",
    "seen-listed": "the list contains the seen classes: treat all other classes as unseen",
    "distances": "smaller values mean closer classes: change the sign of the scores",
    "seen-first": "columns are the seen classes in order of their numbers, then the unseen ones",
    "unseen-first": "columns are the unseen classes in order of their numbers, then the seen ones",
    "within-sides": "labels number the classes of each side: renumber the labels as the columns",
    "unnamed": "the class names do not fit the columns: leave them out and number the columns",
    "same-class": "columns that share a name are one class: use the largest of their scores",
    "all-unseen": "the model was trained on no class: treat all as unseen (pure zero-shot)",
    "as-is": "the file is correct as it is",
}


@dataclass(frozen=True, slots=True)
class Question:
    """Question about a file that only its owner can answer.

    ``fix``, a key of :data:`FIXES`, is applied if the answer is yes; ``sentence`` ends with the
    question. An ``open`` question must be answered before any computation; "as-is" answers any
    other question.
    """

    fix: str
    sentence: str
    open: bool = False


class UnansweredError(Exception):
    """Question that ends an interpretation; ``interpret`` returns it."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.sentence)
        self.question = question


def ask_owner(fix: str, sentence: str, *, open: bool = False) -> NoReturn:  # noqa: A002 - as in Question
    """End the interpretation of a file with a question."""
    raise UnansweredError(Question(fix, sentence, open))
