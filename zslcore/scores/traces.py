"""Traces that a file means something else than it says; :mod:`zslcore.scores.warnings` asks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from zslcore.exceptions import DatasetError
from zslcore.leakage.published import KnownTest, recognised
from zslcore.scores.matrix import ScoreMatrix, blocks, some_rows
from zslcore.scores.matrix import column as column_of

#: A hit is more than chance from this many times chance on, and a trace of another reading is one
#: that explains this many times more than the file as it is.
ABOVE_CHANCE, CLEARER = 2.5, 2.0
#: Orders of the labels that show what an assignment of columns reaches by chance.
PERMUTED = 10
#: Test images per class of the listed seen classes, and accuracy of the unseen ones, from this many
#: times the other side's on look as if the lists were swapped: benchmarks test all images of an
#: unseen class and a fifth of a seen one, and methods answer with seen classes too often.
MORE_IMAGES, MORE_HITS = 2.0, 1.5
#: Share of repeated rows that is worth a remark, and names that it lists.
REPEATED, LISTED = 0.01, 4


def refuse_answers(name: str, F: np.ndarray) -> None:
    """Refuse a matrix that has one class a row set off from all others, which are equal."""
    if F.shape[1] < 3:
        return
    for _, block in blocks(F):
        ends = np.partition(block, (0, 1, -2, -1), axis=1)
        low, second, last, top = ends[:, [0, 1, -2, -1]].T
        one_high, one_low = (low == last) & (last < top), (low < second) & (second == top)
        if not (one_high | one_low).all():
            return
    raise DatasetError(
        f"{name}, scores: expected a score for every class; got answers, one class of a row marked "
        "and all others equal. ZSL accuracy, AUSUC and gamma cannot be computed from these."
    )


def unused_column(
    name: str, F: np.ndarray, y: np.ndarray, unseen: np.ndarray | None
) -> tuple[str, str] | None:
    """Return the fix and the question where the first or the last column belongs to no class.

    ``y`` are columns as the labels stand; ``unseen`` is None where the file does not state it.
    """
    C = F.shape[1]
    listed = np.empty(0, dtype=np.intp) if unseen is None else unseen
    used = np.union1d(y, listed)
    if used.min() < 0 or used.max() >= C:
        return None
    for column, fix, which in (
        (0, "unused-column", "first"),
        (C - 1, "unused-last-column", "last"),
    ):
        if column in used:
            continue
        known = recognised(y - (column == 0), C - 1)
        labels = "labels, counted from 1," if column == 0 else "labels"
        if known is not None and _same_unseen(known, unseen, column):
            said = (
                f"{name}: the {labels} are those of {known.benchmark} {known.split}, which has "
                f"{C - 1} classes, and there are {C} columns: does the {which} column belong to "
                "no class?"
            )
            return fix, said
        if _suspect(F, y, listed, column):
            return fix, (
                f"{name}: no image is of class {column}, the {which} column, which has "
                f"{_values(column_of(F, column))}: does it belong to no class?"
            )
    return None


def _same_unseen(known: KnownTest, unseen: np.ndarray | None, column: int) -> bool:
    if unseen is None:
        return True
    return np.array_equal(np.flatnonzero(known.unseen), np.unique(unseen) - (column == 0))


def _suspect(F: np.ndarray, y: np.ndarray, unseen: np.ndarray, column: int) -> bool:
    """Return whether a column without images stands out: constant, or the only one without."""
    values = column_of(F, column)
    if (values == values[0]).all():
        others = np.setdiff1d(np.arange(F.shape[1]), [*unseen, column])
        # A class that is never the best of the seen ones changes no figure.
        return bool(len(others)) and any(
            (values[rows] >= block[:, others].max(axis=1)).any() for rows, block in blocks(F)
        )
    return len(np.unique(y)) == F.shape[1] - 1


def _values(values: np.ndarray) -> str:
    if (values == values[0]).all():
        return f"{values[0]:g} in every row"
    return "scores as any other, and every other class has images"


def swapped_lists(matrix: ScoreMatrix, rows: np.ndarray) -> str:
    """Return a question where the classes that are listed as unseen look like the seen ones.

    ``rows`` are those whose answers are looked at.
    """
    y, seen = matrix.y, matrix.seen
    known = recognised(y, len(seen))
    if known is not None:
        if not np.array_equal(known.unseen, seen):
            return ""
        return (
            f"{matrix.name}: the {int((~seen).sum())} classes listed as unseen are the seen "
            f"classes of {known.benchmark} {known.split}: is it the list of seen classes?"
        )
    images = np.bincount(y, minlength=len(seen))
    per_class = [images[side & (images > 0)] for side in (seen, ~seen)]
    if min(map(len, per_class)) == 0:
        return ""
    right = some_rows(matrix.F, rows).argmax(axis=1) == y[rows]
    u, s = (right[side[y[rows]]] for side in (~seen, seen))
    if not len(u) or not len(s):
        return ""
    ratio = per_class[0].mean() / per_class[1].mean()
    if ratio > MORE_IMAGES and u.mean() > MORE_HITS * s.mean():
        return (
            f"{matrix.name}: {s.mean():.0%} of the answers are right for classes listed as seen, "
            f"{u.mean():.0%} for those listed as unseen, and a seen class has {ratio:.1f} times as "
            "many images: is it the list of seen classes?"
        )
    return ""


def missing_classes(matrix: ScoreMatrix) -> Iterator[str]:
    """Yield a remark where some unseen classes have no image and others have."""
    there = np.isin(np.arange(len(matrix.seen)), matrix.y)
    missing, n = np.flatnonzero(~matrix.seen & ~there), int((~matrix.seen).sum())
    if 0 < len(missing) < n:
        names = ", ".join(matrix.class_names[k] for k in missing[:LISTED])
        more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        yield (
            f"No image is of {len(missing)} of the {n} unseen classes ({names}{more}): ZSL "
            "accuracy and u are means over the others."
        )


def repeated_rows(matrix: ScoreMatrix) -> Iterator[str]:
    """Yield a remark where rows with the same class and the same scores occur more than once.

    Scores with few different values are left alone: equal rows are no surprise there.
    """
    F, n = matrix.F, len(matrix.y)
    some = F[: min(n, 500)]
    if F.shape[1] < 3 or len(np.unique(some)) < some.size / 2:
        return
    rows = {
        (hash(row.tobytes()), c)
        for part, block in blocks(F)
        for row, c in zip(block, matrix.y[part].tolist(), strict=True)
    }
    repeated = n - len(rows)
    if repeated > REPEATED * n:
        yield (
            f"{repeated:,} of {n:,} rows repeat another row of the same class, score by score: "
            "are images counted twice?"
        )


def moved_columns(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> Iterator[str]:
    """Yield a remark where answers fit the labels under another order of columns alone."""
    C, answers = F.shape[1], F.argmax(axis=1)
    now = float((answers == y).mean())
    # Where the classes of the true side are separated, a bias to one side makes the others wrong.
    if now >= 2 / C or own_side_hits(F, y, seen) > ABOVE_CHANCE:
        return
    best = _assigned(y, answers)
    if not (best > ABOVE_CHANCE / C and best > CLEARER * now):
        return
    rng = np.random.default_rng(0)
    chance = max(_assigned(rng.permutation(y), answers) for _ in range(PERMUTED))
    if best > CLEARER * chance:
        yield (
            f"{now:.1%} of the answers are right, near chance, but another order of columns would "
            f"explain {best:.1%} ({chance:.1%} by chance): check that column k is class k."
        )


def own_side_hits(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> float:
    """Return how often answers among the classes of the true side are right, as times chance."""
    right = chance = 0.0
    for side in (seen, ~seen):
        rows, columns = np.flatnonzero(side[y]), np.flatnonzero(side)
        if len(rows):
            right += float((columns[F[np.ix_(rows, columns)].argmax(axis=1)] == y[rows]).sum())
            chance += len(rows) / len(columns)
    return right / chance


def _assigned(y: np.ndarray, answers: np.ndarray) -> float:
    """Return the largest share of answers that are right under one order of columns."""
    # Only what occurs in these rows is counted: of 21,841 classes a table would take 4 GB.
    (named, true), (given, answered) = (np.unique(k, return_inverse=True) for k in (y, answers))
    counts = np.zeros((len(named), len(given)))
    np.add.at(counts, (true, answered), 1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / len(y))
