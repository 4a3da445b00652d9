"""How often the comparison of class names is right, on pairs that a person has labelled.

``data/labelled_pairs.csv`` has the pairs, and how they were chosen; those of some lists were
inspected while the rules were made (*tuned*), the others only afterwards (*held out*).
``data/matching_measured.csv`` has what came out, by ``tools/contamination.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from zslcore.leakage.matching import match_names
from zslcore.leakage.vocabularies import get_vocabulary
from zslcore.storage.files import FACTS

PAIRS, MEASURED = FACTS / "labelled_pairs.csv", FACTS / "matching_measured.csv"
#: The pre-training list of all labelled pairs.
AGAINST = "imagenet-1k"
#: Parts of the file, those that the rules were made on first.
PARTS = ("tuned", "held_out")


@dataclass(frozen=True, slots=True)
class Pair:
    """A class of a list, a class of ImageNet-1K by its first name, and a person's label.

    Attributes
    ----------
    list, name, pretraining_class : names
    label : "same", "part or kind" or "different"
    part : "tuned" or "held_out"
    reason : of the label, where one is written
    """

    list: str
    name: str
    pretraining_class: str
    label: str
    part: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of the comparison on the pairs of one part.

    Attributes
    ----------
    part : "tuned" or "held_out"
    pairs, same, related : number of pairs, of those that are the same and of parts or kinds
    certain, certain_right : pairs called certain, and those of them that are the same
    possible, possible_right : pairs called possible, and those that are the same, part or kind
    same_found, related_found : those called certain or possible
    digest : of the pairs and their answers
    """

    part: str
    pairs: int
    same: int
    related: int
    certain: int
    certain_right: int
    possible: int
    possible_right: int
    same_found: int
    related_found: int
    digest: str

    @property
    def precision(self) -> dict[str, float]:
        """Share of the pairs called certain, and possible, that are so, in [0, 1]."""
        return {
            "certain": self.certain_right / self.certain,
            "possible": self.possible_right / self.possible,
        }

    @property
    def recall(self) -> dict[str, float]:
        """Share of the same pairs that are called certain, and certain or possible, in [0, 1]."""
        return {
            "certain": self.certain_right / self.same,
            "certain or possible": self.same_found / self.same,
        }


def pairs() -> tuple[Pair, ...]:
    """Return the labelled pairs."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return tuple(Pair(*row) for k, row in enumerate(csv.reader(lines)) if k)


def strengths() -> dict[tuple[str, str, str], str]:
    """Return the strength of every match of the classes in the file, list by list."""
    names: dict[str, dict[str, None]] = {}
    for pair in pairs():
        names.setdefault(pair.list, {})[pair.name] = None
    return {
        (list_, match.class_name, match.entry.partition(", ")[0]): match.strength
        for list_, classes in names.items()
        for match in match_names(tuple(classes), get_vocabulary(AGAINST))
    }


def key_of(pair: Pair) -> tuple[str, str, str]:
    """Return what identifies a match."""
    return pair.list, pair.name, pair.pretraining_class


@cache
def certain_by_list() -> Mapping[str, tuple[int, int, int]]:
    """Return of every list its labelled pairs, those called certain, and the same among these."""
    strength_of = strengths()
    found: dict[str, tuple[int, int, int]] = {}
    for pair in pairs():
        n, certain, right = found.get(pair.list, (0, 0, 0))
        is_certain = strength_of.get(key_of(pair)) == "strong"
        of_same = is_certain and pair.label == "same"
        found[pair.list] = (n + 1, certain + is_certain, right + of_same)
    return found


@cache
def measured() -> tuple[Measured, ...]:
    """Return the stored results of ``tools/contamination.py``, one row per part."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    text = {"part", "digest"}
    return tuple(
        Measured(**{k: v if k in text else int(v) for k, v in row.items()})  # type: ignore[arg-type]
        for row in rows
    )


def how_reliable() -> str:
    """Return in two sentences how often the comparison is right, on held-out pairs."""
    of = {row.part: row for row in measured()}["held_out"]
    return (
        f"On {of.pairs} labelled pairs of ImageNet-1K and lists that the comparison was not made "
        f"for, {of.certain_right} of {of.certain} certain ones are the same class "
        f"({of.precision['certain']:.1%}). Of the {of.same} pairs that are, {of.same_found} were "
        f"found certain or possible ({of.recall['certain or possible']:.1%})."
    )
