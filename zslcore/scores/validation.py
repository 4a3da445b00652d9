"""Check that gamma is chosen on scores of images other than the test images.

A gamma is validated if it was chosen without labelled images of unseen test classes and without
test images. Two conditions on the files decide this:

======== ===========================================================================================
classes  no validation image is of an unseen class of the test set; classes are compared by the
         names of the columns, or by their numbers if both files have the same number of columns
rows     no validation row is a test row; test rows are recognised in another order or in part, with
         columns in another order, left out or ruled out, and with scores rounded, scaled,
         transformed monotonically or slightly noisy
======== ===========================================================================================

A gamma that violates a condition is an oracle. If the classes of both files cannot be compared, the
gamma counts as validated by the statement of its owner, with a note. Test rows with noise of 15 %
of the spread of scores (5 % for probabilities), in a file that states other unseen classes, can
pass unnoticed, since other images of a class are then equally near. The sentence on screen states
this limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from zslcore.evaluation.predicted_tests import WITHOUT_CURVE, best_common_gamma
from zslcore.exceptions import DatasetError
from zslcore.names import are_numbered_from_0, positions_of
from zslcore.numbers import percent
from zslcore.scores.matrix import Scores, blocks, spread_rows
from zslcore.texts import expect, listed

#: Limits of a comparison of two files: rows of each file, and columns.
MAX_ROWS, MAX_COLUMNS = 400, 64
#: Ratio, factor and margin. A row is a copy if its distance to the nearest test row is at most
#: ``ratio`` times the distance to the second nearest one. Copies are evidence if their share
#: exceeds ``factor`` times the share by chance plus ``margin``, and if such a share has at most the
#: probability MAX_CHANCE by chance.
Rule = tuple[float, float, float]
#: Rules for exact copies, and for copies with noise, which are sought only in the values, not in
#: ranks or sorted values.
COPIES: Rule = (0.25, 2.0, 0.05)
NOISY: Rule = (0.5, 3.0, 0.08)
MAX_CHANCE = 1e-4
#: Distances below this share of the norm of a row are rounding errors.
ROUNDING = 1e-6
_BY_NUMBER = (
    " Columns were compared by number; if a number means different classes in the two files, give "
    "both files class_names."
)
_NOISE = " Test rows with strong added noise would not be recognised."
#: Number of scores per validation row for which equal scores are sought in the test rows.
EQUAL_VALUES = 4
#: Minimum number of columns that are compared, and of copies that are evidence.
MIN_EVIDENCE = 3
#: Maximum number of names in a sentence.
MAX_LISTED = 4


@dataclass(frozen=True, slots=True)
class ChosenGamma:
    """Gamma that is best on validation scores.

    ``origin`` is "oracle" if these scores cannot serve as validation scores; ``note`` has the
    reason or the result of the comparison; ``checked`` is True if the classes of both files could
    be compared.
    """

    gamma: float
    origin: Literal["validated", "oracle"]
    note: str
    checked: bool = True


def choose_gamma_on(matrix: Scores, *validation: Scores) -> ChosenGamma:
    """Choose gamma on validation scores, and check that they are not of the test images.

    Gamma has the largest H averaged over the exact curves of the files, as in a run with as many
    folds. Each file must have images of its seen and of its unseen classes. Raises DatasetError for
    scores without a curve, or for the test scores themselves.
    """
    for scores in validation:
        _refuse_without_curve(matrix, scores)
    gamma = best_common_gamma([scores.predicted_rows.curve for scores in validation])
    choices = [_judge_file(matrix, scores, gamma) for scores in validation]
    for worst in (
        [choice for choice in choices if choice.origin == "oracle"],
        [choice for choice in choices if not choice.checked],
    ):
        if worst:
            return worst[0]
    if len(choices) == 1:
        return choices[0]
    names = ", ".join(scores.name for scores in validation)
    by_number = next(filter(None, (_note_on_numbers(matrix, scores) for scores in validation)), "")
    note = (
        f"γ was chosen on {names}, where the mean H is largest; according to their lists of "
        f"classes, these files have no images of unseen test classes.{_NOISE}{by_number}"
    )
    return ChosenGamma(gamma, "validated", note)


def _judge_file(matrix: Scores, validation: Scores, gamma: float) -> ChosenGamma:
    """Check the validation scores of one file."""
    shared, common = _test_classes_in(matrix, validation), _common_columns(matrix, validation)
    of_test = share_of_test_rows(matrix, validation)
    by_number = _note_on_numbers(matrix, validation)
    chosen, oracle = f"γ was chosen on {validation.name}", "this is an oracle, not a validated γ."
    if shared:
        n = f"{len(shared)} of the {int((~matrix.seen).sum())} unseen test classes"
        note = (
            f"{chosen}, which has images of {n} ({listed(shared, MAX_LISTED)}): {oracle}{by_number}"
        )
        return ChosenGamma(gamma, "oracle", note)
    if of_test:
        how = "are rows of the test scores up to order, rounding or scale"
        note = f"{chosen}, where {percent(of_test, 0)} of the compared rows {how}: {oracle}"
        return ChosenGamma(gamma, "oracle", note)
    if common is None:
        if _are_named(matrix, validation):
            reason = "no names in common. Give both files the same class_names."
        else:
            reason = "numbers instead of names. Give both files class_names other than 0, 1, 2 ..."
        note = (
            f"Whether {validation.name} has images of unseen test classes cannot be checked: its "
            f"{len(validation.seen)} columns and the {len(matrix.seen)} of the test scores have "
            f"{reason}"
        )
        return ChosenGamma(gamma, "validated", note, checked=False)
    note = f"{chosen}, which has no images of unseen test classes according to its list of classes."
    return ChosenGamma(gamma, "validated", f"{note}{_NOISE}{by_number}")


def _refuse_without_curve(matrix: Scores, validation: Scores) -> None:
    if validation.predicted_rows.limits:
        raise DatasetError(
            f"{validation.name}: expected validation scores of every image among all classes; "
            f"{WITHOUT_CURVE[validation.predicted_rows.limits]}."
        )
    is_other, got = validation.digest != matrix.digest, "the test scores themselves"
    expect(is_other, validation.name, "validation scores", got)
    of_seen = validation.seen[validation.y]
    has_both, side = of_seen.any() and not of_seen.all(), "unseen" if of_seen.all() else "seen"
    expected = "validation images of seen and of unseen classes"
    expect(has_both, validation.name, expected, f"none of {side} classes")


# --- Classes --------------------------------------------------------------------------------------


def _are_named(matrix: Scores, validation: Scores) -> bool:
    """Whether the columns of both files have names instead of numbers."""
    return not (
        are_numbered_from_0(matrix.class_names) or are_numbered_from_0(validation.class_names)
    )


def _common_columns(matrix: Scores, validation: Scores) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the columns of common classes in both files; None if no common classes are known."""
    if _are_named(matrix, validation):
        positions = positions_of(validation.class_names, matrix.class_names)
        common = np.flatnonzero(positions >= 0)
        return (positions[common], common) if len(common) else None
    if len(matrix.seen) == len(validation.seen):
        return np.arange(len(matrix.seen)), np.arange(len(matrix.seen))
    return None


def _test_classes_in(matrix: Scores, validation: Scores) -> list[str]:
    """Return the unseen test classes with validation images."""
    common = _common_columns(matrix, validation)
    if common is None:
        return []
    test_columns, columns = common
    imaged = np.isin(columns, validation.y) & ~matrix.seen[test_columns]
    return [matrix.class_names[k] for k in test_columns[imaged]]


def _note_on_numbers(matrix: Scores, validation: Scores) -> str:
    return "" if _are_named(matrix, validation) else _BY_NUMBER


# --- Rows -----------------------------------------------------------------------------------------


def share_of_test_rows(matrix: Scores, validation: Scores) -> float:
    """Return the share of validation rows that are test rows; 0 if explained by chance.

    A validation row matches a test row that is much nearer than the second nearest one, see
    :data:`COPIES` and :data:`NOISY`. Chance is the share of test rows that match another test row
    in this way; the excess over chance is tested exactly [1]_, so that few rows or few columns are
    not enough evidence against a file.

    References
    ----------
    .. [1] R. A. Fisher, "On the interpretation of chi-squared from contingency tables, and the
       calculation of P", Journal of the Royal Statistical Society 85 (1922): one-sided.
    """
    m, share_copied = min(len(validation.y), MAX_ROWS), share_of_equal_rows(matrix, validation)
    for tested, validated, rules in _signatures(matrix, validation):
        sampled = spread_rows(len(tested), MAX_ROWS)
        neighbours, matches = (
            _nearest(tested[sampled], tested, sampled),
            _nearest(validated, tested),
        )
        for ratio, factor, margin in rules:
            n_chance, n_copies = (
                len(_match_rows(*neighbours, ratio)),
                len(_match_rows(*matches, ratio)),
            )
            chance, share = n_chance / len(sampled), n_copies / len(validated)
            if share <= max(factor * chance + margin, share_copied) or share * m < MIN_EVIDENCE:
                continue
            table = np.array(
                [[n_copies, len(validated) - n_copies], [n_chance, len(sampled) - n_chance]]
            )
            if scipy.stats.fisher_exact(table, alternative="greater").pvalue < MAX_CHANCE:
                share_copied = share
    return share_copied


def _signatures(
    matrix: Scores, validation: Scores
) -> Iterator[tuple[np.ndarray, np.ndarray, tuple[Rule, ...]]]:
    """Yield rows of both files as vectors that are invariant to common transforms of scores.

    The vectors are standardised values, ranks of the values, or sorted values, which do not depend
    on the order of columns; each kind of vector is followed by its rules for copies.
    """
    rows = spread_rows(len(validation.y), MAX_ROWS)
    for common in _columns_to_compare(matrix, validation, rows):
        picked = spread_rows(len(common[0]), MAX_COLUMNS)
        test_columns, columns = (values[picked] for values in common)
        values = (
            _replace_masked(matrix.F[:, test_columns]),
            _replace_masked(validation.F[rows][:, columns]),
        )
        yield _standardise(values[0]), _standardise(values[1]), (COPIES, NOISY)
        ranks = [_standardise(v.argsort(1).argsort(1).astype(float)) for v in values]
        yield ranks[0], ranks[1], (COPIES,)
    if len(matrix.seen) == len(validation.seen) >= MIN_EVIDENCE:
        at = spread_rows(len(matrix.seen), MAX_COLUMNS)
        ordered = _sort_rows(matrix.F, at), _sort_rows(validation.F[rows], at)
        yield _standardise(ordered[0]), _standardise(ordered[1]), (COPIES,)


def _columns_to_compare(
    matrix: Scores, validation: Scores, rows: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield columns of both files that may be of the same classes, without masked columns.

    If neither names nor numbers identify the columns, the columns of a narrower validation file are
    compared with the first test columns, and with the test columns of one side. Each side is also
    compared separately, since the opposite side may be masked by values that differ between rows.
    """
    C, n = len(matrix.seen), len(validation.seen)
    guesses = [np.flatnonzero(matrix.seen), np.flatnonzero(~matrix.seen), np.arange(C)[:n]]
    common = _common_columns(matrix, validation)
    several = [common] if common is not None else []
    if common is not None:
        sides = matrix.seen[common[0]], validation.seen[common[1]]
        parts = [sides[0], *sides]
        parts[1] = ~parts[0]
        several += [(common[0][part], common[1][part]) for part in parts if not part.all()]
    if common is None and n < C:
        several = [(guess, np.arange(n)) for guess in guesses if len(guess) == n]
    varied = _mark_varied(np.asarray(validation.F[rows]))
    sampled = spread_rows(len(matrix.y), MAX_ROWS)
    varied_here = _mark_varied(np.asarray(matrix.F[sampled]))
    for test_columns, columns in several:
        keep = varied[columns] & varied_here[test_columns]
        if keep.sum() >= MIN_EVIDENCE:
            yield test_columns[keep], columns[keep]


def _mark_varied(F: np.ndarray) -> np.ndarray:
    """Mark columns that vary; a masked column has the same value in most rows."""
    middle = np.sort(F, axis=0)[len(F) // 2]
    varied: np.ndarray = (middle == F).mean(axis=0) < 0.5
    return varied


def share_of_equal_rows(matrix: Scores, validation: Scores) -> float:
    """Return the share of validation rows with scores that all occur in one test row.

    The validation columns may be two or more of the test columns, in any order. The share is 0
    unless the rows match far more often than rows of shuffled scores, which belong to no image.
    """
    rows = spread_rows(len(validation.y), MAX_ROWS)
    F = np.asarray(validation.F[rows], dtype=np.float64)
    columns = np.flatnonzero(_mark_varied(F))[:EQUAL_VALUES]
    if len(columns) < 2:
        return 0.0
    values = F[:, columns]
    mixed = np.column_stack([np.roll(v, 1 + k) for k, v in enumerate(values.T)])
    share, by_chance = (
        _share_within_rows(matrix.F, candidate_columns) for candidate_columns in (values, mixed)
    )
    return (
        share
        if share > 0.05 and share > 5 * by_chance and share * len(rows) >= MIN_EVIDENCE
        else 0.0
    )


def _share_within_rows(F: np.ndarray, values: np.ndarray) -> float:
    """Return the share of rows of ``values`` with all their values in a single row of ``F``."""
    single_values = values.astype(np.float32)
    near = np.unique(single_values)
    rows_with_value: dict[float, set[int]] = {float(v): set() for v in near}
    for part, block in blocks(F):
        single = np.asarray(block, dtype=np.float32)
        position = np.clip(np.searchsorted(near, single), 0, len(near) - 1)
        for i, k in np.argwhere(near[position] == single):
            rows_with_value[float(near[position[i, k]])].add(part.start + int(i))
    rows_with_all = (
        set.intersection(*(rows_with_value[float(v)] for v in row)) for row in single_values
    )
    return float(np.mean([bool(has_row) for has_row in rows_with_all]))


def _sort_rows(F: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the values at the positions ``at`` of each sorted row."""
    blocks = (
        np.sort(_replace_masked(F[k : k + 4096]), axis=1)[:, at] for k in range(0, len(F), 4096)
    )
    return np.concatenate(list(blocks))


def _replace_masked(F: np.ndarray) -> np.ndarray:
    """Replace scores of masked classes by the lowest score of the row."""
    F = np.asarray(F, dtype=np.float64)
    if not np.isneginf(F).any():
        return F
    low = np.where(np.isneginf(F), np.inf, F).min(axis=1, keepdims=True)
    return np.where(np.isneginf(F), np.where(np.isfinite(low), low, 0.0), F)


def _standardise(F: np.ndarray) -> np.ndarray:
    """Remove offset and scale of every row; a constant row becomes zero."""
    F = F - F.mean(axis=1, keepdims=True)
    scale = np.sqrt((F**2).mean(axis=1, keepdims=True))
    return np.divide(F, scale, out=np.zeros_like(F), where=scale > 0)


def _nearest(
    sample: np.ndarray, rows: np.ndarray, self_positions: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the row nearest to each of ``sample``, and the ratio of the two smallest distances.

    The ratio is 1 if the second distance is also 0 up to rounding. If ``sample`` is taken from
    ``rows``, ``self_positions`` has its positions in ``rows``, and no row is its own neighbour.
    """
    if len(rows) < (3 if self_positions is not None else 2):
        return np.empty(0, dtype=np.intp), np.empty(0)
    lengths, nearest, ratios = (rows**2).sum(axis=1), [], []
    for start in range(0, len(sample), 64):
        block = sample[start : start + 64]
        squares = (block**2).sum(axis=1)[:, None] + lengths - 2 * block @ rows.T
        if self_positions is not None:
            squares[np.arange(len(block)), self_positions[start : start + 64]] = np.inf
        first, second = np.sqrt(np.maximum(np.partition(squares, 1, axis=1)[:, :2], 0)).T
        distinct = second > ROUNDING * np.sqrt(sample.shape[1])
        nearest.append(squares.argmin(axis=1))
        ratios.append(np.divide(first, second, out=np.ones(len(block)), where=distinct))
    return np.concatenate(nearest), np.concatenate(ratios)


def _match_rows(nearest: np.ndarray, ratios: np.ndarray, ratio: float) -> np.ndarray:
    """Return the rows that are clearly the nearest neighbour of another row.

    A row counts once, even as the neighbour of several rows: all rows far outside the cloud have
    the same outlier as their nearest row.
    """
    return np.unique(nearest[ratios <= ratio])
