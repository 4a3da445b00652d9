"""Scores in a table: choice of the columns by title and content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.names import class_key, squeeze
from zslcore.scores.columns import starts_of
from zslcore.scores.labels import numbers_or_names
from zslcore.scores.matrix import BLOCK_SCORES
from zslcore.scores.named_matrices import matrix_of_pairs
from zslcore.scores.parts import ScoreParts
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import Contents, Limits, Role, Table
from zslcore.untrusted.readers.array_names import (
    COUNTERS,
    LABELS,
    NOT_CLASSES,
    PREDICTED,
    first_named,
    is_named,
)
from zslcore.untrusted.readers.common import INDEX

#: Titles of the counts in a confusion table with one row per pair of classes; their largest sum.
COUNTS = ("count", "counts", "n", "freq", "frequency", "number", "images", "npredictions")
MAX_COUNTED = 5_000_000
#: Titles of sums in a confusion matrix, as pandas.crosstab and spreadsheets write them.
TOTALS = ("all", "total", "totals", "sum", "summe", "gesamt", "somme", "suma", "totale")
#: Words for a column of ranks.
RANKS = ("rank", "ranks", "ranking", "order", "position", "place")
#: Columns of every predictions file; no score matrix has them.
PREDICTION_COLUMNS = frozenset(("part", "row", "seen_class", "unseen_class", "margin"))


def parts_of_table(file: str, table: Table) -> ScoreParts:
    """Return the parts of a table: labels, and one column per class or predicted classes."""
    parts = ScoreParts(file)
    if table.columns and not any(table.columns):
        parts.scores, parts.other_columns = table.values, _arrays(table.texts)
        return parts
    table = _repeat_by_count(table)
    texts = _arrays(table.texts)
    label, predicted = first_named(texts, LABELS), first_named(texts, PREDICTED)
    label = label or _column_of(texts, table.columns, excluded=predicted)
    tested = texts[label] if label is not None else ()
    table = _with_names_in_brackets(table)
    scored = _columns_of_classes(table.columns, tested, table.values)
    if len(scored) < 2 and (pairs := matrix_of_pairs(texts, _numbers(table))) is not None:
        parts.named_matrix, of_images = pairs
        parts.labels = None if of_images is None else numbers_or_names(of_images)
        return parts
    families = find_other_families(file, table.columns, tested, table.values)
    scored = [k for k in scored if k not in families]
    if predicted is None and (ranks := _find_ranked_columns([*texts, *table.columns])):
        predicted = ranks[0]
        scored = [k for k in scored if table.columns[k] not in ranks]
        if predicted in table.columns:
            best = table.values[:, table.columns.index(predicted)]
            texts[predicted] = np.array([f"{value:g}" for value in best])
    if label is not None:
        parts.labels, parts.labels_name = numbers_or_names(texts.pop(label)), label
        if predicted is None and len(scored) < 2:
            predicted = _column_of(texts, map(str, parts.labels), excluded=None)
    elif predicted is None and not scored:
        predicted = _column_of_predictions(texts, table.left_out)
    _take_columns(parts, table, texts, scored, predicted)
    return parts


def _take_columns(
    parts: ScoreParts,
    table: Table,
    texts: dict[str, np.ndarray],
    scored: Sequence[int],
    predicted: str | None,
) -> None:
    """Take the scores, or else the predicted classes, and add remarks on all other columns."""
    names, numbers = [table.columns[k] for k in scored], _numbers(table)
    unused = [name for k, name in enumerate(table.columns) if k not in scored]
    if predicted is not None and _are_not_classes(names, parts.labels):
        keys = {name: values for name, values in numbers.items() if is_named(name, COUNTERS)}
        _refuse_rows_of_classes(parts.name, texts, predicted, texts | keys)
        parts.predicted = numbers_or_names(texts.pop(predicted))
        unused, why = [*table.columns], "the predicted classes are used"
    elif len(scored) > 1:
        are_all = len(scored) == len(table.columns)
        parts.scores = table.values if are_all else np.array(table.values[:, scored])
        parts.class_names, why = names, "not scores of a class"
        if predicted is not None:
            del texts[predicted]
            parts.leave_out([predicted], "the scores are used")
    else:
        got = [f"{name} ({clean_text(values[0], 30)!r})" for name, values in table.texts.items()]
        expected = "one column of scores per class, or one column of predicted classes"
        got = [*got, *table.left_out, *names][:6]
        raise refusal_of(parts.name, f"{expected}, such as y_pred", ", ".join(got))
    unread = [name for name in (*texts, *table.left_out) if name not in INDEX]
    parts.leave_out(unread, "strings, not the scores of a class")
    unused = [name for name in unused if name != predicted]
    parts.leave_out(unused, why)
    parts.other_columns, parts.is_table = {name: numbers[name] for name in unused} | texts, True


def _arrays(texts: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    return {name: np.array(values) for name, values in texts.items()}


def _numbers(table: Table) -> dict[str, np.ndarray]:
    """Return the columns of numbers by their titles."""
    return {name: table.values[:, k] for k, name in enumerate(table.columns)}


# --- Tables of other layouts ----------------------------------------------------------------------


def _with_names_in_brackets(table: Table) -> Table:
    """Name the columns of a table by the class in brackets if all are like ``p(dog)``."""
    within = [re.fullmatch(r"\w{1,20}[(\[](.+)[)\]]", name) for name in table.columns]
    if len({name.partition("(")[0] for name in table.columns}) == 1 and all(within):
        return replace(table, columns=tuple(match[1] for match in within if match))
    return table


def _repeat_by_count(table: Table) -> Table:
    """Return one row per image of a confusion table: a class, a predicted class, and their count.

    Any other table is returned unchanged.
    """
    counted = _pairs_of_classes(table)
    pair = [first_named(counted.texts, names) for names in (LABELS, PREDICTED)]
    if [*map(len, (counted.texts, counted.columns))] != [2, 1] or None in pair:
        return table
    counts = counted.values[:, 0]
    pairs = {*zip(*counted.texts.values(), strict=True)}
    if len(pairs) < len(counts) or (counts < 0).any() or (counts != np.trunc(counts)).any():
        return table
    if not is_named(counted.columns[0], COUNTS) or not 0 < counts.sum() <= MAX_COUNTED:
        return table
    rows = np.repeat(np.arange(len(counts)), counts.astype(int))
    texts = {name: values[rows].tolist() for name, values in _arrays(counted.texts).items()}
    return Table(np.empty((len(rows), 0)), (), {**texts})


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
    pair = [np.repeat(rows, len(columns)).tolist(), columns * len(rows)]
    texts: dict[str, Sequence[str]] = dict(
        zip((PREDICTED[0], LABELS[0])[:: 1 if is_predicted else -1], pair, strict=True)
    )
    return Table(counts.reshape(-1, 1), (COUNTS[0],), texts)


def _find_ranked_columns(names: Sequence[str]) -> list[str]:
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
    """Return the column with repeated texts if the only other one has distinct texts; else None.

    Such a table is a submission: names of images, and a predicted class for each.
    """
    repeated = [name for name, values in texts.items() if len(np.unique(values)) < len(values)]
    is_pair = len(texts) + len(left_out) == 2 and len(repeated) == 1
    return repeated[0] if is_pair else None


def _column_of(
    texts: Mapping[str, np.ndarray], names: Iterable[str], excluded: str | None
) -> str | None:
    """Return the only column of strings that are mostly names of classes; else None."""
    classes = [*{*names}]
    fit = [
        title
        for title, values in texts.items()
        if title != excluded and np.isin(values, classes).mean() > 0.5
    ]
    return fit[0] if len(fit) == 1 else None


def _refuse_rows_of_classes(
    file: str,
    texts: Mapping[str, np.ndarray],
    predicted: str,
    keys: Mapping[str, np.ndarray],
) -> None:
    """Refuse a table with one row per pair of image and class, not one row per image."""
    n = len(np.unique(texts[predicted]))
    for name, values in keys.items():
        images, rows = np.unique(values, return_counts=True)
        if name == predicted or min(n, len(images)) < 2 or {*rows} != {n}:
            continue
        pairs = {*zip(values.tolist(), texts[predicted].tolist(), strict=True)}
        got = f"{n} for each {clean_text(name, 40)!r}, one per class"
        advice = "write one row per image, with a column of scores for each class"
        expect(len(pairs) < len(values), file, "one row per image", f"{got}; {advice}")


def _columns_of_classes(columns: Sequence[str], labels: Any, values: np.ndarray) -> list[int]:
    """Return the columns of numbers that may be scores of a class.

    Columns named in :data:`COUNTERS` or :data:`NOT_CLASSES`, and columns of whole numbers among
    fractions, are left out, unless a label has the name.
    """
    unused_names = {name for name in columns if is_named(name, (*COUNTERS, *NOT_CLASSES))}
    unused_names |= _whole_columns(columns, values)
    if unused_names:
        tested = {class_key(str(label)) for label in np.unique(np.asarray(labels))}
        unused_names = {name for name in unused_names if class_key(name) not in tested}
    return [k for k, name in enumerate(columns) if name not in unused_names]


def _whole_columns(columns: Sequence[str], values: np.ndarray) -> set[str]:
    """Return columns of whole numbers, unless constant, if most other columns have fractions."""
    sample = np.asarray(values[: BLOCK_SCORES // max(1, len(columns)) + 2], dtype=float)
    is_whole = ((sample == np.round(sample)) | ~np.isfinite(sample)).all(axis=0)
    differ = (sample != sample[:1]).any(axis=0)
    if 2 * is_whole.sum() >= len(columns):
        return set()
    return {columns[k] for k in np.flatnonzero(is_whole & differ).tolist()}


def _are_not_classes(columns: Sequence[str], labels: object) -> bool:
    """Whether columns next to predicted classes are not classes but, for example, confidences."""
    classes = {str(label) for label in np.asarray(labels).ravel()} if labels is not None else set()
    return len(columns) < 2 or (not classes & {*columns} and len(columns) < len(classes))


def find_families(names: Sequence[str], labels: Any) -> dict[str, list[int]]:
    """Return the columns of each family, such as ``prob_`` and ``logit_``, by their first word.

    All families have a column for each of the same classes, which the labels name; {} for fewer
    than two families.
    """
    texts = np.asarray(labels)
    if texts.dtype.kind not in "UO" or len(names) < 4:
        return {}
    tested = {class_key(str(label)) for label in np.unique(texts.astype(str))}
    ending: dict[str, dict[str, int]] = {}
    for k, name in enumerate(names):
        for start in ("", *starts_of(name)):
            ending.setdefault(start, {})[class_key(name.removeprefix(start))] = k
    complete = {start: columns for start, columns in ending.items() if tested <= {*columns}}
    if len(complete) < 2:
        return {}
    shared = set.intersection(*({*columns} for columns in complete.values()))
    return {
        start: [k for key, k in columns.items() if key in shared]
        for start, columns in complete.items()
        if shared  # empty only without labels
    }


def find_other_families(
    file: str, names: Sequence[str], labels: Any, values: np.ndarray
) -> list[int]:
    """Return the columns to leave out: all families except the scores; [] without families.

    Raises FileRefusedError if two families that may be scores have different best classes.
    """
    columns_of = find_families(names, labels)
    scores = {start: ks for start, ks in columns_of.items() if squeeze(start) not in RANKS}
    if not scores:
        return []
    first = "" if "" in scores else next(iter(scores))
    classes = [class_key(names[k].removeprefix(first)) for k in scores[first]]
    best = values[:, scores[first]].argmax(axis=1)
    for start, columns in scores.items():
        column_of = {class_key(names[k].removeprefix(start)): k for k in columns}
        predicted = values[:, [column_of[key] for key in classes]].argmax(axis=1)
        examples = " and ".join(repr(names[scores[prefix][0]]) for prefix in (first, start))
        got = f"several, such as {examples}, which predict different classes; keep only one of them"
        expected = "one column of scores per class"
        expect(np.array_equal(predicted, best), file, expected, got)
    return [k for columns in columns_of.values() for k in columns if k not in scores[first]]


# --- Tables in JSON and Parquet -------------------------------------------------------------------


def table_of_contents(contents: Contents, folder: Path, limits: Limits, *, keyed: bool) -> Table:
    """Return the columns of a table in JSON or Parquet, labels and predicted classes as texts.

    With ``keyed``, large columns of other texts are also read, since one may name the images.
    """
    file = contents.name
    lists = [name for name in contents.shapes if name not in ("values", "columns", "class_names")]
    titles: tuple[str, ...] = ()
    if "columns" in contents.shapes:
        titles = contents.read({"columns": "names"}, folder, limits=limits).names["columns"]
    if {*lists, *titles} >= PREDICTION_COLUMNS:
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
    arrays = {name: array for name, array in arrays.items() if array.shape == matrix.shape[:1]}
    are_texts = {name: name in of_images or a.dtype.kind == "U" for name, a in arrays.items()}
    texts = {
        name: values.astype(str).tolist() for name, values in arrays.items() if are_texts[name]
    }
    numbers = {name: values for name, values in arrays.items() if not are_texts[name]}
    scored = [k for k, title in enumerate(titles) if title not in texts]
    if numbers or len(scored) < len(titles):
        matrix = np.column_stack([matrix[:, scored], *numbers.values()]).astype(matrix.dtype)
    names = (*(titles[k] for k in scored), *numbers)
    return Table(matrix, names, texts, tuple(name for name in lists if name not in arrays))
