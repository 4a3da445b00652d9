"""Files of a data set: readers find and parse them, one function checks the parsed arrays.

A reader is a module with ``can_read(path)``, whether files are of its form, and ``find(path,
**options)``, which returns a :class:`Release`. :mod:`zslcore.datasets.importing` lists the readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset, class_folds
from zslcore.datasets.facts import Recognised, recognise
from zslcore.datasets.imports import Recipe, import_once
from zslcore.storage import artifacts
from zslcore.texts import expect, expect_range, refuse_twice

#: Makes the splits of 0-based labels that were checked, of classes that may be a benchmark's.
Splits = Callable[[np.ndarray, Recognised | None], Sequence[Split]]


@dataclass(frozen=True, kw_only=True, eq=False)
class ParsedDataset:
    """Arrays that were parsed from files; nothing is checked yet.

    Attributes
    ----------
    features : matrix of shape (n_samples, n_features), a map in the folder that was read into
    labels : whole numbers of shape (n_samples,), ``first`` for the first class
    prototypes : array of shape (n_classes, n_attributes)
    class_names : one per row of ``prototypes``
    splits : function of the checked labels
    labels_in, classes_in : file and variable that labels and classes are from, for refusals
    usual_pretraining : what such features are known for, where neither file nor user says it
    """

    features: np.ndarray
    labels: np.ndarray
    prototypes: np.ndarray
    class_names: Sequence[str]
    splits: Splits
    labels_in: str
    classes_in: str
    source: str
    first: int = 1
    attribute_names: Sequence[str] = ()
    image_files: Sequence[str] = ()
    pretraining: Sequence[str] = ()
    usual_pretraining: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Release:
    """Files that were found; ``read`` reads them, the features as a map in a folder.

    ``name`` is proposed for an import, ``recipe`` finds and reads the same files again.
    """

    name: str
    recipe: Recipe
    read: Callable[[Path], ParsedDataset]

    def import_dataset(
        self, name: str | None = None, pretraining: Sequence[str] = ()
    ) -> ZSLDataset:
        """Return the data set as an import, reading the files only if one has changed."""
        name = name or self.name
        declared = replace(self, recipe=replace(self.recipe, pretraining=pretraining))
        return import_once(name, declared.recipe, partial(declared.read_dataset, name))

    def read_dataset(self, name: str, into: Path | None = None) -> ZSLDataset:
        """Return the data set, its features a map in the folder ``into``, else in memory."""
        with nullcontext(into) if into else artifacts.scratch() as folder:
            raw = self.read(folder)
            features = raw.features if into else np.array(raw.features)
        return build(replace(raw, features=features), name, self.recipe)


def build(raw: ParsedDataset, name: str, recipe: Recipe) -> ZSLDataset:
    """Validate parsed arrays; build a data set with 0-based labels and published splits.

    Raises a FileRefusedError, with the place in the files, where labels are not one per row and in
    the range of the classes, or class names not one per prototype and all different.
    """
    (n, d), n_classes = raw.features.shape, len(raw.prototypes)
    a_label = f"one label for each of {n} rows of {d} features"
    expect(len(raw.labels) == n, raw.labels_in, a_label, len(raw.labels))
    names = tuple(raw.class_names)
    a_name = f"one name for each of {n_classes} class embeddings"
    expect(len(names) == n_classes, raw.classes_in, a_name, len(names))
    refuse_twice(raw.classes_in, names)
    expect_range(raw.labels_in, raw.labels, n_classes, "one class each", first=raw.first)
    labels = raw.labels - raw.first
    return ZSLDataset(
        name=name,
        features=raw.features,
        labels=labels,
        prototypes=raw.prototypes,
        class_names=names,
        attribute_names=tuple(raw.attribute_names),
        splits={split.name: split for split in raw.splits(labels, recognise(names, labels))},
        source=raw.source,
        image_files=tuple(raw.image_files),
        pretraining=tuple(raw.pretraining or (() if recipe.pretraining else raw.usual_pretraining)),
        revision=recipe.revision,
    )


# --- Rows and folds -------------------------------------------------------------------------------


def rows_of_parts(
    file: str, arrays: Mapping[str, np.ndarray], parts: Sequence[str], n: int
) -> dict[str, np.ndarray]:
    """Return 0-based, sorted rows of ``<part>_loc``, counted from 1; missing parts are empty."""
    rows = {}
    for part in parts:
        values = arrays.get(f"{part}_loc", np.empty(0, np.int64))
        expect_range(f"{file}, variable '{part}_loc'", values, n, "images")
        rows[part] = np.sort(values) - 1
    return rows


def with_folds(
    split: Split,
    labels: np.ndarray,
    benchmark: Recognised | None,
    listed: Sequence[Sequence[Sequence[int]]] = (),
    rows: Mapping[str, np.ndarray] | None = None,
    remark: str = "",
) -> Split:
    """Return a split with folds of trainval by lists, the benchmark's lists, rows or thirds.

    ``listed`` has the training and the validation classes of each fold, ``rows`` those of "train"
    and "val". The note says where the folds are from, and the ``remark``.
    """
    trainval, rows = split.trainval, rows or {}
    if listed:
        of_classes = labels[trainval]
        folds = [Fold(*(trainval[np.isin(of_classes, part)] for part in pair)) for pair in listed]
        origin = f"{len(folds)} pairs of class lists"
    elif benchmark and (folds := benchmark.folds(labels, split)):
        origin = f"the released class lists of {' and '.join(benchmark.candidates)}"
    elif len(rows.get("train", ())) and len(rows.get("val", ())):
        folds = [Fold(*(trainval[np.isin(trainval, rows[part])] for part in ("train", "val")))]
        origin = "train_loc and val_loc"
    else:
        folds = class_folds(labels, trainval)
        origin = "thirds of the classes drawn with seed 0"
    note = f"{split.note}; folds from {origin}{remark}."
    return replace(split, folds=tuple(folds), note=note)
