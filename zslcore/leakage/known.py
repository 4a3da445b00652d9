"""Split files in circulation, and what is known of the rows that they number.

A split is recognised by the digest of its file, or by the rows of a whole part: parts of the known
splits have at least a thousand rows, so that another split does not agree by accident. Whoever
numbers a benchmark's rows is answered from the facts about them (:mod:`zslcore.datasets.rows`):
class, name of the class and photograph of each row. A split that is not recognised, or whose labels
say otherwise, never is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from zslcore.datasets.base import part_digest
from zslcore.datasets.facts import class_facts, plain_name
from zslcore.datasets.rows import RowFacts, row_facts
from zslcore.files import FACTS
from zslcore.leakage.context import PARTS, AuditContext
from zslcore.leakage.photographs import Photographs

__all__ = [
    "ANSWERED",
    "KnownSplit",
    "agreeing",
    "known_splits",
    "numbers_rows_of",
    "part_digest",
    "published_as",
    "with_facts",
]

#: Where the context says what was answered from facts, and of which benchmark.
ANSWERED = "answered from facts"
#: What that may be, by the field of the context.
WHAT = {
    "labels": "class of each row",
    "class_names": "names of the classes",
    "photographs": "photograph of each row",
}


@dataclass(frozen=True, slots=True, eq=False)
class KnownSplit:
    """A split file that is in circulation.

    Attributes
    ----------
    dataset, name : "AWA1", "PS 2.0"
    sha256 : of the file
    parts : digest of the rows of every part
    counts : rows of every part
    superseded : why it should not be used any more, empty if it should
    """

    dataset: str
    name: str
    sha256: str
    parts: Mapping[str, str]
    counts: Mapping[str, int]
    superseded: str = ""

    def __str__(self) -> str:
        return f"{self.dataset} {self.name}"


@cache
def known_splits() -> tuple[KnownSplit, ...]:
    """Return the split files that ``data/known_splits.toml`` knows."""
    entries = tomllib.loads((FACTS / "known_splits.toml").read_text(encoding="utf-8"))["split"]
    return tuple(KnownSplit(**entry) for entry in entries)


def published_as(context: AuditContext) -> tuple[KnownSplit, ...]:
    """Return the known splits that agree with everything that was given.

    The releases of a proposed split share parts, so that there may be several.
    """
    this_file = [s for s in known_splits() if s.sha256 and s.sha256 == context.file_digest]
    agree = agreeing(context)
    return tuple(this_file or [split for split, (_, other) in agree.items() if not other])


def agreeing(context: AuditContext) -> dict[KnownSplit, tuple[list[str], list[str]]]:
    """Return the parts in which known splits agree with the rows given, and those in which not."""
    given = {part: context.parts[part] for part in PARTS if part in context.parts}
    mine = {part: part_digest(rows) for part, rows in given.items() if rows.size}
    agree = {}
    for split in known_splits():
        same = [part for part in mine if split.parts.get(part) == mine[part]]
        if same:
            agree[split] = same, [part for part in mine if part not in same]
    return agree


def numbers_rows_of(context: AuditContext) -> str | None:
    """Return the benchmark whose own rows a split numbers; None where that is not known.

    Its file is one of the known ones, or at least one whole part has their rows. Simulated data may
    have as many rows, but not those.
    """
    if context.simulated:
        return None
    found = {split.dataset for split in (*published_as(context), *agreeing(context))}
    return found.pop() if len(found) == 1 else None


def with_facts(context: AuditContext) -> AuditContext:
    """Return the context with what is known of the benchmark's rows, and nobody has given.

    Labels, class names and photographs that were given stay. Labels that part the rows otherwise
    than the benchmark's do show that these are other images: then nothing is filled in.
    """
    dataset = numbers_rows_of(context)
    facts = row_facts(dataset) if dataset else None
    if facts is None or not _fits(context, facts):
        return context
    names = tuple(map(str, class_facts(facts.dataset).classes["class"]))
    known = {
        "labels": _labels(context, facts.labels, names),
        "class_names": _class_names(context, facts.labels, names),
        "photographs": _photographs(facts),
    }
    new: dict[str, Any] = {
        field: value
        for field, value in known.items()
        if value is not None and _missing(getattr(context, field))
    }
    if not new:
        return context
    said = f"{facts.dataset}: {', '.join(WHAT[field] for field in new)}"
    told = {**context.facts, ANSWERED: said}
    return replace(context, n_rows=len(facts.labels), facts=told, **new)


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, tuple) and not value)


def _fits(context: AuditContext, facts: RowFacts) -> bool:
    """Whether number of rows and labels, where they were given, are those of the benchmark."""
    n = len(facts.labels)
    if context.n_rows not in (None, n):
        return False
    if context.labels is None:
        return True
    y = facts.labels
    pairs = np.unique(context.labels.astype(np.int64) * (y.max() + 1) + y)
    return len(pairs) == len(np.unique(context.labels)) == len(np.unique(y))


def _labels(context: AuditContext, y: np.ndarray, names: tuple[str, ...]) -> np.ndarray | None:
    """Return the benchmark's labels in the file's order of classes; None for other classes."""
    if not context.class_names:
        return y
    place = {plain_name(name): c for c, name in enumerate(context.class_names)}
    order = [place.get(plain_name(name), -1) for name in names]
    return None if -1 in order or len(place) != len(names) else np.array(order)[y]


def _class_names(
    context: AuditContext, y: np.ndarray, names: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return the names of the classes as the labels that were given number them."""
    if context.labels is None:
        return names
    classes, first = np.unique(context.labels, return_index=True)
    if classes[-1] >= len(classes):
        return None
    return tuple(names[c] for c in y[first])


def _photographs(facts: RowFacts) -> Photographs | None:
    if facts.photographs is None:
        return None
    return Photographs(facts.photographs, f"names released with {facts.dataset}")
