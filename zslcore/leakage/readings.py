"""Alternative readings of the row numbers of a file, tried before faults are reported.

Readings are tried if the numbers, taken literally, contradict each other: a row or class on two
sides, or a row that does not exist. A reading is used if it equals a published split, or if it is
the only reading without contradictions, or if it removes nearly all contradictions of classes; the
checks then report the remaining contradictions. A reading without other evidence than the absence
of contradictions becomes an open question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from zslcore.leakage.context import SPLIT_PARTS, TEST_PARTS, TRAIN_PARTS, AuditContext, Reading
from zslcore.leakage.published import find_published_splits

Parts = Mapping[str, np.ndarray]
#: Minimum number of images for a list to be read as a mask.
MIN_MASK_IMAGES = 4
#: Start of the sentence on swapped test parts.
SWAPPED = "test_seen and test_unseen are swapped"
#: A reading may leave at most the share MAX_REMAINING of the contradictions of classes. It needs no
#: other evidence if the literal numbers have at least MIN_MANY of them.
MAX_REMAINING, MIN_MANY = 0.05, 20


def with_best_reading(context: AuditContext, first: int = 1) -> AuditContext:
    """Return the context with the best reading of its row numbers that has evidence.

    ``first`` is the number of the first row in the file, 1 in the benchmark's layout.
    """
    if first == 1 and (mask := _read_masks(context)) is not None:
        return mask
    if not context.parts or _contradictions(context) == NONE or find_published_splits(context):
        return context
    parts = {part: np.asarray(rows) for part, rows in context.parts.items()}
    starts = [(1, 0), (-1, 2)] if first == 1 else [(-1, 1)]
    combined = [
        (
            replace(
                reading,
                sentence=f"{reading.sentence}; all are numbered from {start}",
                first_row=start,
            ),
            {part: rows + shift for part, rows in rows_of_part.items()},
        )
        for shift, start in starts
        for reading, rows_of_part in _with_shifted_lists(parts)
    ]
    readings = [*_with_other_starts(parts)] if first == 1 else []
    readings += [*_with_shifted_lists(parts), *_with_swapped_tests(parts)]
    best, remaining = _best_of(context, readings)
    if best is None or remaining != NONE:
        shifted, remaining_shifted = _best_of(context, combined)
        best = shifted if shifted is not None and remaining_shifted == NONE else best
    return best if best is not None else with_likely_start(context, first)


def _best_of(
    context: AuditContext, readings: Sequence[tuple[Reading, Parts]]
) -> tuple[AuditContext | None, Contradictions]:
    """Return the context with the best of several readings, and its contradictions.

    The context is None if no reading is supported.
    """
    literal = _contradictions(context)
    candidates = [(reading, replace(context, parts=parts)) for reading, parts in readings]
    published = [
        (reading, candidate)
        for reading, candidate in candidates
        if find_published_splits(candidate)
    ]
    if published:
        reading, candidate = published[0]
        return replace(candidate, reading=reading), NONE
    if context.labels is None:
        return None, literal
    supported = [
        (_contradictions(candidate), reading, candidate)
        for reading, candidate in candidates
        if _is_supported(context, candidate, reading) or literal.classes >= MIN_MANY
    ]
    fewest = min((faults for faults, _, _ in supported), key=sum, default=literal)
    best = [
        (reading, candidate)
        for faults, reading, candidate in supported
        if sum(faults) == sum(fewest)
    ]
    removed = (
        fewest.outside <= literal.outside
        and fewest.outside + fewest.rows <= literal.outside + literal.rows
        and fewest.classes <= MAX_REMAINING * literal.classes
        and literal.classes > 0
    )
    if len(best) != 1 or not (fewest == NONE or removed):
        return None, literal
    reading, candidate = best[0]
    return replace(candidate, reading=reading), fewest


def with_likely_start(context: AuditContext, first: int) -> AuditContext:
    """Read rows as numbered from 0 if ``first`` is 1, and from 1 if it is 0.

    The context changes only if all contradictions are classes that are both seen and unseen, and
    the new reading has none; the reading is then marked open. If images are sorted by class,
    numbers that are off by one cause only a few contradictions.
    """
    outside, rows, classes = _contradictions(context)
    shift = 2 * first - 1
    parts = {part: np.asarray(numbers) + shift for part, numbers in context.parts.items()}
    shifted = replace(context, parts=parts)
    if outside or rows or not classes or _contradictions(shifted) != NONE:
        return context
    text = f"The rows are read as numbered from {first - shift}"
    reason = f"if numbered from {first}, classes would be both seen and unseen"
    advice = "Check where row numbers start: at 0 or at 1?"
    reading = Reading(f"{text}; {reason}", "open", advice, first_row=first - shift)
    return replace(shifted, reading=reading)


def _read_masks(context: AuditContext) -> AuditContext | None:
    """Read lists of zeros and ones, one value per image, as masks; None for other lists."""
    # Add 1, to restore the numbers in the file.
    values = {part: np.asarray(rows) + 1 for part, rows in context.parts.items()}
    n_images = context.n_rows or 0
    masked = [
        part
        for part, marks in values.items()
        if marks.size == n_images and np.isin(marks, (0, 1)).all()
    ]
    if n_images >= MIN_MASK_IMAGES and 0 < len(masked) < len(values):
        kind = f"Read as masks of {n_images:,} images, although other lists have row numbers"
        text = f"{kind}: {' and '.join(masked)}"
        reading = Reading(text, "warning", "Write all lists in the same format.")
        rows_of_masks = {part: np.flatnonzero(values[part]) for part in masked}
        return replace(context, parts={**context.parts, **rows_of_masks}, reading=reading)
    sizes = {value.size for value in values.values()}
    n = max(sizes, default=0)
    if len(sizes) != 1 or n < MIN_MASK_IMAGES or context.n_rows not in (None, n):
        return None
    if not all(np.isin(value, (0, 1)).all() for value in values.values()):
        return None
    if len(values) == 1 or context.name.endswith(".json"):
        return None
    text = f"The lists are read as masks of {n:,} images (0 and 1)"
    advice = "Write row numbers if other programs have to read the file."
    parts = {part: np.flatnonzero(marks) for part, marks in values.items()}
    reading = Reading(text, "warning", advice)
    return replace(context, parts=parts, n_rows=n, reading=reading)


def _with_other_starts(parts: Parts) -> Iterator[tuple[Reading, Parts]]:
    """Yield the readings of rows numbered from 0 and from 2, in a layout that counts from 1."""
    for first, do in ((0, "add 1 to"), (2, "subtract 1 from")):
        text = f"The rows are read as numbered from {first}"
        advice = f"The MAT layout counts from 1: {do} all row numbers."
        reading = Reading(text, "warning", advice, first_row=first)
        yield reading, {part: rows + 1 - first for part, rows in parts.items()}


def _with_shifted_lists(parts: Parts) -> Iterator[tuple[Reading, Parts]]:
    """Yield the readings in which some lists are shifted by one."""
    groups: list[tuple[str, ...]] = [(part,) for part in parts]
    groups += [
        group for group in (TRAIN_PARTS, ("train", "val"), TEST_PARTS) if {*group} < {*parts}
    ]
    for group in groups:
        names = " and ".join(group) if len(group) < 3 else "the training lists"
        for shift, way, do in ((1, "low", "Add 1 to"), (-1, "high", "Subtract 1 from")):
            text = (
                f"Only the row numbers of {names} are one too {way}; they are read shifted by one"
            )
            reading = Reading(text, "error", f"{do} the row numbers of {names}.")
            yield reading, {p: rows + shift * (p in group) for p, rows in parts.items()}


def _with_swapped_tests(parts: Parts) -> Iterator[tuple[Reading, Parts]]:
    """Yield the reading in which the two test parts are swapped."""
    if {*TEST_PARTS} <= {*parts}:
        text = f"{SWAPPED}; each is read as the other"
        reading = Reading(text, "error", "Swap the two lists.")
        seen, unseen = (parts[part] for part in TEST_PARTS)
        yield reading, {**parts, "test_seen": unseen, "test_unseen": seen}


class Contradictions(NamedTuple):
    """Numbers of rows that do not exist, rows on two sides, and rows of classes on two sides."""

    outside: int
    rows: int
    classes: int


NONE = Contradictions(0, 0, 0)


def _contradictions(context: AuditContext) -> Contradictions:
    """Count rows that do not exist, rows on two sides, and rows of classes on two sides.

    For a class on both sides, count its rows on the side with fewer of them, so that a single
    misplaced row counts once. For a class in test_seen without training rows, count its test_seen
    rows.
    """
    n = context.n_rows
    outside = count = 0
    for rows in context.parts.values():
        outside += int((rows < 0).sum() + ((rows >= n).sum() if n is not None else 0))
    trained, seen, unseen = (context.rows(*p) for p in (TRAIN_PARTS, *((p,) for p in TEST_PARTS)))
    count += np.intersect1d(trained, np.union1d(seen, unseen)).size
    count += np.intersect1d(seen, unseen).size
    if {"train", "val"} <= set(context.parts):
        count += np.intersect1d(context.rows("train"), context.rows("val")).size
        if trainval := context.rows("trainval").size:
            n_common = np.intersect1d(context.rows("trainval"), context.rows("train", "val")).size
            count += trainval - n_common
    classes = 0
    if (y := context.labels) is not None and y.size:
        # Training rows that are also test rows are counted in ``rows``.
        on_one_side = np.setdiff1d(trained, np.union1d(seen, unseen))
        n_train, n_seen, n_unseen = (
            np.bincount(y[rows], minlength=y.max() + 1) for rows in (on_one_side, seen, unseen)
        )
        classes += np.minimum(n_train + n_seen, n_unseen).sum()
        classes += (~np.isin(y[seen], y[trained])).sum()
    return Contradictions(outside, int(count), int(classes))


def _is_supported(context: AuditContext, candidate: AuditContext, reading: Reading) -> bool:
    """Whether a reading has evidence other than the absence of contradictions.

    Evidence is row 0 in the file, a row number that exceeds the last row by one, the use of every
    image, or swapped test parts.
    """
    if reading.sentence.startswith(SWAPPED):
        return True
    rows = np.concatenate([*context.parts.values(), np.empty(0, np.intp)])
    n = context.n_rows
    if rows.size and (rows.min() == -1 or rows.max() == n):
        return True
    return n is not None and candidate.rows(*SPLIT_PARTS).size == n
