"""Labels that number the classes within a side: question and fix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.leakage.published import recognised
from zslcore.scores.matrix import Scores
from zslcore.scores.numbering import (
    LabelReading,
    metrics_in_words,
    mixed_sides,
    reading_within_sides,
)
from zslcore.scores.questions import Question


def _best_classes(matrix: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Return the best seen and the best unseen column of every image."""
    return matrix.tested.seen_class, matrix.tested.unseen_class


def within_sides_question(matrix: Scores) -> Question | None:
    """Ask whether labels number the classes within a side; give u, s and H of both readings."""
    y, seen = matrix.y, matrix.seen
    if matrix.benchmark or seen.all() or not seen.any():
        return None
    best, predicted = _best_classes(matrix), matrix.tested.predicted()
    reading = reading_within_sides(y, seen, best)
    if reading is not None:
        return Question(
            "within-sides",
            f"{matrix.name}: with the labels as they are, {metrics_in_words(y, seen, predicted)}; "
            f"if {reading.description}, {metrics_in_words(reading.y, seen, predicted)} (per class, "
            "γ = 0): are the labels numbered in this way?",
        )
    if mixed_sides(y, seen, best, predicted):
        return Question(
            "within-sides",
            f"{matrix.name}: with the labels as they are, {metrics_in_words(y, seen, predicted)}, "
            "but many images labelled 0, 1, 2 ... are predicted as the first, second, third ... "
            "unseen class: are their labels numbers within the unseen classes? The rows of unseen "
            "and of seen images are mixed, so labels have to be given as column numbers.",
        )
    return None


def within_sides(matrix: Scores) -> Scores:
    """Return the matrix with labels within a side converted to columns."""
    reading = renumbered_within_sides(matrix)
    test = recognised(reading.y, len(matrix.seen))
    if test is not None and not np.array_equal(test.unseen, ~matrix.seen):
        test = None
    return replace(
        matrix,
        y=reading.y,
        remarks=(f"Labels were renumbered: {reading.description}.",),
        benchmark=test.benchmark if test else "",
        split=test.split if test else "",
    )


def renumbered_within_sides(matrix: Scores) -> LabelReading:
    """Return the reading of labels numbered within a side; refuse labels without one."""
    reading = reading_within_sides(matrix.y, matrix.seen, _best_classes(matrix))
    if reading is None:
        raise DatasetError(
            f"{matrix.name}, labels: expected column numbers; got numbers within each side, which "
            "do not show which images belong to unseen classes."
        )
    return reading
