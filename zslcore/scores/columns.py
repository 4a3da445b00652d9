"""Columns of a score matrix: labels among them, their numbers and their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from zslcore.names import class_key
from zslcore.scores.labels import distinct_texts
from zslcore.scores.matrix import column
from zslcore.texts import clean_text, listed

#: Number of first rows that decide whether a column may have labels.
LOOKED_AT = 64


def take_label_column(parts: dict[str, Any]) -> None:
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


def number_columns(parts: dict[str, Any]) -> None:
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
        parts["remarks"] = [*parts["remarks"], left_out(unused, "not scores of a class")]
    if columns != [*range(len(names))]:
        parts["scores"] = np.array(np.asarray(parts["scores"])[:, columns])
    are_columns = not start and counted == [*range(len(counted))]
    parts["class_names"] = () if are_columns else [names[k] for k in columns]
    listed = [
        part for part in ("labels", "unseen") if np.asarray(parts.get(part)).dtype.kind == "i"
    ]
    if all(np.isin(np.asarray(parts[part]), counted).all() for part in listed):
        parts |= {part: np.searchsorted(counted, parts[part]) for part in listed}


def name_columns(parts: dict[str, Any], lists_seen: bool) -> None:
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


def prefix_of(names: Sequence[str], labels: Any) -> str:
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


def are_class_embeddings(parts: Mapping[str, Any]) -> bool:
    """Whether no two rows have the same class, and no column has the name of a class."""
    labels, names = np.asarray(parts["labels"]), parts.get("class_names", ())
    are_names = names and len(labels) > 2 and labels.dtype.kind == "U"
    if not are_names or len(np.unique(labels)) < len(labels):
        return False
    keys = {*map(class_key, labels.tolist())}
    prefix = prefix_of(names, labels)
    columns = {class_key(name.removeprefix(prefix)) for name in names}
    return len(keys) == len(labels) and not keys & columns


def left_out(columns: Sequence[str], why: str = "not scores of a class") -> str:
    """Return a remark on columns that were not read."""
    named = listed([repr(clean_text(name, 60)) for name in columns], 4)
    return f"{'Column' if len(columns) == 1 else 'Columns'} {named}: left out ({why})."
