"""Scores in a file of arrays: choice of the arrays by name and shape."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.scores.columns import left_out
from zslcore.scores.named_matrices import NamedMatrix, named_matrix
from zslcore.texts import clean_text
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

#: Accepted names of each part; of several in a file, the first one here is used.
NAMES: dict[str, tuple[str, ...]] = {
    "scores": SCORE_VARIABLES,
    "labels": LABEL_VARIABLES,
    "unseen": UNSEEN_CLASSES,
    "seen": SEEN_CLASSES,
    "class_names": CLASS_NAMES,
}


ROLES: dict[str, Role] = {
    "scores": "scores",
    "labels": "labels",
    "unseen": "labels",
    "seen": "labels",
    "class_names": "names",
}


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


#: Names of matrices that are not scores; S may be scores or class embeddings.
NO_SCORES = (
    *NAMES_OF_PARTS["features"],
    *(name for name in NAMES_OF_PARTS["prototypes"] if name != "s"),
)


NO_SCORES_IN = re.compile("feat|emb|att|proto|vec", re.IGNORECASE)


def read_archive(contents: Contents, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return the parts of a file of arrays."""
    shapes = contents.shapes
    parts: dict[str, Any] = {}
    names, predicted_name, second = _choose_arrays(contents)
    if names["scores"] is None and predicted_name is None:
        parts["named_matrix"] = _matrix_without_name(contents)
        names["class_names"] = None
    roles_of_names: dict[str, Role] = {name: ROLES[part] for part, name in names.items() if name}
    if names["scores"] is None and predicted_name is not None:
        roles_of_names[predicted_name] = "labels"
    labels_of = [first_named(shapes, titles) for titles in LABELS_OF_BLOCKS]
    if second is not None:
        roles_of_names[second] = "scores"
        if names["labels"] is None and None not in labels_of:
            names["labels"] = labels_of[0]
            roles_of_names |= {name: "labels" for name in labels_of if name is not None}
    marks = names["labels"] if _are_marks(shapes, names["labels"], names["scores"]) else None
    if marks is not None:
        roles_of_names[marks] = "scores"
    read = contents.read(roles_of_names, folder, limits=limits)
    every = {
        **names,
        "predicted": predicted_name,
        "unseen_scores": second,
        "unseen_labels": labels_of[1],
    }
    for part, name in every.items():
        if name is not None and name in roles_of_names:
            value = read.names.get(name, read.arrays.get(name))
            if value is not None:  # a reader may omit a corrupt part
                parts[part] = value
    if predicted_name is not None and "predicted" not in parts:
        parts["remarks"] = [left_out([predicted_name], "the scores are used")]
    if marks is not None and "labels" in parts:
        parts["labels"] = _marked_columns(contents.name, marks, parts["labels"])
    parts["others"] = {
        name: array
        for name, array in contents.arrays.items()
        if array.ndim == 1 and name not in roles_of_names and name != "listed"
    }
    if contents.has("listed") and "predicted" in parts:
        n = contents.numbers("listed").max()
        best = f"At most {n} classes of each image are listed: the best one is its prediction."
        parts["remarks"] = [*parts.get("remarks", ()), best]
    return parts


def _matrix_without_name(contents: Contents) -> NamedMatrix:
    """Return the scores of a file with one array per class or image; refuse other files."""
    matrix = named_matrix(contents)
    if matrix is None:
        raise FileRefusedError(
            f"{contents.name}: expected a matrix called "
            f"{', '.join(NAMES['scores'][:7])}, or predicted classes called y_pred; got "
            f"{clean_text(', '.join(list(contents.shapes)[:6])) or 'none of these'}."
        )
    return matrix


def _choose_arrays(
    contents: Contents,
) -> tuple[dict[str, str | None], str | None, str | None]:
    """Return the names of arrays: of each part, of predicted classes, of scores of unseen images.

    The last name is None unless seen and unseen images have separate arrays of scores.
    """
    shapes = contents.shapes
    names = {part: first_named(shapes, titles) for part, titles in NAMES.items()}
    if names["class_names"] is not None and not _may_name_classes(contents, names["class_names"]):
        names["class_names"] = None
    predicted_name = first_named(shapes, PREDICTED)
    first, second = (first_named(shapes, titles) for titles in BLOCKS)
    if names["scores"] is None and first is not None and second is not None:
        names["scores"] = first
    else:
        second = None
    scores = names["scores"]
    if scores is not None and _is_column(shapes[scores]):
        names["scores"], predicted_name = None, scores  # one number per image: a predicted class
    if (
        names["scores"] is None
        and predicted_name is not None
        and not _is_vector(shapes[predicted_name])
    ):
        names["scores"], predicted_name = predicted_name, None
    if names["scores"] is None and predicted_name is None:
        names |= _arrays_by_shape(contents, names["labels"])
    return names, predicted_name, second


def _arrays_by_shape(contents: Contents, labels: str | None) -> dict[str, str | None]:
    """Return the only matrix as scores, and labels, which may be the only other array.

    The result is empty if a matrix has the name of features or class embeddings, or no labels.
    """
    shapes = {name: shape for name, shape in contents.shapes.items() if shape is not None}
    matrices = [name for name, shape in shapes.items() if not _is_vector(shape) and name != labels]
    if len(matrices) != 1 or is_named(matrices[0], NO_SCORES) or NO_SCORES_IN.search(matrices[0]):
        return {}
    if labels is None:
        vectors = {*shapes} - {*matrices}
        of_classes = [name for name in vectors if is_named(name, CLASS_LISTS)]
        n_labels = [math.prod(shapes[name]) for name in vectors.difference(of_classes)]
        if len(n_labels) != 1 or n_labels[0] not in shapes[matrices[0]]:
            return {}
        labels = vectors.difference(of_classes).pop()
    elif math.prod(shapes[labels]) not in shapes[matrices[0]]:
        return {}
    return {"scores": matrices[0], "labels": labels}


def _may_name_classes(contents: Contents, name: str) -> bool:
    """Whether a list names classes; one with a common word as its name must have distinct texts."""
    array = contents.arrays.get(name)
    if name in ("class_names", "allclasses_names", "names") or array is None:
        return True
    return array.dtype.kind == "U" and len(np.unique(array)) == array.size


def _are_marks(
    shapes: Mapping[str, Sequence[int] | None], labels: str | None, scores: str | None
) -> bool:
    """Whether labels are a one-hot matrix of the shape of the scores."""
    if labels is None or scores is None or _is_vector(shapes[labels]):
        return False
    return shapes[labels] == shapes[scores]


def _marked_columns(file: str, name: str, marks: np.ndarray) -> np.ndarray:
    """Return the marked column of each row of one-hot labels."""
    marks = np.asarray(marks)
    if not (np.isin(marks, (0, 1)).all() and (marks.sum(axis=1) == 1).all()):
        raise FileRefusedError(
            f"{file}, variable {clean_text(name)!r}: expected one label per image, or one 1 "
            "and otherwise zeros in each row; got other numbers."
        )
    return marks.argmax(axis=1)


def _is_vector(shape: Sequence[int] | None) -> bool:
    """Whether an array is a vector, including vectors of one row or column from MATLAB."""
    return shape is not None and sum(n != 1 for n in shape) <= 1


def _is_column(shape: Sequence[int] | None) -> bool:
    """Whether an array has one number per image."""
    return shape is not None and (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1))
