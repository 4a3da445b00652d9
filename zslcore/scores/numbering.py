"""Labels that count classes within a side: the commonest slip of the field's code, recognised.

Codes of the f-CLSWGAN family number the classes of a side from 0 before they train a classifier
(``map_label``). Written next to scores of all classes, such labels look like those of other
classes: nearly every unseen image is then wrong. A reading is a way in which labels may count:

=================  ============================================================================
unseen within      images of unseen classes count the unseen classes, seen ones all classes
seen within        images of seen classes count the seen classes, unseen ones all classes
both within        images of either side count the classes of their side
seen first         the seen classes are counted first, then the unseen ones
=================  ============================================================================

each from 0 or from 1. Labels do not say of which side an image is: it is told by blocks of rows,
one of either side, or by runs of rows with one label, each as a whole. A reading is proposed where
answers agree with it far above chance and the labels as they stand do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from zslcore.metrics import harmonic_mean, mean_class_accuracy

#: Images that a reading has to change, its hits over those of the labels as they stand, and the
#: probability of as many by chance.
FEWEST, CLEARER, UNLIKELY = 10, 2.0, 1e-4
#: Rows with one label in a row, on average, from which runs of labels are looked at.
RUN = 5
#: Images that a run of one label has to explain more in two parts.
PARTED = 4
#: Best classes of either side, int arrays of shape (n_images,).
Best = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class LabelReading:
    """Labels read in another way, with its ``description``; ``y`` are columns."""

    y: np.ndarray
    description: str


def reading_within_sides(y: np.ndarray, seen: np.ndarray, best: Best) -> LabelReading | None:
    """Return the reading of labels that answers agree with and the labels as they stand do not.

    ``y`` are columns as the labels stand, ``seen`` marks columns and ``best`` are the best seen and
    the best unseen class of every image.
    """
    if seen.all() or not seen.any():
        return None
    best_reading: tuple[float, LabelReading] | None = None
    for reading, chance in _readings(y, seen, best):
        changed = reading.y != y
        n = int(changed.sum())
        if n < FEWEST:
            continue
        hits, before = (_hits(labels, seen, best)[changed].sum() for labels in (reading.y, y))
        by_chance = binom.sf(hits - 1, n, min(chance, 1.0))
        if hits <= CLEARER * before or by_chance > UNLIKELY:
            continue
        excess = float(_hits(reading.y, seen, best).sum())
        if best_reading is None or excess > best_reading[0]:
            best_reading = excess, reading
    return best_reading[1] if best_reading else None


def mixed_sides(y: np.ndarray, seen: np.ndarray, best: Best, answers: np.ndarray) -> bool:
    """Return whether labels count the unseen classes, images of both sides being mixed.

    Then no row tells of which side its image is, and no reading can be made. ``answers`` are the
    best classes of all.
    """
    unseen = np.flatnonzero(~seen)
    if np.isin(unseen, y).all() or len(unseen) < 2:
        return False
    for first in (0, 1):
        place = y - first
        at = (place >= 0) & (place < len(unseen))
        target = unseen[np.clip(place, 0, len(unseen) - 1)]
        at &= (target != y) & ~seen[answers]
        agree, n = int((answers == target)[at].sum()), int(at.sum())
        likely = agree >= FEWEST and agree > 1.5 * (n - agree)
        if likely and binom.sf(agree - 1, n, 1 / len(unseen)) < UNLIKELY / 100:
            return True
    return False


def metrics_in_words(y: np.ndarray, seen: np.ndarray, answers: np.ndarray) -> str:
    """Return u, s and H per class at gamma 0 under some labels, as a text."""
    sides = {"u": ~seen[y], "s": seen[y]}
    metrics = {
        name: mean_class_accuracy(y[rows], answers[rows])
        for name, rows in sides.items()
        if rows.any()
    }
    if len(metrics) == 2:
        metrics["H"] = harmonic_mean(metrics["s"], metrics["u"])
    return ", ".join(f"{name} {100 * value:.1f} %" for name, value in metrics.items())


def _hits(y: np.ndarray, seen: np.ndarray, best: Best) -> np.ndarray:
    """Return which images are right among the classes of their side."""
    hits: np.ndarray = np.where(seen[y], best[0] == y, best[1] == y)
    return hits


def _readings(y: np.ndarray, seen: np.ndarray, best: Best) -> Iterator[tuple[LabelReading, float]]:
    """Yield the readings of some labels with the share of hits that chance gives them."""
    of_seen, of_unseen = np.flatnonzero(seen), np.flatnonzero(~seen)
    order = np.concatenate([of_seen, of_unseen])
    for first in (0, 1):
        start = f"from {first}"
        place = y - first
        if place.min() >= 0 and len(of_seen) <= place.max() < len(order):
            description = f"the seen classes are counted first, then the unseen ones, {start}"
            yield LabelReading(order[place], description), 1 / min(len(of_seen), len(of_unseen))
        yield from _readings_of_seen(y, seen, best, first)
        if np.isin(of_unseen, y).all():
            continue  # each unseen class has images as the labels stand
        unseen = _named(place, of_unseen)
        for seen_too in (False, True):
            as_seen = _named(place, of_seen) if seen_too else np.where(seen[y], y, -1)
            if ((unseen < 0) & (as_seen < 0)).any():
                continue
            what = "either side" if seen_too else "the unseen side"
            for rows, how, length in _sides_of_rows(y, as_seen, unseen, best):
                description = f"images of {what} count the classes of their side {start}, {how}"
                chance = 1 / len(of_unseen)
                chance += np.sqrt(chance * (1 - chance) / length)  # the better side is chosen
                yield LabelReading(np.where(rows, unseen, as_seen), description), chance


def _readings_of_seen(
    y: np.ndarray, seen: np.ndarray, best: Best, first: int
) -> Iterator[tuple[LabelReading, float]]:
    """Yield the readings in which images of seen classes alone count the classes of their side."""
    of_seen = np.flatnonzero(seen)
    if np.isin(of_seen, y).all():
        return  # each seen class has images as the labels stand
    as_seen, as_unseen = _named(y - first, of_seen), np.where(seen[y], -1, y)
    if ((as_seen < 0) & (as_unseen < 0)).any():
        return
    for rows, how, length in _sides_of_rows(y, as_seen, as_unseen, best):
        description = (
            f"images of the seen side count the classes of their side from {first}; unseen are"
        )
        chance = 1 / len(of_seen)
        chance += np.sqrt(chance * (1 - chance) / length)  # the better side is chosen
        yield (
            LabelReading(
                np.where(rows, as_unseen, as_seen),
                f"{description} {how.removeprefix('which are ')}",
            ),
            chance,
        )


def _named(place: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the classes at some places, -1 where there is none."""
    inside = (place >= 0) & (place < len(classes))
    return np.where(inside, classes[np.clip(place, 0, len(classes) - 1)], -1)


def _sides_of_rows(
    y: np.ndarray, as_seen: np.ndarray, as_unseen: np.ndarray, best: Best
) -> Iterator[tuple[np.ndarray, str, float]]:
    """Yield which rows are of unseen classes, in words how they lie, and rows decided at once."""
    n = len(y)
    gain = (as_unseen == best[1]).astype(float) - (as_seen == best[0])
    gain = np.where(as_unseen < 0, -n, np.where(as_seen < 0, n, gain))
    sums = np.concatenate([[0.0], np.cumsum(gain)])
    last, first = int(np.argmin(sums)), int(np.argmax(sums))
    for rows, how in (
        (np.arange(n) >= last, f"which are the rows from {last:,} on"),
        (np.arange(n) < first, f"which are the first {first:,} rows"),
    ):
        if rows.any() and (np.where(rows, as_unseen, as_seen) >= 0).all():
            yield rows, how, n / 2
    starts = np.concatenate([[0], 1 + np.flatnonzero(y[1:] != y[:-1])])
    if n / len(starts) >= RUN:
        of_run = np.concatenate([_unseen_in_run(part) for part in np.split(gain, starts[1:])])
        if of_run.any():
            yield (
                of_run,
                f"which are {int(of_run.sum()):,} rows in runs of a label",
                n / len(starts),
            )


def _unseen_in_run(gain: np.ndarray) -> np.ndarray:
    """Return which images of a run are of unseen classes: all, none, or those from or up to one.

    ``gain`` is what an image gains when it is read as unseen. Two classes with one label may follow
    each other; a run is parted only where that explains :data:`PARTED` images more.
    """
    sums, n = np.concatenate([[0.0], np.cumsum(gain)]), len(gain)
    whole = max(sums[-1], 0.0)
    first, last = int(np.argmax(sums)), int(np.argmin(sums))
    parted = max(sums[first], sums[-1] - sums[last])
    if parted < whole + max(PARTED, n / 10):
        return np.full(n, sums[-1] > 0)
    of_unseen: np.ndarray = np.arange(n) < first if sums[first] == parted else np.arange(n) >= last
    return of_unseen
