"""Scores that were ruled out by the true side of each image: they are not of GZSL.

A test script that scores unseen images among unseen classes and seen images among seen classes
often writes both as one matrix, the other columns being minus infinity, a large negative number, a
probability of 0 or missing. Under such a mask every answer is within the true side: H is that of
separate label spaces, whatever the matrix looks like. The mask is recognised where a side is ruled
out in the images of the other side and in no other ones; columns that are ruled out for all images,
or by a detector that is sometimes wrong, are no such mask.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.scores.reading import blocks

#: Share of the images of one side, at least, and of the other, at most, in which a side is ruled
#: out, and images that a side has to have.
EXACTLY, NEVER, FEWEST_IMAGES = 0.995, 0.005, 10
#: Columns of the image's own side from which a score below all of them is no accident.
FEWEST_COLUMNS = 3
#: Errors within the true side that no error across the sides stands against: where scores saturate,
#: a constant side alone says nothing.
ERRORS = 20


def ruled_out_sides(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> tuple[str, ...]:
    """Return the sides, "seen" and "unseen", that are ruled out exactly in images of the other one.

    ``F`` has shape (n_images, n_classes), ``y`` are columns of it and ``seen`` marks columns. Empty
    for scores of all images among all classes.
    """
    of_seen = seen[y]
    if min(of_seen.sum(), (~of_seen).sum()) < FEWEST_IMAGES or seen.all() or not seen.any():
        return ()
    some = np.unique(np.linspace(0, len(y) - 1, min(len(y), 400)).astype(np.intp))
    sample = np.asarray(F[some])
    likely = [
        side
        for side in (True, False)
        if _exactly(_ruled_out(sample, seen == side, seen != side)[0], of_seen[some] != side, 0)
    ]
    sides = []
    for side in likely:
        out, saturated = (
            np.concatenate(parts) for parts in zip(*_in_blocks(F, seen == side), strict=True)
        )
        others = of_seen != side
        if not _exactly(out, others, FEWEST_IMAGES):
            continue
        if saturated[others].mean() < 0.5 or _errors_within(F, y, seen, others) >= ERRORS:
            sides.append("seen" if side else "unseen")
    return tuple(sides)


def _in_blocks(F: np.ndarray, columns: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for _, block in blocks(F):
        yield _ruled_out(block, columns, ~columns)


def _exactly(out: np.ndarray, others: np.ndarray, fewest: int) -> bool:
    """Whether rows are ruled out where ``others`` says, and only there."""
    if min(others.sum(), (~others).sum()) < max(fewest, 1):
        return not fewest
    return bool(out[others].mean() >= EXACTLY and out[~others].mean() <= NEVER)


def _ruled_out(
    F: np.ndarray, columns: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows in which ``columns`` are ruled out, and those where scores saturate.

    A side is ruled out where its scores are all equal, and not those of the ``own`` side, or all
    below the own ones. Scores saturate where most of the own side has the same constant.
    """
    these, theirs = F[:, columns], F[:, own]
    high, low = these.max(axis=1), these.min(axis=1)
    constant = high == low
    if columns.sum() == 1:  # one column is always constant: the number itself has to be the mark
        constant &= np.isneginf(high)
    constant &= ~((theirs == high[:, None]).all(axis=1))
    below = high < theirs.min(axis=1) if own.sum() >= FEWEST_COLUMNS else np.isneginf(high)
    saturated = constant & ~np.isneginf(high) & ((theirs == high[:, None]).mean(axis=1) > 0.5)
    return constant | below, saturated


def _errors_within(F: np.ndarray, y: np.ndarray, seen: np.ndarray, rows: np.ndarray) -> int:
    """Return how many answers are wrong within the true side, 0 where any is across the sides."""
    wrong, across = 0, 0
    for part, block in blocks(F):
        answer = block.argmax(axis=1)
        of = rows[part]
        across += int((seen[answer] != seen[y[part]])[of].sum())
        wrong += int((answer != y[part])[of].sum())
    return 0 if across else wrong
