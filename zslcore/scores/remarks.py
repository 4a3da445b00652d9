"""Remarks on properties of scores that no fix can repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from zslcore.metrics import BestClasses
from zslcore.numbers import percent
from zslcore.scores.column_order import describe_moved_columns
from zslcore.scores.matrix import Scores, blocks, copy_rows, spread_rows
from zslcore.scores.numbering import metrics_of_classes
from zslcore.scores.questions import MAX_LISTED
from zslcore.texts import listed

#: Maximum share of rows with ties that needs no remark.
MAX_TIED = 0.01
#: Maximum share of repeated rows that needs no remark.
MAX_REPEATED = 0.01


def remarks_on_sides(matrix: Scores, sides: Sequence[str]) -> Iterator[str]:
    """Yield a remark on scores masked by the true side, and on the meaning of H for such scores."""
    other_side = {"seen": "unseen", "unseen": "seen"}
    out = " and ".join(
        f"scores of {side} classes for images of {other_side[side]} classes" for side in sides
    )
    yield (
        f"Masked by the true side: {out} are ruled out, and no others, so the side of every image "
        "was given. H is the H of separate label spaces. Score every image among all classes for "
        "GZSL."
    )
    yield from remarks_on_missing_classes(matrix)
    yield from _remarks_on_repeated_rows(matrix)


def remarks_on_scores(matrix: Scores) -> Iterator[str]:
    """Yield remarks on properties of the scores that no fix can repair."""
    y, seen, rows = matrix.y, matrix.seen, spread_rows(len(matrix.y))
    F = copy_rows(matrix.F, rows)
    if not seen[y].any():
        yield "No image belongs to a seen class: only ZSL accuracy can be computed."
    if not (~seen)[y].any():
        yield "No image belongs to an unseen class: ZSL accuracy cannot be computed."
    if seen.any() and not seen.all() and (F >= 0).all():
        sides = [F[:, side].sum(axis=1, dtype=float) for side in (seen, ~seen)]
        if all(np.allclose(side, 1, atol=1e-3) for side in sides):
            yield (
                "The scores of seen and of unseen classes sum to 1 each, in every row: the two "
                "sides were scaled separately, so γ = 0 is as arbitrary as any other γ."
            )
    for side, name in ((seen, "seen"), (~seen, "unseen")):
        if side.sum() > 1 and F[:, side].min() == F[:, side].max() and F.min() < F.max():
            yield (
                f"All scores of {name} classes are {F[:, side].min():g}, as if masked: only the "
                "accuracy of the other side among its own classes can be used."
            )
    if moved := describe_moved_columns(F, y[rows], seen):
        yield moved
    yield from remarks_on_missing_classes(matrix)
    yield from _remarks_on_repeated_rows(matrix)
    top = np.partition(F, -2, axis=1)[:, -2:] if F.shape[1] > 1 else F
    tied = float((top[:, 0] == top[:, -1]).mean()) if F.shape[1] > 1 else 0.0
    best_classes = matrix.predicted_rows.best_classes
    is_across = np.abs(best_classes.margin) <= best_classes.resolution
    if is_across.mean() > MAX_TIED:
        yield _tie_remark(best_classes, is_across)
    elif tied > MAX_TIED:
        yield (
            f"In {percent(tied, 0)} of the rows two classes of one side share the highest score; "
            "the first is predicted."
        )


def _tie_remark(best_classes: BestClasses, tied: np.ndarray) -> str:
    """Return the remark on ties between the sides, with u and s for both ways to decide ties."""
    predicted = best_classes.at(0.0)
    first = np.minimum(best_classes.seen_class, best_classes.unseen_class)
    in_order = np.where(tied, first, predicted)
    on_curve, by_file_order = (
        " and ".join(f"{name} {percent(value)}" for name, value in metrics.items() if name != "H")
        for classes in (np.where(tied, best_classes.unseen_class, predicted), in_order)
        for metrics in [metrics_of_classes(best_classes.y, best_classes.of_seen, classes)]
    )
    return (
        f"In {percent(tied.mean(), 0)} of the rows a seen and an unseen class share the highest "
        f"score: the unseen one is predicted, as on the curve, which gives {on_curve} at γ = 0. If "
        f"the first in file order is predicted, as by argmax, the result is {by_file_order}."
    )


def remarks_on_missing_classes(matrix: Scores) -> Iterator[str]:
    """Yield a remark if only some unseen classes have images."""
    has_images = np.isin(np.arange(len(matrix.seen)), matrix.y)
    missing, n = np.flatnonzero(~matrix.seen & ~has_images), int((~matrix.seen).sum())
    if 0 < len(missing) < n:
        names = listed([matrix.class_names[k] for k in missing], MAX_LISTED)
        yield (
            f"Without images: {len(missing)} of the {n} unseen classes ({names}); ZSL accuracy and "
            "u are means over the others."
        )


def _remarks_on_repeated_rows(matrix: Scores) -> Iterator[str]:
    """Yield a remark if rows with the same class and the same scores are repeated.

    Scores with few distinct values are skipped, since their rows are likely to be equal.
    """
    F, n = matrix.F, len(matrix.y)
    first_rows = F[: min(n, 500)]
    if F.shape[1] < 3 or len(np.unique(first_rows)) < first_rows.size / 2:
        return
    rows = {
        (hash(row.tobytes()), c)
        for part, block in blocks(F)
        for row, c in zip(block, matrix.y[part].tolist(), strict=True)
    }
    repeated = n - len(rows)
    if repeated > MAX_REPEATED * n:
        yield (
            f"{repeated:,} of {n:,} rows repeat another row of the same class, score by score: "
            "are images counted twice?"
        )
