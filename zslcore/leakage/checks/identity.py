"""ZSL010: which known split this is, or what it differs from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from zslcore.leakage.context import PARTS, AuditContext
from zslcore.leakage.known import ANSWERED, KnownSplit, agreeing, published_as
from zslcore.leakage.report import Evidence, Finding, Severity
from zslcore.leakage.words import listed

__all__ = ["known_split"]


def known_split(context: AuditContext) -> Iterator[Finding]:
    """ZSL010: the same as a known split, a variant of one, or unknown."""
    agree, these = agreeing(context), published_as(context)
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
    if ANSWERED in context.facts:
        dataset, _, what = context.facts[ANSWERED].partition(": ")
        message = (
            f"These are rows of {dataset}, so checks were answered from what zslcore knows of it "
            f"({what}); the files themselves were not given."
        )
        yield Finding("ZSL010", Severity.INFO, message)


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
