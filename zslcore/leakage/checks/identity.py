"""ZSL010: which known split this is, or what it differs from."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from zslcore.files import FACTS
from zslcore.leakage.context import PARTS, AuditContext
from zslcore.leakage.report import Evidence, Finding, Severity
from zslcore.leakage.words import listed

__all__ = ["KnownSplit", "known_split", "known_splits", "part_digest", "published_as"]


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


def part_digest(rows: np.ndarray) -> str:
    """SHA-256 over the sorted, distinct, 0-based rows of a part, 16 hex digits."""
    return hashlib.sha256(np.unique(rows).astype("<i8").tobytes()).hexdigest()[:16]


def published_as(context: AuditContext) -> tuple[KnownSplit, ...]:
    """Return the known splits that agree with everything that was given.

    The releases of a proposed split share parts, so that there may be several.
    """
    this_file = [s for s in known_splits() if s.sha256 and s.sha256 == context.file_digest]
    agree = _agreeing(context)
    return tuple(this_file or [split for split, (_, other) in agree.items() if not other])


def _agreeing(context: AuditContext) -> dict[KnownSplit, tuple[list[str], list[str]]]:
    """Return the parts in which known splits agree with the rows given, and those in which not."""
    given = {part: context.parts[part] for part in PARTS if part in context.parts}
    mine = {part: part_digest(rows) for part, rows in given.items() if rows.size}
    agree = {}
    for split in known_splits():
        same = [part for part in mine if split.parts.get(part) == mine[part]]
        if same:
            agree[split] = same, [part for part in mine if part not in same]
    return agree


def known_split(context: AuditContext) -> Iterator[Finding]:
    """ZSL010: the same as a known split, a variant of one, or unknown."""
    agree, these = _agreeing(context), published_as(context)
    if len(these) == 1:
        same = "the published file" if context.file_digest == these[0].sha256 else "its rows"
        yield _known(these[0], same)
    elif these:
        yield _one_of(these, agree[these[0]][0])
    elif agree:
        fewest = min(len(other) for _, other in agree.values())
        nearest = tuple(split for split, (_, other) in agree.items() if len(other) == fewest)
        yield _variant(context, nearest, *agree[nearest[0]])
    else:
        yield Finding("ZSL010", Severity.INFO, "Not one of the known split files, nor near one.")


def _known(split: KnownSplit, same: str) -> Finding:
    message = f"{split}, as published ({same})."
    if split.superseded:
        return Finding("ZSL010", Severity.WARN, f"{message} {split.superseded}")
    return Finding("ZSL010", Severity.PASS, message)


def _one_of(splits: Sequence[KnownSplit], given: list[str]) -> Finding:
    """Say which splits share everything that was given, and where they part."""
    where = [part for part in PARTS if len({split.parts.get(part) for split in splits}) > 1]
    message = (
        f"{_names(splits)}, as published (its rows): they share {listed(given)}, "
        f"and differ only in {listed(where)}, of which nothing was given."
    )
    old = [split.superseded for split in splits if split.superseded]
    advice = f"Give {listed(where)} to tell them apart. {splits[0].name}: {old[0]}" if old else ""
    return Finding("ZSL010", Severity.PASS, message, advice)


def _variant(
    context: AuditContext, splits: Sequence[KnownSplit], same: list[str], other: list[str]
) -> Finding:
    counts = [[split.counts.get(part) for split in splits] for part in other]
    table = [
        (part, len(np.unique(context.parts[part])), *known)
        for part, known in zip(other, counts, strict=True)
    ]
    columns = ("part", "rows here", *(f"rows in {split}" for split in splits))
    message = f"Differs from {_names(splits)} in {listed(other)}; {listed(same)} agree."
    advice = "Say which split was used; figures are not comparable with those of the known one."
    evidence = Evidence.of("Parts that differ", columns, table)
    return Finding("ZSL010", Severity.WARN, message, advice, (evidence,))


def _names(splits: Sequence[KnownSplit]) -> str:
    """Name splits of one data set: "CUB PS v1 or PS 2.0"."""
    return f"{splits[0].dataset} {' or '.join(split.name for split in splits)}"
