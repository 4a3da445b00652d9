"""Order and direction of columns: questions and refusals if predictions do not fit the labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import scipy

from zslcore.exceptions import DoubtfulScoresError
from zslcore.leakage.published import recognise_test
from zslcore.numbers import percent
from zslcore.scores.matrix import Scores, blocks, copy_rows, spread_rows
from zslcore.scores.questions import FIXES, MAX_LISTED, ask_owner
from zslcore.storage.artifacts import scratch

#: Size in bytes from which changed scores are written to disk.
ON_DISK = 1 << 28
#: Hits (correct predictions) are above chance if they exceed MIN_CHANCE_RATIO times the hits
#: expected by chance. A question is asked if another reading of the file also has more than
#: MIN_HIT_RATIO times the hits of the unchanged file.
MIN_CHANCE_RATIO, MIN_HIT_RATIO = 2.5, 2.0
#: Number of permutations of the labels from which the hits by chance are estimated.
N_PERMUTATIONS = 10
#: The lists of seen and unseen classes may be swapped if classes listed as seen have more than
#: MIN_IMAGE_RATIO times as many images on average, and classes listed as unseen have more than
#: MIN_ACCURACY_RATIO times the accuracy. Benchmarks test all images of an unseen class and a fifth
#: of the images of a seen class, and methods predict seen classes too often.
MIN_IMAGE_RATIO, MIN_ACCURACY_RATIO = 2.0, 1.5
#: Minimum numbers of rows and columns for which sorted rows are no coincidence.
MIN_SORTED_ROWS, MIN_COLUMNS = 10, 3
#: Maximum accepted share of images that have their largest score in a column without images.
MAX_WINS = 0.5


def _hits(F: np.ndarray, y: np.ndarray) -> float:
    """Return the share of images with the highest score at their class."""
    return float((F.argmax(axis=1) == y).mean())


def _orders(seen: np.ndarray) -> dict[str, np.ndarray]:
    """Return the possible orders of columns: fix -> column of each class."""
    sides = np.flatnonzero(seen), np.flatnonzero(~seen)
    return {
        "seen-first": np.argsort(np.concatenate(sides)),
        "unseen-first": np.argsort(np.concatenate(sides[::-1])),
    }


def apply_column_fixes(matrix: Scores, fixes: Collection[str]) -> Scores:
    """Apply the answered fixes: reorder columns, and negate distances."""
    F = matrix.F
    for fix, order in _orders(matrix.seen).items():
        if fix in fixes:
            F = _reorder(F, order, 1)
    if "distances" in fixes:
        F = _reorder(F, np.arange(F.shape[1]), -1)
    return replace(matrix, matrix=F)


def _reorder(F: np.ndarray, order: np.ndarray, sign: int) -> np.ndarray:
    """Reorder the columns of scores or change their sign; a large result is a memory map."""
    if F.nbytes < ON_DISK:
        return sign * F[:, order]
    with scratch() as folder:
        path = folder / "changed.npy"
        with path.open("wb") as file:
            header = {"descr": F.dtype.str, "fortran_order": False, "shape": F.shape}
            np.lib.format.write_array_header_1_0(file, header)
            for _, block in blocks(F):
                file.write(np.ascontiguousarray(sign * block[:, order], dtype=F.dtype).data)
        changed: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        return changed  # a memory map stays readable after its folder is deleted


def is_clearer(hits: float, now: float, n_classes: int) -> bool:
    """Whether another reading has hits above chance, and far more than the unchanged file."""
    return hits > max(MIN_CHANCE_RATIO / n_classes, MIN_HIT_RATIO * now)


def check_order(matrix: Scores) -> Scores:
    """Ask about the order and sign of columns and the list of classes; return sampled rows."""
    _refuse_rows_of_classes(matrix)
    rows = spread_rows(len(matrix.y))
    sample = replace(matrix, matrix=copy_rows(matrix.F, rows), y=matrix.y[rows])
    _ask_about_order(sample)
    if "seen-listed" not in matrix.fixes and (sentence := _describe_swapped_lists(matrix, sample)):
        ask_owner("seen-listed", f"{matrix.name}: {sentence}: is this the list of seen classes?")
    return sample


def _ask_about_order(sample: Scores) -> None:
    """Ask about the order or sign of columns if another one makes far more predictions right."""
    F, y, C, orders = sample.F, sample.y, sample.F.shape[1], _orders(sample.seen)
    if {*orders} & {*sample.fixes}:
        orders = {}
    now, negated = _hits(F, y), _hits(-F, y)

    def own_side_hits(F: np.ndarray) -> float:
        """Return the accuracy within sides, which does not depend on a bias to seen classes."""
        return max(_own_side_hits(sign * F, y, sample.seen) for sign in (1, -1))

    for fix, order in orders.items():
        reordered, best = F[:, order], max(now, negated)
        hits = max(_hits(reordered, y), _hits(-reordered, y))
        if is_clearer(hits, best, C) and own_side_hits(reordered) > own_side_hits(F):
            text = f"{percent(best)} of the predictions are right with the columns as they are"
            other = f"{percent(hits)} if {FIXES[fix]}: is that their order?"
            ask_owner(fix, f"{sample.name}: {text}, {other}")
    if "distances" not in sample.fixes and is_clearer(negated, now, C):
        text = f"{percent(now)} of the predictions are right if a larger score is closer"
        other = f"{percent(negated)} if a smaller one is: are these distances?"
        ask_owner("distances", f"{sample.name}: {text}, {other}")


def _describe_swapped_lists(matrix: Scores, sample: Scores) -> str:
    """Return why the classes listed as unseen may be the seen classes, or ""."""
    y, seen = matrix.y, matrix.seen
    test = recognise_test(y, len(seen))
    if test is not None:
        if not np.array_equal(test.unseen, seen):
            return ""
        n, name = int((~seen).sum()), f"{test.benchmark} {test.split}"
        return f"the {n} classes listed as unseen are the seen classes of {name}"
    images = np.bincount(y, minlength=len(seen))
    of_seen, of_unseen = (images[side & (images > 0)] for side in (seen, ~seen))
    right = sample.F.argmax(axis=1) == sample.y
    u, s = (right[side[sample.y]] for side in (~seen, seen))
    if not len(u) or not len(s):
        return ""
    ratio = of_seen.mean() / of_unseen.mean()
    if ratio <= MIN_IMAGE_RATIO or u.mean() <= MIN_ACCURACY_RATIO * s.mean():
        return ""
    return (
        f"{percent(s.mean(), 0)} of the predictions are right for classes listed as seen, "
        f"{percent(u.mean(), 0)} for those listed as unseen, and a seen class has "
        f"{ratio:.1f} times as many images"
    )


def refuse_sorted(name: str, F: np.ndarray) -> None:
    """Refuse scores that are sorted within every row, as by top-k: columns are ranks."""
    sample = np.asarray(copy_rows(F, spread_rows(len(F))))
    if len(sample) < MIN_SORTED_ROWS or F.shape[1] < MIN_COLUMNS:
        return
    first, second = sample[:, :-1], sample[:, 1:]
    differs = (sample[:, 0] != sample[:, -1]).all()
    for order, is_sorted in (("largest", first >= second), ("smallest", first <= second)):
        if differs and is_sorted.all():
            raise DoubtfulScoresError(
                f"{name}: expected one column of scores per class; got rows that are all sorted, "
                f"the {order} score first, as by top-k. Write the scores in the order of the "
                "classes, or keep them with as-is (--fix as-is)."
            )


def _refuse_rows_of_classes(matrix: Scores) -> None:
    """Refuse a matrix with one row per class, not per image: its metrics are often 100 %."""
    C = len(matrix.seen)
    if len(matrix.y) == C > 2 and len(np.unique(matrix.y)) == C:
        raise DoubtfulScoresError(
            f"{matrix.name}: expected scores of images; got one row for each of {C} classes, as "
            "in a confusion matrix (title its first column 'true' if its rows are true classes, or "
            "'predicted'), class similarities or class means. Give the scores or the "
            "predicted class of every image, or keep them with as-is (--fix as-is)."
        )


def refuse_other_columns(matrix: Scores, sample: Scores) -> None:
    """Refuse columns that seem to belong to other classes, judging by sampled rows.

    Two faults are refused: a few seen columns without images have the largest score of most images,
    or the columns are in another order. The first is accepted in a file without images of seen
    classes, where uncalibrated scores are often largest for seen classes.
    """
    tested = np.unique(matrix.y)
    untested = np.setdiff1d(np.flatnonzero(matrix.seen), tested)
    wins = np.isin(sample.F.argmax(axis=1), untested).mean()
    if wins > MAX_WINS and len(untested) < matrix.seen[tested].sum() / 2:
        names = ", ".join(repr(matrix.class_names[k]) for k in untested[:MAX_LISTED])
        raise DoubtfulScoresError(
            f"{matrix.name}: {percent(wins)} of the images have their largest score in "
            f"{len(untested)} columns without an image ({names}); leave out columns that belong to "
            "no class, or keep them with as-is (--fix as-is)."
        )
    if moved := describe_moved_columns(sample.F, sample.y, sample.seen):
        raise DoubtfulScoresError(
            f"{matrix.name}: {moved} Reorder the columns, name the unseen classes with "
            "--unseen, or keep the columns with as-is (--fix as-is)."
        )


def describe_moved_columns(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> str:
    """Return a remark if predictions fit the labels only under another order of columns; or ""."""
    C, predicted = F.shape[1], F.argmax(axis=1)
    now = float((predicted == y).mean())
    # If predictions within the true side are far above chance, a bias to one side explains the
    # errors.
    if now >= 2 / C or _own_side_hits(F, y, seen) > MIN_CHANCE_RATIO:
        return ""
    best = _best_assignment(y, predicted)
    if not is_clearer(best, now, C):
        return ""
    rng = np.random.default_rng(0)
    chance = max(_best_assignment(rng.permutation(y), predicted) for _ in range(N_PERMUTATIONS))
    if best <= MIN_HIT_RATIO * chance:
        return ""
    return (
        f"{percent(now)} of the predictions are right, near chance, but another order of columns "
        f"would make {percent(best)} right ({percent(chance)} by chance): check that column k is "
        "class k."
    )


def _own_side_hits(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> float:
    """Return the accuracy among the classes of the true side, as a multiple of chance."""
    right = chance = 0.0
    for side in (seen, ~seen):
        rows, columns = np.flatnonzero(side[y]), np.flatnonzero(side)
        if len(rows):
            right += float((columns[F[np.ix_(rows, columns)].argmax(axis=1)] == y[rows]).sum())
            chance += len(rows) / len(columns)
    return right / chance


def _best_assignment(y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the largest accuracy under any order of columns."""
    # The table has only the classes in these rows; all 21,841 classes of ImageNet-21K would take 4
    # GB.
    (classes, true), (predicted_classes, columns_of_predictions) = (
        np.unique(k, return_inverse=True) for k in (y, predicted)
    )
    counts = np.zeros((len(classes), len(predicted_classes)))
    np.add.at(counts, (true, columns_of_predictions), 1)
    rows, columns = scipy.optimize.linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / len(y))
