"""Steps of a lesson, each with a question, one control and a figure.

The text is in a TOML file with the lesson's name; numbers are computed when a step is shown and
inserted into the sentences at ``{name:format}``.
"""

from __future__ import annotations

import string
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ui.figures.vocabulary import Chart
from ui.shell.numbers import in_points, percent, three_digits


@dataclass(frozen=True, slots=True)
class WordAnswers:
    """Answers that are words."""

    labels: tuple[str, ...]


#: Level of significance.
ALPHA = 0.05
#: Whether a difference is significant.
SIGNIFICANT = WordAnswers(("yes, p is below 5 %", "no, p is above 5 %"))


def significant(p: float) -> str:
    """Return the answer of :data:`SIGNIFICANT` that a p-value gives."""
    return SIGNIFICANT.labels[0 if p < ALPHA else 1]


@dataclass(frozen=True, slots=True)
class Ranges:
    """Answers that are ranges between increasing ``edges``; ``write`` formats an edge."""

    edges: tuple[float, ...]
    write: Callable[[float], str]

    @property
    def labels(self) -> tuple[str, ...]:
        """The ranges as text, lowest first."""
        numbers = [self.write(edge).split()[0] for edge in self.edges]  # without the unit
        between = [f"{a} to {self.write(b)}" for a, b in zip(numbers, self.edges[1:], strict=False)]
        first, last = self.write(self.edges[0]), self.write(self.edges[-1])
        return (f"less than {first}", *between, f"{last} or more")

    def of(self, value: float) -> str:
        """Return the range that contains a value; an edge belongs to the range above it."""
        return self.labels[bisect_right(self.edges, value)]


@dataclass(frozen=True, slots=True)
class Control:
    """The control of a step; the question is about its first option."""

    label: str
    options: tuple[str, ...]
    slider: bool = False


@dataclass(frozen=True, slots=True)
class StepView:
    """Revealed content of a step: figure, right answer, alternative text and observation.

    In a lesson with a TOML file, ``facts`` are the values for its sentences ``alt`` and ``notice``,
    in addition to the ``option`` of the control.
    """

    figure: Chart
    answer: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    alt: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One screen of a lesson; ``see`` computes its view for an option of the control.

    ``data`` are the data sets used by the computation, empty if it uses only counts or printed
    tables; ``context`` returns the text before the question.
    """

    answers: WordAnswers | Ranges
    control: Control
    see: Callable[[str], StepView]
    data: tuple[str, ...] = ()
    context: Callable[[], str] = lambda: ""
    title: str = ""
    ask: str = ""

    def right(self) -> str:
        """Compute and return the right answer."""
        return self.see(self.control.options[0]).answer


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson that takes ``minutes`` in class; ``command`` returns the command that repeats it.

    ``cover`` draws the figure that represents the lesson, and ``caption`` says what it shows,
    without the answer to a step.
    """

    name: str
    title: str
    about: str
    minutes: int
    steps: tuple[Step, ...]
    command: Callable[[], str]
    cover: Callable[[], Chart]
    caption: str


class _Sentences(string.Formatter):
    """Formatter of fractions as percent, differences as points, p-values with three digits."""

    _WRITE: Mapping[str, Callable[[Any], str]] = {
        "percent": percent,
        "points": in_points,
        "size": lambda change: in_points(change).removeprefix("+"),
        "three": three_digits,
        "capital": lambda words: words[:1].upper() + words[1:],
    }

    def format_field(self, value: Any, spec: str) -> str:
        if spec in self._WRITE:
            return self._WRITE[spec](value)
        return str(super().format_field(value, spec))


def read_lesson(
    name: str,
    computed: Mapping[str, Step],
    command: Callable[[], str],
    cover: Callable[[], Chart],
) -> Lesson:
    """Read the lesson in ``<name>.toml``; its entries ``see`` are keys of ``computed``."""
    lesson = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    write = _Sentences().format

    def see(row: Mapping[str, str], option: str) -> StepView:
        view = computed[row["see"]].see(option)
        facts = {"option": option, **view.facts}
        alt, notice = (write(row[words], **facts) for words in ("alt", "notice"))
        return replace(view, alt=alt, notice=notice)

    steps = tuple(
        replace(computed[row["see"]], title=row["title"], ask=row["ask"], see=partial(see, row))
        for row in lesson.pop("step")
    )
    return Lesson(name, **lesson, steps=steps, command=command, cover=cover)
