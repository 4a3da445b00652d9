"""How released codes choose epoch, seed, parameters, gamma and split: ``data/protocols.csv``.

A row is a choice of a code at one commit; a paper may print figures of another version. A figure
that was chosen on test images is an upper *bound*. ``tools.protocols`` checks the table.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

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


#: The list of rows that a code trains on, as its files state it -> its meaning.
TRAINED_ON: Mapping[str, str] = {
    "trainval": "trainval_loc",
    "train": "train_loc, without the validation classes",
    "own": "a list of its own",
    NOT_STATED: "not stated in the files read",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """How a released code makes one choice.

    Attributes
    ----------
    choice, how : see :data:`HOW`
    file, lines : as "112" or "112-115"; empty where the files read state nothing
    says : the content of these lines, in our words
    trained_on : of a split, see :data:`TRAINED_ON`; empty for other choices
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
    trained_on: str
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
        """The meaning of the word for how."""
        return HOW[self.choice][self.how]

    @property
    def record(self) -> dict[str, str]:
        """All columns, with ``meaning`` and ``url``."""
        return asdict(self) | {"meaning": self.meaning, "url": self.url}


@cache
def observed() -> tuple[Choice, ...]:
    """Return all rows of the census, in the order of the file."""
    with CENSUS.open(encoding="utf-8", newline="") as file:
        return tuple(Choice(**row) for row in csv.DictReader(file))


def codes() -> list[str]:
    """Return the names of the codes that were read, oldest paper first."""
    return list(dict.fromkeys(row.code for row in observed()))


def choices_of(code: str) -> list[Choice]:
    """Return the choices of one code; a misspelt name gets the nearest one."""
    if code not in codes():
        raise closest_name("released code", code, codes())
    return [row for row in observed() if row.code == code]


def count_codes(choice: str) -> dict[str, int]:
    """Return the number of codes by how they make a choice, most first."""
    return dict(Counter(row.how for row in observed() if row.choice == choice).most_common())


def codes_by_training_list() -> dict[str, list[str]]:
    """Return the codes by the list that they train on, where that is one of the benchmark's."""
    splits = [row for row in observed() if row.choice == "split"]
    return {
        name: [row.code for row in splits if row.trained_on == name]
        for name in ("trainval", "train")
    }


def trained_in_words() -> str:
    """Return how many codes train on trainval, and which do not, as the end of a sentence."""
    codes = codes_by_training_list()
    n, others = len(codes["trainval"]), codes["train"]
    names = ", ".join(others)
    return f"{n} of the {n + len(others)} released codes with a known list ({names}: train)"


def headline() -> str:
    """Return the number of code bases that select the epoch on test images, in a sentence."""
    return (
        f"{count_codes('epoch').get('test', 0)} of {len(codes())} code bases select the epoch on "
        "test images."
    )


def with_links() -> pd.DataFrame:
    """Return the census with ``meaning`` and ``url``, a row a choice of a code."""
    return pd.DataFrame([row.record for row in observed()])
