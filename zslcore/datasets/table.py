"""Features of your own, as a NumPy archive, HDF5 or CSV.

``.npz`` and HDF5 hold arrays under these names; row numbers and labels are 0-based:

===================  =====================  ===================================================
``features``         (n_samples, n_features)  numbers
``labels``           (n_samples,)           whole numbers, rows of ``prototypes``
``prototypes``       (n_classes, n_attributes)  unless they come as a CSV of their own
``class_names``      (n_classes,)           optional; texts of fixed length
``attribute_names``  (n_attributes,)        optional
``image_files``      (n_samples,)           optional; names of the photographs behind the rows
``pretraining``      (n_vocabularies,)      optional; what the feature extractor was trained on
``provenance``       (n_sentences,)         optional; how the features were made
``trainval``         (n,)                   optional, with ``test_unseen`` and maybe ``test_seen``
===================  =====================  ===================================================

Where prototypes come as a CSV of their own and the file names its classes, its labels are numbers
of its own names, in whatever order the CSV has them.

A CSV has a column ``label`` with class names, maybe a column ``split`` with ``trainval``,
``test_seen`` or ``test_unseen``, maybe a column ``image_file``, and one column per feature; its
prototypes are a second CSV with a column ``class`` and one column per attribute.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, class_folds
from zslcore.datasets.benchmarks import recognise
from zslcore.datasets.embeddings import ClassEmbeddings, read_class_embeddings
from zslcore.datasets.facts import check_pretraining, plain_name
from zslcore.datasets.imagenet import challenge_split, known_ids
from zslcore.datasets.open_world import is_rule, new_classes, rule_in_words
from zslcore.datasets.sandbox.client import Role, Table, read_arrays, read_table_file
from zslcore.exceptions import DatasetError, closest_name
from zslcore.storage import artifacts
from zslcore.texts import clean_text, expect, refuse_twice

#: Counted up when the same file gives other folds: 2 knows the released ones.
REVISION = 2
PARTS = ("trainval", "test_seen", "test_unseen")
#: Parts of other layouts that a table has no place for: folds are chosen within trainval.
UNREAD = ("train", "val")
MATRICES: dict[str, Role] = {"features": "rows", "prototypes": "rows"}
ROLES: dict[str, Role] = {
    **MATRICES,
    **dict.fromkeys(("labels", *PARTS, *UNREAD), "numbers"),
    **dict.fromkeys(("class_names", "attribute_names", "pretraining", "provenance"), "names"),
    "image_files": "paths",
}
#: Columns of texts in a CSV of features, and whether they have to be there.
TEXTS = {"label": True, "split": False, "image_file": False}


def read_table(
    path: str | os.PathLike[str],
    *,
    prototypes: str | os.PathLike[str] | None = None,
    unseen: Sequence[str | int] | None = None,
    name: str | None = None,
    into: Path | None = None,
) -> ZSLDataset:
    """Read features of your own; :func:`import_dataset` stores them.

    The one split, "own", has the released folds where all classes and the unseen ones are those of
    a benchmark; otherwise each of three holds out a third of the seen classes.

    Parameters
    ----------
    path : ``.npz``, HDF5 or ``.csv`` file as described at the top of this file
    prototypes : CSV with a column ``class`` and one column per attribute, or a file with ``att`` or
        ``w2v`` as :mod:`zslcore.datasets.embeddings` reads
        Needed for a CSV; replaces ``prototypes`` and ``class_names`` of the other kinds.
    unseen : names or numbers of the unseen classes
        Needed where the file holds no split, and refused where it does. A fifth of every other
        class is then held out as ``test_seen``, drawn with seed 0. Where most classes are called by
        ids of ImageNet-21K, those of the 2012 challenge are seen and all others unseen without it.
    name : by default the file's, without its ending
    into : folder for ``features.npy``, which the features are then a map of; else read into memory

    Raises
    ------
    FileRefusedError
        When a file is damaged, hostile or not of this form.
    DatasetError
        When the unseen classes are not stated.
    UnknownNameError
        For a class without prototype; names the nearest one that has one.
    """
    path = Path(path)
    name = name or clean_text(path.stem, 64)
    side = read_class_embeddings(Path(prototypes)) if prototypes is not None else None
    read = _read_csv if path.suffix.lower() == ".csv" else _read_archive
    with nullcontext(into) if into else artifacts.scratch() as folder:
        table = read(path, side, folder)
        features = table.features if into else np.array(table.features)
    refuse_twice(path, table.class_names)
    made = f": {'; '.join(table.provenance)}" if table.provenance else ""
    return ZSLDataset(
        name=name,
        features=features,
        labels=table.labels,
        prototypes=table.prototypes,
        class_names=table.class_names,
        attribute_names=table.attribute_names,
        splits=[_own_split(path, table, unseen)],
        revision=REVISION,
        source=f"Features of your own, from {clean_text(path.name)}{made}.",
        image_files=table.image_files,
        pretraining=check_pretraining(table.pretraining, f" in {clean_text(path.name)}"),
    )


@dataclass(frozen=True)
class _Table:
    """What every kind of file comes down to."""

    features: np.ndarray
    labels: np.ndarray
    prototypes: np.ndarray
    class_names: tuple[str, ...]
    attribute_names: tuple[str, ...]
    parts: dict[str, np.ndarray]
    image_files: Sequence[str] = ()
    pretraining: Sequence[str] = ()
    provenance: Sequence[str] = ()


def _own_split(path: Path, table: _Table, unseen: Sequence[str | int] | None) -> Split:
    """Build the split from the file's rows, or else from the unseen classes."""
    file, labels = clean_text(path.name), table.labels
    if unseen is not None and table.parts:
        raise DatasetError(f"{file} holds a split; expected no list of unseen classes with it.")
    if unseen is None and not table.parts and known_ids(table.class_names):
        return challenge_split("own", labels, table.class_names)
    if unseen is None and not table.parts:
        raise DatasetError(
            f"{file} holds no split; expected the arrays or the column that say which rows train "
            f"and test, or the names of the unseen classes with unseen= (--unseen)."
        )
    if unseen is None:
        for part in ("trainval", "test_unseen"):
            expect(len(table.parts.get(part, ())), file, f"rows in {part!r}", "none")
        whole = Split.from_rows("own", labels, **table.parts, note="")
        note = f"Rows as given in {file}"
    else:
        chosen = class_numbers(unseen, table.class_names)
        whole = Split.from_classes("own", labels, chosen)
        which = rule_in_words(str(unseen[0])) if is_rule(unseen) else "as requested"
        note = f"{len(chosen)} unseen classes, {which}; a fifth of the others' rows held out"
    known = recognise(table.class_names, labels)
    folds, origin = known.folds(labels, whole) if known else [], "the benchmark's released lists"
    if not folds:
        folds, origin = class_folds(labels, whole.trainval), "thirds of the classes, seed 0"
    return replace(whole, folds=tuple(folds), note=f"{note}; folds are {origin}.")


def class_numbers(classes: Sequence[str | int], names: Sequence[str]) -> list[int]:
    """Return rows of the prototypes for class names, numbers that no class is called, or a rule."""
    if is_rule(classes) and classes[0] not in names:
        return new_classes(str(classes[0]), names)
    number: dict[str | int, int] = {str(i): i for i in range(len(names))}
    number |= {i: i for i in range(len(names))} | {name: i for i, name in enumerate(names)}
    for one in classes:
        if one not in number:
            raise closest_name("unseen class", one, names)
    return sorted({number[one] for one in classes})


def _read_archive(path: Path, side: ClassEmbeddings | None, folder: Path) -> _Table:
    """Read an ``.npz`` or HDF5 file in the sandbox; features stay a map in ``folder``."""
    required = ("features", "labels", *(() if side else ("prototypes",)))
    kinds = ("NumPy archive", "HDF5")
    read = read_arrays(path, ROLES, folder, required=required, kinds=kinds)
    arrays = read.arrays
    prototypes = side.values if side else np.array(arrays["prototypes"])
    n, n_labels = len(arrays["features"]), len(arrays["labels"])
    expect(n_labels == n, path, f"one label per row of features ({n})", n_labels)
    own = read.names.get("class_names")
    names = side.classes if side else own
    return _Table(
        features=arrays["features"],
        labels=_by_name(path, arrays["labels"], own, side) if side and own else arrays["labels"],
        prototypes=prototypes,
        class_names=tuple(names or (f"class {i}" for i in range(len(prototypes)))),
        attribute_names=side.names if side else read.names.get("attribute_names", ()),
        parts={part: arrays[part] for part in PARTS if part in arrays},
        image_files=read.names.get("image_files", ()),
        pretraining=read.names.get("pretraining", ()),
        provenance=(*read.names.get("provenance", ()), *_unread(arrays, read.unread)),
    )


def _unread(arrays: Mapping[str, np.ndarray], others: Sequence[str]) -> Iterator[str]:
    """Yield what was not read, and whether it would have trained on test rows."""
    if others:
        yield f"not read: {', '.join(others)}"
    given = [part for part in UNREAD if part in arrays]
    if given:
        used = np.concatenate([arrays[part].ravel() for part in given])
        tested = [arrays[p].ravel() for p in ("test_seen", "test_unseen") if p in arrays]
        leaked = np.intersect1d(used, np.concatenate([*tested, np.empty(0, int)])).size
        leak = f"; {leaked:,} of their rows are test rows" if leaked else ""
        yield f"{', '.join(given)}: not read from tables{leak}"


def _by_name(
    path: Path, labels: np.ndarray, own: tuple[str, ...], side: ClassEmbeddings
) -> np.ndarray:
    """Return labels as rows of the prototypes with the file's class names, if one is shared."""
    place = {plain_name(name): row for row, name in enumerate(side.classes)}
    if not {plain_name(name) for name in own} & set(place) and len(own) == len(side.classes):
        return labels
    outside = labels[(labels < 0) | (labels >= len(own))]
    places = f"labels 0..{len(own) - 1}, the places of its class names"
    expect(not outside.size, path, places, ", ".join(map(str, outside[:3])))
    for c in np.unique(labels):
        if plain_name(own[c]) not in place:
            raise closest_name(f"class in {clean_text(path.name)}", own[c], side.classes)
    rows = np.array([place.get(plain_name(name), -1) for name in own])
    return rows[labels]


def _read_csv(path: Path, side: ClassEmbeddings | None, folder: Path) -> _Table:
    file = clean_text(path.name)
    if side is None:
        raise DatasetError(
            f"{file}: expected the classes' prototypes in a second CSV, given with prototypes= "
            f"(--prototypes); got none."
        )
    table = read_table_file(path, folder, TEXTS)
    number = {name: i for i, name in enumerate(side.classes)}
    for code, label in enumerate(table.texts["label"]):
        if label not in number:
            raise closest_name(f"class in {file}, {_row(table, 'label', code)},", label, number)
    parts = {}
    for code, place in enumerate(table.texts.get("split", ())):
        where = f"{file}, {_row(table, 'split', code)}"
        expect(place in PARTS, where, f"{', '.join(PARTS)} in column 'split'", repr(place))
        parts[place] = np.flatnonzero(table.codes["split"] == code)
    of_text = np.array([number[label] for label in table.texts["label"]])
    files = table.texts.get("image_file", ())
    return _Table(
        features=table.values,
        labels=of_text[table.codes["label"]],
        prototypes=side.values,
        class_names=side.classes,
        attribute_names=side.names,
        parts=parts,
        image_files=[files[code] for code in table.codes["image_file"]] if files else (),
    )


def _row(table: Table, column: str, code: int) -> str:
    """Name the first row in which a text stands; the first row is 1."""
    return f"data row {int(np.argmax(table.codes[column] == code)) + 1}"
