"""Whether test classes were among those that the feature extractor was trained on.

Three states, and the third is never left out: *clean*, *overlapping*, *unknown*. What a result
states of its extractor is taken as stated; which of its test classes that set holds is looked up
here, by the same matching of names that the audit uses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from zslcore.board.entry import BoardEntry
from zslcore.datasets.facts import class_facts
from zslcore.leakage.matching import match_names
from zslcore.leakage.vocabularies import VOCABULARY_NAMES, get_vocabulary

State = Literal["clean", "overlapping", "unknown"]
STATES: tuple[State, ...] = ("clean", "overlapping", "unknown")


@dataclass(frozen=True, slots=True)
class Contamination:
    """What is known of the overlap between test classes and pre-training classes.

    Attributes
    ----------
    state : "clean", "overlapping" or "unknown"
    classes : unseen classes that certainly are in the pre-training set
    related : number of others whose names are related, which only a person can decide
    why : one sentence
    """

    state: State
    classes: tuple[str, ...] = ()
    related: int = 0
    why: str = ""


def contamination_of(entry: BoardEntry) -> Contamination:
    """Return what is known of a result's overlap."""
    return overlap_of(unseen_classes_of(entry), entry.data.pretraining, entry.data.benchmark)


def overlap_of(
    names: Sequence[str], pretraining: Sequence[str], benchmark: str = ""
) -> Contamination:
    """Return how many unseen classes are among those that a feature extractor was trained on.

    Parameters
    ----------
    names : the unseen classes
    pretraining : sets of images, ("none",) for no training; empty where unknown
    benchmark : whose class names resolve ambiguous ones; empty for other data
    """
    if not pretraining:
        return Contamination(
            "unknown", why="The result does not state what the extractor was trained on."
        )
    unheard = [name for name in pretraining if name not in VOCABULARY_NAMES]
    if unheard:
        return Contamination("unknown", why=f"The classes of {unheard[0]} are not known.")
    if not names:
        return Contamination("unknown", why="The result does not name its unseen classes.")
    return _looked_up(tuple(names), tuple(pretraining), benchmark)


def unseen_classes_of(entry: BoardEntry) -> tuple[str, ...]:
    """Return the unseen classes that a result names, or that its benchmark's split has."""
    if entry.unseen_classes or not entry.data.benchmark:
        return entry.unseen_classes
    column = {"PS": "ps", "SS": "ss"}.get(entry.split.name.split()[0] if entry.split.name else "")
    if column is None:
        return ()
    classes = class_facts(entry.data.benchmark).classes
    return tuple(classes["class"][classes[column] == "test"])


@cache
def _looked_up(
    names: tuple[str, ...], vocabularies: tuple[str, ...], benchmark: str
) -> Contamination:
    """Match class names; those of the whole benchmark resolve ambiguous ones."""
    all_names = tuple(class_facts(benchmark).classes["class"]) if benchmark else names
    strengths = defaultdict(set)
    for vocabulary in map(get_vocabulary, vocabularies):
        for match in match_names(names, vocabulary, all_names) if vocabulary.entries else ():
            strengths[match.class_name].add(match.strength)
    sure = tuple(name for name in names if "strong" in strengths[name])
    related = sum(bool(strengths[name]) for name in names) - len(sure)
    where = " and ".join(vocabularies)
    if sure:
        why = f"{len(sure)} of {len(names)} unseen classes are in {where}."
        return Contamination("overlapping", sure, related, why)
    undecided = f" {related} are related to some of its classes." if related else ""
    what = "The extractor was trained on no images." if vocabularies == ("none",) else (
        f"None of {len(names)} unseen classes is certainly in {where}.{undecided}"
    )  # fmt: skip
    return Contamination("clean", (), related, what)
