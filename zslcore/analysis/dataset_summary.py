"""Counts and class tables of a data set, compared with the published counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from zslcore.datasets.base import SEEN_VALIDATION, Split, ZSLDataset, hold_out
from zslcore.datasets.facts import benchmark_of, class_facts, published_table, recognise
from zslcore.exceptions import ParameterError
from zslcore.methods.statistics import ClassStatistics

#: Columns of image counts, in the order of the chart: the parts of a split, several parts, none.
IMAGE_COLUMNS = ("trainval", "test_seen", "test_unseen", "several", "none")

#: Published counts by split: (quantity, column of the table ``dataset_statistics``).
_PRINTED = {
    "PS": (
        ("trainval images", "ps_trainval_images"),
        ("seen test images", "ps_test_seen_images"),
        ("unseen test images", "ps_test_unseen_images"),
    ),
    "SS": (
        ("trainval images", "ss_train_images"),
        ("unseen test images", "ss_test_unseen_images"),
    ),
}

ClassOrder = Literal["given", "name", "similar"]
AttributeOrder = Literal["given", "name", "telling", "similar"]


def statistics(dataset: ZSLDataset) -> pd.DataFrame:
    """Return counts of a data set by split and quantity, next to the published counts.

    ``split`` is empty for counts of the whole data set; ``deviation`` is the relative difference.
    """
    benchmark = benchmark_of(dataset)
    printed = _printed_row(benchmark) if benchmark else {}
    rows = [
        ("", "images", len(dataset.labels), printed.get("images")),
        ("", "classes", dataset.n_classes, printed.get("classes")),
        ("", "attributes", dataset.prototypes.shape[1], printed.get("attributes")),
        ("", "features", dataset.features.shape[1], None),
    ]
    for split in dataset.splits.values():
        rows += _split_counts(dataset, split, printed)
    table = pd.DataFrame(rows, columns=["split", "quantity", "here", "published"])
    table["published"] = table["published"].astype("Int64")
    table["deviation"] = table["here"] / table["published"].astype("Float64") - 1
    return table


def _split_counts(
    dataset: ZSLDataset, split: Split, printed: dict[str, Any]
) -> list[tuple[str, str, int, int | None]]:
    """Return the rows of :func:`statistics` for a split; validation classes are of fold 1."""
    columns = dict(_PRINTED.get(split.name, ()))
    parts = (split.trainval, split.test_seen, split.test_unseen)
    quantities = ("trainval images", "seen test images", "unseen test images")
    seen = unseen = None
    if printed and split.name in _PRINTED:
        seen, unseen = printed["train_classes"] + printed["val_classes"], printed["test_classes"]
    rows = [
        (split.name, "seen classes", len(split.seen_classes), seen),
        (split.name, "unseen classes", len(split.unseen_classes), unseen),
    ]
    if split.folds:
        val = len(np.unique(dataset.labels[split.folds[0].val]))
        printed_val_classes = printed.get("val_classes") if split.name == "PS" else None
        rows.append((split.name, "validation classes", val, printed_val_classes))
    return rows + [
        (split.name, quantity, len(part), printed.get(columns.get(quantity, "")))
        for quantity, part in zip(quantities, parts, strict=True)
    ]


def _printed_row(benchmark: str) -> dict[str, Any]:
    table = published_table("dataset_statistics").set_index("dataset")
    return {str(name): value for name, value in table.loc[benchmark].items()}


def class_table(dataset: ZSLDataset, split: Split) -> pd.DataFrame:
    """Return the image counts of each class in each part of a split, in the data set's order.

    ``role`` is "seen", "unseen", "both" (trained on, and tested as unseen) or "none". The columns
    of ``IMAGE_COLUMNS`` add up to ``images``: ``several`` counts images in more than one part,
    which is a leak, and ``none`` images in no part. ``imagenet1k`` is the result of
    :func:`imagenet_evidence`.
    """
    n, c = len(dataset.labels), dataset.n_classes
    part_of = np.full(n, IMAGE_COLUMNS.index("none"))
    times = np.zeros(n, dtype=np.intp)
    for k, rows in enumerate((split.trainval, split.test_seen, split.test_unseen)):
        rows = np.unique(rows)
        times[rows] += 1
        part_of[rows] = k
    part_of[times > 1] = IMAGE_COLUMNS.index("several")
    counts = np.zeros((c, len(IMAGE_COLUMNS)), dtype=np.intp)
    np.add.at(counts, (dataset.labels, part_of), 1)
    seen, unseen = (np.isin(np.arange(c), x) for x in (split.seen_classes, split.unseen_classes))
    return pd.DataFrame(
        {
            "class": dataset.class_names,
            "role": np.select(
                [seen & unseen, seen, unseen], ["both", "seen", "unseen"], default="none"
            ),
            "images": counts.sum(axis=1),
            **dict(zip(IMAGE_COLUMNS, counts.T, strict=True)),
            "imagenet1k": imagenet_evidence(dataset),
        }
    )


def sort_classes(table: pd.DataFrame, order: str) -> pd.DataFrame:
    """Sort a :func:`class_table`; its index keeps the row of each class in the prototypes.

    ``order`` is "largest first", "as in the file", "by name", or "by role" (seen, both, unseen,
    none), with ties as in the file.
    """
    if order == "as in the file":
        return table
    if order == "largest first":
        return table.sort_values("images", ascending=False, kind="stable")
    if order == "by name":
        return table.sort_values("class", key=lambda names: names.str.lower(), kind="stable")
    if order != "by role":
        raise ParameterError(
            "order: expected 'largest first', 'as in the file', 'by name' or 'by role'; got "
            f"{order!r}."
        )
    rank = {role: k for k, role in enumerate(("seen", "both", "unseen", "none"))}
    return table.sort_values("role", key=lambda roles: roles.map(rank), kind="stable")


def fold_roles(dataset: ZSLDataset, split: Split) -> pd.DataFrame:
    """Return the role of each class (rows) in each fold: "train", "val", "both" or ""."""
    roles = {}
    for k, fold in enumerate(split.folds, start=1):
        train, val = (
            np.bincount(dataset.labels[rows], minlength=dataset.n_classes) > 0
            for rows in (fold.train, fold.val)
        )
        roles[f"fold {k}"] = np.select(
            [train & val, train, val], ["both", "train", "val"], default=""
        )
    return pd.DataFrame(roles, index=pd.Index(dataset.class_names, name="class"))


def part_sizes(labels: np.ndarray, split: Split) -> pd.DataFrame:
    """Return the numbers of classes and images for training, validation (first fold) and test.

    For a generalised split, "seen validation" counts the images of training classes that the fold
    holds out to choose gamma.
    """
    parts = {"training": split.trainval}
    if split.folds:
        fold = split.folds[0]
        train, held_out = fold.train, np.empty(0, np.intp)
        if len(split.test_seen):
            train, held_out = hold_out(labels, fold.train, SEEN_VALIDATION, seed=0)
        parts = {"training": train, "seen validation": held_out, "validation": fold.val}
    parts |= {"test, seen": split.test_seen, "test, unseen": split.test_unseen}
    rows = [
        (part, len(np.unique(labels[rows_of_part])), len(rows_of_part))
        for part, rows_of_part in parts.items()
    ]
    return pd.DataFrame(rows, columns=["part", "classes", "images"])


def imagenet_evidence(dataset: ZSLDataset) -> pd.Series:
    """Return the evidence that each class is in ImageNet-1K.

    Values are "published" (listed by the benchmark's paper or authors), "name" (a class of
    ImageNet-1K has the same name) or "" (no evidence); None for data that are not a known
    benchmark.
    """
    benchmark = recognise(dataset.class_names, dataset.labels)
    if benchmark is None:
        return pd.Series(np.full(dataset.n_classes, None), dtype=object)
    facts = class_facts(benchmark.candidates[0]).classes  # AWA1 and AWA2 have the same classes
    return pd.Series(facts["imagenet1k"].to_numpy()[benchmark.row], dtype=object)


def awa_image_counts() -> pd.DataFrame:
    """Return the image counts per class of the real AWA1 and AWA2, which share their classes.

    ``role`` is the role under PS; rows are sorted by the count in AWA2.
    """
    first, second = (class_facts(name).classes.set_index("class") for name in ("AWA1", "AWA2"))
    table = pd.DataFrame(
        {
            "role": second["ps"].map({"trainval": "seen", "test": "unseen"}),
            "AWA1": first["images"],
            "AWA2": second["images"],
        }
    )
    return table.sort_values("AWA2", ascending=False, kind="stable").reset_index()


def attribute_table(
    dataset: ZSLDataset,
    *,
    classes: ClassOrder = "given",
    attributes: AttributeOrder = "given",
    only_classes: str = "",
    only_attributes: str = "",
    max_attributes: int | None = None,
) -> pd.DataFrame:
    """Return the prototypes as a table (classes, attributes), filtered and sorted.

    The order "similar" places rows or columns with a small angle next to each other; "telling"
    starts with the attributes of largest standard deviation over classes. At most
    ``max_attributes`` columns remain, those that vary most over the selected classes.
    """
    if classes not in ("given", "name", "similar"):
        raise ParameterError(f"classes must be 'given', 'name' or 'similar'; got {classes!r}.")
    if attributes not in ("given", "name", "telling", "similar"):
        raise ParameterError(
            f"attributes must be 'given', 'name', 'telling' or 'similar'; got {attributes!r}."
        )
    rows = _find_positions(dataset.class_names, only_classes)
    columns = _find_positions(dataset.attribute_names, only_attributes)
    S = np.asarray(dataset.prototypes, dtype=np.float64)[np.ix_(rows, columns)]
    if max_attributes is not None and len(columns) > max_attributes and len(rows):
        keep = np.sort(_by_deviation(S)[:max_attributes])
        columns, S = columns[keep], S[:, keep]
    table = pd.DataFrame(
        S,
        index=pd.Index(np.array(dataset.class_names, dtype=object)[rows], name="class"),
        columns=np.array(dataset.attribute_names, dtype=object)[columns],
    )
    if not S.size:
        return table
    down = _order_rows(S, list(table.index), classes)
    across = _order_rows(S.T, list(table.columns), attributes)
    return table.iloc[down, across]


def search_names(names: Sequence[str], words: str) -> np.ndarray | None:
    """Return the positions of names that contain one of comma-separated words.

    Returns None if ``words`` contains no word.

    Examples
    --------
    >>> search_names(["Polar bear", "seal", "blue whale"], "bear, Whale")
    array([0, 2])
    """
    terms = [word.strip().lower() for word in words.split(",") if word.strip()]
    if not terms:
        return None
    return np.flatnonzero([any(word in name.lower() for word in terms) for name in names])


def _find_positions(names: Sequence[str], words: str) -> np.ndarray:
    matches = search_names(names, words)
    return np.arange(len(names)) if matches is None else matches


def _order_rows(A: np.ndarray, names: Sequence[str], order: str) -> np.ndarray:
    """Return the order of rows of ``A``: by name, standard deviation, similarity, or unchanged."""
    if order == "name":
        return np.argsort([name.lower() for name in names], kind="stable")
    if order == "telling":
        return _by_deviation(A.T)
    if order == "similar" and len(A) > 2:
        norm = np.linalg.norm(A, axis=1, keepdims=True)
        unit = A / np.where(norm > 0, norm, 1)
        return leaves_list(linkage(unit, method="average", optimal_ordering=len(A) <= 500))
    return np.arange(len(A))


def _by_deviation(S: np.ndarray) -> np.ndarray:
    """Return the columns of ``S`` by decreasing standard deviation."""
    return np.argsort(-S.std(axis=0), kind="stable")


def class_means(dataset: ZSLDataset) -> np.ndarray:
    """Return the mean features of each class, (n_classes, n_features); NaN if it has no images."""
    statistics = ClassStatistics.of(dataset.features, dataset.labels, dataset.n_classes)
    return np.where(statistics.counts[:, None] > 0, statistics.means, np.nan)
