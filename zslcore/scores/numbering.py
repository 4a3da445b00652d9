"""Recognition of labels that number classes within a side, a common fault in published code.

Programs derived from f-CLSWGAN number the classes of a side from 0 before they train a classifier
(``map_label``). In a file with scores of all classes, these labels point to wrong classes, and
nearly every unseen image is an error. A reading is one interpretation of the labels:

=================  ============================================================================
unseen within      unseen images are numbered within the unseen classes, seen images among all
seen within        seen images are numbered within the seen classes, unseen images among all
both within        images of each side are numbered within the classes of their side
seen first         labels number the seen classes first, then the unseen classes
=================  ============================================================================

Each reading counts from 0 or from 1. Labels do not determine the side of an image; the side is
inferred from two blocks of rows, one per side, or from runs of rows with the same label. A reading
is proposed if predictions agree with it far above chance, and far more often than with the
unchanged labels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from zslcore.leakage.published import recognise_test
from zslcore.metrics import harmonic_mean, mean_class_accuracy
from zslcore.numbers import percent
from zslcore.scores.matrix import Scores
from zslcore.scores.questions import ask_owner
from zslcore.texts import refusal_of

#: A proposed reading changes the labels of at least MIN_CHANGED images. A hit is a changed label
#: that agrees with the prediction: the reading has more than MIN_HIT_RATIO times the hits of the
#: unchanged labels, and would have this many by chance with at most the probability MAX_CHANCE.
MIN_CHANGED, MIN_HIT_RATIO, MAX_CHANCE = 10, 2.0, 1e-4
#: Runs of equal labels are used if their average length is at least this.
MIN_RUN = 5
#: A run of equal labels is divided only if this adds at least this many hits, and at least a tenth
#: of the length of the run.
MIN_DIVISION_HITS = 4
#: Best seen and best unseen class of each image, int arrays of shape (n_images,).
Best = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class LabelReading:
    """Alternative reading of labels: its ``description``, and the column numbers ``y``."""

    y: np.ndarray
    description: str


def number_within_sides(matrix: Scores, fixes: Collection[str]) -> Scores:
    """Ask whether labels number the classes within a side, or apply the answer.

    The question gives u, s and H of both readings.
    """
    y, seen, best_rows = matrix.y, matrix.seen, matrix.predicted_rows
    best = best_rows.seen_class, best_rows.unseen_class
    is_answered = "within-sides" in fixes
    is_skipped = "as-is" in fixes or matrix.benchmark or seen.all() or not seen.any()
    if is_skipped and not is_answered:
        return matrix
    reading, predicted = reading_within_sides(y, seen, best), best_rows.predicted()
    if is_answered and reading is not None:
        return _renumber(matrix, reading)
    if is_answered:
        got = "numbers within each side, which do not show which images belong to unseen classes"
        raise refusal_of(f"{matrix.name}, labels", "column numbers", got)
    text = f"{matrix.name}: with the labels as they are, {metrics_in_words(y, seen, predicted)}"
    if reading is not None:
        other = f"if {reading.description}, {metrics_in_words(reading.y, seen, predicted)}"
        question = "(per class, γ = 0): are the labels numbered in this way?"
        ask_owner("within-sides", f"{text}; {other} {question}")
    if are_sides_mixed(y, seen, best, predicted):
        ask_owner(
            "within-sides",
            f"{text}, but many images labelled 0, 1, 2 ... are predicted as the first, second, "
            "third ... unseen class: are their labels numbers within the unseen classes? The rows "
            "of unseen and of seen images are mixed, so labels have to be given as column numbers.",
        )
    return matrix


def _renumber(matrix: Scores, reading: LabelReading) -> Scores:
    """Return the scores with the labels of a reading."""
    best = matrix.best and replace(matrix.best, labels=reading.y.astype(np.int32))
    test = recognise_test(reading.y, len(matrix.seen))
    if test is not None and not np.array_equal(test.unseen, ~matrix.seen):
        test = None
    return replace(
        matrix,
        y=reading.y,
        best=best,
        remarks=(*matrix.remarks, f"Labels were renumbered: {reading.description}."),
        benchmark=test.benchmark if test else "",
        split=test.split if test else "",
    )


def reading_within_sides(y: np.ndarray, seen: np.ndarray, best: Best) -> LabelReading | None:
    """Return the reading of labels that fits the predictions far better than unchanged labels.

    ``y`` are the column numbers of the unchanged labels, ``seen`` marks the seen columns, and
    ``best`` has the best seen and the best unseen class of every image.
    """
    if seen.all() or not seen.any():
        return None
    best_reading: tuple[float, LabelReading] | None = None
    for reading, chance in _readings(y, seen, best):
        changed = reading.y != y
        n = int(changed.sum())
        if n < MIN_CHANGED:
            continue
        agree, before = (_hits(labels, seen, best) & changed for labels in (reading.y, y))
        if len(np.unique(reading.y[agree])) < min(2, len(np.unique(reading.y[changed]))):
            # A class that is often predicted agrees with every reading that assigns images to it.
            continue
        hits = agree.sum()
        by_chance = scipy.stats.binom.sf(hits - 1, n, min(chance, 1.0))
        if hits <= MIN_HIT_RATIO * before.sum() or by_chance > MAX_CHANCE:
            continue
        n_right = float(_hits(reading.y, seen, best).sum())
        if best_reading is None or n_right > best_reading[0]:
            best_reading = n_right, reading
    return best_reading[1] if best_reading else None


def are_sides_mixed(y: np.ndarray, seen: np.ndarray, best: Best, predicted: np.ndarray) -> bool:
    """Whether labels number only the unseen classes, while images of both sides are mixed.

    The order of rows then does not show the side of an image, so no reading can be proposed.
    ``predicted`` are the best classes among all classes.
    """
    unseen = np.flatnonzero(~seen)
    if np.isin(unseen, y).all() or len(unseen) < 2:
        return False
    for first in (0, 1):
        position = y - first
        at = (position >= 0) & (position < len(unseen))
        target = unseen[np.clip(position, 0, len(unseen) - 1)]
        at &= (target != y) & ~seen[predicted]
        agree, n = int((predicted == target)[at].sum()), int(at.sum())
        likely = agree >= MIN_CHANGED and agree > 1.5 * (n - agree)
        if likely and scipy.stats.binom.sf(agree - 1, n, 1 / len(unseen)) < MAX_CHANCE / 100:
            return True
    return False


def metrics_of_classes(
    y: np.ndarray,
    of_seen: np.ndarray,
    classes: np.ndarray,
    accuracy: Callable[[np.ndarray, np.ndarray], float] = mean_class_accuracy,
) -> dict[str, float]:
    """Return u, s and H of predicted classes; a metric without images is missing.

    ``of_seen`` marks the images of seen classes.
    """
    sides = {"u": ~of_seen, "s": of_seen}
    metrics = {
        name: float(accuracy(y[rows], classes[rows])) for name, rows in sides.items() if rows.any()
    }
    if len(metrics) == 2:
        metrics["H"] = float(harmonic_mean(metrics["s"], metrics["u"]))
    return metrics


def metrics_in_words(y: np.ndarray, seen: np.ndarray, predicted: np.ndarray) -> str:
    """Return u, s and H of the labels ``y`` at gamma 0, as text."""
    metrics = metrics_of_classes(y, seen[y], predicted)
    return ", ".join(f"{name} {percent(value)}" for name, value in metrics.items())


def _hits(y: np.ndarray, seen: np.ndarray, best: Best) -> np.ndarray:
    """Return a mask of the images predicted correctly among the classes of their side."""
    hits: np.ndarray = np.where(seen[y], best[0] == y, best[1] == y)
    return hits


def _readings(y: np.ndarray, seen: np.ndarray, best: Best) -> Iterator[tuple[LabelReading, float]]:
    """Yield the readings of labels with the share of hits expected by chance."""
    of_seen, of_unseen = np.flatnonzero(seen), np.flatnonzero(~seen)
    order = np.concatenate([of_seen, of_unseen])
    for first in (0, 1):
        start = f"from {first}"
        position = y - first
        if position.min() >= 0 and len(of_seen) <= position.max() < len(order):
            description = f"labels number the seen classes first, then the unseen ones, {start}"
            yield LabelReading(order[position], description), 1 / min(len(of_seen), len(of_unseen))
        yield from _readings_of_sides(y, seen, best, first)


def _readings_of_sides(
    y: np.ndarray, seen: np.ndarray, best: Best, first: int
) -> Iterator[tuple[LabelReading, float]]:
    """Yield the readings in which labels of one side, or of both, count only its classes."""
    sides = np.flatnonzero(seen), np.flatnonzero(~seen)
    within = [_classes_at(y - first, side) for side in sides]
    among_all = np.where(seen[y], y, -1), np.where(seen[y], -1, y)
    readings: tuple[tuple[np.ndarray, np.ndarray, np.ndarray, str], ...] = (
        (sides[0], within[0], among_all[1], "labels of seen images count the seen classes only"),
        (
            sides[1],
            among_all[0],
            within[1],
            "labels of unseen images count the unseen classes only",
        ),
        (sides[1], within[0], within[1], "labels count the classes of their own side only"),
    )
    for renumbered, as_seen, as_unseen, counting in readings:
        if np.isin(renumbered, y).all():
            continue  # labels include all classes of the side, so they are not renumbered
        if ((as_seen < 0) & (as_unseen < 0)).any():
            continue
        chance = 1 / len(renumbered)
        for rows, how, length in _sides_of_rows(y, as_seen, as_unseen, best):
            # The rows of each side are chosen to maximise hits, so more hits are expected by
            # chance.
            more = np.sqrt(chance * (1 - chance) / length)
            description = f"{counting}, from {first} (unseen images: {how})"
            yield LabelReading(np.where(rows, as_unseen, as_seen), description), chance + more


def _classes_at(position: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the classes at the given positions; -1 for positions without a class."""
    inside = (position >= 0) & (position < len(classes))
    return np.where(inside, classes[np.clip(position, 0, len(classes) - 1)], -1)


def _sides_of_rows(
    y: np.ndarray, as_seen: np.ndarray, as_unseen: np.ndarray, best: Best
) -> Iterator[tuple[np.ndarray, str, float]]:
    """Yield masks of unseen rows, with a description and the mean length of a block or run."""
    n = len(y)
    gain = (as_unseen == best[1]).astype(float) - (as_seen == best[0])
    gain = np.where(as_unseen < 0, -n, np.where(as_seen < 0, n, gain))
    sums = np.concatenate([[0.0], np.cumsum(gain)])
    last, first = int(np.argmin(sums)), int(np.argmax(sums))
    for rows, how in (
        (np.arange(n) >= last, f"the rows from {last:,} on"),
        (np.arange(n) < first, f"the first {first:,} rows"),
    ):
        if rows.any() and (np.where(rows, as_unseen, as_seen) >= 0).all():
            yield rows, how, n / 2
    starts = np.concatenate([[0], 1 + np.flatnonzero(y[1:] != y[:-1])])
    if n / len(starts) >= MIN_RUN:
        of_run = np.concatenate([_unseen_in_run(part) for part in np.split(gain, starts[1:])])
        if of_run.any():
            yield (
                of_run,
                f"{int(of_run.sum()):,} rows, in blocks of equal labels",
                n / len(starts),
            )


def _unseen_in_run(gain: np.ndarray) -> np.ndarray:
    """Return a mask of unseen images in a run: all, none, or all before or after a position.

    ``gain`` is the change in hits of each image if its label is read as unseen. A run can have two
    classes with the same label, but it is divided only if this adds enough hits, see
    :data:`MIN_DIVISION_HITS`.
    """
    sums, n = np.concatenate([[0.0], np.cumsum(gain)]), len(gain)
    undivided = max(sums[-1], 0.0)
    first, last = int(np.argmax(sums)), int(np.argmin(sums))
    divided = max(sums[first], sums[-1] - sums[last])
    if divided < undivided + max(MIN_DIVISION_HITS, n / 10):
        return np.full(n, sums[-1] > 0)
    of_unseen: np.ndarray = np.arange(n) < first if sums[first] == divided else np.arange(n) >= last
    return of_unseen
