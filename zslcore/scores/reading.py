"""Score files and their content.

The best seen and the best unseen class of each image are computed in blocks of rows: a matrix
mapped from a file is read once, and is never completely in memory.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.split_folders import listed_classes
from zslcore.datasets.split_lists import IMAGE_IN_LINE
from zslcore.evaluation.predictions import PredictedRows
from zslcore.exceptions import FileRefusedError
from zslcore.metrics import best_column, combine_sides, ranks_of
from zslcore.names import class_key, squeeze
from zslcore.scores.layouts import (
    NamedMatrix,
    are_numbered,
    best_family,
    matrix_of_pairs,
    named_matrix,
    refuse_training_images,
    unseen_by_image,
)
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, expect, listed, refusal_of
from zslcore.untrusted.client import (
    ARRAYS,
    DEFAULT_LIMITS,
    Contents,
    Limits,
    Role,
    Table,
    container_of,
    first_fields,
    look_into,
    read_lines,
    read_score_table,
    rows_by_image,
)
from zslcore.untrusted.gathered import look_into_folder
from zslcore.untrusted.readers.array_names import (
    CLASS_LISTS,
    CLASS_NAMES,
    COUNTERS,
    LABEL_VARIABLES,
    LABELS,
    NAMES_OF_PARTS,
    NO_CLASSES,
    PREDICTED,
    SCORE_VARIABLES,
    SEEN_CLASSES,
    UNSEEN_CLASSES,
    first_named,
    is_named,
)
from zslcore.untrusted.readers.common import INDEX

#: Number of scores in memory at a time, and bytes of a memory map that may stay in memory.
AT_ONCE, STAYS = 1 << 21, 1 << 26
#: Number of first rows that decide whether a column may have labels.
LOOKED_AT = 64
#: Number of strings of an array that are Python objects at a time.
TEXTS_AT_ONCE = 1 << 14


def blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of rows with their scores; release the memory pages of blocks already read."""
    step = max(1, AT_ONCE // max(1, F.shape[1]))
    read, mapped = 0, _map_of(F)
    for start in range(0, len(F), step):
        rows = slice(start, min(start + step, len(F)))
        block = np.asarray(F[rows])
        yield rows, block
        read += block.nbytes
        if mapped is not None and read >= STAYS:
            mapped.madvise(mmap.MADV_DONTNEED)
            read = 0
    if mapped is not None and F.nbytes >= STAYS:
        mapped.madvise(mmap.MADV_DONTNEED)


def column(F: np.ndarray, k: int) -> np.ndarray:
    """Return one column, read block by block."""
    return np.concatenate([block[:, k] for _, block in blocks(F)])


def some_rows(F: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Copy rows in small batches, since reading a row maps many more pages into memory."""
    mapped = _map_of(F)
    if mapped is None or F.nbytes < STAYS:
        return F[rows]
    parts = []
    for batch in np.array_split(rows, max(1, len(rows) // 64)):
        parts.append(np.array(F[batch]))
        mapped.madvise(mmap.MADV_DONTNEED)
    return np.concatenate(parts)


def _map_of(F: np.ndarray) -> mmap.mmap | None:
    """Return the memory map behind an array, if its pages can be released; else None."""
    base: object = F
    while base is not None:
        if isinstance(base, mmap.mmap):
            return base if hasattr(mmap, "MADV_DONTNEED") else None
        base = getattr(base, "base", None)
    return None


def best_classes_in(F: np.ndarray, y: np.ndarray, seen: np.ndarray) -> PredictedRows:
    """Return the best seen and the best unseen class of each image of a score matrix.

    Classes and the labels ``y`` are columns of ``F``, an array of shape (n_images, n_classes).
    """
    n, sides = len(y), (np.flatnonzero(seen), np.flatnonzero(~seen))
    best = [np.full(n, -1, dtype=np.int32) for _ in sides]
    score = [np.full(n, -np.inf) for _ in sides]
    rank = np.full(n, -1, dtype=np.int32)
    position = np.cumsum(~seen) - 1
    for rows, block in blocks(F):
        for columns, columns_of_best, value in zip(sides, best, score, strict=True):
            columns_of_best[rows], value[rows] = best_column(block, columns)
        unseen = ~seen[y[rows]]
        if unseen.any():
            ranks = ranks_of(block[np.ix_(unseen, ~seen)], position[y[rows][unseen]])
            rank[rows.start + np.flatnonzero(unseen)] = ranks
    best_classes = combine_sides(y, seen, (best[0], score[0]), (best[1], score[1]), F.dtype)
    return PredictedRows(
        rows=np.arange(n, dtype=np.int32),
        labels=y.astype(np.int32),
        seen_class=best_classes.seen_class,
        unseen_class=best_classes.unseen_class,
        margin=best_classes.margin,
        classes=np.arange(len(seen)),
        seen=seen,
        resolution=best_classes.resolution,
        zsl_rank=rank,
    )


def digest_of(y: np.ndarray, predicted: np.ndarray, seen: np.ndarray) -> str:
    """Return the SHA-256 of labels, predicted and unseen classes, 16 hex digits."""
    sha = hashlib.sha256(b"predicted classes")
    for numbers in (y, predicted):
        sha.update(numbers.astype("<i8").data)
    sha.update(np.packbits(seen).data)
    return sha.hexdigest()[:16]


def rows_of_classes(y: np.ndarray, predicted: np.ndarray, seen: np.ndarray) -> PredictedRows:
    """Return predicted classes as prediction rows; ``y`` and ``predicted`` are int arrays.

    Each margin is infinite, since the other side has no class.
    """
    of_seen = seen[predicted]
    return PredictedRows(
        rows=np.arange(len(y), dtype=np.int32),
        labels=y.astype(np.int32),
        seen_class=np.where(of_seen, predicted, -1).astype(np.int32),
        unseen_class=np.where(of_seen, -1, predicted).astype(np.int32),
        margin=np.where(of_seen, np.inf, -np.inf),
        classes=np.arange(len(seen)),
        seen=seen,
        resolution=0.0,
        limits="predicted classes",
    )


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """Contents of a score file, before its arrays are interpreted.

    ``scores`` has two axes, or is None if ``predicted`` has one predicted class per image.
    ``labels`` of the images are numbers or strings. ``unseen`` lists classes as numbers, bools or
    strings, the seen classes if ``lists_seen``; it is None without a list. ``class_names`` has one
    name per column, or is empty. ``remarks`` name the parts of the file that were not read.
    """

    name: str
    scores: np.ndarray | None
    labels: np.ndarray | Sequence[str]
    unseen: np.ndarray | Sequence[str] | None = None
    class_names: tuple[str, ...] = ()
    predicted: np.ndarray | Sequence[str] | None = None
    remarks: tuple[str, ...] = ()
    lists_seen: bool = False

    @property
    def listed(self) -> str:
        """Side of the classes in ``unseen``: "unseen classes" or "seen classes"."""
        return "seen classes" if self.lists_seen else "unseen classes"


@dataclass(frozen=True, eq=False)
class Scores:
    """Interpreted scores of test images: a matrix, or only the best class of each side.

    Attributes
    ----------
    name : name of the file
    matrix : array of shape (n_images, n_classes), larger is closer; None if only the best class of
        each side, or one predicted class per image, is available
    y : int array of shape (n_images,), columns of the matrix
    seen : bool array of shape (n_classes,)
    class_names : one name per column
    fixes : applied fixes, see :data:`zslcore.scores.questions.FIXES`
    remarks : sentences on unusual properties of the file
    benchmark, split : recognised published test set; empty if unknown
    sides_given : whether scores are masked by the true side of each image
    best, stated_digest : best class of each side and digest of the scores, if there is no matrix
    """

    name: str
    matrix: np.ndarray | None
    y: np.ndarray
    seen: np.ndarray
    class_names: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""
    sides_given: bool = False
    best: PredictedRows | None = None
    stated_digest: str = ""

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.best is None):
            raise ValueError("expected either a matrix or the best classes of either side.")
        for array in (self.matrix, self.y, self.seen):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def of_best(
        cls, name: str, best: PredictedRows, class_names: tuple[str, ...], digest: str, **about: Any
    ) -> Self:
        """Return scores from the best class of each side; classes are columns."""
        return cls(
            name, None, best.y, best.seen, class_names, best=best, stated_digest=digest, **about
        )

    @property
    def F(self) -> np.ndarray:  # noqa: N802 - the letter of the papers
        """Score matrix; raises ValueError if there is none."""
        if self.matrix is None:
            raise ValueError(f"{self.name}: expected a score matrix; got predicted classes alone.")
        return self.matrix

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the interpreted scores, labels and unseen classes, 16 hex digits."""
        if self.matrix is None:
            return self.stated_digest
        sha = hashlib.sha256(repr(self.F.shape).encode())
        for _, block in blocks(self.F):
            sha.update(np.ascontiguousarray(block, dtype="<f8").data)
        sha.update(self.y.astype("<i8").data)
        sha.update(np.packbits(self.seen).data)
        return sha.hexdigest()[:16]

    @cached_property
    def tested(self) -> PredictedRows:
        """Best class of each side for the protocols; classes are columns."""
        rows = self.best or best_classes_in(self.F, self.y, self.seen)
        return replace(rows, limits="sides given") if self.sides_given else rows


def is_of(matrix: Scores, dataset: ZSLDataset, split: str) -> bool:
    """Return whether scores may be of the test images of a data set, judging by counts.

    With column k as class k, the same classes must be unseen, and every class must have as many
    images as in the test set.
    """
    split_rows, n_classes = dataset.split(split), len(dataset.class_names)
    if len(matrix.seen) != n_classes:
        return False
    rows = np.concatenate([split_rows.test_seen, split_rows.test_unseen])
    tested = np.bincount(dataset.labels[rows], minlength=n_classes)
    return bool(
        np.array_equal(np.flatnonzero(~matrix.seen), np.unique(split_rows.unseen_classes))
        and np.array_equal(np.bincount(matrix.y, minlength=n_classes), tested)
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
#: Names of columns that distinguish several runs in one table.
RUNS = ("seed", "run", "epoch", "trial", "repeat", "checkpoint", "model", "method", "experiment")
#: Titles of the counts in a confusion table with one row per pair of classes; their largest sum.
COUNTS = ("count", "counts", "n", "freq", "frequency", "number", "images", "npredictions")
MOST_COUNTED = 5_000_000
#: Titles of sums in a confusion matrix, as pandas.crosstab and spreadsheets write them.
TOTALS = ("all", "total", "totals", "sum", "summe", "gesamt", "somme", "suma", "totale")
#: Names of matrices that are not scores; S may be scores or class embeddings.
NO_SCORES = (
    *NAMES_OF_PARTS["features"],
    *(name for name in NAMES_OF_PARTS["prototypes"] if name != "s"),
)
NO_SCORES_IN = re.compile("feat|emb|att|proto|vec", re.IGNORECASE)
#: Columns of every predictions file; no score matrix has them.
OF_PREDICTIONS = frozenset(("part", "row", "seen_class", "unseen_class", "margin"))
#: Value of ``unseen`` for a file with unseen classes only.
ALL = "all"


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
            path, unseen_scores = _files_of_sides(path)
    name = clean_text(path.name)
    with scratch() as folder:
        parts = _read_parts(path, folder, limits, keyed=labels is not None or unseen is None)
        more_arrays = parts.pop("others", {})
        more = {part: parts.pop(f"unseen_{part}", None) for part in ("scores", "labels")}
        if unseen_scores is not None:
            kind = "scores" if parts.get("scores") is not None else "predicted"
            more = _read_unseen(unseen_scores, folder / "unseen", limits, name, more_arrays, kind)
        if _are_other_images(name, parts, more):
            more = _append_images(parts, more)
        for part in ("labels", "unseen", "seen"):
            if more.get(part) is not None:
                parts.setdefault(part, more[part])
        matrix = parts.pop("named_matrix", None)
        if labels is not None:
            axes = more_arrays if matrix is None else matrix.axes
            parts["labels"] = _read_labels(labels, folder / "labels", limits, name, axes)
        if matrix is not None:
            _orient(name, parts, matrix)
        if isinstance(unseen, Path):
            unseen = listed_classes([unseen.name], unseen.parent)
        if unseen is not None:
            parts["unseen"] = numbers_or_names(tuple(unseen))
        else:
            _refuse_shared(name, parts)
        return _score_file(name, parts, more_arrays, more)


def _files_of_sides(path: Path) -> tuple[Path, Path | None]:
    """Return the files of seen and of unseen images in a folder; other paths unchanged."""
    files = sorted(path.iterdir()) if path.is_dir() else []
    files = [file for file in files if not file.name.startswith(".")]
    of_unseen = ["unseen" in file.stem.lower() for file in files]
    if [*sorted(of_unseen)] != [False, True] or any(file.suffix == ".npy" for file in files):
        return path, None
    first, second = sorted(files, key=lambda file: "unseen" in file.stem.lower())
    return (first, second) if "seen" in first.stem.lower() else (path, None)


def _append_images(parts: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Append the rows of images of unseen classes to those of seen classes."""
    parts.setdefault("unseen", np.unique(np.asarray(more["labels"])))
    for part in ("scores" if "scores" in more else "predicted", "labels"):
        parts[part] = np.concatenate([np.asarray(half[part]) for half in (parts, more)])
    return {}


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
    _move_marks(parts, more_arrays)
    second = more.get("scores")
    lists_seen = "unseen" not in parts and "seen" in parts and second is None
    if lists_seen:
        parts["unseen"] = parts["seen"]
    if second is not None:
        _join_blocks(name, parts, np.asarray(second), tuple(more.get("class_names", ())))
    _take_label_column(parts)
    if "labels" not in parts:
        raise FileRefusedError(
            f"{name}: expected one row per image with its label, called "
            f"{', '.join(NAMES['labels'][:4])} or similar, or a file of labels; got "
            f"{_described(parts)} alone."
        )
    _refuse_runs(name, parts["labels"], more_arrays)
    refuse_training_images(name, len(parts["labels"]), more_arrays)
    _number_columns(parts)
    _name_columns(parts, lists_seen)
    _find_sides(name, parts, more_arrays)
    if "scores" in parts and _are_class_embeddings(parts):
        raise FileRefusedError(
            f"{name}: expected one row of scores per image; got one row per class and no column "
            "named after a class. If these are class embeddings, import them with --prototypes."
        )
    if prefix := _prefix_of(parts.get("class_names", ()), parts["labels"]):
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


def _take_label_column(parts: dict[str, Any]) -> None:
    """Take the labels from the first or last column of a matrix without titles.

    Labels repeat and are whole numbers below the number of classes, beside scores with fractions.
    If the labels have a file of their own, a column with the same labels is left out, as is a first
    column that numbers the images.
    """
    matrix = parts.get("scores")
    if matrix is None or "class_names" in parts or np.ndim(matrix) != 2 or matrix.shape[1] < 3:
        return
    last, labels = matrix.shape[1] - 1, parts.get("labels")
    start = np.asarray(matrix[:LOOKED_AT])  # spares reading every page of a large matrix
    are_whole = (start == np.trunc(start)).all(axis=0)
    if are_whole.all():
        return
    values = {k: column(matrix, k) for k in (0, last) if are_whole[k]}
    columns, remarks = [k for k in values if _are_labels(values[k], last, labels)], []
    if len(columns) == 1:
        parts.setdefault("labels", values[columns[0]].astype(np.int64))
        which = "last" if columns[0] else "first"
        remarks = [f"The {which} column has whole numbers and is read as the labels."]
    else:
        columns = []
    counter = values.get(0, np.empty(0))
    if counter.size and np.array_equal(counter - counter[0], np.arange(len(counter))):
        columns.append(0)
        remarks.append("The first column numbers the images and is left out.")
    if columns:
        parts["scores"] = np.delete(matrix, columns, axis=1)
        parts["remarks"] = [*parts.get("remarks", ()), *remarks]


def _are_labels(values: np.ndarray, n_classes: int, labels: np.ndarray | None) -> bool:
    """Whether a column has labels of classes, the given ones if there are any."""
    if labels is not None:
        return np.array_equal(values, labels)
    are_classes = bool(np.isin(values, np.arange(n_classes + 1)).all())
    return are_classes and 1 < len(np.unique(values)) < len(values)


def _find_sides(name: str, parts: dict[str, Any], more_arrays: Mapping[str, np.ndarray]) -> None:
    """Find the unseen classes by the side of each image, if the file lists no classes.

    Raises FileRefusedError if the sides of the images contradict a list.
    """
    y = np.asarray(parts["labels"])
    if "unseen" in parts:
        _refuse_other_sides(name, y, parts, more_arrays)
        return
    classes: Sequence[Any] = [*parts.get("class_names", ())]
    if "scores" not in parts:
        classes = np.unique(np.asarray(parts["predicted"])).tolist()
    elif not classes or y.dtype.kind not in "UO":
        classes = range(np.shape(parts["scores"])[1])
    stated = unseen_by_image(name, y, more_arrays, classes)
    if stated is not None:
        parts["unseen"], title = stated
        left_out, shown = f"Column {title!r}: left out", clean_text(title, 40)
        remarks = [remark for remark in parts.get("remarks", ()) if not remark.startswith(left_out)]
        parts["remarks"] = [
            *remarks,
            f"Unseen classes are taken from {shown!r}, which gives the side of each image.",
        ]


def _refuse_other_sides(
    name: str, y: np.ndarray, parts: Mapping[str, Any], more_arrays: Mapping[str, np.ndarray]
) -> None:
    """Refuse listed unseen classes if another column says that images of them are seen."""
    stated, unseen = unseen_by_image(name, y, more_arrays, ()), np.asarray(parts["unseen"])
    if stated is None or "seen" in parts or unseen.dtype.kind != y.dtype.kind or not unseen.size:
        return
    keys = [{class_key(str(c)) for c in np.unique(of)} for of in (unseen, stated[0], y)]
    if differ := sorted((keys[0] ^ keys[1]) & keys[2]):
        raise FileRefusedError(
            f"{name}: expected the listed unseen classes to be those of the column "
            f"{clean_text(stated[1], 40)!r}; got {listed(differ, 4)} as seen in one and as unseen "
            "in the other."
        )


def _move_marks(parts: dict[str, Any], more_arrays: dict[str, np.ndarray]) -> None:
    """Move lists with one mark per image from the lists of classes to the further columns."""
    n = len(parts.get("labels", ()))
    n_classes = np.shape(parts["scores"])[1] if "scores" in parts else 0
    for part in ("unseen", "seen"):
        listed = np.asarray(parts.get(part, ()))
        are_marks = listed.dtype.kind in "bi" and np.isin(listed, (0, 1)).all()
        if are_marks and len(listed) == n > 2 and n != n_classes:
            more_arrays[part] = parts.pop(part)


def _refuse_shared(name: str, parts: Mapping[str, Any]) -> None:
    """Refuse lists of seen and unseen classes that share classes, or together lack some."""
    seen, unseen = (np.asarray(parts.get(part, ())).ravel() for part in ("seen", "unseen"))
    if not (seen.size and unseen.size) or seen.dtype.kind != unseen.dtype.kind:
        return
    marks = [
        s.dtype.kind in "biu" and len(s) > 2 and np.isin(s, (0, 1)).all() for s in (seen, unseen)
    ]
    are_marks = len(seen) == len(unseen) and all(marks)
    shared = np.flatnonzero(seen * unseen) if are_marks else np.intersect1d(seen, unseen)
    if shared.size:
        raise FileRefusedError(
            f"{name}: expected every class on one side; got {len(shared)} among both the seen and "
            f"the unseen classes ({clean_text(str(shared[0]), 60)})."
        )
    n = np.shape(parts["scores"])[1] if "scores" in parts else 0
    n_listed = int((seen + unseen).sum()) if are_marks else len({*seen.tolist(), *unseen.tolist()})
    if n_listed < n and (are_marks or not any(marks)):
        raise FileRefusedError(
            f"{name}: expected every class on one side; got {n} columns, and {n_listed} classes "
            "that are listed as seen or unseen. State the unseen classes with --unseen."
        )


def _prefix_of(names: Sequence[str], labels: Any) -> str:
    """Return the prefix of column names, such as ``prob_``, if labels lack it; else ""."""
    texts = np.asarray(labels)
    if len(names) < 2 or texts.dtype.kind not in "UO":
        return ""
    keys = {*map(class_key, distinct_texts(texts))}
    if keys & {class_key(name) for name in names}:
        return ""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    shared = "".join(letter for letter, _ in same)
    starts = [shared[: match.end()] for match in re.finditer(r"(?<=[^\W_])[\W_]+", shared)]
    for start in starts:
        if keys <= {class_key(name.removeprefix(start)) for name in names}:
            return start
    return ""


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


def _number_columns(parts: dict[str, Any]) -> None:
    """Sort the columns of a table that are called by numbers, such as ``10`` or ``class_10``.

    Labels and unseen classes among these numbers are converted to columns. If labels are numbers,
    columns with other names are left out.
    """
    names, y = [*parts.get("class_names", ())], np.asarray(parts["labels"])
    if not parts.pop("is_table", False) or "scores" not in parts:
        return
    numbered = [re.fullmatch(r"(.*?)(\d{1,9})", name) for name in names]
    starts = Counter(match[1] for match in numbered if match)
    start = max(starts, key=starts.__getitem__, default=None)
    number = {k: int(m[2]) for k, m in enumerate(numbered) if m and m[1] == start}
    columns, counted = sorted(number, key=number.__getitem__), sorted(number.values())
    are_numbers = y.dtype.kind == "i" and len({*counted}) == len(counted) > 1
    if not are_numbers or (len(counted) < len(names) and not np.isin(y, counted).all()):
        return
    unused = [name for k, name in enumerate(names) if k not in number]
    if unused:
        parts["remarks"] = [*parts["remarks"], _left_out(unused, "not scores of a class")]
    if columns != [*range(len(names))]:
        parts["scores"] = np.array(np.asarray(parts["scores"])[:, columns])
    are_columns = not start and counted == [*range(len(counted))]
    parts["class_names"] = () if are_columns else [names[k] for k in columns]
    listed = [
        part for part in ("labels", "unseen") if np.asarray(parts.get(part)).dtype.kind == "i"
    ]
    if all(np.isin(np.asarray(parts[part]), counted).all() for part in listed):
        parts |= {part: np.searchsorted(counted, parts[part]) for part in listed}


def _name_columns(parts: dict[str, Any], lists_seen: bool) -> None:
    """Name the columns after the listed unseen classes, if the scores have no other classes.

    The list then has one entry per column. Its entries are names or numbers beyond the last column,
    and each label is one of them or a position in the list, counted from 0.
    """
    listed, y = np.asarray(parts.get("unseen", ())).ravel(), np.asarray(parts["labels"])
    n = np.shape(parts["scores"])[1] if "scores" in parts else 0
    if lists_seen or parts.get("class_names") or not 1 < n == len(listed) == len(np.unique(listed)):
        return
    if listed.dtype.kind in "iu" and listed.max() < n:
        return
    are_listed = listed.dtype.kind == y.dtype.kind and np.isin(y, listed).all()
    if not are_listed and (y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= n):
        return
    order = np.argsort(listed)
    parts |= {
        "labels": order[np.searchsorted(listed, y, sorter=order)] if are_listed else y,
        "unseen": np.arange(n),
        "class_names": [str(name) for name in listed],
        "remarks": [
            *parts.get("remarks", ()),
            f"The {n} columns are the listed unseen classes, in the order of the list.",
        ],
    }


def _are_class_embeddings(parts: Mapping[str, Any]) -> bool:
    """Whether no two rows have the same class, and no column has the name of a class."""
    labels, names = np.asarray(parts["labels"]), parts.get("class_names", ())
    are_names = names and len(labels) > 2 and labels.dtype.kind == "U"
    if not are_names or len(np.unique(labels)) < len(labels):
        return False
    keys = {*map(class_key, labels.tolist())}
    prefix = _prefix_of(names, labels)
    columns = {class_key(name.removeprefix(prefix)) for name in names}
    return len(keys) == len(labels) and not keys & columns


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
        return _parts_of_table(source.name, _table_of(source, folder, limits, keyed=keyed))
    return _read_archive(source, folder, limits)


def _refuse_lines(contents: Contents) -> None:
    """Refuse lines with an image, its class and its predicted class: names may have spaces."""
    lines = contents.arrays.get("array")
    if contents.container != "text" or lines is None or lines.dtype.kind != "U" or lines.ndim != 1:
        return
    matches = [IMAGE_IN_LINE.match(line) for line in lines.tolist()]
    if all(match and " " in (match[2] or "").strip() for match in matches):
        expected = "predicted classes as .csv with the titles label and predicted"
        raise refusal_of(contents.name, expected, "lines of an image and two words")


def _read_archive(contents: Contents, folder: Path, limits: Limits) -> dict[str, Any]:
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
        parts["remarks"] = [_left_out([predicted_name], "the scores are used")]
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


def _table_of(contents: Contents, folder: Path, limits: Limits, *, keyed: bool) -> Table:
    """Return the columns of a table in JSON or Parquet, labels and predicted classes as texts.

    With ``keyed``, large columns of other texts are also read, since one may name the images.
    """
    file = contents.name
    lists = [name for name in contents.shapes if name not in ("values", "columns", "class_names")]
    titles: tuple[str, ...] = ()
    if "columns" in contents.shapes:
        titles = contents.read({"columns": "names"}, folder, limits=limits).names["columns"]
    if {*lists, *titles} >= OF_PREDICTIONS:
        expected = "scores, or predictions with their attributes (PANDAS_ATTRS with a schema"
        got = "predictions without attributes"
        raise refusal_of(file, f"{expected}, at most 8 MiB of JSON)", got)
    of_images = [first_named((*lists, *titles), named) for named in (LABELS, PREDICTED)]
    roles: dict[str, Role] = {"values": "scores"} if titles else {}
    for name in lists:
        is_whole = name in of_images and contents.shapes[name] is not None
        if not contents.has(name) and (is_whole or (keyed and name not in contents.refused)):
            roles[name] = "labels"
    read = contents.read(roles, folder, limits=limits)
    arrays = {name: contents.arrays[name] for name in lists if contents.has(name)}
    arrays |= read.arrays | {name: np.array(entries) for name, entries in read.names.items()}
    n = max((values.size for values in arrays.values() if values.ndim == 1), default=0)
    matrix = arrays.pop("values", np.empty((n, 0)))
    expect(len(titles) == matrix.shape[1], file, "one title per column", f"{len(titles):,}")
    arrays |= {title: matrix[:, k] for k, title in enumerate(titles) if title in of_images}
    arrays = {name: of for name, of in arrays.items() if of.shape == matrix.shape[:1]}
    are_texts = {name: name in of_images or of.dtype.kind == "U" for name, of in arrays.items()}
    texts = {
        name: values.astype(str).tolist() for name, values in arrays.items() if are_texts[name]
    }
    numbers = {name: values for name, values in arrays.items() if not are_texts[name]}
    scored = [k for k, title in enumerate(titles) if title not in texts]
    if numbers or len(scored) < len(titles):
        matrix = np.column_stack([matrix[:, scored], *numbers.values()]).astype(matrix.dtype)
    names = (*(titles[k] for k in scored), *numbers)
    return Table(matrix, names, texts, tuple(name for name in lists if name not in arrays))


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


def _are_other_images(name: str, parts: Mapping[str, Any], more: Mapping[str, Any]) -> bool:
    """Whether two files have the same columns, and rows of images that share no class."""
    if all("predicted" in half and half.get("scores") is None for half in (parts, more)):
        shared = np.intersect1d(parts["labels"], more["labels"])
        if shared.size:
            classes = listed([clean_text(str(label), 40) for label in shared])
            raise FileRefusedError(
                f"{name}: expected the two files to have images of different classes; got images "
                f"of {classes} in both."
            )
        return True
    if any(half.get(part) is None for half in (parts, more) for part in ("scores", "labels")):
        return False
    names = [tuple(half.get("class_names", ())) for half in (parts, more)]
    columns = [np.shape(half["scores"])[1] for half in (parts, more)]
    labels = [{*np.asarray(half["labels"]).tolist()} for half in (parts, more)]
    same = columns[0] == columns[1] and (names[0] == names[1] or not names[1])
    return same and labels[0].isdisjoint(labels[1])


def _join_blocks(
    name: str, parts: dict[str, Any], second: np.ndarray, names: tuple[str, ...]
) -> None:
    """Join seen and unseen columns into one matrix, in the ``parts`` of the file."""
    first = parts.get("scores")
    if first is None:
        raise refusal_of(name, "scores of seen classes", "predicted classes")
    first = np.asarray(first)
    if len(first) != len(second):
        raise FileRefusedError(
            f"{name}: expected seen and unseen columns of the same images; got {len(first):,} and "
            f"{len(second):,} rows. Images scored only among the classes of their own side are "
            "not GZSL."
        )
    S, C = first.shape[1], first.shape[1] + second.shape[1]
    F = np.hstack([first, second])
    listed = parts.get("unseen")
    seen_names = tuple(parts.pop("class_names", ()))
    if seen_names and names and not ({*seen_names} & {*names} and all(map(str.isdigit, names))):
        parts["class_names"] = (*seen_names, *names)
    numbers = None if listed is None else np.asarray(listed)
    if numbers is not None and numbers.dtype.kind in "iu" and len(np.unique(numbers)) == C - S:
        if numbers.min() < 0 or numbers.max() >= C:
            where, got = f"{name}, unseen classes", f"{numbers.min()} to {numbers.max()}"
            raise refusal_of(where, f"class numbers from 0 to {C - 1}", got)
        # Numbers count all classes; the columns of a block are in increasing order of its classes.
        order = np.concatenate([np.setdiff1d(np.arange(C), numbers), np.unique(numbers)])
        position = np.argsort(order)
        F = F[:, position]
        if "class_names" in parts:
            parts["class_names"] = tuple(parts["class_names"][k] for k in position)
    elif listed is None:
        parts["unseen"] = np.arange(S, C)
    parts["scores"] = F


def _is_vector(shape: Sequence[int] | None) -> bool:
    """Whether an array is a vector, including vectors of one row or column from MATLAB."""
    return shape is not None and sum(n != 1 for n in shape) <= 1


def _is_column(shape: Sequence[int] | None) -> bool:
    """Whether an array has one number per image."""
    return shape is not None and (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1))


def _left_out(columns: Sequence[str], why: str = "not scores of a class") -> str:
    """Return a remark on columns that were not read."""
    named = listed([repr(clean_text(name, 60)) for name in columns], 4)
    return f"{'Column' if len(columns) == 1 else 'Columns'} {named}: left out ({why})."


def _read_csv(path: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """Return the parts of a table: labels, and one column per class or predicted classes."""
    return _parts_of_table(clean_text(path.name), read_score_table(path, folder, limits=limits))


def _parts_of_table(file: str, table: Table) -> dict[str, Any]:
    """Return the parts of a table; "others" has all columns except labels and scores."""
    if table.columns and not any(table.columns):
        others = {name: np.array(of) for name, of in table.texts.items()}
        return {"scores": table.values, "others": others}
    table = _repeated_by_count(table)
    texts, remarks = {name: np.array(of) for name, of in table.texts.items()}, []
    label, predicted_name = first_named(texts, LABELS), first_named(texts, PREDICTED)
    label = label or _column_of(texts, {*table.columns}, excluded=predicted_name)
    tested = texts[label] if label is not None else ()
    table = _with_names_in_brackets(table)
    scored = _columns_of_classes(table.columns, tested, table.values)
    if len(scored) < 2 and (pairs := _pairs_of(table, texts)) is not None:
        matrix, named = pairs
        of_images = {} if named is None else {"labels": numbers_or_names(named)}
        return of_images | {"named_matrix": matrix, "others": {}}
    family = best_family(file, table.columns, tested, table.values)
    scored = [k for k in scored if k not in family]
    if predicted_name is None and (ranks := _ranked_columns([*texts, *table.columns])):
        predicted_name = ranks[0]
        scored = [k for k in scored if table.columns[k] not in ranks]
        if predicted_name in table.columns:
            best = table.values[:, table.columns.index(predicted_name)]
            texts[predicted_name] = np.array([f"{value:g}" for value in best])
    counters = [
        k for k, name in enumerate(table.columns) if k not in scored and name != predicted_name
    ]
    names = [table.columns[k] for k in scored]
    parts: dict[str, Any] = {}
    if label is not None:
        parts["labels"] = numbers_or_names(texts.pop(label))
        if predicted_name is None and len(scored) < 2:
            predicted_name = _column_of(texts, {*map(str, parts["labels"])}, excluded=None)
    if predicted_name is None and label is None and not scored:
        predicted_name = _column_of_predictions(texts, table.left_out)
    if predicted_name is not None and _are_not_classes(names, parts.get("labels")):
        numbers = {n: table.values[:, k] for k, n in enumerate(table.columns)}
        keys = {name: values for name, values in numbers.items() if is_named(name, COUNTERS)}
        _refuse_rows_of_classes(file, texts, predicted_name, texts | keys)
        parts["predicted"] = numbers_or_names(texts.pop(predicted_name))
        counters, scored = [k for k, name in enumerate(table.columns) if name != predicted_name], []
    elif len(scored) > 1:
        are_all_scores = scored == list(range(len(table.columns)))
        parts["scores"] = table.values if are_all_scores else np.array(table.values[:, scored])
        parts["class_names"] = tuple(names)
    else:
        got = [f"{name} ({clean_text(values[0], 30)!r})" for name, values in table.texts.items()]
        raise FileRefusedError(
            f"{file}: expected one column of scores per class, or one column of predicted classes, "
            f"such as y_pred; got {', '.join([*got, *table.left_out, *names][:6])}."
        )
    if "scores" in parts and predicted_name is not None:
        del texts[predicted_name]
        remarks.append(_left_out([predicted_name], "the scores are used"))
    if unused := [name for name in (*texts, *table.left_out) if name not in INDEX]:
        remarks.append(_left_out(unused, "strings, not the scores of a class"))
    if counters:
        why = "not scores of a class" if "scores" in parts else "the predicted classes are used"
        remarks.append(_left_out([table.columns[k] for k in counters], why))
    numbers = {table.columns[k]: table.values[:, k] for k in counters}
    return parts | {"remarks": remarks, "others": numbers | texts, "is_table": True}


def _with_names_in_brackets(table: Table) -> Table:
    """Name the columns of a table by the class in brackets if all are like ``p(dog)``."""
    within = [re.fullmatch(r"\w{1,20}[(\[](.+)[)\]]", name) for name in table.columns]
    if len({name.partition("(")[0] for name in table.columns}) == 1 and all(within):
        return replace(table, columns=tuple(match[1] for match in within if match))
    return table


def _repeated_by_count(table: Table) -> Table:
    """Return one row per image of a confusion table: a class, a predicted class, and their count.

    Any other table is returned unchanged.
    """
    table = _pairs_of_classes(table)
    pair = [first_named(table.texts, names) for names in (LABELS, PREDICTED)]
    if [*map(len, (table.texts, table.columns))] != [2, 1] or None in pair:
        return table
    counts = table.values[:, 0]
    pairs = {*zip(*table.texts.values(), strict=True)}
    if len(pairs) < len(counts) or (counts < 0).any() or (counts != np.trunc(counts)).any():
        return table
    if not is_named(table.columns[0], COUNTS) or not 0 < counts.sum() <= MOST_COUNTED:
        return table
    rows = np.repeat(np.arange(len(counts)), counts.astype(int))
    texts: dict[str, Sequence[str]] = {
        name: np.array(values)[rows].tolist() for name, values in table.texts.items()
    }
    return Table(np.empty((len(rows), 0)), (), texts)


def _pairs_of_classes(table: Table) -> Table:
    """Return one row per pair of classes of a confusion matrix of counts.

    By the title of the first column, rows are true classes ("true", "actual", "label") or
    predicted classes ("predicted"); any other table is returned unchanged.
    """
    if len(table.texts) != 1:
        return table
    ((title, rows),) = table.texts.items()
    first = re.split(r"[^\w]", title)[0]
    rows = [*takewhile(lambda name: name.lower() not in TOTALS, rows)]
    columns = [name for name in table.columns if name.lower() not in TOTALS]
    is_predicted = is_named(first, PREDICTED)
    is_matrix = len(rows) > 1 and sorted(rows) == sorted(columns)
    if not is_matrix or not (is_predicted or is_named(first, LABELS)):
        return table
    counts = table.values[: len(rows), [table.columns.index(name) for name in columns]]
    if (counts < 0).any() or (counts != np.trunc(counts)).any():
        return table
    pair = [np.repeat(rows, len(columns)).tolist(), columns * len(rows)]
    texts: dict[str, Sequence[str]] = dict(
        zip((PREDICTED[0], LABELS[0])[:: 1 if is_predicted else -1], pair, strict=True)
    )
    return Table(counts.reshape(-1, 1), (COUNTS[0],), texts)


def _pairs_of(
    table: Table, texts: Mapping[str, np.ndarray]
) -> tuple[NamedMatrix, np.ndarray | None] | None:
    numbers = {title: table.values[:, k] for k, title in enumerate(table.columns)}
    return matrix_of_pairs(texts, numbers)


def _ranked_columns(names: Sequence[str]) -> list[str]:
    """Return the columns of the best classes of an image, such as pred_1 to pred_5, best first.

    Columns with the same ranks, such as score_1 to score_5, follow.
    """
    families: dict[str, dict[int, str]] = {}
    for name in names:
        if match := re.fullmatch(r"(?:(top)(\d{1,4}))?(\D*?)(\d{1,4})?", squeeze(name)):
            stem = match[3].removesuffix("top") or match[1] or ""
            families.setdefault(stem, {})[int(match[2] or match[4] or 0)] = name
    for stem, columns in families.items():
        ranks = [*range(1, len(columns) + 1)]
        is_class = stem == "top" or is_named(stem, PREDICTED)
        if is_class and len(columns) > 1 and sorted(columns) == ranks:
            same = [
                family
                for family in families.values()
                if sorted(family) == ranks and family is not columns
            ]
            return [family[rank] for family in (columns, *same) for rank in ranks]
    return []


def _column_of_predictions(texts: Mapping[str, np.ndarray], left_out: Sequence[str]) -> str | None:
    """Return the only repeated column beside one of distinct texts, as in a submission; or None."""
    repeated = [name for name, values in texts.items() if len(np.unique(values)) < len(values)]
    is_pair = len(texts) + len(left_out) == 2 and len(repeated) == 1
    return repeated[0] if is_pair else None


def _column_of(
    texts: Mapping[str, np.ndarray], names: set[str], excluded: str | None
) -> str | None:
    """Return the only column of strings that are mostly names of classes; else None."""
    fit = [
        column
        for column, values in texts.items()
        if column != excluded and np.isin(values, list(names)).mean() > 0.5
    ]
    return fit[0] if len(fit) == 1 else None


def _refuse_rows_of_classes(
    file: str,
    texts: Mapping[str, np.ndarray],
    predicted_name: str,
    keys: Mapping[str, np.ndarray],
) -> None:
    """Refuse a table with one row per pair of image and class, not one row per image."""
    classes = np.unique(texts[predicted_name])
    for name, values in keys.items():
        images, rows = np.unique(values, return_counts=True)
        if (
            name == predicted_name
            or len(classes) < 2
            or len(images) < 2
            or {*rows} != {len(classes)}
        ):
            continue
        pairs = {*zip(values.tolist(), texts[predicted_name].tolist(), strict=True)}
        if len(pairs) == len(values):
            raise FileRefusedError(
                f"{file}: expected one row per image; got {len(classes)} for each "
                f"{clean_text(name, 40)!r}, one per class; write one row per image, with a column "
                "of scores for each class."
            )


def _columns_of_classes(columns: Sequence[str], labels: Any, values: np.ndarray) -> list[int]:
    """Return the columns of numbers that may be scores of a class.

    Columns named in :data:`COUNTERS` or :data:`NO_CLASSES`, and columns of whole numbers among
    fractions, are left out, unless a label has the name.
    """
    unused_names = {name for name in columns if is_named(name, (*COUNTERS, *NO_CLASSES))}
    unused_names |= _whole_columns(columns, values)
    if unused_names:
        tested = {class_key(str(label)) for label in np.unique(np.asarray(labels))}
        unused_names = {name for name in unused_names if class_key(name) not in tested}
    return [k for k, name in enumerate(columns) if name not in unused_names]


def _whole_columns(columns: Sequence[str], values: np.ndarray) -> set[str]:
    """Return columns of whole numbers, unless constant, if most other columns have fractions."""
    sample = np.asarray(values[: AT_ONCE // max(1, len(columns)) + 2], dtype=float)
    is_whole = ((sample == np.round(sample)) | ~np.isfinite(sample)).all(axis=0)
    differ = (sample != sample[:1]).any(axis=0)
    if 2 * is_whole.sum() >= len(columns):
        return set()
    return {columns[k] for k in np.flatnonzero(is_whole & differ).tolist()}


def _are_not_classes(columns: Sequence[str], labels: object) -> bool:
    """Whether columns next to predicted classes are not classes but, for example, confidences."""
    classes = {str(label) for label in np.asarray(labels).ravel()} if labels is not None else set()
    return len(columns) < 2 or (not classes & {*columns} and len(columns) < len(classes))


def _read_labels(
    source: Path | Contents,
    folder: Path,
    limits: Limits,
    scores: str,
    more_arrays: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Read labels from a separate file, in the order of the images of ``scores``.

    ``more_arrays`` are further columns of the scores; one may have the names of the images.
    """
    folder.mkdir(exist_ok=True)
    if isinstance(source, Path) and container_of(source) == "text":
        return _labels_of_text(source, folder, limits, scores, more_arrays)
    contents = look_into(source, limits=limits) if isinstance(source, Path) else source
    name = first_named(contents.shapes, ("array", *NAMES["labels"]))
    labels = None if name is None else _labels_in(contents, name, folder, limits)
    if labels is None:
        raise refusal_of(clean_text(source.name), "labels", "none")
    return _by_image(contents, labels, scores, more_arrays)


def _by_image(
    file: Contents,
    labels: np.ndarray,
    scores: str,
    more_arrays: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Return labels in the order of the images of ``scores``, if both files name the images."""
    listed = {name: array for name, array in file.arrays.items() if array.shape == (len(labels),)}
    rows = rows_by_image(more_arrays, listed, file.name, scores)
    images = [v for v in listed.values() if v.dtype.kind == "U" and len(np.unique(v)) == len(v) > 1]
    if rows is None and "" in more_arrays and images:
        got = f"others, such as {clean_text(str(images[0][0]), 60)!r}"
        raise refusal_of(file.name, f"the image names in {scores}", got)
    return labels if rows is None else labels[rows]


def _labels_in(contents: Contents, name: str, folder: Path, limits: Limits) -> np.ndarray | None:
    read = contents.read({name: "labels"}, folder, limits=limits)
    return np.array(read.names[name]) if name in read.names else read.arrays.get(name)


def _labels_of_text(
    path: Path, folder: Path, limits: Limits, scores: str, more_arrays: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Read the labels in a column of a table, or one per line, alone or after the image."""
    try:
        table = look_into(path, ("text",), limits=limits)
    except FileRefusedError:  # not a table: lines have different numbers of cells
        return numbers_or_names(read_lines(path, max_bytes=64 << 20))
    lines = table.arrays.get("array")
    pairs = [] if lines is None else [IMAGE_IN_LINE.match(line) for line in lines.astype(str)]
    if pairs and all(pair and pair[2] for pair in pairs):
        arrays = {"image": np.array([pair[1] for pair in pairs if pair])}
        after_image = numbers_or_names([pair[2] for pair in pairs if pair])
        return _by_image(replace(table, arrays=arrays), after_image, scores, more_arrays)
    name = first_named(table.shapes, ("array", *LABELS))
    name = name or _only_repeating(table, folder, limits)
    labels = None if name is None else _labels_in(table, name, folder, limits)
    if labels is None and "columns" in table.shapes:
        titles = clean_text(", ".join(table.names("columns")), 80)
        raise refusal_of(table.name, "one column of labels, called label", titles)
    if labels is None:  # each line is a class name, with commas in it
        return numbers_or_names(read_lines(path, max_bytes=64 << 20))
    return _by_image(table, labels, scores, more_arrays)


def _only_repeating(table: Contents, folder: Path, limits: Limits) -> str | None:
    """Return the only column with repeated values: labels repeat, file names do not."""
    repeating = []
    for name in (n for n, shape in table.shapes.items() if shape and len(shape) == 1):
        with suppress(FileRefusedError):  # fractions
            values = _labels_in(table, name, folder, limits)
            if values is not None and len(np.unique(values)) < len(values):
                repeating.append(name)
    return repeating[0] if len(repeating) == 1 else None


def distinct_texts(texts: np.ndarray) -> list[str]:
    """Return the sorted, distinct strings of an array; np.unique would sort a copy of the array."""
    blocks_of_texts = np.array_split(texts.astype(str, copy=False), 1 + len(texts) // TEXTS_AT_ONCE)
    return sorted(set().union(*(block.tolist() for block in blocks_of_texts)))


def numbers_or_names(texts: Sequence[str] | np.ndarray) -> np.ndarray:
    """Convert strings to numbers if all are whole numbers (also ``3.0``), else return strings."""
    array = np.asarray(texts, dtype=str)
    cut = [text.strip().removesuffix(".0") for text in distinct_texts(array)]
    if cut and all(text.removeprefix("-").isdecimal() and len(text) < 16 for text in cut):
        return array.astype(float).astype(np.int64)  # exact, since a float has 15 digits
    return array
