"""Test classes among the classes that a feature extractor was trained on, counted in one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from zslcore.leakage.context import AuditContext
from zslcore.leakage.matching import Match, match_names
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.wordnet import readable

OVERLAP_COLUMNS = (
    *("number", "class", "strength", "match", "rule", "evidence"),
    *("matches", "decision", "counts"),
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """A test class, its matches, strongest first, and a person's "confirmed", "rejected" or "".

    ``number`` is its place among the classes that were compared, or its row of ``prototypes``.
    """

    number: int
    class_name: str
    matches: tuple[Match, ...]
    decision: str = ""

    @property
    def strength(self) -> str:
        """The strength of the best match."""
        return self.matches[0].strength if self.matches else ""

    @property
    def counts(self) -> bool:
        """Whether the class is taken as known to the extractor."""
        return self.decision == "confirmed" or (
            self.strength == "strong" and self.decision != "rejected"
        )

    @property
    def open(self) -> bool:
        """Whether a person has to decide."""
        return bool(self.matches) and not self.counts and not self.decision

    @property
    def row(self) -> tuple[object, ...]:
        """The class in the table, see :func:`overlap_table`."""
        match = ("none", "", "", "")
        if self.matches:
            best = self.matches[0]
            match = (best.strength, best.entry, best.rule, best.evidence)
        decision = self.decision if self.matches or self.counts else ""
        counted = (len(self.matches), decision or "open", self.counts)
        return (self.number, self.class_name, *match, *counted)


def overlaps(
    names: Sequence[str],
    vocabulary: Vocabulary,
    others: Sequence[str] = (),
    decisions: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Overlap, ...]:
    """Compare classes with a vocabulary; return every class, in the order given.

    ``others`` are all classes of the data set, which decide what ambiguous names mean.
    """
    found: dict[str, list[Match]] = defaultdict(list)
    for match in match_names(names, vocabulary, others):
        found[match.class_name].append(match)
    decided = {readable(name): decision for name, decision in decisions.items()}
    return tuple(
        Overlap(k, name, tuple(found[name]), decided.get(readable(name), ""))
        for k, name in enumerate(names)
    )


def overlaps_of_split(
    context: AuditContext, vocabulary: Vocabulary, classes: Iterable[int] | None = None
) -> tuple[Overlap, ...]:
    """Compare the unseen classes of a split, or other rows of its prototypes, with a vocabulary."""
    rows = [int(c) for c in (context.known_unseen_classes if classes is None else classes)]
    decisions = context.decisions.get(vocabulary.name, {})
    found = overlaps(context.names(rows), vocabulary, context.class_names, decisions)
    return tuple(replace(each, number=rows[each.number]) for each in found)


def certain_and_possible(
    names: Sequence[str], vocabularies: Iterable[Vocabulary], others: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the classes that certainly are in one of the vocabularies, and those that may be."""
    found = [overlaps(names, vocabulary, others) for vocabulary in vocabularies]
    strengths = [{row[k].strength for row in found} for k in range(len(names))]
    certain = tuple(n for n, s in zip(names, strengths, strict=True) if "strong" in s)
    possible = tuple(
        n for n, s in zip(names, strengths, strict=True) if "weak" in s and "strong" not in s
    )
    return certain, possible


def overlap_table(
    context: AuditContext, vocabulary: Vocabulary, classes: Iterable[int] | None = None
) -> pd.DataFrame:
    """Return every unseen class, or others, with its best match, the most certain first.

    ``number`` is the row of the prototypes, ``matches`` says how many, ``counts`` whether the class
    is taken as known.
    """
    if classes is None and context.unseen_classes is None:
        classes = ()
    found = overlaps_of_split(context, vocabulary, classes)
    names = context.class_names  # as pages and decisions know them
    rows = [
        replace(each, class_name=names[each.number]).row if each.number < len(names) else each.row
        for each in found
    ]
    table = pd.DataFrame(rows, columns=list(OVERLAP_COLUMNS))
    rank = table["strength"].map({"strong": 0, "weak": 1, "none": 2})
    return table.iloc[np.argsort(rank.to_numpy(dtype=float), kind="stable")].reset_index(drop=True)
