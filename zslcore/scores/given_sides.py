"""Scores masked by the true side of each image, which are not scores for GZSL.

A test script that scores unseen images among unseen classes, and seen images among seen classes,
often writes one matrix in which all other columns are minus infinity, a large negative number, a
probability of 0 or missing. With this mask every predicted class is on the true side, so H is the H
of separate label spaces. It is recognised if a side is ruled out exactly for the images of the
opposite side: not for all images, and not by a detector, which is sometimes wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.scores.matrix import blocks, spread_rows

#: A mask rules a side out for at least the share MIN_RULED_OUT of the images of the opposite side,
#: and for at most the share MAX_OWN_RULED_OUT of its own images. Each side needs at least
#: MIN_IMAGES images.
MIN_RULED_OUT, MAX_OWN_RULED_OUT, MIN_IMAGES = 0.995, 0.005, 10
#: With at least this many columns on the true side, scores of the opposite side that are below all
#: scores of the true side count as ruled out; with fewer columns, only minus infinity does.
MIN_COLUMNS = 3
#: If scores saturate, equal scores do not prove a mask: at least this many errors within the true
#: side, and none across the sides, are also required.
MIN_ERRORS = 20


def find_ruled_out_sides(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> tuple[str, ...]:
    """Return the sides ("seen", "unseen") ruled out only for the images of the other side.

    ``F`` has shape (n_images, n_classes), ``y`` has the true column of each image, and ``seen``
    marks the seen columns. The result is empty if all images are scored among all classes.
    """
    of_seen = seen[y]
    if min(of_seen.sum(), (~of_seen).sum()) < MIN_IMAGES or seen.all() or not seen.any():
        return ()
    sampled = spread_rows(len(y), 400)
    sample = np.asarray(F[sampled])
    likely = [
        side
        for side in (True, False)
        if _is_exact(
            _mark_ruled_out(sample, seen == side, seen != side)[0], of_seen[sampled] != side, 0
        )
    ]
    sides = []
    for side in likely:
        out, saturated = (
            np.concatenate(parts) for parts in zip(*_mark_blocks(F, seen == side), strict=True)
        )
        on_other_side = of_seen != side
        if not _is_exact(out, on_other_side, MIN_IMAGES):
            continue
        if (
            saturated[on_other_side].mean() < 0.5
            or _errors_within(F, y, seen, on_other_side) >= MIN_ERRORS
        ):
            sides.append("seen" if side else "unseen")
    return tuple(sides)


def _mark_blocks(F: np.ndarray, columns: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for _, block in blocks(F):
        yield _mark_ruled_out(block, columns, ~columns)


def _is_exact(out: np.ndarray, on_other_side: np.ndarray, minimum: int) -> bool:
    """Whether a side is ruled out in the rows ``on_other_side``, and in (nearly) no other row."""
    if min(on_other_side.sum(), (~on_other_side).sum()) < max(minimum, 1):
        return not minimum
    return bool(
        out[on_other_side].mean() >= MIN_RULED_OUT
        and out[~on_other_side].mean() <= MAX_OWN_RULED_OUT
    )


def _mark_ruled_out(
    F: np.ndarray, columns: np.ndarray, true_side: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the rows in which ``columns`` are ruled out, and in which scores saturate.

    ``columns`` is the mask of one side, ``true_side`` of the opposite one. ``columns`` are ruled
    out in a row if all their scores are lower than those of ``true_side``, or if their scores are
    equal and ``true_side`` has a different score. Scores saturate if most columns of ``true_side``
    also have the score of ``columns``.
    """
    scores, own_scores = F[:, columns], F[:, true_side]
    high, low = scores.max(axis=1), scores.min(axis=1)
    constant = high == low
    if columns.sum() == 1:  # a single column is always constant, so it must be minus infinity
        constant &= np.isneginf(high)
    constant &= ~((own_scores == high[:, None]).all(axis=1))
    below = high < own_scores.min(axis=1) if true_side.sum() >= MIN_COLUMNS else np.isneginf(high)
    saturated = constant & ~np.isneginf(high) & ((own_scores == high[:, None]).mean(axis=1) > 0.5)
    return constant | below, saturated


def _errors_within(F: np.ndarray, y: np.ndarray, seen: np.ndarray, rows: np.ndarray) -> int:
    """Return the number of errors within the true side; 0 if any error crosses the sides."""
    wrong, n_across = 0, 0
    for part, block in blocks(F):
        predicted = block.argmax(axis=1)
        part_rows = rows[part]
        n_across += int((seen[predicted] != seen[y[part]])[part_rows].sum())
        wrong += int((predicted != y[part])[part_rows].sum())
    return 0 if n_across else wrong
