"""ZSL010: which known split this is, or what it differs from."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from zslcore.files import FACTS
from zslcore.leakage.context import PARTS, AuditContext
from zslcore.leakage.report import Evidence, Finding, Severity

__all__ = ["KnownSplit", "known_split", "known_splits", "part_digest"]


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


def known_split(context: AuditContext) -> Iterator[Finding]:
    """ZSL010: the same as a known split, a variant of one, or unknown."""
    mine = {part: part_digest(rows) for part, rows in context.parts.items() if part in PARTS}
    agree = {
        split: [part for part in mine if split.parts.get(part) == mine[part]]
        for split in known_splits()
    }
    best = max(agree, key=lambda split: len(agree[split]))
    if not agree[best]:
        yield Finding("ZSL010", Severity.INFO, "Not one of the known split files, nor near one.")
    elif len(agree[best]) == len(mine):
        yield _known(context, best)
    else:
        yield _variant(context, best, agree[best], [p for p in mine if p not in agree[best]])


def _known(context: AuditContext, split: KnownSplit) -> Finding:
    same = "the published file" if context.file_digest == split.sha256 else "its rows"
    message = f"{split}, as published ({same})."
    if split.superseded:
        return Finding("ZSL010", Severity.WARN, f"{message} {split.superseded}")
    return Finding("ZSL010", Severity.PASS, message)


def _variant(
    context: AuditContext, split: KnownSplit, same: list[str], other: list[str]
) -> Finding:
    table = [(part, len(np.unique(context.parts[part])), split.counts.get(part)) for part in other]
    columns = ("part", "rows here", f"rows in {split}")
    message = f"Differs from {split} in {', '.join(other)}; {', '.join(same)} agree."
    advice = "Say which split was used; figures are not comparable with those of the known one."
    evidence = Evidence.of("Parts that differ", columns, table)
    return Finding("ZSL010", Severity.WARN, message, advice, (evidence,))
