"""Corrected split: as close as possible to the original split, but without its leaks.

A row in two parts, and a class on two sides, is removed from one of them. With the policy "test
first", it stays in the first of test_unseen, test_seen, val and train that has it: metrics stay
comparable, and the effect of a leak can be measured on the published test images. With "drop", it
is removed from both; a row of train and val stays in trainval. Training rows that are equal or
nearly equal to a test row, or share its photograph, are removed as well; "drop" also removes the
test rows. If a seen class would lose all of its training rows because of shared photographs, the
test rows are removed instead: a correction must not change which classes are seen.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Literal

import numpy as np

from zslcore.datasets.exporting import mat_of_split, save_mat
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.leakage.checks.images import leaking_groups
from zslcore.leakage.checks.split import shared_rows_of
from zslcore.leakage.context import SPLIT_PARTS, TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.loading import SPLIT_SCHEMA
from zslcore.leakage.neighbours import identical_rows, near_rows
from zslcore.storage.files import write_out
from zslcore.storage.tables import frame

if TYPE_CHECKING:
    import pandas as pd

Policy = Literal["test first", "drop"]
POLICIES: tuple[Policy, ...] = ("test first", "drop")
#: Rounds of removing near-duplicates: once the nearest training row of a test row is removed, the
#: next nearest may also be a near-duplicate.
ROUNDS = 5

Parts = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class CorrectedSplit:
    """Context with the corrected rows, and the sorted removed rows of each part."""

    context: AuditContext
    policy: Policy
    removed: Mapping[str, np.ndarray]

    @property
    def parts(self) -> Mapping[str, np.ndarray]:
        """0-based, sorted rows by part."""
        return self.context.parts

    @property
    def n_removed(self) -> int:
        """Number of removed rows; a row removed from both trainval and train counts once."""
        return len(np.unique(np.concatenate([*self.removed.values(), np.empty(0, int)])))

    def table(self) -> pd.DataFrame:
        """Return the numbers of remaining and removed rows by part."""
        rows = [(part, len(r), len(self.removed.get(part, ()))) for part, r in self.parts.items()]
        return frame(rows, ["part", "rows", "removed"])

    def save_mat(self, path: str | PathLike[str]) -> None:
        """Write the MAT layout: 1-based ``*_loc`` columns, names and prototypes if known."""
        context = self.context
        names, raw = context.class_names or (), context.raw_prototypes
        file = io.BytesIO()
        save_mat(file, mat_of_split(self.parts, names, context.prototypes, raw))
        name = os.fspath(path)
        write_out(name if name.endswith(".mat") else f"{name}.mat", file.getvalue())

    def to_json(self) -> str:
        """Return 0-based rows as JSON."""
        return json.dumps(
            {
                "schema": SPLIT_SCHEMA,
                "corrected_from": self.context.name,
                "policy": self.policy,
                "parts": {part: rows.tolist() for part, rows in self.parts.items()},
            }
        )


def correct_context(context: AuditContext, policy: Policy = "test first") -> CorrectedSplit:
    """Correct the rows of ``context``; DatasetError if trainval or test_unseen becomes empty."""
    if policy not in POLICIES:
        raise ParameterError(f"policy must be one of {', '.join(POLICIES)}; got {policy!r}.")
    parts = {part: context.rows(part) for part in context.parts if part in SPLIT_PARTS}
    if "trainval" not in parts or {"train", "val"} <= set(parts):
        parts["trainval"] = context.rows(*TRAIN_PARTS)
    parts = _separate_rows(parts, policy)
    if context.labels is not None:
        parts = _separate_classes(parts, context.labels, policy)
    if context.features is not None:
        parts = _separate_images(parts, context, policy)
    if context.photographs is not None:
        parts = _separate_photographs(parts, context, policy)
    for part in ("train", "val"):
        if part in parts:
            parts[part] = np.intersect1d(parts[part], parts["trainval"])
    for part in ("trainval", "test_unseen"):
        if not parts.get(part, np.empty(0)).size:
            raise DatasetError(f"{context.name}: the correction removes every row of {part}.")
    removed = {
        part: np.setdiff1d(rows, parts.get(part, [])) for part, rows in context.parts.items()
    }
    return CorrectedSplit(_with_parts(context, parts), policy, removed)


def _remove_rows(parts: Parts, rows: np.ndarray, *names: str) -> Parts:
    """Remove ``rows`` from the parts ``names``."""
    return {
        name: np.setdiff1d(rows_of_part, rows) if name in names else rows_of_part
        for name, rows_of_part in parts.items()
    }


def _join_rows(parts: Parts, *names: str) -> np.ndarray:
    return np.unique(np.concatenate([*(parts[n] for n in names if n in parts), np.empty(0, int)]))


#: Pairs of parts: a row in both stays in the first and is removed from the second.
PRECEDENCE = (
    (("test_unseen",), ("test_seen",)),
    (("test_unseen",), TRAIN_PARTS),
    (("test_seen",), TRAIN_PARTS),
    (("val",), ("train",)),
)


def _separate_rows(parts: Parts, policy: Policy) -> Parts:
    conflicts = [
        np.intersect1d(_join_rows(parts, *a), _join_rows(parts, *b)) for a, b in PRECEDENCE
    ]
    for (a, b), rows in zip(PRECEDENCE, conflicts, strict=True):
        parts = _remove_rows(parts, rows, *b, *(a if policy == "drop" else ()))
    if policy == "drop":
        parts = _remove_rows(parts, np.unique(np.concatenate(conflicts[:3])), *SPLIT_PARTS)
    return parts


def _separate_classes(parts: Parts, labels: np.ndarray, policy: Policy) -> Parts:
    for a, b in (
        (("test_unseen",), (*TRAIN_PARTS, "test_seen")),
        (("val",), ("train",)),
    ):
        classes = np.intersect1d(labels[_join_rows(parts, *a)], labels[_join_rows(parts, *b)])
        rows = np.flatnonzero(np.isin(labels, classes))
        parts = _remove_rows(parts, rows, *b, *(a if policy == "drop" else ()))
    return parts


def _separate_images(parts: Parts, context: AuditContext, policy: Policy) -> Parts:
    """Remove training rows that repeat a test image, and test_seen rows that repeat test_unseen."""
    group, _ = identical_rows(context.required_features)
    for groups in (group, identical_rows(context.required_features, scaled=True)[0]):
        leaking = leaking_groups(_with_parts(context, parts), groups)
        rows = np.flatnonzero(np.isin(groups, leaking))
        parts = _remove_rows(parts, rows, *(SPLIT_PARTS if policy == "drop" else TRAIN_PARTS))
    if set(TEST_PARTS) <= set(parts):
        repeated_groups = np.intersect1d(group[parts["test_seen"]], group[parts["test_unseen"]])
        repeated_rows = np.flatnonzero(np.isin(group, repeated_groups[repeated_groups >= 0]))
        parts = _remove_rows(
            parts, repeated_rows, *(TEST_PARTS if policy == "drop" else ["test_seen"])
        )
    for _ in range(ROUNDS):
        train, test = _join_rows(parts, *TRAIN_PARTS), _join_rows(parts, *TEST_PARTS)
        if not train.size or not test.size:
            break
        limits = context.thresholds
        near = near_rows(
            context.required_features, train, test, near=limits.near, alone=limits.alone
        )
        if not near.train.size:
            break
        parts = _remove_rows(parts, near.train, *TRAIN_PARTS)
        if policy == "drop":
            parts = _remove_rows(parts, near.test, *TEST_PARTS)
    return parts


def _separate_photographs(parts: Parts, context: AuditContext, policy: Policy) -> Parts:
    """Remove training rows that share a photograph with a test row.

    A class that would lose all of its training rows keeps them; the test rows with the same
    photographs are removed instead. Rows of train that share a photograph with a row of val are
    also removed.
    """
    number = context.required_photographs.number
    train, test = _join_rows(parts, *TRAIN_PARTS), _join_rows(parts, *TEST_PARTS)
    shared = shared_rows_of(number, train, test)
    remaining = _rows_of_emptied_classes(context.labels, train, shared)
    tested = shared_rows_of(number, test, train if policy == "drop" else remaining)
    parts = _remove_rows(parts, np.setdiff1d(shared, remaining), *TRAIN_PARTS)
    parts = _remove_rows(parts, tested, *TEST_PARTS)
    if {"train", "val"} <= set(parts):
        shared_with_val = shared_rows_of(number, parts["train"], parts["val"])
        if policy == "drop":
            parts = _remove_rows(parts, shared_rows_of(number, parts["val"], parts["train"]), "val")
        parts = _remove_rows(parts, shared_with_val, "train")
    return parts


def _rows_of_emptied_classes(
    labels: np.ndarray | None, train: np.ndarray, removed: np.ndarray
) -> np.ndarray:
    """Return the ``removed`` rows of classes that would lose all their training rows."""
    if labels is None:
        return removed[:0]
    emptied = np.setdiff1d(labels[train], labels[np.setdiff1d(train, removed)])
    return removed[np.isin(labels[removed], emptied)]


def _with_parts(context: AuditContext, parts: Parts) -> AuditContext:
    """Return the context with new rows.

    Each fold is reduced to rows of trainval. Its training part also loses the rows that share a
    class or photograph with its validation part.
    """
    trainval = parts.get("trainval", np.empty(0, int))
    folds = []
    for train, val in context.fold_rows:
        val = np.intersect1d(val, trainval)
        train = np.setdiff1d(np.intersect1d(train, trainval), val)
        if context.labels is not None:
            train = train[~np.isin(context.labels[train], context.labels[val])]
        if context.photographs is not None:
            train = np.setdiff1d(train, shared_rows_of(context.photographs.number, train, val))
        folds.append((train, val))
    classes = context.folds
    if folds and context.labels is not None:
        y = context.labels
        classes = tuple((np.unique(y[train]), np.unique(y[val])) for train, val in folds)
    return replace(context, parts=parts, fold_rows=tuple(folds), folds=classes, file_digest="")
