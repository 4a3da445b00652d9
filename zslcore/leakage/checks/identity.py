"""ZSL010: which known split this is, or what it differs from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from zslcore.datasets.benchmarks import recognise
from zslcore.datasets.facts import class_facts
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
        yield Finding("ZSL010", Severity.INFO, _by_classes(context))
    if ANSWERED in context.facts:
        dataset, _, what = context.facts[ANSWERED].partition(": ")
        message = (
            f"These are rows of {dataset}, so checks were answered from what zslcore knows of it "
            f"({what}); the files themselves were not given."
        )
        yield Finding("ZSL010", Severity.INFO, message)


def _by_classes(context: AuditContext) -> str:
    """Say what the classes tell of a split whose rows are no known split's."""
    unknown = "Not one of the known split files, nor near one."
    if context.labels is None or not context.class_names or context.simulated:
        return unknown
    found = recognise(context.class_names, context.labels)
    if found is None or found.benchmark is None:
        return unknown
    facts = class_facts(found.benchmark).classes.iloc[found.row]
    for name, column in (("PS", "ps"), ("SS", "ss")):
        is_test = (facts[column] == "test").to_numpy()
        if not np.array_equal(np.flatnonzero(is_test), context.known_unseen_classes):
            continue
        held = facts["test_seen"].to_numpy() * (name == "PS")
        images = facts["images"].to_numpy()
        expected = {
            "trainval": np.where(is_test, 0, images - held),
            "test_seen": held,
            "test_unseen": np.where(is_test, images, 0),
        }
        if all(np.array_equal(_counts(context, part), n) for part, n in expected.items()):
            return (
                f"As many images of each class in each part as {found.benchmark} {name}, in "
                "another order: row numbers cannot tell whether they are the same images."
            )
        return f"The unseen classes are those of {found.benchmark} {name}, the rows are not."
    return f"The classes are those of {found.benchmark}, parted otherwise than in PS and SS."


def _counts(context: AuditContext, part: str) -> np.ndarray:
    """Return the number of images of every class in a part."""
    labels = context.known_labels[context.rows(part)]
    return np.bincount(labels, minlength=len(context.class_names))


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
