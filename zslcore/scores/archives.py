"""Scores in a file of arrays: choice of the arrays by name and shape."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zslcore.scores.named_matrices import find_named_matrix
from zslcore.scores.parts import ScoreParts
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import Contents, Limits, Role
from zslcore.untrusted.readers.array_names import (
    CLASS_LISTS,
    CLASS_NAMES,
    LABEL_VARIABLES,
    NAMES_OF_PARTS,
    PREDICTED,
    SCORE_VARIABLES,
    SEEN_CLASSES,
    UNSEEN_CLASSES,
    first_named,
    is_named,
)

#: Names of two separate matrices, of seen and of unseen columns or images; names of their labels.
BLOCKS, LABELS_OF_BLOCKS = (
    tuple(
        tuple(form.format(name) for form in forms for name in (side, f"test_{side}"))
        for side in ("seen", "unseen")
    )
    for forms in (
        ("{}_scores", "scores_{}", "{}_logits", "logits_{}"),
        ("{}_labels", "labels_{}", "{}_label", "y_{}", "{}_y", "{}_targets"),
    )
)
#: Accepted names of each part, in order of preference.
NAMES: dict[str, tuple[str, ...]] = {
    "scores": SCORE_VARIABLES,
    "labels": LABEL_VARIABLES,
    "unseen": UNSEEN_CLASSES,
    "seen": SEEN_CLASSES,
    "class_names": CLASS_NAMES,
    "predicted": PREDICTED,
}
#: Type of each part; the parts of the second matrix are those of the unseen side.
ROLES: dict[str, Role] = {
    **dict.fromkeys(("labels", "unseen", "seen", "predicted", "second_labels"), "labels"),
    **dict.fromkeys(("scores", "second_scores"), "scores"),
    "class_names": "names",
}
#: Names of matrices that are not scores; S may be scores or class embeddings.
NO_SCORES = (
    *NAMES_OF_PARTS["features"],
    *(name for name in NAMES_OF_PARTS["prototypes"] if name != "s"),
)
NO_SCORE_WORDS = re.compile("feat|emb|att|proto|vec", re.IGNORECASE)


def read_archive(contents: Contents, folder: Path, limits: Limits) -> ScoreParts:
    """Return the parts of a file of arrays."""
    parts, names = ScoreParts(contents.name), _choose_arrays(contents)
    if not names.keys() & {"scores", "predicted"}:
        _read_named_matrix(parts, contents)
        names.pop("class_names", None)
    unused = names.pop("predicted", None) if "scores" in names else None
    roles = {name: ROLES[part] for part, name in names.items()}
    pair = [contents.shapes[names[part]] for part in ("scores", "labels") if part in names]
    are_marks = len(pair) == 2 and pair[0] == pair[1] and not _is_vector(pair[1])
    if are_marks:  # one-hot labels
        roles[names["labels"]] = "scores"
    read = contents.read(roles, folder, limits=limits)
    values = read.arrays | read.names  # a reader may omit a corrupt part
    second = ScoreParts(contents.name)
    for part, name in names.items():
        is_second = part.startswith("second_")
        setattr(second if is_second else parts, part.removeprefix("second_"), values.get(name))
    parts.second = second if names.keys() & {"second_scores", "second_labels"} else None
    parts.class_names = parts.class_names or ()
    parts.labels_name = names.get("labels", parts.labels_name)
    if unused is not None:
        parts.leave_out([unused], "the scores are used")
    if are_marks and parts.labels is not None:
        parts.labels = _find_marked_columns(contents.name, names["labels"], parts.labels)
    parts.other_columns = {
        name: array
        for name, array in contents.arrays.items()
        if array.ndim == 1 and name not in roles and name != "listed"
    }
    if contents.has("listed") and parts.predicted is not None:
        n = contents.numbers("listed").max()
        best = f"At most {n} classes of each image are listed: the best one is its prediction."
        parts.remarks.append(best)
    return parts


def _read_named_matrix(parts: ScoreParts, contents: Contents) -> None:
    """Read the scores of a file with one array per class or image; refuse other files."""
    parts.named_matrix = find_named_matrix(contents)
    if parts.named_matrix is None:
        names = ", ".join(NAMES["scores"][:7])
        expected = f"a matrix called {names}, or predicted classes called y_pred"
        got = clean_text(", ".join(list(contents.shapes)[:6])) or "none of these"
        raise refusal_of(contents.name, expected, got)


def _choose_arrays(contents: Contents) -> dict[str, str]:
    """Return the name of the array of each part in :data:`ROLES` that the file has."""
    shapes = contents.shapes
    first = {part: first_named(shapes, titles) for part, titles in NAMES.items()}
    names = {part: name for part, name in first.items() if name is not None}
    if "class_names" in names and not _may_name_classes(contents, names["class_names"]):
        del names["class_names"]
    blocks = [first_named(shapes, titles) for titles in BLOCKS]
    labels = [first_named(shapes, titles) for titles in LABELS_OF_BLOCKS]
    if "scores" not in names and blocks[0] is not None and blocks[1] is not None:
        names |= {"scores": blocks[0], "second_scores": blocks[1]}
        if "labels" not in names and labels[0] is not None and labels[1] is not None:
            names |= {"labels": labels[0], "second_labels": labels[1]}
    if labels[1] is not None and labels[1] in names.values():
        names["second_labels"] = labels[1]
    shape = shapes[names["scores"]] if "scores" in names else None
    if shape is not None and (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)):
        names["predicted"] = names.pop("scores")  # one number per image: a predicted class
    is_matrix = "predicted" in names and not _is_vector(shapes[names["predicted"]])
    if "scores" not in names and is_matrix:
        names["scores"] = names.pop("predicted")
    if not names.keys() & {"scores", "predicted"}:
        names |= _arrays_by_shape(contents, names.get("labels"))
    return names


def _arrays_by_shape(contents: Contents, labels: str | None) -> dict[str, str]:
    """Return the only matrix as scores, and labels, which may be the only other array.

    The result is empty if a matrix has the name of features or class embeddings, or no labels.
    """
    shapes = {name: shape for name, shape in contents.shapes.items() if shape is not None}
    matrices = [name for name, shape in shapes.items() if not _is_vector(shape) and name != labels]
    if len(matrices) != 1 or is_named(matrices[0], NO_SCORES) or NO_SCORE_WORDS.search(matrices[0]):
        return {}
    vectors = [name for name in shapes if name not in matrices]
    candidates = [name for name in vectors if not is_named(name, CLASS_LISTS)]
    if labels is not None:
        candidates = [name for name in shapes if name == labels]
    if len(candidates) != 1 or math.prod(shapes[candidates[0]]) not in shapes[matrices[0]]:
        return {}
    return {"scores": matrices[0], "labels": candidates[0]}


def _may_name_classes(contents: Contents, name: str) -> bool:
    """Whether an array may name the classes; under a general name, its texts must be distinct."""
    array = contents.arrays.get(name)
    if name in ("class_names", "allclasses_names", "names") or array is None:
        return True
    return array.dtype.kind == "U" and len(np.unique(array)) == array.size


def _find_marked_columns(file: str, name: str, marks: np.ndarray) -> np.ndarray:
    """Return the marked column of each row of one-hot labels."""
    marks = np.asarray(marks)
    are_one_hot = np.isin(marks, (0, 1)).all() and (marks.sum(axis=1) == 1).all()
    where = f"{file}, variable {clean_text(name)!r}"
    expected = "one label per image, or one 1 and otherwise zeros in each row"
    expect(are_one_hot, where, expected, "other numbers")
    return marks.argmax(axis=1)


def _is_vector(shape: Sequence[int] | None) -> bool:
    """Whether an array is a vector, including vectors of one row or column from MATLAB."""
    return shape is not None and sum(n != 1 for n in shape) <= 1
