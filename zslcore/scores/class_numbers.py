"""Numbers of classes in a score file: labels, listed classes and unused columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zslcore.exceptions import DatasetError, closest_name
from zslcore.leakage.published import recognise_test
from zslcore.names import class_key
from zslcore.scores.class_names import fit_names, remarks_on_names
from zslcore.scores.labels import numbers_or_names
from zslcore.scores.matrix import ScoreFile, Scores, blocks, column
from zslcore.scores.named_matrices import are_numbered
from zslcore.scores.questions import FIXES, ask_owner
from zslcore.texts import expect

#: Value of ``unseen`` for a file with unseen classes only.
ALL = "all"


def number_classes(file: ScoreFile, fixes: Collection[str]) -> Scores:
    """Return the scores of a file with labels and sides as columns."""
    file = fit_names(file, fixes)
    F, y = np.asarray(file.scores), as_numbers(file, file.labels, "labels")
    unseen = listed_numbers(file, F.shape[1])
    counted = y if unseen is None or unseen.dtype == bool else np.concatenate([y, unseen])
    if unseen is not None and unseen.dtype == bool:
        # A mask refers to columns, whether labels start from 0 or 1.
        unseen = np.flatnonzero(unseen) + ("labels-from-1" in fixes)
    if "unused-last-column" in fixes:
        F, file = F[:, :-1], replace(file, class_names=file.class_names[:-1])
    elif {"labels-from-1", "unused-column"} & {*fixes}:
        y, unseen = y - 1, None if unseen is None else unseen - 1
        if "unused-column" in fixes:
            F, file = F[:, 1:], replace(file, class_names=file.class_names[1:])
    else:
        low, high = counted.min(), counted.max()
        if low >= 1 and high == F.shape[1]:
            text = f"labels go from {low} to {high} and the scores have {F.shape[1]} columns"
            ask_owner(
                "labels-from-1", f"{file.name}: {text}: are classes counted from 1?", open=True
            )
        if "as-is" not in fixes:
            _ask_about_unused_column(file.name, F, y, unseen)
    C, got = F.shape[1], f"{y.min()} to {y.max()}"
    is_inside = y.min() >= 0 and y.max() < C
    expect(is_inside, f"{file.name}, labels", f"columns of the scores, 0 to {C - 1}", got)
    seen, fields = sides_of_classes(file, fixes, y, C, unseen)
    return Scores(file.name, F, y, seen, remarks=tuple(remarks_on_names(file)), **fields)


def sides_of_classes(
    file: ScoreFile, fixes: Collection[str], y: np.ndarray, C: int, listed: np.ndarray | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return a mask of the seen classes, and the names, fixes and test set of scores.

    ``listed`` are the classes of one side as numbers or as a mask; if it is None, the unseen
    classes are those of a recognised test set.
    """
    test = recognise_test(y, C)
    if "all-unseen" in fixes:
        seen = np.zeros(C, dtype=bool)
    elif listed is not None:
        numbers = np.flatnonzero(listed) if listed.dtype == bool else listed
        seen = _mark_seen(file, numbers, C, ("seen-listed" in fixes) != file.lists_seen)
    elif test is not None:
        seen = ~test.unseen
    else:
        ask_owner(
            "all-unseen",
            f"{file.name}: the unseen classes are not stated, and the labels are not those of a "
            "benchmark test set; expected a list or a mask of unseen classes. Or was the model "
            "trained on none of the classes, so that all are unseen (pure zero-shot, as CLIP is "
            "tested; --unseen all)?",
            open=True,
        )
    if test is not None and not np.array_equal(seen, ~test.unseen):
        test = None  # the test images are the same, but the split differs
    names = file.class_names or (() if test is None else test.class_names)
    return seen, {
        "class_names": tuple(names) if len(names) == C else tuple(map(str, range(C))),
        "fixes": tuple(fix for fix in FIXES if fix in fixes),
        "benchmark": test.benchmark if test else "",
        "split": test.split if test else "",
    }


def _mark_seen(file: ScoreFile, listed: np.ndarray, C: int, lists_seen: bool) -> np.ndarray:
    """Return the mask of the seen classes among all ``C``, from the listed classes of one side."""
    where = f"{file.name}, {file.listed_side}"
    is_inside = len(listed) and listed.min() >= 0 and listed.max() < C
    targets = "classes" if file.scores is None else "columns of the scores,"
    got = ", ".join(map(str, listed[:5])) or "none"
    expect(is_inside, where, f"{targets} 0 to {C - 1}", got)
    seen = np.full(C, not lists_seen)
    seen[listed] = lists_seen
    expect(not seen.all(), where, "some of the classes", "all")
    return seen


def are_names(part: object) -> bool:
    """Whether a part of a file has names of classes, other than the word "all"."""
    array = np.asarray(part)
    return array.dtype.kind in "UO" and part is not None and not says_all(array)


def says_all(unseen: np.ndarray) -> bool:
    """Whether the list of unseen classes is the word "all"."""
    return unseen.dtype.kind in "UO" and unseen.size == 1 and str(unseen.item()).lower() == ALL


def as_numbers(file: ScoreFile, labels: np.ndarray | Sequence[str], target: str) -> np.ndarray:
    """Return labels or listed classes as numbers; a name becomes the number of its column."""
    array, where = np.asarray(labels), f"{file.name}, {target}"
    if array.dtype.kind in "iu" or (array.dtype.kind == "f" and (array == np.round(array)).all()):
        return array.astype(np.intp)
    expect(array.dtype.kind in "UO", where, "numbers or names", array.dtype)
    numbers = numbers_or_names(array.ravel())
    if numbers.dtype.kind == "i" and not np.isin(array, file.class_names).any():
        return numbers.astype(np.intp)  # numbers stored as strings
    number_of = {name: k for k, name in enumerate(file.class_names)}
    plain: dict[str, int] = {}
    for name, k in number_of.items():
        key = class_key(name)
        plain[key] = -1 if key in plain else k  # -1: several columns with this spelling
    distinct, codes = np.unique(array.astype(str, copy=False), return_inverse=True)
    columns = [number_of.get(name, plain.get(class_key(name), -1)) for name in distinct.tolist()]
    if -1 in columns or not number_of:
        if not number_of or are_numbered(file.class_names):
            expected = "class_names, or columns with the titles of classes"
            why = "class names identify columns only if columns have names; expected"
            raise DatasetError(f"{where}: {why} {expected}.")
        name = distinct.tolist()[columns.index(-1)]
        raise closest_name(f"class in {target} of {file.name}", name, number_of)
    return np.array(columns, dtype=np.intp)[codes.ravel()]


def listed_numbers(file: ScoreFile, C: int, *, is_fixed: bool = True) -> np.ndarray | None:
    """Return the listed classes as numbers, counted as in the file; names and marks as a mask.

    None if the file lists no classes. ``is_fixed`` is False if the file may have more than ``C``
    classes.
    """
    if file.unseen is None:
        return None
    array = np.asarray(file.unseen)
    if says_all(array):
        return np.ones(C, dtype=bool)
    is_whole = len(array) == C or (not is_fixed and len(array) > max(C, 2))
    if array.dtype == bool:
        where, expected = f"{file.name}, {file.listed_side}", f"a mark for each of {C} columns"
        expect(is_whole, where, expected, len(array))
    if array.dtype == bool or (
        array.dtype.kind in "iuf" and is_whole and np.isin(array, (0, 1)).all()
    ):
        return array.astype(bool)
    numbers = np.unique(as_numbers(file, array, file.listed_side))
    if array.dtype.kind not in "UO":
        return numbers
    are_numbers = numbers_or_names(array.ravel()).dtype.kind == "i"
    if are_numbers and not np.isin(array, file.class_names).any():
        return numbers
    return np.isin(np.arange(C), numbers)


def _ask_about_unused_column(
    name: str, F: np.ndarray, y: np.ndarray, unseen: np.ndarray | None
) -> None:
    """Ask whether the first or last column, without labels and not listed, belongs to no class.

    ``y`` are the unchanged labels as columns; ``unseen`` is None if the file does not list the
    unseen classes.
    """
    C = F.shape[1]
    listed_unseen = np.empty(0, dtype=np.intp) if unseen is None else unseen
    used_columns = np.union1d(y, listed_unseen)
    if used_columns.min() < 0 or used_columns.max() >= C:
        return
    for k, fix, end in ((0, "unused-column", "first"), (C - 1, "unused-last-column", "last")):
        if k in used_columns:
            continue
        test = recognise_test(y - (k == 0), C - 1)
        listed = None if test is None or unseen is None else np.unique(unseen) - (k == 0)
        if test is not None and (
            listed is None or np.array_equal(np.flatnonzero(test.unseen), listed)
        ):
            labels = "labels, counted from 1," if k == 0 else "labels"
            ask_owner(
                fix,
                f"{name}: the {labels} are those of {test.benchmark} {test.split}, which has "
                f"{C - 1} classes, and the scores have {C} columns: does the {end} column belong "
                "to no class?",
            )
        values = column(F, k)
        if (values == values[0]).all():
            stands_out = _reaches_largest(
                values, F, np.setdiff1d(np.arange(C), [*listed_unseen, k])
            )
            evidence = f"is {values[0]:g} in every row"
        else:
            stands_out = len(np.unique(y)) == C - 1
            evidence = "has varied scores, while every other class has images"
        if stands_out:
            text = f"no image belongs to class {k}, the {end} column, which {evidence}"
            ask_owner(fix, f"{name}: {text}: does it belong to no class?")


def _reaches_largest(values: np.ndarray, F: np.ndarray, other_columns: np.ndarray) -> bool:
    """Whether the scores ``values`` reach the largest of the ``other_columns`` for some image."""
    return bool(len(other_columns)) and any(
        (values[rows] >= block[:, other_columns].max(axis=1)).any() for rows, block in blocks(F)
    )
