"""How released codes choose epoch, seed, parameters, gamma and split: ``data/protocols.csv``.

A row is a choice of a code, with the lines of one commit that show it, as they were read. It says
what the code does at that commit; a paper may print figures of another version. The table is open
to new rows, and its last column to the answers of authors. A figure that was chosen on test images
is an upper *bound*: no other choice, from the same candidates, gives more.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from pathlib import Path

import pandas as pd

from zslcore.exceptions import closest_name
from zslcore.storage.files import FACTS

CENSUS = FACTS / "protocols.csv"
NONE, NOT_STATED = "none", "not stated"
#: What is chosen -> the words for how, each with its meaning.
HOW: Mapping[str, Mapping[str, str]] = {
    "epoch": {
        "test": "best result on test images",
        "validation": "validation classes",
        "last": "last epoch of a fixed number",
        "each": "every epoch printed, none chosen",
        NONE: "nothing to choose",
        NOT_STATED: "not stated in the files read",
    },
    "seed": {
        "one": "one constant",
        "per data set": "one constant per data set",
        "several": "several seeds",
        "drawn": "drawn at random unless given",
        "argument": "given by the user",
        NONE: "nothing is random",
        NOT_STATED: "not stated in the files read",
    },
    "parameters": {
        "test": "best result on test images",
        "validation": "validation classes",
        "given": "constants; how they were found is not stated",
        "per data set": "constants per data set; how they were found is not stated",
        "argument": "given by the user",
        NONE: "nothing to choose",
        NOT_STATED: "not stated in the files read",
    },
    "gamma": {
        "test": "best result on test images",
        "validation": "validation classes",
        "given": "a constant",
        "argument": "given by the user",
        NONE: "no calibration",
        NOT_STATED: "not stated in the files read",
    },
    "split": {
        "proposed": "lists of the proposed split; the version is not stated",
        "first half": "first half of the sorted classes is base",
        "own": "lists of the repository",
        NOT_STATED: "not stated in the files read",
    },
}
#: Most characters of code quoted between backticks, and of a description.
MOST_QUOTED, MOST_SAID = 40, 240
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FILE = re.compile(r"[\w.+-]+(/[\w.+-]+)*")
_LINES = re.compile(r"([1-9]\d*)(?:-([1-9]\d*))?")


@dataclass(frozen=True, slots=True)
class Choice:
    """How a released code makes one choice.

    Attributes
    ----------
    code, paper : its name, and authors, venue and year of its paper
    repository : on GitHub, "owner/name"
    choice, how : what is chosen and the word for how, see :data:`HOW`
    commit, file, lines : where this is seen, lines as "112" or "112-115"; without file and lines
        where the files read state nothing
    says : what is seen there, in our words
    read : day of reading, as "2026-11-23"
    answer : of the authors; empty without one
    """

    code: str
    paper: str
    repository: str
    choice: str
    how: str
    commit: str
    file: str
    lines: str
    says: str
    read: str
    answer: str

    @property
    def url(self) -> str:
        """Address of the lines at this commit; of the commit where no line is named."""
        start = f"https://github.com/{self.repository}"
        if not self.file:
            return f"{start}/tree/{self.commit}"
        first, _, last = self.lines.partition("-")
        return f"{start}/blob/{self.commit}/{self.file}#L{first}" + (f"-L{last}" if last else "")

    @property
    def meaning(self) -> str:
        """What the word for how means."""
        return HOW[self.choice][self.how]


@cache
def observed() -> tuple[Choice, ...]:
    """Return all rows of the census, in the order of the file."""
    return tuple(Choice(**row) for row in _rows(CENSUS))


def codes() -> list[str]:
    """Return the names of the codes that were read, oldest paper first."""
    return list(dict.fromkeys(row.code for row in observed()))


def choices_of(code: str) -> list[Choice]:
    """Return the choices of one code; a misspelt name gets the nearest one."""
    if code not in codes():
        raise closest_name("released code", code, codes())
    return [row for row in observed() if row.code == code]


def counted(choice: str) -> dict[str, int]:
    """Return how many codes make a choice in which way, most first: word -> number of codes."""
    found = Counter(row.how for row in observed() if row.choice == choice)
    return {how: n for how, n in found.most_common() if n}


def headline() -> str:
    """Return the sentence that counts the codes whose epoch is chosen on test images."""
    return (
        f"Of {len(codes())} codes read, {counted('epoch').get('test', 0)} keep the epoch with the "
        "best result on test images, at the commit read."
    )


def with_links() -> pd.DataFrame:
    """Return the census with ``meaning`` and ``url``, a row a choice of a code."""
    names = [field.name for field in fields(Choice)]
    rows = [[getattr(row, name) for name in (*names, "meaning", "url")] for row in observed()]
    return pd.DataFrame(rows, columns=[*names, "meaning", "url"])


# --- What is wrong with the file ----------------------------------------------------------------


def problems(path: Path = CENSUS) -> Iterator[str]:
    """Yield the errors of a census, a sentence each.

    Parameters
    ----------
    path : CSV file with the columns of ``data/protocols.csv``
    """
    expected = [field.name for field in fields(Choice)]
    try:
        rows = _rows(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        yield f"{path.name}: could not be read ({type(error).__name__})."
        return
    if not rows or any(list(row) != expected or None in row.values() for row in rows):
        yield f"{path.name}: expected the columns {', '.join(expected)} in every row."
        return
    for number, row in enumerate(rows, 2):
        for sentence in (*_untidy(row), *_unknown_words(row), *_lost(row)):
            yield f"{path.name}, line {number}: {sentence}"
    yield from (f"{path.name}: {sentence}" for sentence in _incomplete(rows))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _untidy(row: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with texts: spaces, empty cells, long ones, quoted code."""
    for column, value in row.items():
        if value != value.strip():
            yield f"column {column!r}: expected no space at its ends; got {value!r}."
        if not value and column in ("code", "paper", "says"):
            yield f"column {column!r}: expected a text; got none."
    if len(row["says"]) > MOST_SAID:
        yield f"column 'says': expected at most {MOST_SAID} characters; got {len(row['says'])}."
    for quoted in row["says"].split("`")[1::2]:
        if len(quoted) > MOST_QUOTED:
            yield f"expected at most {MOST_QUOTED} characters of code; got {quoted!r}."


def _unknown_words(row: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the choice and the word for how."""
    if row["choice"] not in HOW:
        yield str(closest_name("choice", row["choice"], HOW))
    elif row["how"] not in HOW[row["choice"]]:
        yield str(closest_name(f"word for the {row['choice']}", row["how"], HOW[row["choice"]]))


def _lost(row: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the place and the day: repository, commit, file, lines, date."""
    if not _REPOSITORY.fullmatch(row["repository"]):
        yield f"expected a repository as owner/name; got {row['repository']!r}."
    if not _COMMIT.fullmatch(row["commit"]):
        yield f"expected a commit of 40 hexadecimal digits; got {row['commit']!r}."
    if not row["file"] and row["how"] not in (NONE, NOT_STATED):
        yield f"expected the file that shows {row['how']!r}; got none."
    if row["file"] and (not _FILE.fullmatch(row["file"]) or ".." in row["file"].split("/")):
        yield f"expected a path inside the repository; got {row['file']!r}."
    lines = _LINES.fullmatch(row["lines"])
    if bool(row["file"]) != bool(row["lines"]) or (row["lines"] and not lines):
        yield f"expected lines as 112 or 112-115, with a file only; got {row['lines']!r}."
    elif lines and lines[2] and int(lines[2]) <= int(lines[1]):
        yield f"expected the first line before the last; got {row['lines']!r}."
    try:
        date.fromisoformat(row["read"])
    except ValueError:
        yield f"expected the day of reading as 2026-11-23; got {row['read']!r}."


def _incomplete(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield codes whose choices are not the five, once each, or that have two papers."""
    for code in dict.fromkeys(row["code"] for row in rows):
        of_code = [row for row in rows if row["code"] == code]
        if sorted(row["choice"] for row in of_code) != sorted(HOW):
            got = ", ".join(row["choice"] for row in of_code)
            yield f"{code}: expected each of {', '.join(HOW)} once; got {got}."
        for column in ("paper", "repository"):
            if len(found := {row[column] for row in of_code}) > 1:
                yield f"{code}: expected one {column}; got {' and '.join(sorted(found))}."
