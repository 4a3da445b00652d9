"""What a review says, blind or not, and the same for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from zslcore.interactive.seen_unseen import SeenUnseen
from zslcore.leakage.cards import Figure, Point, Verdict
from zslcore.leakage.cards.card import Mark, worst_first

WIDTH, INDENT = 96, 8

#: The word of every mark in a review.
WORDS: Mapping[Mark, str] = {"leak": "leak", "warning": "note", "open": "open", "ok": "passed"}
#: An absolute path of any system, as it may stand in a sentence.
_PATH = re.compile(r"(?<![\w<])(?:[A-Za-z]:\\|/)(?:[\w.+~-]+[/\\])+[\w.+~-]*")


@dataclass(frozen=True, slots=True)
class Section:
    """Points on one question; each has the command that repeats it."""

    title: str
    statements: tuple[Point, ...]

    def of(self, *marks: Mark) -> tuple[Point, ...]:
        """Return the statements with these marks, worst first."""
        return worst_first(each for each in self.statements if each.mark in marks)


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """What a reviewer reads of a submission.

    ``verdict`` is the worst of split, pre-training and scores, ``sentence`` its reason. ``table``
    has every protocol, see :func:`zslcore.scores.protocols.side_by_side`; ``caution`` says what
    intervals cover over few classes, ``gamma`` what is known of gamma. ``files`` are (role, name,
    name in a blind review, SHA-256). ``status`` of the command line: 0 clean or questionable, 1 a
    leak, 3 unknown.
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
    def not_stated(self) -> tuple[Point, ...]:
        """What the files leave open, in all sections."""
        return tuple(each for section in self.sections for each in section.of("open"))

    def without(self, names: Mapping[str, str]) -> Review:
        """Return the review with names and paths replaced by their roles, in every text."""

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


def _scrubbed(point: Point, names: Mapping[str, str]) -> Point:
    return replace(
        point,
        title=scrubbed(point.title, names),
        text=scrubbed(point.text, names),
        advice=scrubbed(point.advice, names),
        command=scrubbed(point.command, names),
    )


def scrubbed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names replaced by their roles, and without any path that is left.

    Examples
    --------
    >>> scrubbed("/home/ann/x.npz: a file of /data/ann/run 7.", {"/home/ann/x.npz": "scores.npz"})
    'scores.npz: a file of (path) 7.'
    """
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return _PATH.sub("(path)", text)


def to_text(review: Review) -> str:
    """Return a review as lines; figures are those of the command ``zslcore score``."""
    lines = [review.verdict.upper(), "", *textwrap.wrap(review.sentence, WIDTH), ""]
    for figure in review.figures:
        note = f"  ({figure.note})" if figure.note else ""
        lines.append(f"  {figure.label}: {figure.value}{note}")
    for section in review.sections:
        lines += ["", section.title]
        for point in section.of("leak", "warning", "open", "ok"):
            lines += _lines(point)
    lines += ["", "What was read"]
    lines += [f"  {role}: {name}, SHA-256 {sha}" for role, name, _, sha in review.files]
    lines += ["", "Commands that repeat it", *(f"  {line}" for line in review.commands)]
    return "\n".join(lines) + "\n"


def _lines(point: Point) -> list[str]:
    first, rest = f"{WORDS[point.mark].upper():<{INDENT}}", " " * INDENT
    said = f"{point.title}. {point.text}"
    found = textwrap.wrap(said, WIDTH, initial_indent=first, subsequent_indent=rest)
    if point.advice:
        said = f"-> {point.advice}"
        found += textwrap.wrap(said, WIDTH, initial_indent=rest, subsequent_indent=rest)
    return found
