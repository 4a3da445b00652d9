"""What a lesson is made of: steps, each with a question to predict, one control and a picture.

A lesson is data. No number is written into its text: what a step says is made from what it computed
when it is shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import plotly.graph_objects as go

__all__ = ["Answers", "Control", "Lesson", "Ranges", "Step", "View", "Words"]


class Answers(Protocol):
    """What may be predicted."""

    @property
    def labels(self) -> Sequence[str]:
        """The answers, as they are read."""


@dataclass(frozen=True, slots=True)
class Words:
    """Answers in words."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranges:
    """Answers that are ranges of a number.

    Attributes
    ----------
    edges : between two ranges, rising
    write : a number as text
    """

    edges: tuple[float, ...]
    write: Callable[[float], str]

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the ranges in words."""
        between = [f"{self.write(a)} to {self.write(b)}" for a, b in pairwise(self.edges)]
        first, last = self.write(self.edges[0]), self.write(self.edges[-1])
        return (f"less than {first}", *between, f"{last} or more")

    def of(self, value: float) -> str:
        """Return the range that has a value; an edge belongs to the range above it."""
        return self.labels[bisect_right(self.edges, value)]


@dataclass(frozen=True, slots=True)
class Control:
    """The one control of a step; its first option is what the question is about."""

    label: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a step shows once it is revealed.

    Attributes
    ----------
    figure : go.Figure
    alt : what it shows, for those who cannot see it
    notice : one sentence of what to notice
    answer : the right one of the step's answers
    """

    figure: go.Figure
    alt: str
    notice: str
    answer: str


@dataclass(frozen=True, slots=True)
class Step:
    """One screen of a lesson.

    Attributes
    ----------
    title : what it is about
    ask : what is to be predicted
    answers : what may be predicted
    control : the one control
    see : an option of the control -> what is shown
    data : names of the data sets that it computes on; none for counts and tables as printed
    context : makes the text before the question
    """

    title: str
    ask: str
    answers: Answers
    control: Control
    see: Callable[[str], View]
    data: tuple[str, ...] = ()
    context: Callable[[], str] = lambda: ""

    def right(self) -> str:
        """Return the right answer, computed."""
        return self.see(self.control.options[0]).answer


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    name : in the address
    title, about : its heading, and one sentence about it
    minutes : that it takes in a class
    steps : in their order
    command : makes the line that repeats it
    """

    name: str
    title: str
    about: str
    minutes: int
    steps: tuple[Step, ...]
    command: Callable[[], str]
