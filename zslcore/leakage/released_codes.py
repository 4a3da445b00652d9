"""Choices of epoch, seed, parameters, gamma and split in released code: ``data/protocols.csv``.

Each row is one choice in one code base at one commit; the paper may report metrics of another
version. If a choice is made on test images, the metric is an upper *bound*. ``tools.protocols``
checks the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

import pandas as pd

from zslcore.exceptions import closest_name
from zslcore.storage.files import FACTS, read_csv_rows

CENSUS = FACTS / "protocols.csv"
NONE, NOT_STATED = "none", "not stated"
#: Choice -> ways of making it, each with its meaning.
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
        "given": "constants; their origin is not stated",
        "per data set": "constants per data set; their origin is not stated",
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
        "own": "the repository's own lists",
        NOT_STATED: "not stated in the files read",
    },
}
#: List of training rows that a code base uses according to its files -> meaning of the list.
TRAINED_ON: Mapping[str, str] = {
    "trainval": "trainval_loc",
    "train": "train_loc, without the validation classes",
    "own": "another list",
    NOT_STATED: "not stated in the files read",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice in a released code base.

    Attributes
    ----------
    choice, how : see :data:`HOW`
    file, lines : file, and lines such as "112" or "112-115"; empty if not stated
    says : paraphrase of these lines
    trained_on : for a choice of split, a key of :data:`TRAINED_ON`; else empty
    read : day of reading, such as "2026-11-23"
    answer : answer of the authors; empty without an answer
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
        """URL of the lines at this commit, or of the commit if no lines are given."""
        start = f"https://github.com/{self.repository}"
        if not self.file:
            return f"{start}/tree/{self.commit}"
        first, _, last = self.lines.partition("-")
        return f"{start}/blob/{self.commit}/{self.file}#L{first}" + (f"-L{last}" if last else "")

    @property
    def meaning(self) -> str:
        """Meaning of ``how``."""
        return HOW[self.choice][self.how]

    @property
    def record(self) -> dict[str, str]:
        """All columns, with ``meaning`` and ``url``."""
        return asdict(self) | {"meaning": self.meaning, "url": self.url}


@cache
def all_choices() -> tuple[Choice, ...]:
    """Return all choices in the order of the file."""
    return tuple(Choice(**row) for row in read_csv_rows(CENSUS))


def codes() -> list[str]:
    """Return the names of the code bases, oldest paper first."""
    return list(dict.fromkeys(row.code for row in all_choices()))


def choices_of(code: str) -> list[Choice]:
    """Return the choices of one code base; the error for a misspelt name suggests the closest."""
    if code not in codes():
        raise closest_name("released code", code, codes())
    return [row for row in all_choices() if row.code == code]


def count_codes(choice: str) -> dict[str, int]:
    """Return the number of code bases for each way of making a choice, most frequent first."""
    return dict(Counter(row.how for row in all_choices() if row.choice == choice).most_common())


def codes_by_training_list() -> dict[str, list[str]]:
    """Map the lists "trainval" and "train" to the code bases that train on them."""
    splits = [row for row in all_choices() if row.choice == "split"]
    return {
        name: [row.code for row in splits if row.trained_on == name]
        for name in ("trainval", "train")
    }


def trained_in_words() -> str:
    """Return a clause: the number of code bases that use trainval, and those that use train."""
    codes = codes_by_training_list()
    n, other_codes = len(codes["trainval"]), codes["train"]
    names, uses = " and ".join(other_codes), "uses" if len(other_codes) == 1 else "use"
    return (
        f"{n} of the {n + len(other_codes)} released code bases with a known training list "
        f"({names} {uses} train)"
    )


def headline() -> str:
    """Return a sentence with the number of code bases that select the epoch on test images."""
    return (
        f"{count_codes('epoch').get('test', 0)} of {len(codes())} code bases select the epoch on "
        "test images."
    )


def choices_table() -> pd.DataFrame:
    """Return all choices as a table, one row per choice, with ``meaning`` and ``url``."""
    return pd.DataFrame([row.record for row in all_choices()])
