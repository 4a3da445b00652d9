"""Interpretation of score files: from a file and the answers of its owner to scores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from zslcore.exceptions import DatasetError, DoubtfulScoresError, closest_name
from zslcore.scores.class_numbers import are_names, number_classes
from zslcore.scores.column_order import (
    apply_column_fixes,
    columns_question,
    list_question,
    moved_columns,
    refuse_other_columns,
    refuse_rows_of_classes,
    spread_rows,
)
from zslcore.scores.given_sides import ruled_out_sides
from zslcore.scores.labels import distinct_texts
from zslcore.scores.matrix import ScoreFile, Scores, blocks, some_rows
from zslcore.scores.predicted_classes import predicted_classes
from zslcore.scores.questions import FIXES, Question
from zslcore.scores.remarks import remarks_on_scores, remarks_on_sides
from zslcore.scores.within_sides import within_sides, within_sides_question
from zslcore.texts import clean_text


def interpreted(
    file: ScoreFile, fixes: Collection[str] = ()
) -> tuple[Scores | None, tuple[Question, ...]]:
    """Return the scores of a file (None while a question is open) and the open questions.

    ``fixes`` are answers, keys of :data:`FIXES`. Raises DoubtfulScoresError for a fault that the
    fix "as-is" accepts, DatasetError for one that no answer repairs, and UnknownNameError for an
    unknown fix.
    """
    for fix in fixes:
        if fix not in FIXES:
            raise closest_name("fix", fix, FIXES)
    _refuse_blanks(file)
    if file.scores is None:
        return _scores_or_question(predicted_classes(file, fixes))
    F = _orient(file, fixes)
    if isinstance(F, Question):
        return None, (F,)
    file, missing = _without_missing(replace(file, scores=F))
    marked = _marked_classes(F)
    if marked is not None:
        remark = (
            "Each row marks one class and all other scores are equal: read as predicted classes."
        )
        file = replace(file, scores=None, predicted=marked, remarks=(*file.remarks, remark))
        return _scores_or_question(predicted_classes(file, fixes, n_classes=F.shape[1]))
    numbered = number_classes(file, fixes)
    if isinstance(numbered, Question):
        return None, (numbered,)
    matrix = apply_column_fixes(numbered, fixes)
    if "as-is" not in fixes and "within-sides" not in fixes:
        refuse_rows_of_classes(matrix)
        rows = spread_rows(len(matrix.y))
        sample = replace(matrix, matrix=some_rows(matrix.F, rows), y=matrix.y[rows])
        question = columns_question(sample) or list_question(matrix, rows)
        question = question or within_sides_question(matrix)
        if question is not None:
            return None, (question,)
        refuse_other_columns(sample, matrix)
        if moved := moved_columns(sample.F, sample.y, sample.seen):
            raise DoubtfulScoresError(
                f"{matrix.name}: {moved} Reorder the columns, name the unseen classes with "
                "--unseen, or keep the columns with as-is (--fix as-is)."
            )
    if "within-sides" in fixes:
        matrix = within_sides(matrix)
    sides = ruled_out_sides(matrix.F, matrix.y, matrix.seen)
    if missing and not sides:
        raise DatasetError(missing)
    matrix = replace(matrix, sides_given=bool(sides))
    remarks = remarks_on_scores(matrix) if not sides else remarks_on_sides(matrix, sides)
    return replace(matrix, remarks=(*file.remarks, *matrix.remarks, *remarks)), ()


def _scores_or_question(scores: Scores | Question) -> tuple[Scores | None, tuple[Question, ...]]:
    return (None, (scores,)) if isinstance(scores, Question) else (scores, ())


def _orient(file: ScoreFile, fixes: Collection[str]) -> np.ndarray | Question:
    F, n = np.asarray(file.scores), len(file.labels)
    if F.ndim != 2 or not F.size:
        raise DatasetError(f"{file.name}, scores: expected a matrix; got the shape {F.shape}.")
    if "transposed" in fixes:
        F = F.T
    if len(F) == n:
        return F
    if F.shape[1] == n and "transposed" not in fixes:
        return Question(
            "transposed",
            f"{file.name}: {n:,} labels, {F.shape[0]:,} rows and {F.shape[1]:,} columns of scores: "
            "is there one column per image?",
            open=True,
        )
    raise DatasetError(
        f"{file.name}, scores: expected a row for each of {n:,} labels; got {F.shape[0]:,} x "
        f"{F.shape[1]:,}."
    )


def _without_missing(file: ScoreFile) -> tuple[ScoreFile, str]:
    """Replace missing scores by minus infinity; also return the error on them, or "".

    The caller raises the error unless the missing scores mask a side.
    """
    F = np.asarray(file.scores)
    if F.dtype.kind not in "fiu":
        raise DatasetError(f"{file.name}, scores: expected numbers; got {F.dtype}.")
    missing = ""
    for rows, block in blocks(F):
        infinite = np.isposinf(block)
        wrong = infinite if infinite.any() else np.isnan(block)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            sentence = (
                f"{file.name}, scores: expected numbers or minus infinity; got "
                f"{block[row, column]} in row {rows.start + row:,}, column {column:,}."
            )
            if infinite.any() or np.isnan(block).all(axis=1).any():
                raise DatasetError(sentence)
            missing = missing or sentence
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
        others = {word.strip() for other in words if other != title for word in words[other]}
        named = classes | others
        empty = [
            word
            for word in words[title]
            if word.strip().casefold() in NO_CLASS and word.strip() not in named
        ]
        if empty:
            shown = ", ".join(repr(clean_text(word.strip())) for word in empty)
            raise DatasetError(
                f"{file.name}, {title}: expected a class for every image; got {shown} for "
                f"{np.isin(part, empty).sum():,} of {len(part):,}. Add the classes, or leave these "
                "images out and say so."
            )


#: Words for an image without a predicted class, in lower case.
NO_CLASS = frozenset({"", "-", "?", "nan", "none", "null", "n/a", "na", "unknown", "abstain"})


def _marked_classes(F: np.ndarray) -> np.ndarray | None:
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
