"""How often the comparison of class names is right, on pairs that a person has labelled.

``data/labelled_pairs.csv`` has the pairs, and how they were chosen; those of some lists were
inspected while the rules were made (*tuned*), the others only afterwards (*held out*).
``data/matching_measured.csv`` has what came out, by :func:`write_measured`.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

from zslcore.leakage.matching import match_names
from zslcore.leakage.vocabularies import get_vocabulary
from zslcore.storage.files import FACTS, written_whole

__all__ = [
    "Measured",
    "Pair",
    "certain_by_list",
    "how_reliable",
    "measure",
    "measured",
    "pairs",
    "stale_measured",
    "unlabelled",
    "write_measured",
]

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


def _strengths() -> dict[tuple[str, str, str], str]:
    """Return the strength of every match of the classes in the file, list by list."""
    names: dict[str, dict[str, None]] = {}
    for pair in pairs():
        names.setdefault(pair.list, {})[pair.name] = None
    return {
        (list_, match.class_name, match.entry.partition(", ")[0]): match.strength
        for list_, classes in names.items()
        for match in match_names(tuple(classes), get_vocabulary(AGAINST))
    }


def unlabelled() -> Iterator[tuple[str, str, str]]:
    """Yield certain matches of classes in the file that have no label."""
    labelled = set(map(_key, pairs()))
    for key, strength in _strengths().items():
        if strength == "strong" and key not in labelled:
            yield key


def measure() -> tuple[Measured, ...]:
    """Compare the labelled pairs now; returns a row a part."""
    strength_of = _strengths()
    return tuple(_measure_part(part, strength_of) for part in PARTS)


def _measure_part(part: str, strength_of: dict[tuple[str, str, str], str]) -> Measured:
    of_part = [pair for pair in pairs() if pair.part == part]
    answers = [(pair.label, strength_of.get(_key(pair), "")) for pair in of_part]

    def n(labels: tuple[str, ...], strengths: tuple[str, ...]) -> int:
        return sum(label in labels and strength in strengths for label, strength in answers)

    same, related, wrong = ("same",), ("part or kind",), ("different",)
    every = (*same, *related, *wrong)
    lines = [f"{asdict(pair)} {answer}" for pair, answer in zip(of_part, answers, strict=True)]
    return Measured(
        part=part,
        pairs=len(of_part),
        same=n(same, ("strong", "weak", "")),
        related=n(related, ("strong", "weak", "")),
        certain=n(every, ("strong",)),
        certain_right=n(same, ("strong",)),
        possible=n(every, ("weak",)),
        possible_right=n((*same, *related), ("weak",)),
        same_found=n(same, ("strong", "weak")),
        related_found=n(related, ("strong", "weak")),
        digest=hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
    )


def _key(pair: Pair) -> tuple[str, str, str]:
    return pair.list, pair.name, pair.pretraining_class


@cache
def certain_by_list() -> Mapping[str, tuple[int, int, int]]:
    """Return of every list its labelled pairs, those called certain, and the same among these."""
    strength_of = _strengths()
    found: dict[str, tuple[int, int, int]] = {}
    for pair in pairs():
        n, certain, right = found.get(pair.list, (0, 0, 0))
        is_certain = strength_of.get(_key(pair)) == "strong"
        of_same = is_certain and pair.label == "same"
        found[pair.list] = (n + 1, certain + is_certain, right + of_same)
    return found


@cache
def measured() -> tuple[Measured, ...]:
    """Return the stored results of :func:`measure`, one row per part."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    text = {"part", "digest"}
    return tuple(
        Measured(**{k: v if k in text else int(v) for k, v in row.items()})  # type: ignore[arg-type]
        for row in rows
    )


def write_measured(path: Path = MEASURED) -> None:
    """Compare the labelled pairs again and write the file."""
    text = io.StringIO()
    table = csv.DictWriter(text, [f.name for f in fields(Measured)], lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(row) for row in measure())
    with written_whole(path) as file:
        file.write(text.getvalue().encode())
    measured.cache_clear()


def stale_measured() -> Iterator[str]:
    """Yield a sentence where the comparison differs from its stored results."""
    if measure() != measured():
        yield "labelled_pairs.csv: measured of other pairs, or with other rules."


def how_reliable() -> str:
    """Return in two sentences how often the comparison is right, on held-out pairs."""
    of = {row.part: row for row in measured()}["held_out"]
    return (
        f"On {of.pairs} labelled pairs of ImageNet-1K and lists that the comparison was not made "
        f"for, {of.certain_right} of {of.certain} certain ones are the same class "
        f"({of.precision['certain']:.1%}). Of the {of.same} pairs that are, {of.same_found} were "
        f"found certain or possible ({of.recall['certain or possible']:.1%})."
    )
