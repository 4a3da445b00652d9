"""Interpretation of score files: from a file and the answers of its owner to scores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from zslcore.datasets.split_lists import IMAGE
from zslcore.exceptions import DoubtfulScoresError, require_known
from zslcore.leakage.photographs import remove_copy_mark
from zslcore.scores.class_numbers import are_names, number_classes
from zslcore.scores.column_order import (
    apply_column_fixes,
    check_order,
    refuse_other_columns,
    refuse_sorted,
)
from zslcore.scores.given_sides import find_ruled_out_sides
from zslcore.scores.labels import distinct_texts
from zslcore.scores.matrix import ScoreFile, Scores, blocks
from zslcore.scores.numbering import number_within_sides
from zslcore.scores.predicted_classes import interpret_predicted
from zslcore.scores.questions import FIXES, Question, UnansweredError, ask_owner
from zslcore.scores.remarks import remarks_on_scores, remarks_on_sides
from zslcore.texts import clean_text, expect, refusal_of

#: Words for an image without a predicted class, in lower case.
NO_CLASS = frozenset({"", "-", "?", "nan", "none", "null", "n/a", "na", "unknown", "abstain"})
#: Expected content of a score matrix.
NUMBERS = "numbers or minus infinity"


def interpret(
    file: ScoreFile, fixes: Collection[str] = ()
) -> tuple[Scores | None, tuple[Question, ...]]:
    """Return the scores of a file (None while a question is open) and the open questions.

    ``fixes`` are answers, keys of :data:`FIXES`. Raises DoubtfulScoresError for a fault that the
    fix "as-is" accepts, DatasetError for one that no answer repairs, and UnknownNameError for an
    unknown fix.
    """
    for fix in fixes:
        require_known("fix", fix, FIXES)
    try:
        return replace(_scores_of(file, fixes), images=file.images), ()
    except UnansweredError as unanswered:
        return None, (unanswered.question,)


def _scores_of(file: ScoreFile, fixes: Collection[str]) -> Scores:
    _refuse_blanks(file)
    if "as-is" not in fixes:
        _refuse_repeated_images(file)
    if file.scores is None:
        return interpret_predicted(file, fixes)
    F = _orient(file, fixes)
    file, missing = _replace_missing(replace(file, scores=F))
    marked = _find_marked_classes(F)
    if marked is not None:
        remark = (
            "Each row marks one class and all other scores are equal: read as predicted classes."
        )
        file = replace(file, scores=None, predicted=marked, remarks=(*file.remarks, remark))
        return interpret_predicted(file, fixes, n_classes=F.shape[1])
    if "as-is" not in fixes:
        refuse_sorted(file.name, F)
    matrix = apply_column_fixes(number_classes(file, fixes), fixes)
    are_checked = not {"as-is", "within-sides"} & {*fixes}
    sample = check_order(matrix) if are_checked else None
    matrix = number_within_sides(matrix, fixes)
    if sample is not None:
        refuse_other_columns(matrix, sample)
    sides = find_ruled_out_sides(matrix.F, matrix.y, matrix.seen)
    expect(sides or not missing, f"{file.name}, scores", NUMBERS, missing)
    matrix = replace(matrix, sides_given=bool(sides))
    remarks = remarks_on_sides(matrix, sides) if sides else remarks_on_scores(matrix)
    return replace(matrix, remarks=(*file.remarks, *matrix.remarks, *remarks))


def _orient(file: ScoreFile, fixes: Collection[str]) -> np.ndarray:
    """Return the scores with one row per image, or ask whether images are columns."""
    F, n, where = np.asarray(file.scores), len(file.labels), f"{file.name}, scores"
    expect(F.ndim == 2 and F.size, where, "a matrix", f"the shape {F.shape}")
    if "transposed" in fixes:
        F = F.T
    elif F.shape[1] == n != len(F):
        shape = f"{F.shape[0]:,} rows and {F.shape[1]:,} columns of scores"
        sentence = f"{file.name}: {n:,} labels, {shape}: is there one column per image?"
        ask_owner("transposed", sentence, open=True)
    got = f"{F.shape[0]:,} x {F.shape[1]:,}"
    expect(len(F) == n, where, f"a row for each of {n:,} labels", got)
    return F


def _replace_missing(file: ScoreFile) -> tuple[ScoreFile, str]:
    """Replace missing scores by minus infinity; also return the first of them in words, or "".

    The caller refuses the file unless the missing scores mask a side.
    """
    F, where = np.asarray(file.scores), f"{file.name}, scores"
    expect(F.dtype.kind in "fiu", where, "numbers", F.dtype)
    missing = ""
    for rows, block in blocks(F):
        infinite = np.isposinf(block)
        wrong = infinite if infinite.any() else np.isnan(block)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            got = f"{block[row, column]} in row {rows.start + row:,}, column {column:,}"
            if infinite.any() or np.isnan(block).all(axis=1).any():
                raise refusal_of(where, NUMBERS, got)
            missing = missing or got
    if missing:
        file = replace(file, scores=np.where(np.isnan(F), -np.inf, F))
    return file, missing


def _refuse_blanks(file: ScoreFile) -> None:
    """Refuse images without a label or predicted class: a blank, or a word such as "none"."""
    titled = {"labels": file.labels, "predicted classes": file.predicted}
    parts = {title: np.asarray(part).ravel() for title, part in titled.items() if are_names(part)}
    words = {title: distinct_texts(part) for title, part in parts.items()}
    classes = {str(name).strip() for name in [*file.class_names, *np.asarray(file.unseen).ravel()]}
    for title, part in parts.items():
        named = classes.union(
            *([w.strip() for w in words[other]] for other in words if other != title)
        )
        without = [w for w in words[title] if w.strip().casefold() in NO_CLASS]
        without = [word for word in without if word.strip() not in named]
        blanks = ", ".join(repr(clean_text(word.strip())) for word in without)
        n = f"{np.isin(part, without).sum():,} of {len(part):,}"
        got = f"{blanks} for {n}. Add the classes, or leave these images out and say so"
        expect(not without, f"{file.name}, {title}", "a class for every image", got)


def _refuse_repeated_images(file: ScoreFile) -> None:
    """Refuse several rows of most images, each with one class, as of augmented copies.

    Rows of one image with different classes are objects, such as boxes in a photograph.
    """
    if file.images is None:
        return
    images = file.images
    if images.dtype.kind == "U":
        images = np.array([remove_copy_mark(IMAGE.sub("", image)) for image in images.tolist()])
    names, row, counts = np.unique(images, return_inverse=True, return_counts=True)
    labels = np.unique(np.asarray(file.labels), return_inverse=True)[1]
    n = len(np.unique(row * (labels.max() + 1) + labels))
    are_images = n > 2 * (labels.max() + 1)  # unlike ``dog1 (1).jpg``, a class and a number
    if are_images and n == len(names) and 2 * (counts > 1).sum() > n:
        raise DoubtfulScoresError(
            f"{file.name}: expected one row per image; got {len(row):,} rows of {n:,} images, as "
            "of augmented copies or crops. Average the scores of each image, or keep every row as "
            "an image with as-is (--fix as-is)."
        )


def _find_marked_classes(F: np.ndarray) -> np.ndarray | None:
    """Return the marked class of each row if all other scores are equal; else None."""
    if F.shape[1] < 3:
        return None
    marked = []
    for _, block in blocks(F):
        ends = np.partition(block, (0, 1, -2, -1), axis=1)
        low, second, last, top = ends[:, [0, 1, -2, -1]].T
        one_high, one_low = (low == last) & (last < top), (low < second) & (second == top)
        if not (one_high | one_low).all():
            return None
        marked.append(np.where(one_high, block.argmax(axis=1), block.argmin(axis=1)))
    return np.concatenate(marked)
