"""Reading of score files: from a file, or a pair of files, to a :class:`ScoreFile`.

``archives`` and ``tables`` read the :class:`ScoreParts` of a file, ``joined_sides`` joins the parts
of two sides, and ``columns`` and ``sides`` find the class of every column and the side of every
class.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zslcore.datasets.split_folders import read_classes
from zslcore.datasets.split_lists import IMAGE_IN_LINE
from zslcore.scores.archives import read_archive
from zslcore.scores.columns import (
    are_class_embeddings,
    name_columns,
    number_columns,
    remove_prefix,
    take_label_column,
)
from zslcore.scores.joined_sides import files_of_sides, join_columns, join_images, read_second
from zslcore.scores.labels import numbers_or_names, read_labels
from zslcore.scores.matrix import ScoreFile
from zslcore.scores.named_matrices import are_numbered
from zslcore.scores.parts import ScoreParts
from zslcore.scores.sides import find_sides, move_marks, refuse_shared, refuse_training_images
from zslcore.scores.tables import parts_of_table, table_of_contents
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import (
    ARRAYS,
    DEFAULT_LIMITS,
    Contents,
    Limits,
    container_of,
    first_fields,
    look_into,
    read_score_table,
)
from zslcore.untrusted.combined import look_into_folder
from zslcore.untrusted.readers.array_names import (
    COUNTERS,
    LABEL_VARIABLES,
    LABELS,
    NAMES_OF_PARTS,
    is_named,
)

#: Names of columns that distinguish several runs in one table.
RUN_TITLES = (
    "seed",
    "run",
    "epoch",
    "trial",
    "repeat",
    "checkpoint",
    "model",
    "method",
    "experiment",
)


def read_scores(
    path: Path | Contents,
    *,
    labels: Path | Contents | None = None,
    unseen: Path | Sequence[str] | None = None,
    unseen_scores: Path | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ScoreFile:
    """Read a file of scores or predicted classes, for :func:`zslcore.scores.interpret`.

    Parameters
    ----------
    path : ``.npz``, ``.npy``, MATLAB, HDF5, Parquet or CSV file, a folder with one array per file
        (:mod:`zslcore.untrusted.combined`), or the contents of a file
        Archives have variables of :data:`zslcore.scores.archives.NAMES`; a table has a column of
        labels and one column per class, or one column of predicted classes.
    labels : file with labels only: ``.npy``, or a text with one label per line or a column called
        label; required if ``path`` is ``.npy``
    unseen : names or numbers of unseen classes, a file of them, or
        :data:`zslcore.scores.class_numbers.ALL`
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
    with scratch() as folder:
        parts = _read_parts(path, folder, limits, keyed=labels is not None or unseen is None)
        if unseen_scores is not None:
            (folder / "unseen").mkdir()
            second = _read_parts(unseen_scores, folder / "unseen", limits)
            read_second(parts, second, unseen_scores)
        join_images(parts)
        if labels is not None:
            images = parts.other_columns if parts.named_matrix is None else parts.named_matrix.axes
            parts.labels = read_labels(labels, folder / "labels", limits, parts.name, images)
        _orient(parts)
        if isinstance(unseen, Path):
            unseen = read_classes([unseen.name], unseen.parent)
        if unseen is not None:
            parts.unseen = numbers_or_names(tuple(unseen))
        else:
            refuse_shared(parts)
        return _build_score_file(parts)


def _read_parts(
    source: Path | Contents, folder: Path, limits: Limits, *, keyed: bool = False
) -> ScoreParts:
    """Return the parts of a table or a file of arrays.

    With ``keyed``, large columns of texts are also read, since one may name the images.
    """
    if isinstance(source, Path) and source.is_dir():
        source = look_into_folder(source, limits=limits)
    if isinstance(source, Path):
        is_text = container_of(source) == "text"
        if is_text and len(first_fields(source)) > 1:
            table = read_score_table(source, folder, limits=limits)
            return parts_of_table(clean_text(source.name), table)
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


def _orient(parts: ScoreParts) -> None:
    """Take the scores from a matrix with named rows, with one row per image."""
    if parts.named_matrix is None:
        return
    if parts.labels is None:
        parts.class_names = parts.named_matrix.rows
        return
    parts.scores, parts.class_names = parts.named_matrix.orient(parts.name, parts.labels)
    parts.is_table = True
    are_names = np.asarray(parts.labels).dtype.kind in "UO"
    if not are_names and parts.class_names and not are_numbered(parts.class_names):
        parts.remarks.append("Labels are read as numbers of the classes in the order of the file.")


def _build_score_file(parts: ScoreParts) -> ScoreFile:
    """Return the score file with the class of every column and the side of every class."""
    move_marks(parts)
    if parts.second is not None and parts.second.scores is not None:
        join_columns(parts, parts.second)
    elif parts.unseen is None and parts.seen is not None:
        parts.unseen, parts.lists_seen = parts.seen, True
    take_label_column(parts)
    _refuse_without_labels(parts)
    _refuse_runs(parts)
    _refuse_other_labels(parts)
    refuse_training_images(parts.name, len(parts.labels), parts.other_columns)
    number_columns(parts)
    name_columns(parts)
    find_sides(parts)
    if are_class_embeddings(parts):
        got = "one row per class and no column named after a class"
        advice = "If these are class embeddings, import them with --prototypes"
        raise refusal_of(parts.name, "one row of scores per image", f"{got}. {advice}")
    remove_prefix(parts)
    return ScoreFile(
        parts.name,
        parts.scores,  # a memory map stays readable after its folder is deleted
        np.asarray(parts.labels),
        None if parts.unseen is None else np.asarray(parts.unseen),
        tuple(parts.class_names),
        None if parts.predicted is None else np.asarray(parts.predicted),
        tuple(parts.remarks),
        parts.lists_seen,
        _names_of_images(parts),
    )


def _names_of_images(parts: ScoreParts) -> np.ndarray | None:
    """Return the column of names or numbers of the images; None without such a column."""
    names = (*NAMES_OF_PARTS["image_files"], *COUNTERS)
    for title, values in parts.other_columns.items():
        is_column = values.shape == (len(parts.labels),) and values.dtype.kind in "iufU"
        if is_column and is_named(title, names):
            return values
    return None


def _refuse_without_labels(parts: ScoreParts) -> None:
    """Refuse a file without labels, and name its other parts."""
    if parts.labels is not None:
        return
    columns = ", ".join(clean_text(name, 40) for name in [*parts.class_names][:5])
    got = f"scores called {columns}" if columns else "scores"
    if parts.predicted is not None and parts.scores is None:
        got = "predicted classes"
    names = f"{', '.join(LABEL_VARIABLES[:4])} or similar, or a file of labels"
    raise refusal_of(
        parts.name, f"one row per image with its label, called {names}", f"{got} alone"
    )


def _refuse_runs(parts: ScoreParts) -> None:
    """Refuse a table that has the same images several times, once per seed or model."""
    y = np.asarray(parts.labels)
    for title, values in parts.other_columns.items():
        if not is_named(title, RUN_TITLES) or len(values) != len(y):
            continue
        runs = np.unique(values)
        of_runs = [np.sort(y[values == run]) for run in runs]
        are_equal = all(np.array_equal(of_runs[0], of_run) for of_run in of_runs)
        expect(
            not (are_equal and 1 < len(runs) < len(y)),
            parts.name,
            "the images once",
            f"the same {len(of_runs[0]):,} labels for each of {len(runs)} values of "
            f"{clean_text(title, 40)!r}; write one file for each value",
        )


def _refuse_other_labels(parts: ScoreParts) -> None:
    """Refuse a second list of true classes that contradicts the labels."""
    y = np.asarray(parts.labels).tolist()
    for title, values in parts.other_columns.items():
        if not is_named(title, LABELS) or len(values) != len(y):
            continue
        others = values.tolist()
        n_classes = max(len({*y}), len({*others}))
        both = " and ".join(repr(clean_text(name, 40)) for name in (parts.labels_name, title))
        expect(
            len({*zip(y, others, strict=True)}) <= n_classes,
            parts.name,
            "one column of true classes",
            f"{both}, which differ; leave one out, or name predicted classes y_pred",
        )
