"""Statements of a review: each has a mark and the command that repeats it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from zslcore.interactive.seen_unseen import SeenUnseen
from zslcore.leakage.cards import Figure, Verdict

Mark = Literal["leak", "warning", "open", "ok"]
#: Marks, worst first, and the word of each.
MARKS: Mapping[Mark, str] = {
    "leak": "leak",
    "warning": "note",
    "open": "open",
    "ok": "passed",
}
#: An absolute path of any system, as it may stand in a sentence.
_PATH = re.compile(r"(?<![\w<])(?:[A-Za-z]:\\|/)(?:[\w.+~-]+[/\\])+[\w.+~-]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a review.

    Attributes
    ----------
    mark : Mark
    title : what was looked at
    text : what was found, one sentence
    command : what prints that sentence again
    advice : what to do or to ask the authors, empty for nothing
    """

    mark: Mark
    title: str
    text: str
    command: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Statements on one question."""

    title: str
    statements: tuple[Statement, ...]

    def of(self, *marks: Mark) -> tuple[Statement, ...]:
        """Return the statements with these marks, worst first."""
        order = list(MARKS)
        found = [each for each in self.statements if each.mark in marks]
        return tuple(sorted(found, key=lambda each: order.index(each.mark)))


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """What a reviewer reads of a submission.

    Attributes
    ----------
    verdict : the worst of the split's, the pre-training's and the scores'
    sentence : why
    figures : of the split, of the pre-training and of the scores
    sections : split, overlap with the pre-training, result
    table : every protocol, see :func:`zslcore.scores.protocols.side_by_side`; None without scores
    caution : what the intervals cover over few classes; "" elsewhere
    gamma : what is known of gamma, in words; empty without scores
    curve : interactive; None where there is none
    files : (role, name, name in a blind review, SHA-256) of every file
    command : what repeats the review
    blind : whether names and paths are left out
    status : of the command line: 0 clean or questionable, 1 a leak, 3 unknown
    """

    verdict: Verdict
    sentence: str
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    table: pd.DataFrame | None
    caution: str
    gamma: str
    curve: SeenUnseen | None
    files: tuple[tuple[str, str, str, str], ...]
    command: str
    blind: bool = False
    status: int = field(default=0)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command of the review, that of itself first."""
        said = [each.command for section in self.sections for each in section.statements]
        return tuple(dict.fromkeys([self.command, *said]))

    @property
    def not_stated(self) -> tuple[Statement, ...]:
        """What the files leave open, in all sections."""
        return tuple(each for section in self.sections for each in section.of("open"))

    def without(self, names: Mapping[str, str]) -> Review:
        """Return the review with names and paths replaced, in every text.

        Parameters
        ----------
        names : what is replaced -> its role
        """

        def said(text: str) -> str:
            return scrubbed(text, names)

        curve = self.curve and replace(
            self.curve,
            alt=said(self.curve.alt),
            lines=[replace(line, name=said(line.name)) for line in self.curve.lines],
        )
        return replace(
            self,
            sentence=said(self.sentence),
            figures=tuple(Figure(f.label, said(f.value), said(f.note)) for f in self.figures),
            sections=tuple(
                Section(one.title, tuple(_scrubbed(each, names) for each in one.statements))
                for one in self.sections
            ),
            gamma=said(self.gamma),
            curve=curve,
            files=tuple((role, shown, shown, sha) for role, _, shown, sha in self.files),
            command=said(self.command),
            blind=True,
        )


def _scrubbed(statement: Statement, names: Mapping[str, str]) -> Statement:
    texts = (statement.title, statement.text, statement.command, statement.advice)
    title, text, command, advice = (scrubbed(each, names) for each in texts)
    return Statement(statement.mark, title, text, command, advice)


def scrubbed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names replaced, longest first, and without any path that is left.

    Parameters
    ----------
    text : of a review
    names : what is replaced -> its role

    Examples
    --------
    >>> scrubbed("/home/ann/x.npz: a file of /data/ann/run 7.", {"/home/ann/x.npz": "scores.npz"})
    'scores.npz: a file of (path) 7.'
    """
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return _PATH.sub("(path)", text)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of some verdicts, "Clean" for none."""
    order: tuple[Verdict, ...] = (
        *("Contradicted", "Leaks", "Oracle", "Unknown", "Questionable", "Stated", "Clean"),
    )
    return min(verdicts, key=order.index, default="Clean")
