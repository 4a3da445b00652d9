"""Released files of a data set: found and parsed by readers, checked by one function.

A reader is a module with two functions: ``can_read(path)`` returns whether the files have the
format that the module reads, and ``find(path, **options)`` returns a :class:`Release`.
:mod:`zslcore.datasets.importing` lists the readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset, class_folds
from zslcore.datasets.facts import RecognisedBenchmark, recognise
from zslcore.datasets.imports import Recipe, import_once
from zslcore.storage import artifacts
from zslcore.texts import expect, expect_range, refuse_repeated_names
from zslcore.untrusted.client import refuse_changes

#: Function that makes the splits from checked 0-based labels and the recognised benchmark.
MakeSplits = Callable[[np.ndarray, RecognisedBenchmark | None], Sequence[Split]]


@dataclass(frozen=True, kw_only=True, eq=False)
class ParsedDataset:
    """Arrays parsed from files, before any check.

    Attributes
    ----------
    features : matrix of shape (n_samples, n_features), memory-mapped from a file in the output
        folder; the output folder must not have subfolders
    labels : whole numbers of shape (n_samples,); ``first`` is the number of the first class
    prototypes : array of shape (n_classes, n_attributes)
    class_names : one per row of ``prototypes``
    splits : function of the checked labels and the recognised benchmark
    labels_in, classes_in : file and variable of labels and of classes, for error messages
    usual_pretraining : usual pre-training sets of such features, used if neither file nor user
        states any
    """

    features: np.ndarray
    labels: np.ndarray
    prototypes: np.ndarray
    class_names: Sequence[str]
    splits: MakeSplits
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
    """Released files of a data set; ``read(folder)`` parses them and writes features to the folder.

    ``name`` is proposed for an import; ``recipe`` repeats the import from the same files.
    """

    name: str
    recipe: Recipe
    read: Callable[[Path], ParsedDataset]

    def import_dataset(
        self, name: str | None = None, pretraining: Sequence[str] = ()
    ) -> ZSLDataset:
        """Import the data set, reading the files only if one has changed."""
        name = name or self.name
        declared = replace(self, recipe=replace(self.recipe, pretraining=pretraining))
        return import_once(name, declared.recipe, partial(declared.read_dataset, name))

    def read_dataset(self, name: str, into: Path | None = None) -> ZSLDataset:
        """Return the data set; features are memory-mapped from the folder ``into``, if given."""
        with nullcontext(into) if into else artifacts.scratch() as folder:
            with refuse_changes(self.recipe.sources):  # raises here, before an import is replaced
                raw = self.read(folder)
            features = raw.features if into else np.array(raw.features)
        return build(replace(raw, features=features), name, self.recipe)


def build(raw: ParsedDataset, name: str, recipe: Recipe) -> ZSLDataset:
    """Validate parsed arrays; build a data set with 0-based labels and published splits.

    Raises a FileRefusedError, naming file and variable, unless there is one label per row, in the
    range of the classes, and one distinct class name per prototype.
    """
    (n, d), n_classes = raw.features.shape, len(raw.prototypes)
    expected_labels = f"one label for each of {n} rows of {d} features"
    expect(len(raw.labels) == n, raw.labels_in, expected_labels, len(raw.labels))
    names = tuple(raw.class_names)
    expected_names = f"one name for each of {n_classes} class embeddings"
    expect(len(names) == n_classes, raw.classes_in, expected_names, len(names))
    refuse_repeated_names(raw.classes_in, names)
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
    """Return sorted 0-based rows from 1-based ``<part>_loc``; missing parts are empty."""
    rows = {}
    for part in parts:
        values = arrays.get(f"{part}_loc", np.empty(0, np.int64))
        expect_range(f"{file}, variable '{part}_loc'", values, n, "images")
        rows[part] = np.sort(values) - 1
    return rows


def with_folds(
    split: Split,
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
    listed: Sequence[Sequence[Sequence[int]]] = (),
    rows: Mapping[str, np.ndarray] | None = None,
    remark: str = "",
) -> Split:
    """Return a split with folds from the first available source.

    The sources are, in this order: ``listed``, the training and the validation classes of each
    fold; the released folds of the benchmark; ``rows``, the rows of "train" and "val"; and random
    thirds of the classes. The origin of the folds and the ``remark`` are added to the split's note.
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
