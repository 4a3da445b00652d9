"""Columns of a score matrix: labels among them, their numbers and their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from zslcore.names import class_key
from zslcore.scores.labels import distinct_texts
from zslcore.scores.matrix import column
from zslcore.scores.parts import ScoreParts
from zslcore.texts import clean_text

#: Number of first rows that decide whether a column may have labels.
FIRST_ROWS = 64


def take_label_column(parts: ScoreParts) -> None:
    """Take the labels from the first or last column of a matrix without titles.

    A column of labels has whole numbers up to the number of classes, some of them repeated, while
    other columns have fractions. If the labels are in a separate file, a column equal to them is
    left out, as is a first column that numbers the images.
    """
    matrix, has_titles = parts.scores, parts.class_names or parts.is_table
    if matrix is None or has_titles or np.ndim(matrix) != 2 or matrix.shape[1] < 3:
        return
    last = matrix.shape[1] - 1
    start = np.asarray(matrix[:FIRST_ROWS])  # all rows would load every page of a large matrix
    are_whole = (start == np.trunc(start)).all(axis=0)
    if are_whole.all():
        return
    values = {k: column(matrix, k) for k in (0, last) if are_whole[k]}
    unused = [k for k in values if _are_labels(values[k], last, parts.labels)]
    if len(unused) == 1:
        if parts.labels is None:
            parts.labels = values[unused[0]].astype(np.int64)
        which = "last" if unused[0] else "first"
        parts.remarks.append(f"The {which} column has whole numbers and is read as the labels.")
    else:
        unused = []
    counter = values.get(0, np.empty(0))
    if counter.size and np.array_equal(counter - counter[0], np.arange(len(counter))):
        unused.append(0)
        parts.remarks.append("The first column numbers the images and is left out.")
    if unused:
        parts.scores = np.delete(matrix, unused, axis=1)


def _are_labels(values: np.ndarray, n_classes: int, labels: np.ndarray | None) -> bool:
    """Whether a column has labels of classes; if labels are known, whether it equals them."""
    if labels is not None:
        return np.array_equal(values, labels)
    are_classes = bool(np.isin(values, np.arange(n_classes + 1)).all())
    return are_classes and 1 < len(np.unique(values)) < len(values)


def number_columns(parts: ScoreParts) -> None:
    """Sort the columns of a table if their names are numbers, such as ``10`` or ``class_10``.

    Labels and unseen classes among these numbers are converted to columns. If labels are numbers,
    columns with other names are left out.
    """
    if not parts.is_table or parts.scores is None:
        return
    names, y = parts.class_names, np.asarray(parts.labels)
    numbered = [re.fullmatch(r"(.*?)(\d{1,9})", name) for name in names]
    starts = Counter(match[1] for match in numbered if match)
    start = max(starts, key=starts.__getitem__, default=None)
    number = {k: int(m[2]) for k, m in enumerate(numbered) if m and m[1] == start}
    columns, counted = sorted(number, key=number.__getitem__), sorted(number.values())
    are_numbers = y.dtype.kind == "i" and len({*counted}) == len(counted) > 1
    if not are_numbers or (len(counted) < len(names) and not np.isin(y, counted).all()):
        return
    parts.leave_out([name for k, name in enumerate(names) if k not in number])
    if columns != [*range(len(names))]:
        parts.scores = np.array(np.asarray(parts.scores)[:, columns])
    are_columns = not start and counted == [*range(len(counted))]
    parts.class_names = () if are_columns else [names[k] for k in columns]
    listed = [part for part in (y, np.asarray(parts.unseen)) if part.dtype.kind == "i"]
    if all(np.isin(part, counted).all() for part in listed):
        parts.labels = np.searchsorted(counted, y)
        if len(listed) > 1:
            parts.unseen = np.searchsorted(counted, parts.unseen)


def name_columns(parts: ScoreParts) -> None:
    """Name the columns after the listed unseen classes, if the scores have no other classes.

    The list then has one entry per column. Its entries are names or numbers beyond the last column,
    and each label is one of them or a position in the list, counted from 0.
    """
    if parts.lists_seen or parts.class_names or parts.unseen is None:
        return
    listed, y, n = np.asarray(parts.unseen).ravel(), np.asarray(parts.labels), parts.n_columns
    if not 1 < n == len(listed) == len(np.unique(listed)):
        return
    if listed.dtype.kind in "iu" and listed.max() < n:
        return
    if listed.dtype.kind == y.dtype.kind and np.isin(y, listed).all():
        order = np.argsort(listed)
        parts.labels = order[np.searchsorted(listed, y, sorter=order)]
    elif y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= n:
        return
    parts.unseen, parts.class_names = np.arange(n), [str(name) for name in listed]
    parts.remarks.append(
        f"The {n} columns are the listed unseen classes, in the order of the list."
    )


def remove_prefix(parts: ScoreParts) -> None:
    """Remove the prefix of column names that labels lack."""
    if prefix := _prefix_of(parts.class_names, parts.labels):
        parts.class_names = [name.removeprefix(prefix) for name in parts.class_names]
        start = clean_text(prefix, 40)
        parts.remarks.append(f"Column names begin with {start}, which is left out.")


def starts_of(name: str) -> list[str]:
    """Return every start of a name that ends with punctuation, such as ``prob_``."""
    return [name[: match.end()] for match in re.finditer(r"(?<=[^\W_])[\W_]+", name)]


def _prefix_of(names: Sequence[str], labels: Any) -> str:
    """Return the prefix of column names, such as ``prob_``, if labels lack it; else ""."""
    texts = np.asarray(labels)
    if len(names) < 2 or texts.dtype.kind not in "UO":
        return ""
    keys = {*map(class_key, distinct_texts(texts))}
    if keys & {class_key(name) for name in names}:
        return ""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    for start in starts_of("".join(letter for letter, _ in same)):
        if keys <= {class_key(name.removeprefix(start)) for name in names}:
            return start
    return ""


def are_class_embeddings(parts: ScoreParts) -> bool:
    """Whether no two rows have the same class, and no column has the name of a class."""
    labels, names = np.asarray(parts.labels), parts.class_names
    if parts.scores is None or not names or len(labels) < 3 or labels.dtype.kind != "U":
        return False
    keys = {*map(class_key, labels.tolist())}
    prefix = _prefix_of(names, labels)
    columns = {class_key(name.removeprefix(prefix)) for name in names}
    return len(keys) == len(labels) and not keys & columns
