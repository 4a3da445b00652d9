"""Features of your own, as a NumPy archive, HDF5 or CSV.

``.npz`` and HDF5 hold arrays under these names; row numbers and labels are 0-based:

===================  =====================  ===================================================
``features``         (n_samples, n_features)  numbers
``labels``           (n_samples,)           whole numbers, rows of ``prototypes``
``prototypes``       (n_classes, n_attributes)  unless they come as a CSV of their own
``class_names``      (n_classes,)           optional; texts of fixed length
``attribute_names``  (n_attributes,)        optional
``image_files``      (n_samples,)           optional; names of the photographs behind the rows
``trainval``         (n,)                   optional, with ``test_unseen`` and maybe ``test_seen``
===================  =====================  ===================================================

A CSV has a column ``label`` with class names, maybe a column ``split`` with ``trainval``,
``test_seen`` or ``test_unseen``, maybe a column ``image_file``, and one column per feature; its
prototypes are a second CSV with a column ``class`` and one column per attribute.
"""

from __future__ import annotations

import csv
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.benchmarks import recognise
from zslcore.datasets.door import Role, clean_text, read_arrays
from zslcore.datasets.folds import class_folds
from zslcore.exceptions import DatasetError, FileRefusedError, closest_name

__all__ = ["read_table"]

#: Counted up when the same file gives other folds: 2 knows the released ones.
REVISION = 2
PARTS = ("trainval", "test_seen", "test_unseen")
MATRICES: dict[str, Role] = {"features": "rows", "prototypes": "rows"}
ROLES: dict[str, Role] = {
    **MATRICES,
    **dict.fromkeys(("labels", *PARTS), "numbers"),
    **dict.fromkeys(("class_names", "attribute_names"), "names"),
    "image_files": "paths",
}
MAX_CSV_BYTES = 1 << 30
MAX_COLUMNS = 1 << 16
MAX_HEADER = 4 << 20


def read_table(
    path: str | os.PathLike[str],
    *,
    prototypes: str | os.PathLike[str] | None = None,
    unseen: Sequence[str | int] | None = None,
    name: str | None = None,
) -> ZSLDataset:
    """Read features of your own into memory; :func:`import_dataset` keeps them for good.

    Parameters
    ----------
    path : ``.npz``, HDF5 or ``.csv`` file as described at the top of this file
    prototypes : CSV with a column ``class`` and one column per attribute
        Needed for a CSV; replaces ``prototypes`` and ``class_names`` of the other kinds.
    unseen : names or numbers of the unseen classes
        Needed where the file holds no split, and refused where it does. A fifth of every other
        class is then held out as ``test_seen``, drawn with seed 0.
    name : str, optional
        By default the file's, without its ending.

    Returns
    -------
    ZSLDataset
        With one split, "own". Its three folds are the released ones where all classes and the
        unseen ones are those of a benchmark; otherwise each holds out a third of the seen classes.

    Raises
    ------
    FileRefusedError
        When a file is damaged, hostile or not of this form.
    DatasetError
        When it is not said which classes are unseen.
    UnknownNameError
        For a class without prototype; names the nearest one that has one.
    """
    path = Path(path)
    name = name or clean_text(path.stem, 64)
    side = _read_prototypes(Path(prototypes)) if prototypes is not None else None
    read = _read_csv if path.suffix.lower() == ".csv" else _read_archive
    table = read(path, side)
    return ZSLDataset(
        name=name,
        features=table.features,
        labels=table.labels,
        prototypes=table.prototypes,
        class_names=table.class_names,
        attribute_names=table.attribute_names,
        splits=[_own_split(path, table, unseen)],
        revision=REVISION,
        source=f"Features of your own, from {clean_text(path.name)}.",
        image_files=table.image_files,
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


@dataclass(frozen=True)
class _Csv:
    """Columns of text and columns of numbers of one CSV file."""

    texts: dict[str, list[str]]
    names: tuple[str, ...]
    values: np.ndarray


def _own_split(path: Path, table: _Table, unseen: Sequence[str | int] | None) -> Split:
    """Build the split from the file's rows, or else from the unseen classes."""
    file, labels = clean_text(path.name), table.labels
    if unseen is not None and table.parts:
        raise DatasetError(f"{file} holds a split; expected no list of unseen classes beside it.")
    if unseen is None and not table.parts:
        raise DatasetError(
            f"{file} holds no split; expected the arrays or the column that say which rows train "
            f"and test, or the names of the unseen classes with unseen= (--unseen)."
        )
    if unseen is None:
        whole, note = _split_of_parts(file, table), f"Rows as given in {file}"
    else:
        chosen = _class_numbers(unseen, table.class_names)
        whole = Split.from_classes("own", labels, chosen)
        note = f"{len(chosen)} unseen classes as asked for; a fifth of the others' rows held out"
    known = recognise(table.class_names, labels)
    folds, origin = known.folds(labels, whole) if known else [], "the benchmark's released lists"
    if not folds:
        folds, origin = class_folds(labels, whole.trainval), "thirds of the classes, seed 0"
    return Split.from_rows(
        "own",
        labels,
        **{part: getattr(whole, part) for part in PARTS},
        folds=folds,
        note=f"{note}; folds are {origin}.",
    )


def _split_of_parts(file: str, table: _Table) -> Split:
    """Build the split that the file gives; only seen test rows may be missing."""
    parts = table.parts
    for part in ("trainval", "test_unseen"):
        if not len(parts.get(part, ())):
            raise FileRefusedError(f"{file}: expected rows in {part!r}, got none.")
    return Split.from_rows(
        "own",
        table.labels,
        trainval=parts["trainval"],
        test_seen=parts.get("test_seen", ()),
        test_unseen=parts["test_unseen"],
    )


def _class_numbers(classes: Sequence[str | int], names: tuple[str, ...]) -> list[int]:
    """Return rows of the prototypes for class names or numbers."""
    number = {name: i for i, name in enumerate(names)} | {i: i for i in range(len(names))}
    for one in classes:
        if one not in number:
            raise closest_name("unseen class", one, names)
    return sorted({number[one] for one in classes})


def _read_archive(path: Path, side: _Csv | None) -> _Table:
    """Read an ``.npz`` or HDF5 file through the door."""
    required = ("features", "labels", *(() if side else ("prototypes",)))
    with tempfile.TemporaryDirectory() as folder:
        read = read_arrays(
            path, ROLES, Path(folder), required=required, kinds=("NumPy archive", "HDF5")
        )
        # Their maps end with the folder.
        copies = {key: np.array(read.arrays[key]) for key in MATRICES if key in read.arrays}
    arrays = read.arrays | copies
    prototypes = side.values if side else arrays["prototypes"]
    n, n_classes = len(arrays["features"]), len(prototypes)
    if len(arrays["labels"]) != n:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected one label per row of features ({n}), "
            f"got {len(arrays['labels'])}."
        )
    names = side.texts["class"] if side else read.names.get("class_names")
    return _Table(
        features=arrays["features"],
        labels=arrays["labels"],
        prototypes=prototypes,
        class_names=tuple(names or (f"class {i}" for i in range(n_classes))),
        attribute_names=side.names if side else read.names.get("attribute_names", ()),
        parts={part: arrays[part] for part in PARTS if part in arrays},
        image_files=read.names.get("image_files", ()),
    )


def _read_csv(path: Path, side: _Csv | None) -> _Table:
    """Read features from a CSV; labels are names of prototypes."""
    file = clean_text(path.name)
    if side is None:
        raise DatasetError(
            f"{file}: expected the classes' prototypes in a second CSV, given with prototypes= "
            f"(--prototypes); got none."
        )
    table = _load_csv(path, required=("label",), optional=("split", "image_file"))
    number = {name: i for i, name in enumerate(side.texts["class"])}
    for row, label in enumerate(table.texts["label"], start=1):
        if label not in number:
            raise closest_name(f"class in {file}, data row {row},", label, number)
    places = table.texts.get("split", [])
    for row, place in enumerate(places, start=1):
        if place not in PARTS:
            raise FileRefusedError(
                f"{file}, data row {row}: expected {', '.join(PARTS)} in column 'split', "
                f"got {place!r}."
            )
    return _Table(
        features=table.values,
        labels=np.array([number[label] for label in table.texts["label"]]),
        prototypes=side.values,
        class_names=tuple(number),
        attribute_names=side.names,
        parts={part: np.flatnonzero(np.array(places) == part) for part in PARTS} if places else {},
        image_files=table.texts.get("image_file", ()),
    )


def _read_prototypes(path: Path) -> _Csv:
    """Read the prototypes' CSV; every class once."""
    side = _load_csv(path, required=("class",))
    classes = side.texts["class"]
    twice = [name for i, name in enumerate(classes) if name in classes[:i]]
    if twice:
        raise FileRefusedError(f"{clean_text(path.name)}: class {twice[0]!r} stands there twice.")
    return side


def _load_csv(path: Path, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> _Csv:
    """Read a CSV with pandas; only when that fails, walk it to find the line at fault."""
    import pandas as pd

    header = _csv_header(path, required)
    texts = [column for column in (*required, *optional) if column in header]
    numbers = [column for column in header if column not in texts]
    if not numbers:
        raise FileRefusedError(
            f"{clean_text(path.name)}, line 1: expected at least one column of numbers, got none."
        )
    types = {column: str if column in texts else np.float32 for column in header}
    try:
        with np.errstate(over="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # else it drops extra fields
            frame = pd.read_csv(path, dtype=types, index_col=False, na_filter=False)
        values = frame[numbers].to_numpy(np.float32)
    except (ValueError, OverflowError, pd.errors.ParserWarning):  # its errors are ValueErrors
        raise _fault(path, header, numbers) from None
    if not len(frame) or not np.isfinite(values).all():
        raise _fault(path, header, numbers)
    columns = {column: [clean_text(text) for text in frame[column]] for column in texts}
    return _Csv(columns, tuple(map(clean_text, numbers)), values)


def _csv_header(path: Path, required: tuple[str, ...]) -> list[str]:
    """Read the first line, within limits, and refuse a file that cannot be such a table."""
    file = clean_text(path.name)
    if not path.is_file():
        raise FileRefusedError(f"{file}: expected a CSV file, found none.")
    if path.stat().st_size > MAX_CSV_BYTES:
        raise FileRefusedError(
            f"{file}: expected at most {MAX_CSV_BYTES:,} bytes of CSV, got "
            f"{path.stat().st_size:,}; use .npz or HDF5."
        )
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        header = next(csv.reader([lines.readline(MAX_HEADER)]), [])
    twice = [column for column, times in Counter(header).items() if times > 1]
    if twice or len(header) > MAX_COLUMNS:
        which = f", {clean_text(twice[0])!r} more than once" if twice else ""
        raise FileRefusedError(
            f"{file}, line 1: expected at most {MAX_COLUMNS:,} different columns, "
            f"got {len(header):,}{which}."
        )
    for column in required:
        if column not in header:
            got = ", ".join(map(clean_text, header[:6]))
            raise FileRefusedError(f"{file}, line 1: expected a column {column!r}, got {got}.")
    return header


def _fault(path: Path, header: list[str], numbers: list[str]) -> FileRefusedError:
    """Find the first line that is not as the header says."""
    at = file = clean_text(path.name)
    where = {column: header.index(column) for column in numbers}
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            reader = csv.reader(lines)
            next(reader)
            for row in filter(None, reader):
                at = f"{file}, line {reader.line_num}"
                if len(row) != len(header):
                    return FileRefusedError(f"{at}: expected {len(header)} fields, got {len(row)}.")
                for column, i in where.items():
                    if not _is_finite(row[i]):
                        return FileRefusedError(
                            f"{at}, column {clean_text(column)!r}: expected a finite number, "
                            f"got {clean_text(row[i], 40)!r}."
                        )
    except UnicodeDecodeError:
        return FileRefusedError(f"{file}: expected UTF-8 text, got other bytes.")
    except csv.Error as error:
        return FileRefusedError(f"{at}: could not be read as CSV ({clean_text(error)}).")
    return FileRefusedError(f"{file}: expected a table with at least one row of numbers.")


def _is_finite(text: str) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.float32(text)))
    except ValueError:
        return False
