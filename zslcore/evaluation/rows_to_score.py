"""The rows that a model from elsewhere trains on and scores, to be judged as a run of ours is.

A run scores the test set once, and every validation fold for gamma: a fifth of each of the fold's
training classes is held out as seen validation, see :mod:`zslcore.evaluation.protocol`. A model
that is fitted to the same rows, and scores the same rows among the same candidates, has its gamma
chosen as ours is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, hold_out
from zslcore.evaluation.protocol import SEEN_VALIDATION, require_unseen
from zslcore.storage.files import or_refused, written_whole
from zslcore.version import version


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The test set, or the validation images of a fold: ``name`` is "test", "fold_1", "fold_2" ...

    ``train`` are rows to train on, ``rows`` those to score, in the order of the scores.
    ``classes``, increasing, are the columns of the scores; ``seen`` says which of them have
    training rows.
    """

    name: str
    train: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    seen: np.ndarray


def parts_to_score(dataset: ZSLDataset, split: Split, seed: int = 0) -> tuple[Part, ...]:
    """Return the test set and every fold, as a run with this seed scores them.

    Raises a SplitError when all test classes are trained on.
    """
    require_unseen(dataset, split)
    labels, generalized = dataset.labels, bool(len(split.test_seen))
    test = np.concatenate([split.test_seen, split.test_unseen])
    classes = np.union1d(split.seen_classes, split.unseen_classes)
    found = [_part("test", labels, split.trainval, test, classes)]
    for k, fold in enumerate(split.folds, 1):
        train, rows, classes = fold.train, fold.val, np.unique(labels[fold.val])
        if generalized:
            train, held = hold_out(labels, fold.train, SEEN_VALIDATION, seed)
            rows = np.concatenate([held, fold.val])
            classes = np.union1d(labels[train], labels[rows])
        found.append(_part(f"fold_{k}", labels, train, rows, classes))
    return tuple(found)


def _part(
    name: str, labels: np.ndarray, train: np.ndarray, rows: np.ndarray, classes: np.ndarray
) -> Part:
    return Part(name, train, rows, classes, np.isin(classes, labels[train]))


def arrays_of(
    dataset: ZSLDataset, split: Split, parts: Sequence[Part], seed: int = 0
) -> dict[str, np.ndarray]:
    """Return the arrays of the file, by their names.

    These are ``class_names``, ``labels`` (class of every row) and ``about`` (data, split, seed and
    digests as JSON), and for every part, ``test``, ``fold_1`` and so on: ``<part>_train``,
    ``<part>_rows``, ``<part>_classes`` and ``<part>_seen``, see :class:`Part`.
    """
    about: Mapping[str, Any] = {
        "schema": "zslcore-folds/1",
        "dataset": dataset.name,
        "digest": dataset.digest,
        "split": split.name,
        "parts": dict(split.digests),
        "folds": len(parts) - 1,
        "seed": seed,
        "version": version(),
    }
    found = {
        "about": np.array(json.dumps(about)),
        "class_names": np.array(dataset.class_names),
        "labels": dataset.labels,
    }
    for part in parts:
        for name in ("train", "rows", "classes", "seen"):
            found[f"{part.name}_{name}"] = getattr(part, name)
    return found


def write_parts(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays to an ``.npz`` file atomically; it is read without pickle.

    Raises a ZSLError when nothing can be written there.
    """
    with or_refused(path.name), written_whole(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
