"""Class embeddings from a separate file, which replace the prototypes of a data set.

They are word vectors, positions in a hierarchy, binary attributes, or embeddings of your own. A
file has one of these formats, with C classes and vectors of length A:

=====================================  =========================================================
CSV, Parquet, text                     a column ``class`` (or ``name``, ``label``, an index) and one
                                       column of numbers per dimension; or one word per line,
                                       followed by its numbers
text                                   the words of a name, followed by its numbers, in each line
JSON, YAML                             ``{"class": [numbers]}``, one list per class
JSON, npz, PyTorch and others          one list of classes and one matrix; or one vector per class
CSV                                    without a column of classes: one column per class
``att`` and ``allclasses_names``       (A x C) and C names, as in ``att_splits.mat``
``prototypes`` and ``class_names``     (C x A) and C names, as written by text encoders
``test_<name>``, ``trainval_<name>``   (A x C), classes as listed in ``standard_split``
``w2v`` and ``wnids``                  (C x A) and C WordNet ids, as in ``ImageNet_w2v.mat``, with
                                       ``no_w2v_loc``, the classes without a vector, 1-based
=====================================  =========================================================

Classes are matched by name, in any order and in the spelling of any release.

References
----------
Z. Akata, S. Reed, D. Walter, H. Lee, B. Schiele, "Evaluation of output embeddings for fine-grained
image classification", CVPR 2015, with four embeddings of CUB, released in the format
``test_<name>``. S. Changpinyo, W.-L. Chao, B. Gong, F. Sha, "Synthesized classifiers for zero-shot
learning", CVPR 2016, with word vectors of 21,842 ImageNet classes, released in the format ``w2v``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from zslcore.exceptions import ParameterError
from zslcore.names import LETTER, class_key, spaced_name
from zslcore.storage import artifacts
from zslcore.texts import clean_text, expect, expect_range, refusal_of, refuse_repeated_names
from zslcore.untrusted.client import (
    ARRAYS,
    Role,
    container_of,
    look_into,
    read_arrays,
    read_head,
    read_lines,
    read_plain_value,
    read_table_file,
    read_value,
)
from zslcore.untrusted.readers.array_names import COUNTERS

#: Part of a standard split -> files of class lists; the first available file gives the order of the
#: classes in the part.
LISTS_OF_CLASSES = {
    "test": ("testclasses.txt",),
    "trainval": ("trainvalclasses.txt", "trainclasses.txt"),
}
#: Titles that usually mark labels; if another column has the classes, they are dimensions.
DIMENSIONS = ("y", "y_true", "target", "targets", "category")
#: Maximum size in bytes of a text of names with vectors, and maximum number of its lines.
MAX_TEXT, MAX_LINES = 64 << 20, 100_000
#: A number in a text.
NUMBER = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?")
#: Allowed name of an embedding, which is part of a variable's name.
NAME = re.compile(r"[A-Za-z0-9_]{1,40}")


@dataclass(frozen=True, eq=False)
class ClassEmbeddings:
    """One vector per class.

    ``values`` is float32 of shape (n_classes, n_dimensions), with zeros for the classes in
    ``without_vector``; ``names`` are the names of the dimensions, if the file has them.
    """

    classes: tuple[str, ...]
    names: tuple[str, ...]
    values: np.ndarray
    file: str = ""
    without_vector: frozenset[str] = frozenset()

    def of(self, class_names: Sequence[str]) -> np.ndarray:
        """Return the vectors of these classes in order, shape (n_classes, n_dimensions).

        Raises a FileRefusedError for a class that has no vector, or is in the file twice.
        """
        row: dict[str, int] = {}
        for k, name in enumerate(self.classes):
            is_new = row.setdefault(class_key(name), k) == k
            expect(is_new, self.file, "each class once", f"{spaced_name(name)!r} twice")
        with_vector = set(row) - {class_key(name) for name in self.without_vector}
        missing = [name for name in class_names if class_key(name) not in with_vector]
        if missing:
            got = f"none for {len(missing)} of them; the first is {clean_text(missing[0])!r}"
            raise refusal_of(self.file, f"a vector for each of {len(class_names)} classes", got)
        return self.values[[row[class_key(name)] for name in class_names]]


def read_class_embeddings(
    path: Path, embedding: str | None = None, lists: Mapping[str, Path] | None = None
) -> ClassEmbeddings:
    """Read a file of class embeddings in the sandbox, in one of the formats of this module.

    ``embedding`` names one of several embeddings in the file ("word2vec"); ``lists`` maps names of
    class lists, such as ``testclasses.txt``, to files, for the ``test_<name>`` format. Raises a
    FileRefusedError for a file that is damaged, hostile or in another format, and a ParameterError
    for an invalid embedding name, or a name given with a CSV.
    """
    if path.suffix.lower() == ".csv":
        if embedding is not None:
            raise ParameterError(
                f"{clean_text(path.name)}: a CSV file has only one embedding; leave out its name."
            )
        if "class" in titles_of(path):
            return read_csv_embeddings(path)
    if embedding is not None:
        return _read_parts(path, embedding, lists or {})
    if container_of(path) in ("Parquet", "text"):
        return _read_named_lines(path) or _read_table(path)
    return _read_named_variables(path)


def titles_of(path: Path) -> list[str]:
    """Return the titles of the columns of a CSV with commas between columns."""
    header, *_ = read_head(path, 4 << 20) or [""]
    return [name.strip(' "\r\n') for name in header.split(",")]


def read_csv_embeddings(path: Path) -> ClassEmbeddings:
    """Read a CSV with a column ``class``, in which each class occurs once."""
    with artifacts.scratch() as folder:
        table = read_table_file(path, folder, {"class": True})
        columns, values = _remove_counters(table.columns, np.array(table.values))
    classes = table.texts["class"]
    refuse_repeated_names(path, classes)
    return ClassEmbeddings(tuple(classes), columns, values, clean_text(path.name))


def _remove_counters(
    columns: tuple[str, ...], values: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Leave out columns that number the classes, according to their titles and values."""
    kept_columns = [
        k
        for k, name in enumerate(columns)
        if name.lower() not in COUNTERS or len(np.unique(values[:, k])) < len(values)
    ]
    is_unchanged = len(kept_columns) in (0, len(columns))
    return (
        (columns, values)
        if is_unchanged
        else (tuple(columns[k] for k in kept_columns), values[:, kept_columns])
    )


def _read_table(path: Path) -> ClassEmbeddings:
    """Read a Parquet or text table with a column of classes, and numbers or lists of numbers."""
    contents = look_into(path, (*ARRAYS, "text"))
    titles = ("class", "class_name", "name", "label")
    texts = [
        n for n, array in contents.arrays.items() if array.dtype.kind == "U" and n != "columns"
    ]
    named = [n for n in texts if n.lower() in titles] or texts
    names = named[0] if len(named) == 1 else None
    matrices = [n for n, shape in contents.shapes.items() if shape is not None and len(shape) == 2]
    if not texts and matrices == ["values"] and contents.has("columns"):  # a column per class
        classes, values = contents.names("columns"), contents.columns("values")
        refuse_repeated_names(path, list(classes))
        return ClassEmbeddings(classes, (), values, contents.name)
    if names is None or len(matrices) != 1 or not contents.has(matrices[0]):
        raise refusal_of(
            contents.name, "a column called class, and numbers", ", ".join(contents.shapes)
        )
    columns = contents.names("columns") if "columns" in contents.shapes else ()
    classes, values = contents.names(names), contents.rows(matrices[0])
    refuse_repeated_names(path, list(classes))
    if columns:
        # A title such as "target" marks labels in other tables, but a dimension here.
        lists = {n: a for n, a in contents.arrays.items() if a.ndim == 1 and a.dtype.kind != "U"}
        dimensions = {n: a for n, a in lists.items() if n.lower() in DIMENSIONS}
        columns = (*columns, *dimensions)
        values = np.column_stack([values, *dimensions.values()]).astype(np.float32)
        columns, values = _remove_counters(columns, values)
    return ClassEmbeddings(classes, columns, values, contents.name)


def _read_named_variables(path: Path) -> ClassEmbeddings:
    file = clean_text(path.name)
    roles: dict[str, Role] = {"att": "columns", "allclasses_names": "names"}
    roles |= {"w2v": "scores", "wnids": "names", "no_w2v_loc": "numbers"}
    roles |= {"prototypes": "rows", "class_names": "names"}
    read = read_arrays(path, roles, required=())
    arrays = read.arrays
    if "w2v" in arrays and "wnids" in read.names:
        return _word_vectors(file, arrays, read.names["wnids"])
    for variable, of_names, columns_or_rows in (
        ("att", "allclasses_names", "columns in att"),
        ("prototypes", "class_names", "rows in prototypes"),
    ):
        if variable in arrays and of_names in read.names:
            _expect_name_per_vector(
                file, of_names, read.names[of_names], columns_or_rows, arrays[variable]
            )
            return ClassEmbeddings(tuple(read.names[of_names]), (), arrays[variable], file)
    if (embeddings := _read_only_arrays(path)) is not None:
        return embeddings
    raise refusal_of(
        file,
        "'att' and 'allclasses_names', 'prototypes' and 'class_names', 'w2v' and 'wnids', one list "
        "of classes and one matrix, one vector per class, or the name of one of several embeddings "
        "with embedding= (--embedding)",
        "none",
    )


def _read_only_arrays(path: Path) -> ClassEmbeddings | None:
    """Read one list of distinct texts and one matrix, or one vector per name; else return None."""
    contents = look_into(path)
    lists = [n for n, a in contents.arrays.items() if a.dtype.kind == "U" and _are_distinct(a)]
    matrices = [n for n, shape in contents.shapes.items() if shape and len(shape) == 2]
    matrices = [n for n in matrices if contents.has(n) and contents.arrays[n].dtype.kind in "biuf"]
    if not matrices and (vectors := contents.vectors):
        values = np.array([*vectors.values()], np.float32)
        expect(np.isfinite(values).all(), contents.name, "finite numbers", "others")
        return ClassEmbeddings(tuple(map(clean_text, vectors)), (), values, contents.name)
    if len(lists) != 1 or len(matrices) != 1:
        return None
    classes, values = contents.names(lists[0]), contents.rows(matrices[0])
    if len(values) != len(classes) and values.shape[1] == len(classes):
        values = np.ascontiguousarray(values.T)
    _expect_name_per_vector(contents.name, lists[0], classes, f"rows in {matrices[0]}", values)
    refuse_repeated_names(path, list(classes))
    return ClassEmbeddings(classes, (), values, contents.name)


def _count_numbers(words: Sequence[str]) -> int:
    """Return the number of numbers at the end of a line."""
    return len([*takewhile(NUMBER.fullmatch, reversed(words))])


def _are_distinct(array: np.ndarray) -> bool:
    return array.size == max(array.shape, default=0) and len(np.unique(array)) == array.size


def _read_named_lines(path: Path) -> ClassEmbeddings | None:
    """Read a text with the name of a class, of one or several words, and numbers in each line.

    Also reads YAML with one list of numbers per class. None for other texts.
    """
    if container_of(path) != "text" or path.suffix.lower() in (".csv", ".tsv"):
        return None
    value = read_plain_value(path, max_bytes=MAX_TEXT, max_items=MAX_LINES)
    if isinstance(value, dict):
        pairs = [*value.items()]
    else:
        lines = read_value(path, "lines", max_bytes=MAX_TEXT, max_items=MAX_LINES)
        rows = [line.split() for line in lines if line.strip()]
        size = min((_count_numbers(row) for row in rows), default=0)
        if size < 2 or all(len(row) == size + 1 for row in rows):
            return None  # no vectors, or one word per vector, for which there are other readers
        pairs = [(" ".join(row[:-size]), [*map(float, row[-size:])]) for row in rows]
        if not all(LETTER.search(name) for name, _ in pairs):
            return None
    sizes = {len(vector) if isinstance(vector, list) else 0 for _, vector in pairs}
    numbers = [n for _, vector in pairs if isinstance(vector, list) for n in vector]
    if len(pairs) < 2 or len(sizes) != 1 or 0 in sizes:
        return None
    if not all(type(n) in (int, float) and math.isfinite(n) for n in numbers):
        return None
    classes = [clean_text(name) for name, _ in pairs]
    refuse_repeated_names(path, classes)
    values = np.array([vector for _, vector in pairs], np.float32)
    return ClassEmbeddings(tuple(classes), (), values, clean_text(path.name))


def _expect_name_per_vector(
    file: str, variable: str, names: Sequence[str], columns_or_rows: str, values: np.ndarray
) -> None:
    expected = f"as many names in {variable} as {columns_or_rows} ({len(values)})"
    expect(len(values) == len(names), file, expected, len(names))


def _word_vectors(
    file: str, arrays: Mapping[str, np.ndarray], ids: tuple[str, ...]
) -> ClassEmbeddings:
    """Return word vectors, with zeros for classes listed as having no vector."""
    values = arrays["w2v"].astype(np.float32)
    _expect_name_per_vector(file, "wnids", ids, "rows in w2v", values)
    numbers = arrays.get("no_w2v_loc", np.empty(0, np.int64))
    expect_range(f"{file}, variable 'no_w2v_loc'", numbers, len(ids))
    values[numbers - 1] = 0.0
    wrong_rows = np.flatnonzero(~np.isfinite(values).all(axis=1))
    for row in wrong_rows[:1]:
        got = f"other values in row {row + 1} ({clean_text(ids[row])})"
        raise refusal_of(f"{file}, variable 'w2v'", "finite numbers", got)
    expect(len(set(ids)) == len(ids), file, "each class once in wnids", "some twice")
    return ClassEmbeddings(ids, (), values, file, frozenset(ids[c - 1] for c in numbers))


def _read_parts(path: Path, embedding: str, lists: Mapping[str, Path]) -> ClassEmbeddings:
    """Read ``test_<embedding>`` and ``trainval_<embedding>``; ``lists`` name the columns."""
    file = clean_text(path.name)
    if not NAME.fullmatch(embedding):
        raise ParameterError(
            "The name of an embedding must be at most 40 letters, digits and underscores; "
            f"got {clean_text(embedding, 60)!r}."
        )
    classes: list[str] = []
    parts: list[np.ndarray] = []
    roles: dict[str, Role] = {f"{part}_{embedding}": "columns" for part in LISTS_OF_CLASSES}
    arrays = read_arrays(path, roles).arrays
    for (part, names), variable in zip(LISTS_OF_CLASSES.items(), roles, strict=True):
        files = [lists[name] for name in names if name in lists]
        expect(
            files,
            file,
            f"{' or '.join(names)} in the folder standard_split, which give the order of its "
            "columns",
            "none",
        )
        listed = read_lines(files[0])
        expected = f"one column per class of the {part} list ({len(listed)})"
        n = len(arrays[variable])
        expect(n == len(listed), f"{file}, variable {variable!r}", expected, n)
        classes += listed
        parts.append(arrays[variable])
    n_first, n_second = (part.shape[1] for part in parts)
    expected_rows = f"as many rows in {' as in '.join(map(repr, roles))}"
    expect(n_first == n_second, file, expected_rows, f"{n_first} and {n_second}")
    return ClassEmbeddings(tuple(classes), (), np.concatenate(parts), file)
