"""Check ZSL010: comparison with the published splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from zslcore.datasets.facts import benchmarks_of_names, class_columns, recognise, unseen_classes
from zslcore.leakage.checks.base import check, ok, warning
from zslcore.leakage.context import SPLIT_PARTS, TEST_PARTS, AuditContext
from zslcore.leakage.published import (
    FILLED_IN,
    KnownSplit,
    NearSplit,
    find_published_splits,
    find_shift,
    known_splits,
    match_parts,
    nearest_split,
)
from zslcore.leakage.report import Evidence, Finding
from zslcore.names import class_key
from zslcore.numbers import percent
from zslcore.texts import listed


@check("ZSL010", "Identity of the split", "A known split, as published.")
def known_split(context: AuditContext) -> Iterator[Finding]:
    """Report whether the split is known, a variant of a known split, or unknown."""
    agree, published = match_parts(context), find_published_splits(context)
    if len(published) == 1:
        is_file = context.file_digest == published[0].sha256
        yield _report_partial(context, published) or _report_equal(published[0], is_file=is_file)
    elif published:
        yield _report_partial(context, published) or _report_shared_parts(
            published, agree[published[0]][0]
        )
    elif agree:
        fewest = min(len(differing) for _, differing in agree.values())
        closest = tuple(
            split for split, (_, differing) in agree.items() if len(differing) == fewest
        )
        yield _variant(context, closest, *agree[closest[0]])
    elif near := nearest_split(context):
        yield _report_near_split(near)
    else:
        yield _report_unknown(context)
    if FILLED_IN in context.facts:
        dataset, _, fields = context.facts[FILLED_IN].partition(": ")
        message = (
            f"These are rows of {dataset}, so the checks used the data that zslcore stores for it "
            f"({fields}); the files of the data set were not provided."
        )
        yield ok(message)


def _report_unknown(context: AuditContext) -> Finding:
    """Report row numbers shifted by one, or identify the split by its classes."""
    if shifted := None if context.simulated else find_shift(context):
        split, shift = shifted
        message = (
            f"These are the rows of {split}, but all row numbers are one too "
            f"{'low' if shift > 0 else 'high'}: the MAT layout counts from 1."
        )
        advice = f"{'Add 1 to' if shift > 0 else 'Subtract 1 from'} all row numbers."
        return warning(message, advice)
    return ok(_identify_by_classes(context))


def _report_near_split(near: NearSplit) -> Finding:
    """Report the overlap with a known split, and the classes that changed sides."""
    moved = [
        f"{change}: {listed(names)}"
        for change, names in (("now unseen", near.now_unseen), ("no longer unseen", near.now_seen))
        if names
    ]
    shares = ", ".join(f"{part} {percent(share)}" for part, share in near.shares.items())
    changes = "; ".join(moved) or "none"
    message = (
        f"Close to {near}: {percent(near.same)} of the rows are on the same side in both splits "
        f"(common rows of each part: {shares}). Classes on another side: {changes}."
    )
    advice = "State which split was used; metrics are not comparable with those of the known split."
    return warning(message, advice, classes=(*near.now_unseen, *near.now_seen))


def _report_partial(context: AuditContext, splits: Sequence[KnownSplit]) -> Finding | None:
    """Report the missing parts of a known split.

    Returns None for the published file, and if trainval and the test parts are complete.
    """
    if context.file_digest == splits[0].sha256:
        return None
    needed = [part for part in ("trainval", *TEST_PARTS) if part in splits[0].parts]
    missing = [part for part in needed if not context.parts.get(part, np.empty(0)).size]
    if not missing:
        return None
    message = f"{_names(splits)} without {listed(missing)}: the other parts are as published."
    advice = "Add the rows of these parts; the published split has them."
    return warning(message, advice)


def _identify_by_classes(context: AuditContext) -> str:
    """Identify a split by its classes if its rows match no known split."""
    unknown = "This split is neither a published one nor close to one."
    if not context.class_names or context.simulated:
        return unknown
    if context.labels is None:
        return _identify_by_names(context) or unknown
    recognised = recognise(context.class_names, context.labels)
    if recognised is None or recognised.benchmark is None:
        return unknown
    columns = class_columns(recognised.benchmark)
    facts = {name: column[recognised.row] for name, column in columns.items()}
    for name, column in (("PS", "ps"), ("SS", "ss")):
        is_test = facts[column] == "test"
        if not np.array_equal(np.flatnonzero(is_test), context.required_unseen_classes):
            continue
        n_test_seen, images = facts["test_seen"] * (name == "PS"), facts["images"]
        expected = {
            "trainval": np.where(is_test, 0, images - n_test_seen),
            "test_seen": n_test_seen,
            "test_unseen": np.where(is_test, images, 0),
        }
        if all(np.array_equal(_counts(context, part), n) for part, n in expected.items()):
            return (
                f"Each part has as many images of each class as in {recognised.benchmark} {name}, "
                "but in a different order: row numbers cannot show whether they are the same "
                "images."
            )
        return (
            f"The unseen classes are those of {recognised.benchmark} {name}, but the rows are not."
        )
    return (
        f"The classes are those of {recognised.benchmark}, but they are divided differently from "
        "PS and SS."
    )


def _identify_by_names(context: AuditContext) -> str:
    """Name the data sets with these class names, if labels are unknown; "" if there is none."""
    benchmarks = benchmarks_of_names(context.class_names)
    if not benchmarks:
        return ""
    if not context.parts:
        return _identify_by_lists(context, benchmarks)
    sizes = {part: len(np.unique(rows)) for part, rows in context.parts.items() if rows.size}
    splits = [s for s in known_splits() if s.dataset in benchmarks and s.counts == sizes]
    as_large = f", and the parts are as large as those of {_names(splits)}" if splits else ""
    return (
        f"The class names are those of {' or '.join(benchmarks)}{as_large}, but the rows match no "
        "known split: provide the labels for a closer comparison."
    )


def _identify_by_lists(context: AuditContext, benchmarks: Sequence[str]) -> str:
    """Identify a split without rows by its unseen classes."""
    names = " or ".join(benchmarks)
    unseen = {class_key(context.class_names[c]) for c in context.required_unseen_classes}
    for split in ("PS", "SS"):
        if {*map(class_key, unseen_classes(benchmarks[0], split))} == unseen:
            return f"The unseen classes are those of {names} {split}; no rows can be compared."
    return f"The classes are those of {names}, but they are divided differently from PS and SS."


def _counts(context: AuditContext, part: str) -> np.ndarray:
    """Return the number of images of every class in a part."""
    labels = context.required_labels[context.rows(part)]
    return np.bincount(labels, minlength=len(context.class_names))


def _report_equal(split: KnownSplit, *, is_file: bool) -> Finding:
    same = "identical to the published file" if is_file else "with the published rows"
    message = f"{split}, {same}."
    if split.superseded:
        return warning(f"{message} {split.superseded}")
    return ok(message)


def _report_shared_parts(splits: Sequence[KnownSplit], parts: list[str]) -> Finding:
    """Report known splits that agree in all given parts, and the parts in which they differ."""
    differing = [
        part for part in SPLIT_PARTS if len({split.parts.get(part) for split in splits}) > 1
    ]
    message = (
        f"{_names(splits)}, with the published rows: these splits have the same {listed(parts)}; "
        f"they differ only in {listed(differing)}, which the files do not contain."
    )
    old = [split.superseded for split in splits if split.superseded]
    advice = (
        f"Add {listed(differing)} to distinguish them. {splits[0].name}: {old[0]}" if old else ""
    )
    return ok(message, advice)


def _variant(
    context: AuditContext, splits: Sequence[KnownSplit], agreeing: list[str], differing: list[str]
) -> Finding:
    counts = [[split.counts.get(part) for split in splits] for part in differing]
    table = [
        (part, len(np.unique(context.parts[part])), *n_published)
        for part, n_published in zip(differing, counts, strict=True)
    ]
    columns = ("part", "rows here", *(f"rows in {split}" for split in splits))
    message = f"Differs from {_names(splits)} in {listed(differing)}; {listed(agreeing)} agree."
    advice = "State which split was used; metrics are not comparable with those of the known split."
    evidence = Evidence.of("Parts that differ", columns, table)
    return warning(message, advice, evidence)


def _names(splits: Sequence[KnownSplit]) -> str:
    """Name splits of one data set: "CUB PS v1 or PS 2.0"."""
    return f"{splits[0].dataset} {' or '.join(split.name for split in splits)}"
