"""Questions to the user on known faults of score files.

The same numbers have another meaning if rows are classes, labels start at 1, scores are distances,
or columns are in another order. A recognised fault becomes a :class:`Question`; the user names the
fix, or states that the file is correct as it is. Without an answer, nothing is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, NoReturn

import numpy as np
import scipy

from zslcore.exceptions import DatasetError, DoubtfulScoresError, closest_name
from zslcore.leakage.published import recognised
from zslcore.metrics import BestClasses, mean_class_accuracy
from zslcore.names import class_key, class_keys, shared_spellings
from zslcore.numbers import percent
from zslcore.scores.given_sides import ERRORS, ruled_out_sides
from zslcore.scores.layouts import are_numbered
from zslcore.scores.numbering import (
    LabelReading,
    metrics_in_words,
    metrics_of_classes,
    mixed_sides,
    reading_within_sides,
)
from zslcore.scores.reading import (
    ALL,
    ScoreFile,
    Scores,
    blocks,
    column,
    digest_of,
    distinct_texts,
    numbers_or_names,
    rows_of_classes,
    some_rows,
)
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, listed

#: Name of a fix -> its description; "as-is" answers every question with no.
FIXES: dict[str, str] = {
    "transposed": "rows are classes and columns images: transpose the matrix",
    "labels-from-1": "labels and unseen classes are counted from 1",
    "unused-column": "the first column belongs to no class: leave it out; labels start at 1",
    "unused-last-column": "the last column belongs to no class: leave it out",
    "seen-listed": "the list contains the seen classes: treat all other classes as unseen",
    "distances": "smaller values are closer: take the negative of the scores",
    "seen-first": "columns are the seen classes in order of their numbers, then the unseen ones",
    "unseen-first": "columns are the unseen classes in order of their numbers, then the seen ones",
    "within-sides": "labels number the classes of each side: renumber the labels as the columns",
    "unnamed": "the class names do not fit the columns: leave them out and number the columns",
    "same-class": "columns that share a name are one class: take the larger score",
    "all-unseen": "the model was trained on no class: treat all as unseen (pure zero-shot)",
    "as-is": "the file is correct as it is",
}
#: Number of sampled rows, spread over the file, in which faults are recognised.
ENOUGH = 2_000
#: Size in bytes from which changed scores are written to disk.
ON_DISK = 1 << 28
#: Share of rows with ties above which a remark reports them.
MANY_TIES = 0.01
#: Hits (correct predictions) are above chance if they exceed ABOVE_CHANCE times the hits expected
#: by chance. A question is asked if another reading of the file also has more than CLEARER times
#: the hits of the unchanged file.
ABOVE_CHANCE, CLEARER = 2.5, 2.0
#: Remark on predictions that never cross to the other side.
NEVER_ACROSS = (
    "Masked by the true side: many predictions are wrong, but none is a class of the other side, "
    "so the side of every image was given. H is that in separate label spaces. Predict every image "
    "among all classes for GZSL."
)
#: Number of permutations of the labels from which the hits by chance are estimated.
PERMUTED = 10
#: The lists of seen and unseen classes may be swapped if classes listed as seen have more than
#: MORE_IMAGES times as many images on average, and classes listed as unseen have more than
#: MORE_HITS times the accuracy. Benchmarks test all images of an unseen class and a fifth of the
#: images of a seen class, and methods predict seen classes too often.
MORE_IMAGES, MORE_HITS = 2.0, 1.5
#: Words for an image without a predicted class, in lower case.
NO_CLASS = frozenset({"", "-", "?", "nan", "none", "null", "n/a", "na", "unknown", "abstain"})
#: Smallest similarity between the name of a listed class without images and a name that it may
#: misspell.
CLOSE = 0.8
#: Largest accepted share of images that have their largest score in a column without images.
MOST_WINS = 0.5
#: Share of repeated rows above which a remark reports them, and maximum number of names in a
#: remark.
REPEATED, LISTED = 0.01, 4


@dataclass(frozen=True, slots=True)
class Question:
    """Question about a file that only its owner can answer.

    ``fix``, a key of :data:`FIXES`, is applied if the answer is yes; ``sentence`` ends with the
    question. An ``open`` question must be answered before any computation; "as-is" answers any
    other question.
    """

    fix: str
    sentence: str
    open: bool = False


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
    numbered = _number_classes(file, fixes)
    if isinstance(numbered, Question):
        return None, (numbered,)
    matrix = _apply_column_fixes(numbered, fixes)
    if "as-is" not in fixes and "within-sides" not in fixes:
        _refuse_rows_of_classes(matrix)
        rows = _spread_rows(len(matrix.y))
        sample = replace(matrix, matrix=some_rows(matrix.F, rows), y=matrix.y[rows])
        question = _columns_question(sample) or _list_question(matrix, rows)
        question = question or _within_sides_question(matrix)
        if question is not None:
            return None, (question,)
        _refuse_other_columns(sample, matrix)
        if moved := _moved_columns(sample.F, sample.y, sample.seen):
            raise DoubtfulScoresError(
                f"{matrix.name}: {moved} Reorder the columns, name the unseen classes with "
                "--unseen, or keep the columns with as-is (--fix as-is)."
            )
    if "within-sides" in fixes:
        matrix = _within_sides(matrix)
    sides = ruled_out_sides(matrix.F, matrix.y, matrix.seen)
    if missing and not sides:
        raise DatasetError(missing)
    matrix = replace(matrix, sides_given=bool(sides))
    remarks = _remarks(matrix) if not sides else _remarks_on_sides(matrix, sides)
    return replace(matrix, remarks=(*file.remarks, *matrix.remarks, *remarks)), ()


def _scores_or_question(scores: Scores | Question) -> tuple[Scores | None, tuple[Question, ...]]:
    return (None, (scores,)) if isinstance(scores, Question) else (scores, ())


# --- Labels within a side -------------------------------------------------------------------------


def _best_classes(matrix: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Return the best seen and the best unseen column of every image."""
    return matrix.tested.seen_class, matrix.tested.unseen_class


def _within_sides_question(matrix: Scores) -> Question | None:
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


def _within_sides(matrix: Scores) -> Scores:
    """Return the matrix with labels within a side converted to columns."""
    reading = _reading_within_sides(matrix)
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


def _reading_within_sides(matrix: Scores) -> LabelReading:
    """Return the reading of labels numbered within a side; refuse labels without one."""
    reading = reading_within_sides(matrix.y, matrix.seen, _best_classes(matrix))
    if reading is None:
        raise DatasetError(
            f"{matrix.name}, labels: expected column numbers; got numbers within each side, which "
            "do not show which images belong to unseen classes."
        )
    return reading


# --- Predicted classes ----------------------------------------------------------------------------


def predicted_classes(
    file: ScoreFile, fixes: Collection[str] = (), *, n_classes: int = 0
) -> Scores | Question:
    """Return one predicted class per image as scores, which determine u, s and H at gamma 0.

    Classes are numbers, or names (of ``file.class_names``, if given). ``n_classes`` is the number
    of classes; by default, all classes that occur are counted.
    """
    labels, predicted = np.asarray(file.labels), np.asarray(file.predicted).ravel()
    if len(labels) != len(predicted):
        raise DatasetError(
            f"{file.name}: expected a predicted class for each of {len(labels):,} labels; got "
            f"{len(predicted):,}."
        )
    has_class_names = bool(file.class_names)
    if names := file.class_names or _names_of_all(file, labels, predicted):
        file, n_classes = replace(file, class_names=names), len(names)
    y, best = (
        _as_numbers(file, part, title)
        for part, title in ((labels, "labels"), (predicted, "predicted classes"))
    )
    low = min(y.min(), best.min())
    if low < 0:
        raise DatasetError(f"{file.name}: expected classes from 0; got {low}.")
    C = n_classes or 1 + int(max(y.max(), best.max()))
    are_numbers = not any(_are_names(part) for part in (labels, predicted, file.unseen))
    if "as-is" not in fixes and are_numbers:
        _refuse_shifted(file.name, y, best, C)
    listed = _listed_numbers(file, C, is_fixed=bool(n_classes))
    if names and not has_class_names and listed is not None and "as-is" not in fixes:
        question = _spelling_question(file, listed, np.union1d(y, best))
        if question is not None:
            return question
    from_1 = not n_classes and _lowest([y, best, *([] if listed is None else [listed])]) == 1
    if from_1:
        y, best, C = y - 1, best - 1, C - 1
        listed = None if listed is None else listed - 1
    if listed is not None and not n_classes:
        C = max(C, len(listed) if listed.dtype == bool else 1 + int(listed.max(initial=0)))
    sided = _sides(file, fixes, y, C, listed)
    if isinstance(sided, Question):
        return sided
    seen, about = sided
    if from_1 and not about["benchmark"]:
        about["class_names"] = tuple(map(str, range(1, C + 1)))
    if (highest := max(y.max(), best.max())) >= C:
        raise DatasetError(f"{file.name}: expected classes 0 to {C - 1}; got {highest}.")
    if "as-is" not in fixes and not np.isin(best, y).any() and len({*seen[y]}) == 2:
        _refuse_other_names(file.name, labels, predicted)
    matrix = Scores.of_best(
        file.name,
        rows_of_classes(y, best, seen),
        digest=digest_of(y, best, seen),
        **about,
    )
    remarks = [*file.remarks]
    if "within-sides" in fixes:
        reading = _reading_within_sides(matrix)
        matrix = replace(matrix, y=reading.y, best=rows_of_classes(reading.y, best, seen))
        remarks.append(f"Labels were renumbered: {reading.description}.")
    elif "as-is" not in fixes and (question := _within_sides_question(matrix)) is not None:
        return question
    if _never_across(matrix):
        matrix = replace(matrix, sides_given=True)
        remarks.append(NEVER_ACROSS)
    return replace(matrix, remarks=(*remarks, *_remarks_on_classes(matrix)))


def _lowest(numbers: Sequence[np.ndarray]) -> int:
    """Return the lowest number of a class; 0 for marks."""
    return min(0 if part.dtype == bool else int(part.min(initial=1)) for part in numbers)


def _are_names(part: object) -> bool:
    """Whether a part of a file has names of classes, other than the word "all"."""
    array = np.asarray(part)
    return array.dtype.kind in "UO" and part is not None and not _says_all(array)


def _names_of_all(file: ScoreFile, labels: np.ndarray, predicted: np.ndarray) -> tuple[str, ...]:
    """Return all class names, () if classes are numbers; refuse a mixture of names and numbers."""
    parts = {"labels": labels, "predicted classes": predicted}
    if file.unseen is not None and not _says_all(np.asarray(file.unseen)):
        parts[file.listed] = np.asarray(file.unseen)
    named = [title for title, part in parts.items() if _are_names(part)]
    if named and len(named) < len(parts):
        raise DatasetError(
            f"{file.name}: expected labels, predicted classes and {file.listed} all as names or "
            f"all as numbers; got names only as {', '.join(named)}."
        )
    return _names_in([*parts.values()]) if named else ()


def _spelling_question(
    file: ScoreFile, listed: np.ndarray, occurring: np.ndarray
) -> Question | None:
    """Ask about a listed class that no image has, if its name is close to that of another class.

    ``listed`` are class numbers or a mask, ``occurring`` the labels and predicted classes.
    """
    numbers = np.flatnonzero(listed) if listed.dtype == bool else listed
    with_images = [file.class_names[c] for c in occurring]
    for name in (file.class_names[c] for c in np.setdiff1d(numbers, occurring)):
        near = get_close_matches(name, with_images, n=1, cutoff=CLOSE)
        if near and not any(map(str.isdigit, name)):
            return Question(
                "as-is",
                f"{file.name}, {file.listed}: no image belongs to {name!r} or is predicted as it: "
                f"is it a class of its own, not {near[0]!r}?",
                open=True,
            )
    return None


def _refuse_blanks(file: ScoreFile) -> None:
    """Refuse images without a label or predicted class: a blank, or a word such as "none"."""
    titled = {"labels": file.labels, "predicted classes": file.predicted}
    parts = {title: np.asarray(part).ravel() for title, part in titled.items() if _are_names(part)}
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


def _refuse_other_names(name: str, labels: np.ndarray, predicted: np.ndarray) -> NoReturn:
    shown = " and ".join(repr(clean_text(str(part[0]), 60)) for part in (labels, predicted))
    raise DoubtfulScoresError(
        f"{name}: expected labels and predicted classes by the same names; got none in common, "
        f"such as {shown}. Write both in the same way, or keep them with as-is (--fix as-is)."
    )


def _refuse_shifted(name: str, y: np.ndarray, predicted: np.ndarray, n_classes: int) -> None:
    """Refuse labels and predicted classes if one is counted from 0 and the other from 1.

    Hits are averaged over classes, so that predicting one class for all images gives the same hits
    in every reading.
    """
    hits = {shift: mean_class_accuracy(y, predicted - shift) for shift in (0, 1, -1)}
    best = max(hits, key=hits.__getitem__)
    if best and _is_clearer(hits[best], hits[0], n_classes):
        from_0, from_1 = ("labels", "predicted classes")[::best]
        raise DoubtfulScoresError(
            f"{name}: {percent(hits[0])} of the predicted classes are right as numbered, and "
            f"{percent(hits[best])} if {from_0} are counted from 0 and {from_1} from 1: number "
            "both in the same way, or keep them with as-is (--fix as-is)."
        )


def _never_across(matrix: Scores) -> bool:
    """Whether both sides have many errors, but no predicted class is on the wrong side."""
    y, seen, predicted = matrix.y, matrix.seen, matrix.tested.predicted()
    return bool((seen[y] == seen[predicted]).all()) and all(
        (predicted != y)[seen[y] == side].sum() >= ERRORS for side in (True, False)
    )


def _names_in(parts: Sequence[np.ndarray]) -> tuple[str, ...]:
    """Return every distinct name, with one spelling per class."""
    name_of_key: dict[str, str] = {}
    for part in parts:
        names = distinct_texts(part)
        for key, name in zip(class_keys(names), names, strict=True):
            name_of_key.setdefault(key, name)
    return tuple(sorted(name_of_key.values()))


def _remarks_on_classes(matrix: Scores) -> Iterator[str]:
    if matrix.tested.limits == "predicted classes" and not matrix.seen.any():
        yield "One predicted class per image: top-k accuracy needs the scores of every class."
    elif matrix.tested.limits == "predicted classes":
        yield (
            "One predicted class per image gives u, s and H at γ = 0. ZSL accuracy, another γ, "
            "AUSUC and the curve need the scores of every class."
        )
    if np.array_equal(matrix.tested.predicted(), matrix.y) and len(matrix.y) > len(matrix.seen):
        yield (
            "Every predicted class equals the label: does the file contain labels instead of "
            "predictions?"
        )
    has_seen = matrix.seen[matrix.y].any()
    if matrix.seen.any() and not has_seen:
        yield "No image belongs to a seen class: s and H cannot be computed."
    predicted = matrix.tested.predicted()
    strange = np.setdiff1d(predicted[matrix.seen[predicted]], matrix.y)
    if len(strange) and has_seen and not are_numbered(matrix.class_names):
        names = listed([matrix.class_names[k] for k in strange], LISTED)
        yield f"Predicted, but not the label of any image, and counted as seen: {names}."
    yield from _missing_classes(matrix)


# --- Rows and columns -----------------------------------------------------------------------------


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


# --- Numbers of classes ---------------------------------------------------------------------------


def _number_classes(file: ScoreFile, fixes: Collection[str]) -> Scores | Question:
    named = _fit_names(file, fixes)
    if isinstance(named, Question):
        return named
    file = named
    F = np.asarray(file.scores)
    y = _as_numbers(file, file.labels, "labels")
    unseen = _listed_numbers(file, F.shape[1])
    counted = [y] if unseen is None or not len(unseen) or unseen.dtype == bool else [y, unseen]
    if unseen is not None and unseen.dtype == bool:
        # A mask refers to columns, whether labels start from 0 or 1.
        unseen = np.flatnonzero(unseen) + ("labels-from-1" in fixes)
    if not {"labels-from-1", "unused-column", "unused-last-column"} & {*fixes}:
        question = _counting_question(file.name, F, np.concatenate(counted))
        if question is None and "as-is" not in fixes:
            question = _unused_column_question(file.name, F, y, unseen)
        if question is not None:
            return question
    elif "unused-last-column" in fixes:
        F, file = F[:, :-1], replace(file, class_names=file.class_names[:-1])
    else:
        y, unseen = y - 1, None if unseen is None else unseen - 1
        if "unused-column" in fixes:
            F, file = F[:, 1:], replace(file, class_names=file.class_names[1:])
    C = F.shape[1]
    if y.min() < 0 or y.max() >= C:
        raise DatasetError(
            f"{file.name}, labels: expected columns of the scores, 0 to {C - 1}; got {y.min()} to "
            f"{y.max()}."
        )
    sided = _sides(file, fixes, y, C, unseen)
    if isinstance(sided, Question):
        return sided
    seen, about = sided
    return Scores(file.name, F, y, seen, remarks=tuple(_remarks_on_names(file)), **about)


def _sides(
    file: ScoreFile,
    fixes: Collection[str],
    y: np.ndarray,
    C: int,
    listed: np.ndarray | None,
) -> tuple[np.ndarray, dict[str, Any]] | Question:
    """Return a mask of the seen classes, and the names, fixes and test set of scores.

    ``listed`` are the classes of one side as numbers or as a mask; if it is None, the unseen
    classes are those of a recognised test set.
    """
    test = recognised(y, C)
    if "all-unseen" in fixes:
        seen = np.zeros(C, dtype=bool)
    elif listed is not None:
        numbers = np.flatnonzero(listed) if listed.dtype == bool else listed
        seen = _seen(file, numbers, C, ("seen-listed" in fixes) != file.lists_seen)
    elif test is not None:
        seen = ~test.unseen
    else:
        return _unseen_question(file.name)
    if test is not None and not np.array_equal(seen, ~test.unseen):
        test = None  # the test images are the same, but the split differs
    names = file.class_names or (() if test is None else test.class_names)
    return seen, {
        "class_names": tuple(names) if len(names) == C else tuple(map(str, range(C))),
        "fixes": tuple(fix for fix in FIXES if fix in fixes),
        "benchmark": test.benchmark if test else "",
        "split": test.split if test else "",
    }


def _unseen_question(name: str) -> Question:
    return Question(
        "all-unseen",
        f"{name}: the unseen classes are not stated, and the labels are not those of a "
        "benchmark test set; expected a list or a mask of unseen classes. Or was the model trained "
        "on none of the classes, so that all are unseen (pure zero-shot, as CLIP is tested; "
        "--unseen all)?",
        open=True,
    )


# --- Names of classes -----------------------------------------------------------------------------


def _fit_names(file: ScoreFile, fixes: Collection[str]) -> ScoreFile | Question:
    """Return the file with one name per column, or ask if names do not fit the columns."""
    names, C = file.class_names, np.asarray(file.scores).shape[1]
    if "unnamed" in fixes:
        names = ()
    if names and len(names) != C:
        joined = [n for n in names if "," in n or ";" in n]
        why = f" ({joined[0]!r} may be two names without a comma between them)" if joined else ""
        return Question(
            "unnamed",
            f"{file.name}: {len(names)} class names for {C} columns of scores{why}, so no "
            "name has a column: leave the names out and number the columns?",
            open=True,
        )
    spellings = shared_spellings(names)
    shared = [name for name, k in Counter(names).items() if k > 1]
    file = replace(file, class_names=names)
    if not spellings:
        return file
    if "same-class" in fixes:
        return _merged_columns(file)
    parts = [np.asarray(part) for part in (file.labels, file.unseen) if part is not None]
    named = any(
        np.isin(part.astype(str, copy=False), shared).any()
        for part in parts
        if part.dtype.kind in "UO"
    )
    if named or "as-is" not in fixes:
        return Question(
            "same-class", f"{file.name}: {_sentence_on_shared(names, spellings, named)}", named
        )
    unique = (f"{name} (column {k})" if name in shared else name for k, name in enumerate(names))
    return replace(file, class_names=tuple(unique))


def _sentence_on_shared(
    names: Sequence[str], spellings: Mapping[str, Sequence[int]], named: bool
) -> str:
    """Ask about columns that share a name; ``named`` if labels or unseen classes are names."""
    clauses = []
    for columns in [*spellings.values()][:LISTED]:
        spelt_as = list(dict.fromkeys(names[k] for k in columns))
        called = f"share the name {spelt_as[0]!r}"
        if len(spelt_as) > 1:
            called = f"are called {' and '.join(map(repr, spelt_as))}"
        clauses.append(f"columns {', '.join(map(str, columns))} {called}")
    more = f", and {len(spellings) - LISTED} more names" if len(spellings) > LISTED else ""
    if named:
        return (
            f"{'; '.join(clauses)}{more} (columns counted from 0), and labels or unseen classes "
            "use that name: the column is ambiguous, so give labels and unseen classes as "
            "numbers. Or are columns with the same name one class, with the larger of their "
            "scores?"
        )
    return (
        f"{'; '.join(clauses)}{more} (columns counted from 0): are these columns one class, with "
        "the larger of their scores? Otherwise they are distinguished by number."
    )


def _merged_columns(file: ScoreFile) -> ScoreFile:
    """Merge columns of the same name, keeping the largest score."""
    F, spelt = np.asarray(file.scores), file.class_names
    first = np.arange(len(spelt))
    for columns in shared_spellings(spelt).values():
        first[columns] = columns[0]
    kept_columns, position = np.unique(first, return_inverse=True)
    names = [spelt[k] for k in kept_columns]
    merged = [F[:, position == k].max(axis=1) for k in range(len(names))]
    labels, unseen = (
        None if part is None else _renumbered_columns(np.asarray(part), position)
        for part in (file.labels, file.unseen)
    )
    assert labels is not None
    return replace(
        file,
        scores=np.column_stack(merged),
        labels=labels,
        unseen=unseen,
        class_names=tuple(names),
    )


def _renumbered_columns(part: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Convert column numbers or masks to the merged columns; names are unchanged."""
    if part.dtype.kind in "UO":
        return part
    if part.dtype == bool or (len(part) == len(position) and np.isin(part, (0, 1)).all()):
        return np.bincount(position, part.astype(float)) > 0
    inside = (part >= 0) & (part < len(position))
    renumbered: np.ndarray = np.where(inside, position[np.where(inside, part, 0).astype(int)], part)
    return renumbered


def _remarks_on_names(file: ScoreFile) -> Iterator[str]:
    """Yield a remark on names of columns that were made distinct by numbers."""
    numbered = [n for k, n in enumerate(file.class_names) if n.endswith(f" (column {k})")]
    if numbered:
        names = ", ".join(numbered[:LISTED])
        yield (
            f"{len(numbered)} columns share their name with another column and are distinguished "
            f"by number, counted from 0: {names}."
        )


def _says_all(unseen: np.ndarray) -> bool:
    """Whether the list of unseen classes is the word "all"."""
    return unseen.dtype.kind in "UO" and unseen.size == 1 and str(unseen.item()).lower() == ALL


def _as_numbers(file: ScoreFile, labels: np.ndarray | Sequence[str], target: str) -> np.ndarray:
    array = np.asarray(labels)
    if array.dtype.kind in "iu":
        return array.astype(np.intp)
    if array.dtype.kind == "f" and (array == np.round(array)).all():
        return array.astype(np.intp)
    if array.dtype.kind not in "UO":
        raise DatasetError(f"{file.name}, {target}: expected numbers or names; got {array.dtype}.")
    numbers = numbers_or_names(array.ravel())
    if numbers.dtype.kind == "i" and not np.isin(array, file.class_names).any():
        return numbers.astype(np.intp)  # numbers stored as strings
    without_names = DatasetError(
        f"{file.name}, {target}: class names identify columns only if columns have names; "
        "expected class_names, or columns with the titles of classes."
    )
    if not file.class_names:
        raise without_names
    number_of = {name: k for k, name in enumerate(file.class_names)}
    plain: dict[str, int] = {}
    for name, k in number_of.items():
        key = class_key(name)
        plain[key] = -1 if key in plain else k  # -1: several columns with this spelling
    different, codes = np.unique(array.astype(str, copy=False), return_inverse=True)
    columns = []
    for name in map(str, different):
        k = number_of.get(name, plain.get(class_key(name), -1))
        if k < 0:
            unknown = closest_name(f"class in {target} of {file.name}", name, number_of)
            raise without_names if are_numbered(file.class_names) else unknown
        columns.append(k)
    return np.array(columns, dtype=np.intp)[codes.ravel()]


def _listed_numbers(file: ScoreFile, C: int, *, is_fixed: bool = True) -> np.ndarray | None:
    """Return the listed classes as numbers, counted as in the file; names and marks as a mask.

    None if the file lists no classes. ``is_fixed`` is False if the file may have more than ``C``
    classes.
    """
    if file.unseen is None:
        return None
    array = np.asarray(file.unseen)
    if _says_all(array):
        return np.ones(C, dtype=bool)
    is_whole = len(array) == C or (not is_fixed and len(array) > max(C, 2))
    binary = array.dtype.kind in "iuf" and is_whole and np.isin(array, (0, 1)).all()
    if array.dtype == bool or binary:
        if not is_whole:
            raise DatasetError(
                f"{file.name}, {file.listed}: expected a mark for each of {C} columns; got "
                f"{len(array)}."
            )
        return array.astype(bool)
    numbers = np.unique(_as_numbers(file, array, file.listed))
    if array.dtype.kind not in "UO":
        return numbers
    are_numbers = numbers_or_names(array.ravel()).dtype.kind == "i"
    if are_numbers and not np.isin(array, file.class_names).any():
        return numbers
    return np.isin(np.arange(C), numbers)


def _counting_question(name: str, F: np.ndarray, numbers: np.ndarray) -> Question | None:
    """Ask whether classes are counted from 1; ``numbers`` are labels and unseen classes."""
    C, low, high = F.shape[1], numbers.min(), numbers.max()
    if low >= 1 and high == C:
        return Question(
            "labels-from-1",
            f"{name}: labels go from {low} to {high} and the scores have {C} columns: are classes "
            "counted from 1?",
            open=True,
        )
    return None


def _seen(file: ScoreFile, listed: np.ndarray, C: int, lists_seen: bool) -> np.ndarray:
    """Return the mask of the seen classes among all ``C``, from the listed classes of one side."""
    if not len(listed) or listed.min() < 0 or listed.max() >= C:
        targets = "classes" if file.scores is None else "columns of the scores,"
        raise DatasetError(
            f"{file.name}, {file.listed}: expected {targets} 0 to {C - 1}; got "
            f"{', '.join(map(str, listed[:5])) or 'none'}."
        )
    seen = np.full(C, not lists_seen)
    seen[listed] = lists_seen
    if seen.all():
        raise DatasetError(f"{file.name}, {file.listed}: expected some of the classes; got all.")
    return seen


# --- Order and direction --------------------------------------------------------------------------


def _hits(F: np.ndarray, y: np.ndarray) -> float:
    """Return the share of images with the highest score at their class."""
    return float((F.argmax(axis=1) == y).mean())


def _spread_rows(n: int) -> np.ndarray:
    """Return rows spread over a file of ``n`` rows, which may be sorted by class."""
    return np.unique(np.linspace(0, n - 1, min(n, ENOUGH)).astype(np.intp))


def _orders(seen: np.ndarray) -> dict[str, np.ndarray]:
    """Return the possible orders of columns: fix -> column of each class."""
    sides = np.flatnonzero(seen), np.flatnonzero(~seen)
    return {
        "seen-first": np.argsort(np.concatenate(sides)),
        "unseen-first": np.argsort(np.concatenate(sides[::-1])),
    }


def _apply_column_fixes(matrix: Scores, fixes: Collection[str]) -> Scores:
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


def _is_clearer(hits: float, now: float, n_classes: int) -> bool:
    """Whether another reading has hits above chance, and far more than the unchanged file."""
    return hits > max(ABOVE_CHANCE / n_classes, CLEARER * now)


def _columns_question(sample: Scores) -> Question | None:
    """Ask about the order or sign of columns if another one makes far more predictions right."""
    F, y, C, orders = sample.F, sample.y, sample.F.shape[1], _orders(sample.seen)
    if {*orders} & {*sample.fixes}:
        orders = {}
    now, negated = _hits(F, y), _hits(-F, y)

    def of_sides(F: np.ndarray) -> float:
        """Return the accuracy within sides, which does not depend on a bias to seen classes."""
        return max(_own_side_hits(sign * F, y, sample.seen) for sign in (1, -1))

    for fix, order in orders.items():
        turned = F[:, order]
        hits = max(_hits(turned, y), _hits(-turned, y))
        if _is_clearer(hits, max(now, negated), C) and of_sides(turned) > of_sides(F):
            return Question(
                fix,
                f"{sample.name}: {percent(max(now, negated))} of the predictions are right with "
                f"the columns as they are, {percent(hits)} if {FIXES[fix]}: is that their order?",
            )
    if "distances" not in sample.fixes and _is_clearer(negated, now, C):
        return Question(
            "distances",
            f"{sample.name}: {percent(now)} of the predictions are right if a larger score is "
            f"closer, {percent(negated)} if a smaller one is: are these distances?",
        )
    return None


# --- Remarks --------------------------------------------------------------------------------------


def _remarks_on_sides(matrix: Scores, sides: Sequence[str]) -> Iterator[str]:
    """Yield a remark on scores masked by the true side, and on the meaning of H for such scores."""
    other_side = {"seen": "unseen", "unseen": "seen"}
    out = " and ".join(
        f"scores of {side} classes for images of {other_side[side]} classes" for side in sides
    )
    yield (
        f"Masked by the true side: {out} are ruled out, and no others, so the side of every image "
        "was given. H is that in separate label spaces. Score every image among all classes for "
        "GZSL."
    )
    yield from _missing_classes(matrix)
    yield from _repeated_rows(matrix)


def _remarks(matrix: Scores) -> Iterator[str]:
    """Yield remarks on properties of the scores that no fix can repair."""
    y, seen, rows = matrix.y, matrix.seen, _spread_rows(len(matrix.y))
    F = some_rows(matrix.F, rows)
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
    if moved := _moved_columns(F, y[rows], seen):
        yield moved
    yield from _missing_classes(matrix)
    yield from _repeated_rows(matrix)
    top = np.partition(F, -2, axis=1)[:, -2:] if F.shape[1] > 1 else F
    tied = float((top[:, 0] == top[:, -1]).mean()) if F.shape[1] > 1 else 0.0
    across = np.abs(matrix.tested.best_classes.margin) <= matrix.tested.best_classes.resolution
    if across.mean() > MANY_TIES:
        yield _tie_remark(matrix.tested.best_classes, across)
    elif tied > MANY_TIES:
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


# --- Traces of another meaning --------------------------------------------------------------------


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


def _unused_column_question(
    name: str, F: np.ndarray, y: np.ndarray, unseen: np.ndarray | None
) -> Question | None:
    """Ask whether the first or last column, without labels and not listed, belongs to no class.

    ``y`` are the unchanged labels as columns; ``unseen`` is None if the file does not list the
    unseen classes.
    """
    C = F.shape[1]
    stated = np.empty(0, dtype=np.intp) if unseen is None else unseen
    used_columns = np.union1d(y, stated)
    if used_columns.min() < 0 or used_columns.max() >= C:
        return None
    for k, fix, end in ((0, "unused-column", "first"), (C - 1, "unused-last-column", "last")):
        if k in used_columns:
            continue
        test = recognised(y - (k == 0), C - 1)
        labels = "labels, counted from 1," if k == 0 else "labels"
        if test is not None and (
            unseen is None
            or np.array_equal(np.flatnonzero(test.unseen), np.unique(unseen) - (k == 0))
        ):
            return Question(
                fix,
                f"{name}: the {labels} are those of {test.benchmark} {test.split}, which has "
                f"{C - 1} classes, and the scores have {C} columns: does the {end} column belong "
                "to no class?",
            )
        values = column(F, k)
        if (values == values[0]).all():
            stands_out = _wins(values, F, np.setdiff1d(np.arange(C), [*stated, k]))
            shown = f"is {values[0]:g} in every row"
        else:
            stands_out = len(np.unique(y)) == C - 1
            shown = "has varied scores, while every other class has images"
        if stands_out:
            return Question(
                fix,
                f"{name}: no image belongs to class {k}, the {end} column, which {shown}: does "
                "it belong to no class?",
            )
    return None


def _wins(values: np.ndarray, F: np.ndarray, other_columns: np.ndarray) -> bool:
    """Return whether a column has the best seen score of any image, so that metrics need it."""
    return bool(len(other_columns)) and any(
        (values[rows] >= block[:, other_columns].max(axis=1)).any() for rows, block in blocks(F)
    )


def _list_question(matrix: Scores, rows: np.ndarray) -> Question | None:
    """Ask whether the classes listed as unseen are the seen classes.

    ``rows`` are the sampled rows.
    """
    sentence = "" if "seen-listed" in matrix.fixes else _swapped_lists(matrix, rows)
    return Question("seen-listed", f"{matrix.name}: {sentence}") if sentence else None


def _swapped_lists(matrix: Scores, rows: np.ndarray) -> str:
    y, seen = matrix.y, matrix.seen
    test = recognised(y, len(seen))
    if test is not None:
        if not np.array_equal(test.unseen, seen):
            return ""
        return (
            f"the {int((~seen).sum())} classes listed as unseen are the seen classes of "
            f"{test.benchmark} {test.split}: is this the list of seen classes?"
        )
    images = np.bincount(y, minlength=len(seen))
    of_seen, of_unseen = (images[side & (images > 0)] for side in (seen, ~seen))
    right = some_rows(matrix.F, rows).argmax(axis=1) == y[rows]
    u, s = (right[side[y[rows]]] for side in (~seen, seen))
    if not len(u) or not len(s):
        return ""
    ratio = of_seen.mean() / of_unseen.mean()
    if ratio > MORE_IMAGES and u.mean() > MORE_HITS * s.mean():
        return (
            f"{percent(s.mean(), 0)} of the predictions are right for classes listed as seen, "
            f"{percent(u.mean(), 0)} for those listed as unseen, and a seen class has "
            f"{ratio:.1f} times as many images: is this the list of seen classes?"
        )
    return ""


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


def _refuse_other_columns(sample: Scores, matrix: Scores) -> None:
    """Refuse a few seen columns without images that have the largest score of most images.

    ``sample`` has the sampled rows. A file without images of seen classes is not refused: in it,
    uncalibrated scores are often largest for seen classes.
    """
    tested = np.unique(matrix.y)
    untested = np.setdiff1d(np.flatnonzero(matrix.seen), tested)
    wins = np.isin(sample.F.argmax(axis=1), untested).mean()
    if wins > MOST_WINS and len(untested) < matrix.seen[tested].sum() / 2:
        names = ", ".join(repr(matrix.class_names[k]) for k in untested[:LISTED])
        raise DoubtfulScoresError(
            f"{matrix.name}: {percent(wins)} of the images have their largest score in "
            f"{len(untested)} columns without an image ({names}); leave out columns that belong to "
            "no class, or keep them with as-is (--fix as-is)."
        )


def _missing_classes(matrix: Scores) -> Iterator[str]:
    """Yield a remark if only some unseen classes have images."""
    has_images = np.isin(np.arange(len(matrix.seen)), matrix.y)
    missing, n = np.flatnonzero(~matrix.seen & ~has_images), int((~matrix.seen).sum())
    if 0 < len(missing) < n:
        names = listed([matrix.class_names[k] for k in missing], LISTED)
        yield (
            f"Without images: {len(missing)} of the {n} unseen classes ({names}); ZSL accuracy and "
            "u are means over the others."
        )


def _repeated_rows(matrix: Scores) -> Iterator[str]:
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
    if repeated > REPEATED * n:
        yield (
            f"{repeated:,} of {n:,} rows repeat another row of the same class, score by score: "
            "are images counted twice?"
        )


def _moved_columns(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> str:
    """Return a remark if predictions fit the labels only under another order of columns; or ""."""
    C, predicted = F.shape[1], F.argmax(axis=1)
    now = float((predicted == y).mean())
    # If predictions within the true side are far above chance, a bias to one side explains the
    # errors.
    if now >= 2 / C or _own_side_hits(F, y, seen) > ABOVE_CHANCE:
        return ""
    best = _best_assignment(y, predicted)
    if not _is_clearer(best, now, C):
        return ""
    rng = np.random.default_rng(0)
    chance = max(_best_assignment(rng.permutation(y), predicted) for _ in range(PERMUTED))
    if best <= CLEARER * chance:
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
