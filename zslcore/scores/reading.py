"""Score files and their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.split_folders import listed_classes
from zslcore.datasets.split_lists import IMAGE_IN_LINE
from zslcore.exceptions import FileRefusedError
from zslcore.scores.archives import NAMES, read_archive
from zslcore.scores.columns import (
    are_class_embeddings,
    name_columns,
    number_columns,
    prefix_of,
    take_label_column,
)
from zslcore.scores.joined_sides import append_images, are_other_images, files_of_sides, join_blocks
from zslcore.scores.labels import numbers_or_names, read_labels
from zslcore.scores.matrix import ScoreFile
from zslcore.scores.named_matrices import NamedMatrix, are_numbered
from zslcore.scores.sides import find_sides, move_marks, refuse_shared, refuse_training_images
from zslcore.scores.tables import parts_of_table, table_of_contents
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import (
    ARRAYS,
    DEFAULT_LIMITS,
    Contents,
    Limits,
    container_of,
    first_fields,
    look_into,
    read_score_table,
    rows_by_image,
)
from zslcore.untrusted.gathered import look_into_folder
from zslcore.untrusted.readers.array_names import is_named

#: Names of columns that distinguish several runs in one table.
RUNS = ("seed", "run", "epoch", "trial", "repeat", "checkpoint", "model", "method", "experiment")


def read_scores(
    path: Path | Contents,
    *,
    labels: Path | Contents | None = None,
    unseen: Path | Sequence[str] | None = None,
    unseen_scores: Path | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ScoreFile:
    """Read a file of scores or predicted classes, for :func:`zslcore.scores.interpreted`.

    Parameters
    ----------
    path : ``.npz``, ``.npy``, MATLAB, HDF5, Parquet or CSV file, a folder with one array per file
        (:mod:`zslcore.untrusted.gathered`), or the contents of a file
        Archives have variables of :data:`NAMES`; a table has a column of labels and one column per
        class, or one column of predicted classes.
    labels : file with labels only: ``.npy``, or a text with one label per line or a column called
        label; required if ``path`` is ``.npy``
    unseen : names or numbers of unseen classes, a file of them, or :data:`ALL`
    unseen_scores : file with the scores of unseen classes, if ``path`` has only seen classes
        Without a list of unseen classes, the seen classes get the first numbers.

    Raises
    ------
    FileRefusedError
        One sentence on the file and part, with the expected and the actual content.
    """
    if isinstance(path, Path):
        path = path.resolve()  # the path "." has no name
        if unseen_scores is None:
            path, unseen_scores = files_of_sides(path)
    name = clean_text(path.name)
    with scratch() as folder:
        parts = _read_parts(path, folder, limits, keyed=labels is not None or unseen is None)
        more_arrays = parts.pop("others", {})
        more = {part: parts.pop(f"unseen_{part}", None) for part in ("scores", "labels")}
        if unseen_scores is not None:
            kind = "scores" if parts.get("scores") is not None else "predicted"
            more = _read_unseen(unseen_scores, folder / "unseen", limits, name, more_arrays, kind)
        if are_other_images(name, parts, more):
            more = append_images(parts, more)
        for part in ("labels", "unseen", "seen"):
            if more.get(part) is not None:
                parts.setdefault(part, more[part])
        matrix = parts.pop("named_matrix", None)
        if labels is not None:
            axes = more_arrays if matrix is None else matrix.axes
            parts["labels"] = read_labels(labels, folder / "labels", limits, name, axes)
        if matrix is not None:
            _orient(name, parts, matrix)
        if isinstance(unseen, Path):
            unseen = listed_classes([unseen.name], unseen.parent)
        if unseen is not None:
            parts["unseen"] = numbers_or_names(tuple(unseen))
        else:
            refuse_shared(name, parts)
        return _score_file(name, parts, more_arrays, more)


def _read_unseen(
    path: Path,
    folder: Path,
    limits: Limits,
    scores: str,
    more_arrays: Mapping[str, np.ndarray],
    kind: str,
) -> dict[str, Any]:
    """Read the scores of unseen classes, in the order of ``scores`` if images have names.

    ``more_arrays`` are further columns of ``scores``; one may have the names of the images.
    ``kind`` is "scores", or "predicted" for the predicted classes of images of unseen classes.
    """
    folder.mkdir()
    parts = _read_parts(path, folder, limits)
    if parts.get(kind) is None:
        in_words = {"scores": "scores of unseen classes", "predicted": "predicted classes"}
        both = {"scores": "predicted classes", "predicted": "scores"}
        raise refusal_of(path, f"the {in_words[kind]}, as in {scores}", both[kind])
    if kind == "predicted":
        return parts
    rows = rows_by_image(more_arrays, parts.get("others", {}), path.name, scores)
    if rows is not None:
        parts["scores"] = np.asarray(parts["scores"])[rows]
        parts.pop("labels", None)
    return parts


def _orient(name: str, parts: dict[str, Any], matrix: NamedMatrix) -> None:
    """Add a matrix with named rows to the ``parts`` of a file, with one row per image."""
    if "labels" not in parts:
        parts["class_names"] = matrix.rows
        return
    parts["scores"], parts["class_names"] = matrix.oriented(name, parts["labels"])
    parts["is_table"] = True
    are_names = np.asarray(parts["labels"]).dtype.kind in "UO"
    if not are_names and parts["class_names"] and not are_numbered(parts["class_names"]):
        order = "Labels are read as numbers of the classes in the order of the file."
        parts["remarks"] = [*parts.get("remarks", ()), order]


def _score_file(
    name: str, parts: dict[str, Any], more_arrays: dict[str, np.ndarray], more: Mapping[str, Any]
) -> ScoreFile:
    """Return the score file; ``more`` has the parts of a second file with unseen columns."""
    move_marks(parts, more_arrays)
    second = more.get("scores")
    lists_seen = "unseen" not in parts and "seen" in parts and second is None
    if lists_seen:
        parts["unseen"] = parts["seen"]
    if second is not None:
        join_blocks(name, parts, np.asarray(second), tuple(more.get("class_names", ())))
    take_label_column(parts)
    if "labels" not in parts:
        raise FileRefusedError(
            f"{name}: expected one row per image with its label, called "
            f"{', '.join(NAMES['labels'][:4])} or similar, or a file of labels; got "
            f"{_described(parts)} alone."
        )
    _refuse_runs(name, parts["labels"], more_arrays)
    refuse_training_images(name, len(parts["labels"]), more_arrays)
    number_columns(parts)
    name_columns(parts, lists_seen)
    find_sides(name, parts, more_arrays)
    if "scores" in parts and are_class_embeddings(parts):
        raise FileRefusedError(
            f"{name}: expected one row of scores per image; got one row per class and no column "
            "named after a class. If these are class embeddings, import them with --prototypes."
        )
    if prefix := prefix_of(parts.get("class_names", ()), parts["labels"]):
        parts["class_names"] = [n.removeprefix(prefix) for n in parts["class_names"]]
        start = clean_text(prefix, 40)
        remark = f"Column names begin with {start}, which is left out."
        parts["remarks"] = [*parts.get("remarks", ()), remark]
    unseen, predicted = (
        None if parts.get(part) is None else np.asarray(parts[part])
        for part in ("unseen", "predicted")
    )
    return ScoreFile(
        name,
        parts.get("scores"),  # a memory map stays readable after its folder is deleted
        np.asarray(parts["labels"]),
        unseen,
        tuple(parts.get("class_names", ())),
        predicted,
        tuple(parts.get("remarks", ())),
        lists_seen,
    )


def _described(parts: Mapping[str, Any]) -> str:
    """Return the parts of a file without labels in words, with the first columns of a table."""
    if "predicted" in parts and "scores" not in parts:
        return "predicted classes"
    columns = ", ".join(clean_text(name, 40) for name in [*parts.get("class_names", ())][:5])
    return f"scores called {columns}" if columns else "scores"


def _refuse_runs(name: str, labels: Any, more_arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse a table that has the same images several times, once per seed or model."""
    y = np.asarray(labels)
    for title, values in more_arrays.items():
        if not is_named(title, RUNS) or len(values) != len(y):
            continue
        runs = np.unique(values)
        of_runs = [np.sort(y[values == run]) for run in runs]
        if 1 < len(runs) < len(y) and all(
            np.array_equal(of_runs[0], labels_of_run) for labels_of_run in of_runs
        ):
            raise FileRefusedError(
                f"{name}: expected the images once; got the same {len(of_runs[0]):,} labels for "
                f"each of {len(runs)} values of {clean_text(title, 40)!r}; write one file for "
                "each value."
            )


def _read_parts(
    source: Path | Contents, folder: Path, limits: Limits, *, keyed: bool = False
) -> dict[str, Any]:
    """Return the parts of a table or a file of arrays."""
    if isinstance(source, Path) and source.is_dir():
        source = look_into_folder(source, limits=limits)
    if isinstance(source, Path):
        is_text = container_of(source) == "text"
        if is_text and len(first_fields(source)) > 1:
            return _read_csv(source, folder, limits)
        source = look_into(source, ("text",) if is_text else ARRAYS, limits=limits)
        _refuse_lines(source)
    are_matrices = (shape is not None and len(shape) > 1 for shape in source.shapes.values())
    is_of_columns = source.container == "Parquet" and not any(are_matrices)
    if is_of_columns or {"values", "columns"} <= {*source.shapes}:
        return parts_of_table(source.name, table_of_contents(source, folder, limits, keyed=keyed))
    return read_archive(source, folder, limits)


def _refuse_lines(contents: Contents) -> None:
    """Refuse lines with an image, its class and its predicted class: names may have spaces."""
    lines = contents.arrays.get("array")
    if contents.container != "text" or lines is None or lines.dtype.kind != "U" or lines.ndim != 1:
        return
    matches = [IMAGE_IN_LINE.match(line) for line in lines.tolist()]
    if all(match and " " in (match[2] or "").strip() for match in matches):
        expected = "predicted classes as .csv with the titles label and predicted"
        raise refusal_of(contents.name, expected, "lines of an image and two words")


def _read_csv(path: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return the parts of a table: labels, and one column per class or predicted classes."""
    return parts_of_table(clean_text(path.name), read_score_table(path, folder, limits=limits))
