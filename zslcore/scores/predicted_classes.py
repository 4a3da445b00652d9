"""Interpretation of files with one predicted class per image."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from zslcore.exceptions import DoubtfulScoresError
from zslcore.metrics import mean_class_accuracy
from zslcore.names import class_keys
from zslcore.numbers import percent
from zslcore.scores.class_numbers import (
    are_names,
    as_numbers,
    listed_numbers,
    says_all,
    sides_of_classes,
)
from zslcore.scores.column_order import is_clearer
from zslcore.scores.given_sides import MIN_ERRORS
from zslcore.scores.labels import distinct_texts
from zslcore.scores.matrix import ScoreFile, Scores, digest_of, rows_of_classes
from zslcore.scores.named_matrices import are_numbered
from zslcore.scores.numbering import number_within_sides
from zslcore.scores.questions import MAX_LISTED, ask_owner
from zslcore.scores.remarks import remarks_on_missing_classes
from zslcore.texts import clean_text, expect, listed

#: Remark on predictions that never cross to the other side.
NEVER_ACROSS = (
    "Masked by the true side: many predictions are wrong, but none is a class of the other side, "
    "so the side of every image was given. H is the H of separate label spaces. Predict every "
    "image among all classes for GZSL."
)
#: Minimum similarity of two names if one of them may be a misspelling of the other.
MIN_SIMILARITY = 0.8


def interpret_predicted(
    file: ScoreFile, fixes: Collection[str] = (), *, n_classes: int = 0
) -> Scores:
    """Return one predicted class per image as scores, which determine u, s and H at gamma 0.

    Classes are numbers, or names (of ``file.class_names``, if given). ``n_classes`` is the number
    of classes; by default, all classes that occur are counted.
    """
    labels, predicted = np.asarray(file.labels), np.asarray(file.predicted).ravel()
    expected = f"a predicted class for each of {len(labels):,} labels"
    expect(len(labels) == len(predicted), file.name, expected, f"{len(predicted):,}")
    has_class_names = bool(file.class_names)
    if names := file.class_names or _names_of_all(file, labels, predicted):
        file, n_classes = replace(file, class_names=names), len(names)
    y, best = as_numbers(file, labels, "labels"), as_numbers(file, predicted, "predicted classes")
    low, high = min(y.min(), best.min()), int(max(y.max(), best.max()))
    expect(low >= 0, file.name, "classes from 0", low)
    C, are_checked = n_classes or 1 + high, "as-is" not in fixes
    if are_checked and not any(are_names(part) for part in (labels, predicted, file.unseen)):
        _refuse_shifted(file.name, y, best, C)
    listed = listed_numbers(file, C, is_fixed=bool(n_classes))
    if are_checked and names and not has_class_names and listed is not None:
        _ask_about_spelling(file, listed, np.union1d(y, best))
    parts = (y, best) if listed is None else (y, best, listed)
    are_from_1 = (part.dtype != bool and part.min(initial=1) == 1 for part in parts)
    from_1 = not n_classes and all(are_from_1)
    if from_1:
        y, best, C, high = y - 1, best - 1, C - 1, high - 1
        listed = None if listed is None else listed - 1
    if listed is not None and not n_classes:
        C = max(C, len(listed) if listed.dtype == bool else 1 + int(listed.max(initial=0)))
    seen, fields = sides_of_classes(file, fixes, y, C, listed)
    if from_1 and not fields["benchmark"]:
        fields["class_names"] = tuple(map(str, range(1, C + 1)))
    expect(high < C, file.name, f"classes 0 to {C - 1}", high)
    if are_checked and not np.isin(best, y).any() and len({*seen[y]}) == 2:
        _refuse_other_names(file.name, labels, predicted)
    rows, digest = rows_of_classes(y, best, seen), digest_of(y, best, seen)
    matrix = Scores.of_best(file.name, rows, digest=digest, **fields)
    matrix = number_within_sides(matrix, fixes)
    remarks = [*file.remarks, *matrix.remarks]
    if _are_within_sides(matrix):
        matrix = replace(matrix, sides_given=True)
        remarks.append(NEVER_ACROSS)
    return replace(matrix, remarks=(*remarks, *_remarks_on_classes(matrix)))


def _names_of_all(file: ScoreFile, labels: np.ndarray, predicted: np.ndarray) -> tuple[str, ...]:
    """Return all class names, () if classes are numbers; refuse a mixture of names and numbers.

    Each class has one spelling.
    """
    parts = {"labels": labels, "predicted classes": predicted}
    if file.unseen is not None and not says_all(np.asarray(file.unseen)):
        parts[file.listed_side] = np.asarray(file.unseen)
    named = [title for title, part in parts.items() if are_names(part)]
    expected = f"labels, predicted classes and {file.listed_side} all as names or all as numbers"
    is_mixed = 0 < len(named) < len(parts)
    expect(not is_mixed, file.name, expected, f"names only as {', '.join(named)}")
    name_of_key: dict[str, str] = {}
    for names in (distinct_texts(parts[title]) for title in named):
        for key, name in zip(class_keys(names), names, strict=True):
            name_of_key.setdefault(key, name)
    return tuple(sorted(name_of_key.values()))


def _ask_about_spelling(file: ScoreFile, listed: np.ndarray, occurring: np.ndarray) -> None:
    """Ask about a listed class that no image has, if its name is close to that of another class.

    ``listed`` are class numbers or a mask, ``occurring`` the labels and predicted classes.
    """
    numbers = np.flatnonzero(listed) if listed.dtype == bool else listed
    with_images = [file.class_names[c] for c in occurring]
    for name in (file.class_names[c] for c in np.setdiff1d(numbers, occurring)):
        near = get_close_matches(name, with_images, n=1, cutoff=MIN_SIMILARITY)
        if near and not any(map(str.isdigit, name)):
            text = f"no image belongs to {name!r} or is predicted as it"
            question = f"is it a class of its own, not {near[0]!r}?"
            ask_owner("as-is", f"{file.name}, {file.listed_side}: {text}: {question}", open=True)


def _refuse_other_names(name: str, labels: np.ndarray, predicted: np.ndarray) -> None:
    label, other = (repr(clean_text(str(part[0]), 60)) for part in (labels, predicted))
    raise DoubtfulScoresError(
        f"{name}: expected labels and predicted classes by the same names; got labels such as "
        f"{label} and predicted classes such as {other}, without a common name. Write both in the "
        "same way, or keep them with as-is (--fix as-is)."
    )


def _refuse_shifted(name: str, y: np.ndarray, predicted: np.ndarray, n_classes: int) -> None:
    """Refuse labels and predicted classes if one is counted from 0 and the other from 1.

    Hits are averaged over classes, so that predicting one class for all images gives the same hits
    in every reading.
    """
    hits = {shift: mean_class_accuracy(y, predicted - shift) for shift in (0, 1, -1)}
    best = max(hits, key=hits.__getitem__)
    if best and is_clearer(hits[best], hits[0], n_classes):
        from_0, from_1 = ("labels", "predicted classes")[::best]
        raise DoubtfulScoresError(
            f"{name}: {percent(hits[0])} of the predicted classes are right as numbered, and "
            f"{percent(hits[best])} if {from_0} are counted from 0 and {from_1} from 1: number "
            "both in the same way, or keep them with as-is (--fix as-is)."
        )


def _are_within_sides(matrix: Scores) -> bool:
    """Whether both sides have many errors, but no predicted class is on the wrong side."""
    y, seen, predicted = matrix.y, matrix.seen, matrix.predicted_rows.predicted()
    return bool((seen[y] == seen[predicted]).all()) and all(
        (predicted != y)[seen[y] == side].sum() >= MIN_ERRORS for side in (True, False)
    )


def _remarks_on_classes(matrix: Scores) -> Iterator[str]:
    y, seen, predicted = matrix.y, matrix.seen, matrix.predicted_rows.predicted()
    has_seen = seen[y].any()
    if matrix.predicted_rows.limits == "predicted classes" and not seen.any():
        yield "One predicted class per image: top-k accuracy needs the scores of every class."
    elif matrix.predicted_rows.limits == "predicted classes":
        yield (
            "One predicted class per image gives u, s and H at γ = 0. ZSL accuracy, another γ, "
            "AUSUC and the curve need the scores of every class."
        )
    if np.array_equal(predicted, y) and len(y) > len(seen):
        yield (
            "Every predicted class equals the label: does the file contain labels instead of "
            "predictions?"
        )
    if seen.any() and not has_seen:
        yield "No image belongs to a seen class: s and H cannot be computed."
    strange = np.setdiff1d(predicted[seen[predicted]], y)
    if len(strange) and has_seen and not are_numbered(matrix.class_names):
        names = listed([matrix.class_names[k] for k in strange], MAX_LISTED)
        yield f"Predicted, but not the label of any image, and counted as seen: {names}."
    yield from remarks_on_missing_classes(matrix)
